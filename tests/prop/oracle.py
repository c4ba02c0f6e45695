"""What a target must hold, from the whole log at once: docs/semantics.md written as plain SQL.

A Log takes the change rows of every batch in the order of their arrival. rows() numbers the sequences, puts the
events into one typed table and lets stock SQLite derive the target: ties by grouping, inheritance by correlated
subqueries, runs by windows. Nothing is kept between two calls of rows(), and nothing here is shared with the engine.
"""
import json
import sqlite3

import sequences


def quote(name):
    return '"' + name.replace('"', '""') + '"'


def plain(name):
    """A name of a flow as it is looked up: without its quotes, in lower case."""
    return (name[1:-1] if len(name) > 1 and name[0] == name[-1] == "`" else name).lower()


def names_of(value, columns):
    """A list member of a flow: a JSON array, or comma text (here without commas inside of an entry)."""
    if value is None:
        return None
    if isinstance(value, str):
        known = {c.lower() for c in columns}
        value = [value] if value.lower() in known else [v.strip() for v in value.split(",")]
    return [plain(v) for v in value]


def stored(value):
    """A value of a case file as SQLite is given it."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, (list, dict)):
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return value


class Event:
    __slots__ = ("arrival", "kind", "key", "shown", "values", "authored", "partial")


class Log:
    """The events of one target.

    scd 1 or 2; keys: names; config: the members that are frozen (tracking, tie_break, scd2_truncates);
    target: [(name, declaration)] of a table that was there, with its rows, or None.
    """

    def __init__(self, scd, keys, config, parts, target=None, target_rows=()):
        self.scd, self.config, self.parts = scd, config, parts
        self.keys = [plain(k) for k in keys]
        self.columns = {}                # lower name -> (name, declaration), in the order of the target
        self.emitted = []                # lower names that a flow has selected, keys too
        self.events = []
        self.truncates = {}              # sequence key -> a form as given
        self.forms = {}                  # sequence key -> all forms that were seen
        self.arrivals = 0
        self.db = sqlite3.connect(":memory:")
        if target:
            for name, declaration in target:
                if not (scd == 2 and name.lower() in ("__start_at", "__end_at")):
                    self.columns[name.lower()] = (name, declaration)
            self.preload([n.lower() for n, _ in target], target_rows)

    # -- rows that the target had before the first call (semantics.md 9.2)

    def preload(self, names, rows):
        partial = any(self.config.get(m) for m in ("ignore_null_updates", "ignore_null_updates_column_list",
                                                   "ignore_null_updates_except_column_list"))
        versions = [dict(zip(names, r)) for r in rows]
        for row in versions:
            if self.scd == 1:
                self.add("U", None, None, row, {n: 1 for n in row}, "")
                continue
            key = sequences.read_shown(row["__start_at"], self.parts)
            values = {n: v for n, v in row.items() if n not in ("__start_at", "__end_at")}
            authored = {n: int(not partial or v is not None) for n, v in values.items()}
            self.add("U", key, row["__start_at"], values, authored, "some" if partial else "")
        for row in versions:
            end = row.get("__end_at") if self.scd == 2 else None
            same = [r for r in versions if all(r[k] == row[k] for k in self.keys)]
            if end is not None and end not in [r["__start_at"] for r in same]:
                key = sequences.read_shown(end, self.parts)
                self.add("D", key, end, {k: row[k] for k in self.keys}, {}, "")

    def add(self, kind, key, shown, values, authored, partial):
        e = Event()
        self.arrivals += 1
        e.arrival, e.kind, e.key, e.shown = self.arrivals, kind, key, shown
        e.values, e.authored, e.partial = values, authored, partial
        self.events.append(e)
        if key is not None:
            self.forms.setdefault(key, []).append(shown)
        return e

    # -- one batch: conditions and expressions are SQL on the full source row (section 1)

    def take(self, flow, columns, rows):
        """columns: [(name, declaration)] of the source; rows: tuples. Returns how many rows count as events."""
        columns = [(n, d or "") for n, d in columns]
        lower = {n.lower(): (n, d) for n, d in columns}
        flow = {k: v for k, v in flow.items() if v is not None}
        self.db.execute("DROP TABLE IF EXISTS src")
        self.db.execute("CREATE TABLE src(%s)" % ", ".join("%s %s" % (quote(n), d) for n, d in columns))
        self.db.executemany("INSERT INTO src VALUES(%s)" % ", ".join("?" * len(columns)),
                            [[stored(v) for v in r] for r in rows])
        order = flow["sequence_by"]
        order = [order] if isinstance(order, str) else order
        selected = self.selected(flow, [n for n, _ in columns])
        for n in selected:
            self.columns.setdefault(n, lower[n])
            if n not in self.emitted:
                self.emitted.append(n)
        deletes = flow.get("apply_as_deletes")
        where = flow.get("where")
        if flow.get("cdf_enabled"):
            deletes = deletes or "_change_type = 'delete'"
            where = "(%s) AND _change_type IS NOT 'update_preimage'" % (where or "1")
        value = {n: quote(lower[n][0]) for n in lower}
        if flow.get("empty_as_null"):
            value = {n: "nullif(%s, '')" % v for n, v in value.items()}
        authored, partial = self.authored_sql(flow, lower, selected, value)
        kind = "CASE WHEN %s THEN 'T' WHEN %s THEN 'D' ELSE 'U' END" % (flow.get("apply_as_truncates") or "0",
                                                                      deletes or "0")
        parts = ["(%s)" % (value[p.lower()] if p.lower() in lower else p) for p in order]
        declared = [lower[p.lower()][1] if p.lower() in lower else "" for p in order]
        wanted = [kind] + parts + [value[n] for n in selected] + [authored[n] for n in authored]
        count = 0
        for row in self.db.execute("SELECT %s FROM src WHERE %s ORDER BY _rowid_" % (", ".join(wanted), where or "1")):
            kind, row = row[0], row[1:]
            key, shown = sequences.read(row[:len(parts)], declared)
            if key is None:
                raise ValueError("NULL sequence")
            row = row[len(parts):]
            values = dict(zip(selected, row))
            flags = dict(zip(authored, row[len(selected):]))
            if kind == "T":
                if self.scd == 1 or flow.get("scd2_truncates") == "close":
                    self.truncates.setdefault(key, shown)
                    self.forms.setdefault(key, []).append(shown)
                continue
            self.add(kind, key, shown, values, flags, partial)
            count += 1
        return count

    def selected(self, flow, columns):
        lower = [c.lower() for c in columns]
        include = names_of(flow.get("column_list"), columns)
        exclude = names_of(flow.get("except_column_list"), columns) or []
        if flow.get("cdf_enabled"):
            exclude = exclude + ["_change_type", "_commit_version", "_commit_timestamp"]
        return [n for n in lower if (include is None or n in include) and n not in exclude]

    def authored_sql(self, flow, lower, selected, value):
        """For each column of the target: an expression that is 1 if the event writes it (3.2, 5)."""
        names = [n for n, _ in lower.values()]
        if flow.get("columns_to_update"):
            listed = quote(lower[flow["columns_to_update"].lower()][0])
            out = {n: "EXISTS(SELECT 1 FROM json_each(src.%s) j WHERE lower(j.value) = %s)"
                      % (listed, "'" + n.replace("'", "''") + "'") for n in selected if n not in self.keys}
            return out, "all"
        only = names_of(flow.get("ignore_null_updates_column_list"), names)
        but = names_of(flow.get("ignore_null_updates_except_column_list"), names)
        everything = flow.get("ignore_null_updates") in (True, 1, "true")
        partial = "all" if everything or but is not None else "some" if only is not None else ""

        def ignored(n):
            return everything or (only is not None and n in only) or (but is not None and n not in but)

        out = {n: "%s IS NOT NULL" % value[n] if ignored(n) else "1" for n in selected if n not in self.keys}
        return out, partial

    # -- the whole log to the rows of the target

    def tracked(self):
        rest = [n for n in self.emitted if n not in self.keys]
        only = names_of(self.config.get("track_history_column_list"), rest)
        but = names_of(self.config.get("track_history_except_column_list"), rest)
        return [n for n in rest if (only is None or n in only) and (but is None or n not in but)]

    def rows(self):
        """(names, rows); __START_AT and __END_AT are sequence keys (see form()), other values as stored."""
        order = sorted({e.key for e in self.events if e.key is not None} | set(self.truncates))
        rank = {k: i for i, k in enumerate(order)}
        rank[None] = -1                                       # older than every event
        data = [n for n in self.columns if n not in self.keys]
        db = self.db
        for t in ("ev", "trunc", "live", "standing", "filled"):
            db.execute("DROP TABLE IF EXISTS " + t)
        ks = ["k%d" % i for i in range(len(self.keys))]
        cs = ["c%d" % i for i in range(len(data))]
        fs = ["a%d" % i for i in range(len(data))]
        typed = ["%s %s" % (k, self.columns[n][1]) for k, n in zip(ks, self.keys)]
        typed += ["%s %s" % (c, self.columns[n][1]) for c, n in zip(cs, data)]
        db.execute("CREATE TABLE ev(arr INTEGER PRIMARY KEY, kind, seq, partial, %s)" % ", ".join(typed + fs))
        db.executemany(
            "INSERT INTO ev VALUES(%s)" % ", ".join("?" * (4 + len(ks) + 2 * len(cs))),
            [[e.arrival, e.kind, rank[e.key], int(e.partial != "")] + [e.values.get(n) for n in self.keys + data] +
             [e.authored.get(n, self.unemitted(e)) for n in data] for e in self.events])
        db.execute("CREATE TABLE trunc(seq)")
        db.executemany("INSERT INTO trunc VALUES(?)", [[rank[t]] for t in self.truncates])
        self.derive(ks, cs, fs)
        if self.scd == 1:
            sql = self.scd1_sql(ks, cs)
        else:
            sql = self.scd2_sql(ks, cs, [cs[data.index(n)] for n in self.tracked()])
        rows = [list(r) for r in db.execute(sql)]
        names = [self.columns[n][0] for n in self.keys + data]
        if self.scd == 2:
            names += ["__START_AT", "__END_AT"]
            for r in rows:
                r[-2] = order[r[-2]]
                r[-1] = None if r[-1] is None else order[r[-1]]
        return names, rows

    def tied_since(self, arrival):
        """Whether an event after the given one meets another of its key and sequence: 0, or 2, or 1 where it can be
        argued (two deletes, two spellings of a key; in SCD1 an event of an earlier call that no longer decides: only
        the deciding one is remembered)."""
        self.rows()
        ks = ["k%d" % i for i in range(len(self.keys))]
        cs = ["c%d" % i for i in range(len(self.columns) - len(ks))]

        def equal(names):
            return " AND ".join("a.%s IS b.%s COLLATE BINARY" % (n, n) for n in names) or "1"
        return self.db.execute(
            "WITH numbered AS (SELECT *, dense_rank() OVER (ORDER BY %s) AS kid FROM ev) "
            "SELECT ifnull(max(CASE WHEN %d AND a.arr <= ?1 AND a.seq < (SELECT max(c.seq) FROM numbered c "
            "WHERE c.kid = a.kid AND c.arr <= ?1) THEN 1 WHEN a.kind <> b.kind THEN 2 WHEN a.kind = 'D' OR (%s) THEN 1 ELSE 2 END), 0) "
            "FROM numbered a JOIN numbered b ON a.kid = b.kid AND a.seq = b.seq AND a.arr < b.arr "
            "WHERE b.arr > ?1 AND NOT (a.kind = b.kind AND %s)"
            % (", ".join(ks), self.scd == 1, equal(cs), equal(ks + cs)), [arrival]).fetchone()[0]

    def forget_since(self, arrival, truncates):
        """Undoes take(): its call failed and left no trace."""
        self.events = [e for e in self.events if e.arrival <= arrival]
        self.truncates = truncates

    def unemitted(self, e):
        """Whether an event writes a column that its batch did not have: in SCD1 never, in SCD2 it writes NULL
        unless NULLs of that column are ignored."""
        return 0 if self.scd == 1 or e.partial == "all" else 1

    def derive(self, ks, cs, fs):
        """The tables live (ties), standing (one event for each key and sequence), filled (values inherited)."""
        db = self.db
        first = self.config.get("tie_break") == "first"
        # What takes part in a tie (2.6): the upserts since the last delete, or since the last upsert that writes the
        # whole row; with tie_break "first" a first delete alone, or the upserts if the first event is one.
        base = "min(arr)" if first else "max(CASE WHEN kind = 'D' OR NOT partial THEN arr END)"
        counts = "n.arr = base OR n.kind = 'U' AND (SELECT kind FROM ev WHERE arr = base) = 'U'" if first else \
            "n.arr >= ifnull(base, 0)"
        db.execute(
            "CREATE TABLE live AS WITH numbered AS ("
            "  SELECT *, dense_rank() OVER (ORDER BY %s) AS kid FROM ev), "
            "bases AS (SELECT kid, seq, %s AS base FROM numbered GROUP BY kid, seq) "
            "SELECT n.* FROM numbered n JOIN bases b ON b.kid = n.kid AND b.seq = n.seq "
            "WHERE %s" % (", ".join(ks), base, counts))
        order = "ASC" if first else "DESC"
        latest = ("(SELECT l.%s FROM live l WHERE l.kid = g.kid AND l.seq = g.seq AND l.kind = 'U' AND l.%s "
                  "ORDER BY l.arr " + order + " LIMIT 1)")
        spelling = ("(SELECT l.%s FROM live l WHERE l.kid = g.kid AND l.seq = g.seq "
                    "ORDER BY l.arr " + order + " LIMIT 1)")
        db.execute("CREATE TABLE standing(kid, seq, kind, epoch, %s)" % ", ".join(ks + cs + fs))
        db.execute(
            "INSERT INTO standing WITH g AS ("
            "  SELECT kid, seq, CASE WHEN max(kind = 'U') THEN 'U' ELSE 'D' END AS kind, %s "
            "  FROM live GROUP BY kid, seq) "
            "SELECT kid, seq, kind, 0, %s FROM g"
            % (", ".join("max(kind = 'U' AND %s) AS %s" % (f, f) for f in fs) or "0",
               ", ".join([spelling % k for k in ks] + [latest % (c, f) for c, f in zip(cs, fs)] + fs)))
        # An epoch ends at a delete of the key and at a truncate: nothing is inherited or merged across it.
        db.execute(
            "UPDATE standing SET epoch = "
            "(SELECT count(*) FROM standing d WHERE d.kid = standing.kid AND d.kind = 'D' AND d.seq <= standing.seq) + "
            "(SELECT count(*) FROM trunc t WHERE t.seq <= standing.seq)")
        inherited = ("(SELECT o.%s FROM standing o WHERE o.kid = s.kid AND o.epoch = s.epoch AND o.kind = 'U' "
                     "AND o.seq <= s.seq AND o.%s ORDER BY o.seq DESC LIMIT 1)")
        db.execute("CREATE TABLE filled(kid, seq, epoch, %s)" % ", ".join(ks + cs))
        db.execute("INSERT INTO filled SELECT kid, seq, epoch, %s FROM standing s WHERE kind = 'U'"
                   % ", ".join(ks + [inherited % (c, f) for c, f in zip(cs, fs)]))

    def scd1_sql(self, ks, cs):
        return ("SELECT %s FROM filled f "
                "WHERE NOT EXISTS (SELECT 1 FROM standing s WHERE s.kid = f.kid AND s.seq > f.seq) "
                "AND NOT EXISTS (SELECT 1 FROM trunc t WHERE t.seq > f.seq)" % ", ".join("f." + c for c in ks + cs))

    def scd2_sql(self, ks, cs, tracked):
        equal = " AND ".join("%s IS lag(%s) OVER w" % (c, c) for c in tracked) or "1"
        return (
            "WITH heads AS (SELECT *, NOT (lag(seq) OVER w IS NOT NULL AND %s) AS head FROM filled "
            "  WINDOW w AS (PARTITION BY kid, epoch ORDER BY seq)), "
            "runs AS (SELECT *, sum(head) OVER (PARTITION BY kid ORDER BY seq) AS run FROM heads), "
            "spans AS (SELECT kid, run, min(seq) AS start, max(seq) AS last FROM runs GROUP BY kid, run), "
            "bounds AS (SELECT kid, seq FROM standing UNION ALL "
            "  SELECT k.kid, t.seq FROM trunc t, (SELECT DISTINCT kid FROM standing) k) "
            "SELECT %s, s.start, (SELECT min(b.seq) FROM bounds b WHERE b.kid = s.kid AND b.seq > s.last) "
            "FROM spans s JOIN runs r ON r.kid = s.kid AND r.seq = s.last"
            % (equal, ", ".join("r." + c for c in ks + cs)))
