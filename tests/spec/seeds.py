"""Every sample that the seeds print, loaded as it stands there and run on small
data, against rows worked out by hand."""
import json
import os
import shutil
import tempfile

from support import Db, case, check, rows_equal, seed_documents

SCHEMA = json.dumps({"type": "struct", "fields": [
    {"name": "CUSTOMER_ID", "type": "integer", "nullable": True, "metadata": {}},
    {"name": "EMAIL", "type": "string", "nullable": True, "metadata": {}},
    {"name": "CITY", "type": "string", "nullable": True, "metadata": {}},
    {"name": "LOAD_TIMESTAMP", "type": "timestamp", "nullable": True, "metadata": {}}]})


def seed(name):
    return seed_documents()[name]


def same(db, sql, want):
    got = db.rows(sql)
    check(rows_equal(got, want), "%s gives\n   %s\n  not\n   %s" % (sql, got, want))


class Folder:
    """A folder with files, gone at the end."""

    def __init__(self, files):
        self.path = tempfile.mkdtemp(prefix="autocdc-spec-")
        for name, text in files.items():
            self.write(name, text)

    def write(self, name, text):
        path = os.path.join(self.path, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(text)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path)


def customers(db):
    db.run("CREATE TABLE customer(CUSTOMER_ID INTEGER, EMAIL TEXT, CITY TEXT, LOAD_TIMESTAMP TEXT)")
    db.run("INSERT INTO customer VALUES(1,'a@x','Rome','2024-01-01'),(2,'b@x','Oslo','2024-01-01')")


@case
def nodespec_simple():
    db = Db()
    customers(db)
    db.rows("SELECT autocdc_load(?, ?)", seed("lakeflow-nodespec 1"),
            '{"tokens": {"bronze_schema": "main"}}')
    rows = db.rows("SELECT flow, target, status, rows_read, inserted FROM apply_changes()")
    check(rows == [("f_customer_ingest", "customer_silver", "ok", 2, 2)], "first run: %s" % rows)
    db.run("INSERT INTO customer VALUES(3,NULL,'Bern','2024-01-02')")
    rows = db.rows("SELECT inserted FROM apply_changes('f_customer_ingest')")
    check(rows == [(1,)], "new rows only: %s" % rows)
    check(db.rows("SELECT inserted FROM apply_changes('nodespec_base_samples')") == [(0,)], "no new row")
    same(db, "SELECT * FROM customer_silver", [
        (1, "a@x", "Rome", "2024-01-01"), (2, "b@x", "Oslo", "2024-01-01"), (3, None, "Bern", "2024-01-02")])


@case
def nodespec_enriched():
    db = Db()
    customers(db)
    db.rows("SELECT autocdc_load(?, ?)", seed("lakeflow-nodespec 2"), json.dumps({
        "tokens": {"bronze_schema": "main"}, "files": {"customer_enriched_schema.json": SCHEMA}}))
    db.rows("SELECT * FROM apply_changes()")
    # NULL keeps the value (ignore_null_updates); a late row goes between.
    db.run("INSERT INTO customer VALUES(1,NULL,'Pisa','2024-01-03'),(2,'b2@x',NULL,'2024-01-02')")
    rows = db.rows("SELECT flow, rows_read FROM apply_changes('customer_enriched')")
    check(rows == [("f_v_enrich", 2)], "the new rows: %s" % rows)
    same(db, 'SELECT CUSTOMER_ID, EMAIL, CITY, "__START_AT", "__END_AT" FROM customer_enriched', [
        (1, "a@x", "Rome", "2024-01-01", "2024-01-03"), (1, "a@x", "Pisa", "2024-01-03", None),
        (2, "b@x", "Oslo", "2024-01-01", "2024-01-02"), (2, "b2@x", "Oslo", "2024-01-02", None)])


def nodespec(*nodes):
    return json.dumps({"data_flow_id": "n", "data_flow_group": "g", "nodes": list(nodes)})


@case
def nodespec_wiring():
    """The sources list of the page: one name, one with an explicit flow."""
    wiring = json.loads(seed("lakeflow-nodespec 3"))
    source = {"node_type": "source", "source_type": "delta"}
    db = Db()
    db.run("CREATE TABLE a(x)")
    db.run("CREATE TABLE b(x)")
    db.run("INSERT INTO a VALUES(1)")
    db.run("INSERT INTO b VALUES(2)")
    db.rows("SELECT autocdc_load(?)", nodespec(
        dict(source, name="v_source_a", config={"table": "a"}),
        dict(source, name="v_source_b", config={"table": "b"}),
        {"name": "t", "node_type": "target", "config": {"table": "t", "sources": wiring}}))
    rows = db.rows("SELECT flow, inserted FROM apply_changes()")
    check(rows == [("f_v_source_a", 1), ("f_append_b", 1)], "flows: %s" % rows)
    same(db, "SELECT * FROM t", [(1,), (2,)])


@case
def nodespec_snapshot():
    with Folder({
        "snapshot_customer/customer_2024_01_01.csv": "CUSTOMER_ID,NAME\n1,Ann\n2,Bob\n",
        "snapshot_customer/customer_2024_01_02.csv": "CUSTOMER_ID,NAME\n1,Anna\n3,Cid\n",
    }) as folder:
        db = Db()
        db.rows("SELECT autocdc_load(?, ?)", nodespec(json.loads(seed("lakeflow-nodespec 4"))),
                json.dumps({"tokens": {"sample_file_location": folder.path}}))
        rows = db.rows("SELECT snapshot_version, status FROM apply_changes()")
        check(len(rows) == 2, "two versions in one run: %s" % rows)
        folder.write("snapshot_customer/customer_2024_01_03.csv", "CUSTOMER_ID,NAME\n1,Anna\n2,Bob\n3,Cid\n")
        db.rows("SELECT * FROM apply_changes()")
        d1, d2, d3 = ("2024-01-0%d 00:00:00" % i for i in (1, 2, 3))
        same(db, 'SELECT CUSTOMER_ID, NAME, "__START_AT", "__END_AT" FROM customer_snapshot', [
            ("1", "Ann", d1, d2), ("1", "Anna", d2, None), ("2", "Bob", d1, d2),
            ("2", "Bob", d3, None), ("3", "Cid", d2, None)])


@case
def nodespec_views():
    """The two materialized views of the page, in one spec with what they read."""
    db = Db()
    db.run("ATTACH ':memory:' AS staging")
    db.run("CREATE TABLE staging.customer(id, STATE)")
    db.run("INSERT INTO staging.customer VALUES(1,'NY'),(2,'NY'),(3,'TX')")
    db.rows("SELECT autocdc_load(?, ?)", nodespec(
        json.loads(seed("lakeflow-nodespec 5")),
        {"name": "v_c", "node_type": "source", "source_type": "delta",
         "config": {"database": "staging", "table": "customer"}},
        {"name": "silver", "node_type": "target", "config": {"table": "customer_silver", "sources": ["v_c"]}},
        json.loads(seed("lakeflow-nodespec 6")), json.loads(seed("lakeflow-nodespec 7"))),
        '{"tokens": {"staging_schema": "staging"}}')
    for _ in range(2):
        db.rows("SELECT * FROM apply_changes()")
        same(db, "SELECT * FROM customer_summary", [("NY", 2), ("TX", 1)])
        same(db, "SELECT * FROM customer_mv", [(1, "NY"), (2, "NY"), (3, "TX")])
    db.run("DELETE FROM staging.customer WHERE id=3")
    db.run("INSERT INTO staging.customer VALUES(4,'NY')")
    db.rows("SELECT * FROM apply_changes('customer_mv')")
    same(db, "SELECT * FROM customer_mv", [(1, "NY"), (2, "NY"), (4, "NY")])


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


@case
def sdpmeta_pattern_1():
    """Bronze merges the union of three sources; silver needs columns that bronze
    drops, and merges the same events."""
    row = dict
    ddl = "customer_id STRING, name STRING, Op STRING, dmsTimestamp STRING"
    with Folder({
        "data/cdc/customers/us/1.json": lines(
            row(customer_id="u1", name="Ann", Op="I", dmsTimestamp="2024-01-01"),
            row(customer_id="u2", name="Bob", Op="I", dmsTimestamp="2024-01-01"),
            row(customer_id="u2", name="Bob", Op="D", dmsTimestamp="2024-01-03")),
        "data/cdc/customers/eu/1.json": lines(
            row(customer_id="e1", name="Eva", Op="I", dmsTimestamp="2024-01-01"),
            row(customer_id="u1", name="Anna", Op="U", dmsTimestamp="2024-01-02")),
        "data/cdc/customers/apac/1.json": lines(
            row(customer_id="a1", name="Yui", Op="I", dmsTimestamp="2024-01-01")),
        "conf/schema/customers_cdc.ddl": ddl,
    }) as folder:
        db = Db()
        db.rows("SELECT autocdc_load(?, ?)", seed("sdp-meta-multi-source-cdc 1"), json.dumps({
            "base_path": folder.path, "env": "dev", "path_map": {
                "s3://my-bucket/": "data/", "/Volumes/my_catalog/my_schema/my_volume/": "conf/"}}))
        for _ in range(2):
            db.rows("SELECT * FROM apply_changes()")
            same(db, "SELECT customer_id, name FROM customers_cdc",
                 [("u1", "Anna"), ("e1", "Eva"), ("a1", "Yui")])
            same(db, 'SELECT customer_id, name, "__START_AT", "__END_AT" FROM customers', [
                ("u1", "Ann", "2024-01-01", "2024-01-02"), ("u1", "Anna", "2024-01-02", None),
                ("u2", "Bob", "2024-01-01", "2024-01-03"), ("e1", "Eva", "2024-01-01", None),
                ("a1", "Yui", "2024-01-01", None)])
        folder.write("data/cdc/customers/eu/2.json", lines(
            row(customer_id="e1", name="Eve", Op="U", dmsTimestamp="2024-01-05")))
        rows = db.rows("SELECT sum(rows_read) FROM apply_changes()")
        check(rows == [(2,)], "the new file only, once for each layer: %s" % rows)
        same(db, "SELECT name FROM customers_cdc WHERE customer_id='e1'", [("Eve",)])


@case
def sdpmeta_pattern_2():
    row = dict
    ddl = "order_id INT, amount DOUBLE, Op STRING, updated_at STRING"
    with Folder({
        "data/cdc/orders/us/1.json": lines(
            row(order_id=1, amount=5, Op="I", updated_at="2024-01-01"),
            row(order_id=1, amount=6, Op="U", updated_at="2024-01-02")),
        "data/cdc/orders/eu/1.json": lines(
            row(order_id=2, amount=7, Op="I", updated_at="2024-01-01"),
            row(order_id=2, amount=None, Op="D", updated_at="2024-01-04")),
        "conf/schema/orders.ddl": ddl,
    }) as folder:
        db = Db()
        db.run("CREATE TABLE orders_us(order_id INTEGER, amount REAL, Op TEXT, updated_at TEXT)")
        db.run("CREATE TABLE orders_eu(order_id INTEGER, amount REAL, Op TEXT, updated_at TEXT)")
        db.run("INSERT INTO orders_us VALUES(1,5,'I','2024-01-01'),(1,6,'U','2024-01-02')")
        db.run("INSERT INTO orders_eu VALUES(1,4,'U','2024-01-03'),(3,1,'D','2024-01-01')")
        db.rows("SELECT autocdc_load(?, ?)", seed("sdp-meta-multi-source-cdc 2"), json.dumps({
            "base_path": folder.path, "path_map": {
                "s3://my-bucket/": "data/", "/Volumes/my_catalog/my_schema/vol/": "conf/"}}))
        for _ in range(2):
            db.rows("SELECT * FROM apply_changes('orders_group')")
            same(db, "SELECT order_id, amount, updated_at FROM orders_cdc", [(1, 6.0, "2024-01-02")])
            same(db, 'SELECT order_id, amount, "__START_AT", "__END_AT" FROM orders', [
                (1, 5.0, "2024-01-01", "2024-01-02"), (1, 6.0, "2024-01-02", "2024-01-03"),
                (1, 4.0, "2024-01-03", None)])


@case
def kinetishift_entries():
    """The list of the seed's comment."""
    spec = [{"table": "orders", "keys": ["ORDER_ID"]},
            {"table": "order_lines", "keys": ["ORDER_ID", "LINE_NO"]},
            json.loads(seed("kinetishift-auto-cdc 1"))]
    db = Db()
    meta = "_op TEXT, _commit_scn TEXT, _txid TEXT, _seq INTEGER, _rowid TEXT, "
    db.run("CREATE TABLE orders__changes(%sORDER_ID INTEGER, V TEXT)" % meta)
    db.run("CREATE TABLE order_lines__changes(%sORDER_ID INTEGER, LINE_NO INTEGER)" % meta)
    db.run("INSERT INTO orders__changes VALUES('I','9','t',0,'r',1,'a'),('U','10','t',0,'r',1,'b'),"
           "('T','11','t',0,NULL,NULL,NULL),('I','11','t',1,'r',2,'c')")
    db.run("INSERT INTO order_lines__changes VALUES('I','1','t',0,'r',1,1)")
    for text in (json.dumps(spec), json.dumps({"kinetishift.tables": json.dumps(spec)}),
                 json.dumps({"kinetishift.tables": spec, "kinetishift.source_schema": "main"})):
        for table in ("orders", "orders_history", "order_lines"):
            if db.value("SELECT 1 FROM sqlite_master WHERE name=?", table):
                db.value("SELECT autocdc_reset(?)", table)
        check(db.value("SELECT autocdc_load(?, '{\"name\": \"k\"}')", text) == 3, "three flows")
        db.rows("SELECT * FROM apply_changes()")
        same(db, "SELECT * FROM orders", [(2, "c")])
        same(db, 'SELECT ORDER_ID, V, "__START_AT", "__END_AT" FROM orders_history', [
            (1, "a", 9000000000000, 10000000000000), (1, "b", 10000000000000, None),
            (2, "c", 11000000000001, None)])
        same(db, "SELECT * FROM order_lines", [(1, 1)])
    db.run("INSERT INTO orders__changes VALUES('U','x9','t',0,'r',1,'d')")
    message = db.error("SELECT * FROM apply_changes('orders')")
    check("sequence" in message and "row" in message, "a bad SCN names its row: " + message)


def snapshot_target(source):
    return nodespec({"name": "s", "node_type": "target", "config": {
        "table": "s", "cdc_snapshot_settings": {
            "keys": ["id"], "scd_type": "1", "snapshot_type": "historical", "source_type": "file",
            "source": dict({"format": "csv", "reader_options": {"header": "true"}}, **source)}}})


@case
def snapshot_paths():
    """The four path patterns of the page, each over the files it names."""
    files = {
        1: {"customer_2024_01_01.csv": "id,v\n1,a\n", "customer_2024_01_02.csv": "id,v\n1,b\n"},
        2: {"YEAR=2024/MONTH=01/DAY=01/customer.csv": "id,v\n1,a\n",
            "YEAR=2024/MONTH=01/DAY=02/customer.csv": "id,v\n1,b\n"},
        3: {"customer_2024_01_01_split_1.csv": "id,v\n1,a\n", "customer_2024_01_01_split_2.csv": "id,v\n2,a\n",
            "customer_2024_01_02_split_1.csv": "id,v\n1,b\n"},
        4: {"2024/01/data/customer_15.csv": "id,v\n1,a\n", "2024/01/data/customer_16.csv": "id,v\n1,b\n"},
    }
    for number, texts in files.items():
        with Folder({"mnt/data/snapshots/" + name: text for name, text in texts.items()}) as folder:
            db = Db()
            source = json.loads(seed("lakeflow-cdc-configuration %d" % number))
            db.rows("SELECT autocdc_load(?, ?)", snapshot_target(source), json.dumps({
                "base_path": folder.path, "path_map": {"/mnt/": "mnt/"}}))
            rows = db.rows("SELECT inserted, updated, deleted FROM apply_changes()")
            check(len(rows) == 2, "pattern %d: %s" % (number, rows))
            same(db, "SELECT * FROM s", [("1", "b")])
