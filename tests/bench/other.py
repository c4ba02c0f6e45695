"""Peers that not every machine has: row loops in Python and JavaScript,
DuckDB, PostgreSQL.  Each takes part in the bulk cases over integer keys."""

import csv
import json
import os
import pwd
import shutil
import sqlite3
import subprocess
import sys
import tempfile

from bench import HERE, Failed
from peers import Peer

OTHERS = os.path.join(HERE, 'others')


def answer(command, **more):
    p = subprocess.run(command, stdout=subprocess.PIPE, cwd=OTHERS,
                       stderr=subprocess.PIPE, universal_newlines=True,
                       **more)
    if p.returncode:
        raise Failed('%s: %s' % (command[0], p.stderr.strip()[-1000:]))
    return p.stdout


class Other(Peer):
    """Has its own way to run; on SQLite unless it says otherwise."""

    def measure(self, bench, case, check):
        work = bench.path('work.db')
        shutil.copyfile(bench.log(case)[0], work)
        table = (case.shape.scd1_table() if case.scd == 1
                 else case.shape.scd2_table())
        bench.script(work, '#exec\n' + table)
        os.sync()
        out = json.loads(answer(self.command(bench) + [work, str(case.scd)]))
        if check:
            out['hash'] = bench.script(work, '#hash\n' + case.shape.visible(
                case.scd, 'scd%d' % case.scd, False))['hash']
        os.remove(work)
        return out

    def hash_of(self, bench, case, rows):
        """The checksum of a CSV of final rows from another engine."""
        s, file = case.shape, bench.path('rows.db')
        if os.path.exists(file):
            os.remove(file)
        db = sqlite3.connect(file, isolation_level=None)
        table = s.scd1_table() if case.scd == 1 else s.scd2_table()
        db.executescript(table + 'BEGIN')
        with open(rows, newline='') as f:
            lines = ([x if x != '' else None for x in line]
                     for line in csv.reader(f))
            db.executemany('INSERT INTO scd%d VALUES(%s)' % (
                case.scd, ','.join('?' * (6 + case.scd))), lines)
        db.execute('COMMIT')
        db.close()
        os.remove(rows)
        return bench.script(file, '#hash\n' + s.visible(
            case.scd, 'scd%d' % case.scd, False))['hash']


class PythonLoop(Other):
    name = 'loop python'

    def missing(self, bench):
        return None

    def command(self, bench):
        return [sys.executable, 'loop.py']


class NodeLoop(Other):
    name = 'loop better-sqlite3'

    def module(self, bench):
        return bench.path('node', 'node_modules', 'better-sqlite3')

    def missing(self, bench):
        if not shutil.which('node'):
            return 'no node'
        if not os.path.exists(self.module(bench)):
            return 'no better-sqlite3'
        return None

    def command(self, bench):
        return ['node', 'loop.js', self.module(bench)]


def csv_of(bench, case):
    """The log as CSV, made once."""
    file = bench.log(case)[0]
    out = file + '.csv'
    if (os.path.exists(out)
            and os.path.getmtime(out) > os.path.getmtime(file)):
        return out
    db = sqlite3.connect(file)
    with open(out, 'w', newline='') as f:
        w = csv.writer(f)
        c = db.execute('SELECT * FROM log ORDER BY id')
        w.writerow([d[0] for d in c.description])
        w.writerows(c)
    db.close()
    return out


class Duck(Other):
    def __init__(self, threads):
        self.threads = threads
        self.name = 'duckdb %d' % threads

    def python(self, bench):
        own = bench.path('venv', 'bin', 'python')
        return own if os.path.exists(own) else sys.executable

    def missing(self, bench):
        if subprocess.call([self.python(bench), '-c', 'import duckdb'],
                           stderr=subprocess.DEVNULL):
            return 'no duckdb for Python'
        return None

    def before(self, bench, case):
        self.file = bench.path('log-%d.duckdb' % bench.rows)
        if os.path.exists(self.file):
            os.remove(self.file)
        answer([self.python(bench), 'duck.py', 'make', csv_of(bench, case),
                self.file])

    def measure(self, bench, case, check):
        work, rows = bench.path('work.duckdb'), bench.path('rows.csv')
        for f in (work, work + '.wal'):
            if os.path.exists(f):
                os.remove(f)
        shutil.copyfile(self.file, work)
        os.sync()
        out = json.loads(answer(
            [self.python(bench), 'duck.py', 'run', work, str(case.scd),
             str(self.threads)] + ([rows] if check else [])))
        if check:
            out['hash'] = self.hash_of(bench, case, rows)
        os.remove(work)
        return out


class Postgres(Other):
    """A server of its own, in a folder of its own; nothing is durable."""
    name = 'postgresql'

    def bin(self):
        for top in ('/usr/lib/postgresql',):
            for v in sorted(os.listdir(top) if os.path.isdir(top) else [],
                            reverse=True):
                if os.path.exists(os.path.join(top, v, 'bin', 'initdb')):
                    return os.path.join(top, v, 'bin')
        return None

    def missing(self, bench):
        if not self.bin():
            return 'no PostgreSQL server'
        if os.getuid() == 0:
            try:
                pwd.getpwnam('postgres')
            except KeyError:
                return 'no user postgres to run the server as'
        return None

    def tool(self, name, *arguments, **more):
        as_user = ['runuser', '-u', 'postgres', '--'] \
            if os.getuid() == 0 else []
        return answer(as_user + [os.path.join(self.bin(), name)]
                      + list(arguments), **more)

    def psql(self, *arguments, **more):
        return self.tool('psql', '-X', '-q', '-t', '-A', '-h', self.top, '-d',
                         'postgres', *arguments, **more)

    def before(self, bench, case):
        self.top = tempfile.mkdtemp(prefix='acdc-pg-')
        if os.getuid() == 0:
            shutil.chown(self.top, 'postgres')
        data = os.path.join(self.top, 'data')
        self.tool('initdb', '-D', data, '-A', 'trust', '-E', 'UTF8')
        self.tool('pg_ctl', '-D', data, '-w', '-l',
                  os.path.join(self.top, 'server.log'), '-o',
                  "-k %s -c listen_addresses='' -c shared_buffers=1GB "
                  '-c work_mem=256MB' % self.top, 'start',
                  )
        self.psql('-c', 'CREATE UNLOGGED TABLE log(id integer PRIMARY KEY, '
                  'customer_id integer, name text, email text, city text, '
                  'balance double precision, op text, seq integer)')
        with open(csv_of(bench, case)) as f:
            self.psql('-c', 'COPY log FROM STDIN (FORMAT csv, HEADER)',
                      stdin=f)
        self.psql('-c', 'VACUUM ANALYZE log')

    def measure(self, bench, case, check):
        with open(os.path.join(OTHERS, 'merge.sql')) as f:
            wall = self.psql('-v', 'one=%d' % (case.scd == 1), stdin=f)
        out = {'wall': float(wall.split()[-1]), 'user': 0, 'sys': 0,
               'written': 0, 'peak_kb': 0}
        if check:
            rows = bench.path('rows.csv')
            with open(rows, 'w') as f:
                f.write(self.psql('-c', 'COPY scd%d TO STDOUT (FORMAT csv)'
                                  % case.scd))
            out['hash'] = self.hash_of(bench, case, rows)
        return out

    def after(self):
        self.tool('pg_ctl', '-D', os.path.join(self.top, 'data'), '-m',
                  'immediate', 'stop')
        shutil.rmtree(self.top)


def peers_of(bench, case, say):
    if case.name not in ('scd1', 'scd2'):
        return []
    out = []
    for peer in (PythonLoop(), NodeLoop(), Duck(1), Duck(2), Postgres()):
        why = peer.missing(bench)
        if why:
            say('%s: %s left out: %s (--install)' % (case.name, peer.name,
                                                     why))
        else:
            out.append(peer)
    return out


def install(bench):
    """DuckDB and better-sqlite3 into the folder of the benchmark; PostgreSQL
    by apt-get, where there is one."""
    def attempt(what, *commands):
        for c in commands:
            bench.say('+ ' + ' '.join(c))
            try:
                subprocess.check_call(c, stdout=subprocess.DEVNULL)
            except (OSError, subprocess.CalledProcessError) as e:
                bench.say('%s could not be installed: %s' % (what, e))
                return
    venv = bench.path('venv')
    attempt('DuckDB', [sys.executable, '-m', 'venv', venv],
            [os.path.join(venv, 'bin', 'pip'), '-q', 'install', 'duckdb'])
    node = bench.path('node')
    os.makedirs(node, exist_ok=True)
    attempt('better-sqlite3', ['npm', 'install', '--no-audit', '--no-fund',
                               '--prefix', node, 'better-sqlite3'])
    if Postgres().bin() is None:
        apt = ['apt-get', '-q', '-y']
        if os.getuid():
            apt.insert(0, 'sudo')
        attempt('PostgreSQL', apt + ['install', 'postgresql'])
