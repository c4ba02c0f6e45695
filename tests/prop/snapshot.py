"""Random sequences of snapshots, and what target they must give: an oracle that keeps the history in Python.

A case is a dict: columns, snapshots (version given, version as shown, rows), settings. Values of a snapshot are read
back from a table declared like the target before the oracle sees them, so that affinity is SQLite's own.
"""
import json
import random

import engine

KEY_TYPES = ["INTEGER", "TEXT", "REAL", "NUMERIC", "", "TEXT COLLATE NOCASE", "BLOB", "TIMESTAMP", "INT"]
VALUE_TYPES = ["INTEGER", "TEXT", "REAL", "NUMERIC", "", "TEXT COLLATE NOCASE"]


def key_pool(rng, kind):
    if kind in ("INTEGER", "INT"):
        pool = [0, -1, 1, 2, 255, 256, 65536, 2**62, -2**63, 2**63 - 1, 10**12] + [rng.randint(-300, 300) for _ in range(20)]
        return pool
    if kind in ("REAL", "NUMERIC"):
        return [0.5, -0.5, 1, 2, 1.5, 1e300, -1e300, 2**53, 10**15 + 1, 3, -7, 0.1]
    if kind == "TEXT COLLATE NOCASE":
        return ["a", "B", "b ", "c", "D", "d1", "é", "zz", "", "A b"]
    if kind == "BLOB":
        return [b"", b"\0", b"\0\0", b"a", "a", 1, 1.5, b"\xff\0a"]
    if kind == "":
        return [1, "1", 2.5, b"1", "x", "", -3, "a\x01", "longer than eight bytes 1", "longer than eight bytes 2"]
    return ["a", "b", "aa", "", "a\x01b", "ab", "prefix prefix 1", "prefix prefix 2", "Z", "é", "10", "9"]


def alike(v):
    """Keys that may be equal in some column are equal here."""
    return v.lower().strip() if isinstance(v, str) else v


def value(rng, kind):
    return rng.choice([None, 1, 0, 2, "a", "A", "", "b", 1.0, 2.5, b"x", "1", "long text " * 3])


def versions(rng, n):
    """n rising versions as (given, shown)."""
    kind = rng.choice(["integer", "text integer", "big", "decimal", "instant", "mixed instant", "text"])
    step, out, at = 0, [], rng.randint(-5, 5)
    for step in range(n):
        at += rng.randint(1, 4)
        if kind == "integer":
            out.append((at, at))
        elif kind == "text integer":
            out.append((str(at), at))
        elif kind == "big":
            big = 2**63 - 8 + (at + 5) * 2
            out.append((str(big), big if big < 2**63 else "%038d" % big))
        elif kind == "decimal":
            given = at + 0.5 if rng.random() < 0.5 else at
            out.append((given, given))
        elif kind == "text":
            given = "v%03d" % (at + 100)
            out.append((given, given))
        else:
            form = "%04d-01-02 03:04:05" if kind == "instant" else rng.choice(
                ["%04d-01-02 03:04:05", "%04d-01-02T03:04:05Z", "%04d-01-02", "%04d-01-02T03:04:05.25+01:00"])
            given = form % (2000 + at)
            out.append((given, given))
    return out


def case(seed):
    rng = random.Random(seed)
    scd = rng.choice([1, 2, 2])
    keys = ["k%d" % i for i in range(rng.choice([1, 1, 1, 2, 3]))]
    columns = [(k, rng.choice(KEY_TYPES)) for k in keys]
    values = ["v%d" % i for i in range(rng.randint(0, 4))]
    columns += [(v, rng.choice(VALUE_TYPES)) for v in values]
    rng.shuffle(columns)
    types = dict(columns)
    nulls = rng.random() < 0.15
    pools = {k: key_pool(rng, types[k]) + ([None] if nulls else []) for k in keys}
    size = rng.choice([2, 5, 20, 60])
    config = {"keys": keys, "scd_type": scd}
    if nulls:
        config["null_keys"] = "match"
    if scd == 2 and values and rng.random() < 0.5:
        picked = rng.sample(values, rng.randint(0, len(values)))
        config[rng.choice(["track_history_column_list", "track_history_except_column_list"])] = picked
    dedup = rng.choice([None, None, "full_row", "keys_only"])
    if dedup:
        config["deduplicate_mode"] = dedup
    late = [n for n in values if rng.random() < 0.15] if rng.random() < 0.2 else []
    shots, rows = [], []
    for order, (given, shown) in enumerate(versions(rng, rng.randint(2, 8))):
        if rng.random() < 0.1:
            rows = []
        rows = [r for r in rows if rng.random() < 0.85]
        rows = [{c: (value(rng, types[c]) if c in values and rng.random() < 0.2 else v) for c, v in r.items()} for r in rows]
        for _ in range(rng.randint(0, size)):
            row = {k: rng.choice(pools[k]) for k in keys}
            row.update({v: value(rng, types[v]) for v in values})
            rows.append(row)
        rng.shuffle(rows)
        if not dedup and rng.random() < 0.9:
            rows = list({tuple(alike(r[k]) for k in keys): r for r in rows}.values())
        gone = [n for n in late if rng.random() < 0.5]
        names = [c for c, _ in columns if c not in gone]
        shots.append({"given": given, "shown": shown, "columns": names,
                      "rows": [[r[c] for c in names] for r in rows], "order": order})
    if len(shots) > 2 and rng.random() < 0.4:
        shots.append(shots[rng.randint(0, len(shots) - 1)])
    return {"seed": seed, "columns": columns, "keys": keys, "values": values, "config": config, "shots": shots,
            "arrival": rng.choice(["any", "sorted", "sorted", "nearly"]),
            "source": rng.choice(["table", "table", "view", "query"]),
            "target": rng.choice(["ours", "ours", "ours", "user", "trigger", "partial"]), "dedup": dedup}


class Failure(Exception):
    pass


def canonical(v):
    if isinstance(v, bool):
        return ("n", int(v))
    if isinstance(v, (int, float)):
        return ("n", int(v) if v == int(v) else v)
    return (type(v).__name__, v)


def exact(v):
    return (type(v).__name__, v)


class Oracle:
    def __init__(self, case_):
        self.c = case_
        self.scd = case_["config"]["scd_type"]
        self.types = dict(case_["columns"])
        self.known, self.current, self.done = [], {}, []
        config = case_["config"]
        self.listed = config.get("track_history_column_list")
        self.excepted = config.get("track_history_except_column_list")

    def key(self, row):
        out = []
        for k in self.c["keys"]:
            v = row[k]
            if isinstance(v, str) and "NOCASE" in self.types[k]:
                v = "".join(ch.lower() if ch < "\x80" else ch for ch in v)
            out.append(canonical(v))
        return tuple(out)

    def tracked(self, name):
        if self.listed is not None:
            return name in self.listed
        return self.excepted is None or name not in self.excepted

    def apply(self, shot, rows):
        """rows: dicts of one each key. Returns the counts."""
        n = {"inserted": 0, "updated": 0, "deleted": 0, "unchanged": 0}
        emitted = [c for c in shot["columns"] if c not in self.c["keys"]]
        self.known += [c for c in emitted if c not in self.known]
        seen = set()
        for row in rows:
            key = self.key(row)
            seen.add(key)
            old = self.current.get(key)
            if old is None:
                new = {c: row.get(c) for c in self.known}
                new.update({k: row[k] for k in self.c["keys"]})
                self.current[key] = {"row": new, "start": shot["shown"]}
                n["inserted"] += 1
                continue
            compared = emitted if self.scd == 1 else self.known
            was, now = old["row"], {c: row.get(c) for c in compared}
            if all(exact(was.get(c)) == exact(now[c]) for c in compared):
                n["unchanged"] += 1
            elif self.scd == 2 and any(canonical(was.get(c)) != canonical(now[c]) for c in compared if self.tracked(c)):
                self.done.append((was, old["start"], shot["shown"]))
                now.update({k: row[k] for k in self.c["keys"]})
                self.current[key] = {"row": now, "start": shot["shown"]}
                n["inserted"] += 1
                n["updated"] += 1
            else:
                was.update(now)
                n["updated"] += 1
        for key in [k for k in self.current if k not in seen]:
            old = self.current.pop(key)
            if self.scd == 2:
                self.done.append((old["row"], old["start"], shot["shown"]))
            n["updated" if self.scd == 2 else "deleted"] += 1
        return n

    def rows(self, names):
        out = [[r.get(c) for c in names] + ([s, e] if self.scd == 2 else []) for r, s, e in self.done]
        for old in self.current.values():
            out.append([old["row"].get(c) for c in names] + ([old["start"], None] if self.scd == 2 else []))
        return sorted(out, key=repr)


def deduplicated(case_, oracle, rows):
    """The first row of each key, or None if the snapshot must be refused."""
    first = {}
    for row in rows:
        key = oracle.key(row)
        if key not in first:
            first[key] = row
        elif case_["dedup"] is None:
            return None
        elif case_["dedup"] == "full_row":
            if any(canonical(first[key][c]) != canonical(row[c]) for c in row if c not in case_["keys"]):
                return None
    return list(first.values())


class Player:
    """Plays a case; raises Failure."""

    def __init__(self, case_, lib, ext, script):
        self.c, self.script = case_, script
        self.db = engine.Engine(lib, ext, ":memory:", script)
        self.oracle = Oracle(case_)

    def declare(self, names):
        types = dict(self.c["columns"])
        return ", ".join("%s %s" % (engine.quote(c), types[c]) for c in names)

    def make_target(self):
        kind = self.c["target"]
        if kind == "ours":
            return
        names = self.c["shots"][0]["columns"]
        more = ', "__START_AT", "__END_AT"' if self.oracle.scd == 2 else ""
        self.db.run("CREATE TABLE tgt(%s%s)" % (self.declare(names), more))
        if kind == "trigger":
            self.db.run("CREATE TABLE seen(n)")
            self.db.run("CREATE TRIGGER tr AFTER INSERT ON tgt BEGIN INSERT INTO seen VALUES(1); END")
        if kind == "partial" and self.oracle.scd == 2 and not self.c["config"].get("null_keys"):
            self.db.run('CREATE UNIQUE INDEX one_open ON tgt(%s) WHERE "__END_AT" IS NULL' % ", ".join(self.c["keys"]))

    def play(self):
        self.make_target()
        applied = []
        for i, shot in enumerate(self.c["shots"]):
            self.step(i, shot, applied)
        if self.oracle.scd == 2:
            for shot, rows in applied:
                self.as_of(shot, rows)

    def step(self, i, shot, applied):
        name, db = "snap_%d" % i, self.db
        db.run("CREATE TABLE %s(%s)" % (name, self.declare(shot["columns"])))
        first = name if self.c["arrival"] == "any" else "raw_%d" % i
        if first != name:
            db.run("CREATE TABLE %s(%s)" % (first, self.declare(shot["columns"])))
        for row in shot["rows"]:
            db.run("INSERT INTO %s VALUES(%s)" % (first, ", ".join(engine.literal(v) for v in row)))
        if first != name:
            db.run("INSERT INTO %s SELECT * FROM %s ORDER BY %s" % (name, first, ", ".join(self.c["keys"])))
        if self.c["arrival"] == "nearly" and shot["rows"]:
            moved = 1 + (self.c["seed"] + i) % len(shot["rows"])
            db.run("INSERT INTO %s SELECT * FROM %s WHERE rowid = %d" % (name, name, moved))
            db.run("DELETE FROM %s WHERE rowid = %d" % (name, moved))
        source = name
        if self.c["source"] == "view":
            source = "view_%d" % i
            db.run("CREATE VIEW %s AS SELECT * FROM %s" % (source, name))
        elif self.c["source"] == "query":
            source = "SELECT * FROM " + name
        rows = [dict(zip(shot["columns"], r)) for r in db.query("SELECT * FROM %s ORDER BY rowid" % name)[1]]
        rows = deduplicated(self.c, self.oracle, rows)
        late = bool(applied) and shot["order"] <= applied[-1][0]["order"]
        flow = dict(self.c["config"], target="tgt", source=source, version=shot["given"])
        if flow.get("deduplicate_mode") is None:
            flow.pop("deduplicate_mode", None)
        sql = "SELECT status, inserted, updated, deleted, unchanged, rows_read, message FROM apply_changes_from_snapshot(%s)" % (
            engine.literal(json.dumps(flow, ensure_ascii=False)))
        try:
            got = db.run(sql)[1]
        except engine.SqlError as e:
            if rows is None and not late and "duplicate key" in str(e):
                return self.compare(shot, "after the refused snapshot %d" % i)
            if self.bad_list(e):
                return None
            raise Failure("snapshot %d failed: %s" % (i, e))
        if (got[0][0] == "skipped") != late:
            raise Failure("snapshot %d: status %s, %s" % (i, got[0][0], got[0][6]))
        if late:
            return self.compare(shot, "after the late snapshot %d" % i)
        if rows is None:
            raise Failure("snapshot %d has a duplicate key and was applied" % i)
        n = self.oracle.apply(shot, rows)
        duplicates = len(shot["rows"]) - len(rows)
        want = (n["inserted"], n["updated"], n["deleted"], n["unchanged"] + duplicates, len(shot["rows"]))
        if tuple(got[0][1:6]) != want:
            raise Failure("snapshot %d: inserted, updated, deleted, unchanged, read are %s, wanted %s" % (i, got[0][1:6], want))
        applied.append((shot, rows))
        self.compare(shot, "after snapshot %d" % i)
        return None

    def bad_list(self, error):
        """A first snapshot without a column that a list names: refused rightly."""
        return "no such column" in str(error) and any(len(s["columns"]) < len(self.c["columns"]) for s in self.c["shots"])

    def compare(self, shot, where):
        try:
            names = [r[0] for r in self.db.query("SELECT name FROM pragma_table_info('tgt')")[1]]
        except engine.SqlError:
            names = []
        if not names:
            return
        plain = [n for n in names if not n.startswith("__")]
        tail = ["__START_AT", "__END_AT"] if self.oracle.scd == 2 else []
        got = self.db.query("SELECT %s FROM tgt" % ", ".join(engine.quote(n) for n in plain + tail))[1]
        got = sorted([list(r) for r in got], key=repr)
        want = self.oracle.rows(plain)
        if [[exact(v) for v in r] for r in got] != [[exact(v) for v in r] for r in want]:
            raise Failure("rows differ %s\n  wanted %s\n  got    %s" % (where, want, got))
        if self.oracle.known or self.oracle.current:
            found = self.db.query("SELECT * FROM autocdc_check('tgt')")[1]
            if found:
                raise Failure("autocdc_check %s: %s" % (where, found[:3]))

    def as_of(self, shot, rows):
        """The target at a version is that snapshot, in all that is tracked."""
        names = [c for c in shot["columns"] if c in self.c["keys"] or self.oracle.tracked(c)]
        v = engine.literal(shot["shown"])
        got = self.db.run(
            "SELECT %s FROM tgt WHERE autocdc_seq_key(__START_AT) <= autocdc_seq_key(%s) AND "
            "(__END_AT IS NULL OR autocdc_seq_key(__END_AT) > autocdc_seq_key(%s))" % (
                ", ".join(engine.quote(n) for n in names), v, v))[1]

        def folded(row):
            key = list(self.oracle.key(dict(zip(names, row)))) if all(k in names for k in self.c["keys"]) else []
            return repr(key + [canonical(x) for n, x in zip(names, row) if n not in self.c["keys"]])
        want = sorted(folded([r[n] for n in names]) for r in rows)
        if sorted(map(folded, got)) != want:
            raise Failure("as of %s rows differ\n  wanted %s\n  got    %s" % (v, want, sorted(map(folded, got))))
