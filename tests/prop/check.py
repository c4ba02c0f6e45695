"""Plays a case through the engine and holds it against the oracle after every call."""
import json
import os
import random
import tempfile

import oracle
import sequences
from engine import Engine, SqlError, literal, quote

RESULT = "flow, target, status, rows_read, inserted, updated, deleted, unchanged, late, rejected, message, ties"
WHERE_FILES = "/dev/shm" if os.path.isdir("/dev/shm") and os.access("/dev/shm", os.W_OK) else None


class Failure(Exception):
    def __init__(self, what, wanted=None, got=None):
        super().__init__(what)
        self.what, self.wanted, self.got = what, wanted, got


def create(name, columns, extra=""):
    return "CREATE TABLE %s(%s)%s" % (name, ", ".join(("%s %s" % (quote(n), d)).strip() for n, d in columns), extra)


def inserts(name, rows):
    return ["INSERT INTO %s VALUES(%s)" % (name, ", ".join(literal(v) for v in row)) for row in rows]


class Player:
    def __init__(self, case, lib, ext, script):
        self.case, self.lib, self.ext, self.script = case, lib, ext, script
        self.rng = random.Random(case["seed"])
        target = case["target"]
        config = dict(case["flows"][0])
        config.update(case["frozen"])
        self.log = oracle.Log(case["scd"], case["keys"], config, case["parts"],
                              target and target["columns"], target and target["rows"] or ())
        self.log.config = {k: v for k, v in config.items() if k.startswith("track") or k == "tie_break"}
        self.made = {}                   # sources that grow: flow number -> rows in it
        self.folder = None
        self.stopped = False             # a tie was refused: the source cannot be read on
        self.path = ":memory:"
        self.replayable = []             # (flow, columns, rows)

    # -- the connection

    def play(self):
        if self.case["file"]:
            with tempfile.TemporaryDirectory(dir=WHERE_FILES) as self.folder:
                self.path = os.path.join(self.folder, "case.db")
                return self.play_all()
        return self.play_all()

    def open(self):
        self.db = Engine(self.lib, self.ext, self.path, self.script)

    def close(self):
        if not self.db.close():
            raise Failure("sqlite3_close(): a statement was left open")

    def play_all(self):
        self.open()
        target = self.case["target"]
        if target:
            for ddl in target["ddl"]:
                self.db.run(ddl)
            for insert in inserts("tgt", target["rows"]):
                self.db.run(insert)
        for number, batch in enumerate(self.case["batches"]):
            if batch["reopen"] and self.folder:
                self.close()
                self.open()
            self.one_batch(number, batch)
            if self.stopped:
                break
        if self.case["batches"] and not self.stopped:
            self.replay()
            self.consistent()
        rows = self.target_rows() if self.case["batches"] else None
        self.close()
        return rows

    # -- one batch

    def one_batch(self, number, batch):
        flow = dict(self.case["flows"][batch["flow"]], target="tgt")
        flow["source"], arrived = self.source(number, batch)
        before = self.target_rows()
        if self.case["rule"] == "error" and self.refused(number, flow, batch, arrived):
            return
        if batch["txn"] in ("rollback", "savepoint"):
            self.undone(number, flow, batch["txn"])
        if batch["txn"] == "commit":
            self.db.run("BEGIN")
        result = self.call(number, flow)
        if batch["txn"] == "commit":
            self.db.run("COMMIT")
        if self.db.busy():
            raise Failure("batch %d: a transaction was left open" % number)
        columns, rows = batch["columns"], arrived
        self.log.take(flow, columns, rows)
        self.replayable.append((flow, columns, batch["rows"]))
        after = self.compare("batch %d" % number)
        self.counts("batch %d" % number, before, after, result)
        if batch["twice"]:
            result = self.call(number, flow)
            if batch["how"] in ("view", "select", "without"):
                self.log.take(flow, columns, rows)
            again = self.compare("batch %d, called again" % number)
            if not self.case["ties"] or self.case["rule"] == "first":
                self.unchanged("batch %d, called again" % number, after, again, result)

    def refused(self, number, flow, batch, rows):
        """With tie_break "error": a call that meets a tie fails and leaves no trace."""
        known, truncates = self.log.arrivals, dict(self.log.truncates)
        columns, emitted = dict(self.log.columns), list(self.log.emitted)
        self.log.take(flow, batch["columns"], rows)
        level = self.log.tied_since(known)
        self.log.forget_since(known, truncates)
        self.log.columns, self.log.emitted = columns, emitted
        if level == 0:
            return False
        before = self.db.dump()
        try:
            self.call(number, flow)
        except Failure as e:
            if " failed: " not in e.what or "tie" not in e.what:
                raise
            if self.db.busy() or self.db.dump() != before:
                raise Failure("batch %d: a refused call left a trace" % number, before, self.db.dump())
            self.stopped = True
            return True
        if level == 2:
            raise Failure("batch %d: a tie was not refused" % number)
        self.stopped = True
        return True

    def undone(self, number, flow, how):
        """A call inside a transaction that is rolled back leaves no trace."""
        before = self.db.dump()
        self.db.run("BEGIN" if how == "rollback" else "SAVEPOINT mine")
        self.call(number, flow)
        if how == "rollback":
            self.db.run("ROLLBACK")
        else:
            self.db.run("ROLLBACK TO mine")
            self.db.run("RELEASE mine")
        if self.db.dump() != before:
            raise Failure("batch %d: a rolled back call left a trace" % number, before, self.db.dump())

    def call(self, number, flow):
        sql = "SELECT %s FROM apply_changes(%s)" % (RESULT, literal(json.dumps(flow, ensure_ascii=False)))
        try:
            names, rows = self.db.run(sql)
        except SqlError as e:
            raise Failure("batch %s failed: %s" % (number, e))
        if len(rows) != 1:
            raise Failure("batch %s: one row of results wanted, got %d" % (number, len(rows)), None, rows)
        result = dict(zip(names, rows[0]))
        if result["status"] not in ("ok", "warning"):
            raise Failure("batch %s: status %s: %s" % (number, result["status"], result["message"]))
        if not self.case["ties"] and result["ties"]:
            raise Failure("batch %s: %s ties counted, there are none" % (number, result["ties"]), 0, result["ties"])
        return result

    # -- sources

    def source(self, number, batch):
        """Makes or fills the source; returns (the member, the rows that the call is given, in their order)."""
        mode, how, columns, rows = self.case["mode"], batch["how"], batch["columns"], batch["rows"]
        if mode == "separate":
            name = "batch_%d" % number
            at = [n for n, _ in columns].index("n")
            extra = ""
            if how == "without" and len({r[at] for r in rows}) == len(rows):
                rows = sorted(rows, key=lambda r: r[at])
                columns = [(n, d + " PRIMARY KEY" if n == "n" else d) for n, d in columns]
                extra = " WITHOUT ROWID"
            self.runs([create(name, columns, extra)] + inserts(name, rows))
            return self.face(name, how), rows
        name = "changes_%d" % batch["flow"]
        if batch["flow"] not in self.made:
            if how == "alias":
                columns = [(n, d + " PRIMARY KEY" if n == "n" else d) for n, d in columns]
            self.runs([create(name, columns)])
            if mode == "reread":
                self.runs(["CREATE VIEW v_%s AS SELECT * FROM %s" % (name, name)])
            self.made[batch["flow"]] = []
        if mode == "refill":
            self.runs(["DELETE FROM " + name])
        if batch["gone"]:
            self.runs(["DELETE FROM %s WHERE rowid %% %d = %d" % (name, self.rng.choice([1, 2, 3]), 0)])
        self.runs(inserts(name, rows))
        if mode == "reread":
            self.made[batch["flow"]] += rows
            source = "v_" + name if how == "view" else "SELECT * FROM " + name
            return source, list(self.made[batch["flow"]])
        return name, rows

    def face(self, name, how):
        if how == "view":
            self.runs(["CREATE VIEW v_%s AS SELECT * FROM %s" % (name, name)])
            return "v_" + name
        return "SELECT * FROM " + name if how == "select" else name

    def runs(self, statements):
        for sql in statements:
            self.db.run(sql)

    # -- the target

    def target_rows(self):
        """(names, rows) as stored; no names if there is no target yet."""
        if not self.db.query("SELECT 1 FROM sqlite_schema WHERE name = 'tgt'")[1]:
            return [], []
        return self.db.query("SELECT * FROM tgt")

    def canonical(self, names, rows, where, given):
        """{identity: (row with its values in the oracle's order, form of its ends)}.

        Keys that differ by collation only are one key, sequences of one instant are one sequence. given: the ends
        are sequence keys already.
        """
        log = self.log
        order = list(log.keys) + [n for n in log.columns if n not in log.keys]
        at = {n.lower(): i for i, n in enumerate(names)}
        lost = [n for n in order if n not in at]
        if lost and names:
            raise Failure("%s: the target lacks the columns %s" % (where, lost), order, names)
        over = [n for n in at if n not in order and not (log.scd == 2 and n in ("__start_at", "__end_at"))]
        if over:
            raise Failure("%s: the target has the columns %s" % (where, over), order, names)
        out = {}
        for row in rows:
            key = tuple(self.folded(n, row[at[n]]) for n in log.keys)
            values = tuple(typed(row[at[n]]) for n in order if n not in log.keys)
            forms = tuple(typed(row[at[n]]) for n in log.keys)
            identity = key
            if log.scd == 2:
                ends = [row[at["__start_at"]], row[at["__end_at"]]]
                if not given:
                    forms += tuple(typed(e) for e in ends)
                    ends = [self.end(e, where) for e in ends]
                identity += (ends[0],)
                values += (ends[1],)
            if identity in out:
                raise Failure("%s: two rows of one identity" % where, None, [r for r in rows])
            out[identity] = (values, forms)
        return out

    def folded(self, name, value):
        declaration = self.log.columns[name][1]
        if isinstance(value, str) and "NOCASE" in declaration:
            value = "".join(c.lower() if c.isascii() else c for c in value)
        if isinstance(value, str) and "RTRIM" in declaration:
            value = value.rstrip(" ")
        return typed(value)

    def end(self, value, where):
        if value is None:
            return None
        try:
            key = sequences.read_shown(value, self.log.parts)
        except ValueError:
            key = None
        forms = self.log.forms.get(key) if key is not None else None
        if not forms or typed(value) not in [typed(f) for f in forms]:
            raise Failure("%s: %r is not the form of a sequence that was given" % (where, value), forms, value)
        return key

    def compare(self, where):
        """The target against the oracle; returns the target."""
        got = self.target_rows()
        names, rows = self.log.rows()
        wanted = self.canonical(names, rows, where, True)
        found = self.canonical(got[0], got[1], where, False)
        if {k: v[0] for k, v in wanted.items()} != {k: v[0] for k, v in found.items()}:
            shown = [[self.log.forms[v][0] if isinstance(v, tuple) and v in self.log.forms else v for v in r]
                     for r in rows]
            at = {n.lower(): i for i, n in enumerate(got[0])}
            back = [[r[at[n.lower()]] for n in names] if names and got[0] else list(r) for r in got[1]]
            raise Failure("%s: rows differ (%s)" % (where, ", ".join(names)), shown, back)
        return got

    # -- counts and replays

    def counts(self, where, before, after, result):
        """inserted, updated and deleted are the real difference of the target by row identity."""
        names = after[0]
        old_at = {n.lower(): i for i, n in enumerate(before[0])}
        padded = [[r[old_at[n.lower()]] if n.lower() in old_at else None for n in names] for r in before[1]]
        old = self.canonical(names, padded, where, False)
        new = self.canonical(names, after[1], where, False)
        inserted = len([k for k in new if k not in old])
        deleted = len([k for k in old if k not in new])
        changed = len([k for k in new if k in old and new[k][0] != old[k][0]])
        respelled = len([k for k in new if k in old and new[k] != old[k]])
        got = (result["inserted"], result["updated"], result["deleted"])
        if got[0] != inserted or got[2] != deleted or not changed <= got[1] <= respelled:
            raise Failure("%s: inserted, updated, deleted differ" % where, (inserted, changed, deleted), got)

    def unchanged(self, where, before, after, result):
        if sorted(before[1], key=repr) != sorted(after[1], key=repr):
            raise Failure("%s: a replay changed the target" % where, before[1], after[1])
        got = (result["inserted"], result["updated"], result["deleted"])
        if got != (0, 0, 0):
            raise Failure("%s: a replay counts inserted, updated, deleted" % where, (0, 0, 0), got)

    def replay(self):
        """Without ties, any part of what was received changes nothing when it comes again."""
        if self.case["ties"] and not self.case["rule"] == "first":
            return
        for number, (flow, columns, rows) in enumerate(self.replayable):
            part = [r for r in rows if self.rng.random() < .6]
            if not self.case["rule"] == "first":
                self.rng.shuffle(part)
            name = "replay_%d" % number
            self.runs([create(name, columns)] + inserts(name, part))
            before = self.target_rows()
            result = self.call("replay %d" % number, dict(flow, source=name))
            self.unchanged("replay of batch %d" % number, before, self.target_rows(), result)

    def consistent(self):
        if not self.db.query("SELECT 1 FROM pragma_module_list WHERE name = 'autocdc_check'")[1]:
            return
        _, rows = self.db.run("SELECT * FROM autocdc_check('tgt')")
        if rows:
            raise Failure("autocdc_check() finds faults", [], rows)


def typed(value):
    return (type(value).__name__, value)


def current_equals_open(case, lib, ext, script):
    """The SCD1 target equals the open rows of the SCD2 target of the same stream."""
    both = {}
    for scd in (1, 2):
        flows = []
        for flow in case["flows"]:
            flow = {k: v for k, v in flow.items() if not (scd == 1 and (k.startswith("track") or k == "scd2_truncates"))}
            flow.pop("stored_as_scd_type", None)
            flow["scd_type"] = scd
            flows.append(flow)
        frozen = {k: v for k, v in case["frozen"].items() if not (scd == 1 and k.startswith("track"))}
        player = Player(dict(case, scd=scd, flows=flows, frozen=frozen), lib, ext, script)
        names, rows = player.play() or ([], [])
        at = {n.lower(): i for i, n in enumerate(names)}
        order = list(player.log.keys) + sorted(n for n in player.log.columns if n not in player.log.keys)
        both[scd] = sorted(repr([player.folded(n, r[at[n]]) for n in order]) for r in rows
                           if scd == 1 or r[at["__end_at"]] is None)
    if both[1] != both[2]:
        raise Failure("SCD1 is not the open rows of SCD2", both[1], both[2])


def comparable(case):
    """Where SCD1 and SCD2 mean the same: every batch has every column, nothing was there, truncates close."""
    if case["scd"] != 2 or case["target"] or len(case["flows"]) > 1:
        return False
    if any(f.get("scd2_truncates") == "ignore" for f in case["flows"]):
        return False
    return len({tuple(sorted(n for n, _ in b["columns"])) for b in case["batches"]}) == 1
