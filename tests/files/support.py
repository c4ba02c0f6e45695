"""What the tests of files share: a connection with checks, files, options."""
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "prop"))
import engine  # noqa: E402

SHARED = os.path.join(os.path.dirname(ROOT), "shared")
TESTS = []


class Fault(Exception):
    pass


class Skip(Exception):
    pass


def test(function):
    TESTS.append(function)
    return function


class Db:
    """A connection with checks. Values come as the engine gives them."""

    def __init__(self, options, path=":memory:", entry=None):
        self.con = engine.Engine(options.lib, "" if entry else options.ext, path, [])
        if entry:
            self.con.query("SELECT load_extension(%s, %s)" % (engine.literal(options.ext), engine.literal(entry)))

    def rows(self, sql):
        return [tuple(r) for r in self.con.query(sql)[1]]

    def names(self, sql):
        return self.con.query(sql)[0]

    def want(self, sql, expected):
        got = self.rows(sql)
        expected = [tuple(r) for r in expected]
        if repr(got) != repr(expected):
            raise Fault("%s\n  gives   %r\n  and not %r" % (sql, got, expected))

    def refuse(self, sql, *parts):
        try:
            got = self.rows(sql)
        except engine.SqlError as e:
            for part in parts:
                if part not in str(e):
                    raise Fault("%s\n  fails with %r\n  without %r" % (sql, str(e), part))
            return
        raise Fault("%s\n  gives %r\n  instead of an error" % (sql, got))

    def close(self):
        self.con.close()


def write(path, text):
    if os.path.dirname(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(text if isinstance(text, bytes) else text.encode())
    return path


def csv(path, options=None):
    return "autocdc_read_csv(%s%s)" % (engine.literal(path), ", " + engine.literal(json.dumps(options)) if options else "")


def jsn(path, options=None):
    return csv(path, options).replace("read_csv", "read_json")


def snaps(path, **options):
    return csv(path, options).replace("autocdc_read_csv", "autocdc_snapshots")


def records(db, call):
    return [json.loads(r[0]) for r in db.rows("SELECT record FROM " + call)]


def same(got, expected):
    if repr(got) != repr(expected):
        raise Fault("got %r\n  and not %r" % (got, expected))


def flow_call(function, options=None, **flow):
    """A call of apply_changes or apply_changes_from_snapshot."""
    return "%s(%s%s)" % (function, engine.literal(json.dumps(flow)),
                         ", " + engine.literal(json.dumps(options)) if options else "")
