"""Declarations of scd2 tables, and what happens to what they own."""
import os
import sqlite3
import tempfile

from common import Db, check, same

COLUMNS = "columns='k INTEGER, v TEXT, op TEXT, s INTEGER', keys='k', sequence_by='s'"
DECLARE = "CREATE VIRTUAL TABLE h USING scd2(%s, apply_as_deletes='op=''D''', except_column_list='op, s')" % COLUMNS


def schema(db):
    return [r[0] for r in db.rows("SELECT name FROM sqlite_schema WHERE type='table' ORDER BY 1")]


def test_refused(ext):
    db = Db(ext)
    db.script(DECLARE, "INSERT INTO h(k,v,s) VALUES(1,'a',1)")
    db.fails(["UPDATE", "INSERT"], "UPDATE h SET v='b'")
    db.fails(["DELETE", "INSERT"], "DELETE FROM h")
    db.fails(["__START_AT", "computed"], "INSERT INTO h VALUES(1,'a',1,NULL)")
    db.fails(["as_of", "computed"], "INSERT INTO h(k,v,s,as_of) VALUES(1,'a',1,5)")
    db.fails("rowid", "INSERT INTO h(rowid,k,v,s) VALUES(1,1,'a',1)")
    db.fails(["row 2", "'x'"], "INSERT INTO h(k,v,s) VALUES(1,'a',2),(1,'b','x')")
    db.fails(["NULL key", '"k"'], "INSERT INTO h(v,s) VALUES('a',2)")
    db.fails(["NULL sequence", '"s"'], "INSERT INTO h(k,v) VALUES(1,'a')")
    same(db.rows("SELECT * FROM h"), [(1, "a", 1, None)])


def test_declarations(ext):
    db = Db(ext)
    make = "CREATE VIRTUAL TABLE h USING scd2(%s)"
    for words, members in (
            ("did you mean \"keys\"", "columns='a, s', key='a', sequence_by='s'"),
            ("source='a table'", "keys='a', sequence_by='s'"),
            ("sequence_by", "columns='a, s', keys='a'"),
            ("\"keys\" is missing", "columns='a, s', sequence_by='s'"),
            ("given twice", "columns='a, s', keys='a', keys='a', sequence_by='s'"),
            ("not of the form", "columns='a, s', keys, sequence_by='s'"),
            ("no such column", "columns='a, s', keys='b', sequence_by='s'"),
            ("no such column", "columns='a, s', keys='a', sequence_by='t'"),
            ("reserved", "columns='a, __end_at, s', keys='a', sequence_by='s'"),
            ("scd_type 1", "columns='a, s', keys='a', sequence_by='s', scd_type='1'"),
            ("scd2_truncates", "columns='a, s', keys='a', sequence_by='s', apply_as_truncates='a=1'"),
            ("no meaning", "columns='a, s', keys='a', sequence_by='s', once='1'"),
            ("constraint", "columns='a INTEGER PRIMARY KEY, s', keys='a', sequence_by='s'"),
            ("more text", "columns='a, s); DROP TABLE t; --', keys='a', sequence_by='s'"),
            ("both given", "columns='a, s', source='changes', keys='a', sequence_by='s'"),
            ("did you mean changes", "source='change', keys='a', sequence_by='s'"),
            ("no such table", "target='nowhere'"),
            ("no history table", "target='changes'")):
        db.script("DROP TABLE IF EXISTS changes", "CREATE TABLE changes(a, s, PRIMARY KEY(a, s))")
        db.fails(words, make % members)
        same(schema(db), ["changes"], members)
    db.script("BEGIN")
    db.fails("no such column", make % "columns='a, s', keys='a', sequence_by='t'")
    same(schema(db), ["changes"])
    db.script("COMMIT", "CREATE TABLE h_rows(x)")
    db.fails(["h_rows", "target="], make % "columns='a, s', keys='a', sequence_by='s'")
    db.script("DROP TABLE h_rows", make % "columns=\"a, s\", keys = '[\"a\"]', sequence_by=s",
              "INSERT INTO h(a,s) VALUES(1,2)")
    same(db.rows("SELECT a, s, __START_AT FROM h"), [(1, 2, 2)])


def test_lists_that_are_wrong_show_at_once(ext):
    """A list that steers the merge does not keep the table from being declared; nothing can be inserted."""
    db = Db(ext)
    db.script("CREATE VIRTUAL TABLE h USING scd2(%s, track_history_column_list='nope')" % COLUMNS)
    for sql in ("INSERT INTO h(k,v,s) VALUES(1,'a',1)", "INSERT INTO h(k,v,s) SELECT 1,2,3 WHERE 0"):
        db.fails(["track_history_column_list", "nope"], sql)
    same(db.rows("SELECT * FROM h"), [])
    db.script("DROP TABLE h")
    same(schema(db), [])


def test_drop(ext):
    db = Db(ext)
    db.script("CREATE TABLE log(k INTEGER, v, s)", "CREATE VIRTUAL TABLE h USING scd2(source='log', keys='k', "
              "sequence_by='s')", "INSERT INTO h(k,v,s) VALUES(1,1,1),(1,1,2),(1,2,3)")
    same([n for n in schema(db) if n.startswith("h")], ["h", "h_cols", "h_rows"])
    db.script("DROP TABLE h")
    left = [n for n in schema(db) if not n.startswith("autocdc_")]
    same(left, ["log"])
    check(not [n for n in schema(db) if "event" in n], schema(db))
    same(db.one("SELECT count(*) FROM autocdc_targets"), 0)
    db.script(DECLARE, "DROP TABLE h_rows")
    db.fails("h_rows", "SELECT * FROM h")
    db.fails(["h_rows"], "INSERT INTO h(k,v,s) VALUES(1,1,1)")
    db.script("DROP TABLE h", "BEGIN", DECLARE, "INSERT INTO h(k,v,s) VALUES(1,1,1)", "ROLLBACK")
    check("h" not in schema(db), schema(db))


def test_gone_rows_after_reopening(ext):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.db")
        db = Db(ext, path)
        db.script(DECLARE, "DROP TABLE h_rows")
        db.close()
        db = Db(ext, path)
        db.fails(["h_rows", "DROP TABLE h"], "SELECT * FROM h")
        db.fails(["h_rows"], "INSERT INTO h(k,v,s) VALUES(1,1,1)")
        db.script("DROP TABLE h")
        db.close()


def test_rename(ext):
    db = Db(ext)
    db.script("CREATE TABLE log(k INTEGER, v, s)", "CREATE VIRTUAL TABLE h USING scd2(source='log', keys='k', "
              "sequence_by='s')", "INSERT INTO log VALUES(1,1,1)")
    db.rows("SELECT * FROM apply_changes('h')")
    db.script("ALTER TABLE h RENAME TO \"the other\"", "INSERT INTO log VALUES(1,2,2)")
    same(db.rows("SELECT rows_read, inserted FROM apply_changes('the other')"), [(1, 1)])
    db.script("INSERT INTO \"the other\"(k,v,s) VALUES(2,1,1)")
    same(db.one("SELECT count(*) FROM \"the other_rows\""), 3)
    check("h_rows" not in schema(db) and "the other_cols" in schema(db), schema(db))
    db.script("CREATE TABLE x_rows(y)")
    db.fails("x_rows", "ALTER TABLE \"the other\" RENAME TO x")
    same(db.one("SELECT count(*) FROM \"the other\""), 3)
    db.script("BEGIN", "ALTER TABLE \"the other\" RENAME TO z", "ROLLBACK")
    same(db.one("SELECT count(*) FROM \"the other\""), 3)
    db.script("INSERT INTO \"the other\"(k,v,s) VALUES(3,1,1)", "DROP TABLE \"the other\"")


def test_shadow_names(ext):
    db = Db(ext)
    db.script(DECLARE, "INSERT INTO h(k,v,s) VALUES(1,'a',1)")
    if not hasattr(db.con, "setconfig"):
        db.script("PRAGMA writable_schema=OFF")
        same(db.one("SELECT type FROM pragma_table_list WHERE name='h_rows'"), "shadow")
        return
    db.con.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, True)
    db.fails("may not be modified", "DELETE FROM h_rows")
    db.script("INSERT INTO h(k,v,s) VALUES(1,'b',2),(2,'b',2)", "BEGIN", "INSERT INTO h(k,v,s) SELECT 3,4,5", "COMMIT")
    same(db.one("SELECT count(*) FROM h"), 4)


def test_targets_of_others(ext):
    db = Db(ext)
    db.script("CREATE TABLE t(k INTEGER, v TEXT, __START_AT, __END_AT, PRIMARY KEY(k, __START_AT))",
              "INSERT INTO t VALUES(1,'a',1,5),(1,'b',5,NULL)",
              "CREATE VIRTUAL TABLE r USING scd2(target='t')")
    same(db.rows("SELECT v, version FROM r(3)"), [("a", 1)])
    db.fails("declared for reading", "INSERT INTO r(k,v) VALUES(1,'a')")
    db.script("CREATE VIRTUAL TABLE w USING scd2(target='t', %s, except_column_list='op, s')" % COLUMNS,
              "INSERT INTO w(k,v,s) VALUES(1,'c',3)")
    same(db.rows("SELECT v, __START_AT, __END_AT FROM t ORDER BY 2"), [("a", 1, 3), ("c", 3, 5), ("b", 5, None)])
    db.script("DROP TABLE w", "DROP TABLE r")
    same(db.one("SELECT count(*) FROM t"), 3)
    for words, sql in (("CHECK", "k INTEGER CHECK(k>0), v TEXT"), ("NOT NULL", "k INTEGER, v TEXT NOT NULL"),
                       ("unique index", "k INTEGER, v TEXT UNIQUE")):
        db.script("DROP TABLE IF EXISTS w", "DROP TABLE IF EXISTS u",
                  "CREATE TABLE u(%s, __START_AT, __END_AT, PRIMARY KEY(k, __START_AT))" % sql,
                  "CREATE VIRTUAL TABLE w USING scd2(target='u', %s, except_column_list='op, s')" % COLUMNS)
        db.fails([words, "apply_changes()"], "INSERT INTO w(k,v,s) VALUES(1,'c',3)")
        same(db.rows("SELECT * FROM w"), [])
    db.script(DECLARE, "CREATE TABLE seen(x)",
              "CREATE TRIGGER g AFTER INSERT ON h_rows BEGIN INSERT INTO seen VALUES(new.k); END")
    db.fails("triggers", "INSERT INTO h(k,v,s) VALUES(1,'c',3)")


def test_trust(ext):
    db = Db(ext)
    db.script("CREATE TABLE log(k INTEGER, v, s)", "CREATE TABLE vip(k)", "INSERT INTO vip VALUES(1)")
    make = "CREATE VIRTUAL TABLE h USING scd2(source='%s', keys='k', sequence_by='s'%s)"
    for words, source, more in (
            ("load_extension", "log", ", where='load_extension(v)'"),
            ("apply_changes", "log", ", where='v IN (SELECT flow FROM apply_changes())'"),
            ("autocdc_reset", "log", ", where='autocdc_reset(v)'"),
            ("syntax error", "log", ", where='1) OR (1'"),
            ("no such column", "log", ", where='\"x\"=1'"),
            ("only read", "WITH a AS (SELECT 1) DELETE FROM log RETURNING k, v, s", "")):
        db.fails(words, make % (source, more))
        same(schema(db), ["log", "vip"], source, more)
    db.script(make % ("log", ", where='k IN (SELECT k FROM vip) AND EXISTS(SELECT 1 FROM json_each(v) WHERE value>1)'"),
              "INSERT INTO h(k,v,s) VALUES(1,'[1,2]',1),(1,'[1]',2),(2,'[2]',1)")
    same(db.rows("SELECT v, __START_AT, __END_AT FROM h"), [("[1,2]", 1, None)])
    db.con.create_function("mine", 1, lambda x: x)
    db.script("CREATE VIRTUAL TABLE m USING scd2(source='log', keys='k', sequence_by='s', where='mine(k)=1')",
              "INSERT INTO m(k,v,s) VALUES(1,1,1),(2,1,1)")
    same(db.one("SELECT count(*) FROM m"), 1)
    db.script("PRAGMA trusted_schema=OFF", "BEGIN")
    db.fails(["mine()", "trusted_schema"], "INSERT INTO m(k,v,s) VALUES(1,1,2)")
    db.script("ROLLBACK")
    same(db.one("SELECT count(*) FROM m"), 1)


def test_expressions_see_declared_types(ext):
    """Conditions compare as over a table of those columns, whatever class of value is inserted."""
    db = Db(ext)
    columns = "k INTEGER, n INTEGER, t TEXT, r REAL, x, c TEXT COLLATE NOCASE, s INTEGER"
    where = "n=''5'' OR t=7 OR r=1 OR x=1 OR c=''ABC''"
    db.script("CREATE TABLE log(%s)" % columns,
              "CREATE VIRTUAL TABLE h USING scd2(source='log', keys='k', sequence_by='s', where='%s')" % where)
    values = [None, 1, 5, 7, 1.0, 2.5, 1e30, "5", "7", "1", "abc", "5.0", b"5", b"abc"]
    n = 0
    for column in ("n", "t", "r", "x", "c"):
        for v in values:
            n += 1
            for table in ("log", "h"):
                db.con.execute("INSERT INTO %s(k,%s,s) VALUES(?,?,?)" % (table, column), (str(n), v, str(n)))
    want = db.rows("SELECT k, n, t, r, x, c, s, typeof(n), typeof(t), typeof(r), typeof(x), typeof(c) FROM log "
                   "WHERE %s ORDER BY k" % where.replace("''", "'"))
    same(db.rows("SELECT k, n, t, r, x, c, s, typeof(n), typeof(t), typeof(r), typeof(x), typeof(c) FROM h ORDER BY k"),
         want)
    check(len(want) > 10, len(want))


def test_columns_are_fixed(ext):
    db = Db(ext)
    db.script("CREATE TABLE log(k INTEGER, v, s)", "INSERT INTO log VALUES(1,'a',1)",
              "CREATE VIRTUAL TABLE h USING scd2(source='log', keys='k', sequence_by='s')",
              "ALTER TABLE log ADD COLUMN more", "INSERT INTO log VALUES(1,'b',2,'x')")
    same(db.rows("SELECT flow, target, status FROM apply_changes('h')"), [("h", "h_rows", "ok")])
    same(db.rows("SELECT * FROM h"), [(1, "a", 1, 1, 2), (1, "b", 2, 2, None)])
    same(db.one("SELECT count(*) FROM pragma_table_info('h_rows')"), 5)
    db.script("DROP TABLE log")
    same(db.one("SELECT count(*) FROM h(1)"), 1)
    db.script("INSERT INTO h(k,v,s) VALUES(1,'c',3)")
    db.fails("log", "SELECT * FROM apply_changes('h')")


def test_attached_and_temp(ext):
    db = Db(ext)
    db.script("ATTACH ':memory:' AS other",
              "CREATE VIRTUAL TABLE other.h USING scd2(%s)" % COLUMNS, "CREATE VIRTUAL TABLE temp.g USING scd2(%s)" % COLUMNS)
    for name in ("other.h", "temp.g"):
        db.script("INSERT INTO %s(k,v,s) VALUES(1,'a',1),(1,'b',2)" % name)
        same(db.rows("SELECT v FROM %s WHERE as_of=1" % name), [("a",)])
        same(db.one("SELECT count(*) FROM %s_rows" % name), 2)
    same(schema(db), [])
    db.script("DROP TABLE other.h", "DROP TABLE temp.g")


def test_integrity_check(ext):
    if sqlite3.sqlite_version_info < (3, 44):
        return
    db = Db(ext)
    db.script(DECLARE, "INSERT INTO h(k,v,s) VALUES(1,'a',1),(1,'b',5),(2,'x',1)")
    same(db.rows("PRAGMA integrity_check"), [("ok",)])
    db.script("UPDATE h_rows SET __END_AT=7 WHERE v='a'", "UPDATE h_rows SET __END_AT=0 WHERE v='x'")
    found = " ".join(r[0] for r in db.rows("PRAGMA integrity_check"))
    check("overlaps" in found and "ends before" in found, found)


def test_reset(ext):
    db = Db(ext)
    db.script(DECLARE, "INSERT INTO h(k,v,s) VALUES(1,'a',1)")
    db.rows("SELECT autocdc_reset('h')")
    same(db.rows("SELECT * FROM h"), [])
    db.script("INSERT INTO h(k,v,s) VALUES(1,'b','2024-01-01')")
    same(db.rows("SELECT v FROM h('2024-05-05')"), [("b",)])


def test_close_leaves_nothing_open(ext):
    db = Db(ext)
    db.script(DECLARE, "INSERT INTO h(k,v,s) VALUES(1,'a',1)", "BEGIN", "INSERT INTO h(k,v,s) VALUES(1,'b',2)")
    db.rows("SELECT * FROM h(1)")
    db.close()
