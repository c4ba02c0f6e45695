"""All or nothing: inside and outside the caller's transaction, refused inside
writing statements, run more than once by the planner, interrupted anywhere."""
import sqlite3

from common import Db, Folder, call, check, flow, same

ROWS = [(1, "a", 1), (2, "b", 2), (1, "c", 3)]
BAD = (9, "x", None)        # no sequence: an error


def ready(o, *rows):
    db = Db(o.ext)
    db.log(*(rows or ROWS))
    return db


def test_commits_by_itself(o):
    with Folder() as at, Db(o.ext, at("a.db")) as db:
        db.log(*ROWS)
        same(db.apply(), [("ok", 3, 2, 0, 0)])
        db.sound()
        with Db(None, at("a.db")) as other:
            same(other.rows("SELECT * FROM t ORDER BY id"), [(1, "c", 3), (2, "b", 2)])


def test_first_row_is_enough(o):
    """The work is done when the first row comes; nobody needs to read on."""
    with Folder() as at, Db(o.ext, at("a.db")) as db:
        db.log(*ROWS)
        cursor = db.con.execute(call("status"))
        same(cursor.fetchone(), ("ok",))
        cursor.close()
        db.sound()
        with Db(None, at("a.db")) as other:
            same(other.one("SELECT count(*) FROM t"), 2)


def test_row_held_while_others_work(o):
    """A result that is still open blocks neither us nor another connection."""
    with Folder() as at, Db(o.ext, at("a.db")) as db, Db(o.ext, at("a.db")) as other:
        db.script("PRAGMA journal_mode=WAL")
        db.log(*ROWS)
        cursor = db.con.execute(call("status") + " UNION ALL SELECT 'more'")
        cursor.fetchone()
        check(not db.con.in_transaction, "a transaction is open")
        other.script("INSERT INTO log VALUES(5, 'e', 5)")
        same(other.apply(), [("ok", 1, 1, 0, 0)])
        cursor.fetchall()
        db.log((6, "f", 6))
        same(db.apply(), [("ok", 1, 1, 0, 0)])
        db.sound()


def test_callers_rollback(o):
    for scd in (1, 2):
        db = ready(o)
        db.apply(scd_type=scd)
        db.log((3, "d", 4), (1, "e", 5))
        before = db.everything()
        db.script("BEGIN")
        same(db.apply(scd_type=scd)[0][:2], ("ok", 2))
        same(db.one("SELECT count(*) FROM t WHERE v='e'"), 1)
        db.script("ROLLBACK")
        same(db.everything(), before)
        same(db.apply(scd_type=scd)[0][:2], ("ok", 2), "checkpoint went ahead")
        db.sound()


def test_callers_commit(o):
    for begin in ("BEGIN", "BEGIN IMMEDIATE", "BEGIN EXCLUSIVE", "SAVEPOINT s"):
        with Folder() as at, Db(o.ext, at("a.db")) as db:
            db.log(*ROWS)
            db.script(begin)
            db.apply()
            check(db.con.in_transaction, "it committed the caller's transaction")
            db.script("RELEASE s" if "SAVE" in begin else "COMMIT")
            db.sound()
            same(db.apply()[0][:2], ("ok", 0))


def test_savepoints_nest(o):
    db = ready(o)
    db.script("BEGIN", "SAVEPOINT a")
    db.apply()
    db.script("SAVEPOINT autocdc_apply")        # our own name
    db.log((3, "d", 4))
    db.apply()
    same(db.one("SELECT count(*) FROM t"), 3)
    db.script("ROLLBACK TO autocdc_apply")
    same(db.one("SELECT count(*) FROM t"), 2)
    db.log((4, "d", 4))
    same(db.apply()[0], ("ok", 1, 1, 0, 0))
    db.script("RELEASE autocdc_apply", "ROLLBACK TO a")
    same(db.rows("SELECT name FROM sqlite_schema WHERE name='t' OR name LIKE 'autocdc%'"), [])
    same(db.apply()[0][:2], ("ok", 3))
    db.script("COMMIT")
    db.sound()


def test_error_keeps_callers_work(o):
    for begin in ("BEGIN", "SAVEPOINT s"):
        db = ready(o)
        db.script(begin, "INSERT INTO log VALUES(9, 'x', NULL)", "CREATE TABLE mine(x)")
        db.refused("seq", "row")
        db.script("INSERT INTO mine VALUES(1)", "RELEASE s" if begin != "BEGIN" else "COMMIT")
        same(db.one("SELECT count(*) FROM mine"), 1)
        same(db.one("SELECT count(*) FROM log"), 4)


def test_error_of_a_later_call_keeps_the_earlier(o):
    db = ready(o)
    db.script("BEGIN")
    db.apply()
    db.log(BAD)
    db.refused("seq")
    db.script("DELETE FROM log WHERE seq IS NULL", "COMMIT")
    same(db.one("SELECT count(*) FROM t"), 2)
    db.sound()


def test_error_outside_leaves_nothing(o):
    for scd in (1, 2):
        db = ready(o)
        db.log(BAD)
        db.refused("seq", "log", scd_type=scd)
        db.script("DELETE FROM log WHERE seq IS NULL")
        db.apply(scd_type=scd)
        db.log(BAD)
        db.script("ALTER TABLE log ADD COLUMN extra TEXT")
        db.refused("seq", scd_type=scd)          # the column is not added either


WRITERS = [
    "INSERT INTO report SELECT target, inserted FROM apply_changes(%s)",
    "INSERT INTO tmp.report SELECT target, inserted FROM apply_changes(%s)",
    "CREATE TABLE made AS SELECT * FROM apply_changes(%s)",
    "CREATE TEMP TABLE made AS SELECT * FROM apply_changes(%s)",
    "INSERT INTO report SELECT 1, 2 WHERE 'ok' = (SELECT status FROM apply_changes(%s))",
    "UPDATE report SET a = (SELECT status FROM apply_changes(%s))",
    "DELETE FROM report WHERE EXISTS (SELECT 1 FROM apply_changes(%s))",
    "REPLACE INTO report SELECT target, inserted FROM apply_changes(%s)",
    "INSERT INTO report SELECT 1, status FROM (SELECT status FROM apply_changes(%s) LIMIT 1)",
]


def test_refused_inside_writers(o):
    db = ready(o)
    db.script("ATTACH ':memory:' AS tmp", "CREATE TABLE report(a, b)", "CREATE TABLE tmp.report(a, b)",
              "INSERT INTO report VALUES(0, 0)")
    for begin in (None, "BEGIN"):
        if begin:
            db.script(begin)
        for sql in WRITERS:
            db.refused("apply_changes", "plain SELECT", sql=sql % flow())
    db.script("COMMIT")
    same(db.apply()[0][:2], ("ok", 3))


def test_refused_in_returning(o):
    db = ready(o)
    db.script("CREATE TABLE report(a, b)")
    db.refused("plain SELECT",
               sql="INSERT INTO report VALUES(1, 2) RETURNING (SELECT status FROM apply_changes(%s))" % flow())


def test_refused_in_views_and_triggers(o):
    db = ready(o)
    db.script("CREATE VIEW w AS " + call("status"))
    db.refused("unsafe", sql="SELECT * FROM w")
    db.script("CREATE TRIGGER g AFTER INSERT ON log BEGIN " + call("status") + "; END")
    db.refused(sql="INSERT INTO log VALUES(7, 'g', 7)")


def test_refused_beside_half_stepped_writer(o):
    if sqlite3.sqlite_version_info < (3, 35):
        return
    db = ready(o)
    db.script("CREATE TABLE w(x)", "BEGIN")
    cursor = db.con.execute("INSERT INTO w VALUES(1),(2) RETURNING x")
    cursor.fetchone()
    message = db.error(call())
    check("plain SELECT" in message or "statement" in message, message)
    cursor.fetchall()
    cursor.close()
    db.script("COMMIT")
    same(db.rows("SELECT x FROM w"), [(1,), (2,)])
    same(db.apply()[0][:2], ("ok", 3))
    db.sound()


def test_planner_runs_it_twice(o):
    """Once, twice or never: the tables are the same as after one run."""
    f = flow(scd_type=2)
    twice = [
        "WITH a AS (SELECT * FROM apply_changes(%s)) SELECT x.status, y.status FROM a x, a y" % f,
        "SELECT a.status FROM (SELECT 1 UNION SELECT 2) CROSS JOIN apply_changes(%s) AS a" % f,
        "SELECT status FROM apply_changes WHERE spec IN (%s, %s)" % (f, f),
        "SELECT status FROM apply_changes WHERE spec=%s OR spec=%s" % (f, f.replace('"target"', ' "target"')),
        "SELECT (SELECT status FROM apply_changes(%s)), (SELECT status FROM apply_changes(%s))" % (f, f),
        "SELECT status FROM apply_changes(%s) UNION ALL SELECT status FROM apply_changes(%s)" % (f, f),
        "SELECT l.id FROM log l WHERE 'ok' = (SELECT status FROM apply_changes(%s) WHERE l.id>0)" % f,
        "SELECT count(*) FROM log l JOIN apply_changes(%s) a ON l.seq=a.rows_read+1" % f,
        "SELECT status FROM apply_changes(%s) ORDER BY target LIMIT 1" % f,
        "SELECT a.* FROM log LEFT JOIN apply_changes(%s) a ON a.rows_read>=0" % f,
    ]
    for sql in twice:
        db = ready(o)
        db.script("ANALYZE")
        check(db.rows(sql), "no rows from", sql)
        same(db.rows("SELECT id, v, __START_AT, __END_AT FROM t ORDER BY 1, 3"),
             [(1, "a", 1, 3), (1, "c", 3, None), (2, "b", 2, None)], sql)
        db.sound()


def test_planner_never_runs_it(o):
    for sql in (call() + " LIMIT 0", call() + " WHERE 0"):
        db = ready(o)
        same(db.rows(sql), [])
        check(not db.con.in_transaction)
        if db.rows("SELECT 1 FROM sqlite_schema WHERE name='t'"):
            db.sound()                            # it ran, whole
        same(len(db.apply()), 1)
        db.sound()


def test_prepared_once_run_often(o):
    db = ready(o)
    for i in range(5):
        same(db.apply()[0][:2], ("ok", 3 if i == 0 else 1))
        db.log((i, "n%d" % i, 10 + i))
    db.sound()


def test_dry_run(o):
    for begin in (None, "BEGIN"):
        db = ready(o)
        if begin:
            db.script(begin)
        before = db.everything()
        same(db.apply(options={"dry_run": True})[0], ("ok", 3, 2, 0, 0))
        same(db.everything(), before)
        check(db.con.in_transaction == bool(begin))


def abort_at(db, n, sql):
    """Run with a progress handler that gives up the n-th time; True if it did."""
    left = [n]

    def handler():
        left[0] -= 1
        return left[0] < 0
    db.con.set_progress_handler(handler, 1)
    try:
        db.con.execute(sql).fetchall()
        return False
    except sqlite3.OperationalError as e:
        check("interrupted" in str(e), "message:", e)
        return True
    finally:
        db.con.set_progress_handler(None, 0)


def each_abort(o, at, sql, setup, *transaction):
    """Abort at ever later places till the call gets through."""
    n, step, count = 0, 1, 0
    db = Db(o.ext)
    setup(db)
    before = db.everything()
    while True:
        for s in transaction:
            db.script(s)
        gone = abort_at(db, n, sql)
        if transaction and not gone:
            db.script("COMMIT")
        elif transaction and db.con.in_transaction:
            same(db.one("SELECT count(*) FROM mine"), 1, "at", n)
            db.script("ROLLBACK")
        check(not db.con.in_transaction, "a transaction is open after an abort at", n)
        if not gone:
            break
        count += 1
        if db.everything() != before:
            # given up between our commit and the end of the SELECT: all of it
            same(db.rows(sql.replace("*", "status, rows_read", 1)), [("ok", 0)], "half done by an abort at", n)
            break
        n += step
        if not o.full:
            step = 1 + n // 150
    check(count > 30, "only", count, "aborts")
    db.sound()
    check(db.con.total_changes >= 0)


def seed(db):
    db.log(*((i % 7, "v%d" % i, i) for i in range(20)))
    db.script("CREATE TABLE mine(x)")


def seed_more(scd):
    def setup(db):
        seed(db)
        db.script("ALTER TABLE log ADD COLUMN op TEXT")
        db.apply(scd_type=scd, apply_as_deletes="op='D'")
        db.script("INSERT INTO log SELECT id, v||'x', seq+5.5, CASE WHEN id=3 THEN 'D' END FROM log",
                  "ALTER TABLE log ADD COLUMN w INTEGER", "UPDATE log SET w=rowid WHERE rowid>20")
    return setup


def test_abort_anywhere_scd1(o):
    with Folder() as at:
        each_abort(o, at, call(), seed)


def test_abort_anywhere_scd2(o):
    with Folder() as at:
        each_abort(o, at, call(scd_type=2), seed)


def test_abort_anywhere_second_call(o):
    with Folder() as at:
        for scd in (1, 2):
            each_abort(o, at, call(scd_type=scd, apply_as_deletes="op='D'"), seed_more(scd))


def test_abort_anywhere_in_transaction(o):
    with Folder() as at:
        each_abort(o, at, call(), seed, "BEGIN", "INSERT INTO mine VALUES(1)")


def interrupting(o, when, begin, **members):
    """sqlite3_interrupt() when the n-th row of the source is read."""
    db = Db(o.ext)
    db.log(*((i % 7, "v%d" % i, i) for i in range(20)))
    calls = [0]

    def hit():
        calls[0] += 1
        if calls[0] == when:
            db.con.interrupt()
        return 1
    db.con.create_function("hit", 0, hit)
    before = db.everything()
    if begin:
        db.script("BEGIN", "INSERT INTO log VALUES(50, 'mine', 50)")
    message = db.error(call(**members))
    check("interrupted" in message, message)
    if begin and db.con.in_transaction:
        same(db.one("SELECT count(*) FROM log"), 21)
        same(db.rows("SELECT 1 FROM sqlite_schema WHERE name='t'"), [])
        db.script("ROLLBACK")
    check(not db.con.in_transaction, "a transaction is open")
    same(db.everything(), before)
    return message


def test_interrupt_from_another_thread(o):
    for begin in (False, True):
        for when in (1, 2, 10, 20):
            interrupting(o, when, begin, where="hit()")
            interrupting(o, when, begin, source="SELECT *, hit() AS h FROM log", scd_type=2)


def test_interrupt_while_merging(o):
    """Into the C loops: the interrupt comes while keys are being walked."""
    for scd in (1, 2):
        db = Db(o.ext)
        calls = [0]

        def stop(v):
            calls[0] += 1
            if calls[0] == 700:
                db.con.interrupt()
            return 1
        db.con.create_function("stop", 1, stop, deterministic=True)
        db.script("CREATE TABLE log(id INTEGER, v TEXT, seq INTEGER)",
                  "CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT CHECK(stop(v)), seq INTEGER)" if scd == 1 else
                  "CREATE TABLE t(id INTEGER, v TEXT CHECK(stop(v)), seq INTEGER, __START_AT, __END_AT)",
                  "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c WHERE i<5000) "
                  "INSERT INTO log SELECT i%1500, 'v'||i, i FROM c")
        before = db.everything()
        message = db.error(call(scd_type=scd))
        check("interrupted" in message, message)
        check(not db.con.in_transaction)
        same(db.everything(), before)
        same(db.apply(scd_type=scd)[0][:2], ("ok", 5000))
        db.sound()


def test_authorizer(o):
    """Denied at any place: an error, and nothing left."""
    for scd in (1, 2):
        denied = 0
        place = 0
        while True:
            db = ready(o)
            before = db.everything()
            seen = [0]

            def deny(action, *args):
                seen[0] += 1
                return sqlite3.SQLITE_DENY if seen[0] == place + 1 else sqlite3.SQLITE_OK
            db.con.set_authorizer(deny)
            try:
                db.con.execute(call(scd_type=scd)).fetchall()
                ok = True
            except sqlite3.DatabaseError as e:
                ok = False
                check(any(x in str(e) for x in ("not authorized", "prohibited", "vtable constructor")), str(e))
            db.con.set_authorizer(None)
            check(not db.con.in_transaction, "open after a denial at", place)
            if not ok:
                denied += 1
                same(db.everything(), before, "left after a denial at", place)
            elif seen[0] <= place:
                break
            db.con.close()
            place += 1 if o.full or place < 100 else 7
        check(denied > 20, "denied", denied)


def test_query_only_and_read_only(o):
    with Folder() as at:
        with Db(o.ext, at("a.db")) as db:
            db.log(*ROWS)
            db.script("PRAGMA query_only=1")
            db.refused("readonly")
            db.script("PRAGMA query_only=0")
            same(db.apply()[0][:2], ("ok", 3))
            db.log((5, "e", 5))
        with Db(o.ext, "file:%s?mode=ro" % at("a.db"), uri=True) as db:
            db.refused("readonly")
        with Db(o.ext, "file:%s?immutable=1" % at("a.db"), uri=True) as db:
            db.refused("readonly")


def test_close_leaves_no_statements(o):
    """sqlite3_close() (not _v2) answers BUSY if we held a statement."""
    import ctypes
    import ctypes.util
    lib = ctypes.CDLL(o.libsqlite3 or ctypes.util.find_library("sqlite3"))
    lib.sqlite3_errmsg.restype = ctypes.c_char_p
    for sql, want in ((call(), 0), (call(scd_type=2), 0), (call(keys="nosuch"), 1),
                      (call(options={"dry_run": True}), 0), (call(target="log"), 1)):
        db = ctypes.c_void_p()
        lib.sqlite3_open(b":memory:", ctypes.byref(db))
        lib.sqlite3_enable_load_extension(db, 1)
        check(lib.sqlite3_load_extension(db, o.ext.encode(), None, None) == 0)
        check(lib.sqlite3_exec(db, b"CREATE TABLE log(id INTEGER, v TEXT, seq INTEGER);"
                               b"INSERT INTO log VALUES(1,'a',1),(2,'b',2)", None, None, None) == 0)
        same(lib.sqlite3_exec(db, sql.encode(), None, None, None), want, lib.sqlite3_errmsg(db))
        same(lib.sqlite3_close(db), 0, "close after", sql)
