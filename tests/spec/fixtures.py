"""The specs of ../shared/fixtures, run on their data against the rows that
they must give."""
import json
import os
import shutil
import tempfile

from support import Db, case, check, rows_equal, shared


def expected(name):
    with open(os.path.join(shared("fixtures"), "expected", name + ".json")) as f:
        return json.load(f)


def plain(row):
    """JSON inside of a value compares as JSON: its blanks say nothing."""
    return [json.dumps(json.loads(v)) if isinstance(v, str) and v[:1] == "{" else v for v in row]


def compare(db, name, table):
    want = expected(name)
    columns = ", ".join('"%s"' % c for c in want["columns"])
    got = [plain(row) for row in db.rows('SELECT %s FROM %s' % (columns, table))]
    check(rows_equal(got, want["rows"]), "%s: %s gives\n   %s\n  not\n   %s" % (
        name, table, sorted(map(repr, got)), sorted(repr(r) for r in want["rows"])))


def read(*path):
    with open(os.path.join(shared("fixtures"), *path)) as f:
        return f.read()


def options(**more):
    return json.dumps(dict({"env": "dev", "base_path": shared("fixtures")}, **more))


@case
def kinetishift():
    db = Db()
    for table, columns in (("orders", "ORDER_ID INTEGER, STATUS TEXT, AMOUNT REAL"),
                           ("order_lines", "ORDER_ID INTEGER, LINE_NO INTEGER, QTY INTEGER")):
        db.run("CREATE TABLE %s__changes(_op TEXT, _commit_scn TEXT, _txid TEXT, _seq INTEGER, "
               "_rowid TEXT, %s)" % (table, columns))
        for line in read("kinetishift", table + "__changes.jsonl").splitlines():
            row = json.loads(line)
            db.run("INSERT INTO %s__changes(%s) VALUES(%s)" % (
                table, ", ".join(row), ", ".join("?" * len(row))), *row.values())
    check(db.value("SELECT autocdc_load(?)", read("kinetishift", "tables.json")) == 4, "four flows")
    for _ in range(2):
        db.rows("SELECT * FROM apply_changes()")
        compare(db, "kinetishift_orders_scd1", "orders")
        compare(db, "kinetishift_orders_scd2", "orders_hist")
        compare(db, "kinetishift_order_lines_scd1", "order_lines")
        compare(db, "kinetishift_order_lines_scd2", "order_lines_history")


def regions(layout):
    db = Db()
    check(db.value("SELECT autocdc_load(?, ?)", read("regions", layout), options()) == 6, "six flows")
    for _ in range(2):
        db.rows("SELECT * FROM apply_changes('R')")
        compare(db, "own_regions_scd1", "customers_now")
        compare(db, "own_regions_scd2", "customers_hist")


@case
def regions_code_layout():
    regions("onboarding_code_layout.json")


@case
def regions_doc_layout():
    regions("onboarding_doc_layout.json")


def shop(scd_type, name, attach, **settings):
    """The first load, then each increment, in a copy of the folder."""
    folder = tempfile.mkdtemp(prefix="autocdc-shop-")
    try:
        shutil.copytree(os.path.join(shared("fixtures"), "shop"), os.path.join(folder, "shop"))
        os.system("chmod -R u+w '%s'" % folder)
        spec = json.loads(read("shop", "onboarding.json"))
        spec[0]["silver_cdc_apply_changes"].update(dict({"scd_type": scd_type}, **settings))
        db = Db()
        if attach:
            db.run("ATTACH ':memory:' AS bronze")
            db.run("ATTACH ':memory:' AS silver")
        db.rows("SELECT autocdc_load(?, ?)", json.dumps(spec), options(base_path=folder))
        db.rows("SELECT * FROM apply_changes()")
        for increment in ("inc1.csv", "inc2.csv"):
            shutil.copy(os.path.join(folder, "shop", "incremental", "items", increment),
                        os.path.join(folder, "shop", "data", "items"))
            db.rows("SELECT * FROM apply_changes()")
        db.rows("SELECT * FROM apply_changes()")
        bronze, silver = ("bronze.", "silver.") if attach else ("", "")
        compare(db, name, silver + "items_history")
        compare(db, "own_shop_quarantine", bronze + "items_quarantine")
        check(db.value("SELECT count(*) FROM %sitems" % bronze)
              == expected("own_shop_quarantine")["bronze_rows"], "rows of bronze")
    finally:
        shutil.rmtree(folder)


@case
def shop_scd2():
    shop("2", "own_shop_scd2", attach=True)


@case
def shop_scd2_in_main():
    shop("2", "own_shop_scd2", attach=False)


@case
def shop_scd1():
    shop("1", "own_shop_scd1", attach=False)


@case
def shop_tracked():
    shop("2", "own_shop_scd2_track_label_price", attach=True,
         track_history_column_list=["label", "price"])


@case
def snapshots():
    folder = tempfile.mkdtemp(prefix="autocdc-parts-")
    try:
        os.makedirs(os.path.join(folder, "snapshots", "parts"))
        db = Db()
        db.run("ATTACH ':memory:' AS bronze")
        db.rows("SELECT autocdc_load(?, ?)", read("snapshots", "onboarding.json"),
                options(base_path=folder))
        for version in (1, 2, 3):
            shutil.copy(os.path.join(shared("fixtures"), "snapshots", "parts", "LOAD_%d.csv" % version),
                        os.path.join(folder, "snapshots", "parts"))
            for _ in range(2):
                db.rows("SELECT * FROM apply_changes()")
                compare(db, "own_snapshot_parts_scd2_v%d" % version, "bronze.parts")
        spec = json.loads(read("snapshots", "onboarding.json"))
        spec[0]["bronze_apply_changes_from_snapshot"]["scd_type"] = "1"
        db = Db()
        db.rows("SELECT autocdc_load(?, ?)", json.dumps(spec), options())
        rows = db.rows("SELECT snapshot_version FROM apply_changes()")
        check(len(rows) == 3, "a row for each version: %s" % (rows,))
        compare(db, "own_snapshot_parts_scd1_v3", "parts")
    finally:
        shutil.rmtree(folder)
