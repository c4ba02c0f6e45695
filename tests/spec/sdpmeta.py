"""sdp-meta onboarding: what each part of a row does."""
import json

from lakeflow import apply, load, table
from seeds import Folder, lines, same
from support import Db, case, check

CDC = {"keys": ["id"], "sequence_by": "ts", "scd_type": "1"}


def row(**members):
    return dict({"data_flow_id": "1", "data_flow_group": "g", "source_format": "delta",
                 "source_details": {"source_database": "main", "source_table": "c"},
                 "bronze_database_dev": "bronze", "bronze_table": "b"}, **members)


def silver(**members):
    return row(**dict({"silver_database_dev": "silver", "silver_table": "s"}, **members))


def errors(db, spec, options='{"env": "dev"}'):
    return [f for f in db.findings(json.dumps(spec), options) if f[0] == "error"]


@case
def environments():
    db = Db()
    two = [row(bronze_database_prod="pb")]
    check("several environments" in errors(db, two, None)[0][4], "which one?")
    check(not errors(db, two), "dev")
    check(not errors(db, two, '{"env": "prod"}'), "prod")
    missing = errors(db, two, '{"env": "it"}')
    check(missing and '"bronze_database_it" is missing' in missing[0][4], "%s" % missing)


@case
def layers_and_chains():
    db = Db()
    table(db, "c", "id INTEGER, v TEXT, ts INTEGER", (1, "a", 1), (1, "b", 2), (2, "c", 1))
    load(db, [silver(silver_cdc_apply_changes=CDC, silver_transformation_json_dev="t.json")], env="dev", files={
        "t.json": json.dumps([{"target_table": "other"}, {
            "target_table": "s", "select_exp": ["id", "upper(v) AS v", "ts"], "where_clause": ["id < 2"]}])})
    rows = apply(db)
    check([r[1] for r in rows] == ["b", "s"], "bronze before silver: %s" % rows)
    same(db, "SELECT * FROM b", [(1, "a", 1), (1, "b", 2), (2, "c", 1)])
    same(db, "SELECT * FROM s", [(1, "B", 2)])
    db.run("INSERT INTO c VALUES(1,'z',3)")
    rows = db.rows("SELECT rows_read FROM apply_changes('1')")
    check(rows == [(1,), (1,)], "increments: %s" % rows)
    same(db, "SELECT v FROM s", [("Z",)])
    for clause in ("id > 1", ["id > 1"]):
        load(db, [silver(data_flow_id="2", silver_table="s2", bronze_table="b2",
                         silver_transformation_json_dev="t.json")], files={
            "t.json": json.dumps([{"target_table": "s2", "where_clause": clause}])}, name="two")
        db.rows("SELECT * FROM apply_changes('2')")
        same(db, "SELECT * FROM s2", [(2, "c", 1)])


@case
def append_flows_and_rules():
    """Without CDC, rows of append flows pass the rules; with it all are tested."""
    rules = json.dumps({"expect_or_drop": {"ok": "v > 0"}, "expect_all": {"no": "v < 5"}})
    append = [{"name": "more", "create_streaming_table": False, "source_format": "delta",
               "source_details": {"source_table": "d"}}]
    for cdc, want in ((None, [(1, 1, 1), (3, -3, 1)]), (CDC, [(1, 1, 1)])):
        db = Db()
        table(db, "c", "id INTEGER, v INTEGER, ts INTEGER", (1, 1, 1), (2, -2, 1))
        table(db, "d", "id INTEGER, v INTEGER, ts INTEGER", (3, -3, 1))
        spec = row(bronze_append_flows=append, bronze_data_quality_expectations_json_dev="r.json")
        if cdc:
            spec["bronze_cdc_apply_changes"] = cdc
        load(db, [spec], files={"r.json": rules})
        apply(db)
        same(db, "SELECT * FROM b", want)


@case
def quarantine_families():
    rows = [(1, 5, 1), (2, 0, 1), (3, None, 1)]
    common = {"bronze_database_quarantine_dev": "bronze", "bronze_quarantine_table": "q"}
    # The rule describes bad rows, and the target is not filtered by it.
    db = Db()
    table(db, "c", "id INTEGER, v INTEGER, ts INTEGER", *rows)
    load(db, [row(bronze_data_quality_expectations_json_dev="r.json", **common)],
         files={"r.json": json.dumps({"expect_or_quarantine": {"zero": "v = 0", "any": "id > 0"}})})
    apply(db)
    same(db, "SELECT id FROM b", [(1,), (2,), (3,)])
    same(db, "SELECT id FROM q", [(2,)])
    # The opt-in engine: good rows, and bad ones are dropped.
    db = Db()
    table(db, "c", "id INTEGER, v INTEGER, ts INTEGER", *rows)
    load(db, [row(bronze_quality_engine="lakeflow", bronze_quality_rules_path_dev="r.json", **common)],
         files={"r.json": json.dumps({"expect_or_quarantine": {"positive": "v > 0"}})})
    apply(db)
    same(db, "SELECT id FROM b", [(1,)])
    same(db, "SELECT id, _errors FROM q", [
        (2, '[{"name":"positive","expression":"v > 0"}]'), (3, '[{"name":"positive","expression":"v > 0"}]')])
    db = Db()
    table(db, "c", "id INTEGER, v INTEGER, ts INTEGER", *rows)
    load(db, [row(bronze_data_quality_expectations_json_dev="r.json")],
         files={"r.json": json.dumps({"expect_or_quarantine": {"zero": "v = 0"}})})
    check("quarantine table" in db.error("SELECT * FROM apply_changes()"), "no quarantine table")


@case
def sinks_and_snapshots():
    db = Db()
    table(db, "c", "id INTEGER, v TEXT, ts INTEGER", (1, "a", 1), (2, "b", 1))
    load(db, [silver(bronze_sinks=[{"name": "k", "format": "delta", "options": {"tableName": "copy"},
                                    "select_exp": ["id"], "where_clause": "id > 1"}],
                     silver_apply_changes_from_snapshot={"keys": ["id"], "scd_type": "1"})])
    apply(db)
    same(db, "SELECT * FROM copy", [(2,)])
    same(db, "SELECT id, v FROM s", [(1, "a"), (2, "b")])
    db = Db()
    table(db, "c", "id INTEGER, v TEXT", (1, "a"), (2, "b"))
    load(db, [row(source_format="snapshot", source_details={
        "snapshot_format": "delta", "source_database": "main", "source_table": "c"},
        bronze_apply_changes_from_snapshot={"keys": ["id"], "scd_type": 1})])
    apply(db)
    db.run("DELETE FROM c WHERE id=1")
    apply(db)
    same(db, "SELECT * FROM b", [(2, "b")])


@case
def file_metadata():
    with Folder({"in/1.json": lines({"id": 1})}) as folder:
        db = Db()
        load(db, [row(source_format="cloudFiles", source_details={
            "source_path_dev": "in", "source_metadata": {
                "include_autoloader_metadata_column": "True", "select_metadata_cols": {
                    "name": "_metadata.file_name"}}}, bronze_reader_options={"cloudFiles.format": "json"})],
             base_path=folder.path)
        apply(db)
        same(db, "SELECT id, name, json_extract(source_metadata, '$.file_name') FROM b", [(1, "1.json", "1.json")])


@case
def refusals():
    db = Db()
    flows = dict(CDC, flows=[{"name": "f", "source_format": "delta", "source_details": {"source_table": "c"}}])
    for spec, word in (
            (row(bronze_cdc_apply_changes=CDC, bronze_cdc_apply_changes_flows=flows), "only one of"),
            (row(source_format="kafka"), "message broker"),
            (row(bronze_cdc_apply_changes=dict(CDC, scd_type="3")), '"scd_type" cannot be "3"'),
            (row(bronze_cdc_apply_changes=dict(CDC, scd_type="2", apply_as_truncates="x")), "truncates"),
            (row(bronze_cdc_apply_changes=dict(CDC, column_list=["a"], except_column_list=["b"])), "only one of"),
            (row(bronze_cdc_apply_changes={"keys": ["id"]}), '"sequence_by" is missing'),
            (row(bronze_cdc_apply_changes_flows=dict(flows, flows=[])), "must not be empty"),
            (row(bronze_cdc_apply_changes_flows=dict(flows, flows=flows["flows"] * 2)), "two flows"),
            (row(bronze_cdc_aply_changes=CDC), 'did you mean "bronze_cdc_apply_changes"'),
            (row(bronze_row_filter="x"), "cannot be honoured"),
            (silver(silver_cdc_apply_changes_flows=dict(CDC, flows=[
                {"name": "f", "source_format": "cloudFiles", "source_details": {"source_path_dev": "p"}}])),
             "read delta tables"),
            (row(source_format="snapshot"), "snapshot"),
            (row(source_format=None, source_details={"source_path_dev": "p"}), '"source_format" is missing')):
        found = errors(db, [spec])
        check(any(word in f[4] + (f[5] or "") for f in found), "%s: %s" % (word, found))
    check(any("two rows" in f[4] for f in errors(db, [row(), row()])), "an id twice")
    found = db.findings(json.dumps([row(bronze_parition_columns="a", bronze_table_cluster_by=["a"])]), '{"env": "dev"}')
    check({f[0] for f in found} == {"warning"}, "unknown members of the shipped examples: %s" % found)
