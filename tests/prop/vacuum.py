"""Random streams with a floor in the middle: what autocdc_vacuum() forgets must not show.

One target takes a first batch, is vacuumed at a floor, and takes the others. Its twin takes the first batch and, of the
others, what is not below the floor. Both must be equal, after every batch, and autocdc_check() must find nothing.
"""
import json
import random

import engine
from snapshot import Failure, exact


def sequence(rng, kind, at):
    if kind == "integer":
        return at
    if kind == "text":
        return str(at)
    if kind == "instant":
        return "2024-01-01 00:00:%02d" % at
    if kind == "mixed":
        return rng.choice(["2024-01-01 00:00:%02d", "2024-01-01T00:00:%02dZ", "2024-01-01 01:00:%02d+01:00"]) % at
    return at // 8


def case(seed):
    rng = random.Random(seed)
    scd = rng.choice([1, 2, 2])
    kind = rng.choice(["integer", "integer", "text", "instant", "mixed", "pair"])
    composite = rng.random() < 0.3
    config = {"keys": ["k", "j"] if composite else ["k"], "scd_type": scd, "apply_as_deletes": "op = 'D'",
              "sequence_by": ["s", "q"] if kind == "pair" else "s", "except_column_list": ["op", "s", "q"]}
    if rng.random() < 0.4:
        config["ignore_null_updates"] = True
    if scd == 2 and rng.random() < 0.6:
        config["track_history_column_list"] = rng.choice([["a"], ["a", "b"], []])
    if rng.random() < 0.3:
        config["apply_as_truncates"] = "op = 'T'"
        if scd == 2:
            config["scd2_truncates"] = "close"
    batches = []
    for _ in range(rng.randint(2, 4)):
        rows = []
        for _ in range(rng.randint(1, rng.choice([4, 12, 40]))):
            at = rng.randint(0, 40)
            op = rng.choice("UUUUUDD" + ("T" if "apply_as_truncates" in config and rng.random() < 0.3 else ""))
            rows.append([rng.randint(1, 4), rng.choice(["x", "y"]), rng.choice([None, "p", "q"]), rng.choice([None, 1, 2, 3]),
                         op, sequence(rng, kind, at), at % 8])
        batches.append(rows)
    floor = rng.randint(0, 45)
    shown = json.dumps([floor // 8, floor % 8], separators=(",", ":")) if kind == "pair" else sequence(rng, kind, floor)
    return {"seed": seed, "scd": scd, "config": config, "batches": batches, "kind": kind,
            "floor": None if kind != "pair" and rng.random() < 0.15 else shown, "type": rng.choice(["INTEGER", "TEXT", "TEXT COLLATE NOCASE"])}


class Player:
    """Plays a case; raises Failure."""

    def __init__(self, case_, lib, ext, script):
        self.c, self.script = case_, script
        self.db = engine.Engine(lib, ext, ":memory:", script)

    def apply(self, target, source, where=None):
        flow = dict(self.c["config"], target=target, source=source)
        if where:
            flow["where"] = where
        try:
            self.db.run("SELECT status FROM apply_changes(%s)" % engine.literal(json.dumps(flow)))
        except engine.SqlError as e:
            raise Failure("%s into %s failed: %s" % (source, target, e))

    def play(self):
        c, db, where = self.c, self.db, None
        for i, rows in enumerate(c["batches"]):
            name = "batch_%d" % i
            db.run("CREATE TABLE %s(k %s, j TEXT, a TEXT, b INTEGER, op TEXT, s, q INTEGER)" % (name, c["type"]))
            for row in rows:
                db.run("INSERT INTO %s VALUES(%s)" % (name, ", ".join(engine.literal(v) for v in row)))
            self.apply("one", name)
            self.apply("two", name, where)
            self.compare("after batch %d" % i)
            if i == 0:
                where = self.vacuum()
                self.compare("after the vacuum")
        self.db.run("SELECT autocdc_vacuum('one')")
        self.compare("at the end")

    def vacuum(self):
        """Returns the condition that stands for the floor."""
        floor = self.c["floor"]
        arg = "" if floor is None else ", " + engine.literal(floor)
        said = self.db.run("SELECT autocdc_vacuum('one'%s)" % arg)[1][0][0]
        if floor is None:
            found = self.db.query("SELECT sequence FROM autocdc_state('one') WHERE kind = 'floor'")[1]
            if not found:
                return None
            floor = found[0][0]
        if not said.startswith("one: "):
            raise Failure("autocdc_vacuum said %s" % said)
        mine = "json_array(s, q)" if self.c["kind"] == "pair" else "s"
        return "autocdc_seq_key(%s) >= autocdc_seq_key(%s)" % (mine, engine.literal(floor))

    def compare(self, where):
        got, want = (sorted(map(list, self.db.query("SELECT * FROM " + t)[1]), key=repr) for t in ("one", "two"))
        if [[exact(v) for v in r] for r in got] != [[exact(v) for v in r] for r in want]:
            raise Failure("the vacuumed target differs %s\n  wanted %s\n  got    %s" % (where, want, got))
        for target in ("one", "two"):
            found = self.db.query("SELECT * FROM autocdc_check('%s')" % target)[1]
            if found:
                raise Failure("autocdc_check %s finds in %s: %s" % (where, target, found[:3]))
            rows = self.db.query("SELECT count(*) FROM autocdc_state('%s') WHERE shown AND kind = 'upsert'" % target)[1][0][0]
            if self.c["scd"] == 2 and rows != len(want):
                raise Failure("autocdc_state %s of %s shows %d upserts, the target has %d rows" % (where, target, rows, len(want)))
