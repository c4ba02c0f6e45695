"""Values that a random stream is made of: keys, data and sequences of every kind."""
import datetime

BIG = 2 ** 63 - 1

# A key declaration and its values. Each value is a list of spellings that the declared column takes for one key;
# those after the first need a source column without affinity, or are equal by collation only.
KEYS = {
    "INTEGER": [[1, "1", 1.0], [2, "2"], [-3, "-3"], [0, "0", "00"], [BIG], [-BIG - 1], [10, "10"]],
    "BIGINT": [[1, "1"], [2, "2", 2.0], [10], [7], [-1]],
    "TEXT": [["a"], ["A"], ["b"], [""], ["1", 1], ["01"], ["a b"], ["\u00e9"], ["it's"], ["k" * 300]],
    "VARCHAR(20)": [["a"], ["10", 10], ["9", 9], ["[1]"], ["x\ny"]],
    "REAL": [[1.5, "1.5"], [2.0, 2, "2"], [-0.25], [1e10, 10000000000], [0.1, "0.1"]],
    "NUMERIC": [[1, "1", 1.0, "1.0"], [1.5, "1.5"], ["abc"], [2 ** 53 + 1], [-7, "-7"], [""]],
    "": [[1], ["1"], [1.5], [b"1"], ["a"], ["A"], [b""], [""], [b"\x00\xff"]],
    "BLOB": [[b"a"], ["a"], [1], [b""], [b"a\x00"]],
    "TEXT COLLATE NOCASE": [["a", "A"], ["bc", "Bc", "BC"], ["1"], ["", ""], ["\u00e9"], ["\u00c9"]],
    "TEXT COLLATE RTRIM": [["a", "a ", "a  "], ["b"], [" a"], ["", " "]],
}
SYNONYM_BY_AFFINITY = 1          # spellings 1.. of the declarations without COLLATE

# A data declaration and its values; NULL is added by the stream. Equal ones make runs, so there are few.
DATA = {
    "INTEGER": [1, 2, 2 ** 53 + 1],
    "INT": [0, 1, -BIG - 1],
    "TEXT": ["x", "y", "X", ""],
    "VARCHAR(9)": ["x", "1", "\u00fc\U0001f600"],
    "REAL": [0.5, 1.0, 0.1, 1e300],
    "NUMERIC": [1, 2.5, "n/a", 2 ** 53 + 1],
    "": [1, "1", b"\x01", "x", 2.5],
    "BLOB": [b"", b"x", b"\x00\x01"],
    "TEXT COLLATE NOCASE": ["x", "X", "y"],
    "DATE": ["2026-01-01", "2026-01-02"],
    "BOOLEAN": [0, 1],
}
NAMES = ["name", "city", "v", "Amount", "note", "user.name", "it's", "a b", "order", "x\"y", "sel,ect", "\u00fcber",
         "rowid", "value", "key", "kind", "arr", "seq2", "__state"]

STRICT = {"BIGINT": "INT", "VARCHAR(20)": "TEXT", "VARCHAR(9)": "TEXT", "NUMERIC": "ANY", "": "ANY", "BLOB": "ANY",
          "DATE": "TEXT", "BOOLEAN": "INTEGER", "TIMESTAMP": "TEXT", "DATETIME": "TEXT"}


def strict(declaration):
    kind, _, collation = declaration.partition(" COLLATE ")
    kind = STRICT.get(kind, kind)
    return kind + (" COLLATE " + collation if collation else "")


def as_text(rng, value):
    """A number as a text file gives it."""
    return str(value) if isinstance(value, int) else value


START = datetime.datetime(2026, 2, 27, 22, 59, 50)


def stamp(rank, step, form):
    when = START + datetime.timedelta(seconds=rank * step)
    return when.strftime(form)


def mixed(rng, rank):
    """One instant in one of its many forms."""
    when = START + datetime.timedelta(milliseconds=500 * rank)
    minutes = rng.choice([None, 0, 60, -330, 345])
    zone = ""
    if minutes is not None:
        when += datetime.timedelta(minutes=minutes)
        zone = "%s%02d:%02d" % ("-" if minutes < 0 else "+", abs(minutes) // 60, abs(minutes) % 60)
        if not minutes and rng.random() < .7:
            zone = "Z"
    fraction = ""
    if when.microsecond:
        fraction = rng.choice([".5", ".50", ".500", ".500000"])
    elif rng.random() < .3:
        fraction = rng.choice([".0", ".000"])
    if not zone and not fraction and when.hour == when.minute == when.second == 0 and rng.random() < .7:
        return when.strftime("%Y-%m-%d")
    return when.strftime(rng.choice(["%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S"])) + fraction + zone


class Sequence:
    """A kind of sequence: columns of the source, the sequence_by member, and raw(rank), monotonic in rank."""

    def __init__(self, rng, plain):
        self.rng = rng
        kind = rng.choice(["int"] * 8 + ["inttext"] * 2 + [
            "big", "decimal", "decimal2", "real", "stamp", "stamp", "iso", "date", "mixed", "mixed", "nano", "text",
            "hex", "blob", "pair", "pair", "triple", "expression", "forms"])
        self.kind = kind = "int" if plain else kind
        self.columns = [("seq", "INTEGER")]
        self.by = "seq"
        self.start_types = [""]          # declarations that a user may give __START_AT and __END_AT
        self.many_forms = kind in ("mixed", "forms")
        if kind in ("pair", "triple"):
            self.parts = [rng.choice(["int", "inttext", "text", "stamp", "big"])
                          for _ in range(2 if kind == "pair" else 3)]
            self.columns = [("s%d" % i, {"int": "INTEGER"}.get(p, "TEXT")) for i, p in enumerate(self.parts)]
            self.by = [c for c, _ in self.columns]
            if rng.random() < .3:
                self.by = ", ".join(self.by).split(", ")
            self.start_types = ["", "TEXT"]
            return
        self.parts = [kind]
        declared = {
            "int": ["INTEGER", "INTEGER", "INTEGER", "BIGINT", "", "NUMERIC"], "inttext": ["TEXT", "", "VARCHAR(20)"],
            "big": ["TEXT"], "decimal": ["TEXT", ""], "decimal2": ["TEXT"], "real": ["REAL"], "forms": ["TEXT", ""],
            "stamp": ["TEXT", "TIMESTAMP", "DATETIME", ""], "iso": ["TEXT", "TIMESTAMP"], "date": ["DATE", "TEXT"],
            "mixed": ["TEXT", "TIMESTAMP", ""], "nano": ["TEXT", "TIMESTAMP"], "text": ["TEXT", ""], "hex": ["TEXT"],
            "blob": ["BLOB", ""], "expression": ["INTEGER"]}[kind]
        self.columns = [("seq", rng.choice(declared))]
        if kind in ("int", "inttext", "expression"):
            self.start_types = ["", "INTEGER"]
        elif kind in ("stamp", "iso", "date", "mixed", "nano", "text", "hex"):
            self.start_types = ["", "TEXT"]
        self.base = rng.choice([0, 0, 0, 1, -4, 2 ** 53 - 1, 2 ** 62, 1700000000, -2 ** 63]) if kind == "int" else 0
        self.step = rng.choice([1, 1, 1, 7])
        if kind == "expression":
            self.by = rng.choice(["seq * 2", "seq + 0", "coalesce(seq, 0)", "max(seq, 0)", "CAST(seq AS TEXT)"])

    def as_feed(self):
        """The sequence of a native change feed."""
        self.kind, self.parts, self.many_forms, self.start_types = "feed", ["int"], False, ["", "INTEGER"]
        self.columns, self.by, self.base, self.step = [("_commit_version", "INTEGER")], "_commit_version", 0, 1

    def raw(self, rank):
        """Values for the columns; where a value has several forms, one of them at random."""
        if len(self.parts) == 1:
            return [self.part(self.parts[0], rank)]
        digits = []
        for _ in self.parts:
            digits.append(rank % 4)
            rank //= 4
        digits.reverse()
        digits[0] += rank * 4
        return [self.part(p, d) for p, d in zip(self.parts, digits)]

    def part(self, kind, rank):
        rng = self.rng
        if kind == "int":
            return getattr(self, "base", 0) + rank * getattr(self, "step", 1)
        if kind == "expression":
            return rank
        if kind == "inttext":
            return str(rank + 7)
        if kind == "big":
            return str(2 ** 63 - 3 + rank)
        if kind == "decimal":
            return ("%.2f" % (9 + rank / 4)).rstrip("0").rstrip(".")
        if kind == "decimal2":
            return "%d.%02d" % (9 + rank // 100, rank % 100)
        if kind == "forms":
            return rng.choice(["%d", "+%d", "0%d", "%d.0", "000%d.00"]) % (rank + 7)
        if kind == "real":
            return -1 + rank * 0.5
        if kind == "stamp":
            return stamp(rank, 1, "%Y-%m-%d %H:%M:%S")
        if kind == "iso":
            return stamp(rank, 1, "%Y-%m-%dT%H:%M:%S") + ".%03dZ" % (rank * 7 % 10)
        if kind == "date":
            return stamp(rank, 86400, "%Y-%m-%d")
        if kind == "mixed":
            return mixed(rng, rank)
        if kind == "nano":
            return stamp(rank // 8, 1, "%Y-%m-%d %H:%M:%S") + ".%09d" % (123456788 + rank % 8)
        if kind == "text":
            return "v%03d" % rank if rank % 5 else "v%03d\u00e9" % (rank - 1)
        if kind == "hex":
            return "0x%08X" % (rank * 9)
        return bytes([rank // 7, rank % 7][:2] if rank % 7 else [rank // 7])
