"""What the tests of specs share."""
import glob
import os
import sqlite3

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
EXT = [None]            # path of the built extension
UPDATE = [False]        # write the files that are made from the code
CASES = []              # functions marked with @case, in order
FAILED = []             # messages of the case at hand


def case(function):
    CASES.append(function)
    return function


def check(ok, message):
    if not ok:
        FAILED.append(message)


def shared(*path):
    """A path under ../shared, or in a copy of it under testdata/."""
    for base in (os.path.join(os.path.dirname(ROOT), "shared"), os.path.join(ROOT, "testdata")):
        if os.path.exists(os.path.join(base, *path)):
            return os.path.join(base, *path)
    raise unittest_skip("%s is not there" % os.path.join("../shared", *path))


class unittest_skip(Exception):
    """The case cannot run here; its text says why."""


class Db:
    """A database with the extension loaded."""

    def __init__(self, path=":memory:"):
        self.db = sqlite3.connect(path, isolation_level=None)
        self.db.enable_load_extension(True)
        self.db.load_extension(os.path.splitext(EXT[0])[0])

    def rows(self, sql, *values):
        return self.db.execute(sql, values).fetchall()

    def run(self, sql, *values):
        self.db.execute(sql, values).fetchall()

    def value(self, sql, *values):
        row = self.db.execute(sql, values).fetchone()
        return row[0] if row else None

    def error(self, sql, *values):
        """The message of the error that the statement gives, "" if none."""
        try:
            self.db.execute(sql, values).fetchall()
        except (sqlite3.Error, sqlite3.Warning) as e:
            return str(e)
        return ""

    def findings(self, spec, options=None):
        return self.rows('SELECT severity, path, line, "column", message, suggestion '
                         "FROM autocdc_validate(?, ?)", spec, options)

    def close(self):
        self.db.close()


def typed(row):
    return tuple((type(v).__name__, v) for v in row)


def rows_equal(got, want):
    """The same rows in any order, storage classes included."""
    return sorted(map(typed, got), key=repr) == sorted((typed(r) for r in want), key=repr)


def seed_documents():
    """The JSON documents printed in the seeds: {name: text}."""
    import json
    import re
    decoder = json.JSONDecoder()
    out = {}
    for path in sorted(glob.glob(os.path.join(shared("seeds"), "*.txt"))):
        with open(path) as f:
            text = f.read()
        name = os.path.splitext(os.path.basename(path))[0]
        at = n = 0
        while True:
            found = re.compile(r'[\[{]\s*["{]').search(text, at)
            if not found:
                break
            try:
                end = decoder.raw_decode(text, found.start())[1]
            except ValueError:
                at = found.start() + 1
                continue
            if end - found.start() > 60:        # not an example inside of a sentence
                n += 1
                out["%s %d" % (name, n)] = text[found.start():end]
            at = end
    return out
