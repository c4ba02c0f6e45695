"""INSERT into an scd2 table next to an ordinary table that gets the same
events: whatever SQLite takes back of the one, it must take back of the other."""
import random
import sqlite3

from common import Db, check, history, same

DECLARE = ("CREATE VIRTUAL TABLE h USING scd2(columns='id %s, v TEXT, n INTEGER, op TEXT, seq INTEGER', keys='id', "
           "sequence_by='seq', apply_as_deletes='op = ''D''', except_column_list='op, seq')")
ORDINARY = "CREATE TABLE o(id %s NOT NULL, v TEXT, n INTEGER, op TEXT, seq INTEGER NOT NULL)"
COLUMNS = "(id, v, n, op, seq)"


class Pair:
    def __init__(self, ext, rng, path=":memory:"):
        self.rng = rng
        self.db = Db(ext, path)
        self.text = rng.random() < 0.5
        kind = "TEXT" if self.text else "INTEGER"
        self.db.script(DECLARE % kind, ORDINARY % kind, "CREATE TABLE stage(id, v, n, op, seq)")
        self.log = []
        self.savepoints = []

    def key(self, i):
        return "k%d" % i if self.text else i

    def event(self, bad=False):
        r = self.rng
        id, seq = self.key(r.randrange(5)), r.randrange(30)
        if bad:
            id, seq = r.choice([(None, seq), (id, None)])
        return (id, r.choice("ab"), r.choice([None, 1, 2]), "D" if r.random() < 0.2 else "U", seq)

    def run(self, sql, args=()):
        self.log.append((sql, args))
        self.db.con.execute(sql, args)

    def both(self, tail, args=()):
        """The same INSERT into both; both must take it, or neither."""
        outcome = []
        for table in "ho":
            try:
                self.run("INSERT INTO %s%s %s" % (table, COLUMNS, tail), args)
                outcome.append(True)
            except sqlite3.Error:
                outcome.append(False)
        check(outcome[0] == outcome[1], "outcomes differ", outcome)

    def check(self):
        events = [(r[0], (r[1], r[2]), r[3] == "D", r[4])
                  for r in self.db.rows("SELECT id, v, n, op, seq FROM o ORDER BY rowid")]
        want = history(events)
        # plain first: it must be right by itself
        same(self.db.rows("SELECT * FROM h_rows ORDER BY id, __START_AT"), want, "h_rows")
        same(self.db.rows("SELECT * FROM h ORDER BY id, __START_AT"), want, "h")

    def step(self):
        r = self.rng
        kind = r.randrange(12)
        bad = r.random() < 0.15
        if kind < 3:
            self.both("VALUES(?,?,?,?,?)", self.event(bad))
        elif kind < 5:
            n = r.randrange(1, 6)
            rows = [self.event() for _ in range(n)]
            if bad:
                rows[r.randrange(n)] = self.event(True)
            self.both("VALUES " + ",".join("(?,?,?,?,?)" for _ in rows), [x for row in rows for x in row])
        elif kind < 7:
            self.run("DELETE FROM stage")
            for i in range(r.randrange(0, 8)):
                self.run("INSERT INTO stage VALUES(?,?,?,?,?)", self.event(bad and i == 3))
            self.both("SELECT * FROM stage")
        elif kind == 7 and not self.db.con.in_transaction:
            self.run("BEGIN" + r.choice(["", " IMMEDIATE"]))
        elif kind == 8 and self.db.con.in_transaction:
            self.run(r.choice(["COMMIT", "ROLLBACK", "COMMIT"]))
            self.savepoints = []
        elif kind == 9:
            self.savepoints.append("s%d" % len(self.savepoints))
            self.run("SAVEPOINT " + self.savepoints[-1])
        elif kind == 10 and self.savepoints:
            i = r.randrange(len(self.savepoints))
            self.run("ROLLBACK TO " + self.savepoints[i])
            del self.savepoints[i+1:]
        elif kind == 11 and self.savepoints:
            i = r.randrange(len(self.savepoints))
            self.run("RELEASE " + self.savepoints[i])
            del self.savepoints[i:]
        if r.random() < 0.7:
            self.check()


def streams(ext, seed, count, steps):
    for i in range(count):
        rng = random.Random(seed + i)
        pair = Pair(ext, rng)
        try:
            for _ in range(steps):
                pair.step()
            if pair.db.con.in_transaction:
                pair.db.con.execute("COMMIT")
            pair.check()
        except Exception as e:
            trail = "\n".join("    %s %s" % s for s in pair.log[-25:])
            raise type(e)("seed %d: %s\n%s" % (seed + i, e, trail))
        pair.db.close()


def test_random_statements(ext):
    streams(ext, 1000, 150, 60)


def test_open_cursor(ext):
    """A reader of the connection that is half-way makes every statement open a savepoint."""
    pair = Pair(ext, random.Random(7))
    pair.run("INSERT INTO stage VALUES(1,'a',1,'U',1)")
    pair.run("INSERT INTO stage VALUES(1,'a',1,'U',2)")
    reader = pair.db.con.execute("SELECT a.id FROM stage a, stage b")
    reader.fetchone()
    for _ in range(60):
        if not pair.db.con.in_transaction:
            pair.both("VALUES(?,?,?,?,?)", pair.event(pair.rng.random() < 0.2))
            pair.both("VALUES(?,?,?,?,?),(?,?,?,?,?)", pair.event() + pair.event(pair.rng.random() < 0.3))
        pair.check()
    reader.fetchall()
    pair.check()


def test_or_clauses(ext):
    """INSERT OR ... says what to do about constraints; errors of events always undo the statement."""
    db = Db(ext)
    db.script(DECLARE % "INTEGER", "BEGIN", "INSERT INTO h(id,v,seq) VALUES(1,'a',1)")
    for clause in ("IGNORE", "REPLACE", "ABORT"):
        db.fails("NULL", "INSERT OR %s INTO h(id,v,seq) VALUES(1,'b',2),(NULL,'x',3)" % clause)
        same(db.rows("SELECT * FROM h_rows"), [(1, "a", None, 1, None)], clause)
    db.script("COMMIT")
    same(db.one("SELECT count(*) FROM h"), 1)


def test_two_connections(ext):
    """What another connection has written since is known before the next event."""
    import os
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.db")
        a, b = Db(ext, path), Db(ext, path)
        a.script(DECLARE % "INTEGER")
        for i in range(12):
            db = (a, b)[i % 2]
            db.script("INSERT INTO h(id,v,seq) VALUES(1,'v%d',%d)" % (i, (i * 7) % 12))
        want = history([(1, ("v%d" % i, None), False, (i * 7) % 12) for i in range(12)])
        same(a.rows("SELECT * FROM h"), want)
        same(b.rows("SELECT * FROM h_rows"), want)
        a.script("BEGIN", "INSERT INTO h(id,v,seq) VALUES(2,'x',1)")
        same(b.rows("SELECT * FROM h WHERE id=2"), [])
        b.fails("locked", "INSERT INTO h(id,v,seq) VALUES(3,'y',1)")
        a.script("ROLLBACK")
        b.script("INSERT INTO h(id,v,seq) VALUES(3,'y',1)")
        same(a.rows("SELECT id FROM h WHERE id>1"), [(3,)])
        a.close()
        b.close()


def test_apply_changes_between(ext):
    """apply_changes() and INSERT take turns in one transaction."""
    db = Db(ext)
    db.script("CREATE TABLE log(id INTEGER, v TEXT, seq INTEGER)",
              "CREATE VIRTUAL TABLE h USING scd2(source='log', keys='id', sequence_by='seq', except_column_list='seq')")
    rng = random.Random(5)
    events = []
    db.script("BEGIN")
    for i in range(40):
        e = (rng.randrange(3), rng.choice("abc"), rng.randrange(1000))
        events.append((e[0], (e[1],), False, e[2]))
        if i % 3 == 0:
            db.con.execute("INSERT INTO log VALUES(?,?,?)", e)
            db.rows("SELECT * FROM apply_changes('h')")
        else:
            db.con.execute("INSERT INTO h(id,v,seq) VALUES(?,?,?)", e)
        same(db.rows("SELECT * FROM h ORDER BY 1, 3"), history(events), i)
        if i == 20:
            db.script("SAVEPOINT s")
            db.con.execute("INSERT INTO log VALUES(9,'z',1)")
            db.rows("SELECT * FROM apply_changes()")
            db.script("INSERT INTO h(id,v,seq) VALUES(9,'y',0)", "ROLLBACK TO s", "RELEASE s")
    db.script("COMMIT")
    same(db.rows("SELECT * FROM h_rows ORDER BY 1, 3"), history(events))
    check("unchanged" not in "", "")


def test_trigger(ext):
    db = Db(ext)
    db.script(DECLARE % "INTEGER", "CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT, at INTEGER)",
              "CREATE TRIGGER i AFTER INSERT ON t BEGIN INSERT INTO h(id,v,seq) VALUES(new.id,new.v,new.at); END",
              "CREATE TRIGGER u AFTER UPDATE ON t BEGIN INSERT INTO h(id,v,seq) VALUES(new.id,new.v,new.at); END",
              "CREATE TRIGGER d AFTER DELETE ON t BEGIN INSERT INTO h(id,op,seq) VALUES(old.id,'D',old.at+1); END",
              "INSERT INTO t VALUES(1,'a',1),(2,'b',1)", "UPDATE t SET v=v||'x', at=2", "DELETE FROM t WHERE id=2")
    same(db.rows("SELECT id, v, __START_AT, __END_AT FROM h"),
         [(1, "a", 1, 2), (1, "ax", 2, None), (2, "b", 1, 2), (2, "bx", 2, 3)])
    db.fails("NULL", "INSERT INTO t VALUES(3,'ok',1),(4,'bad',NULL)")
    same(db.one("SELECT count(*) FROM t WHERE id>2"), 0)
    same(db.one("SELECT count(*) FROM h WHERE id>2"), 0)


def test_sequence_class_after_rollback(ext):
    """The class that a taken-back first event fixed is not fixed."""
    db = Db(ext)
    db.script("CREATE VIRTUAL TABLE h USING scd2(columns='id INTEGER, v, s', keys='id', sequence_by='s')",
              "BEGIN", "INSERT INTO h(id,v,s) VALUES(1,'a',5)", "ROLLBACK")
    db.fails("NULL", "INSERT INTO h(id,v,s) VALUES(NULL,'a',7)")
    db.script("INSERT INTO h(id,v,s) VALUES(1,'a','2024-01-01')")
    db.fails("number", "INSERT INTO h(id,v,s) VALUES(1,'b',7)")
    same(db.one("SELECT count(*) FROM h('2024-06-01')"), 1)


def test_bulk_is_whole(ext):
    """Many rows, of which the last is bad, in and out of transactions."""
    db = Db(ext)
    db.script(DECLARE % "INTEGER", "CREATE TABLE big(id, v, seq)",
              "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c WHERE i<20000) "
              "INSERT INTO big SELECT i%700, i%3, i*7919%20011 FROM c",
              "INSERT INTO h(id,v,seq) VALUES(1,'first',0)")
    before = db.rows("SELECT * FROM h_rows")
    for begin in (False, True):
        if begin:
            db.script("BEGIN")
        db.fails("NULL", "INSERT INTO h(id,v,seq) SELECT * FROM big UNION ALL SELECT NULL, 1, 1")
        same(db.rows("SELECT * FROM h_rows"), before)
        db.script("INSERT INTO h(id,v,seq) SELECT * FROM big")
        want = history([(1, ("first", None), False, 0)] + [
            (r[0], (str(r[1]), None), False, r[2]) for r in db.rows("SELECT * FROM big ORDER BY rowid")])
        same(db.rows("SELECT * FROM h_rows ORDER BY 1, 4"), want)
        if begin:
            db.script("ROLLBACK")
        else:
            db.rows("SELECT autocdc_reset('h')")
            same(db.rows("SELECT * FROM h"), [])
            db.script("INSERT INTO h(id,v,seq) VALUES(1,'first',0)")
