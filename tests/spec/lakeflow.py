"""Lakeflow specs: what each part does to rows."""
import json

from seeds import Folder, lines, nodespec, same
from support import Db, case, check


def source(name, table, **config):
    return {"name": name, "node_type": "source", "source_type": "delta", "config": dict({"table": table}, **config)}


def sql(name, text):
    return {"name": name, "node_type": "transformation", "transformation_type": "sql",
            "config": {"sql_statement": text}}


def target(table, sources, **config):
    return {"name": "target_" + table, "node_type": "target",
            "config": dict({"table": table, "sources": sources}, **config)}


def load(db, spec, **options):
    if not isinstance(spec, str):
        spec = json.dumps(spec)
    return db.value("SELECT autocdc_load(?, ?)", spec, json.dumps(options))


def apply(db, *args):
    return db.rows("SELECT flow, target, status, inserted FROM apply_changes(%s)"
                   % ", ".join("?" * len(args)), *args)


def table(db, name, columns, *rows):
    db.run("CREATE TABLE %s(%s)" % (name, columns))
    for row in rows:
        db.run("INSERT INTO %s VALUES(%s)" % (name, ",".join("?" * len(row))), *row)


STANDARD = {
    "dataFlowId": "s", "dataFlowGroup": "g", "dataFlowType": "standard", "sourceSystem": "x",
    "sourceType": "delta", "sourceViewName": "v_c", "mode": "stream",
    "sourceDetails": {"database": "main", "table": "c", "cdfEnabled": False, "selectExp": ["id", "v", "ts"],
                      "whereClause": ["id > 0"]},
    "targetFormat": "delta", "targetDetails": {"table": "t"}}


@case
def standard_append_and_merge():
    db = Db()
    table(db, "c", "id INTEGER, v TEXT, ts TEXT, z", (1, "a", "1", 0), (0, "no", "1", 0), (1, "b", "2", 0))
    load(db, STANDARD)
    check(apply(db) == [("f_v_c", "t", "ok", 2)], "append")
    same(db, "SELECT * FROM t", [(1, "a", "1"), (1, "b", "2")])
    spec = dict(STANDARD, dataFlowId="m", targetDetails={"table": "m"},
                cdcSettings={"keys": ["id"], "sequence_by": "ts", "scd_type": "1", "where": ""})
    load(db, spec)
    apply(db, "m")
    same(db, "SELECT * FROM m", [(1, "b", "2")])
    db.run("INSERT INTO c VALUES(1,'c','10',0)")
    rows = db.rows("SELECT rows_read FROM apply_changes('m')")
    check(rows == [(1,)], "the new row only: %s" % rows)
    same(db, "SELECT v FROM m", [("c",)])       # 10 is after 2: digits are numbers
    # Batch without CDC is rebuilt.
    load(db, dict(STANDARD, dataFlowId="b", targetDetails={"table": "b"}, mode="batch", sourceViewName="v_b"))
    for _ in range(2):
        apply(db, "b")
        same(db, "SELECT count(*) FROM b", [(3,)])


@case
def standard_periodic_and_rules():
    db = Db()
    table(db, "c", "id INTEGER, v TEXT, ts TEXT", (1, "a", "1"), (2, "b", "1"))
    load(db, dict(STANDARD, mode="batch", cdcSnapshotSettings={
        "keys": ["id"], "scd_type": "1", "snapshotType": "periodic"}))
    apply(db)
    db.run("DELETE FROM c WHERE id=1")
    db.run("UPDATE c SET v='B'")
    rows = db.rows("SELECT inserted, updated, deleted FROM apply_changes()")
    check(rows == [(0, 1, 1)], "a snapshot deletes: %s" % rows)
    same(db, "SELECT id, v FROM t", [(2, "B")])
    both = dict(STANDARD, cdcSettings={"keys": ["id"], "sequence_by": "ts", "scd_type": "1"},
                cdcSnapshotSettings={"keys": ["id"], "scd_type": "1", "snapshotType": "periodic"})
    check("only one of" in db.error("SELECT autocdc_load(?)", json.dumps(both)), "both CDC blocks")
    historical = dict(STANDARD, cdcSnapshotSettings={
        "keys": ["id"], "scd_type": "1", "snapshotType": "historical", "sourceType": "table",
        "source": {"table": "main.h", "versionColumn": "ver", "versionType": "integer"}})
    check("not allowed" in db.error("SELECT autocdc_load(?)", json.dumps(historical)), "historical with a source")
    for name in ("sourceSystem", "sourceType", "sourceViewName", "mode", "sourceDetails"):
        del historical[name]
    table(db, "h", "id INTEGER, v TEXT, ver INTEGER", (1, "a", 1), (2, "b", 1), (1, "A", 2), (3, "c", 10))
    historical["cdcSnapshotSettings"]["scd_type"] = "2"
    historical["cdcSnapshotSettings"]["source"]["selectExp"] = ["* EXCEPT (ver)"]
    historical["targetDetails"] = {"table": "hist"}
    load(db, dict(historical, dataFlowId="h"))
    rows = db.rows("SELECT snapshot_version FROM apply_changes('hist')")
    check(rows == [(1,), (2,), (10,)], "versions in order of value: %s" % rows)
    same(db, 'SELECT id, v, "__START_AT", "__END_AT" FROM hist', [
        (1, "a", 1, 2), (1, "A", 2, 10), (2, "b", 1, 2), (3, "c", 10, None)])


FLOW = {
    "dataFlowId": "fl", "dataFlowGroup": "g", "dataFlowType": "flow", "targetFormat": "delta",
    "targetDetails": {"table": "final"},
    "cdcSettings": {"keys": ["id"], "sequence_by": "ts", "scd_type": "2", "ignore_null_updates": True,
                    "track_history_except_column_list": ["ts"]},
    "flowGroups": [{
        "flowGroupId": "main",
        "stagingTables": {"stage": {"type": "ST"}},
        "flows": {
            "f_a": {"flowType": "append_view", "flowDetails": {"targetTable": "stage", "sourceView": "v_a"},
                    "views": {"v_a": {"mode": "stream", "sourceType": "delta",
                                      "sourceDetails": {"table": "a"}}}},
            "f_b": {"flowType": "append_sql", "flowDetails": {
                "targetTable": "stage", "sqlStatement": "SELECT id, addr, ts FROM STREAM(b)"}},
            "f_m": {"flowType": "merge", "flowDetails": {"targetTable": "final", "sourceView": "stage"}}}}]}


@case
def flow_multi_source():
    """Two sources each know half of a row at one instant: one version of both."""
    db = Db()
    table(db, "a", "id INTEGER, name TEXT, ts INTEGER", (1, "Ann", 1), (2, "Bob", 1))
    table(db, "b", "id INTEGER, addr TEXT, ts INTEGER", (1, "Rome", 1), (2, "Oslo", 2))
    load(db, FLOW)
    rows = apply(db)
    check([r[0] for r in rows] == ["f_a", "f_b", "f_m"], "in the order of dependence: %s" % rows)
    same(db, 'SELECT id, name, addr, "__START_AT", "__END_AT" FROM final', [
        (1, "Ann", "Rome", 1, None), (2, "Bob", None, 1, 2), (2, "Bob", "Oslo", 2, None)])
    db.run("INSERT INTO a VALUES(1,'Anna',5)")
    apply(db)
    same(db, "SELECT count(*) FROM stage", [(5,)])
    same(db, 'SELECT name, addr FROM final WHERE id=1 AND "__END_AT" IS NULL', [("Anna", "Rome")])


@case
def flow_split_files_and_prefix():
    spec = json.loads(json.dumps(FLOW))
    group = spec.pop("flowGroups")[0]
    group["dataFlowId"] = "fl"
    group["flows"]["f_a"]["flowDetails"].update(column_prefix="A", column_prefix_exceptions=["id", "ts"])
    with Folder({"dataflowspec/x_main.json": json.dumps(spec), "dataflowspec/x_flow.json": json.dumps(group),
                 "dataflowspec/other_flow.json": json.dumps(dict(group, dataFlowId="other"))}) as folder:
        db = Db()
        table(db, "a", "id INTEGER, name TEXT, ts INTEGER", (1, "Ann", 1))
        table(db, "b", "id INTEGER, addr TEXT, ts INTEGER")
        check(db.value("SELECT autocdc_load_file(?)", folder.path) == 3, "three flows of two files")
        apply(db)
        same(db, "SELECT id, a_name FROM final", [(1, "Ann")])
        check("_main.json" in db.error("SELECT autocdc_load_file(?)", folder.path + "/nothing")
              or "no file" in db.error("SELECT autocdc_load_file(?)", folder.path + "/nothing"), "no such folder")


@case
def materialized_views():
    db = Db()
    table(db, "c", "id INTEGER, st TEXT", (1, "NY"), (2, "NY"), (3, "TX"))
    spec = {"dataFlowId": "mv", "dataFlowGroup": "g", "dataFlowType": "materialized_view", "materializedViews": {
        "top": {"sqlStatement": "SELECT max(n) AS n FROM live.by_state"},
        "by_state": {"sqlPath": "by_state.sql", "refreshPolicy": "full"},
        "copy": {"sourceView": {"sourceViewName": "v_c", "sourceType": "delta", "sourceDetails": {
            "table": "c", "selectExp": ["* EXCEPT (st)"]}}}}}
    load(db, spec, files={"by_state.sql": "SELECT st, count(*) AS n FROM {t} GROUP BY st;"}, tokens={"t": "c"})
    apply(db)
    same(db, "SELECT n FROM top", [(2,)])
    same(db, "SELECT * FROM copy", [(1,), (2,), (3,)])
    db.run("DELETE FROM c WHERE st='NY'")
    apply(db)
    same(db, "SELECT n FROM top", [(1,)])
    spec["materializedViews"]["by_state"] = {"sqlStatement": "SELECT n FROM live.top"}
    load(db, spec)
    check("circle" in db.error("SELECT * FROM apply_changes()"), "a cycle is named")


@case
def chains_and_targets():
    """Transformations read each other; a target feeds a target; several terminal
    targets; order of nodes says nothing."""
    db = Db()
    table(db, "c", "id INTEGER, v INTEGER, ts INTEGER", (1, 1, 1), (2, 2, 1))
    load(db, nodespec(
        target("out2", ["target_mid"]),
        target("out1", ["v_t2"], cdc_settings={"keys": ["id"], "sequence_by": "ts", "scd_type": 1}),
        sql("v_t2", "SELECT id, w + 1 AS w, ts FROM STREAM(live.v_t1) WHERE w <> '--x' -- live.no"),
        sql("t1", "SELECT id, v * 10 AS w, ts /* STREAM(live.no) */ FROM STREAM(live.v_c)"),
        target("mid", ["v_c"]),
        source("v_c", "c")))
    apply(db)
    same(db, "SELECT * FROM out1", [(1, 11, 1), (2, 21, 1)])
    same(db, "SELECT * FROM out2", [(1, 1, 1), (2, 2, 1)])
    db.run("INSERT INTO c VALUES(1,5,2)")
    rows = db.rows("SELECT target, rows_read FROM apply_changes()")
    check(sorted(rows) == [("mid", 1), ("out1", 1), ("out2", 1)], "new rows only: %s" % rows)
    same(db, "SELECT * FROM out1", [(1, 51, 2), (2, 21, 1)])


@case
def enabled_once_names():
    db = Db()
    table(db, "c", "id INTEGER", (1,))
    check("not enabled" in db.error("SELECT autocdc_load(?)", nodespec(
        dict(source("v_c", "c"), enabled=False), target("t", ["v_c"]))), "a disabled source of an enabled target")
    load(db, nodespec(source("v_c", "c"), target("t", ["v_c"], once=True),
                      dict(target("off", ["v_c"]), enabled=False)))
    check(apply(db) == [("f_v_c", "t", "ok", 1)], "once")
    db.run("INSERT INTO c VALUES(2)")
    check(apply(db) == [("f_v_c", "t", "skipped", 0)], "once has run")
    db.value("SELECT autocdc_reset('t')")
    check(apply(db) == [("f_v_c", "t", "ok", 2)], "reset runs it again")
    message = db.error("SELECT * FROM apply_changes('f_v_k')")
    check('did you mean "f_v_c"' in message, message)
    message = db.error("SELECT autocdc_load(?)", nodespec(source("v_c", "c"), target("t", ["v_x"])))
    check('did you mean "v_c"' in message and "/nodes/1/config/sources/0" in message, message)


@case
def change_feed():
    db = Db()
    table(db, "c", "id INTEGER, v TEXT, _change_type TEXT, _commit_version INTEGER, _commit_timestamp TEXT",
          (1, "a", "insert", 1, "t"), (1, "a", "update_preimage", 2, "t"), (1, "b", "update_postimage", 2, "t"),
          (2, "x", "delete", 3, "t"))
    load(db, nodespec(source("v_c", "c", cdf_enabled=True), target("t", ["v_c"]),
                      source("v_d", "c", cdf_enabled=True, cdf_change_type_override=["delete"],
                             select_exp=["id", "_change_type AS what"]), target("d", ["v_d"])))
    apply(db)
    same(db, "SELECT * FROM t", [(1, "a"), (1, "b")])
    same(db, "SELECT * FROM d", [(2, "delete")])


@case
def joins():
    db = Db()
    table(db, "o", "id INTEGER, c INTEGER", (1, 10), (2, 20))
    table(db, "cu", "c INTEGER, name TEXT", (10, "Ann"))
    node = {"name": "v_j", "node_type": "source", "source_type": "delta_join", "config": {
        "sources": [
            {"table": "o", "alias": "o", "database": "main", "cdf_enabled": False, "join_mode": "stream"},
            {"table": "cu", "alias": "k", "database": "main", "cdf_enabled": False, "join_mode": "static"}],
        "joins": [{"join_type": "left", "condition": "o.c = k.c"}],
        "select_exp": ["o.id", "k.name AS name"], "where_clause": ["o.id > 0"]}}
    load(db, nodespec(node, target("t", ["v_j"])))
    apply(db)
    same(db, "SELECT * FROM t", [(1, "Ann"), (2, None)])
    db.run("INSERT INTO o VALUES(3,10)")
    apply(db)
    same(db, "SELECT * FROM t", [(1, "Ann"), (2, None), (3, "Ann")])


@case
def spark_sql():
    """Dialect: quotes, functions, casts, EXCEPT, names of other databases."""
    db = Db()
    table(db, "c", "`a b` TEXT, d TEXT, n TEXT, x", ("it's", "01/02/2024 03:04:05", "7", None))
    load(db, nodespec(sql("q", (
        "WITH w AS (SELECT * EXCEPT (x) FROM cat.main.c WHERE d <> \"live.c\") "
        "SELECT `a b` AS ab, concat('<', `a b`, \">\") AS q, concat('a', NULL) AS nul, "
        "to_timestamp(d, 'dd/MM/yyyy HH:mm:ss') AS ts, to_date(d, 'dd/MM/yyyy') AS dt, "
        "CAST(n AS BIGINT) AS i, CAST(n AS STRING) AS s, if(n <=> '7', 'y', 'n') AS f, nvl(NULL, 3) AS v, "
        "DATE '2024-05-06' AS lit, 'a\\'b' AS esc, isnull(n) AS isn, year('2024-03-04') AS y, "
        "123 AS num FROM w")), target("t", ["q"])))
    apply(db)
    same(db, "SELECT * FROM t", [("it's", "<it's>", None, "2024-02-01 03:04:05", "2024-02-01", 7, "7", "y", 3,
                                  "2024-05-06", "a'b", 0, 2024, 123)])


def expectations(**groups):
    return json.dumps({name: [{"name": n, "constraint": c} for n, c in rules.items()]
                       for name, rules in groups.items()})


@case
def quality():
    rows = [(1, 5), (2, -1), (3, None), (4, 50)]
    rules = expectations(expect={"small": "v < 10 OR v = 50"}, expect_or_drop={"positive": "v > 0"})
    for mode, kept, flagged, quarantined in (
            (None, [(1, 5), (4, 50)], None, None),
            ("table", [(1, 5), (4, 50)], None, [(2, -1), (3, None)]),
            ("flag", rows, [(1, 0), (2, 1), (3, 1), (4, 0)], None)):
        db = Db()
        table(db, "c", "id INTEGER, v INTEGER", *rows)
        quality = {"expectations_path": "rules.json"}
        if mode:
            quality["quarantine"] = {"mode": mode, "target": {"target_format": "delta"}}
        load(db, nodespec(source("v_c", "c"), target("t", ["v_c"], data_quality=quality)),
             files={"rules.json": rules})
        got = db.rows("SELECT rejected, message FROM apply_changes()")
        check(got[0][0] == (0 if mode == "flag" else 2) and '"positive" violated by 2 rows' in got[0][1], "%s: %s" % (mode, got))
        same(db, "SELECT id, v FROM t", kept)
        if flagged:
            same(db, "SELECT id, is_quarantined FROM t", flagged)
        if quarantined:
            same(db, "SELECT id, v FROM t_quarantine", quarantined)
        same(db, "SELECT rejected FROM autocdc_runs", [(got[0][0],)])
    db = Db()
    table(db, "c", "id INTEGER, v INTEGER", *rows)
    load(db, nodespec(source("v_c", "c"), target("t", ["v_c"], data_quality={"expectations_path": "."})),
         files={"expectations/a.json": expectations(expect_or_drop={"r": "0"}, expect={"w": "1"}),
                "expectations/b.json": expectations(expect_or_drop={"r": "v > 0"}, expect_or_fail={"f": "id < 4"})})
    message = db.error("SELECT * FROM apply_changes()")
    check('"f"' in message and "id < 4" in message, message)
    check(db.value("SELECT count(*) FROM sqlite_master WHERE name='t'") == 0, "nothing is left of a failed run")


@case
def quality_of_merges():
    """Rules are for upserts: a delete passes, and a bad row never changes the
    target."""
    db = Db()
    table(db, "c", "id INTEGER, v INTEGER, op TEXT, ts INTEGER",
          (1, 5, "I", 1), (1, -5, "U", 2), (2, 7, "I", 1), (2, None, "D", 2))
    load(db, nodespec(source("v_c", "c"), target(
        "t", ["v_c"], cdc_settings={"keys": ["id"], "sequence_by": "ts", "scd_type": "1",
                                    "apply_as_deletes": "op = 'D'", "except_column_list": ["op"]},
        data_quality={"expectations_path": "r.json", "quarantine": {
            "mode": "table", "target": {"table": "bad"}}})),
        files={"r.json": expectations(expect_or_drop={"positive": "v > 0"})})
    rows = db.rows("SELECT rows_read, rejected, status FROM apply_changes()")
    check(rows == [(4, 1, "warning")], "counts: %s" % rows)
    same(db, "SELECT * FROM t", [(1, 5, 1)])
    same(db, "SELECT * FROM bad", [(1, -5, "U", 2)])


@case
def sinks():
    db = Db()
    table(db, "c", "id INTEGER, k TEXT", (1, "a"), (2, "a"), (3, "b"))
    sink = {"name": "s", "node_type": "target", "target_type": "delta_sink", "config": {
        "name": "s", "sink_options": {"tableName": "copy"}, "sources": ["v_c"]}}
    batch = {"name": "b", "node_type": "target", "target_type": "foreach_batch_sink", "config": {
        "name": "b", "sink_type": "basic_sql", "sink_config": {
            "table": "counts", "sql_statement": "SELECT k, count(*) AS n FROM micro_batch_view GROUP BY k"},
        "sources": ["v_c"]}}
    load(db, nodespec(source("v_c", "c"), sink, batch))
    apply(db)
    db.run("INSERT INTO c VALUES(4,'b')")
    apply(db)
    same(db, "SELECT * FROM copy", [(1, "a"), (2, "a"), (3, "b"), (4, "b")])
    same(db, "SELECT * FROM counts", [("a", 2), ("b", 1), ("b", 1)])
    batch["config"]["sink_type"] = "python_function"
    check("python_function" in db.error("SELECT autocdc_load(?)", nodespec(source("v_c", "c"), batch)), "python")


@case
def files():
    with Folder({"in/1.csv": "id,v\n1,a\n", "in/2.csv": "id,v\n2,b\n", "j/1.json": lines({"id": 1})}) as folder:
        db = Db()
        cloud = {"name": "v_f", "node_type": "source", "source_type": "cloud_files", "config": {
            "path": "in", "reader_options": {"cloudFiles.format": "csv", "header": "true"},
            "select_exp": ["CAST(id AS INT) AS id", "v"]}}
        batch = {"name": "v_b", "node_type": "source", "source_type": "batch_files", "config": {
            "path": "j/*.json", "format": "json", "mode": "batch"}}
        load(db, nodespec(cloud, batch, target("t", ["v_f"]), target("m", ["v_b"], table_type="mv")),
             base_path=folder.path)
        apply(db)
        folder.write("in/3.csv", "id,v\n3,c\n")
        folder.write("j/2.json", lines({"id": 2, "w": True}))
        rows = apply(db)
        check(("f_v_f", "t", "ok", 1) in rows, "the new file only: %s" % rows)
        same(db, "SELECT * FROM t", [(1, "a"), (2, "b"), (3, "c")])
        same(db, "SELECT id FROM m", [(1,), (2,)])
        folder.write("in/3.csv", "id,v\n3,c\n4,d\n")
        message = db.error("SELECT * FROM apply_changes('t')")
        check("changed" in message and "autocdc_reset" in message, message)
        db.run("DELETE FROM t")
        message = db.error("SELECT autocdc_load(?)", nodespec(
            {"name": "v_p", "node_type": "source", "source_type": "batch_files",
             "config": {"path": "x", "format": "parquet"}}, target("t", ["v_p"])))
        check("parquet" in message and "csv and json" in message, message)


@case
def refilled_source():
    db = Db()
    table(db, "c", "id INTEGER, ts INTEGER", (1, 1), (2, 1))
    load(db, nodespec(source("v_c", "c"), target("t", ["v_c"]), source("v_d", "c", select_exp=["id", "ts"]),
                      target("m", ["v_d"], cdc_settings={"keys": ["id"], "sequence_by": "ts", "scd_type": "1"})))
    apply(db)
    db.run("DELETE FROM c")
    apply(db)
    db.run("INSERT INTO c VALUES(3,5)")
    message = db.error("SELECT * FROM apply_changes('t')")
    check("autocdc_reset" in message and "read" in message, message)
    apply(db, "m")
    same(db, "SELECT id FROM m", [(1,), (2,), (3,)])
    apply(db, "t", '{"read": "all"}')
    same(db, "SELECT id FROM t", [(1,), (2,), (3,)])
    apply(db)
    same(db, "SELECT count(*) FROM t", [(3,)])


@case
def migration():
    db = Db()
    table(db, "c", "id INTEGER, v TEXT, ts INTEGER", (1, "old", 1))
    table(db, "legacy", "id INTEGER, v TEXT, s INTEGER, e INTEGER", (1, "a", 1, 5), (1, "b", 5, None), (2, "x", 1, 3))
    cdc = {"keys": ["id"], "sequence_by": "ts", "scd_type": "2", "except_column_list": ["ts"]}
    load(db, nodespec(source("v_c", "c"), target("t", ["v_c"], cdc_settings=cdc, table_migration={
        "enabled": True, "catalog_type": "hms", "source": {
            "table": "legacy", "select_exp": ["id", "v", "s AS `__START_AT`", "e AS `__END_AT`"]}})))
    apply(db)
    want = [(1, "a", 1, 5), (1, "b", 5, None), (2, "x", 1, 3)]
    same(db, 'SELECT id, v, "__START_AT", "__END_AT" FROM t', want)
    apply(db)
    same(db, 'SELECT id, v, "__START_AT", "__END_AT" FROM t', want)
    db.run("INSERT INTO c VALUES(1,'new',9)")
    apply(db)
    same(db, 'SELECT id, v, "__START_AT", "__END_AT" FROM t', [
        (1, "a", 1, 5), (1, "b", 5, 9), (1, "new", 9, None), (2, "x", 1, 3)])
    for cdc, want in ((None, [(1, "a"), (1, "b"), (2, "x"), (3, "n")]),
                      ({"keys": ["id"], "sequence_by": "s", "scd_type": "1"}, [(1, "b"), (2, "x"), (3, "n")])):
        db = Db()
        table(db, "c", "id INTEGER, v TEXT, s INTEGER", (1, "seen", 0))
        table(db, "legacy", "id INTEGER, v TEXT, s INTEGER", (1, "a", 1), (1, "b", 5), (2, "x", 1))
        config = {"table_migration": {"enabled": True, "catalog_type": "uc", "source": {"table": "legacy"}}}
        if cdc:
            config["cdc_settings"] = cdc
        load(db, nodespec(source("v_c", "c"), target("t", ["v_c"], **config)))
        apply(db)
        db.run("INSERT INTO c VALUES(3,'n',7)")
        apply(db)
        apply(db)
        same(db, "SELECT id, v FROM t", want)


@case
def templates_and_versions():
    definition = json.dumps({"name": "tpl", "parameters": {
        "dataFlowId": {"type": "string"}, "keys": {"type": "list"},
        "table": {"type": "string", "required": False, "default": "c"}}, "template": {
            "dataFlowId": "${param.dataFlowId}", "dataFlowGroup": "g", "dataFlowType": "standard",
            "dataFlowVersion": "0.1.0", "sourceSystem": "x", "sourceType": "delta", "mode": "stream",
            "sourceViewName": "v_${param.table}", "sourceDetails": {"table": "${param.table}"},
            "targetFormat": "delta", "targetDetails": {"table": "t_${param.dataFlowId}"},
            "cdcApplyChanges": {"keys": "${param.keys}", "sequence_by": "ts", "scd_type": "1"}}})
    use = {"template": "tpl", "parameterSets": [
        {"dataFlowId": "a", "keys": ["id"]}, {"dataFlowId": "b", "keys": ["id", "k"]}]}
    db = Db()
    table(db, "c", "id INTEGER, k INTEGER, ts INTEGER", (1, 1, 1), (1, 2, 2))
    check(load(db, use, files={"templates/tpl.json": definition}) == 2, "two specs of a template")
    apply(db)
    same(db, "SELECT id, k FROM t_a", [(1, 2)])
    same(db, "SELECT id, k FROM t_b", [(1, 1), (1, 2)])
    files = json.dumps({"files": {"templates/tpl.json": definition}})
    for sets, word in (([{"dataFlowId": "a"}], "keys"), ([{"dataFlowId": "a", "keys": 5}], "list"),
                       ([{"keys": []}], "dataFlowId")):
        message = db.error("SELECT autocdc_load(?, ?)", json.dumps(dict(use, parameterSets=sets)), files)
        check(word in message, "%s: %s" % (sets, message))
    message = db.error("SELECT autocdc_load(?)", json.dumps(dict(STANDARD, dataFlowVersion="9.9")))
    check("9.9" in message, message)


@case
def databases():
    db = Db()
    table(db, "c", "id INTEGER", (1,))
    spec = nodespec(source("v_c", "c", database="main"),
                    target("t", ["v_c"], database="bronze"),
                    dict(target("t", ["v_s"], database="cat.silver"), name="silver"),
                    source("v_s", "t", database="bronze"))
    load(db, spec)
    message = db.error("SELECT * FROM apply_changes()")
    check("ATTACH" in message and "flatten" in message, message)
    load(db, spec, flatten=True)
    apply(db)
    same(db, "SELECT * FROM silver__t", [(1,)])
    same(db, "SELECT * FROM bronze__t", [(1,)])
    db.run("ATTACH ':memory:' AS bronze")
    db.run("ATTACH ':memory:' AS silver")
    load(db, spec)
    apply(db)
    same(db, "SELECT * FROM bronze.t", [(1,)])
    same(db, "SELECT * FROM silver.t", [(1,)])
    db = Db()
    table(db, "customer", "id INTEGER", (1,))
    load(db, nodespec(source("v_c", "customer", database="bronze"), target("customer", ["v_c"])))
    check("both read and written" in db.error("SELECT * FROM apply_changes()"), "a target that is its own source")


@case
def more_spark_sql():
    with Folder({"in/1.json": lines({"id": 1})}) as folder:
        db = Db()
        load(db, nodespec(
            {"name": "v_f", "node_type": "source", "source_type": "batch_files", "config": {
                "path": "in", "format": "json",
                "select_exp": ["id", "_metadata.file_name AS f", "_metadata AS m"]}},
            sql("q", "SELECT concat_ws('-', 'a', NULL, f) AS c, date_format('2024-05-06', 'dd.MM.yyyy') AS d, "
                     "datediff('2024-03-01', '2024-02-28') AS n, date_add('2024-02-28', 2) AS p, "
                     "m IS NOT NULL AS m FROM STREAM live.v_f"),
            target("t", ["q"])), base_path=folder.path)
        apply(db)
        same(db, "SELECT * FROM t", [("a-1.json", "06.05.2024", 2, "2024-03-01", 1)])
        check(apply(db) == [("f_q", "t", "ok", 0)], "STREAM without parentheses reads new files only")


@case
def rebuilt_and_whole_reads():
    """What is read whole each time leaves no second copy in a quarantine."""
    rules = {"r.json": expectations(expect_or_drop={"positive": "v > 0"})}
    quality = {"expectations_path": "r.json", "quarantine": {"mode": "table", "target": {"table": "q"}}}
    cdc = {"keys": ["id"], "sequence_by": "ts", "scd_type": "1"}
    for config in ({"table_type": "mv"}, {"cdc_settings": cdc}):
        db = Db()
        table(db, "c", "id INTEGER, v INTEGER, ts INTEGER", (1, 1, 1), (2, -2, 1))
        load(db, nodespec(source("v_c", "c", mode="batch"), target("t", ["v_c"], data_quality=quality, **config)),
             files=rules)
        for _ in range(3):
            apply(db)
        same(db, "SELECT id FROM q", [(2,)])
        same(db, "SELECT id FROM t", [(1,)])


@case
def source_that_is_merged():
    """Rows of a merged table change in place: a merge reads all of them, and an
    append refuses."""
    db = Db()
    table(db, "c", "k TEXT, v INTEGER, ts INTEGER", ("a", 1, 1), ("b", 1, 1), ("c", 1, 1))
    cdc = {"keys": ["k"], "sequence_by": "ts", "scd_type": "1"}
    load(db, nodespec(source("v_c", "c"), target("mid", ["v_c"], cdc_settings=cdc), source("v_m", "mid"),
                      target("fin", ["v_m"], cdc_settings=dict(cdc, scd_type="2"))))
    apply(db)
    db.run("INSERT INTO c VALUES('b',2,2)")
    apply(db)
    same(db, 'SELECT k, v, "__START_AT", "__END_AT" FROM fin WHERE k = \'b\'', [("b", 1, 1, 2), ("b", 2, 2, None)])
    load(db, nodespec(source("v_c", "c"), target("mid", ["v_c"], cdc_settings=cdc), source("v_m", "mid"),
                      target("log", ["v_m"])))
    message = db.error("SELECT * FROM apply_changes('log')")
    check("merged" in message and "batch" in message, message)


@case
def deep_chains():
    db = Db()
    table(db, "c", "id INTEGER", (1,))

    def chain(n):
        return nodespec(source("v_0", "c"), target("t", ["v_%d" % n]), *[
            sql("v_%d" % i, "SELECT id FROM live.v_%d" % (i - 1)) for i in range(1, n + 1)])
    load(db, chain(60), name="x")
    check(apply(db) == [("f_v_60", "t", "ok", 1)], "60 views")
    load(db, chain(4000), name="x")
    check("200 deep" in db.error("SELECT * FROM apply_changes()"), "4000 views")
    load(db, nodespec(sql("v_a", "SELECT * FROM live.v_b"), sql("v_b", "SELECT * FROM live.v_a"),
                      target("u", ["v_a"])), name="x")
    check("reads itself" in db.error("SELECT * FROM apply_changes()"), "views in a circle")


@case
def names_and_schemas():
    db = Db()
    table(db, "c", "id INTEGER, `odd name` TEXT", (1, "x"))
    load(db, nodespec(dict(source("src", "c"), output_view_name="v_other"),
                      sql("t1", "SELECT `odd name` AS n, id FROM live.v_other"),
                      target("odd table", ["t1"], schema_path="s.ddl")),
         files={"s.ddl": "id BIGINT,\nextra STRING,\n-- a comment\nn STRING"})
    apply(db)
    same(db, "SELECT name, type FROM pragma_table_info('odd table')", [
        ("id", "INTEGER"), ("extra", "TEXT"), ("n", "TEXT")])
    same(db, 'SELECT * FROM "odd table"', [(1, None, "x")])


@case
def composite_sequences():
    for sequence in ("struct(ts, n)", "ts, n", ["ts", "n"]):
        db = Db()
        table(db, "c", "id INTEGER, v TEXT, ts INTEGER, n INTEGER", (1, "a", 1, 10), (1, "b", 1, 9), (1, "c", 0, 99))
        cdc = {"keys": ["id"], "sequence_by": sequence, "scd_type": "SCD TYPE 2", "except_column_list": ["ts", "n"]}
        load(db, nodespec(source("v_c", "c"), target("t", ["v_c"], cdc_settings=cdc)))
        apply(db)
        same(db, 'SELECT v, "__START_AT", "__END_AT" FROM t', [
            ("c", "[0,99]", "[1,9]"), ("b", "[1,9]", "[1,10]"), ("a", "[1,10]", None)])


@case
def tokens():
    """Tokens in values, paths and files of SQL; one level of tokens in tokens;
    unknown ones stay."""
    db = Db()
    table(db, "c", "id INTEGER", (1,))
    load(db, nodespec(source("v_c", "{name}", database="{db}"),
                      dict(sql("q", ""), config={"sql_path": "q.sql"}), target("t", ["q"])),
         tokens={"name": "{letter}", "letter": "c", "db": "main", "empty": "", "v": "7"},
         files={"q.sql": "SELECT id, '{v}' AS v, '{unknown}' AS u, '{empty}' AS e FROM STREAM(live.v_c)"})
    apply(db)
    same(db, "SELECT * FROM t", [(1, "7", "{unknown}", "")])
    for name in ("version", "fragment"):
        message = db.error("SELECT autocdc_load('{}', ?)", json.dumps({"tokens": {name: "1"}}))
        check("snapshot paths" in message, message)
