"""The order of sequence values, by exact arithmetic.

read(value, declared) turns what a sequence_by expression gave into (key, shown): key compares by Python's own
operators as docs/semantics.md section 2 wants, shown is the form that __START_AT and __END_AT have.
"""
import datetime
import json
import re
from fractions import Fraction

NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?\Z")
INSTANT = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})"
                     r"(?:[T ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]+))?)?"
                     r"(Z|[+-][0-9]{2}:?[0-9]{2})?)?\Z")
EPOCH = datetime.datetime(1, 1, 1)


def instant(text):
    """Seconds since year 1 in UTC as a Fraction, or None if the text is no ISO-8601 instant."""
    m = INSTANT.match(text)
    if not m:
        return None
    year, month, day, hour, minute, second = (int(g or 0) for g in m.groups()[:6])
    try:
        whole = datetime.datetime(year, month, day, hour, minute, second) - EPOCH
    except ValueError:
        return None
    exact = Fraction(whole.days * 86400 + whole.seconds)
    if m.group(7):
        exact += Fraction(int(m.group(7)), 10 ** len(m.group(7)))
    zone = m.group(8)
    if zone and zone != "Z":
        digits = zone[1:].replace(":", "")
        shift = int(digits[:2]) * 3600 + int(digits[2:]) * 60
        exact += shift if zone[0] == "-" else -shift
    return exact


def number_shown(exact, padded=True):
    if exact.denominator == 1:
        n = exact.numerator
        if -2 ** 63 <= n < 2 ** 63:
            return n
        return "%038d" % n if padded else str(n)
    real = exact.numerator / exact.denominator
    if Fraction(repr(real)) != exact:
        raise ValueError("no REAL is written as %s" % exact)
    return real


def read_part(value, declared, composite):
    if value is None:
        return None, None
    if isinstance(value, (int, float)):
        exact = Fraction(value)
        return ("n", exact), value if isinstance(value, float) and exact.denominator != 1 else \
            number_shown(exact, not composite)
    if isinstance(value, bytes):
        return ("b", value), value
    dated = any(w in (declared or "").upper() for w in ("TIMESTAMP", "DATETIME", "DATE"))
    if not dated and NUMBER.match(value):
        exact = Fraction(value)
        return ("n", exact), number_shown(exact, not composite)
    when = instant(value)
    if when is not None:
        return ("i", when), value
    return ("t", value.encode()), value


def read(values, declared):
    """values, declared: one entry for each part. (None, None) if a part is NULL."""
    parts = [read_part(v, d, len(values) > 1) for v, d in zip(values, declared)]
    if any(k is None for k, _ in parts):
        return None, None
    if len(parts) == 1:
        return parts[0]
    return (tuple(k for k, _ in parts),
            json.dumps([s for _, s in parts], separators=(",", ":"), ensure_ascii=False))


def read_shown(value, count):
    """The key of a value that __START_AT or __END_AT has."""
    parts = [value] if count == 1 else json.loads(value)
    if not isinstance(parts, list) or len(parts) != count:
        return None
    return read([repr(p) if isinstance(p, float) else p for p in parts], [""] * count)[0]
