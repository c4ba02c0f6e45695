"""Memory stays bounded, however long the log is: peaks of the process."""
import os
import subprocess
import sys

from common import Folder, Skipped, check

HERE = os.path.dirname(os.path.abspath(__file__))
ALLOWED = 64 * 1024         # KB above a process that reads the log by plain SQL
PROGRAM = """
import resource, sys
sys.path.insert(0, %r)
from common import Db, call
db = Db(%r, %r)
db.rows("SELECT sum(length(v)) FROM log")
base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for members in %r:
    got = db.apply(**members)
    assert got[0][0] == 'ok', got
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - base)
"""


def peak(o, at, rows, key, *calls):
    if "libasan" in os.environ.get("LD_PRELOAD", ""):
        raise Skipped("another allocator")
    rows = rows if o.full else rows // 3
    from common import Db
    with Db(None, at("m.db")) as db:
        db.script("PRAGMA journal_mode=OFF", "PRAGMA synchronous=OFF", "CREATE TABLE log(id, v TEXT, seq INTEGER)",
                  "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c WHERE i<%d) INSERT INTO log "
                  "SELECT %s, 'some text of a row, '||i, i FROM c" % (rows, key))
    done = subprocess.run([sys.executable, "-c", PROGRAM % (HERE, o.ext, at("m.db"), list(calls))],
                          capture_output=True, text=True)
    check(done.returncode == 0, done.stderr)
    used = int(done.stdout)
    check(used < ALLOWED, "peak %d MB above the base" % (used // 1024))


def test_long_log(o):
    with Folder() as at:
        peak(o, at, 3000000, "i*7919 % 1000003", {"scd_type": 1}, {"scd_type": 2, "target": "h"})


def test_long_log_text_keys(o):
    with Folder() as at:
        peak(o, at, 1500000, "'customer-'||(i*7919 % 500009)", {"scd_type": 1}, {"scd_type": 2, "target": "h"})


def test_one_key(o):
    with Folder() as at:
        peak(o, at, 1000000, "7", {"scd_type": 1}, {"scd_type": 2, "target": "h"},
             {"scd_type": 2, "target": "p", "ignore_null_updates": True}, {"scd_type": 1, "target": "q", "ignore_null_updates": True})


def test_one_version(o):
    """All events in one run: its members are hidden."""
    with Folder() as at:
        peak(o, at, 1000000, "7", {"scd_type": 2, "target": "h", "track_history_column_list": "same",
                                   "source": "SELECT id, seq, v, 1 AS same FROM log"})


def test_large_rows(o):
    """Rows of 64 KB: the budget is in bytes, not rows."""
    with Folder() as at:
        peak(o, at, 9000, "i % 1000", {"scd_type": 1, "source": "SELECT id, seq, hex(zeroblob(32768))||v AS v FROM log"},
             {"scd_type": 2, "target": "h", "source": "SELECT id, seq, hex(zeroblob(32768))||v AS v FROM log"})
