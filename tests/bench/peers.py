"""Who takes part: ours, the SQL people write by hand, and the floor.

A peer gives the pieces of a script: how its target is seeded, what comes
before the batches, one batch, and the query over its final rows."""

import os
import sqlite3

BATCH = 'WHERE id BETWEEN :lo AND :hi'


def where(case):
    return '' if case.kind == 'bulk' else BATCH


class Peer:
    name = ''
    base = None

    def before(self, bench, case):
        """Once for a case, before the first run."""

    def after(self):
        """Once for a case, also when it failed."""

    def begin(self, bench, case):
        return ''


class Ours(Peer):
    name = 'ours'

    def seed(self, bench, case):
        return '#load %s\n#exec\n%s' % (bench.extension, bench.call(case))

    def begin(self, bench, case):
        return '#load %s\n' % bench.extension

    def batch(self, bench, case):
        return '#time\n' + bench.call(case)

    def check(self, bench, case):
        return case.shape.visible(case.scd, 'customers', True, case.kept)


class Sql(Peer):
    """One way to write it; text is a method of Shape."""

    def __init__(self, name, text):
        self.name = name
        self.write = text

    def seed(self, bench, case):
        s = case.shape
        if case.scd == 1:
            return '#exec\n' + s.scd1_table() + s.scd1_group()
        return '#exec\n' + s.scd2_table() + s.scd2_lead()

    def begin(self, bench, case):
        if case.kind != 'bulk':
            return ''
        s = case.shape
        return '#exec\n' + (s.scd1_table() if case.scd == 1
                            else s.scd2_table())

    def batch(self, bench, case):
        return '#time\nBEGIN;\n' + self.write(where(case)) + 'COMMIT;\n'

    def check(self, bench, case):
        return case.shape.visible(case.scd, 'scd%d' % case.scd, False,
                                  case.kept)


class Floor(Peer):
    """A scan of the events, and what has to be written, known beforehand and
    read in key order from a database of its own."""
    name = 'floor'

    def before(self, bench, case):
        ops = bench.path('ops.db')
        scratch = bench.path('scratch.db')
        for f in (ops, scratch):
            if os.path.exists(f):
                os.remove(f)
        log, arrivals = bench.log(case)
        lo, hi, size = bench.batches(case)
        text = ("#exec\nPRAGMA cache_size=-1000000; PRAGMA temp_store=MEMORY;"
                "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;\n"
                "ATTACH '%s' AS o; ATTACH '%s' AS l;\n" % (ops, log))
        if arrivals:
            text += "ATTACH '%s' AS b;\n" % arrivals
        one = FloorOne if case.scd == 1 else FloorTwo
        self.rules = one(case, 'b.arrivals' if arrivals else 'l.log')
        text += self.rules.tables()
        if arrivals:
            text += self.rules.seeded()
        text += '#loop %d %d %d\n#exec\n%s#end\n' % (lo, hi, size,
                                                    self.rules.batch())
        bench.script(scratch, text)
        os.remove(scratch)
        self.ops = ops

    def seed(self, bench, case):
        return '#exec\n' + self.rules.target() + self.rules.fill()

    def begin(self, bench, case):
        text = "#exec\nATTACH '%s' AS o;\n" % self.ops
        if case.kind == 'bulk':
            text += self.rules.target()
        return text

    def batch(self, bench, case):
        return ('#time\nBEGIN;\n#scan\nSELECT * FROM log %s;\n#time\n'
                '%sCOMMIT;\n' % (where(case), self.rules.write()))

    def check(self, bench, case):
        return case.shape.visible(case.scd, 'scd%d' % case.scd, True,
                                  case.kept)


class FloorOne:
    """SCD1: per batch the keys whose deciding event changed."""

    def __init__(self, case, source):
        self.case, self.s, self.source = case, case.shape, source

    def tables(self):
        s = self.s
        return (s.table('o.fin', ['b'] + s.keys + s.values + ['seq', 'op'],
                        ['b'] + s.keys).replace('b TEXT', 'b INTEGER')
                + s.table('newest', s.keys + ['seq'], s.keys))

    def seeded(self):
        return 'INSERT INTO newest SELECT %s, max(seq) FROM l.log GROUP BY %s;\n' % (
            self.s.k(), self.s.k())

    def batch(self):
        s = self.s
        return (
            "INSERT INTO o.fin SELECT :lo, %s, %s, seq, op FROM (SELECT %s, %s,"
            " op, max(seq) seq FROM %s %s GROUP BY %s) w WHERE NOT EXISTS("
            "SELECT 1 FROM newest n WHERE %s AND n.seq>=w.seq);\n"
            "REPLACE INTO newest SELECT %s, seq FROM o.fin WHERE b=:lo;\n"
            % (s.k(), s.v(), s.k(), s.v(), self.source, BATCH, s.k(),
               s.same_key('n', 'w'), s.k()))

    def target(self):
        return self.s.floor1_table(self.case.kept)

    def fill(self):
        s = self.s
        seq = ', seq' if self.case.kept else ''
        text = 'INSERT INTO scd1 SELECT %s, %s%s FROM log ORDER BY %s;\n' % (
            s.k(), s.v(), seq, s.k())
        if not self.case.kept:
            text += 'INSERT INTO state SELECT %s, seq FROM log ORDER BY %s;\n' % (
                s.k(), s.k())
        return text

    def write(self):
        s, kept = self.s, self.case.kept
        full = self.case.kind != 'bulk'     # There are rows to be replaced
        verb = 'REPLACE' if full else 'INSERT'
        text = "%s INTO scd1 SELECT %s, %s%s FROM o.fin WHERE b=:lo AND op<>'D';\n" % (
            verb, s.k(), s.v(), ', seq' if kept else '')
        if full:
            text += "DELETE FROM scd1 WHERE %s IN (SELECT %s FROM o.fin WHERE b=:lo AND op='D');\n" % (
                s.key_tuple(), s.k())
        text += "%s INTO state SELECT %s, seq FROM o.fin WHERE b=:lo%s;\n" % (
            verb, s.k(), " AND op='D'" if kept else '')
        if full and kept:
            text += "DELETE FROM state WHERE %s IN (SELECT %s FROM o.fin WHERE b=:lo AND op<>'D');\n" % (
                s.key_tuple(), s.k())
        return text


class FloorTwo:
    """SCD2: per batch the versions that were added or re-cut."""

    def __init__(self, case, source):
        self.case, self.s, self.source = case, case.shape, source

    def tables(self):
        s = self.s
        start = ['__START_AT', '__END_AT']
        fin = s.table('o.fin', ['b'] + s.keys + s.values + start,
                      ['b'] + s.keys + ['__START_AT'])
        for c in start:
            fin = fin.replace(c + ' TEXT', c + ' ' + s.declared('seq'))
        fin = fin.replace('b TEXT', 'b INTEGER')
        if self.case.runs:
            fin += s.table('o.hid', s.keys + ['seq'] + s.untracked,
                           s.keys + ['seq'])
        new = 'CREATE TABLE new(%s, s, PRIMARY KEY(%s, s)) WITHOUT ROWID;\n' % (
            s.k(), s.k())
        return fin + s.scd2_table() + new + new.replace('new(', 'touched(')

    def seeded(self):
        return self.s.scd2_lead(log='l.log')

    def batch(self):
        s, k = self.s, self.s.k()
        if self.case.runs:
            return (s.scd2_runs(log=self.source) +
                    'INSERT INTO o.fin SELECT :lo, %s, %s, __START_AT, '
                    '__END_AT FROM scd2;\n'
                    "INSERT INTO o.hid SELECT %s FROM %s "
                    "WHERE op<>'D' AND nb=0;\n"
                    % (k, s.v(), cols(s.keys + ['seq'] + s.untracked),
                       s.runs(cols(s.keys + s.untracked), self.source)))
        if self.case.kind == 'bulk':
            return (s.scd2_lead(log=self.source) +
                    'INSERT INTO o.fin SELECT :lo, %s, %s, __START_AT, '
                    '__END_AT FROM scd2;\n' % (k, s.v()))
        end = ('(SELECT min(x.__START_AT) FROM scd2 x WHERE %s AND '
               'x.__START_AT>scd2.__START_AT)' % s.same_key('x', 'scd2'))
        return (
            "DELETE FROM new; DELETE FROM touched;\n"
            "INSERT OR IGNORE INTO new SELECT %s, seq FROM %s a %s AND NOT "
            "EXISTS(SELECT 1 FROM scd2 t WHERE %s AND t.__START_AT=a.seq);\n"
            "INSERT OR IGNORE INTO scd2 SELECT %s, %s, seq, NULL, op='D' "
            "FROM %s %s;\n"
            "INSERT INTO touched SELECT * FROM new;\n"
            "INSERT OR IGNORE INTO touched SELECT %s, (SELECT "
            "max(__START_AT) FROM scd2 t WHERE %s AND t.__START_AT<n.s) p "
            "FROM new n WHERE p IS NOT NULL;\n"
            "UPDATE scd2 SET __END_AT=%s WHERE (%s, __START_AT) IN "
            "(SELECT * FROM touched);\n"
            "INSERT INTO o.fin SELECT :lo, %s, %s, __START_AT, __END_AT FROM "
            "touched d CROSS JOIN scd2 t ON %s AND t.__START_AT=d.s "
            "WHERE NOT _deleted;\n"
            % (k, self.source, BATCH, s.same_key('t', 'a'),
               k, s.v(), self.source, BATCH,
               s.k('n'), s.same_key('t', 'n'),
               end, k,
               s.k('t'), s.v('t'), s.same_key('t', 'd')))

    def target(self):
        return self.s.floor2_table(self.case.runs)

    def fill(self):
        return self.s.scd2_lead(tail='')

    def write(self):
        s = self.s
        verb = 'INSERT' if self.case.kind == 'bulk' else 'REPLACE'
        text = ('%s INTO scd2(%s, %s, __START_AT, __END_AT) SELECT %s, %s, '
                '__START_AT, __END_AT FROM o.fin WHERE b=:lo;\n'
                % (verb, s.k(), s.v(), s.k(), s.v()))
        if self.case.runs:
            text += 'INSERT INTO state SELECT * FROM o.hid;\n'
        return text


def cols(names):
    return ', '.join(names)


class Oracle(Peer):
    """The expected rows of an ignore-null flow, from a few lines of Python
    over the whole log; it takes part in the comparison, not in the race."""
    name = 'expected'

    def before(self, bench, case):
        s = case.shape
        log, arrivals = bench.log(case)
        db = sqlite3.connect(log)
        source = 'log'
        if arrivals:
            db.execute('ATTACH ? AS b', (arrivals,))
            source = '(SELECT * FROM log UNION ALL SELECT * FROM b.arrivals)'
        self.file = bench.path('expected.db')
        if os.path.exists(self.file):
            os.remove(self.file)
        out = sqlite3.connect(self.file, isolation_level=None)
        text = s.scd1_table() if case.scd == 1 else s.scd2_table()
        out.executescript(text + 'BEGIN')
        mark = ','.join('?' * (len(s.keys) + len(s.values) + 2))
        sql = 'INSERT INTO scd%d VALUES(%s,0)' % (
            case.scd, mark if case.scd == 2 else mark[:-2])
        rows = self.rows(case, db.execute(
            'SELECT %s, %s, op, seq FROM %s ORDER BY %s, seq' % (
                s.k(), s.v(), source, s.k())))
        out.executemany(sql, rows)
        out.execute('COMMIT')
        out.close()
        db.close()

    def rows(self, case, events):
        """The versions of all keys, or the last one where it is open."""
        n = len(case.shape.keys)
        key, held, open_ = None, None, None
        for e in events:
            k, v, op, seq = e[:n], e[n:-2], e[-2], e[-1]
            if k == key and open_ and seq == open_[0]:
                continue
            if k != key:
                if open_:
                    yield self.version(case, key, open_, None)
                key, held, open_ = k, None, None
            if op == 'D':
                if open_ and case.scd == 2:
                    yield self.version(case, key, open_, seq)
                held, open_ = None, None
                continue
            v = tuple(x if x is not None or held is None else h
                      for x, h in zip(v, held or v))
            if open_ and v == open_[1]:
                held = v
                continue
            if open_ and case.scd == 2:
                yield self.version(case, key, open_, seq)
            held, open_ = v, (seq, v)
        if open_:
            yield self.version(case, key, open_, None)

    def version(self, case, key, open_, end):
        if case.scd == 1:
            return key + open_[1] + (open_[0],)
        return key + open_[1] + (open_[0], end)

    def answer(self, bench, case):
        text = case.shape.visible(case.scd, 'scd%d' % case.scd, False)
        return bench.script(self.file, '#hash\n' + text)['hash'][0]


def peers_of(case, ours):
    """Who races in a case."""
    s, out = case.shape, []
    if ours:
        out.append(Ours())
    if case.ignore_null:
        return out
    out.append(Floor())
    if case.scd == 2 and case.runs:
        out.append(Sql('sql runs', lambda w: s.scd2_runs()))
        out.append(Sql('sql runs late', lambda w: s.scd2_runs_late()))
    elif case.kind == 'bulk' and case.scd == 1:
        out.append(Sql('sql late', s.scd1_late))
        out.append(Sql('sql group', s.scd1_group))
    elif case.kind == 'bulk':
        out.append(Sql('sql lead', s.scd2_lead))
    elif case.scd == 1:
        out.append(Sql('sql group', s.scd1_group))
    elif case.kind == 'late':
        out.append(Sql('sql rebuild', s.scd2_rebuild))
    else:
        out.append(Sql('sql repair', s.scd2_repair))
    return out
