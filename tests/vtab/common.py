"""What the tests of scd2 tables share: connections, an oracle, checks."""
import sqlite3


class Failed(Exception):
    pass


def check(condition, *what):
    if not condition:
        raise Failed(" ".join(str(w) for w in what))


def same(got, want, *where):
    check(got == want, *where, "\n  wanted", want, "\n  got   ", got)


class Db:
    """A connection in autocommit mode with the extension loaded."""

    def __init__(self, ext, path=":memory:"):
        self.con = sqlite3.connect(path, isolation_level=None)
        self.con.enable_load_extension(True)
        self.con.load_extension(ext)

    def rows(self, sql, *args):
        return self.con.execute(sql, args).fetchall()

    def one(self, sql, *args):
        got = self.rows(sql, *args)
        return got[0][0] if got else None

    def script(self, *statements):
        for sql in statements:
            self.con.execute(sql)

    def error(self, sql, *args):
        """The message of a statement that must fail."""
        try:
            self.con.execute(sql, args).fetchall()
        except sqlite3.Error as e:
            return str(e)
        raise Failed("no error: %s" % sql)

    def fails(self, words, sql, *args):
        message = self.error(sql, *args)
        for word in [words] if isinstance(words, str) else words:
            check(word in message, sql, "\n  should say", repr(word), "and says", repr(message))

    def plan(self, sql):
        return " | ".join(r[3] for r in self.rows("EXPLAIN QUERY PLAN " + sql))

    def steps(self, sql, *args):
        """How many instructions of SQLite's machine a query takes."""
        count = [0]

        def tick():
            count[0] += 1
            return 0
        self.con.set_progress_handler(tick, 1)
        try:
            self.rows(sql, *args)
        finally:
            self.con.set_progress_handler(None, 0)
        return count[0]

    def close(self):
        self.con.close()


def history(events, order=lambda s: s):
    """SCD2 rows of events (key, values, is delete, sequence) in arrival order."""
    standing = {}
    for key, values, deleted, seq in events:
        standing[key, order(seq)] = (values, deleted, seq)
    rows = []
    for key in sorted({k for k, _ in standing}):
        is_open = None
        for at in sorted(s for k, s in standing if k == key):
            values, deleted, seq = standing[key, at]
            if is_open and not deleted and is_open[1] == values:
                is_open[1] = values
                continue
            if is_open:
                rows.append((key,) + is_open[1] + (is_open[0], seq))
                is_open = None
            if not deleted:
                is_open = [seq, values]
        if is_open:
            rows.append((key,) + is_open[1] + (is_open[0], None))
    return rows
