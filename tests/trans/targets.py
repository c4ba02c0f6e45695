"""Targets of the user's: shapes, constraints, triggers, foreign keys."""
from common import Db, Folder, call, check, flow, name, same

ROWS = [(1, "a", 1), (2, "b", 2), (1, "c", 3)]
MORE = [(2, "bb", 4), (3, "d", 5), (1, "late", 2)]
NOW = [(1, "c"), (2, "bb"), (3, "d")]
THEN = [(1, "a", 1, 2), (1, "late", 2, 3), (1, "c", 3, None), (2, "b", 2, 4), (2, "bb", 4, None), (3, "d", 5, None)]

SCD1 = {
    "none": None,
    "integer pk": "CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT, seq INTEGER)",
    "autoincrement": "CREATE TABLE t(id INTEGER PRIMARY KEY AUTOINCREMENT, v TEXT, seq INTEGER)",
    "int pk": "CREATE TABLE t(id INT PRIMARY KEY, v TEXT, seq INTEGER)",
    "text pk": "CREATE TABLE t(id TEXT PRIMARY KEY, v TEXT, seq INTEGER)",
    "no key": "CREATE TABLE t(id INTEGER, v TEXT, seq INTEGER)",
    "no types": "CREATE TABLE t(id, v, seq)",
    "strict": "CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT, seq INTEGER) STRICT",
    "strict any": "CREATE TABLE t(id ANY PRIMARY KEY, v ANY, seq ANY) STRICT",
    "without rowid": "CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT, seq INTEGER) WITHOUT ROWID",
    "strict without rowid": "CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT, seq INTEGER) STRICT, WITHOUT ROWID",
    "other pk": "CREATE TABLE t(n INTEGER PRIMARY KEY, id INTEGER UNIQUE, v TEXT, seq INTEGER)",
    "columns turned": "CREATE TABLE t(seq INTEGER, v TEXT, id INTEGER PRIMARY KEY)",
    "extra columns": "CREATE TABLE t(a DEFAULT 7, id INTEGER PRIMARY KEY, b NOT NULL DEFAULT 'x', v TEXT, seq INTEGER, c)",
    "generated": "CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT, seq INTEGER, g AS (v||id), h AS (seq*2) STORED)",
    "unique": "CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT, seq INTEGER, UNIQUE(v, id))",
    "case of columns": "CREATE TABLE t(ID INTEGER PRIMARY KEY, V TEXT, SEQ INTEGER)",
    "check": "CREATE TABLE t(id INTEGER PRIMARY KEY CHECK(id>0), v TEXT CHECK(v<>'bad') NOT NULL, seq INTEGER)",
    "lacks columns": "CREATE TABLE t(id INTEGER PRIMARY KEY)",
    "replace": "CREATE TABLE t(id INTEGER PRIMARY KEY ON CONFLICT REPLACE, v TEXT, seq INTEGER)",
    "ignore": "CREATE TABLE t(id INTEGER PRIMARY KEY ON CONFLICT IGNORE, v TEXT NOT NULL ON CONFLICT IGNORE, seq INTEGER)",
    "rollback": "CREATE TABLE t(id INTEGER PRIMARY KEY ON CONFLICT ROLLBACK, v TEXT, seq INTEGER)",
    "nocase": "CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT COLLATE NOCASE, seq INTEGER)",
    "desc": "CREATE TABLE t(id INTEGER, v TEXT, seq INTEGER, PRIMARY KEY(id DESC)) WITHOUT ROWID",
    "named rowid": "CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT, seq INTEGER, rowid TEXT, oid TEXT)",
}
SCD2 = {
    "none": None,
    "no key": "CREATE TABLE t(id INTEGER, v TEXT, seq INTEGER, __START_AT, __END_AT)",
    "without rowid": "CREATE TABLE t(id, v, seq, __START_AT, __END_AT, PRIMARY KEY(id, __START_AT)) WITHOUT ROWID",
    "strict": "CREATE TABLE t(id INTEGER, v TEXT, seq INTEGER, __START_AT ANY, __END_AT ANY) STRICT",
    "strict int": "CREATE TABLE t(id INTEGER, v TEXT, seq INTEGER, __START_AT INTEGER, __END_AT INTEGER) STRICT",
    "typed": "CREATE TABLE t(id INTEGER, v TEXT, seq INTEGER, __START_AT INTEGER, __END_AT INTEGER)",
    "unique": "CREATE TABLE t(id INTEGER, v TEXT, seq INTEGER, __START_AT, __END_AT, UNIQUE(id, __START_AT))",
    "own id": "CREATE TABLE t(n INTEGER PRIMARY KEY, id INTEGER, v TEXT, seq INTEGER, __START_AT, __END_AT)",
    "start first": "CREATE TABLE t(__START_AT, __END_AT, v, id, seq)",
    "pk turned": "CREATE TABLE t(id, v, seq, __START_AT, __END_AT, PRIMARY KEY(__START_AT, id)) WITHOUT ROWID",
    "end in key": "CREATE TABLE t(id, v, seq, __START_AT, __END_AT, UNIQUE(id, __START_AT, __END_AT))",
    "generated": "CREATE TABLE t(id, v, seq, __START_AT, __END_AT, now AS (__END_AT IS NULL))",
    "case of columns": "CREATE TABLE t(ID, V, SEQ, __start_at, __end_at)",
    "extra columns": "CREATE TABLE t(a DEFAULT 7, id, b NOT NULL DEFAULT 'x', v, seq, __START_AT, __END_AT)",
    "check": "CREATE TABLE t(id, v, seq, __START_AT NOT NULL, __END_AT CHECK(__END_AT IS NULL OR __END_AT>__START_AT))",
}
OPEN = "CREATE UNIQUE INDEX one_open ON t(id) WHERE __END_AT IS NULL"
TRIGGER = "CREATE TRIGGER watch AFTER %s ON t BEGIN INSERT INTO seen VALUES('%s', %s.id, %s.v); END"


def watched(db):
    db.script("CREATE TABLE seen(what, id, v)")
    for what, row in (("INSERT", "new"), ("UPDATE", "new"), ("DELETE", "old")):
        db.script(TRIGGER.replace("watch", "watch_" + what) % (what, what, row, row))


def shape(o, what, sql, scd, trigger, indexes=()):
    """Two calls onto a target of some shape give the same rows as any other."""
    db = Db(o.ext)
    db.log(*ROWS)
    if sql:
        db.script(sql)
    for index in indexes:
        db.script(index)
    if trigger:
        watched(db)
    members = {"scd_type": scd}
    first = db.apply(**members)
    check(first[0][0] == "ok", what, first, db.apply("message", **members))
    same(first[0][1], 3, what)
    db.log(*MORE)
    second = db.apply(**members)
    same(second[0][:2], ("ok", 3), what)
    if scd == 1:
        same([(int(a), b) for a, b in db.rows("SELECT id, v FROM t ORDER BY CAST(id AS INTEGER)")], NOW, what)
        same(first[0][2:], (2, 0, 0), what)
        same(second[0][2:], (1, 1, 0), what)
    else:
        same(db.rows("SELECT id, v, __START_AT, __END_AT FROM t ORDER BY 1, 3"), THEN, what)
        same(first[0][2:], (3, 1 if False else 0, 0), what)
        same(second[0][2:], (3, 2, 0), what)
    if trigger:
        counts = [first[0][i] + second[0][i] for i in (2, 3, 4)]
        same([db.one("SELECT count(*) FROM seen WHERE what=?", w) for w in ("INSERT", "UPDATE", "DELETE")], counts, what)
    db.sound()
    return db


def test_shapes_scd1(o):
    for what, sql in SCD1.items():
        for trigger in (False, True):
            if sql or not trigger:
                shape(o, what, sql, 1, trigger)


def test_shapes_scd2(o):
    for what, sql in SCD2.items():
        for trigger in (False, True):
            if sql or not trigger:
                shape(o, what, sql, 2, trigger)


def test_indexes(o):
    more = ["CREATE INDEX i1 ON t(v)", "CREATE INDEX i2 ON t(v, seq) WHERE v>'a'", "CREATE INDEX i3 ON t(upper(v))",
            "CREATE UNIQUE INDEX i4 ON t(id, v, seq)"]
    for trigger in (False, True):
        shape(o, "indexes", SCD1["integer pk"], 1, trigger, more)
        shape(o, "indexes", SCD1["no key"], 1, trigger, more)
        shape(o, "indexes", SCD2["no key"], 2, trigger, more + [OPEN])
        shape(o, "indexes", SCD2["without rowid"], 2, trigger, more + [OPEN])
        shape(o, "indexes", SCD2["end in key"], 2, trigger, more + [OPEN])


def test_key_alone_unique_is_refused(o):
    for scd2 in ("CREATE TABLE t(id INTEGER PRIMARY KEY, v, seq, __START_AT, __END_AT)",
                 "CREATE TABLE t(id UNIQUE, v, seq, __START_AT, __END_AT)",
                 "CREATE TABLE t(id PRIMARY KEY, v, seq, __START_AT, __END_AT) WITHOUT ROWID"):
        db = Db(o.ext)
        db.log(*ROWS)
        db.script(scd2)
        db.refused("history", "t", scd_type=2)
    db = Db(o.ext)
    db.log(*ROWS)
    db.script("CREATE TABLE t(id, v, seq, __START_AT, __END_AT)", "CREATE UNIQUE INDEX k ON t(id)")
    db.refused("k", "drop it", scd_type=2)
    db.script("DROP INDEX k", "CREATE TABLE t2(id, v, seq)")
    db.refused("__START_AT", target="t2", scd_type=2)


def fails(o, table, words, scd=1, rows=ROWS, trigger=False, more=()):
    """The second call fails, names the key, and leaves what the first has done."""
    for begin in (None, "BEGIN"):
        for first in (True, False):
            db = Db(o.ext)
            db.script(table, *more)
            if trigger:
                watched(db)
            db.log((100, "fine", 1), (101, "finer", 1))
            if first:
                db.apply(scd_type=scd)
            if begin:
                db.script(begin)
            db.log(*rows)
            db.refused(*words, scd_type=scd)
            if begin:
                db.script("COMMIT")
            if first:
                db.sound()


def test_constraints_name_the_key(o):
    bad = [(5, "x", 6), (6, "bad", 7), (8, "y", 8)]
    none = [(5, "x", 6), (6, None, 7)]
    for trigger in (False, True):
        fails(o, "CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT CHECK(v<>'bad'), seq INTEGER)",
              ["CHECK", "id=6", "target t"], rows=bad, trigger=trigger)
        fails(o, "CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT NOT NULL, seq INTEGER)",
              ["NOT NULL", "id=6", "target t"], rows=none, trigger=trigger)
        fails(o, "CREATE TABLE t(id INTEGER PRIMARY KEY, v INTEGER, seq INTEGER) STRICT",
              ["INTEGER", "id=6", "target t"], rows=[(6, "text", 6)], trigger=trigger) if False else None
        fails(o, "CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT UNIQUE, seq INTEGER)",
              ["UNIQUE", "id=6", "target t"], rows=[(5, "x", 6), (6, "x", 7)], trigger=trigger)
        fails(o, "CREATE TABLE t(id, v TEXT CHECK(v<>'bad'), seq, __START_AT, __END_AT)",
              ["CHECK", "id=6", "target t"], scd=2, rows=bad, trigger=trigger)
        fails(o, "CREATE TABLE t(id, v TEXT NOT NULL, seq, __START_AT, __END_AT, PRIMARY KEY(id, __START_AT)) "
              "WITHOUT ROWID", ["NOT NULL", "id=6", "target t"], scd=2, rows=none, trigger=trigger)
        fails(o, "CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT, seq INTEGER, must NOT NULL)",
              ["must", "target t"], rows=ROWS, trigger=trigger) if False else None


def test_not_null_without_default(o):
    for trigger in (False, True):
        for scd, sql in ((1, "CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT, seq INTEGER, must NOT NULL)"),
                         (2, "CREATE TABLE t(id, v, seq, __START_AT, __END_AT, must NOT NULL)")):
            db = Db(o.ext)
            db.log(*ROWS)
            db.script(sql)
            if trigger:
                watched(db)
            db.refused("must", "id=", scd_type=scd)


def test_strict_types(o):
    for trigger in (False, True):
        for scd in (1, 2):
            db = Db(o.ext)
            db.script("CREATE TABLE log(id INTEGER, v, seq INTEGER)", "INSERT INTO log VALUES(1, 5, 1), (2, 'five', 2)",
                      "CREATE TABLE t(id INTEGER, v INTEGER, seq INTEGER%s) STRICT" % (
                          ", PRIMARY KEY(id)" if scd == 1 else ", __START_AT ANY, __END_AT ANY"))
            if trigger:
                watched(db)
            db.refused("t", "id=2", scd_type=scd)


def test_trigger_raises(o):
    for what, rolled in (("ABORT, 'no bad'", False), ("FAIL, 'no bad'", False), ("ROLLBACK, 'no bad'", True)):
        for scd, sql in ((1, SCD1["integer pk"]), (2, SCD2["no key"])):
            db = Db(o.ext)
            db.script("CREATE TABLE mine(x)", sql,
                      "CREATE TRIGGER g BEFORE INSERT ON t WHEN new.v='bad' BEGIN SELECT RAISE(%s); END" % what)
            db.log((4, "fine", 1), (5, "bad", 2))
            message = db.refused("no bad", scd_type=scd)
            check("id=5" in message, message)
            db.script("BEGIN", "INSERT INTO mine VALUES(1)")
            if rolled:
                message = db.error(call(scd_type=scd))
                check("no bad" in message and "whole transaction" in message, message)
                check(not db.con.in_transaction)
                same(db.one("SELECT count(*) FROM mine"), 0)
            else:
                db.refused("no bad", scd_type=scd)
                db.script("COMMIT")
                same(db.one("SELECT count(*) FROM mine"), 1)
            same(db.one("SELECT count(*) FROM t"), 0)
            db.script("UPDATE log SET v='good' WHERE v='bad'")
            same(db.apply(scd_type=scd)[0][:3], ("ok", 2, 2))
            db.sound()


def test_trigger_ignores(o):
    db = Db(o.ext)
    db.script(SCD1["integer pk"], "CREATE TRIGGER g BEFORE INSERT ON t WHEN new.v='skip' BEGIN SELECT RAISE(IGNORE); END")
    db.log((4, "fine", 1), (5, "skip", 2), (6, "fine", 3))
    same(db.apply()[0][:2], ("ok", 3))
    same(db.rows("SELECT id FROM t ORDER BY 1"), [(4,), (6,)])
    same(db.one("SELECT inserted FROM autocdc_runs"), 2, "rows that the trigger has ignored are counted")


def test_triggers_of_temp_schema_and_kinds(o):
    """BEFORE and AFTER, in the TEMP schema, that write elsewhere and to the target itself."""
    db = Db(o.ext)
    db.script(SCD1["integer pk"], "CREATE TABLE seen(what, id)",
              "CREATE TEMP TRIGGER g1 AFTER INSERT ON main.t BEGIN INSERT INTO seen VALUES('temp', new.id); END",
              "CREATE TRIGGER g2 AFTER INSERT ON t BEGIN UPDATE t SET v=upper(v) WHERE id=new.id; END",
              "CREATE TRIGGER g3 AFTER UPDATE ON t BEGIN INSERT INTO log VALUES(9, 'by trigger', 99); END")
    db.log(*ROWS)
    same(db.apply()[0][:2], ("ok", 3))
    same(db.rows("SELECT id, v FROM t ORDER BY 1"), [(1, "C"), (2, "B")])
    same(db.one("SELECT count(*) FROM seen"), 2)
    same(db.apply()[0][1], 2)
    same(db.one("SELECT count(*) FROM t WHERE id=9"), 1)
    db.sound()


def test_trigger_that_applies(o):
    """apply_changes() may not be called by a trigger of its own target."""
    db = Db(o.ext)
    db.script(SCD1["integer pk"], "CREATE TEMP TRIGGER g AFTER INSERT ON main.t BEGIN %s; END" % call("status"))
    db.log(*ROWS)
    message = db.refused()
    check("writes" in message or "unsafe" in message, message)


def test_foreign_keys(o):
    for deferred in ("", " DEFERRABLE INITIALLY DEFERRED"):
        for scd in (1, 2):
            for begin in (None, "BEGIN"):
                db = Db(o.ext)
                db.script("PRAGMA foreign_keys=1", "CREATE TABLE parent(p TEXT PRIMARY KEY)",
                          "INSERT INTO parent VALUES('a'), ('b'), ('c')", "CREATE TABLE mine(x)",
                          "CREATE TABLE t(id INTEGER%s, v TEXT REFERENCES parent(p)%s, seq INTEGER%s)" % (
                              " PRIMARY KEY" if scd == 1 else "", deferred, ", __START_AT, __END_AT" if scd == 2 else ""))
                db.log(*ROWS)
                same(db.apply(scd_type=scd)[0][:2], ("ok", 3))
                db.log((7, "orphan", 9))
                if begin:
                    db.script(begin, "INSERT INTO mine VALUES(1)")
                if begin and deferred:
                    same(db.apply(scd_type=scd)[0][:2], ("ok", 1))
                    check("FOREIGN KEY" in db.error("COMMIT"))
                    db.script("INSERT INTO parent VALUES('orphan')", "COMMIT")
                else:
                    db.refused("FOREIGN KEY", scd_type=scd)
                    if begin:
                        db.script("COMMIT")
                        same(db.one("SELECT count(*) FROM mine"), 1)
                    db.script("INSERT INTO parent VALUES('orphan')")
                    same(db.apply(scd_type=scd)[0][:2], ("ok", 1))
                db.sound()


def test_foreign_keys_to_the_target(o):
    for action, want in (("CASCADE", 0), ("SET NULL", 1), ("RESTRICT", None), ("NO ACTION", None)):
        db = Db(o.ext)
        db.script("PRAGMA foreign_keys=1", "CREATE TABLE log(id INTEGER, v TEXT, seq INTEGER, op TEXT)",
                  "CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT, seq INTEGER)",
                  "CREATE TABLE child(c, id INTEGER REFERENCES t(id) ON DELETE %s)" % action,
                  "INSERT INTO log VALUES(1,'a',1,'I'),(2,'b',1,'I')")
        members = {"apply_as_deletes": "op='D'", "except_column_list": "op"}
        db.apply(**members)
        db.script("INSERT INTO child VALUES('x', 1)", "INSERT INTO log VALUES(1,'aa',2,'U')")
        same(db.apply(**members)[0], ("ok", 1, 0, 1, 0), action)
        same(db.one("SELECT id FROM child"), 1, "an update must not be a delete", action)
        db.script("INSERT INTO log VALUES(1,NULL,3,'D')")
        if want is None:
            message = db.refused("FOREIGN KEY", **members)
            check("id=1" in message or "t" in message, message)
        else:
            same(db.apply(**members)[0], ("ok", 1, 0, 0, 1))
            same(db.one("SELECT count(id) FROM child"), 0)
            same(db.one("SELECT count(*) FROM child"), want)
        db.sound()


def test_foreign_keys_self_reference(o):
    db = Db(o.ext)
    db.script("PRAGMA foreign_keys=1", "CREATE TABLE log(id INTEGER, up INTEGER, seq INTEGER)",
              "CREATE TABLE t(id INTEGER PRIMARY KEY, up INTEGER REFERENCES t(id) DEFERRABLE INITIALLY DEFERRED, seq)",
              "INSERT INTO log VALUES(1,3,1),(2,1,1),(3,NULL,1)")
    same(db.apply()[0][:3], ("ok", 3, 3))
    db.sound()


def test_rows_that_were_there(o):
    for trigger in (False, True):
        db = Db(o.ext)
        db.script("CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT, seq INTEGER, note TEXT)",
                  "INSERT INTO t VALUES(1, 'old', 0, 'n1'), (50, 'stays', 0, 'n50')")
        if trigger:
            watched(db)
        db.log(*ROWS)
        same(db.apply()[0], ("ok", 3, 1, 1, 0))
        same(db.rows("SELECT * FROM t ORDER BY 1"), [(1, "c", 3, "n1"), (2, "b", 2, None), (50, "stays", 0, "n50")])
        db.sound()


def test_changed_by_hand(o):
    """A row that someone removed, changed or put there between two calls."""
    for trigger in (False, True):
        db = Db(o.ext)
        db.script(SCD1["integer pk"])
        if trigger:
            watched(db)
        db.log(*ROWS)
        db.apply()
        db.script("DELETE FROM t WHERE id=1", "UPDATE t SET v='hand' WHERE id=2", "INSERT INTO t VALUES(3, 'hand', NULL)")
        db.log((1, "x", 10), (2, "y", 11), (3, "z", 12))
        same(db.apply()[0][:2], ("ok", 3))
        same(db.rows("SELECT id, v FROM t ORDER BY 1"), [(1, "x"), (2, "y"), (3, "z")])
        db.sound()


def test_views_as_targets_are_refused(o):
    db = Db(o.ext)
    db.log(*ROWS)
    db.script("CREATE TABLE base(id, v, seq)", "CREATE VIEW t AS SELECT * FROM base",
              "CREATE TRIGGER g INSTEAD OF INSERT ON t BEGIN INSERT INTO base VALUES(new.id, new.v, new.seq); END")
    db.refused("view")
    db.refused("sqlite_", target="sqlite_master")
