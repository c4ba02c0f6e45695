"""What is not a race: building, loading, a small flow, and growth."""

import os
import shutil
import statistics
import subprocess
import time

from bench import HERE, Failed
from cases import all_cases
from peers import Floor, Ours

NAMES = ['make', 'load', 'tiny', 'growth']

TINY = ("#load %s\n#exec\nCREATE TABLE log(customer_id INTEGER, name TEXT, "
        "city TEXT, op TEXT, seq INTEGER);\nINSERT INTO log VALUES"
        "(1,'a','x','I',1),(2,'b','x','I',2),(3,'c','y','I',3),"
        "(1,'a','y','U',4),(2,NULL,NULL,'D',5),(4,'d','z','I',6),"
        "(3,'cc','y','U',8),(3,'c2','y','U',7),(5,'e','z','I',9),"
        "(4,'d','zz','U',10);\n#time\nSELECT * FROM apply_changes('{"
        "\"target\":\"t\",\"source\":\"log\",\"keys\":\"customer_id\","
        "\"sequence_by\":\"seq\",\"apply_as_deletes\":\"op = ''D''\","
        "\"except_column_list\":\"op, seq\",\"scd_type\":%d}')\n")


def entry(what, text, limit='', met=None):
    return {'what': what, 'text': text, 'limit': limit, 'met': met}


def build_time(bench):
    """`make` from clean, in a copy so that nobody's objects are lost."""
    top = os.path.abspath(os.path.join(HERE, '../..'))
    copy = bench.path('make')
    shutil.rmtree(copy, ignore_errors=True)
    os.makedirs(copy)
    for name in os.listdir(top):
        if name in ('ext', 'include', 'sql', 'tests'):
            shutil.copytree(os.path.join(top, name), os.path.join(copy, name))
        elif os.path.isfile(os.path.join(top, name)):
            shutil.copy2(os.path.join(top, name), copy)
    env = {k: v for k, v in os.environ.items()
           if k not in ('MAKEFLAGS', 'MAKELEVEL', 'MFLAGS')}
    t = time.time()
    subprocess.check_call(['make', '-s', 'BUILD=build', 'OUT=.'], cwd=copy,
                          env=env, stdout=subprocess.DEVNULL)
    t = time.time() - t
    shutil.rmtree(copy)
    return entry('make from clean', '%.1f s' % t, '20 s', t <= 20)


def growth(bench, o, failed):
    """Time and peak memory from 100 k events on."""
    out = []
    for case in all_cases():
        if case.name not in ('scd1', 'scd2'):
            continue
        last = None
        for rows in (100000, 1000000) + ((10000000,) if o.full else ()):
            if rows > bench.rows and not o.full:
                continue
            keep = bench.rows, bench.rounds
            bench.rows, bench.rounds = rows, 1 if rows > 1000000 else 3
            try:
                r = bench.case(case, [Ours(), Floor()], None)
            except Failed as e:
                failed.append('growth')
                bench.say('growth FAILED: %s' % e)
                return out
            finally:
                if rows > 1000000:
                    bench.log_drop(case)
                bench.rows, bench.rounds = keep
            us = r['ours']['wall'] / rows * 1e6
            peak = r['ours']['peak_kb'] / 1024
            text = '%.3f s, %.2f us an event, %.2f of the floor, peak %d MB' % (
                r['ours']['wall'], us,
                r['ours']['wall'] / r['floor']['wall'], peak)
            if last:
                text += ', %.2f times the cost of an event before' % (us/last)
            last = us
            out.append(entry('%s, %s events' % (case.name,
                                                format(rows, ',')),
                             text, 'peak 64 MB', peak <= 64))
    return out


def measure(bench, o, is_wanted, failed):
    out = []
    if not bench.extension:
        return out
    try:
        if is_wanted('make'):
            out.append(build_time(bench))
        if is_wanted('load') or is_wanted('tiny'):
            runs = {scd: [bench.script(':memory:',
                                       TINY % (bench.extension, scd))
                          for _ in range(15)] for scd in (1, 2)}
            load = statistics.median(r['load'] for r in runs[1]) * 1000
            out.append(entry('load of the extension', '%.2f ms' % load,
                             '5 ms', load <= 5))
            for scd in (1, 2):
                t = statistics.median(r['wall'] for r in runs[scd]) * 1000
                out.append(entry('SCD%d flow over 10 rows, :memory:' % scd,
                                 '%.2f ms' % t, '2 ms', t <= 2))
    except (Failed, subprocess.CalledProcessError) as e:
        failed.append('make, load or tiny')
        bench.say('FAILED: %s' % e)
    if is_wanted('growth'):
        out += growth(bench, o, failed)
    return out
