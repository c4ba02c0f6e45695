"""Values: keys of every affinity in each way of writing, large and odd values,
text encodings, pages, wide tables."""
import random

from common import Db, Folder, call, check, flow, literal, name, same

TYPES = ["INTEGER", "INT", "TEXT", "REAL", "NUMERIC", "BLOB", "", "TEXT COLLATE NOCASE", "VARCHAR(20)", "DECIMAL(10,2)",
         "DATE", "TEXT COLLATE RTRIM", "BOOLEAN"]
KEYS = [0, 1, -1, 2, 10, 255, 256, 65536, 2**31, 2**53, 2**53 + 1, 2**63 - 1, -2**63, 0.5, -0.5, 1.5, 1e300, 2.0, -0.0,
        "", "a", "A", "b", "a ", "ab", "10", "9", "1.0", "0x10", "é", "É", "日本", "\U0001f600", "1e3", "z" * 300,
        b"", b"a", b"\x00", b"\x00\x01", b"a\x00b", b"\xff\xfe"]
EVENTS = "CREATE TABLE log(n INTEGER PRIMARY KEY, k %s, j, v, seq INTEGER, op TEXT)"
MEMBERS = {"keys": "k", "sequence_by": "seq", "apply_as_deletes": "op='D'", "except_column_list": "n,op,j"}
TRIGGER = "CREATE TEMP TRIGGER g AFTER INSERT ON main.%s BEGIN SELECT 1; END"


def fits(value, kind):
    """May a key of that value be in a column of that type, and be no other one's equal
    that is written otherwise?  (Which of two spellings stays is not laid down.)"""
    if kind in ("", "BLOB", "DATE") and repr(value) in ("2.0", "-0.0"):
        return False
    if ("NOCASE" in kind and value == "A") or ("RTRIM" in kind and value == "a "):
        return False
    if kind in ("INTEGER", "INT") and not (isinstance(value, int) or value == 2.0 or value in ("10", "9", "1.0", "1e3")):
        return False
    return value is not None


def events(random_, kind, count):
    keys = [k for k in KEYS if fits(k, kind)]
    return [(i, random_.choice(keys), None, random_.choice(KEYS + [None]), seq, random_.choice("UUUD"))
            for i, seq in enumerate(random_.sample(range(count * 3), count))]


def tables(o, kind, batches, how, scd, members):
    """The target after the batches; how: 'batch' as we make it, 'rows' with a
    trigger, 'whole' all events in one call, 'user' a table without a key."""
    db = Db(o.ext)
    db.script(EVENTS % kind)
    insert = "INSERT INTO log VALUES(?,?,?,?,?,?)"
    if how == "rows":
        db.apply(scd_type=scd, **members)                # make the table
        db.script(TRIGGER % "t")
    elif how == "user":
        db.script("CREATE TABLE t(%s v, k %s, seq INTEGER%s)" % (
            "j," if "j" in str(members.get("keys")) else "", kind, ", __START_AT, __END_AT" if scd == 2 else ""))
    if how == "whole":
        batches = [[e for b in batches for e in b]]
    for batch in batches:
        db.con.executemany(insert, batch)
        got = db.apply("status, ties", scd_type=scd, **members)
        same(got[0][1], 0)
    db.sound()
    order = "k, j, seq" if "j" in str(members.get("keys")) else "k, seq"
    return [tuple((type(x).__name__, x) for x in r) for r in db.rows(
        "SELECT k, %s v, seq %s FROM t ORDER BY typeof(k), CAST(k AS BLOB), %s" % (
            "j," if "j" in str(members.get("keys")) else "", ", __START_AT, __END_AT" if scd == 2 else "", order))]


def test_keys_of_all_affinities(o):
    """The bulk path, the row path, one call and tables of the user's agree."""
    for seed, kind in enumerate(TYPES):
        for scd in (1, 2):
            for composite in (False, True):
                r = random.Random(seed * 4 + scd + composite)
                all_events = events(r, kind, 400)
                if kind in ("INTEGER", "INT") and not composite:
                    all_events = [(e[0], e[1] if isinstance(e[1], int) else int(float(e[1]))) + e[2:] for e in all_events]
                if composite:
                    all_events = [e[:2] + (r.choice([1, "x", b"y", 2.5]),) + e[3:] for e in all_events]
                members = dict(MEMBERS)
                if composite:
                    members.update(keys="k,j", except_column_list="n,op")
                batches = [all_events[i:i + 80] for i in range(0, 400, 80)]
                want = tables(o, kind, batches, "batch", scd, members)
                check(want, "no rows")
                for how in ("rows", "whole", "user"):
                    same(tables(o, kind, batches, how, scd, members), want, kind, "scd", scd, how, composite)


def test_case_folding_keys(o):
    """One key in several spellings under NOCASE is one row, in every way."""
    for trigger in (False, True):
        db = Db(o.ext)
        db.script("CREATE TABLE log(id TEXT COLLATE NOCASE, v TEXT, seq INTEGER)")
        db.con.executemany("INSERT INTO log VALUES(?,?,?)", [("a", "1", 1), ("A", "2", 2), ("b", "3", 3)])
        db.apply()
        if trigger:
            db.script(TRIGGER % "t")
        db.con.executemany("INSERT INTO log VALUES(?,?,?)", [("B", "4", 4), ("a", "5", 5), ("C", "6", 6)])
        db.apply()
        same([(a.lower(), b) for a, b in db.rows("SELECT id, v FROM t ORDER BY id")], [("a", "5"), ("b", "4"), ("c", "6")])
        db.sound()


def test_large_and_odd_values(o):
    values = ["x" * 65536, "é" * 40000, b"\x00" * 65536, b"a\x00b" * 30000, "", b"", "nul\x00in text", "\ufeffbom", "\ud7ff",
              1e308, -1e-308, 2**63 - 1, -2**63, "'", '"', "\r\n\t"]
    for scd in (1, 2):
        for trigger in (False, True):
            with Folder() as at, Db(o.ext, at("a.db")) as db:
                db.script("CREATE TABLE log(id, v, seq)")
                if trigger:
                    db.apply(scd_type=scd)
                    db.script(TRIGGER % "t")
                db.con.executemany("INSERT INTO log VALUES(?,?,?)", [(i, v, i) for i, v in enumerate(values)])
                same(db.apply(scd_type=scd)[0][:3], ("ok", len(values), len(values)))
                got = [r[0] for r in db.rows("SELECT v FROM t ORDER BY id")]
                same([(type(g), g) for g in got], [(type(v), v) for v in values])
                db.con.executemany("INSERT INTO log VALUES(?,?,?)",
                                   [(i, v, i + 100.5) for i, v in enumerate(reversed(values))])
                same(db.apply(scd_type=scd)[0][:2], ("ok", len(values)))
                db.sound()


def test_large_keys(o):
    for scd in (1, 2):
        db = Db(o.ext)
        db.script("CREATE TABLE log(id TEXT, v, seq)")
        keys = ["k" * 65536 + c for c in "abc"] + ["k" * 65535]
        db.con.executemany("INSERT INTO log VALUES(?,?,?)", [(k, i, i) for i, k in enumerate(keys * 3)])
        same(db.apply(scd_type=scd)[0][:2], ("ok", 12))
        same(db.one("SELECT count(DISTINCT id) FROM t"), 4)
        same(sorted(r[0] for r in db.rows("SELECT v FROM t %s" % ("WHERE __END_AT IS NULL" if scd == 2 else ""))),
             [8, 9, 10, 11])
        db.sound()


def test_invalid_utf8(o):
    """Bytes are kept as they are, and two keys that differ are two."""
    for scd in (1, 2):
        db = Db(o.ext)
        db.script("CREATE TABLE log(id TEXT, v TEXT, seq INTEGER)",
                  "INSERT INTO log VALUES(CAST(x'61ff' AS TEXT), CAST(x'c3' AS TEXT), 1)",
                  "INSERT INTO log VALUES(CAST(x'61fe' AS TEXT), CAST(x'eda080' AS TEXT), 2)",
                  "INSERT INTO log VALUES(CAST(x'61ff' AS TEXT), CAST(x'80' AS TEXT), 3)")
        db.apply(scd_type=scd)
        same(db.rows("SELECT hex(id), hex(v) FROM t ORDER BY seq"),
             ([] if scd == 1 else [("61FF", "C3")]) + [("61FE", "EDA080"), ("61FF", "80")])
        db.script("INSERT INTO log VALUES(CAST(x'61ff' AS TEXT), CAST(x'ff' AS TEXT), 4)")
        same(db.apply(scd_type=scd)[0][:2], ("ok", 1))
        db.sound()


def test_utf16(o):
    for encoding in ("UTF-16le", "UTF-16be"):
        for scd in (1, 2):
            for trigger in (False, True):
                with Folder() as at, Db(o.ext, at("a.db")) as db:
                    db.script("PRAGMA encoding='%s'" % encoding)
                    db.script('CREATE TABLE "lög"("schlüssel" TEXT, v TEXT, seq TEXT)')
                    rows = [("a", "ä\U0001f600", "1"), ("é", "", "2"), ("日", "x" * 3000, "3"), ("a", "b", "10")]
                    insert = 'INSERT INTO "lög" VALUES(?,?,?)'
                    members = {"source": "lög", "target": "zïel", "keys": "schlüssel", "scd_type": scd,
                               "where": "v IS NOT 'nö'"}
                    if trigger:
                        db.apply(**members)
                        db.script(TRIGGER % '"zïel"')
                    db.con.executemany(insert, rows)
                    same(db.apply(**members)[0][:2], ("ok", 4))
                    same(sorted(db.rows('SELECT "schlüssel", v FROM "zïel" %s' % (
                        "WHERE __END_AT IS NULL" if scd == 2 else ""))), [("a", "b"), ("é", ""), ("日", "x" * 3000)])
                    db.con.executemany(insert, [("é", "neu", "4"), ("a", "spät", "5")])
                    same(db.apply(**members)[0][:2], ("ok", 2))
                    same(db.apply(**members)[0][:2], ("ok", 0))
                    db.sound("zïel")


def test_pages_and_caches(o):
    for size in (512, 1024, 65536):
        for scd in (1, 2):
            with Folder() as at, Db(o.ext, at("a.db")) as db:
                db.script("PRAGMA page_size=%d" % size, "PRAGMA cache_size=3", "PRAGMA synchronous=OFF")
                db.log(*((i % 300, "v" * (i % 700), i) for i in range(3000)))
                same(db.apply(scd_type=scd)[0][:2], ("ok", 3000))
                db.log(*((i % 300, "w" * (i % 700), 1500.5 + i) for i in range(1000)))
                same(db.apply(scd_type=scd)[0][:2], ("ok", 1000))
                db.sound()


def test_wide_tables(o):
    for width in (200, 1000):
        for scd in (1, 2):
            db = Db(o.ext)
            cols = ["c%d" % i for i in range(width)]
            db.script("CREATE TABLE log(id INTEGER, seq INTEGER, %s)" % ", ".join(cols))
            insert = "INSERT INTO log VALUES(%s)" % ",".join("?" * (width + 2))
            db.con.executemany(insert, [[k % 3, k] + [k * i if i % 7 else None for i in range(width)] for k in range(9)])
            for ignore in (None, True):
                target = "t%s" % ignore
                got = db.apply(scd_type=scd, target=target, ignore_null_updates=ignore)
                same(got[0][:2], ("ok", 9))
                same(db.one("SELECT c%d FROM %s WHERE id=2 AND seq=8" % (width - 1, target)),
                     8 * (width - 1) if (width - 1) % 7 else None)
            db.con.executemany(insert, [[1, 100 + k] + [k if k == i else 0 for i in range(width)] for k in range(3)])
            for ignore in (None, True):
                same(db.apply(scd_type=scd, target="t%s" % ignore, ignore_null_updates=ignore)[0][:2], ("ok", 3))
                db.sound("t%s" % ignore)


def test_many_columns_are_refused_or_work(o):
    """At SQLite's own limit the columns of a history are two too many."""
    db = Db(o.ext)
    db.script("CREATE TABLE log(id INTEGER, seq INTEGER, %s)" % ", ".join("c%d" % i for i in range(1998)))
    db.script("INSERT INTO log(id, seq, c1997) VALUES(1, 1, 'x'), (1, 2, 'y')")
    same(db.apply()[0][:2], ("ok", 2))
    same(db.rows("SELECT c1997 FROM t"), [("y",)])
    db.refused("too many columns", target="h", scd_type=2)
    same(db.apply(target="h2", scd_type=2, except_column_list="c0,c1")[0][:2], ("ok", 2))
    db.sound()
    db.sound("h2")


def test_many_keys_columns(o):
    for n in (2, 20, 63):
        for scd in (1, 2):
            db = Db(o.ext)
            cols = ["k%d" % i for i in range(n)]
            db.script("CREATE TABLE log(%s, v, seq)" % ", ".join(cols))
            for i in range(6):
                db.con.execute("INSERT INTO log VALUES(%s)" % ",".join("?" * (n + 2)), [0] * (n - 1) + [i % 2, "v%d" % i, i])
            same(db.apply(keys=cols, scd_type=scd)[0][:2], ("ok", 6))
            same(db.one("SELECT count(*) FROM t"), 2 if scd == 1 else 6)
            db.sound()
    db = Db(o.ext)
    db.script("CREATE TABLE log(%s, seq)" % ", ".join("k%d" % i for i in range(70)), "INSERT INTO log(k1, seq) VALUES(1,1)")
    db.refused("64", keys=["k%d" % i for i in range(70)])


def test_spill_gives_the_same(o):
    """Little memory and much: the same tables, whatever the keys are."""
    for kind in ("INTEGER", "TEXT", "BLOB"):
        for scd in (1, 2):
            got = []
            for megabytes in (1, 200):
                db = Db(o.ext)
                db.script("CREATE TABLE log(id %s, v TEXT, seq INTEGER)" % kind)
                db.script("WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c WHERE i<30000) INSERT INTO log "
                          "SELECT %s, 'value number '||i, (i*7919)%%30011 FROM c" % (
                              {"INTEGER": "i*31%997", "TEXT": "'key'||(i*31%997)", "BLOB": "CAST('k'||(i*31%997) AS BLOB)"}[kind]))
                counts = db.apply(scd_type=scd, options={"memory_mb": megabytes})
                db.log(*((1 if kind == "INTEGER" else "key1" if kind == "TEXT" else b"k1", "late%d" % i, i * 101.5)
                         for i in range(250)))
                counts += db.apply(scd_type=scd, options={"memory_mb": megabytes})
                counts += db.rows("SELECT unchanged, late, ties FROM autocdc_runs ORDER BY id") if scd == 2 else []
                got.append((counts, db.rows("SELECT * FROM t ORDER BY id, seq")))
                db.sound()
            check(got[0] == got[1], kind, scd, "differ:", got[0][0], got[1][0])


def test_memory_option(o):
    db = Db(o.ext)
    db.log((1, "a", 1))
    for bad in (0, -1, 1.5, "much", 2**40, [1], True):
        message = db.error(call(options={"memory_mb": bad}))
        check("memory_mb" in message, message)
    same(db.apply(options={"memory_mb": 1048576})[0][:2], ("ok", 1))
    same(db.apply(options={"memory_mb": None})[0][:2], ("ok", 0))
