"""Snapshots and files: a snapshot of which 1 % has changed against scans and
EXCEPT, CSV against .import, JSON lines against the operator ->>."""

import json
import os
import shutil
import statistics
import subprocess
import time

from bench import Failed
from extra import entry

NAMES = ['snapshot1', 'snapshot2', 'csv', 'json']

COLUMNS = ('id INTEGER', 'name TEXT', 'city TEXT', 'score INTEGER',
           'plan TEXT', 'since TEXT', 'op TEXT', 'seq INTEGER')
PLAIN = ', '.join(c.split()[0] for c in COLUMNS)
SCHEMA = ', '.join(COLUMNS)

# A log of :n events on :n/10 keys.
ROWS = ("WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n "
        "WHERE i<%d-1) SELECT i*7919 %% (%d/10) AS id, 'name '||i AS name, "
        "'city '||(i %% 997) AS city, i*31 %% 100000 AS score, "
        "CASE i %% 3 WHEN 0 THEN 'free' WHEN 1 THEN 'basic' ELSE 'pro' END "
        "AS plan, date('2020-01-01', (i %% 2000)||' days') AS since, "
        "CASE WHEN i %% 20 = 7 THEN 'D' ELSE 'U' END AS op, i AS seq FROM n")

# A table of :n keys, and the same with 1 % of it changed, gone or new.
TABLE = ("CREATE TABLE s1(id INTEGER PRIMARY KEY, name TEXT, city TEXT, "
         "score INTEGER, plan TEXT, since TEXT);\n"
         "INSERT INTO s1 WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT "
         "i+1 FROM n WHERE i<%d-1) SELECT i*3, 'name '||i, 'city '||(i %% "
         "997), i*31 %% 100000, CASE i %% 3 WHEN 0 THEN 'free' WHEN 1 THEN "
         "'basic' ELSE 'pro' END, date('2020-01-01', (i %% 2000)||' days') "
         "FROM n;\n"
         "CREATE TABLE s2 AS SELECT * FROM s1 WHERE id %% 3000 <> 0;\n"
         "UPDATE s2 SET city='elsewhere' WHERE rowid %% 125 = 3;\n"
         "INSERT INTO s2 SELECT id+1, name, city, score, plan, since FROM s1 "
         "WHERE id %% 3000 = 0;\n"
         "CREATE TABLE snap(id INTEGER PRIMARY KEY, name TEXT, city TEXT, "
         "score INTEGER, plan TEXT, since TEXT);\n"
         "INSERT INTO snap SELECT * FROM s2 ORDER BY id;\nDROP TABLE s2;\n")

EXCEPT = {
    1: "CREATE TEMP TABLE d AS SELECT * FROM snap EXCEPT SELECT * FROM t;\n"
       "DELETE FROM t WHERE id NOT IN (SELECT id FROM snap);\n"
       "INSERT OR REPLACE INTO t SELECT * FROM d;\n",
    2: "CREATE TEMP TABLE d AS SELECT * FROM snap EXCEPT SELECT id, name, "
       "city, score, plan, since FROM t WHERE \"__END_AT\" IS NULL;\n"
       "UPDATE t SET \"__END_AT\"=2 WHERE \"__END_AT\" IS NULL AND (id IN "
       "(SELECT id FROM d) OR id NOT IN (SELECT id FROM snap));\n"
       "INSERT INTO t SELECT *, 2, NULL FROM d;\n"}


def literal(value):
    return "'%s'" % json.dumps(value).replace("'", "''")


def snapshot_call(scd, source, version):
    return "SELECT * FROM apply_changes_from_snapshot(%s);\n" % literal(
        {'target': 't', 'source': source, 'keys': 'id', 'scd_type': scd,
         'version': version})


class Work:
    def __init__(self, bench, what, rounds):
        self.bench = bench
        self.what = what           # 'wall' or 'cpu'
        self.rounds = rounds

    def seconds(self, answer):
        return answer['wall'] if self.what == 'wall' else \
            answer['user'] + answer['sys']

    def race(self, base, scripts):
        """Median seconds of each script, in turn on fresh copies of base."""
        times = {name: [] for name in scripts}
        hashes = {}
        for i in range(self.rounds + 1):
            for name, text in scripts.items():
                work = self.bench.path('work.db')
                shutil.copyfile(base, work)
                os.sync()
                answer = self.bench.script(work, text)
                os.remove(work)
                if i:                              # The first one warms up
                    times[name].append(self.seconds(answer))
                elif answer['hash']:
                    hashes[name] = answer['hash'][0]
        if len(set(hashes.values())) > 1:
            raise Failed('the results differ: %s' % hashes)
        return {name: statistics.median(t) for name, t in times.items()}


def ratios(what, ours, others):
    """Rows of the report: others is a list of (name, seconds, limit)."""
    out = []
    for name, s, limit in others:
        out.append(entry(what, '%.3f s, %.2f of %s (%.3f s)' % (
            ours, ours/s, name, s), '%.2f' % limit, ours/s <= limit))
    return out


def snapshot(work, scd):
    bench = work.bench
    base = bench.path('snapshot%d.db' % scd)
    if os.path.exists(base):
        os.remove(base)
    load = '#load %s\n' % bench.extension
    bench.script(base, '#exec\n' + TABLE % bench.rows)
    bench.script(base, load + '#exec\n' + snapshot_call(scd, 's1', 1))
    order = '#hash\nSELECT * FROM t ORDER BY 1, 7;\n' if scd == 2 else \
        '#hash\nSELECT * FROM t ORDER BY 1;\n'
    times = work.race(base, {
        'ours': load + '#time\n' + snapshot_call(scd, 'snap', 2) + order,
        'except': '#time\nBEGIN;\n' + EXCEPT[scd] + 'COMMIT;\n' + order,
        'scan': '#scan\nSELECT * FROM snap;\n#scan\nSELECT * FROM t;\n'})
    os.remove(base)
    return ratios('snapshot of %s rows, 1 %% changed, SCD%d' % (
        format(bench.rows, ','), scd), times['ours'], [
            ('a scan of both', times['scan'], 1.5),
            ('EXCEPT', times['except'], 0.5)])


def text_files(bench):
    """The log as CSV and as JSON lines, made by SQLite."""
    csv, lines = bench.path('log.csv'), bench.path('log.jsonl')
    query = ROWS % (bench.rows, bench.rows)
    members = ', '.join("'%s', %s" % (c.split()[0], c.split()[0])
                        for c in COLUMNS)
    for path, options, sql in (
            (csv, ['-csv', '-header'], query),
            (lines, [], 'SELECT json_object(%s) FROM (%s)' % (members, query))):
        with open(path, 'w') as out:
            subprocess.check_call(['sqlite3'] + options + [':memory:', sql],
                                  stdout=out)
    return csv, lines


def flow(source):
    return ("SELECT * FROM apply_changes(%s);\n" % literal(
        {'target': 't', 'source': source, 'keys': 'id', 'sequence_by': 'seq',
         'apply_as_deletes': "op = 'D'", 'except_column_list': 'op, seq'}))


def imported(work, csv):
    """Seconds of the shell's .import."""
    times = []
    for _ in range(work.rounds):
        db = work.bench.path('import.db')
        if os.path.exists(db):
            os.remove(db)
        os.sync()
        t, c = time.time(), os.times()
        subprocess.check_call(
            ['sqlite3', db, 'CREATE TABLE log(%s)' % SCHEMA,
             '.import --csv --skip 1 %s log' % csv])
        d = os.times()
        times.append(time.time() - t if work.what == 'wall' else
                     d.children_user + d.children_system
                     - c.children_user - c.children_system)
    return statistics.median(times), db


def csv_flow(work, csv):
    bench = work.bench
    load = '#load %s\n' % bench.extension
    order = '#hash\nSELECT * FROM t ORDER BY 1;\n'
    empty = bench.path('empty.db')
    open(empty, 'w').close()
    seconds, db = imported(work, csv)
    table = work.race(db, {'flow': load + '#time\n' + flow('log') + order})
    ours = work.race(empty, {'ours': load + '#time\n' + flow(
        {'format': 'csv', 'path': csv, 'schema': SCHEMA}) + order})
    os.remove(db)
    os.remove(empty)
    return ratios('CSV of %s rows into SCD1' % format(bench.rows, ','),
                  ours['ours'], [('.import and a flow',
                                  seconds + table['flow'], 1.0)])


def json_lines(work, lines):
    """All members of all records, by us and by ->> from a table of lines."""
    bench = work.bench
    base = bench.path('lines.db')
    if os.path.exists(base):
        os.remove(base)
    subprocess.check_call(
        ['sqlite3', base, 'CREATE TABLE lines(line TEXT)',
         '.mode ascii', '.separator "\\037" "\\n"',
         '.import %s lines' % lines])
    fields = ', '.join("line->>'%s'" % c.split()[0] for c in COLUMNS)
    ours = ("#load %s\n#exec\nCREATE VIRTUAL TABLE temp.j USING autocdc_json("
            "path='%s', schema='%s');\n" % (bench.extension, lines, SCHEMA))
    times = work.race(base, {
        'ours': ours + '#scan\nSELECT * FROM j;\n#hash\nSELECT * FROM j;\n',
        '->>': '#scan\nSELECT %s FROM lines;\n#hash\nSELECT %s FROM lines;\n' % (
            fields, fields)})
    os.remove(base)
    return ratios('JSON lines, %s records' % format(bench.rows, ','),
                  times['ours'], [("->>", times['->>'], 1.3)])


def measure(bench, o, is_wanted, failed):
    out = []
    if not bench.extension or not any(is_wanted(n) for n in NAMES):
        return out
    work = Work(bench, 'cpu' if o.cpu else 'wall', o.rounds or 3)
    made = []
    try:
        for scd in (1, 2):
            if is_wanted('snapshot%d' % scd):
                out += snapshot(work, scd)
        if is_wanted('csv') or is_wanted('json'):
            made = text_files(bench)
            if is_wanted('csv'):
                out += csv_flow(work, made[0])
            if is_wanted('json'):
                out += json_lines(work, made[1])
    except (Failed, subprocess.CalledProcessError) as e:
        failed.append('snapshots and files')
        bench.say('snapshots and files FAILED: %s' % e)
    for path in made:
        os.remove(path)
    return out
