"""The catalog: loading, inserting, dropping, explaining, choosing what runs, and
what a spec from elsewhere may do."""
import json
import os

from lakeflow import apply, load, source, sql, table, target
from seeds import Folder, nodespec, same
from support import Db, case, check

SIMPLE = nodespec(source("v_c", "c"), target("t", ["v_c"]))


@case
def first_use():
    db = Db()
    check(db.rows("SELECT * FROM autocdc_specs") == [], "no spec")
    check(db.rows("SELECT * FROM autocdc_flows") == [], "no flow")
    check(db.value("SELECT count(*) FROM sqlite_master") == 0, "nothing is made by looking")
    check(db.rows("SELECT * FROM apply_changes()") == [], "nothing to run")
    message = db.error("SELECT * FROM apply_changes('x')")
    check("autocdc_load" in message, message)
    check("NULL" in db.error("SELECT autocdc_load(NULL)"), "no text")
    check("autocdc_load_file" in db.error("SELECT autocdc_load('specs/x.json')"), "a path")
    check("no file or folder" in db.error("SELECT autocdc_load_file('specs/x.json')"), "no such file")


@case
def insert_and_columns():
    db = Db()
    table(db, "c", "id INTEGER", (1,))
    message = db.error("INSERT INTO autocdc_specs(spec) VALUES('{\"nodes\": 1}')")
    check("data_flow_id" in message and "/nodes" in message, message)
    check(db.value("SELECT count(*) FROM sqlite_master WHERE name='autocdc_specs'") == 0, "nothing was written")
    db.run("INSERT INTO autocdc_specs(name, spec) VALUES('mine', ?)", SIMPLE)
    check(db.rows("SELECT name, format, enabled FROM autocdc_specs") == [("mine", "nodespec", 1)], "the row")
    # From now on it is a table; a plain INSERT, also without a name.
    db.run("INSERT INTO autocdc_specs(spec) VALUES(?)",
           json.dumps(dict(json.loads(SIMPLE), data_flow_id="other")).replace('"t"', '"u"'))
    check(sorted(r[1] for r in apply(db)) == ["t", "u"], "both run")
    check(db.rows("SELECT spec, flow, target, kind, data_flow_id, data_flow_group FROM autocdc_flows ORDER BY 3") == [
        ("mine", "f_v_c", "t", "append", "n", "g"), ("other", "f_v_c", "u", "append", "other", "g")], "flows")
    message = db.error("SELECT * FROM apply_changes('f_v_c')")
    check("ambiguous" in message, message)
    check([r[1] for r in apply(db, "other")] == ["u"], "by data_flow_id")
    check([r[1] for r in apply(db, "t")] == ["t"], "by target")
    check(len(apply(db, "g")) == 2, "by group")
    same(db, "SELECT flow FROM apply_changes() WHERE target = 't'", [("f_v_c",)])
    db.run("UPDATE autocdc_specs SET enabled=0 WHERE name='mine'")
    check([r[1] for r in apply(db)] == ["u"], "enabled = 0 rests a spec")
    db.run("INSERT INTO autocdc_specs(name, spec) VALUES('bad', '[1')")
    message = db.error("SELECT * FROM apply_changes()")
    check('"bad"' in message and "line 1, column 3" in message, message)
    db.value("SELECT autocdc_drop('bad')")
    message = db.error("SELECT autocdc_drop('mime')")
    check('did you mean "mine"' in message and "other" in message, message)
    db.value("SELECT autocdc_drop('mine')")
    db.value("SELECT autocdc_drop('other')")
    check(db.rows("SELECT * FROM autocdc_specs") == [], "all dropped")


@case
def loading_is_all_or_nothing():
    db = Db()
    bad = nodespec({"name": "a", "node_type": "sorce"}, {"name": "b", "node_type": "target", "config": {
        "tabel": "t", "cdc_settings": {"keys": "id", "scd_type": "3"}}})
    message = db.error("SELECT autocdc_load(?)", bad)
    for part in ('"sorce"', '"tabel"', 'did you mean "table"', '"sequence_by" is missing', '"keys" takes a list',
                 '"scd_type" cannot be "3"', "/nodes/1/config"):
        check(part in message, "%s is not in %s" % (part, message))
    check(db.value("SELECT count(*) FROM sqlite_master") == 0, "nothing was written")
    table(db, "c", "id INTEGER", (1,))
    db.run("BEGIN")
    load(db, SIMPLE)
    apply(db)
    db.run("ROLLBACK")
    check(db.rows("SELECT name FROM sqlite_master") == [("c",)], "the caller's ROLLBACK undoes all")
    check(load(db, SIMPLE) == 1 and load(db, SIMPLE) == 1, "again")
    check(db.value("SELECT count(*) FROM autocdc_specs") == 1, "a spec of one name is replaced")
    check("plain SELECT" in db.error("CREATE TABLE x AS SELECT * FROM apply_changes()")
          or "SELECT" in db.error("CREATE TABLE x AS SELECT * FROM apply_changes()"), "inside of a write")
    strict = nodespec(source("v_c", "c", table_path="x"), target("t", ["v_c"]))
    check(load(db, strict) == 1, "a warning is none of strict's business")
    check("table_path" in db.error("SELECT autocdc_load(?, '{\"strict\": true}')", strict), "strict")


@case
def explain():
    db = Db()
    table(db, "c", "id INTEGER, ts INTEGER", (1, 1))
    load(db, nodespec(source("v_c", "c"), sql("v_q", "SELECT id, ts FROM STREAM(live.v_c)"),
                      target("t", ["v_q"], cdc_settings={"keys": ["id"], "sequence_by": "ts", "scd_type": "2"}),
                      dict(target("m", []), config={"table": "m", "table_type": "mv",
                                                    "sql_statement": "SELECT count(*) AS n FROM live.t"})))
    before = db.rows("SELECT name FROM sqlite_master ORDER BY 1")
    rows = db.rows("SELECT step, flow, target, kind, depends_on FROM autocdc_explain()")
    check(rows == [(1, "f_v_q", "main.t", "merge scd2", None), (2, "m", "main.m", "materialized_view", "t")],
          "steps: %s" % rows)
    text = db.value("SELECT sql FROM autocdc_explain('t')")
    check('"v_q (new)"' in text and ":checkpoint" in text, text)
    check(db.rows("SELECT name FROM sqlite_master ORDER BY 1") == before, "nothing is written")


@case
def dry_run_and_on_error():
    db = Db()
    table(db, "c", "id INTEGER, ts INTEGER", (1, 1))
    load(db, nodespec(source("v_c", "c"), target("t", ["v_c"]), source("v_no", "nosuch"), target("u", ["v_no"])))
    message = db.error("SELECT * FROM apply_changes()")
    check("nosuch" in message, message)
    check(db.value("SELECT count(*) FROM sqlite_master WHERE name='t'") == 0, "all or nothing")
    rows = db.rows("SELECT target, status, message FROM apply_changes(NULL, '{}') LIMIT 0")
    check(rows == [], "LIMIT 0 runs nothing")
    rows = db.rows("SELECT target, status FROM apply_changes('g', '{\"on_error\": \"continue\"}')")
    check(sorted(rows) == [("t", "ok"), ("u", "error")], "continue: %s" % rows)
    same(db, "SELECT id FROM t", [(1,)])
    db.run("INSERT INTO c VALUES(2,2)")
    rows = db.rows("SELECT target, inserted FROM apply_changes('t', '{\"dry_run\": true}')")
    check(rows == [("t", 1)], "dry run: %s" % rows)
    same(db, "SELECT id FROM t", [(1,)])
    apply(db, "t")
    same(db, "SELECT id FROM t", [(1,), (2,)])


def refused(message):
    return "may not be used there" in message or "only SQL that you type" in message


@case
def restricted_results():
    """WHERE flow = and target = restrict the run itself."""
    db = Db()
    table(db, "c", "id INTEGER, seq INTEGER", (1, 1))
    load(db, nodespec(source("v_c", "c"), source("v_d", "c"), target("t", ["v_c", "v_d"]), target("u", ["v_c"]),
                      dict(target("w", []), config={"table": "w", "table_type": "mv",
                                                    "sql_statement": "SELECT count(*) AS n FROM live.t"})))

    def ran(where, arg="", *values):
        rows = db.rows("SELECT flow, target FROM apply_changes(%s) WHERE %s" % (arg, where), *values)
        return rows, db.value("SELECT group_concat(name) FROM (SELECT name FROM sqlite_master WHERE name IN "
                              "('t','u','w') ORDER BY 1)")
    check(ran("flow = NULL") == ([], None), "flow = NULL runs nothing")
    check(ran("target = ?", "", None) == ([], None), "target = NULL runs nothing")
    check(ran("flow = 'F_V_D'") == ([], None), "another case is another name")
    check(ran("target = 'main.t'") == ([], None), "not the name of a result")
    check(ran("flow = 'f_v_d'") == ([("f_v_d", "t")], "t"), "one flow")
    check(ran("flow = 'f_v_d'", "'u'") == ([], "t"), "a flow of another target")
    check(ran("flow = 'F_V_C' COLLATE NOCASE")[0] != [], "a collation is left to SQLite")
    db = Db()
    table(db, "c", "id INTEGER, seq INTEGER", (1, 1))
    load(db, nodespec(source("v_c", "c"), target("t", ["v_c"]),
                      dict(target("w", []), config={"table": "w", "table_type": "mv",
                                                    "sql_statement": "SELECT 1 AS n"})))
    check(ran("target = 'w'") == ([("w", "w")], "w"), "a view")
    check(ran("target = x.a AND x.a = 't'", ") JOIN (SELECT 't' AS a) AS x ON (1") == ([("f_v_c", "t")], "t,w"),
          "a join")


@case
def on_error_everywhere():
    """Inline flows, snapshots and scd2 tables are units too."""
    db = Db()
    table(db, "c", "id INTEGER, seq INTEGER", (1, 1))
    bad = json.dumps({"target": "t", "source": "nosuch", "keys": "id", "sequence_by": "seq"})
    check("nosuch" in db.error("SELECT * FROM apply_changes(?)", bad), "without it")
    for function, spec in (("apply_changes", bad), ("apply_changes_from_snapshot", json.dumps(
            {"target": "t", "source": "nosuch", "keys": "id", "version": 1}))):
        rows = db.rows("SELECT flow, target, status, message FROM %s(?, '{\"on_error\": \"continue\"}')" % function,
                       spec)
        check(rows[0][:3] == ("t", "t", "error") and "nosuch" in rows[0][3], rows)
    db.run("CREATE VIRTUAL TABLE h USING scd2(source='c', keys='id', sequence_by='seq')")
    db.run("INSERT INTO c VALUES(2, NULL)")
    load(db, nodespec(source("v_c", "c"), target("u", ["v_c"])))
    rows = db.rows("SELECT target, status FROM apply_changes('h', '{\"on_error\": \"continue\"}')")
    check([r[1] for r in rows] == ["error"], rows)
    load(db, nodespec(source("v_c", "c"), target("u", ["v_c"])), name="n")
    db.run("DELETE FROM c WHERE seq IS NULL")
    rows = db.rows("SELECT flow, status, inserted FROM apply_changes()")
    check(sorted(rows) == [("f_v_c", "ok", 1), ("h", "ok", 1)], rows)


@case
def scd2_tables_wait_for_what_they_read():
    db = Db()
    table(db, "c", "id INTEGER, seq INTEGER", (1, 1))
    db.run("CREATE TABLE u(id INTEGER, seq INTEGER)")
    db.run("CREATE VIRTUAL TABLE h USING scd2(source='u', keys='id', sequence_by='seq')")
    load(db, nodespec(source("v_c", "c"), target("u", ["v_c"])))
    rows = db.rows("SELECT flow, inserted FROM apply_changes()")
    check(rows == [("f_v_c", 1), ("h", 1)], rows)


@case
def read_all():
    db = Db()
    table(db, "c", "id INTEGER, seq INTEGER", (1, 1))
    load(db, nodespec(source("v_c", "c"), target("t", ["v_c"], cdc_settings={
        "keys": ["id"], "sequence_by": "seq", "scd_type": "1"})))
    apply(db)
    check(db.rows("SELECT rows_read, unchanged FROM apply_changes()") == [(0, 0)], "new rows")
    check(db.rows("SELECT rows_read, unchanged FROM apply_changes('t', '{\"read\": \"all\"}')") == [(1, 1)], "all")


@case
def dropping_what_was_never_run():
    db = Db()
    load(db, SIMPLE)
    db.run("INSERT INTO autocdc_specs(spec) VALUES(?)", SIMPLE.replace('"data_flow_id": "n"', '"data_flow_id": "raw"'))
    db.value("SELECT autocdc_drop('raw')")
    same(db, "SELECT name FROM autocdc_specs", [("n",)])
    check("loaded are: n" in db.error("SELECT autocdc_drop('raw')"), "gone")


@case
def trust_of_sql():
    """SQL of a spec may only read."""
    db = Db()
    table(db, "c", "id INTEGER, ts INTEGER", (1, 1))
    db.run("CREATE TABLE victim(x)")
    attempts = (
        "SELECT load_extension('x') FROM c", "SELECT autocdc_load('{}') FROM c",
        "SELECT * FROM apply_changes()", "SELECT * FROM autocdc_read_csv('/etc/passwd')",
        "SELECT autocdc_reset('t')", "DELETE FROM victim", "INSERT INTO victim VALUES(1) RETURNING x",
        "SELECT 1; DELETE FROM victim", "ATTACH 'x.db' AS x", "PRAGMA user_version = 5",
        "SELECT 1) SELECT * FROM apply_changes() --", "SELECT * FROM \"apply_changes\"",
        "SELECT * FROM autocdc_rows(?1)", "SELECT * FROM autocdc_read_csv WHERE path = '/etc/passwd'",
        "SELECT edit('x') FROM c", "SELECT * FROM autocdc_snapshots('/etc/{version}')",
        "SELECT * FROM autocdc_read_json/**/ AS x WHERE \"path\" = '/etc/passwd'", "WITH a AS (SELECT 1) DELETE FROM victim")
    for attempt in attempts:
        for spec in (nodespec(sql("v_q", attempt), target("t", ["v_q"])),
                     nodespec(dict(target("t", []), config={"table": "t", "table_type": "mv",
                                                            "sql_statement": attempt}))):
            load(db, spec, name="x")
            check(db.error("SELECT * FROM apply_changes()") != "", "ran: " + attempt)
    for member, text in (("select_exp", ["load_extension('x')"]), ("where_clause", ["autocdc_drop('x')"]),
                         ("select_exp", ["(SELECT count(*) FROM apply_changes())"]),
                         ("where_clause", ["1) UNION SELECT 1 FROM (SELECT load_extension('y')"])):
        load(db, nodespec(source("v_c", "c", **{member: text}), target("t", ["v_c"])), name="x")
        check(db.error("SELECT * FROM apply_changes()") != "", "ran: %s" % text)
    for member in ("where", "apply_as_deletes", "apply_as_truncates", "sequence_by"):
        for text in ("load_extension('x')", "autocdc_drop('x')", "(SELECT 1 FROM apply_changes())"):
            # The merge reads the table by itself, or the planned rows.
            cdc = dict({"keys": ["id"], "sequence_by": "ts", "scd_type": "1"}, **{member: text})
            for extra in ({}, {"select_exp": ["id", "ts"]}):
                load(db, nodespec(source("v_c", "c", **extra), target("t", ["v_c"], cdc_settings=cdc)), name="x")
                message = db.error("SELECT * FROM apply_changes()")
                check(refused(message), "%s = %s: %s" % (member, text, message))
    # Expressions that compile only inside of a merge.
    db.run("CREATE TABLE \"order\"(id TEXT COLLATE NOCASE, ts INTEGER)")
    db.run("INSERT INTO \"order\" VALUES('a', 1)")
    for text in ("\"__autocdc_row\" > autocdc_drop('x')", "ts > autocdc_drop/**/ -- x\n ('x')",
                 "ts > \"autocdc_drop\" ('x')", "ts > [autocdc_drop]('x')"):
        for name in ("order", "c"):
            for extra in ({}, {"select_exp": ["id", "ts"]}):
                cdc = {"keys": ["id"], "sequence_by": "ts", "scd_type": "1", "where": text}
                load(db, nodespec(source("v_c", name, **extra), target("t", ["v_c"], cdc_settings=cdc)), name="x")
                message = db.error("SELECT * FROM apply_changes()")
                check(refused(message) or "autocdc_drop" in message, "%s: %s" % (text, message))
                check(db.value("SELECT count(*) FROM autocdc_specs") == 1, "dropped by: " + text)
    for rule in ("load_extension('x')", "autocdc_drop('x') IS NULL"):
        load(db, nodespec(source("v_c", "c"), target("t", ["v_c"], data_quality={"expectations_path": "r.json"})),
             name="x", files={"r.json": json.dumps({"expect": [{"name": "r", "constraint": rule}]})})
        message = db.error("SELECT * FROM apply_changes()")
        check(refused(message), "%s: %s" % (rule, message))
    check(db.value("SELECT count(*) FROM autocdc_specs") == 1, "the spec is still there")
    check(db.value("PRAGMA user_version") == 0, "no PRAGMA ran")


@case
def trust_of_stored_specs():
    """A spec that this connection did not load stays in its database's folder
    and schema."""
    with Folder({"home/in/1.csv": "id\n1\n", "else/secret.csv": "id\n7\n"}) as folder:
        path = os.path.join(folder.path, "home", "x.db")
        other = os.path.join(folder.path, "other.db")

        def files(where):
            return nodespec({"name": "v_f", "node_type": "source", "source_type": "batch_files", "config": {
                "path": where, "format": "csv", "reader_options": {"header": "true"}}}, target("t", ["v_f"]))
        db = Db(path)
        load(db, files("in"), base_path=os.path.join(folder.path, "home"), name="near")
        apply(db)
        same(db, "SELECT * FROM t", [("1",)])
        db.close()
        for where in (os.path.join(folder.path, "else"), "../else"):
            db = Db(path)
            db.run("UPDATE autocdc_specs SET spec=?, options='{\"base_path\": \"/\"}'", files(where))
            message = db.error("SELECT * FROM apply_changes()")
            check("base_path" in message or "outside" in message or "leads out" in message or "folder" in message,
                  "%s: %s" % (where, message))
            check(db.value("SELECT count(*) FROM t") == 1, "nothing was read")
            db.close()
        db = Db(path)
        db.run("UPDATE autocdc_specs SET spec=?", files("."))
        rows = db.rows("SELECT status, inserted FROM apply_changes('n', ?)",
                       json.dumps({"base_path": folder.path + "/else"}))
        check(rows == [("ok", 1)], "the call may allow more: %s" % rows)
        db.run("ATTACH ? AS other", other)
        db.run("CREATE TABLE c(id)")
        db.run("INSERT INTO c VALUES(1)")
        db.run("UPDATE autocdc_specs SET spec=?, options=NULL",
               nodespec(source("v_c", "c"), target("u", ["v_c"], database="other")))
        message = db.error("SELECT * FROM apply_changes()")
        check('{"schemas": ["other"]}' in message, message)
        check(db.rows("SELECT name FROM other.sqlite_master") == [], "nothing was written")
        quarantine = {"mode": "table", "target": {"table": "q", "database": "other"}}
        for options in (None, json.dumps({"files": {"r.json": '{"expect": [{"name": "r", "constraint": "id > 1"}]}'}})):
            db.run("UPDATE autocdc_specs SET spec=?, options=?", nodespec(source("v_c", "c"), target(
                "u", ["v_c"], database="other" if options is None else "main",
                data_quality={"expectations_path": "r.json", "quarantine": quarantine} if options else None)), options)
            message = db.error("SELECT * FROM apply_changes()")
            check('{"schemas": ["other"]}' in message, message)
            check(db.rows("SELECT name FROM other.sqlite_master") == [], "nothing was written")
        db.run("UPDATE autocdc_specs SET spec=?, options=NULL",
               nodespec(source("v_c", "c"), target("u", ["v_c"], database="other")))
        db.rows("SELECT * FROM apply_changes('n', '{\"schemas\": [\"other\"]}')")
        same(db, "SELECT * FROM other.u", [(1,)])
        db.close()


@case
def readable_without_us():
    import sqlite3
    with Folder({"x": ""}) as folder:
        path = os.path.join(folder.path, "x.db")
        db = Db(path)
        table(db, "c", "id INTEGER", (1,))
        load(db, SIMPLE)
        apply(db)
        db.close()
        plain = sqlite3.connect(path)
        check(plain.execute("SELECT name, format FROM autocdc_specs").fetchall() == [("n", "nodespec")], "specs")
        check(plain.execute("SELECT flow FROM autocdc_flows").fetchall() == [("f_v_c",)], "flows")
        check(plain.execute("SELECT * FROM t").fetchall() == [(1,)], "target")
        plain.close()
        db = Db(path)
        db.run("INSERT INTO c VALUES(2)")
        check(apply(db) == [("f_v_c", "t", "ok", 1)], "a new connection goes on where the old one was")
        db.run("UPDATE autocdc_catalog SET version = 99")
        check("version 99" in db.error("SELECT * FROM apply_changes()"), "a newer catalog")
        db.close()


def outside(folder):
    """A database in a folder of its own, opened by a connection that has loaded
    nothing, with a row in autocdc_specs that it did not write."""
    db = Db(os.path.join(folder.path, "home", "x.db"))
    db.run("CREATE TABLE c(id)")
    db.run("INSERT INTO c VALUES(1)")
    load(db, SIMPLE)
    db.close()
    return Db(os.path.join(folder.path, "home", "x.db"))


@case
def trust_of_templates():
    """Its definition is a file too."""
    with Folder({"home/x": "", "else/templates/a.json": json.dumps({"template": json.loads(SIMPLE)})}) as folder:
        use = json.dumps({"template": "a", "parameterSets": [{"dataFlowId": "n"}]})
        base = json.dumps({"base_path": os.path.join(folder.path, "else")})
        db = outside(folder)
        db.run("UPDATE autocdc_specs SET spec=?, options=?", use, base)
        message = db.error("SELECT * FROM apply_changes()")
        check('the template "a" is not found' in message, message)
        db.run("DELETE FROM autocdc_specs")
        check(db.value("SELECT autocdc_load(?, ?)", use, base) == 1, "loaded by us")
        db.rows("SELECT * FROM apply_changes()")
        same(db, "SELECT * FROM t", [(1,)])
        # It was stored with the spec.
        os.remove(os.path.join(folder.path, "else", "templates", "a.json"))
        db.run("INSERT INTO c VALUES(2)")
        check(apply(db) == [("f_v_c", "t", "ok", 1)], "the definition is stored")
        db.close()


@case
def trust_without_a_file():
    """A database in memory may have been deserialized: no file is read for a
    spec that was not loaded."""
    with Folder({"in/1.csv": "id\n1\n"}) as folder:
        files = nodespec({"name": "v_f", "node_type": "source", "source_type": "batch_files", "config": {
            "path": os.path.join(folder.path, "in"), "format": "csv"}}, target("t", ["v_f"]))
        db = Db()
        table(db, "c", "id INTEGER", (1,))
        load(db, SIMPLE)
        db.run("UPDATE autocdc_specs SET spec=?", files)
        message = db.error("SELECT * FROM apply_changes()")
        check("autocdc_load()" in message and "base_path" in message, message)
        rows = db.rows("SELECT status FROM apply_changes('n', ?)", json.dumps({"base_path": folder.path}))
        check(rows == [("ok",)], "the call allows it: %s" % rows)
        load(db, files)
        rows = db.rows("SELECT status FROM apply_changes()")
        check(rows == [("ok",)], "loaded: %s" % rows)


@case
def trust_of_virtual_tables():
    """A file may bring virtual tables along that read other files."""
    with Folder({"home/x": "", "else/secret.csv": "id\n7\n"}) as folder:
        path = os.path.join(folder.path, "else", "secret.csv")
        cdc = {"keys": ["id"], "sequence_by": "id", "scd_type": "1"}
        versions = {"keys": ["id"], "scd_type": "1", "snapshot_type": "historical", "source_type": "table",
                    "source": {"table": "main.secret", "version_column": "id"}}
        specs = (nodespec(source("v_c", "secret"), target("t", ["v_c"])),
                 nodespec(source("v_c", "secret"), target("t", ["v_c"], cdc_settings=cdc)),
                 nodespec(sql("v_q", "SELECT id FROM secret"), target("t", ["v_q"])),
                 nodespec(sql("v_q", "SELECT id FROM main . [secret]"), target("t", ["v_q"])),
                 nodespec(source("v_c", "c", where_clause=["id <> (SELECT max(id) FROM \"secret\")"]),
                          target("t", ["v_c"])),
                 nodespec(target("t", [], cdc_snapshot_settings=versions)))
        for spec in specs:
            db = outside(folder)
            db.run("CREATE VIRTUAL TABLE secret USING autocdc_csv(path='%s')" % path)
            db.run("UPDATE autocdc_specs SET spec=?", spec)
            message = db.error("SELECT * FROM apply_changes()")
            check("virtual table" in message, "%s: %s" % (message, spec))
            check(db.value("SELECT count(*) FROM sqlite_master WHERE name='t'") == 0, "nothing was written")
            db.close()
            os.remove(os.path.join(folder.path, "home", "x.db"))
        # A view over it: SQLite itself refuses.
        db = outside(folder)
        db.run("CREATE VIRTUAL TABLE secret USING autocdc_csv(path='%s')" % path)
        db.run("CREATE VIEW v AS SELECT * FROM secret")
        db.run("UPDATE autocdc_specs SET spec=?", nodespec(source("v_c", "v"), target("t", ["v_c"])))
        check("unsafe use" in db.error("SELECT * FROM apply_changes()"), "a view")
        # Nor is the catalog itself such a table.
        db.run("DROP VIEW v")
        db.run("ALTER TABLE autocdc_specs RENAME TO old")
        db.run("CREATE VIRTUAL TABLE autocdc_specs USING autocdc_csv(path='%s')" % path)
        check(db.rows("SELECT * FROM apply_changes()") == [], "no catalog")
        db.close()
        # What we load ourselves may read what we have declared.
        db = Db()
        db.run("CREATE VIRTUAL TABLE secret USING autocdc_csv(path='%s')" % path)
        load(db, specs[1])
        apply(db)
        check(db.value("SELECT count(*) FROM t") == 1, "loaded by us")


@case
def trust_ends_with_the_text():
    """A row that is changed after we have loaded it is not what we have loaded."""
    with Folder({"home/x": ""}) as folder:
        db = outside(folder)
        db.run("ATTACH ':memory:' AS other")
        text = nodespec(source("v_c", "c"), target("u", ["v_c"], database="other"))
        load(db, text)
        apply(db)
        same(db, "SELECT * FROM other.u", [(1,)])
        for column, value in (("spec", text + " "), ("options", '{"flatten": false}')):
            db.run("UPDATE autocdc_specs SET %s=?" % column, value)
            message = db.error("SELECT * FROM apply_changes()")
            check('{"schemas": ["other"]}' in message, "%s: %s" % (column, message))
            load(db, text)
        db.run("UPDATE autocdc_specs SET spec=?, options='{\"schemas\": [\"other\"]}'", text + " ")
        message = db.error("SELECT * FROM apply_changes()")
        check('unknown option "schemas"' in message, message)
        db.close()


@case
def compiled_once():
    """The same text is compiled once for a connection; another one anew."""
    db = Db()
    table(db, "c", "id INTEGER", (1,))
    nodes = [source("v_c", "c")] + [sql("v_%d" % i, "SELECT * FROM live.v_c") for i in range(1500)]
    load(db, nodespec(*(nodes + [target("t", ["v_c"])])))
    import time
    took = []
    for i in range(4):
        start = time.time()
        apply(db)
        took.append(time.time() - start)
    check(min(took[1:]) < took[0] or took[0] < 0.02, "runs took %s" % took)
    for i in range(300):
        load(db, SIMPLE.replace('"t"', '"t%d"' % i), name="x")
        db.rows("SELECT * FROM apply_changes('t%d')" % i)
    check(db.value("SELECT count(*) FROM sqlite_master WHERE name GLOB 't[0-9]*'") == 300, "each its own")
