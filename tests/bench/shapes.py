"""What the logs look like, and the SQL that follows from it: the statements
that people write by hand, and the floor."""


class Shape:
    """One log: how it is generated, its columns, its keys."""

    def __init__(self, name, key='int', stamp=False, wide=False, **knobs):
        self.name = name
        self.key = key
        self.stamp = stamp
        self.wide = wide
        self.knobs = knobs              # Further options of gen
        self.keys = ['customer_id']
        if key == 'composite':
            self.keys.insert(0, 'region')
        self.tracked = ['name', 'email', 'city', 'balance']
        self.untracked = []
        if wide:
            self.tracked.append('tier')
            self.untracked = ['device', 'visits', 'score', 'note', 'seen']
        self.values = self.tracked + self.untracked

    def options(self):
        o = ['--key', self.key, '--stamp', int(self.stamp),
             '--wide', int(self.wide)]
        for name, value in sorted(self.knobs.items()):
            o += ['--' + name, value]
        return [str(x) for x in o]

    # --- pieces of SQL

    def k(self, alias=None):
        return cols(self.keys, alias)

    def v(self, alias=None):
        return cols(self.values, alias)

    def same_key(self, a, b):
        return ' AND '.join('%s.%s=%s.%s' % (a, c, b, c) for c in self.keys)

    def key_tuple(self, alias=None):
        t = self.k(alias)
        return t if len(self.keys) == 1 else '(%s)' % t

    def declared(self, column):
        return {'balance': 'REAL', 'visits': 'INTEGER', 'score': 'REAL',
                'customer_id': 'TEXT' if self.key == 'text' else 'INTEGER',
                'seq': 'TEXT' if self.stamp else 'INTEGER'
                }.get(column, 'TEXT')

    def table(self, name, columns, key, tail=''):
        """CREATE TABLE with the cheapest key there is for these columns."""
        rowid = len(key) == 1 and self.declared(key[0]) == 'INTEGER'
        text = []
        for c in columns:
            t = '%s %s' % (c, self.declared(c))
            if rowid and c == key[0]:
                t += ' PRIMARY KEY'
            text.append(t)
        if tail:
            text.append(tail)
        if not rowid:
            text.append('PRIMARY KEY(%s)' % ', '.join(key))
        return 'CREATE TABLE %s(%s)%s;\n' % (
            name, ', '.join(text), '' if rowid else ' WITHOUT ROWID')

    # --- written by hand: SCD1

    def scd1_table(self, name='scd1'):
        seq = self.declared('seq')
        return self.table(name, self.keys + self.values, self.keys,
                          '_seq %s NOT NULL, _deleted INTEGER NOT NULL' % seq)

    def _upsert(self):
        sets = ', '.join('%s=excluded.%s' % (c, c)
                         for c in self.values + ['_seq', '_deleted'])
        return (' ON CONFLICT(%s) DO UPDATE SET %s WHERE excluded._seq > _seq;\n'
                % (self.k(), sets))

    def scd1_group(self, where='', log='log'):
        """The newest event of a key through max() and bare columns."""
        return ("INSERT INTO scd1 SELECT %s, %s, max(seq), op='D' FROM %s "
                "%s GROUP BY %s%s" % (self.k(), self.v(), log,
                                      where or 'WHERE true', self.k(),
                                      self._upsert()))

    def scd1_late(self, where='', log='log'):
        """The same; the winners' rows are fetched late, by rowid."""
        return ("INSERT INTO scd1 SELECT %s, %s, l.seq, l.op='D' FROM "
                "(SELECT id i, max(seq) FROM %s %s GROUP BY %s) w "
                "CROSS JOIN %s l ON l.id=w.i WHERE true%s"
                % (self.k('l'), self.v('l'), log, where, self.k(), log,
                   self._upsert()))

    # --- written by hand: SCD2

    def scd2_table(self, name='scd2'):
        seq = self.declared('seq')
        key = ', '.join('%s %s NOT NULL' % (c, self.declared(c))
                        for c in self.keys)
        value = ', '.join('%s %s' % (c, self.declared(c)) for c in self.values)
        return ('CREATE TABLE %s(%s, %s, __START_AT %s NOT NULL, __END_AT %s, '
                '_deleted INTEGER NOT NULL, PRIMARY KEY(%s, __START_AT)) '
                'WITHOUT ROWID;\n' % (name, key, value, seq, seq, self.k()))

    def _history(self, where, log):
        """The versions of a log, and how they are told from its rows."""
        return ("(SELECT %s, %s, seq, op, lead(seq) OVER "
                "(PARTITION BY %s ORDER BY seq) nxt FROM %s %s)"
                % (self.k(), self.v(), self.k(), log, where))

    def scd2_lead(self, where='', log='log', into='scd2', tail=', 0'):
        """The whole history by lead(); exact duplicates fall out."""
        return ("INSERT INTO %s SELECT %s, %s, seq, nxt%s FROM %s "
                "WHERE nxt IS NOT seq AND op<>'D' ORDER BY %s, seq;\n"
                % (into, self.k(), self.v(), tail, self._history(where, log),
                   self.k()))

    def runs(self, columns, log='log'):
        """Every event once, with the start of its run of equal tracked
        values, whether the next event begins another (nb), and the next."""
        over = 'PARTITION BY %s ORDER BY seq' % self.k()
        same = ' AND '.join('%s IS lag(%s) OVER w' % (c, c)
                            for c in self.tracked)
        return ("(SELECT *, max(CASE WHEN brk THEN seq END) OVER r started, "
                "lead(brk) OVER r nb, lead(seq) OVER r nxt FROM (SELECT %s, "
                "seq, op, lag(seq) OVER w IS seq dup, op='D' OR "
                "lag(op) OVER w IS NULL OR lag(op) OVER w='D' OR NOT (%s) brk "
                "FROM %s WINDOW w AS (%s)) WHERE NOT dup WINDOW r AS (%s))"
                % (columns, same, log, over, over))

    def scd2_runs(self, into='scd2', tail=', 0', log='log'):
        return ("INSERT INTO %s SELECT %s, %s, started, nxt%s FROM %s "
                "WHERE op<>'D' AND nb IS NOT 0 ORDER BY %s, started;\n"
                % (into, self.k(), self.v(), tail,
                   self.runs(self.k() + ', ' + self.v(), log), self.k()))

    def scd2_runs_late(self):
        """The same over narrow rows; the values are fetched late."""
        return ("INSERT INTO scd2 SELECT %s, %s, started, nxt, 0 FROM %s r "
                "CROSS JOIN log l ON l.id=r.id WHERE r.op<>'D' AND "
                "nb IS NOT 0 ORDER BY %s, started;\n"
                % (self.k('r'), self.v('l'), self.runs('id, ' + self.k()),
                   self.k('r')))

    def scd2_repair(self, where, log='log'):
        """Insert, then repair the ends of the keys that were touched."""
        nxt = ('(SELECT min(x.__START_AT) FROM scd2 x WHERE %s AND '
               'x.__START_AT>scd2.__START_AT)' % self.same_key('x', 'scd2'))
        return ("INSERT OR IGNORE INTO scd2 SELECT %s, %s, seq, NULL, op='D' "
                "FROM %s %s ORDER BY %s, seq;\n"
                "UPDATE scd2 SET __END_AT=%s WHERE %s IN (SELECT %s FROM %s %s)"
                " AND __END_AT IS NOT %s;\n"
                % (self.k(), self.v(), log, where, self.k(), nxt,
                   self.key_tuple(), self.k(), log, where, nxt))

    def scd2_rebuild(self, where, log='log'):
        """Rebuild the keys that were touched."""
        k, v = self.k(), self.v()
        create = self.table('temp.ak', self.keys, self.keys)
        create = create.replace('TABLE', 'TABLE IF NOT EXISTS', 1)
        return (create +
                "CREATE TEMP TABLE IF NOT EXISTS ev(%s, %s, seq, d);\n"
                "DELETE FROM temp.ak; DELETE FROM temp.ev;\n"
                "INSERT OR IGNORE INTO temp.ak SELECT %s FROM %s %s "
                "ORDER BY %s;\n"
                "INSERT INTO temp.ev SELECT %s, %s, seq, op='D' FROM %s %s;\n"
                "INSERT INTO temp.ev SELECT %s, %s, __START_AT, _deleted FROM "
                "temp.ak a CROSS JOIN scd2 s ON %s;\n"
                "DELETE FROM scd2 WHERE %s IN (SELECT %s FROM temp.ak);\n"
                "INSERT INTO scd2 SELECT %s, %s, seq, nxt, d FROM (SELECT *, "
                "lead(seq) OVER (PARTITION BY %s ORDER BY seq) nxt "
                "FROM temp.ev) WHERE nxt IS NOT seq ORDER BY %s, seq;\n"
                % (k, v, k, log, where, k, k, v, log, where, self.k('s'), v,
                   self.same_key('s', 'a'), self.key_tuple(), k, k, v, k, k))

    # --- the floor: what is written, computed beforehand

    def floor1_table(self, kept):
        extra = ['seq'] if kept else []
        return (self.table('scd1', self.keys + self.values + extra, self.keys)
                + self.table('state', self.keys + ['seq'], self.keys))

    def floor2_table(self, hidden=False):
        t = self.scd2_table().replace(' _deleted INTEGER NOT NULL,', '')
        if hidden:
            t += self.table('state', self.keys + ['seq'] + self.untracked,
                            self.keys + ['seq'])
        return t

    # --- what is compared

    def visible(self, scd, table, ours, kept=False, start=True):
        live = '' if ours else 'WHERE NOT _deleted'
        if scd == 1:
            seq = '' if not kept else ', seq' if ours else ', _seq'
            return 'SELECT %s, %s%s FROM %s %s ORDER BY %s' % (
                self.k(), self.v(), seq, table, live, self.k())
        return ('SELECT %s, %s, __START_AT, __END_AT FROM %s %s '
                'ORDER BY %s, __START_AT' % (self.k(), self.v(), table, live,
                                             self.k()))


def cols(names, alias=None):
    return ', '.join('%s.%s' % (alias, c) if alias else c for c in names)
