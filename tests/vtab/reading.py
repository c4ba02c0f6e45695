"""Queries on scd2 tables: what they answer, against plain SQL on the table of
rows; and how: which plans, how many steps."""
import json
import random

from common import Db, check, history, same

# sequence_by, columns, a random sequence, SQL for the order of a start or point
KINDS = {
    "integer": ("s", "s INTEGER", lambda r: r.randrange(-50, 50), "%s"),
    "large": ("s", "s", lambda r: str(10**20 + r.randrange(50)) if r.random() < 0.5 else r.randrange(50),
              "autocdc_seq_key(%s)"),
    "decimal": ("s", "s", lambda r: r.choice([1, 2, 2.5, 2.25, "2.125", 3, 10, "9"]), "autocdc_seq_key(%s)"),
    "text": ("s", "s TEXT", lambda r: "v" + r.choice("abcdefgh") * r.randrange(1, 3), "%s"),
    "timestamp": ("s", "s TIMESTAMP", lambda r: "2024-01-%02d %02d:00:00" % (r.randrange(1, 9), r.randrange(24)), "%s"),
    "mixed": ("s", "s TIMESTAMP", lambda r: r.choice([
        "2024-01-%02d" % r.randrange(1, 9), "2024-01-%02dT%02d:00:00Z" % (r.randrange(1, 9), r.randrange(24)),
        "2024-01-%02d %02d:00:00.250+02:00" % (r.randrange(1, 9), r.randrange(24))]), "autocdc_seq_key(%s)"),
    "composite": ("a, b", "a INTEGER, b INTEGER", lambda r: [r.randrange(8, 12), r.randrange(8, 12)],
                  "autocdc_seq_key(%s)"),
}


def filled(ext, rng, kind, n=60):
    """A table h with random events; a function that gives a point."""
    by, columns, point, order = KINDS[kind]
    keys = rng.choice(["k INTEGER", "k TEXT", "k"])
    db = Db(ext)
    db.script("CREATE VIRTUAL TABLE h USING scd2(columns='%s, v, op, %s', keys='k', sequence_by='%s', "
              "apply_as_deletes='op=1', except_column_list='op, %s')" % (keys, columns, by, by))
    marks = ",".join("?" * (3 + len(by.split(","))))
    for _ in range(n):
        k, p = rng.randrange(6), point(rng)
        if "TEXT" in keys:
            k = "k%d" % k
        db.con.execute("INSERT INTO h(k,v,op,%s) VALUES(%s)" % (by, marks),
                       [k, rng.randrange(3), rng.random() < 0.2] + (p if isinstance(p, list) else [p]))

    def shown():
        p = point(rng)
        return json.dumps(p, separators=(",", ":")) if isinstance(p, list) else p
    return db, shown, order


def plain(order, value):
    """The condition of as_of = value in plain SQL."""
    start, end, at = order % "__START_AT", order % "__END_AT", order % value
    return "%s<=%s AND (__END_AT IS NULL OR %s>%s)" % (start, at, end, at)


def test_as_of_is_plain_sql(ext):
    for kind in KINDS:
        for seed in range(12):
            rng = random.Random("%s %d" % (kind, seed))
            db, point, order = filled(ext, rng, kind)
            db.script("CREATE TABLE p(k, at)")
            for _ in range(25):
                db.con.execute("INSERT INTO p SELECT (SELECT k FROM h_rows ORDER BY random() LIMIT 1), ?", (point(),))
            where = (kind, seed)
            for k, at in db.rows("SELECT k, at FROM p"):
                want = db.rows("SELECT * FROM h_rows WHERE %s ORDER BY 1,3" % plain(order, "?1"), at)
                same(db.rows("SELECT * FROM h(?) ORDER BY k", at), want, *where, at)
                same(db.rows("SELECT * FROM h WHERE as_of=? AND k=?", at, k), [r for r in want if r[0] == k], *where)
                same(sorted(db.rows("SELECT * FROM h WHERE k=? AND as_of=? ORDER BY __START_AT DESC", k, at)),
                     sorted(r for r in want if r[0] == k), *where)
            same(db.rows("SELECT p.rowid, h.* FROM p JOIN h ON h.k=p.k AND h.as_of=p.at ORDER BY 1"),
                 db.rows("SELECT p.rowid, h.* FROM p JOIN h_rows h ON h.k=p.k AND %s ORDER BY 1" % plain(order, "p.at")),
                 *where)
            same(db.rows("SELECT p.rowid, h.v FROM p LEFT JOIN h ON h.k=p.k AND h.as_of=p.at ORDER BY 1"),
                 db.rows("SELECT p.rowid, h.v FROM p LEFT JOIN h_rows h ON h.k=p.k AND %s ORDER BY 1"
                         % plain(order, "p.at")), *where)
            ends = db.rows("SELECT DISTINCT at FROM p LIMIT 5")
            for (a,), (b,) in zip(ends, ends[1:]):
                o = order
                same(db.rows("SELECT * FROM h WHERE from_=? AND to_=? ORDER BY 1,3", a, b),
                     db.rows("SELECT * FROM h_rows WHERE %s<%s AND %s<%s AND (__END_AT IS NULL OR %s>%s) ORDER BY 1,3"
                             % (o % "?1", o % "?2", o % "__START_AT", o % "?2", o % "__END_AT", o % "?1"), a, b), *where)
            same(db.rows("SELECT k, __START_AT, version FROM h ORDER BY 1,2"),
                 db.rows("SELECT k, __START_AT, row_number() OVER (PARTITION BY k ORDER BY %s) FROM h_rows ORDER BY 1,2"
                         % (order % "__START_AT")), *where)
            same(db.rows("SELECT k, version FROM h WHERE current=1 ORDER BY 1"),
                 db.rows("SELECT k, count(*) FROM h_rows r WHERE EXISTS(SELECT 1 FROM h_rows x WHERE x.k IS r.k AND "
                         "x.__END_AT IS NULL) GROUP BY k ORDER BY 1"), *where)
            db.close()


def small(ext):
    db = Db(ext)
    db.script("CREATE VIRTUAL TABLE h USING scd2(columns='k INTEGER, v TEXT, op TEXT, s INTEGER', keys='k', "
              "sequence_by='s', apply_as_deletes='op=''D''', except_column_list='op, s')",
              "INSERT INTO h(k,v,op,s) VALUES(1,'a','U',10),(1,'b','U',20),(1,NULL,'D',30),(1,'c','U',40),(2,'x','U',15)")
    return db


def test_what_columns_say(ext):
    db = small(ext)
    same(db.rows("SELECT * FROM h(15)"), [(1, "a", 10, 20), (2, "x", 15, None)])
    same(db.rows("SELECT as_of, from_, to_, current, version, v FROM h WHERE as_of=25"),
         [(25, None, None, 0, 2, "b"), (25, None, None, 1, 1, "x")])
    same(db.rows("SELECT as_of FROM h(15.5)"), [(15.5,), (15.5,)])
    same(db.rows("SELECT v, from_, to_ FROM h(NULL)"), [])
    same(db.rows("SELECT v FROM h WHERE from_=NULL"), [])
    same(db.rows("SELECT v FROM h WHERE from_=20 AND to_=40"), [("b",), ("x",)])
    same(db.rows("SELECT v FROM h WHERE to_=15"), [("a",)])
    same(db.rows("SELECT v FROM h WHERE from_=40"), [("c",), ("x",)])
    same(db.rows("SELECT v FROM h WHERE from_=40 AND to_=40"), [])
    same(db.rows("SELECT v FROM h WHERE current=0 AND k=1"), [("a",), ("b",)])
    same(db.rows("SELECT v FROM h WHERE version=1"), [("a",), ("x",)])
    same(db.rows("SELECT v FROM h WHERE __END_AT IS NULL AND __START_AT>15"), [("c",)])
    same(db.rows("SELECT v FROM h WHERE as_of IN (12, 22, 42) AND k=1"), [("a",), ("b",), ("c",)])
    same(db.rows("SELECT v FROM h WHERE (k=1 AND as_of=12) OR (k=2 AND as_of=99) ORDER BY 1"), [("a",), ("x",)])
    same(db.rows("SELECT v FROM h WHERE as_of='15' AND k=2"), [("x",)])
    same(db.rows("SELECT op, s FROM h LIMIT 1"), [(None, None)])
    same(db.rows("SELECT count(DISTINCT rowid) FROM h"), [(4,)])


def test_errors(ext):
    db = small(ext)
    db.fails(["as_of", "number", "'abc'"], "SELECT * FROM h('abc')")
    db.fails(["to_", "number"], "SELECT * FROM h WHERE to_='2024-01-01'")
    db.fails(["as_of", "=", "from_"], "SELECT * FROM h WHERE as_of>5")
    empty = Db(ext)
    empty.script("CREATE VIRTUAL TABLE h USING scd2(columns='k, v, s', keys='k', sequence_by='s')")
    same(empty.rows("SELECT * FROM h(5)"), [])


def test_plans(ext):
    db = small(ext)
    db.script("CREATE TABLE o(id INTEGER PRIMARY KEY, k INTEGER, at INTEGER)",
              "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c WHERE i<100) "
              "INSERT INTO o SELECT i, 1+i%2, i FROM c")
    join = "SELECT o.id, h.v FROM o JOIN h ON h.k=o.k AND h.as_of=o.at"
    plan = db.plan(join)
    check(plan.startswith("SCAN o") and "SCAN h VIRTUAL TABLE INDEX 0:K0 A 1" in plan, plan)
    plan = db.plan("SELECT o.id, h.v FROM h JOIN o ON h.k=o.k AND h.as_of=o.at")
    check(plan.startswith("SCAN o"), plan)
    for sql, sorts in (("SELECT * FROM h ORDER BY k, __START_AT", 0), ("SELECT * FROM h ORDER BY k DESC", 0),
                       ("SELECT * FROM h WHERE k=1 ORDER BY __START_AT DESC", 0),
                       ("SELECT * FROM h(20) ORDER BY k", 0), ("SELECT * FROM h ORDER BY k, __START_AT DESC", 1),
                       ("SELECT * FROM h ORDER BY __START_AT", 1), ("SELECT * FROM h ORDER BY v", 1),
                       ("SELECT * FROM h WHERE k IN (2,1) ORDER BY k", None)):
        if sorts is not None:
            same("TEMP B-TREE" in db.plan(sql), bool(sorts), sql, db.plan(sql))
        same(db.rows(sql), db.rows(sql.replace("h(20)", "h_rows WHERE __START_AT<=20 AND ifnull(__END_AT,99)>20")
                                   .replace("FROM h ", "FROM h_rows ")), sql)


def test_steps_do_not_grow(ext):
    """As of a point by key: as many steps in a long history as in a short one."""
    db = Db(ext)
    db.script("CREATE VIRTUAL TABLE h USING scd2(columns='k INTEGER, v, s INTEGER', keys='k', sequence_by='s')")
    sql = "SELECT v FROM h WHERE k=1 AND as_of=?"
    db.script("INSERT INTO h(k,v,s) VALUES(1,0,0),(1,1,1)")
    few = db.steps(sql, 1)
    db.script("WITH RECURSIVE c(i) AS (SELECT 2 UNION ALL SELECT i+1 FROM c WHERE i<20000) "
              "INSERT INTO h(k,v,s) SELECT 1, i, i FROM c")
    many = db.steps(sql, 15000)
    check(many <= few + 20, "steps grow:", few, many)
    check(db.steps("SELECT v FROM h ORDER BY k, __START_AT LIMIT 3") < 400, "ORDER BY reads all")
    check(db.steps("SELECT count(*) FROM h WHERE k=1 AND __START_AT>19990") < 800, "a range reads all")


def test_views_and_subqueries(ext):
    db = small(ext)
    db.script("CREATE VIEW w AS SELECT k, v FROM h WHERE as_of=15")
    same(db.rows("SELECT * FROM w WHERE k=2"), [(2, "x")])
    same(db.rows("SELECT a.v, b.v FROM h(15) a JOIN h(45) b USING (k) ORDER BY 1"), [("a", "c"), ("x", "x")])
    same(db.rows("SELECT k FROM h(25) WHERE v IN (SELECT v FROM h(99))"), [(2,)])
    same(db.rows("SELECT s.at, (SELECT v FROM h WHERE k=1 AND as_of=s.at) FROM "
                 "(SELECT 5 AS at UNION ALL SELECT 12 UNION ALL SELECT 33 UNION ALL SELECT 50) s"),
         [(5, None), (12, "a"), (33, None), (50, "c")])


def test_names_of_the_user_win(ext):
    db = Db(ext)
    db.script("CREATE VIRTUAL TABLE h USING scd2(columns='k INTEGER, as_of, \"current\" TEXT, s INTEGER, to_, "
              "\"to__\"', keys='k', sequence_by='s')",
              "INSERT INTO h(k, as_of, \"current\", s, to_) VALUES(1,'mine','yes',5,6)")
    same(db.rows("SELECT as_of, \"current\", to_ FROM h WHERE as_of_=5 AND current_=1"), [("mine", "yes", 6)])
    same(db.rows("SELECT as_of FROM h(5)"), [("mine",)])
    same(db.rows("SELECT as_of FROM h(4)"), [])
    same(db.rows("SELECT name FROM pragma_table_xinfo('h') WHERE hidden=1"),
         [("as_of_",), ("from_",), ("to___",), ("current_",), ("version",)])


def test_wide(ext):
    """More columns than a mask of 64 bits and than a function has arguments."""
    db = Db(ext)
    names = ["c%d" % i for i in range(450)]
    db.script("CREATE VIRTUAL TABLE h USING scd2(columns='k INTEGER, s INTEGER, op TEXT, %s', keys='k', "
              "sequence_by='s', apply_as_deletes='op=''D'' AND c449=1', except_column_list='op')" % ", ".join(names),
              "INSERT INTO h(k,s,op,c0,c100,c449) VALUES(1,1,'U','a','b','c'),(1,2,'D','a','b',2),(1,3,'D','x','y',1)")
    same(db.rows("SELECT k, c0, c100, c449, __START_AT, __END_AT, version FROM h(2)"), [(1, "a", "b", 2, 2, 3, 2)])
    same(len(db.rows("SELECT * FROM h")[0]), 454)


def test_bitemporal(ext):
    """At any system time, the history of the events known by then."""
    for seed in range(25):
        rng = random.Random(seed)
        db = Db(ext)
        db.script("CREATE VIRTUAL TABLE h USING scd2(columns='k INTEGER, v, op, s INTEGER, known INTEGER', keys='k', "
                  "sequence_by='s', system_sequence_by='known', scd_type='bitemporal', apply_as_deletes='op=1', "
                  "except_column_list='op, s, known')")
        events = []
        for known in rng.sample(range(40), 25):
            e = (rng.randrange(3), rng.randrange(2), int(rng.random() < 0.2), rng.randrange(12), known)
            events.append(e)
            db.con.execute("INSERT INTO h(k,v,op,s,known) VALUES(?,?,?,?,?)", e)
        for at in range(-1, 42, 3):
            known = sorted((e for e in events if e[4] <= at), key=lambda e: e[4])
            want = history([(e[0], (e[1],), e[2] == 1, e[3]) for e in known])
            same(db.rows("SELECT k, v, __START_AT, __END_AT FROM h WHERE system_as_of=? ORDER BY 1, 3", at), want,
                 seed, at)
            same(db.rows("SELECT k, v FROM h WHERE system_as_of=? AND as_of=6 ORDER BY 1", at),
                 [r[:2] for r in want if r[2] <= 6 and (r[3] is None or r[3] > 6)], seed, at)
            same(db.rows("SELECT k, version FROM h WHERE system_as_of=? ORDER BY 1, __START_AT", at),
                 [(r[0], 1 + sum(x[0] == r[0] and x[2] < r[2] for x in want)) for r in want], seed, at)
            same(db.rows("SELECT k, v FROM h WHERE system_as_of=? AND current=1 ORDER BY 1", at),
                 [r[:2] for r in want if r[3] is None], seed, at)
        same(db.rows("SELECT k, v FROM h WHERE current=1 ORDER BY 1"), [r[:2] for r in want if r[3] is None], seed)
        db.fails(["system_as_of", "number"], "SELECT * FROM h WHERE system_as_of='x'")
        same(db.rows("SELECT * FROM h WHERE system_as_of=NULL"), [])


def test_points_in_another_form(ext):
    """A date alone against timestamps, and the like: the same rows as by sequence order, and by the index."""
    forms = ("%04d-%02d-%02d", "%04d-%02d-%02d %02d:%02d", "%04d-%02d-%02dT%02d:%02d:%02dZ",
             "%04d-%02d-%02d %02d:%02d:%02d.%03d", "%04d-%02d-%02d %02d:%02d:%02d.%09d")
    rng = random.Random(3)

    def text(form, t):
        return form % t[:form.count("%")]
    for form in forms:
        db = Db(ext)
        db.script("CREATE VIRTUAL TABLE h USING scd2(columns='k INTEGER, v, s TIMESTAMP', keys='k', sequence_by='s', "
                  "except_column_list='s')")
        point = [(rng.choice([1600, 1969, 1970, 1999, 2000, 2024]), rng.choice([1, 2, 3, 12]), rng.randrange(1, 29),
                  rng.choice([0, 23]), rng.choice([0, 59]), rng.choice([0, 59]), rng.choice([0, 1, 999]))
                 for _ in range(60)]
        for i, t in enumerate(point):
            db.con.execute("INSERT INTO h(k,v,s) VALUES(?,?,?)", (i % 3, i, text(form, t)))
        order = "autocdc_seq_key(%s)"
        points = [text(f, t) for f in forms for t in point[:20]] + ["1970-01-01T00:00:00+14:00", "2000-02-29 23:59:59.999999"]
        for at in points:
            want = db.rows("SELECT * FROM h_rows WHERE %s ORDER BY 1, 3" % plain(order, "?1"), at)
            same(db.rows("SELECT * FROM h(?) ORDER BY k", at), want, form, at)
            same(db.rows("SELECT * FROM h WHERE k=1 AND as_of=?", at), [r for r in want if r[0] == 1], form, at)
        for a, b in zip(points, reversed(points)):
            same(db.rows("SELECT * FROM h WHERE from_=? AND to_=? ORDER BY 1,3", a, b),
                 db.rows("SELECT * FROM h_rows WHERE %s<%s AND %s<%s AND (__END_AT IS NULL OR %s>%s) ORDER BY 1,3"
                         % (order % "?1", order % "?2", order % "__START_AT", order % "?2", order % "__END_AT",
                            order % "?1"), a, b), form, a, b)
        db.close()
