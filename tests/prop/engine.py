"""libsqlite3 through ctypes, with the extension loaded: the side that is tested."""
import ctypes
import ctypes.util

INTEGER, REAL, TEXT, BLOB, NULL = 1, 2, 3, 4, 5
ROW, DONE = 100, 101


class SqlError(Exception):
    pass


def library(path=""):
    lib = ctypes.CDLL(path or ctypes.util.find_library("sqlite3") or "libsqlite3.so.0")
    lib.sqlite3_errmsg.restype = ctypes.c_char_p
    lib.sqlite3_column_int64.restype = ctypes.c_int64
    lib.sqlite3_column_double.restype = ctypes.c_double
    lib.sqlite3_column_blob.restype = ctypes.c_void_p
    lib.sqlite3_column_name.restype = ctypes.c_char_p
    return lib


def quote(name):
    return '"' + name.replace('"', '""') + '"'


def literal(v):
    if v is None:
        return "NULL"
    if isinstance(v, bytes):
        return "x'%s'" % v.hex()
    if isinstance(v, str):
        return "'" + v.replace("'", "''") + "'"
    return repr(v)


class Engine:
    """One connection. script collects what was run, so that a failure can be played again in the shell."""

    def __init__(self, lib, ext, path, script):
        self.lib, self.script, self.db = lib, script, ctypes.c_void_p()
        if lib.sqlite3_open(path.encode(), ctypes.byref(self.db)):
            raise SqlError("cannot open " + path)
        lib.sqlite3_enable_load_extension(self.db, 1)
        why = ctypes.c_char_p()
        if ext and lib.sqlite3_load_extension(self.db, ext.encode(), None, ctypes.byref(why)):
            raise SqlError("the extension does not load: %s" % (why.value or b"").decode())

    def query(self, sql):
        """Runs one statement; returns (names, rows)."""
        lib, st = self.lib, ctypes.c_void_p()
        if lib.sqlite3_prepare_v2(self.db, sql.encode(), -1, ctypes.byref(st), None):
            raise SqlError(self.message())
        try:
            width = lib.sqlite3_column_count(st)
            names = [lib.sqlite3_column_name(st, i).decode() for i in range(width)]
            rows = []
            while True:
                rc = lib.sqlite3_step(st)
                if rc == DONE:
                    return names, rows
                if rc != ROW:
                    raise SqlError(self.message())
                rows.append(tuple(self.cell(st, i) for i in range(width)))
        finally:
            lib.sqlite3_finalize(st)

    def run(self, sql):
        """The same, and part of the script."""
        self.script.append(sql + ";")
        return self.query(sql)

    def cell(self, st, i):
        lib = self.lib
        kind = lib.sqlite3_column_type(st, i)
        if kind == INTEGER:
            return lib.sqlite3_column_int64(st, i)
        if kind == REAL:
            return lib.sqlite3_column_double(st, i)
        if kind == NULL:
            return None
        start = lib.sqlite3_column_blob(st, i)
        raw = ctypes.string_at(start, lib.sqlite3_column_bytes(st, i)) if start else b""
        return raw.decode("utf-8", "surrogateescape") if kind == TEXT else raw

    def message(self):
        return self.lib.sqlite3_errmsg(self.db).decode("utf-8", "replace")

    def busy(self):
        """A transaction is open."""
        return not self.lib.sqlite3_get_autocommit(self.db)

    def close(self):
        """False if a statement was left open."""
        return self.lib.sqlite3_close(self.db) == 0

    def dump(self):
        """Everything that is stored, the log of runs aside."""
        out = []
        _, schema = self.query("SELECT type, name, sql, rootpage FROM sqlite_schema ORDER BY type, name")
        for kind, name, sql, root in schema:
            if name.startswith("autocdc_run") or name.startswith("sqlite_autoindex_autocdc_run"):
                continue
            out.append((kind, name, sql))
            if kind == "table" and root:
                out.append(self.query("SELECT * FROM " + quote(name)))
        return repr(out)
