"""Questions to a history: an scd2 table over it against the same SQL on the
plain table; and events by INSERT against apply_changes()."""

import os

from filebench import Work, literal, ratios
from bench import Failed

NAMES = ['as-of', 'insert']

# :n versions on :n/10 keys, versions of a key 1000 apart.
TABLE = ("CREATE TABLE log(id INTEGER, name TEXT, city TEXT, op TEXT, "
         "seq INTEGER);\n"
         "INSERT INTO log WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT "
         "i+1 FROM n WHERE i<%d-1) SELECT i %% (%d/10), 'name '||i, "
         "'city '||(i %% 997), 'U', (i/(%d/10))*1000 + i %% 1000 FROM n;\n"
         "CREATE TABLE orders AS SELECT (o.id*7919) %% (%d/10) AS id, "
         "(o.seq*31) %% 10000 AS at FROM log o LIMIT %d/5;\n")

FLOW = {'target': 't', 'source': 'log', 'keys': 'id', 'sequence_by': 'seq',
        'scd_type': 2, 'apply_as_deletes': "op = 'D'",
        'except_column_list': 'op, seq'}
APPLY = "SELECT * FROM apply_changes(%s);\n"
HISTORY = "CREATE VIRTUAL TABLE h USING scd2(target='t');\n"
INSERTS = ("CREATE VIRTUAL TABLE h USING scd2(columns='id INTEGER, name TEXT, "
           "city TEXT, op TEXT, seq INTEGER', keys='id', sequence_by='seq', "
           "apply_as_deletes='op = ''D''', except_column_list='op, seq');\n")

HOLDS = '"__START_AT"<=%s AND ("__END_AT">%s OR "__END_AT" IS NULL)'

# name, question to h, the same of t, limit
QUESTIONS = [
    ('as of, by key',
     "SELECT sum(length(city)) FROM orders o JOIN h ON h.id=o.id AND "
     "h.as_of=5000",
     "SELECT sum(length(city)) FROM orders o JOIN t ON t.id=o.id AND "
     + HOLDS % ('5000', '5000'), 1.3),
    ('point-in-time join',
     "SELECT sum(length(city)) FROM orders o JOIN h ON h.id=o.id AND "
     "h.as_of=o.at",
     "SELECT sum(length(city)) FROM orders o JOIN t ON t.id=o.id AND "
     + HOLDS % ('o.at', 'o.at'), 1.3),
    ('as of, a tenth of all versions',
     "SELECT sum(length(city)) FROM h WHERE as_of=5000",
     "SELECT sum(length(city)) FROM t WHERE " + HOLDS % ('5000', '5000'), 1.3),
]


def as_of(work):
    bench = work.bench
    base = bench.path('history.db')
    if os.path.exists(base):
        os.remove(base)
    n = bench.rows
    load = '#load %s\n' % bench.extension
    bench.script(base, '#exec\n' + TABLE % (n, n, n, n, n))
    bench.script(base, load + '#exec\n' + APPLY % literal(FLOW) + HISTORY)
    out = []
    for name, ours, plain, limit in QUESTIONS:
        times = work.race(base, {
            'ours': load + '#scan\n' + ours + ';\n#hash\n' + ours + ';\n',
            'plain': '#scan\n' + plain + ';\n#hash\n' + plain + ';\n'})
        out += ratios('%s, %s versions' % (name, format(n, ',')),
                      times['ours'], [('plain SQL', times['plain'], limit)])
    os.remove(base)
    return out


def insert(work):
    bench = work.bench
    base = bench.path('history.db')
    if os.path.exists(base):
        os.remove(base)
    n = bench.rows
    load = '#load %s\n' % bench.extension
    bench.script(base, '#exec\n' + TABLE % (n, n, n, n, n))
    bench.script(base, load + '#exec\n' + INSERTS)
    order = ' ORDER BY 1, "__START_AT";\n'
    times = work.race(base, {
        'insert': load + '#time\nINSERT INTO h(id, name, city, op, seq) '
                  'SELECT * FROM log;\n#hash\nSELECT id, name, city, '
                  '"__START_AT", "__END_AT" FROM h' + order,
        'apply': load + '#time\n' + APPLY % literal(FLOW) + '#hash\nSELECT id, '
                 'name, city, "__START_AT", "__END_AT" FROM t' + order})
    os.remove(base)
    return ratios('INSERT of %s events' % format(n, ','), times['insert'],
                  [('apply_changes()', times['apply'], 1.5)])


def measure(bench, o, is_wanted, failed):
    """Rows of the report for what is wanted."""
    out = []
    if not bench.extension:
        return out
    work = Work(bench, 'cpu' if o.cpu else 'wall', max(1, o.rounds or 1))
    for name, function in (('as-of', as_of), ('insert', insert)):
        if not is_wanted(name):
            continue
        try:
            out += function(work)
        except Failed as e:
            failed.append(name)
            print('%s FAILED: %s' % (name, e))
    return out
