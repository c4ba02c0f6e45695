"""Where the time of one call goes, function by function.

Debian's libsqlite3 has no symbols: point LD_LIBRARY_PATH at one built with -g
to see inside it."""

import os
import shutil
import subprocess

from peers import Ours


def report(bench, case, tool):
    peer = Ours()
    work, script = bench.path('work.db'), bench.path('profile.txt')
    data = bench.path('profile.data')
    base = bench.prepare(case, peer)
    shutil.copyfile(base, work)
    with open(script, 'w') as f:
        f.write(bench.text(case, peer, False))
    if tool == 'callgrind':
        run = ['valgrind', '--tool=callgrind', '--callgrind-out-file=' + data]
        show = ['callgrind_annotate', data]
    else:
        run = ['perf', 'record', '-q', '-F', '2000', '-o', data]
        show = ['perf', 'report', '-i', data, '--stdio', '--no-children',
                '--percent-limit', '0.5', '--sort', 'symbol,dso']
    with open(script) as f:
        p = subprocess.run(run + [bench.runner, work], stdin=f,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           universal_newlines=True)
    if p.returncode:
        return '%s: %s' % (case.name, p.stderr[-1000:])
    shown = subprocess.run(show, stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL,
                           universal_newlines=True).stdout
    os.remove(work)
    lines = [x for x in shown.splitlines() if x.strip()
             and not x.startswith('#')]
    return '%s: %s\n%s' % (case.name, p.stdout.strip(),
                           '\n'.join(lines[:70]))
