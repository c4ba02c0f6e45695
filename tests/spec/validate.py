"""The validator and the JSON Schemas: field by field, wrong types of every
field, truncated, deep and large documents."""
import copy
import json
import os
import re
import time

from lakeflow import FLOW, STANDARD, source, sql, target
from schema import places, valid
from seeds import nodespec
from support import Db, case, check, seed_documents, shared

CDC = {"keys": ["id"], "sequence_by": "ts", "scd_type": "2"}
QUALITY = {"enabled": True, "expectations_path": "e.json",
           "quarantine": {"mode": "table", "target": {"target_format": "delta", "table": "q"}}}
SNAPSHOT = {"keys": ["id"], "scd_type": "2", "snapshot_type": "historical", "source_type": "file",
            "source": {"format": "csv", "path": "s_{version}.csv", "version_type": "integer",
                       "reader_options": {"header": "true"}}}
SNAPSHOT_TABLE = dict(SNAPSHOT, source_type="table", source={
    "table": "a.b", "version_column": "v", "version_type": "integer"})
MIGRATION = {"enabled": True, "catalog_type": "hms", "source": {"table": "old", "database": "d"}}

# A document of each format that uses every kind of object there is.
DOCUMENTS = {
    "nodespec": [json.loads(nodespec(
        source("v_c", "c", reader_options={}), sql("v_q", "SELECT * FROM STREAM(live.v_c)"),
        {"name": "v_f", "node_type": "source", "source_type": "cloud_files", "config": {
            "path": "p", "reader_options": {"cloudFiles.format": "json"}}},
        {"name": "v_b", "node_type": "source", "source_type": "batch_files", "config": {
            "path": "p", "format": "csv", "reader_options": {"header": True}}},
        {"name": "v_j", "node_type": "source", "source_type": "delta_join", "config": {
            "sources": [{"table": "a", "alias": "a"}, {"table": "b", "alias": "b"}],
            "joins": [{"join_type": "left", "condition": "a.x = b.x"}]}},
        target("t", ["v_c", {"view": "v_q", "flow": "f"}], cdc_settings=CDC, data_quality=QUALITY,
               table_migration=MIGRATION),
        target("s", [], cdc_snapshot_settings=SNAPSHOT), target("s2", [], cdc_snapshot_settings=SNAPSHOT_TABLE),
        target("m", ["v_j"], table_type="mv"), target("n", ["v_f"]), target("o", ["v_b"]),
        {"name": "k", "node_type": "target", "target_type": "delta_sink", "config": {
            "name": "k", "sink_options": {"table_name": "x"}, "sources": ["v_c"]}},
        {"name": "l", "node_type": "target", "target_type": "foreach_batch_sink", "config": {
            "name": "l", "sink_type": "basic_sql", "sink_config": {"table": "x", "sql_statement": "SELECT 1"},
            "sources": ["v_c"]}}))],
    "standard": [
        dict(STANDARD, cdcSettings=CDC, dataQualityExpectationsEnabled=True, dataQualityExpectationsPath="e.json",
             quarantineMode="table", quarantineTargetDetails={"targetFormat": "delta"},
             tableMigrationDetails=dict(MIGRATION), features={}, tags={"a": 1}),
        dict(STANDARD, targetFormat="delta_sink", targetDetails={"name": "k", "sinkOptions": {"tableName": "x"}}),
        dict(STANDARD, targetFormat="foreach_batch_sink", targetDetails={
            "name": "k", "type": "basic_sql", "config": {"table": "x", "sqlStatement": "SELECT 1"}})],
    "flow": [FLOW],
    "materialized_view": [{
        "dataFlowId": "m", "dataFlowGroup": "g", "dataFlowType": "materialized_view", "materializedViews": {
            "a": {"sqlStatement": "SELECT 1", "tableDetails": {"database": "d"}},
            "b": {"sourceView": {"sourceViewName": "v_x", "sourceType": "delta", "sourceDetails": {"table": "x"}}}}}],
    "sdp-meta": [
        [{"data_flow_id": "1", "data_flow_group": "g", "source_format": "cloudFiles",
          "source_details": {"source_path_dev": "p"}, "bronze_database_dev": "b", "bronze_table": "t",
          "bronze_reader_options": {"cloudFiles.format": "json"}, "bronze_cdc_apply_changes": CDC,
          "bronze_append_flows": [{"name": "a", "create_streaming_table": False, "source_format": "cloudFiles",
                                   "source_details": {"source_path_dev": "p"},
                                   "reader_options": {"cloudFiles.format": "json"}}],
          "bronze_sinks": [{"name": "s", "format": "delta", "options": {"tablename": "x"}}],
          "silver_database_dev": "s", "silver_table": "u", "silver_cdc_apply_changes_flows": dict(CDC, flows=[
              {"name": "f", "source_format": "delta", "source_details": {"source_table": "t"}}])},
         {"data_flow_id": "2", "data_flow_group": "g", "source_format": "snapshot", "source_details": {
             "snapshot_format": "csv", "source_path_dev": "p_"}, "bronze_database_dev": "b", "bronze_table": "p",
          "bronze_apply_changes_from_snapshot": {"keys": ["id"], "scd_type": "1"}}]],
    "kinetishift": [[{"table": "a", "keys": ["k"]}], {"kinetishift.tables": [{"table": "a", "keys": ["k"]}]}],
}
VALUES = [1, 1.5, True, "x", "", [], [1], ["x"], {}, {"x": 1}, {"x": {"y": "z"}}, [{"x": "y"}], [[1]], [None]]


def schema_of(db, name):
    return json.loads(db.value("SELECT autocdc_json_schema(?)", name))


def errors(findings):
    """Errors of the document itself: the files that it names are not here."""
    return [f for f in findings if f[0] == "error" and not re.fullmatch('the file ".*" is not found', f[4])]


def at(document, path):
    for step in path:
        document = document[step]
    return document


def members(value, path=()):
    if isinstance(value, dict):
        for name in value:
            yield path + (name,)
            yield from members(value[name], path + (name,))
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield path + (i,)
            yield from members(item, path + (i,))


@case
def documents_are_valid():
    db = Db()
    for name, documents in DOCUMENTS.items():
        for document in documents:
            found = errors(db.findings(json.dumps(document)))
            check(not found, "%s: %s" % (name, found))
            check(valid(schema_of(db, name), schema_of(db, name), document), "%s against its schema" % name)


@case
def fixtures_and_seeds_agree():
    """Each fixture and printed document: no errors, and its schema says so too."""
    db = Db()
    texts = {}
    for folder, _, files in os.walk(shared("fixtures")):
        for name in files:
            if name.startswith("onboarding") or name == "tables.json":
                with open(os.path.join(folder, name)) as f:
                    texts[os.path.join(folder, name)] = f.read()
    for name, text in seed_documents().items():
        if "data_flow_id" in text:
            texts[name] = text
    check(len(texts) >= 9, "documents: %d" % len(texts))
    for name, text in texts.items():
        document = json.loads(text)
        form = ("nodespec" if isinstance(document, dict)
                else "kinetishift" if "table" in document[0] else "sdp-meta")
        found = errors(db.findings(text, '{"env": "dev"}'))
        check(not found, "%s: %s" % (name, found))
        check(valid(schema_of(db, form), schema_of(db, form), document), "%s against its schema" % name)


@case
def wrong_types():
    """A value of every type at every place: an answer each time, and where the
    schema says no, the validator does too."""
    db = Db()
    n = 0
    for name, documents in DOCUMENTS.items():
        root = schema_of(db, name)
        for document in documents:
            for path in members(document):
                for value in VALUES:
                    changed = copy.deepcopy(document)
                    at(changed, path[:-1])[path[-1]] = value
                    found = errors(db.findings(json.dumps(changed), json.dumps({"format": name, "env": "dev"})))
                    n += 1
                    if not found and not valid(root, root, changed):
                        check(False, "%s: %r at %s passes the validator, not the schema" % (name, value, path))
                    for f in found:
                        if not f[2] or not f[3]:
                            check(False, "%s: %r at %s: no place: %s" % (name, value, path, f))
    check(n > 3000, "%d documents" % n)


def sample(schema):
    """A value that is not empty, for a property."""
    for kind in schema.get("anyOf", []):
        if "enum" in kind:
            return kind["enum"][0]
        if "$ref" in kind:
            return {}
        if kind.get("type") == "string":
            return "x"
        if kind.get("type") == "boolean":
            return True
        if kind.get("type") in ("integer", "number"):
            return 1
        if kind.get("type") == "array":
            return ["x"]
        if kind.get("type") == "object":
            return {"x": "y"}
    return "x"


@case
def every_field():
    """Each field of each object is known; refused ones are errors that say what
    to do, and those without effect are warned about, by their name."""
    db = Db()
    seen = set()
    for name, documents in DOCUMENTS.items():
        root = schema_of(db, name)
        for document in documents:
            for path, definition in places(root, root, document):
                for field, sub in root["definitions"][definition]["properties"].items():
                    how = sub["x-autocdc"]
                    if field in at(document, path) or (name, definition, field) in seen:
                        continue
                    seen.add((name, definition, field))
                    changed = copy.deepcopy(document)
                    at(changed, path)[field] = sample(sub)
                    found = db.findings(json.dumps(changed), json.dumps({"format": name, "env": "dev"}))
                    label = "%s, %s of %s" % (name, field, definition)
                    about = [f for f in found if '"%s"' % field in f[4]]
                    check(not any("unknown member" in f[4] for f in about), "%s: %s" % (label, about))
                    if how == "refused":
                        check(any(f[0] == "error" and f[5] for f in about), "%s is not refused: %s" % (label, found))
                    elif how.startswith("warned"):
                        check(any(f[0] == "warning" and "no effect" in f[4] for f in about),
                              "%s is not warned about: %s" % (label, found))
                    for value in sub.get("x-autocdc-refused", []):
                        at(changed, path)[field] = value
                        found = errors(db.findings(json.dumps(changed), json.dumps({"format": name, "env": "dev"})))
                        check(any("not possible in SQLite" in f[4] and f[5] for f in found),
                              "%s: %s is not refused" % (label, value))
    check(len(seen) > 300, "%d fields" % len(seen))


@case
def findings_have_places():
    db = Db()
    text = '{\n  "data_flow_id": "a",\n  "data_flow_group": "g",\n  "nodes": [\n    {"nmae": "x",\n     "node_type": "target",\n     "config": {"table": "t", "table": "u", "row_filter": "f"}}]}'
    found = db.findings(text)
    want = [("error", "/nodes/0", 5, 5, '"name" is missing in a node', None),
            ("error", "/nodes/0/nmae", 5, 6, 'unknown member "nmae" of a node', 'did you mean "name"?'),
            ("warning", "/nodes/0/config/table", 7, 17, '"table" is given again further down, which counts', None)]
    for w in want:
        check(w in found, "%s is not in %s" % (w, found))
    check(any(f[1] == "/nodes/0/config/row_filter" and f[5] for f in found), "row_filter: %s" % found)
    check(db.findings("{") == [("error", "", 1, 2, found_message(db, "{"), None)], "truncated")
    check("requires" in db.error("SELECT * FROM autocdc_validate"), "no argument")
    check("requires" in db.error("SELECT * FROM autocdc_validate(NULL)"), "NULL")
    check("unknown option" in db.error("SELECT * FROM autocdc_validate('{}', '{\"tokenz\": {}}')"), "options")
    check(db.rows("SELECT severity FROM autocdc_validate(?) WHERE severity='error' OR severity='x'", "{")
          == [("error",)], "OR")
    strict = db.findings(nodespec(source("v_c", "c", table_path="p"), target("t", ["v_c"])), '{"strict": true}')
    check([f[0] for f in strict] == ["error"], "strict: %s" % strict)
    check(db.findings('{"target": "t", "keys": "id"}')[0][5] == "give it to apply_changes() itself", "inline flow")


def found_message(db, text):
    return db.findings(text)[0][4]


@case
def truncated_documents():
    db = Db()
    for name, documents in DOCUMENTS.items():
        text = json.dumps(documents[0])
        for n in range(0, len(text), 7 if len(text) > 1500 else 1):
            found = db.findings(text[:n])
            check(len(found) == 1 and found[0][0] == "error" and found[0][2] == 1, "%s cut at %d: %s" % (name, n, found))


@case
def deep_and_large_documents():
    db = Db()
    for depth in (199, 201, 100000):
        found = errors(db.findings("[" * depth + "]" * depth))
        check(len(found) == 1, "depth %d: %s" % (depth, found[:3]))
    deep = json.loads(nodespec(source("v_c", "c"), target("t", ["v_c"])))
    inner = deep["tags"] = {}
    for _ in range(150):
        inner["x"] = {}
        inner = inner["x"]
    check(not errors(db.findings(json.dumps(deep))), "150 deep where nobody looks")

    def timed(label, text, seconds=20):
        start = time.time()
        found = db.findings(text)
        check(time.time() - start < seconds, "%s took %.1f s" % (label, time.time() - start))
        return found
    pad = "x" * 2000
    nodes = [dict(source("v_%d" % i, "c_%d" % i, select_exp=[pad])) for i in range(2400)]
    nodes += [target("t_%d" % i, ["v_%d" % i], comment=pad) for i in range(2400)]
    check(not errors(timed("10 MB nodespec", nodespec(*nodes))), "10 MB of nodes")
    found = timed("many nodes", nodespec(*[source("v_%d" % i, "c") for i in range(90000)]))
    check("at most 5000 nodes" in found[0][4], "%s" % (found[:2],))
    found = timed("unknown members", json.dumps({"data_flow_id": "a", "data_flow_group": "g", "nodes": [
        {"k%d" % i: 1 for i in range(300000)}]}))
    check(len(found) == 500, "findings are cut: %d" % len(found))
    timed("list of rows", json.dumps([{"data_flow_id": str(i)} for i in range(200000)]))
    timed("list of tables", json.dumps([{"table": "t%d" % i, "keys": ["a"]} for i in range(200000)]))
    found = timed("17 MB", '{"data_flow_id": "%s"}' % ("x" * 17 * 1024 * 1024))
    check("16 MB" in found[0][4], "%s" % (found[:1],))
    big = json.dumps([{"table": "t", "keys": ["a"], "scd": 18446744073709551615}])
    check("18446744073709551615" in big and errors(db.findings(big)), "large integers")


@case
def schema_names():
    db = Db()
    check("unknown format" in db.error("SELECT autocdc_json_schema('x')"), "unknown format")
    check(schema_of(db, "dlt_meta") == schema_of(db, "sdp-meta"), "another name")


@case
def files_that_a_spec_names():
    """They are looked for, and looked at, by the validator and by loading alike."""
    db = Db()
    spec = nodespec(
        source("v_c", "c"),
        target("t", ["v_c"], schema_path="s.json", data_quality={"expectations_path": "r.json"}),
        {"name": "v_q", "node_type": "transformation", "transformation_type": "sql", "config": {"sql_path": "q.sql"}},
        target("u", ["v_q"]))
    found = [(f[1], f[4]) for f in db.findings(spec) if f[0] == "error"]
    check(found == [("/nodes/1", 'the file "s.json" is not found'),
                    ("/nodes/1/config/data_quality", 'the file "r.json" is not found'),
                    ("/nodes/2", 'the file "q.sql" is not found')], "missing: %s" % found)
    files = {"s.json": '{"type": "struct", "fields": 1}', "r.json": '{"expect": [{"name": "r"}]}', "q.sql": "SELECT 1"}
    options = json.dumps({"files": files})
    found = [f[4] for f in db.findings(spec, options) if f[0] == "error"]
    check(len(found) == 2 and "r.json" in found[0] + found[1] and "s.json" in found[0] + found[1], found)
    message = db.error("SELECT autocdc_load(?, ?)", spec, options)
    for text in found:
        check(text in message, "%s is not in %s" % (text, message))
    files.update({"s.json": "id INT", "r.json": '{"expect": [{"name": "r", "constraint": "id > 0"}]}'})
    options = json.dumps({"files": files})
    check([f for f in db.findings(spec, options) if f[0] == "error"] == [], "all is well")
    check(db.value("SELECT autocdc_load(?, ?)", spec, options) == 2, "loaded")
    # Files are read, so views of a database from elsewhere may not ask.
    db.run("CREATE VIEW v AS SELECT * FROM autocdc_validate('x')")
    check("unsafe use" in db.error("SELECT * FROM v"), "in a view")


@case
def parts_of_specs():
    """What is printed in documentation by itself is told from a spec."""
    db = Db()
    for text, message in (
            ('{"table": "orders", "keys": ["ID"]}', "put it in [ ]"),
            (json.dumps(source("v", "t")), '"nodes": [...]'),
            ('{"target": "t", "keys": "id"}', "apply_changes()"),
            ('[1]', "no known format"), ('[]', "empty"), ('7', "not a number")):
        check(message in db.error("SELECT autocdc_load(?)", text), "%s: %s" % (text, db.error("SELECT autocdc_load(?)", text)))


@case
def tokens_that_nothing_replaces():
    db = Db()
    spec = nodespec(source("v_c", "c", database="{bronze}"), target("t", ["v_c"], database="{silver}"))
    found = [(f[0], f[1], f[4]) for f in db.findings(spec)]
    check(found == [("warning", "/nodes/0", "{bronze} stands for nothing"),
                    ("warning", "/nodes/1", "{silver} stands for nothing")], found)
    check(db.findings(spec, '{"tokens": {"bronze": "main", "silver": "main"}}') == [], "all given")
    check("{silver}" in db.error("SELECT autocdc_load(?, '{\"strict\": true}')", spec), "strict")
