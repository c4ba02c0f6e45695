"""A random case: a configuration, a target, and change rows dealt out to batches. case(seed) always gives the same.

A case is a dict of plain data, so that it can be cut down (shrink.py) and played again:

  scd, keys, parts       as oracle.Log takes them
  frozen                 the members that all flows of the target share
  flows                  one dict of members for each flow (without target and source)
  target                 None, or {"ddl", "columns", "rows", "hidden"}: a table of the user's
  mode                   how the source tables live (SOURCES)
  batches                [{"flow", "columns", "rows", "how", "txn", "reopen", "gone"}]
  ties                   whether one key may have different events at one sequence
"""
import json
import random

import domains
import oracle

SOURCES = ["separate"] * 5 + ["grow"] * 3 + ["refill"] * 2 + ["reread"] * 2
PARTIAL = ("ignore_null_updates", "ignore_null_updates_column_list", "ignore_null_updates_except_column_list",
           "columns_to_update")

FEED = ("_change_type", "_commit_version", "_commit_timestamp")


def case(seed):
    return Maker(seed).make()


def quote(name):
    return oracle.quote(name)


class Maker:
    def __init__(self, seed):
        self.seed = seed
        self.rng = random.Random(seed)

    def chance(self, p):
        return self.rng.random() < p

    # -- the shape of the source

    def make(self):
        rng = self.rng
        self.simple = self.chance(.3)
        self.scd = rng.choice([1, 2, 2])
        self.ties = self.chance(.35)
        self.rule = rng.choice(["last", "last", "last", "first", "error"]) if self.ties else "last"
        self.mode = rng.choice(SOURCES)
        self.sequence = domains.Sequence(rng, self.simple and self.chance(.7))
        if self.sequence.many_forms:
            self.ties, self.rule = False, "last"
        self.user_made = self.chance(.35)
        self.null_keys = self.chance(.08)
        self.loose = not self.simple and self.chance(.2)
        self.large = self.chance(.02)
        self.feed = self.chance(.04)
        self.make_keys()
        self.make_data()
        self.truncates = self.chance(.25) and (self.scd == 1 or rng.choice(["close", "close", "ignore"]))
        if self.rule == "first" and self.scd == 2:
            self.truncates = False          # which of a delete and a truncate at one sequence came first is not kept
        if self.feed:
            self.sequence.as_feed()
            self.truncates = False
        self.columns = self.keys + self.data + [("op", "TEXT")] + self.sequence.columns + [("n", "INTEGER")]
        if self.feed:
            self.columns += [("_change_type", "TEXT"), ("_commit_timestamp", "TIMESTAMP")]
        self.make_flows()
        if self.chance(.5):
            head = self.keys + self.data
            rng.shuffle(head)
            self.columns = head + self.columns[len(head):]
        self.used = {}
        target = self.make_target() if self.user_made else None
        rows = self.make_rows()
        batches = self.deal(rows)
        frozen = dict(self.frozen)
        return {"seed": self.seed, "scd": self.scd, "keys": [k for k, _ in self.keys], "parts": len(self.sequence.parts),
                "kind": self.sequence.kind, "frozen": frozen, "flows": self.flows, "target": target,
                "mode": self.mode, "batches": batches, "ties": self.ties, "rule": self.rule,
                "file": self.chance(.25)}

    def make_keys(self):
        rng = self.rng
        count = 1 if self.simple else rng.choice([1, 1, 1, 2, 2, 3])
        kinds = [rng.choice(list(domains.KEYS)) for _ in range(count)]
        if self.simple and self.chance(.7) or self.large:
            kinds[0] = "INTEGER"
        first_is_table = self.user_made or self.mode not in ("reread",)
        if not first_is_table:
            kinds = [k if "COLLATE" not in k else "TEXT" for k in kinds]      # a view has no collation to go by
        names = ["id", "region", "k3"]
        self.keys = list(zip(names, kinds))
        self.values = []
        for _, kind in self.keys:
            values = list(domains.KEYS[kind])
            rng.shuffle(values)
            values = values[:rng.choice([1, 2, 3, 4])] if count > 1 else values[:rng.choice([1, 2, 3, 6])]
            if self.null_keys and self.chance(.7):
                values.append([None])
            self.values.append(values)
        if self.large:
            self.values[0] = [[i] for i in range(40)]

    def make_data(self):
        rng = self.rng
        count = rng.choice([1, 1, 2, 3, 4]) if not self.simple else rng.choice([1, 2])
        names = rng.sample(domains.NAMES, count) if not self.simple else ["name", "city"][:count]
        self.data = []
        self.domain = {}
        for n in names:
            kind = rng.choice(list(domains.DATA)) if not self.simple else "TEXT"
            if kind.endswith("NOCASE") and self.mode == "reread":
                kind = "TEXT"
            values = list(domains.DATA[kind])
            rng.shuffle(values)
            self.data.append((n, kind))
            self.domain[n] = values[:rng.choice([1, 2, 2, 3])]

    # -- members of the flows

    def make_flows(self):
        rng = self.rng
        keys = [k for k, _ in self.keys]
        frozen = {}
        if self.null_keys:
            frozen["null_keys"] = "match"
        if self.rule != "last" or self.chance(.05):
            frozen["tie_break"] = self.rule
        count = 1 if self.simple or self.mode == "refill" else rng.choice([1, 1, 1, 1, 2, 3])
        base = {"keys": keys if self.chance(.9) else ", ".join(keys), "sequence_by": self.sequence.by,
                rng.choice(["scd_type", "scd_type", "stored_as_scd_type"]): rng.choice([self.scd, self.scd, str(self.scd)])}
        if self.chance(.1):
            base["keys"] = [k.upper() for k in keys]
        if self.feed:
            base["cdf_enabled"] = True
        elif self.chance(.85):
            base["apply_as_deletes"] = rng.choice(["op = 'D'", "op = 'D'", "op IN ('D', 'DELETE')", "lower(op) = 'd'"])
        if self.truncates:
            base["apply_as_truncates"] = "op = 'T'"
            if self.scd == 2:
                base["scd2_truncates"] = self.truncates
        if self.chance(.1):
            base["empty_as_null"] = True
            if any("" in spelling for v in self.values for spelling in v):
                del base["empty_as_null"]          # a key would become NULL
        self.where = None
        if self.chance(.2) and "empty_as_null" not in base:
            n, _ = rng.choice(self.data)
            self.where = rng.choice(["op IS NOT 'X'", "op <> 'X'", "n % 4 <> 1", "%s IS NOT %s" % (
                quote(n), self.sql(self.domain[n][0])), "%s <> %s" % (quote(n), self.sql(self.domain[n][0]))])
            base["where"] = self.where
        same = self.ties                 # events of one sequence must be of one make
        self.partial = rng.choice(PARTIAL) if self.chance(.4) and self.rule != "error" else None
        if self.partial == "columns_to_update":
            self.columns.append(("cu", "TEXT"))
        self.frozen = frozen
        self.flows = []
        self.mutable = [n for n, _ in self.data]           # columns that a batch may lack
        first = None
        tracking = None
        for i in range(count):
            flow = dict(base)
            if count > 1:
                flow["name"] = "flow_%d" % i
            partial = self.partial if same or self.chance(.7) else None
            if first is None or not same:
                selection, selected = self.select()
                lists = self.partial_members(partial, selected)
                if first is None:
                    first = (selection, lists)
                    if self.scd == 2:
                        tracking = self.track(selected)
                        frozen.update(tracking)
                elif any(t not in selected for t in tracking_names(tracking)):
                    selection, lists = first
            else:
                selection, lists = first
            flow.update(selection)
            flow.update(lists)
            flow.update(frozen)
            for m in ("column_list", "ignore_null_updates_column_list", "ignore_null_updates_except_column_list",
                      "track_history_column_list", "track_history_except_column_list"):
                for n in flow.get(m) or []:
                    if n in self.mutable:
                        self.mutable.remove(n)
            for n in flow.get("except_column_list") or []:
                if n in self.mutable:
                    self.mutable.remove(n)
            self.flows.append(flow)
        self.alias = self.mode == "grow" and self.chance(.3)
        self.numbered = self.alias or self.mode == "refill"
        self.repeats = not self.numbered or all(
            "n" in (f.get("except_column_list") or []) or "n" not in (f.get("column_list") or ["n"])
            for f in self.flows)
        if self.where:
            self.mutable = [n for n in self.mutable if quote(n) not in self.where]

    def sql(self, v):
        if isinstance(v, bytes):
            return "x'%s'" % v.hex()
        return "'" + v.replace("'", "''") + "'" if isinstance(v, str) else repr(v)

    def select(self):
        """(members, selected columns but keys)."""
        rng = self.rng
        data = [n for n, _ in self.data]
        marks = ["op", "n"] + ([] if self.feed else [n for n, _ in self.sequence.columns]) + \
            (["cu"] if ("cu", "TEXT") in self.columns else [])
        every = data + marks
        style = rng.choice(["except"] * 6 + ["list", "list", "none"])
        if style == "none":
            return {}, every
        if style == "except":
            gone = [m for m in marks if self.chance(.85)]
            gone += [d for d in data[1:] if self.chance(.1)]
            if not gone:
                gone = ["n"]
            rng.shuffle(gone)
            return {"except_column_list": gone}, [n for n in every if n not in gone]
        kept = [data[0]] + [n for n in data[1:] if self.chance(.8)] + [m for m in marks if self.chance(.15)]
        names = [k for k, _ in self.keys] + kept
        rng.shuffle(names)
        return {"column_list": names}, kept

    def partial_members(self, partial, selected):
        if partial is None:
            return {}
        if partial == "ignore_null_updates":
            return {partial: True}
        if partial == "columns_to_update":
            return {partial: "cu"}
        names = [n for n in selected if self.chance(.6)] or [selected[0]]
        return {partial: names}

    def track(self, selected):
        style = self.rng.choice(["all", "all", "all", "list", "except", "except", "none"])
        if style == "all":
            return {}
        if style == "none":
            return {"track_history_except_column_list": list(selected)}
        names = [n for n in selected if self.chance(.5)] or [selected[0]]
        return {"track_history_column_list" if style == "list" else "track_history_except_column_list": names}

    # -- a target of the user's

    def make_target(self):
        rng = self.rng
        emitted = []
        for flow in self.flows:
            for n, d in self.columns:
                if n in FEED and self.feed:
                    continue
                include, exclude = flow.get("column_list"), flow.get("except_column_list") or []
                if (include is None or n in include) and n not in exclude and (n, d) not in emitted:
                    emitted.append((n, d))
        keys = [k for k, _ in self.keys]
        tight = self.chance(.25)
        if not tight and self.chance(.2) and self.scd == 1:
            emitted = [e for e in emitted if e[0] in keys or self.chance(.7)]
        columns = [(n, domains.strict(d) if tight else d) for n, d in emitted]
        if self.chance(.5):
            rng.shuffle(columns)
        # Under tie_break "first" an event that does not decide is not remembered in SCD1: whether a delete at its
        # sequence loses, and so leaves the user's own column alone, cannot be told
        self.extra = (self.scd == 1 and self.rule != "first" or self.scd == 2 and not self.partial) and self.chance(.2)
        if self.extra:
            columns.append(("extra", "TEXT"))
        if self.scd == 2:
            kind = rng.choice(self.sequence.start_types)
            if tight and not kind:
                kind = "ANY"
            at = [("__START_AT", kind), ("__END_AT", kind)]
            where = len(columns) if self.chance(.7) else rng.randrange(len(columns) + 1)
            columns[where:where] = at
        key_list = ", ".join(quote(k) for k in keys)
        if self.scd == 2:
            key_list += ", __START_AT"
        body = ", ".join(("%s %s" % (quote(n), d)).strip() for n, d in columns)
        styles = ["none", "index", "index", "other"]
        if not self.null_keys:
            styles += ["primary", "unique", "without", "without"]
            if self.scd == 1 and len(keys) == 1 and dict(columns)[keys[0]] == "INTEGER":
                styles += ["alias", "alias"]
        style = rng.choice(styles)
        options, ddl = ["STRICT"] if tight else [], []
        if style == "alias":
            body = body.replace("%s INTEGER" % quote(keys[0]), "%s INTEGER PRIMARY KEY" % quote(keys[0]), 1)
        if style in ("primary", "without"):
            body += ", PRIMARY KEY(%s)" % key_list
        if style == "without":
            options.append("WITHOUT ROWID")
        if style == "unique":
            body += ", UNIQUE(%s)" % key_list
        ddl.append("CREATE TABLE tgt(%s)%s" % (body, " " + ", ".join(options) if options else ""))
        if style == "index":
            ddl.append("CREATE INDEX tgt_by_key ON tgt(%s)" % ", ".join(quote(k) for k in keys))
        if style == "other":
            ddl.append("CREATE INDEX tgt_by_other ON tgt(%s)" % quote(columns[-1][0]))
        declared = [(n, d.replace("ANY", "") if tight else d) for n, d in columns]
        return {"ddl": ddl, "columns": declared, "rows": self.preload(declared) if self.chance(.6) else []}

    def preload(self, columns):
        """Rows that could have been the result of earlier events of the same kind."""
        rng = self.rng
        names = [n for n, _ in columns]
        keys = self.distinct_keys()
        if self.scd == 1:
            return [[self.plain_value(n, k) for n in names] for k in keys if self.chance(.6)]
        keys_only = [k for k, _ in self.keys]
        own = ["extra", "__START_AT", "__END_AT"]
        common = [n for n in names if n not in keys_only + own and all(
            (f.get("column_list") is None or n in f["column_list"]) and n not in (f.get("except_column_list") or [])
            for f in self.flows) and n not in self.mutable]
        but = self.frozen.get("track_history_except_column_list") or []
        tracked = self.frozen.get("track_history_column_list") or [n for n in common if n not in but]
        if any(n not in common + keys_only + own for n in names):
            return []       # a column that is tracked only once another flow has come would split what was one
        untracked = [n for n in names if n not in tracked + keys_only + own[1:]]
        # Versions that follow each other differ in what every flow tracks.
        log = oracle.Log(2, keys_only, {"track_history_except_column_list": untracked}, len(self.sequence.parts))
        inner = [(n, d) for n, d in columns if n not in ("__START_AT", "__END_AT")]
        source = inner + [("__op", "")] + [(n, d) for n, d in self.sequence.columns if n not in dict(inner)]
        flow = {"keys": log.keys, "sequence_by": self.sequence.by, "apply_as_deletes": "__op = 'D'",
                "column_list": [n for n, _ in inner]}
        rows = []
        for key in keys:
            for rank in rng.sample(range(0, 24), rng.choice([0, 1, 1, 2, 3])):
                self.used.setdefault(repr(key), set()).add(rank)
                row = {n: self.plain_value(n, key) for n, _ in inner}
                row.update(zip([n for n, _ in self.sequence.columns], self.sequence.raw(rank)))
                row["__op"] = "D" if self.chance(.2) else "U"
                rows.append([row[n] for n, _ in source])
        log.take(flow, source, rows)
        got, out = log.rows()
        at = {n: i for i, n in enumerate(got)}
        result = []
        for row in out:
            for i in (-2, -1):
                if row[i] is not None:
                    row[i] = log.forms[row[i]][0]
            result.append([row[at[n]] for n in names])
        return result

    def plain_value(self, name, key):
        """A value of a row that was there: never NULL, so that it is the same with and without partial updates."""
        rng = self.rng
        for (k, _), spelling in zip(self.keys, key):
            if k == name:
                return spelling[0]
        if name in self.domain:
            values = [v for v in self.domain[name] if v != ""] or ["z"]
            return rng.choice(values)
        fixed = {"op": "I", "n": 0, "cu": "[]", "extra": rng.choice(["e1", "e2"])}
        if name in fixed:
            return fixed[name]
        return dict(zip([n for n, _ in self.sequence.columns], self.sequence.raw(0)))[name]

    # -- rows

    def distinct_keys(self):
        keys = [[]]
        for values in self.values:
            keys = [k + [v] for k in keys for v in values]
        self.rng.shuffle(keys)
        return keys[:60 if self.large else 8]

    def make_rows(self):
        """Rows as dicts in arrival order; "flow" is the flow that brings one."""
        rng = self.rng
        keys = self.distinct_keys()[:rng.choice([1, 2, 3, 6]) if not self.large else None]
        count = rng.choice([1, 2, 3, 4, 6, 8, 12, 20, 30, 45]) if not self.large else 400
        ranks = max(4, min(60, count * 2 // len(keys) + 3))
        number = 0
        rows, payloads = [], {}
        for _ in range(count):
            number += 1
            flow = rng.randrange(len(self.flows))
            if rows and self.repeats and self.chance(.1):
                rows.append(dict(rng.choice(rows)))
                continue
            key = rng.choice(keys)
            name = repr(key)
            used = self.used.setdefault(name, set())
            kind = rng.choices(["U", "D", "T", "X"], [70, 20, 7 if self.truncates else 0, 4 if self.where else 0])[0]
            free = [r for r in range(ranks) if r not in used]
            if kind == "T" or (self.ties and used and self.chance(.4)):
                rank = rng.randrange(ranks) if kind == "T" and (not used or self.chance(.5)) else \
                    rng.choice(sorted(used))
            elif not free:
                continue
            else:
                rank = rng.choice(free)
            row = {"flow": flow, "n": number, "rank": rank, "op": {"U": rng.choice(["I", "U", "U", None])}.get(kind, kind)}
            row.update(zip([n for n, _ in self.sequence.columns], self.sequence.raw(rank)))
            if kind not in ("T", "X") or "op" not in (self.where or "op"):
                used.add(rank)
            for (n, _), spelling in zip(self.keys, key):
                row[n] = rng.choice(spelling) if self.loose or "COLLATE" in dict(self.keys)[n] else spelling[0]
            if name in payloads and self.chance(.3):
                row.update(payloads[name])
            else:
                nulls = rng.choice([0, .15, .5]) if not self.partial else .45
                payload = {n: None if self.chance(nulls) else rng.choice(self.domain[n]) for n, _ in self.data}
                payloads[name] = payload
                row.update(payload)
            if kind == "D" and self.chance(.6):
                row.update({n: None for n, _ in self.data})
            if kind == "T":
                row.update({n: None for n, _ in self.keys + self.data})
            if kind == "X":                       # left out by where: its NULLs are no error
                if self.where in ("op IS NOT 'X'", "op <> 'X'") and self.chance(.6):
                    row.update({n: None for n, _ in self.keys + self.sequence.columns if self.chance(.5)})
                else:
                    used.add(rank)
            if self.feed:
                row["_commit_timestamp"] = domains.stamp(rank // 3, 1, "%Y-%m-%d %H:%M:%S")
                row["_change_type"] = rng.choice(["insert", "update_postimage"]) if kind == "U" else "delete"
                if self.chance(.15):
                    row["_change_type"] = "update_preimage"
            if "cu" in dict(self.columns):
                row["cu"] = None if kind == "T" else self.listed(flow)
            rows.append(row)
        style = rng.choice(["as is", "sorted", "reversed", "near"])
        if style != "as is":
            rows.sort(key=lambda r: r["rank"], reverse=style == "reversed")
        if style == "near":
            for i in range(len(rows) - 1):
                if self.chance(.2):
                    rows[i], rows[i + 1] = rows[i + 1], rows[i]
        return rows

    def listed(self, flow):
        members = self.flows[flow]
        include, exclude = members.get("column_list"), members.get("except_column_list") or []
        keys = [k for k, _ in self.keys]
        names = [n for n, _ in self.columns if (include is None or n in include) and n not in exclude and
                 n not in keys and n != "cu" and n not in FEED]
        return json.dumps([n for n in names if self.chance(.5)], ensure_ascii=False)

    # -- batches

    def deal(self, rows):
        rng = self.rng
        count = rng.choice([1, 1, 2, 3, 4, 6])
        if self.mode in ("grow", "reread", "refill") and count == 1:
            count = 2
        groups = [[] for _ in range(count)]
        if self.chance(.5):
            for row in rows:
                rng.choice(groups).append(row)
        else:
            cuts = sorted(rng.randrange(len(rows) + 1) for _ in range(count - 1)) if rows else []
            for group, a, b in zip(groups, [0] + cuts, cuts + [len(rows)]):
                group += rows[a:b]
        if self.numbered:
            for i, row in enumerate(r for g in groups for r in g):
                row["n"] = i + 1
        batches = []
        lacking = self.mode == "separate" and not self.ties and self.partial != "columns_to_update" and \
            not self.simple and self.chance(.4)
        for group in groups:
            for flow in range(len(self.flows)):
                part = [r for r in group if r["flow"] == flow]
                if not part and self.chance(.8):
                    continue
                gone = [n for n in self.mutable if lacking and self.chance(.3)]
                batches.append(self.batch(flow, part, gone, not batches))
        self.note_lacks(batches)
        return batches

    def note_lacks(self, batches):
        """An exact duplicate in a batch of other columns would be another event; a replay must be the same one."""
        seen = {}
        for b in batches:
            names = tuple(n for n, _ in b["columns"])
            at = names.index("n")
            b["rows"] = [r for r in b["rows"] if seen.setdefault(r[at], set(names)) == set(names)]

    def batch(self, flow, rows, gone, is_first):
        rng = self.rng
        columns = []
        free = self.loose and self.mode == "separate" and (self.user_made or not is_first) and self.chance(.6)
        for n, d in self.columns:
            if n in gone:
                continue
            if free and (n in dict(self.keys) or n in self.domain) and self.known(n):
                d = d[d.index("COLLATE"):] if "COLLATE" in d else ""
            columns.append((n, d))
        if self.mode == "separate" and self.chance(.15):
            rng.shuffle(columns)
        how = "table"
        if self.mode == "separate" and not (is_first and not self.user_made and self.collated()):
            how = rng.choice(["table"] * 6 + ["view", "select", "without"])
        if self.mode == "grow":
            how = "alias" if self.alias else "table"
        if self.mode == "reread":
            how = rng.choice(["view", "select"])
        values = [[self.spelled(r[n], n, d) for n, d in columns] for r in rows]
        txn = rng.choice([None] * 5 + ["rollback", "savepoint", "commit"])
        self.first_done = True
        return {"flow": flow, "columns": columns, "rows": values, "how": how, "txn": txn,
                "reopen": self.chance(.3), "twice": self.chance(.15),
                "gone": self.chance(.25) and self.mode == "grow" and not self.ties}

    def collated(self):
        return any("COLLATE" in d for _, d in self.columns)

    def known(self, name):
        """The target has the column with its type already: an untyped source cannot declare it."""
        return self.user_made or name in dict(self.keys) or getattr(self, "first_done", False) and \
            all(name not in (f.get("except_column_list") or []) and
                (f.get("column_list") is None or name in f["column_list"]) for f in self.flows) and \
            name not in self.mutable

    def spelled(self, value, name, declaration):
        """Numbers as text, where the source column keeps them and the target's affinity takes them back."""
        target = dict(self.data).get(name, "")
        if declaration == "" and target in ("INTEGER", "INT", "BOOLEAN") and self.chance(.5):
            return domains.as_text(self.rng, value)
        return value


def tracking_names(tracking):
    return (tracking or {}).get("track_history_column_list") or []
