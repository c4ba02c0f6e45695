"""Makes the databases, writes the scripts and runs the measurements."""

import json
import os
import shutil
import statistics
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))


class Failed(Exception):
    pass


class Bench:
    """folder: where everything is made.  rows: events of a log."""

    def __init__(self, folder, extension, rows, rounds, say, keep=False):
        self.folder = os.path.abspath(folder)
        self.extension = extension and os.path.abspath(extension)
        self.rows = rows
        self.rounds = rounds
        self.say = say
        self.keep = keep
        os.makedirs(self.folder, exist_ok=True)
        self.gen = self.compile('gen')
        self.runner = self.compile('runner')

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def compile(self, name):
        """The C program of that name, made anew when its source is newer."""
        source, out = os.path.join(HERE, name + '.c'), self.path(name)
        if (os.path.exists(out)
                and os.path.getmtime(out) > os.path.getmtime(source)):
            return out
        flags = subprocess.run(
            ['pkg-config', '--cflags', '--libs', 'sqlite3'],
            stdout=subprocess.PIPE, universal_newlines=True).stdout.split()
        cc = os.environ.get('CC', 'cc').split()
        subprocess.check_call(
            cc + ['-std=c99', '-O2', '-o', out, source]
            + (flags or ['-lsqlite3']))
        return out

    # --- logs

    def batches(self, case):
        """(first id, last id, ids a batch) of the events to be merged."""
        rows, before = self.rows, 0
        if case.kind in ('one', 'inc', 'wal'):
            before = rows
        if case.kind == 'late':
            before, rows = self.rows, max(100, self.rows // 100)
        size = rows
        if case.small:
            size = max(1, rows // 100)
            # Fewer of the small batches where the whole is a quick look.
            if rows < 1000000:
                rows = size * 10
        return before + 1, before + rows, size

    def log(self, case):
        """The log's database, and that of the arrivals (or None)."""
        rows = self.rows
        shape, options = case.shape, ['--rows', rows]
        name = '%s-%d' % (shape.name, rows)
        if case.kind == 'bulk':
            options += ['--keys', max(1, rows // 10)]
        elif case.kind == 'late':
            lo, hi, _ = self.batches(case)
            name += '-late%d' % case.versions
            options = ['--rows', hi - lo + 1, '--versions', case.versions,
                       '--keys', max(1, rows // case.versions)]
        else:
            name += '-base'
            options += ['--keys', rows, '--base', rows]
        log, arrivals = self.path(name + '.db'), None
        if case.kind != 'bulk':
            arrivals = self.path(name + '.arrivals.db')
            options += ['--arrivals', arrivals]
        stamp = log + '.made'
        if not (os.path.exists(stamp) and
                os.path.getmtime(stamp) > os.path.getmtime(self.gen)):
            subprocess.check_call(
                [self.gen, '--out', log] + [str(x) for x in options]
                + shape.options())
            open(stamp, 'w').close()
        return log, arrivals

    def log_drop(self, case):
        """Remove a log that is too large to be kept for the next time."""
        log, arrivals = self.log(case)
        for name in (log, arrivals, log + '.made'):
            if name:
                os.remove(name)

    # --- running

    def script(self, database, text):
        """Run a script; the measurement, as the runner prints it."""
        p = subprocess.run([self.runner, database], input=text,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           universal_newlines=True)
        if p.returncode:
            raise Failed(p.stderr.strip()[:600] or
                         'the runner died (%d)' % p.returncode)
        return json.loads(p.stdout)

    def call(self, case):
        """The call that is measured."""
        s = case.shape
        drop = ['id', 'op'] + ([] if case.kept else ['seq'])
        flow = {'target': 'customers', 'source': 'log', 'keys': s.keys,
                'sequence_by': 'seq', 'apply_as_deletes': "op = 'D'",
                'except_column_list': drop, 'scd_type': case.scd}
        if case.ignore_null:
            flow['ignore_null_updates'] = True
        if case.tracked:
            flow['track_history_column_list'] = s.tracked
        return ("SELECT * FROM apply_changes('%s');\n"
                % json.dumps(flow).replace("'", "''"))

    def prepare(self, case, peer):
        """The database a run starts from, with the target as it stands
        before the events that are measured."""
        log, arrivals = self.log(case)
        if case.kind == 'bulk':
            return log
        base = self.path('base-%s.db' % peer.name)
        shutil.copyfile(log, base)
        text = "#exec\nATTACH '%s' AS b;\n" % arrivals
        text += peer.seed(self, case)
        if not case.small:
            text += '#exec\nINSERT INTO log SELECT * FROM b.arrivals;\n'
        if case.kind == 'wal':
            text += '#exec\nPRAGMA main.journal_mode=WAL;\n'
        self.script(base, text)
        return base

    def text(self, case, peer, check):
        """The script of one run."""
        lo, hi, size = self.batches(case)
        _, arrivals = self.log(case)
        text = ''
        if arrivals:
            text += "#exec\nATTACH '%s' AS b;\n" % arrivals
        text += peer.begin(self, case)
        text += '#loop %d %d %d\n' % (lo, hi, size)
        if case.small:
            text += ('#exec\nINSERT INTO main.log SELECT * FROM b.arrivals '
                     'WHERE id BETWEEN :lo AND :hi;\n')
        text += peer.batch(self, case)
        text += '#end\n'
        if check:
            text += '#hash\n' + peer.check(self, case)
        return text

    def once(self, case, peer, check=False):
        """One measurement on a fresh copy."""
        if hasattr(peer, 'measure'):
            return peer.measure(self, case, check)
        base = peer.base if peer.base else self.prepare(case, peer)
        peer.base = base
        work = self.path('work.db')
        for tail in ('', '-journal', '-wal', '-shm'):
            if os.path.exists(work + tail):
                os.remove(work + tail)
        shutil.copyfile(base, work)
        os.sync()
        answer = self.script(work, self.text(case, peer, check))
        os.remove(work)
        return answer

    def case(self, case, peers, expected=None):
        """All peers in turn; {peer name: {what: median}}, once their final
        tables have been found equal (and as expected)."""
        results, hashes = {}, {}
        if expected:
            hashes['expected'] = expected.answer(self, case)
        begun = []
        try:
            for peer in peers:
                peer.base = None
                begun.append(peer)
                peer.before(self, case)
                answer = self.once(case, peer, check=True)
                hashes[peer.name] = answer['hash'][0]
                results[peer.name] = {'first': answer, 'runs': []}
            if len(set(hashes.values())) > 1:
                raise Failed('the final tables differ: %s' % ', '.join(
                    '%s %s' % x for x in sorted(hashes.items())))
            for _ in range(self.rounds):
                for peer in peers:
                    results[peer.name]['runs'].append(self.once(case, peer))
        finally:
            for peer in begun:
                peer.after()
                if peer.base and not self.keep and os.path.basename(
                        peer.base).startswith('base-'):
                    os.remove(peer.base)
        return {name: summary(r) for name, r in results.items()}


def summary(result):
    """Medians of the runs of one peer."""
    runs = result['runs'] or [result['first']]
    out = {what: statistics.median(r[what] for r in runs)
           for what in ('wall', 'user', 'sys', 'written', 'peak_kb')}
    out['cpu'] = statistics.median(r['user'] + r['sys'] for r in runs)
    walls = [r['wall'] for r in runs]
    out['spread'] = max(walls) / min(walls) - 1 if min(walls) else 0
    out['row'] = result['first'].get('row', {})
    out['runs'] = len(runs)
    return out
