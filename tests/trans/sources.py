"""What is read, and how far: names and schemas, views, checkpoints."""
import sqlite3

from common import Db, Folder, call, check, flow, literal, name, same

ROWS = [(1, "a", 1), (2, "b", 2), (1, "c", 3)]
NAMES = ["plain", "two words", "a.b", "main.x", 'quo"te', "sin'gle", "[brackets]", "back`tick", "select", "order",
         "Größe", "日本", "\U0001f600", "tab\there", "new\nline", "per%cent%s", "1st", "x;y", "--", "MiXeD", "a--b",
         "ends.", ".starts", "temp", "rowid", "sqlite", "?1", ":a", "{}", "a" * 120]


def test_names_of_tables(o):
    for text in NAMES:
        for scd in (1, 2):
            db = Db(o.ext)
            db.script("CREATE TABLE %s(id INTEGER, v TEXT, seq INTEGER)" % name(text))
            db.con.executemany("INSERT INTO %s VALUES(?,?,?)" % name(text), ROWS)
            made = "to " + text
            target = name(made) if "." in text or '"' in text else made
            source = name(text) if text[:1] in "{[" or '"' in text or "`" in text else text
            same(db.apply(source=source, target=target, scd_type=scd)[0][:2], ("ok", 3), text)
            same(db.one("SELECT count(*) FROM %s" % name(made)), scd + 1, text)
            db.script("INSERT INTO %s VALUES(5, 'e', 5)" % name(text))
            same(db.apply(source=source, target=target, scd_type=scd)[0][:2], ("ok", 1), text)
            db.sound(made)
            same(db.rows("SELECT * FROM autocdc_check(?)", name(made)), [], "the name in quotes")
            db.rows("SELECT autocdc_reset(?)", target)
            same(db.rows("SELECT name FROM sqlite_schema WHERE name=? AND EXISTS(SELECT 1 FROM %s)" % name(made)
                         if db.rows("SELECT 1 FROM sqlite_schema WHERE name=?", made)
                         else "SELECT 1 WHERE ?1 IS NULL", made), [], text)


def test_names_of_columns(o):
    for text in NAMES:
        for scd in (1, 2):
            db = Db(o.ext)
            seq = "s" + text
            db.script("CREATE TABLE log(%s TEXT, %s INTEGER, %s TEXT)" % (name(text), name(seq), name("v" + text)))
            db.con.executemany("INSERT INTO log VALUES(?,?,?)", [("1", 1, "a"), ("2", 2, "b"), ("1", 3, "c")])
            same(db.apply(keys=[text], sequence_by=name(seq), scd_type=scd)[0][:2], ("ok", 3), text)
            same(db.one("SELECT count(*) FROM t"), scd + 1, text)
            db.con.execute("INSERT INTO log VALUES('1', 0, 'late')")
            same(db.apply(keys=[text], sequence_by=name(seq), scd_type=scd)[0][:2], ("ok", 1), text)
            db.sound()


def test_attached(o):
    with Folder() as at, Db(o.ext, at("a.db")) as db:
        db.script("ATTACH %s AS \"o t\"" % literal(at("b.db")), "ATTACH ':memory:' AS mem")
        db.log(*ROWS)
        for i, (source, target) in enumerate((("main.log", '"o t".t'), ('"o t".log', "main.t2"), ("mem.log", '"o t".t3'),
                                              ('"o t".log', "mem.t4"))):
            if "log" not in [r[0] for r in db.rows("SELECT name FROM %s.sqlite_master" % source.rsplit(".", 1)[0])]:
                db.script("CREATE TABLE %s(id INTEGER, v TEXT, seq INTEGER)" % source)
                db.con.executemany("INSERT INTO %s VALUES(?,?,?)" % source, ROWS)
            for scd in (1, 2):
                same(db.apply(source=source, target=target + "_%d" % scd, scd_type=scd)[0][:2], ("ok", 3), source, target)
                same(db.one("SELECT count(*) FROM %s_%d" % (target, scd)), scd + 1)
                same(db.apply(source=source, target=target + "_%d" % scd, scd_type=scd)[0][:2], ("ok", 0), source)
                db.sound(target + "_%d" % scd)
        # state lies beside the target
        check(db.rows('SELECT 1 FROM "o t".sqlite_master WHERE name=\'autocdc_targets\''))
        db.con.execute("INSERT INTO main.log VALUES(9, 'x', NULL)")
        db.refused("seq", source="main.log", target='"o t".t_1')
        db.refused("ATTACH", source="main.log", target="nowhere.t")


def test_temp_of_the_same_name(o):
    """main's table is the target; the TEMP one is the source, as SQLite resolves names."""
    db = Db(o.ext)
    db.log(*ROWS)
    db.script("CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT, seq INTEGER)", "CREATE TEMP TABLE t(id, v, seq)")
    same(db.apply()[0][:2], ("ok", 3))
    same(db.one("SELECT count(*) FROM temp.t"), 0)
    same(db.one("SELECT count(*) FROM main.t"), 2)
    db.script("CREATE TEMP TABLE log(id INTEGER, v TEXT, seq INTEGER)", "INSERT INTO temp.log VALUES(7, 'temp', 1)")
    same(db.apply()[0][:2], ("ok", 1))
    same(db.rows("SELECT v FROM main.t WHERE id=7"), [("temp",)])
    same(db.apply(source="main.log")[0][:2], ("ok", 0))
    same(db.apply(target="temp.t2", source="main.log", scd_type=2)[0][:2], ("ok", 3))
    same(db.one("SELECT count(*) FROM temp.t2"), 3)
    db.sound()


def test_dotted_name_is_tried_whole(o):
    db = Db(o.ext)
    db.script('CREATE TABLE "main.log"(id INTEGER, v TEXT, seq INTEGER)', "INSERT INTO \"main.log\" VALUES(1, 'dot', 1)")
    same(db.apply(source="main.log"), [("ok", 1, 1, 0, 0)])
    db.log(*ROWS)
    same(db.one("SELECT v FROM t WHERE id=1"), "dot")
    same(db.apply(source='"main"."log"', target="t2"), [("ok", 3, 2, 0, 0)])


def test_views_and_queries(o):
    for source in ("w", "SELECT * FROM log", "SELECT id, v, seq FROM log WHERE true ORDER BY seq DESC",
                   "WITH c AS (SELECT * FROM log) SELECT * FROM c -- end",
                   "SELECT value->>0 AS id, value->>1 AS v, value->>2 AS seq FROM json_each('[[1,\"a\",1],[2,\"b\",2],[1,\"c\",3]]')",
                   "VALUES(1,'a',1),(2,'b',2),(1,'c',3)", "SELECT * FROM tmp_w",
                   "SELECT id, v, seq FROM log UNION SELECT id, v, seq FROM log"):
        for scd in (1, 2):
            db = Db(o.ext)
            db.log(*ROWS)
            db.script("CREATE VIEW w AS SELECT id, v, seq FROM log", "CREATE TEMP VIEW tmp_w AS SELECT * FROM log")
            keys, seq = ("column1", "column3") if source.startswith("VALUES") else ("id", "seq")
            for want in (2, 0):
                got = db.apply("status, rows_read, inserted, updated, ties", source=source, scd_type=scd,
                               keys=keys, sequence_by=seq)
                same(got[0][0], "ok", source)
                same(got[0][1], 3, source)
                same(got[0][2], (want and scd + 1), source)
                same(got[0][4], 0, source)
            db.sound()


def test_virtual_tables(o):
    db = Db(o.ext)
    db.log(*ROWS)
    if not db.rows("SELECT 1 FROM pragma_module_list WHERE name='fts5'"):
        return
    db.script("CREATE VIRTUAL TABLE f USING fts5(id, v, seq)", "INSERT INTO f SELECT * FROM log")
    same(db.apply(source="f", sequence_by="CAST(seq AS INTEGER)")[0][:3], ("ok", 3, 2))
    db.refused("virtual table", target="f")


def test_source_reads_target(o):
    """Undefined in SQLite while a cursor is open; here it is the rows of before."""
    db = Db(o.ext)
    db.log(*ROWS)
    db.apply()
    same(db.apply(source="SELECT id, v||'!' AS v, seq+100 AS seq FROM t")[0], ("ok", 2, 0, 2, 0))
    same(db.rows("SELECT * FROM t ORDER BY 1"), [(1, "c!", 103), (2, "b!", 102)])
    db.apply(target="h", scd_type=2)
    db.apply(target="h", source="SELECT id, v||'?' AS v, seq+50 AS seq FROM h", scd_type=2)
    db.refused("same table", source="t")
    db.sound()
    db.sound("h")


def test_checkpoint_emptied_and_refilled(o):
    for scd in (1, 2):
        for how in ("DELETE FROM log", "DROP TABLE log"):
            db = Db(o.ext)
            db.log(*ROWS)
            same(db.apply(scd_type=scd)[0][:2], ("ok", 3))
            db.script(how)
            if "DROP" in how:
                db.refused("log", scd_type=scd)
            else:
                same(db.apply(scd_type=scd)[0][:2], ("ok", 0))
            db.log((1, "n", 10), (3, "m", 11), (2, "o", 12))
            same(db.apply(scd_type=scd)[0][:2], ("ok", 3), how)
            same(db.apply(scd_type=scd)[0][:2], ("ok", 0), how)
            db.log((1, "p", 13))
            same(db.apply(scd_type=scd)[0][:2], ("ok", 1))
            db.sound()


def test_checkpoint_refilled_shorter_and_longer(o):
    db = Db(o.ext)
    db.log(*((i, "a", i) for i in range(10)))
    db.apply()
    db.script("DELETE FROM log")
    db.log((50, "x", 50))
    same(db.apply()[0][:2], ("ok", 1))
    db.script("DELETE FROM log")
    db.log(*((i, "b", 100 + i) for i in range(20)))
    same(db.apply()[0][:2], ("ok", 20))
    same(db.one("SELECT count(*) FROM t WHERE v='b'"), 20)


def test_checkpoint_first_or_last_row_changed(o):
    for where in ("rowid=1", "rowid=3"):
        for sql in ("UPDATE log SET v='changed' WHERE ", "DELETE FROM log WHERE "):
            db = Db(o.ext)
            db.log(*ROWS)
            db.apply()
            db.script(sql + where)
            got = db.apply("rows_read, message")
            check(got[0][0] in (2, 3), sql, where, got)
            check("other rows" in got[0][1], got)
            same(db.apply()[0][1], 0)


def test_checkpoint_rowid_gaps(o):
    db = Db(o.ext)
    db.script("CREATE TABLE log(id INTEGER, v TEXT, seq INTEGER)",
              "INSERT INTO log(rowid, id, v, seq) VALUES(-5, 1, 'a', 1), (0, 2, 'b', 2), (9223372036854775806, 3, 'c', 3)")
    same(db.apply()[0][:2], ("ok", 3))
    same(db.apply()[0][:2], ("ok", 0))
    db.script("INSERT INTO log(rowid, id, v, seq) VALUES(9223372036854775807, 4, 'd', 4)")
    same(db.apply()[0][:3], ("ok", 1, 1))
    # the last rowid is taken: SQLite gives a random one below, so all rows are read
    db.script("INSERT INTO log(id, v, seq) VALUES(5, 'e', 5)")
    got = db.apply("rows_read, message")
    same(db.one("SELECT count(*) FROM t WHERE id=5"), 1, "a row with a random rowid was passed over", got)


def test_checkpoint_schema_of_source_changes(o):
    for scd in (1, 2):
        db = Db(o.ext)
        db.log(*ROWS)
        db.apply(scd_type=scd)
        db.script("ALTER TABLE log ADD COLUMN city TEXT")
        same(db.apply(scd_type=scd)[0][:2], ("ok", 0), "read again")
        db.script("ALTER TABLE log ADD COLUMN zip TEXT")
        same(db.apply(scd_type=scd)[0][:2], ("ok", 0), "read again")
        db.script("INSERT INTO log VALUES(8, 'h', 8, 'Rome', '1')")
        same(db.apply(scd_type=scd)[0][:3], ("ok", 1, 1))
        same(db.rows("SELECT city, zip FROM t WHERE id=8"), [("Rome", "1")])
        db.script("ALTER TABLE log DROP COLUMN city", "INSERT INTO log VALUES(9, 'i', 9, '2')")
        got = db.apply("status, message", scd_type=scd)
        same(db.rows("SELECT city, zip FROM t WHERE id=9"), [(None, "2")], got)
        db.script("ALTER TABLE log RENAME COLUMN zip TO plz", "INSERT INTO log VALUES(10, 'j', 10, '3')")
        db.apply(scd_type=scd)
        same(db.rows("SELECT zip, plz FROM t WHERE id=10"), [(None, "3")])
        db.sound()


def test_checkpoint_kept_per_flow_and_source(o):
    db = Db(o.ext)
    db.log(*ROWS)
    db.log((7, "z", 1), table="log2")
    same(db.apply(name="f1")[0][:2], ("ok", 3))
    same(db.apply(name="f2")[0][:2], ("ok", 3))
    same(db.apply(name="f1", source="log2")[0][:2], ("ok", 1))
    same(db.apply(name="f1")[0][:2], ("ok", 0))
    same(db.apply(name="f1", options={"read": "all"})[0][:2], ("ok", 3))
    db.sound()


def test_target_dropped_emptied_replaced(o):
    for scd in (1, 2):
        db = Db(o.ext)
        db.log(*ROWS)
        db.apply(scd_type=scd)
        want = db.rows("SELECT * FROM t")
        db.script("DROP TABLE t")
        got = db.apply("status, rows_read", scd_type=scd)
        same(got, [("warning", 3)])
        same(db.rows("SELECT * FROM t"), want)
        db.sound()


def test_case_of_names(o):
    db = Db(o.ext)
    db.log(*ROWS)
    same(db.apply(source="LOG", target="T", keys="ID", sequence_by="SEQ")[0][:2], ("ok", 3))
    same(db.apply()[0][0], "ok")
    same(db.one("SELECT count(*) FROM t"), 2)
    same(db.rows("SELECT count(*) FROM autocdc_targets"), [(1,)])
    db.sound()
