"""DuckDB: duck.py make CSV FILE  |  duck.py run FILE SCD THREADS [ROWS.csv]

make: the log of a CSV as a table of a database.  run: one merge into an empty
table, committed; with a last argument the final rows go to a CSV file."""

import json
import resource
import sys
import time

import duckdb

from common import written

LOG = ("CREATE TABLE log(id INTEGER, customer_id INTEGER, name TEXT, email "
       "TEXT, city TEXT, balance DOUBLE, op TEXT, seq INTEGER)")
TABLE = {
    '1': 'CREATE TABLE scd1(customer_id INTEGER, name TEXT, email TEXT, '
         'city TEXT, balance DOUBLE, _seq INTEGER, _deleted INTEGER)',
    '2': 'CREATE TABLE scd2(customer_id INTEGER, name TEXT, email TEXT, '
         'city TEXT, balance DOUBLE, __START_AT INTEGER, __END_AT INTEGER, '
         '_deleted INTEGER)'}
MERGE = {
    '1': "INSERT INTO scd1 SELECT customer_id, name, email, city, balance, "
         "seq, op='D' FROM log QUALIFY row_number() OVER (PARTITION BY "
         "customer_id ORDER BY seq DESC)=1",
    '2': "INSERT INTO scd2 SELECT customer_id, name, email, city, balance, "
         "seq, nxt, 0 FROM (SELECT *, lead(seq) OVER (PARTITION BY "
         "customer_id ORDER BY seq) nxt FROM log) WHERE nxt IS DISTINCT FROM "
         "seq AND op<>'D' ORDER BY customer_id, seq"}


def make(csv, file):
    db = duckdb.connect(file)
    db.execute(LOG)
    db.execute("INSERT INTO log SELECT * FROM read_csv('%s', header=true, "
               "nullstr='', all_varchar=true)" % csv)
    db.close()


def run(file, scd, threads, out=None):
    db = duckdb.connect(file)
    db.execute('SET threads=%d' % int(threads))
    db.execute(TABLE[scd])
    r0, w, t = resource.getrusage(resource.RUSAGE_SELF), written(), \
        time.perf_counter()
    db.execute('BEGIN')
    db.execute(MERGE[scd])
    db.execute('COMMIT')
    t = time.perf_counter() - t
    r = resource.getrusage(resource.RUSAGE_SELF)
    if out:
        db.execute("COPY scd%s TO '%s' (HEADER false, NULLSTR '')"
                   % (scd, out))
    print(json.dumps({'wall': t, 'user': r.ru_utime - r0.ru_utime,
                      'sys': r.ru_stime - r0.ru_stime,
                      'written': written() - w, 'peak_kb': r.ru_maxrss}))


{'make': make, 'run': run}[sys.argv[1]](*sys.argv[2:])
