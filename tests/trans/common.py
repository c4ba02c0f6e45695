"""What the tests of transactions share: connections, flows, checks."""
import json
import os
import sqlite3
import tempfile


class Failed(Exception):
    pass


class Skipped(Exception):
    pass


def check(condition, *what):
    if not condition:
        raise Failed(" ".join(str(w) for w in what))


def short(text):
    return text if len(text) < 1200 else text[:600] + " ... " + text[-600:]


def same(got, want, *where):
    if got == want:
        return
    if isinstance(got, list) and isinstance(want, list) and len(got) == len(want) > 1:
        where += ("first difference at", next(i for i, (a, b) in enumerate(zip(got, want)) if a != b), "of", len(got))
        got, want = next((a, b) for a, b in zip(got, want) if a != b)
    check(False, *where, "\n  wanted", short(repr(want)), "\n  got   ", short(repr(got)))


def literal(text):
    return "'" + text.replace("'", "''") + "'"


def name(text):
    return '"' + text.replace('"', '""') + '"'


class Folder:
    """A folder for databases; gone at the end."""

    def __enter__(self):
        self.temp = tempfile.TemporaryDirectory(prefix="autocdc-trans-")
        return self

    def __exit__(self, *_):
        self.temp.cleanup()

    def __call__(self, file):
        return os.path.join(self.temp.name, file)


def flow(**members):
    """An inline flow as an SQL literal; log(id, v, seq) onto t by default."""
    made = {"source": "log", "target": "t", "keys": "id", "sequence_by": "seq", "scd_type": 1}
    made.update(members)
    return literal(json.dumps({k: v for k, v in made.items() if v is not None}))


def call(columns="*", options=None, **members):
    more = ", " + literal(json.dumps(options)) if options else ""
    return "SELECT %s FROM apply_changes(%s%s)" % (columns, flow(**members), more)


class Db:
    """A connection in autocommit mode with the extension loaded."""

    def __init__(self, ext, path=":memory:", uri=False, timeout=0):
        self.con = sqlite3.connect(path, isolation_level=None, uri=uri, timeout=timeout)
        if ext:
            self.con.enable_load_extension(True)
            self.con.load_extension(ext)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.con.close()

    def rows(self, sql, *args):
        return self.con.execute(sql, args).fetchall()

    def one(self, sql, *args):
        got = self.rows(sql, *args)
        return got[0][0] if got else None

    def script(self, *statements):
        for sql in statements:
            self.con.execute(sql).fetchall()

    def log(self, *rows, table="log"):
        """A change table log(id, v, seq) with those rows."""
        if not self.rows("SELECT 1 FROM pragma_table_info(?)", table):
            self.script("CREATE TABLE %s(id INTEGER, v TEXT, seq INTEGER)" % table)
        self.con.executemany("INSERT INTO %s VALUES(?,?,?)" % table, rows)

    def apply(self, columns="status, rows_read, inserted, updated, deleted", options=None, **members):
        return self.rows(call(columns, options, **members))

    def error(self, sql, *args):
        """The message of a statement that must fail."""
        try:
            self.con.execute(sql, args).fetchall()
        except sqlite3.Error as e:
            return str(e)
        raise Failed("no error from: " + sql)

    def refused(self, *words, sql=None, **members):
        """apply_changes() fails with those words, and leaves no trace."""
        before = self.everything()
        open_before = self.con.in_transaction
        message = self.error(sql or call(**members))
        for word in words:
            check(word in message, "the message lacks", repr(word) + ":", message)
        check(self.con.in_transaction == open_before, "the transaction's state has changed:", message)
        same(self.everything(), before, "something was left behind by:", message)
        return message

    def everything(self):
        """All that the database holds, of every schema."""
        out = []
        for db in self.rows("SELECT name FROM pragma_database_list"):
            schema = self.rows("SELECT type, name, tbl_name, sql FROM %s.%s ORDER BY 1, 2" % (
                name(db[0]), "sqlite_temp_master" if db[0] == "temp" else "sqlite_master"))
            if schema:
                out.append((db[0], schema))
            for r in schema:
                if r[0] == "table" and "VIRTUAL TABLE" not in (r[3] or "").upper():
                    out.append((r[1], self.rows("SELECT * FROM %s.%s" % (name(db[0]), name(r[1])))))
        return out

    def sound(self, target="t"):
        """No transaction is open and the tables agree with each other."""
        check(not self.con.in_transaction, "a transaction is open")
        same(self.rows("PRAGMA integrity_check"), [("ok",)])
        if self.one("SELECT count(*) FROM pragma_table_info(?)", target) > 900:
            return              # autocdc_check() selects each column twice
        same(self.rows("SELECT * FROM autocdc_check(?)", target), [])
