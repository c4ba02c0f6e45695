"""Real snapshots: releases of mime-db, a table of media types, against a plain
SQL diff of consecutive releases."""
import importlib.machinery
import importlib.util
import os
import shutil
import subprocess

from support import ROOT, Fault, Skip, engine, flow_call, same, test

SCHEMA = "type STRING, source STRING, charset STRING, compressible BOOLEAN, extensions ARRAY<STRING>"
COLUMNS = "type, source, charset, compressible, extensions"


def maker():
    path = os.path.join(ROOT, "testdata", "mime", "releases")
    loader = importlib.machinery.SourceFileLoader("mime_releases", path)
    spec = importlib.util.spec_from_loader("mime_releases", loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def call(folder, scd=2, target="h"):
    return flow_call("apply_changes_from_snapshot", target=target, keys="type", scd_type=scd,
                     source={"format": "json", "path": folder + "/mime_{version}.jsonl", "schema": SCHEMA})


def check(db, folder, numbers):
    """The history that is in h, release by release, by SQL alone."""
    for i, n in enumerate(numbers):
        db.rows("CREATE VIRTUAL TABLE temp.r%d USING autocdc_json(path='%s/mime_%d.jsonl', schema='%s')" % (
            i, folder, n, SCHEMA))
        asof = "SELECT %s FROM h WHERE __START_AT<=%d AND (__END_AT>%d OR __END_AT IS NULL)" % (COLUMNS, n, n)
        for a, b in ((asof, "SELECT * FROM r%d" % i), ("SELECT * FROM r%d" % i, asof)):
            same(db.rows("SELECT count(*) FROM (%s EXCEPT %s)" % (a, b)), [(0,)])
        same(db.rows("SELECT count(*) FROM (%s)" % asof), db.rows("SELECT count(*) FROM r%d" % i))
        if i == 0:
            continue
        for end, new, old in (("__START_AT", i, i-1), ("__END_AT", i-1, i)):
            same(db.rows("SELECT %s FROM h WHERE %s=%d ORDER BY type" % (COLUMNS, end, n)),
                 db.rows("SELECT * FROM (SELECT * FROM r%d EXCEPT SELECT * FROM r%d) ORDER BY type" % (new, old)))


@test
def releases_of_the_extract(db):
    module = maker()
    numbers = [module.number(r) for r in module.RELEASES]
    folder = os.path.join(ROOT, "testdata", "mime")
    # Some at once, then the others one by one: the same as all at once.
    os.mkdir("some")
    for i, n in enumerate(numbers):
        shutil.copy(os.path.join(folder, "mime_%d.jsonl" % n), "some")
        if i >= 4:
            db.rows("SELECT * FROM " + call("some", target="step"))
    db.want("SELECT snapshot_version FROM " + call(folder), [(n,) for n in numbers])
    same(db.rows("SELECT * FROM step ORDER BY 1, 6"), db.rows("SELECT * FROM h ORDER BY 1, 6"))
    check(db, folder, numbers)


@test
def releases_from_the_registry(db):
    """A dozen whole releases; skipped where they cannot be fetched."""
    module = maker()
    if not shutil.which("npm"):
        raise Skip("no npm")
    try:
        module.make("whole", releases=module.RELEASES)
    except (OSError, subprocess.SubprocessError) as e:
        raise Skip("the releases cannot be fetched: %s" % e)
    numbers = [module.number(r) for r in module.RELEASES]
    got = db.rows("SELECT snapshot_version, status, rows_read FROM " + call("whole"))
    same([r[:2] for r in got], [(n, "ok") for n in numbers])
    if any(r[2] < 1500 for r in got):
        raise Fault("fewer types than there are: %r" % got)
    check(db, "whole", numbers)
    db.rows("SELECT * FROM " + call("whole", scd=1, target="now"))
    same(db.rows("SELECT * FROM now ORDER BY 1"),
         db.rows("SELECT %s FROM h WHERE __END_AT IS NULL ORDER BY 1" % COLUMNS))
    db.want("SELECT * FROM autocdc_check('h')", [])
