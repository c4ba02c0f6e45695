#!/usr/bin/python3
"""Property test of bitemporal targets (semantics.md 7).

    tests/prop/bitemporal.py --ext ./libautocdc.so [--seed N] [--cases N] [--seconds N] [--libsqlite3 PATH]

Random events on two axes of time arrive in random batches and orders, with deletes, repeats and ties. After each
batch, for every system time that the events have, the rows whose system interval contains it must be the SCD2 table
that the plain SQL of oracle.py builds from the events known by then. Besides: no two rows say what one row could say,
reading all again changes nothing, and the same events in another order give the same table.
Case number i of --seed N is the one of seed N + i. Closes with 'N passed, N failed'.
"""
import argparse
import json
import os
import random
import signal
import sys
import time
import traceback

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import engine         # noqa: E402
import oracle         # noqa: E402

INTERVAL = ["__START_AT", "__END_AT", "__SYSTEM_START_AT", "__SYSTEM_END_AT"]


class Failure(Exception):
    def __init__(self, what, wanted=None, got=None):
        Exception.__init__(self, what)
        self.what, self.wanted, self.got = what, wanted, got


class Axis:
    """One kind of sequence. render(rank) is a value (or values) of the source; rank(shown) is the way back."""

    KINDS = ["integer", "digits", "decimal", "text", "large", "instant", "forms", "composite"]

    def __init__(self, rng, name, kind):
        self.rng, self.kind = rng, kind
        self.columns = [name + "1", name + "2"] if kind == "composite" else [name]
        self.known = {}

    def declared(self):
        types = {"integer": "INTEGER", "digits": "TEXT", "text": "TEXT", "instant": "TEXT", "forms": "TEXT",
                 "composite": "INTEGER"}
        return [(c, types.get(self.kind, "")) for c in self.columns]

    def render(self, rank):
        minute = "2025-07-18%s%02d:%02d:00"
        if self.kind == "integer":
            values, shown = [rank * 3 - 20], rank * 3 - 20
        elif self.kind == "digits":
            values, shown = [str(rank + 5)], rank + 5
        elif self.kind == "decimal":
            values, shown = [rank + 0.5], rank + 0.5
        elif self.kind == "text":
            values, shown = ["t%03d" % rank], "t%03d" % rank
        elif self.kind == "large":
            values = [str(10 ** 20 + rank)]
            shown = values[0].rjust(38, "0")
        elif self.kind == "composite":
            values = [rank // 4, rank % 4]
            shown = "[%d,%d]" % tuple(values)
        else:
            forms = [minute % (" ", rank // 60, rank % 60), minute % ("T", rank // 60, rank % 60) + "Z"]
            values = [forms[self.rng.randrange(2) if self.kind == "forms" else 0]]
            shown = values[0]
        self.known[shown] = rank
        return values

    def rank(self, shown):
        return None if shown is None else self.known[shown]


def plan(seed):
    """One case: the flow, the columns of the source, and batches of (key.., op, a, b, business rank, system rank)."""
    rng = random.Random(seed)
    c = {"seed": seed, "rng": rng}
    c["bt"] = Axis(rng, "bt", rng.choice(Axis.KINDS if rng.random() < 0.6 else ["integer"]))
    c["st"] = Axis(rng, "st", rng.choice(Axis.KINDS if rng.random() < 0.6 else ["integer"]))
    c["keys"] = rng.choice([[("id", "INTEGER")], [("id", "TEXT")], [("k1", "INTEGER"), ("k2", "TEXT")],
                            [("id", "TEXT COLLATE NOCASE")]])
    flow = {"source": "src", "target": "tgt", "keys": [k for k, _ in c["keys"]], "scd_type": "bitemporal",
            "sequence_by": c["bt"].columns, "system_sequence_by": c["st"].columns, "apply_as_deletes": "op = 'D'"}
    if rng.random() < 0.85:
        flow["except_column_list"] = ["op"] + c["bt"].columns + c["st"].columns
    else:
        flow["except_column_list"] = ["op"]
    partial = rng.random() < 0.35
    if partial:
        flow.update(rng.choice([{"ignore_null_updates": True}, {"ignore_null_updates_column_list": ["a"]},
                                {"ignore_null_updates_except_column_list": ["b"]}]))
    elif rng.random() < 0.2:
        flow["tie_break"] = "first"
    if rng.random() < 0.15:
        flow["null_keys"] = "match"
    c["partial"], c["flow"] = partial, flow
    nulls = "null_keys" in flow
    spread = rng.choice([3, 4, 8, 20, 40])
    late = rng.choice([2, 3, 4, 8, 20, 40])
    count = rng.choice([3, 6, 12, 25, 50, 90])
    names = {"INTEGER": [1, 2, 3], "TEXT": ["x", "y", "X"]}
    ties = rng.random() < 0.4
    style = rng.choice(["random", "ordered", "business", "system"])
    deletes = rng.choice([0, 0.1, 0.3])
    values = rng.choice([[1, 2], [1, 2, 3, 4, 5, 6, 7], [1, 1.0, 2, "1", None], ["p", "q", None]])
    crowd = rng.choice([0, 0.2, 0.5])                   # keys other than the first
    events, taken = [], {}
    for i in range(count):
        key = tuple(rng.choice(names[d.split()[0]] + ([None] if nulls else [])) if rng.random() < crowd
                    else names[d.split()[0]][0] for _, d in c["keys"])
        if rng.random() < 0.1 and c["keys"][0][1].endswith("NOCASE") and key[0]:
            key = (key[0].upper(),)
        b = rng.randrange(spread) if style in ("random", "system") else i * spread // count
        s = rng.randrange(late) if style in ("random", "business") else i * late // count
        op = "D" if rng.random() < deletes else "U"
        row = (op, rng.choice(values), rng.choice(values))
        place = (tuple(k.lower() if isinstance(k, str) and c["keys"][0][1].endswith("NOCASE") else k for k in key),
                 b, s)
        if place in taken and not ties:
            continue
        taken[place] = 1
        events.append(key + row + (b, s))
    if rng.random() < 0.7:
        rng.shuffle(events)
    c["ties"] = ties
    for _ in range(rng.choice([0, 0, 3])):              # repeats
        if events and not ties:
            events.insert(rng.randrange(len(events) + 1), rng.choice(events))
    cuts = sorted(rng.randrange(len(events) + 1) for _ in range(rng.choice([0, 1, 3, 8, len(events)])))
    c["batches"] = [events[i:j] for i, j in zip([0] + cuts, cuts + [len(events)])]
    c["mode"] = rng.choice(["append", "refill"])
    c["made"] = rng.choice(["", "", "", "rowid", "trigger"]) if not nulls else ""
    return c


class Player:
    def __init__(self, case, lib, ext, script):
        self.c, self.script = case, script
        self.db = engine.Engine(lib, ext, ":memory:", script)
        self.columns = (case["keys"] + [("op", "TEXT"), ("a", ""), ("b", "")] + case["bt"].declared() +
                        case["st"].declared())
        self.log = []                                   # (row of the source, business rank, system rank)
        self.db.run("CREATE TABLE src(%s)" % ", ".join("%s %s" % d for d in self.columns))
        kept = [d for d in self.columns if d[0] not in case["flow"]["except_column_list"]]
        self.names = [n for n, _ in kept]
        if case["made"]:
            self.db.run("CREATE TABLE tgt(%s)" % ", ".join(["%s %s" % d for d in kept] + INTERVAL))
        if case["made"] == "trigger":
            self.db.run("CREATE TABLE seen(n)")
            self.db.run("CREATE TRIGGER tr AFTER INSERT ON tgt BEGIN INSERT INTO seen VALUES(1); END")

    def call(self, **more):
        flow = dict(self.c["flow"], **more)
        sql = "SELECT inserted, updated, deleted, unchanged, rows_read, ties FROM apply_changes(%s)" % engine.literal(
            json.dumps(flow))
        return self.db.run(sql)[1][0]

    def rows(self):
        names = self.names + INTERVAL
        out = []
        for r in self.db.query("SELECT %s FROM tgt" % ", ".join(engine.quote(n) for n in names))[1]:
            r = list(r)
            for i, axis in ((-4, "bt"), (-3, "bt"), (-2, "st"), (-1, "st")):
                try:
                    r[i] = self.c[axis].rank(r[i])
                except KeyError:
                    raise Failure("a row has %r in %s" % (r[i], INTERVAL[i]), None, r)
            out.append(r)
        return out

    def arrive(self, batch):
        if self.c["mode"] == "refill":
            self.db.run("DELETE FROM src")
        for e in batch:
            n = len(self.c["keys"]) + 3
            row = list(e[:n]) + self.c["bt"].render(e[n]) + self.c["st"].render(e[n + 1])
            self.db.run("INSERT INTO src VALUES(%s)" % ", ".join(engine.literal(v) for v in row))
            self.log.append((row, e[n], e[n + 1]))

    def wanted(self, s):
        """The SCD2 table of the events known at system rank s: corrections arrive after what they correct."""
        config = {k: v for k, v in self.c["flow"].items() if k != "system_sequence_by"}
        config.update(scd_type=2, sequence_by=self.c["bt"].columns)
        known = [e for e in self.log if e[2] <= s]
        if config.get("tie_break") == "first":
            known = [e for i, e in enumerate(known) if self.stands_first(known, i)]
        known = [e for i, e in enumerate(known) if not self.undone(known, i)]
        known.sort(key=lambda e: e[2])
        log = oracle.Log(2, self.c["flow"]["keys"], config, len(self.c["bt"].columns))
        log.take(config, self.columns, [e[0] for e in known])
        names, rows = log.rows()
        keys = sorted({e[1] for e in known})
        order = sorted({ev.key for ev in log.events if ev.key is not None})
        rank = dict(zip(order, keys))
        place = [[n.lower() for n in names].index(n.lower()) for n in self.names]
        return [[r[i] for i in place] + [rank[r[-2]], None if r[-1] is None else rank[r[-1]]] for r in rows]

    def place(self, e):
        key = e[0][:len(self.c["keys"])]
        if self.c["keys"][0][1].endswith("NOCASE"):
            key = [key[0].lower() if key[0] else key[0]]
        return list(map(str, key)), e[1]

    def stands_first(self, known, i):
        """tie_break first, without partial updates: the first of the greatest system rank at its place."""
        same = [(e[2], -j) for j, e in enumerate(known) if self.place(e) == self.place(known[i])]
        return max(same) == (known[i][2], -i)

    def undone(self, known, i):
        """A tie (equal on both axes) between a delete and another event: the earlier contributes nothing."""
        e, n = known[i], len(self.c["keys"])
        later = [x for x in known[i + 1:] if x[2] == e[2] and self.place(x) == self.place(e)]
        return bool(later) and (e[0][n] == "D" or any(x[0][n] == "D" for x in later))

    def comparable(self, rows):
        """Rows to compare: storage classes count; the spelling of a NOCASE key is that of one of its events."""
        if self.c["keys"][0][1].endswith("NOCASE"):
            rows = [[r[0].lower() if isinstance(r[0], str) else r[0]] + r[1:] for r in rows]
        return sorted(repr(r) for r in rows)

    def check(self, where):
        got = self.rows()
        for s in sorted({e[2] for e in self.log}):
            want = self.comparable(self.wanted(s))
            have = self.comparable([r[:-2] for r in got if r[-2] <= s and (r[-1] is None or s < r[-1])])
            if self.loose():
                want, have = (sorted(r.replace(".0", "") for r in x) for x in (want, have))
            if want != have:
                raise Failure("%s: as of system time %d" % (where, s), want, have)
        seen = {}
        for r in got:
            if r[-1] is not None and r[-1] <= r[-2]:
                raise Failure("%s: an empty system interval" % where, None, r)
            n = len(self.c["keys"])
            key = repr([k.lower() if isinstance(k, str) and self.c["keys"][0][1].endswith("NOCASE") else k
                        for k in r[:n]] + r[n:-2])
            seen.setdefault(key, []).append(r)
        for same in seen.values():
            ends = {r[-1] for r in same}
            for r in same:
                if r[-2] in ends:
                    raise Failure("%s: two rows that could be one" % where, None, same)

    def loose(self):
        """1 or 1.0: an inherited value may have the class of its equal, and equal events are one."""
        return self.c["partial"] or self.c["ties"]

    def play(self):
        for number, batch in enumerate(self.c["batches"]):
            self.arrive(batch)
            self.call()
            self.check("batch %d" % number)
        before = self.db.dump()
        n = self.call(read="all")
        if self.c["mode"] == "append" and not (self.c["ties"] and self.c["partial"]) and (
                n[:3] != (0, 0, 0) or self.db.dump() != before):
            raise Failure("reading all again", before, "%r %s" % (n, self.db.dump()))
        self.check("after reading again")
        if self.db.busy():
            raise Failure("a transaction is open")
        if not self.db.close():
            raise Failure("a statement is open")


def outcome(seed, batches, lib, ext):
    script = []
    try:
        case = plan(seed)
        case["batches"] = batches or case["batches"]
        Player(case, lib, ext, script).play()
        return None
    except Failure as e:
        return "%s\n-- wanted %s\n-- got    %s" % (e.what, e.wanted, e.got), script
    except Exception:  # noqa: BLE001 - an error of the extension, or of the test itself
        return traceback.format_exc(), script


def in_child(seed, batches, lib, ext):
    """In a process of its own, so that a crash or a hang fails one case. Returns "" or the report."""
    r, w = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(r)
        signal.alarm(60)
        failure = outcome(seed, batches, lib, ext)
        with os.fdopen(w, "w", encoding="utf-8", errors="replace") as pipe:
            if failure:
                pipe.write("%s\n%s\nSELECT * FROM tgt;\n" % (failure[0], "\n".join(failure[1])))
        os._exit(0)
    os.close(w)
    with os.fdopen(r, encoding="utf-8", errors="replace") as pipe:
        text = pipe.read()
    _, status = os.waitpid(pid, 0)
    return "killed by signal %d" % os.WTERMSIG(status) if os.WIFSIGNALED(status) else text


def smallest(seed, text, lib, ext, seconds=60):
    """Leaves events and batches out while the case still fails."""
    batches, until, again = plan(seed)["batches"], time.time() + seconds, True
    while again and time.time() < until:
        again = False
        for i in range(len(batches) - 1, -1, -1):
            fewer = [batches[:i] + [batches[i][:j] + batches[i][j + 1:]] + batches[i + 1:]
                     for j in range(len(batches[i]))]
            fewer += [batches[:i] + batches[i + 1:]] if not batches[i] else []
            for less in fewer:
                now = in_child(seed, less, lib, ext)
                if now:
                    batches, text, again = less, now, True
                    break
    return text


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    ap.add_argument("--ext", required=True, help="path of the built extension")
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--cases", type=int, default=300)
    ap.add_argument("--seconds", type=float, default=0, help="stop after this time, whatever --cases says")
    ap.add_argument("--libsqlite3", default="", help="another build of libsqlite3")
    ap.add_argument("--keep-going", type=int, default=5, metavar="N", help="stop after N failures (5)")
    a = ap.parse_args()
    lib, ext = engine.library(a.libsqlite3), os.path.abspath(a.ext)
    until = time.time() + a.seconds if a.seconds else None
    passed = failed = 0
    for seed in range(a.seed, a.seed + a.cases):
        if until and time.time() > until or failed >= a.keep_going:
            break
        text = in_child(seed, None, lib, ext)
        if text:
            failed += 1
            text = smallest(seed, text, lib, ext)
            print("FAIL -- seed %d: %s" % (seed, text), flush=True)
        else:
            passed += 1
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
