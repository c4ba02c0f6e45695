"""Locks, full disks, several connections, shared caches."""
import sqlite3
import threading
import time

from common import Db, Folder, call, check, flow, same

ROWS = [(1, "a", 1), (2, "b", 2), (1, "c", 3)]


def pair(o, at, journal, timeout=0):
    db, other = Db(o.ext, at("a.db"), timeout=timeout), Db(o.ext, at("a.db"))
    db.script("PRAGMA journal_mode=" + journal)
    db.log(*ROWS)
    return db, other


def test_busy_writer(o):
    for journal in ("DELETE", "WAL", "TRUNCATE"):
        with Folder() as at:
            db, other = pair(o, at, journal)
            other.script("BEGIN IMMEDIATE", "INSERT INTO log VALUES(3, 'd', 4)")
            message = db.error(call())
            check("locked" in message, journal, message)
            check("busy" in message or "another connection" in message or "lock" in message, message)
            check(not db.con.in_transaction, "a transaction is open")
            other.script("COMMIT")
            same(db.apply(), [("ok", 4, 3, 0, 0)])
            db.sound()


def test_busy_reader_at_commit(o):
    """Rollback journal: a reader lets us write, and not commit."""
    with Folder() as at:
        db, other = pair(o, at, "DELETE")
        other.script("BEGIN")
        other.rows("SELECT * FROM log")
        before = db.everything()
        message = db.error(call())
        check("locked" in message, message)
        check(not db.con.in_transaction, "a transaction is open")
        same(db.everything(), before)
        other.script("COMMIT")
        same(db.apply()[0][:2], ("ok", 3))
        db.sound()


def test_busy_reader_in_transaction(o):
    with Folder() as at:
        db, other = pair(o, at, "DELETE")
        other.script("BEGIN")
        other.rows("SELECT * FROM log")
        db.script("BEGIN")
        same(db.apply()[0][:2], ("ok", 3))
        check("locked" in db.error("COMMIT"))
        check(db.con.in_transaction, "the caller's transaction is gone")
        other.script("COMMIT")
        db.script("COMMIT")
        db.sound()


def test_busy_wal_readers_do_not_matter(o):
    with Folder() as at:
        db, other = pair(o, at, "WAL")
        other.script("BEGIN")
        other.rows("SELECT * FROM log")
        same(db.apply()[0][:2], ("ok", 3))
        same(other.rows("SELECT 1 FROM sqlite_schema WHERE name='t'"), [])
        other.script("COMMIT")
        same(other.one("SELECT count(*) FROM t"), 2)


def test_busy_snapshot(o):
    """WAL: read first, another one commits, then write: a hint what to do."""
    with Folder() as at:
        db, other = pair(o, at, "WAL")
        db.script("BEGIN")
        db.rows("SELECT * FROM log")
        other.script("INSERT INTO log VALUES(3, 'd', 4)")
        message = db.refused("BEGIN IMMEDIATE")
        check("rolled back the whole" not in message, message)
        db.script("ROLLBACK", "BEGIN IMMEDIATE")
        same(db.apply()[0][:2], ("ok", 4))
        db.script("COMMIT")


def holder(path, begin, seconds, *statements):
    """Another connection that holds its lock for some time."""
    held = threading.Event()

    def hold():
        mine = sqlite3.connect(path, isolation_level=None)
        mine.execute(begin)
        for sql in statements:
            mine.execute(sql).fetchall()
        held.set()
        time.sleep(seconds)
        mine.execute("COMMIT")
        mine.close()
    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    return thread


def test_busy_timeout_with_begin_immediate(o):
    for journal in ("DELETE", "WAL"):
        with Folder() as at:
            db, other = pair(o, at, journal, timeout=20)
            thread = holder(at("a.db"), "BEGIN IMMEDIATE", 0.4, "INSERT INTO log VALUES(3, 'd', 4)")
            start = time.time()
            check("BEGIN IMMEDIATE" in db.error(call()))
            db.script("BEGIN IMMEDIATE")
            got = db.apply()
            db.script("COMMIT")
            thread.join()
            same(got, [("ok", 4, 3, 0, 0)])
            check(time.time() - start > 0.2, "it did not wait")
            db.sound()


def test_busy_timeout_at_commit(o):
    """A reader is waited for when the call commits."""
    with Folder() as at:
        db, other = pair(o, at, "DELETE", timeout=20)
        thread = holder(at("a.db"), "BEGIN", 0.4, "SELECT * FROM log")
        start = time.time()
        same(db.apply(), [("ok", 3, 2, 0, 0)])
        thread.join()
        check(time.time() - start > 0.2, "it did not wait")
        db.sound()


def test_full(o):
    for begin in (None, "BEGIN"):
        for scd in (1, 2):
            with Folder() as at, Db(o.ext, at("a.db")) as db:
                db.script("CREATE TABLE mine(x)")
                db.log(*((i, "x" * 400, i) for i in range(500)))
                for more in (1, 5, 14, 20, 40):
                    db.script("PRAGMA max_page_count=%d" % (db.one("PRAGMA page_count") + more))
                    before = db.everything()
                    if begin:
                        db.script(begin, "INSERT INTO mine VALUES(1)")
                    message = db.error(call(scd_type=scd))
                    check("full" in message, message)
                    if begin:
                        if db.con.in_transaction:
                            same(db.one("SELECT count(*) FROM mine"), 1)
                            db.script("ROLLBACK")
                        else:
                            check("whole transaction" in message, message)
                    check(not db.con.in_transaction, "a transaction is open")
                    same(db.everything(), before)
                db.script("PRAGMA max_page_count=1000000")
                same(db.apply(scd_type=scd)[0][:3], ("ok", 500, 500))
                db.sound()


def test_full_on_second_call(o):
    with Folder() as at, Db(o.ext, at("a.db")) as db:
        db.log(*((i, "x" * 40, i) for i in range(300)))
        db.apply(scd_type=2)
        db.log(*((i, "y" * 900, i + 1000) for i in range(300)))
        for more in range(0, 60, 3):
            db.script("PRAGMA max_page_count=%d" % (db.one("PRAGMA page_count") + more))
            before = db.everything()
            check("full" in db.error(call(scd_type=2)))
            same(db.everything(), before)
        db.script("PRAGMA max_page_count=1000000")
        same(db.apply(scd_type=2), [("ok", 300, 300, 300, 0)])
        db.sound()


def test_connections_alternate(o):
    for journal in ("DELETE", "WAL"):
        with Folder() as at:
            a, b = pair(o, at, journal)
            for i in range(10):
                one, two = (a, b) if i % 2 else (b, a)
                one.log((i % 3, "n%d" % i, 10 + i))
                got = two.apply(scd_type=2)
                same(got[0][:2], ("ok", 4 if i == 0 else 1))
                same(one.apply(scd_type=2)[0][:2], ("ok", 0))
            a.sound()
            b.sound()


def test_flow_of_each_connection(o):
    """A statement prepared before another connection changed the schema."""
    with Folder() as at:
        a, b = pair(o, at, "WAL")
        a.apply()
        b.script("ALTER TABLE log ADD COLUMN city TEXT", "INSERT INTO log VALUES(7, 'g', 9, 'Rome')")
        same(a.apply(), [("ok", 1, 1, 0, 0)])
        same(b.rows("SELECT id, city FROM t WHERE city IS NOT NULL"), [(7, "Rome")])
        b.sound()


def test_shared_cache(o):
    with Folder() as at:
        uri = "file:%s?cache=shared" % at("a.db")
        with Db(o.ext, uri, uri=True) as a, Db(o.ext, uri, uri=True) as b:
            a.log(*ROWS)
            b.script("PRAGMA read_uncommitted=1")
            b.script("BEGIN")
            b.rows("SELECT * FROM log")
            message = None
            try:
                same(a.apply()[0][:2], ("ok", 3))
            except sqlite3.OperationalError as e:
                message = str(e)
                check("locked" in message, message)
            check(not a.con.in_transaction)
            b.script("COMMIT")
            if message:
                same(a.apply()[0][:2], ("ok", 3))
            a.script("BEGIN", "INSERT INTO log VALUES(4, 'd', 4)")
            message = b.error(call())
            check("locked" in message, message)
            check(not b.con.in_transaction)
            a.script("COMMIT")
            same(b.apply()[0][:2], ("ok", 1))
            a.sound()


def test_shared_memory_database(o):
    uri = "file:trans?mode=memory&cache=shared"
    with Db(o.ext, uri, uri=True) as a, Db(o.ext, uri, uri=True) as b:
        a.log(*ROWS)
        same(b.apply()[0][:2], ("ok", 3))
        a.log((8, "h", 8))
        same(a.apply()[0][:2], ("ok", 1))
        b.sound()


def test_vacuum_between_calls(o):
    for sql in ("VACUUM", "PRAGMA incremental_vacuum", "REINDEX", "ANALYZE"):
        with Folder() as at, Db(o.ext, at("a.db")) as db:
            db.script("PRAGMA auto_vacuum=2", "CREATE TABLE gap(x)", "INSERT INTO gap VALUES(zeroblob(50000))")
            db.log(*ROWS)
            db.apply(scd_type=2)
            db.script("DROP TABLE gap", sql)
            same(db.apply(scd_type=2)[0][:2], ("ok", 0), sql)
            db.log((1, "z", 9))
            same(db.apply(scd_type=2)[0], ("ok", 1, 1, 1, 0), sql)
            db.sound()


def test_exclusive_and_journal_modes(o):
    for pragma in ("locking_mode=EXCLUSIVE", "journal_mode=MEMORY", "journal_mode=PERSIST", "journal_mode=OFF",
                   "synchronous=OFF", "cache_size=5", "temp_store=2", "secure_delete=1", "cell_size_check=1",
                   "recursive_triggers=1", "defer_foreign_keys=1", "case_sensitive_like=1", "reverse_unordered_selects=1",
                   "legacy_alter_table=1", "full_column_names=1", "short_column_names=0", "count_changes=1",
                   "empty_result_callbacks=1", "automatic_index=0", "cell_size_check=1", "writable_schema=1",
                   "trusted_schema=0", "ignore_check_constraints=1", "encoding='UTF-16'", "mmap_size=1000000"):
        for scd in (1, 2):
            with Folder() as at, Db(o.ext, at("a.db")) as db:
                db.script("PRAGMA " + pragma)
                db.log(*ROWS)
                same(db.apply(scd_type=scd)[0][:2], ("ok", 3), pragma)
                db.log((1, "z", 9), (2, "y", 1))
                same(db.apply(scd_type=scd)[0][:2], ("ok", 2), pragma)
                want = [(1, "z"), (2, "b")] if scd == 1 else [(1, "z"), (2, "b")]
                same(db.rows("SELECT id, v FROM t %s ORDER BY 1" % ("WHERE __END_AT IS NULL" if scd == 2 else "")),
                     want, pragma)
                db.sound()
