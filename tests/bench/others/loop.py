"""The row loop people write in Python: loop.py DATABASE SCD.  One transaction,
statements prepared once, the log in its order."""

import json
import resource
import sqlite3
import sys
import time

from common import written

UPSERT = ("INSERT INTO scd1 VALUES(?,?,?,?,?,?,?) ON CONFLICT(customer_id) DO "
          "UPDATE SET name=excluded.name, email=excluded.email, "
          "city=excluded.city, balance=excluded.balance, _seq=excluded._seq, "
          "_deleted=excluded._deleted WHERE excluded._seq > _seq")
AFTER = ("SELECT min(__START_AT) FROM scd2 WHERE customer_id=? AND "
         "__START_AT>?")
BEFORE = ("UPDATE scd2 SET __END_AT=? WHERE customer_id=? AND __START_AT="
          "(SELECT max(__START_AT) FROM scd2 WHERE customer_id=? AND "
          "__START_AT<?)")
INSERT = "INSERT OR IGNORE INTO scd2 VALUES(?,?,?,?,?,?,?,?)"


def main():
    db = sqlite3.connect(sys.argv[1], isolation_level=None)
    log = db.execute('SELECT customer_id, name, email, city, balance, op, seq '
                     'FROM log ORDER BY id')
    c = db.cursor()
    w, t = written(), time.perf_counter()
    c.execute('BEGIN')
    if sys.argv[2] == '1':
        for k, name, email, city, balance, op, seq in log:
            c.execute(UPSERT, (k, name, email, city, balance, seq, op == 'D'))
    else:
        for k, name, email, city, balance, op, seq in log:
            end = c.execute(AFTER, (k, seq)).fetchone()[0]
            c.execute(INSERT, (k, name, email, city, balance, seq, end,
                               op == 'D'))
            c.execute(BEFORE, (seq, k, k, seq))
    c.execute('COMMIT')
    t = time.perf_counter() - t
    r = resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps({'wall': t, 'user': r.ru_utime, 'sys': r.ru_stime,
                      'written': written() - w, 'peak_kb': r.ru_maxrss}))


main()
