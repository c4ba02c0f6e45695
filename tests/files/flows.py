"""Flows that read files: change rows from folders, each file once; snapshots by
the version in their path."""
import json
import os
import shutil

from support import SHARED, Db, Skip, csv, engine, flow_call, same, test, write  # noqa: F401

COLUMNS = "id INT, name STRING, op STRING, seq INT"


def changes(path, options=None, target="t", **more):
    source = {"format": "csv", "path": path, "schema": COLUMNS}
    source.update(more.pop("source", {}))
    flow = {"target": target, "source": source, "keys": "id", "sequence_by": "seq",
            "apply_as_deletes": "op = 'D'", "except_column_list": "op, seq"}
    flow.update(more)
    return flow_call("apply_changes", options, **flow)


def snapshots(path, options=None, target="h", keys="part_id", **more):
    source = {"format": "csv", "path": path}
    source.update(more.pop("source", {}))
    flow = {"target": target, "source": source, "keys": keys, "scd_type": 2}
    flow.update(more)
    return flow_call("apply_changes_from_snapshot", options, **flow)


def rows_read(db, call):
    return db.rows("SELECT status, rows_read FROM " + call)


@test
def flow_reads_each_file_once(db):
    write("in/1.csv", "id,name,op,seq\n1,a,U,1\n2,b,U,2\n")
    same(rows_read(db, changes("in")), [("ok", 2)])
    same(rows_read(db, changes("in")), [("ok", 0)])
    write("in/2.csv", "seq,op,name,id\n3,D,,1\n")
    write("in/_hidden.csv", "id,name,op,seq\n9,z,U,9\n")
    same(rows_read(db, changes("in")), [("ok", 1)])
    db.want("SELECT * FROM t", [(2, "b")])
    db.want("SELECT source, last_row FROM autocdc_sources WHERE source LIKE 'file:%' ORDER BY 1",
            [("file:in/1.csv", 31), ("file:in/2.csv", 22)])
    same(rows_read(db, changes("in", {"read": "all"})), [("ok", 3)])
    same(rows_read(db, changes("in", read="all")), [("ok", 3)])
    # Another flow into the target has marks of its own, a reset forgets them.
    same(rows_read(db, changes("in", name="other")), [("ok", 3)])
    db.rows("SELECT autocdc_reset('t')")
    same(rows_read(db, changes("in")), [("ok", 3)])


@test
def flow_reads_a_changed_file_again(db):
    write("in/1.csv", "id,name,op,seq\n1,a,U,1\n")
    os.utime("in/1.csv", (1, 1))
    db.rows("SELECT * FROM " + changes("in/*.csv"))
    os.utime("in/1.csv", (2, 2))
    db.want("SELECT rows_read, unchanged, message FROM " + changes("in/*.csv"),
            [(1, 1, '"in/1.csv" has changed since it was read, and is read again')])
    write("in/1.csv", "id,name,op,seq\n1,a,U,1\n1,b,U,2\n")
    same(rows_read(db, changes("in/*.csv")), [("ok", 2)])
    db.want("SELECT * FROM t", [(1, "b")])
    db.rows("DROP TABLE t")
    same(rows_read(db, changes("in/*.csv")), [("warning", 2)])
    assert "was dropped" in db.rows("SELECT message FROM autocdc_runs ORDER BY id DESC LIMIT 1")[0][0]


@test
def flow_marks_nothing_when_it_fails(db):
    write("in/1.csv", "id,name,op,seq\n1,a,U,1\n")
    write("in/2.csv", "id,name,op,seq\n2,b,U,2\n\n\n,c,U,3\n")
    db.refuse("SELECT * FROM " + changes("in"), "NULL key", "first at in/2.csv:5")
    db.want("SELECT count(*) FROM sqlite_schema", [(0,)])
    write("in/2.csv", "id,name,op,seq\n2,b,U,\n")
    db.refuse("SELECT * FROM " + changes("in"), "NULL sequence", "first at in/2.csv:2")
    write("in/2.csv", "id,name,op,seq\n2,b,U,2\n2,b,U,x\n")
    db.refuse("SELECT * FROM " + changes("in"), "in/2.csv:3", "'x'")
    write("in/2.csv", "id,name,op,seq\n2,b,U,2\n")
    same(rows_read(db, changes("in", {"dry_run": True})), [("ok", 2)])
    db.want("SELECT count(*) FROM sqlite_schema WHERE name='t'", [(0,)])
    db.rows("BEGIN")
    same(rows_read(db, changes("in")), [("ok", 2)])
    db.rows("ROLLBACK")
    same(rows_read(db, changes("in")), [("ok", 2)])


@test
def flow_counts_bad_records(db):
    write("a.csv", "id,name,op,seq\n1,a,U,1\n2,b\n3,c,U,3,x\n")
    db.want("SELECT status, rows_read, rejected FROM " + changes(
        "a.csv", source={"reader_options": {"mode": "DROPMALFORMED"}}), [("warning", 3, 2)])
    message = db.rows("SELECT message FROM autocdc_runs")[0][0]
    for part in ("2 records left out (mode DROPMALFORMED)", "first: a.csv:3"):
        assert part in message, message
    write("b.csv", "id,name,op,seq,extra\n1,a,U,1,q\n")
    got = db.rows("SELECT status, rejected, message FROM " + changes("b.csv", target="t2"))
    same(got[0][:2], ("warning", 0))
    assert "1 record with values in the column of rescued data" in got[0][2], got
    db.refuse("SELECT * FROM " + changes("a.csv", target="t3", source={"reader_options": {"mode": "FAILFAST"}}),
              "a.csv:3")
    assert "maxFilesPerTrigger" in db.rows("SELECT message FROM " + changes(
        "b.csv", target="t4", source={"reader_options": {"maxFilesPerTrigger": 1}}))[0][0]


@test
def flow_remembers_columns(db):
    """Without a schema a column that later files lack is still a column."""
    plain = {"format": "csv", "path": "in"}
    call = changes("in", source=plain, where="note IS NOT 'skip'")
    call = call.replace('"schema": "%s"' % COLUMNS, '"reader_options": {}')
    db.want("SELECT 1 WHERE 0", [])
    os.mkdir("in")
    db.want("SELECT status, message FROM " + call, [("ok", "no files to read yet")])
    write("in/1.csv", "id,name,op,seq,note\n1,a,U,1,skip\n2,b,U,1,\n")
    same(rows_read(db, call), [("ok", 2)])
    write("in/2.csv", "id,name,op,seq\n3,c,U,1\n")
    same(rows_read(db, call), [("ok", 1)])
    db.want("SELECT id, name FROM t ORDER BY 1", [("2", "b"), ("3", "c")])


@test
def flow_over_json(db):
    write("a.jsonl", '{"id": 9007199254740993, "name": "a", "op": "U", "seq": 1, "tags": [1, {"x": 2}]}\n'
                     '{"id": 2, "name": null, "op": "D", "seq": 2}\n')
    write("s.ddl", "id BIGINT, name STRING, op STRING, seq INT, tags ARRAY<STRING>")
    call = changes("a.jsonl", source={"format": "json", "schema": None, "schema_path": "s.ddl"})
    same(rows_read(db, call), [("ok", 2)])
    db.want("SELECT id, tags FROM t", [(9007199254740993, '[1,{"x":2}]')])


@test
def flow_sees_metadata(db):
    """Hidden columns of a reader are there for expressions, not for the target."""
    write("in/2024-01-02.csv", "id,name,op,seq\n1,b,U,1\n")
    write("in/2024-01-01.csv", "id,name,op,seq\n1,a,U,1\n")
    db.want("SELECT status FROM " + changes("in", sequence_by="_metadata->>'name', seq"), [("ok",)])
    db.want("SELECT * FROM t", [(1, "b")])


@test
def flow_conditions_that_change(db):
    write("in/1.csv", "id,name,op,seq\n1,a,U,1\n2,b,X,2\n")
    db.rows("SELECT * FROM " + changes("in"))
    write("in/2.csv", "id,name,op,seq\n3,c,U,3\n")
    got = db.rows("SELECT status, message FROM " + changes("in", apply_as_deletes="op = 'X'"))
    same(got[0][0], "warning")
    assert "not judged again" in got[0][1], got


@test
def flow_runs_once(db):
    write("in/1.csv", "id,name,op,seq\n1,a,U,1\n")
    same(rows_read(db, changes("in", once=True)), [("ok", 1)])
    write("in/2.csv", "id,name,op,seq\n2,a,U,1\n")
    same(rows_read(db, changes("in", once=True)), [("skipped", 0)])
    same(rows_read(db, changes("in")), [("ok", 1)])


@test
def flow_paths_and_options_refused(db, options):
    write("in/1.csv", "id,name,op,seq\n1,a,U,1\n")
    write("out.csv", "id,name,op,seq\n1,a,U,1\n")
    base = {"base_path": os.path.abspath("in")}
    same(rows_read(db, changes("1.csv", base)), [("ok", 1)])
    db.refuse("SELECT * FROM " + changes("../out.csv", base), "..")
    db.refuse("SELECT * FROM " + changes(os.path.abspath("out.csv"), base), "out.csv")
    os.symlink(os.path.abspath("out.csv"), "in/link.csv")
    db.refuse("SELECT * FROM " + changes("link.csv", base), "link.csv")
    db.refuse("SELECT * FROM " + changes("no.csv"), "there is no file or folder")
    db.refuse("SELECT * FROM " + changes("t_{version}.csv"), "apply_changes_from_snapshot")
    db.refuse("SELECT * FROM " + changes("in", source={"version_type": "int"}), "version_type")
    db.refuse("SELECT * FROM " + changes("in", source={"versiontype": "int"}), "version_type")
    db.refuse("SELECT * FROM " + changes("in", source={"reader_options": {"colour": "red"}}), "colour")
    for name in ("parquet", "avro", "orc"):
        db.refuse("SELECT * FROM " + changes("in", source={"format": name}), name, "csv", "json")
    con = Db(options, entry="sqlite3_autocdc_nofs_init")
    con.refuse("SELECT * FROM " + changes("in"), "no access to files")
    con.refuse("SELECT * FROM " + snapshots("in/{version}.csv", keys="id"), "no access to files")
    con.close()


@test
def snapshots_of_the_fixture(db):
    """The versions that are there, in one call; then those that came."""
    folder = os.path.join(SHARED, "fixtures", "snapshots", "parts")
    if not os.path.isdir(folder):
        raise Skip("the fixtures are not there")
    os.mkdir("parts")
    schema = {"schema": "part_id STRING, name STRING, qty STRING"}
    shutil.copy(os.path.join(folder, "LOAD_1.csv"), "parts/LOAD_1.csv")
    shutil.copy(os.path.join(folder, "LOAD_2.csv"), "parts/LOAD_02.csv")
    db.want("SELECT snapshot_version, status FROM " + snapshots("parts/LOAD_{version}.csv", source=schema),
            [(1, "ok"), (2, "ok")])
    shutil.copy(os.path.join(folder, "LOAD_3.csv"), "parts/LOAD_3.csv")
    db.want("SELECT snapshot_version, status FROM " + snapshots("parts/LOAD_{version}.csv", source=schema),
            [(3, "ok")])
    db.want("SELECT snapshot_version, status, message FROM " + snapshots("parts/LOAD_{version}.csv", source=schema),
            [(None, "ok", "no new version: 3 applied before")])
    with open(os.path.join(SHARED, "fixtures", "expected", "own_snapshot_parts_scd2_v3.json")) as f:
        expected = json.load(f)
    columns = ", ".join('"%s"' % c for c in expected["columns"])
    got = db.rows("SELECT %s FROM h" % columns)
    same(sorted(map(repr, got)), sorted(repr(tuple(r)) for r in expected["rows"]))


@test
def snapshots_by_time(db):
    for day, rows in (("2024_01_10", "1,a\n2,b\n"), ("2024_1_9", "1,z\n"), ("2024_01_11", "2,b\n3,c\n")):
        write("d/t_%s.csv" % day, "id,v\n" + rows)
    write("d/t_x.csv", "id,v\n")
    source = {"versionType": "date", "datetimeFormat": "%Y_%m_%d", "schema": "id INT, v STRING",
              "startingVersion": "2024-01-10"}
    got = db.rows("SELECT snapshot_version, inserted, message FROM " + snapshots(
        "d/t_{version}.csv", keys="id", source=source))
    same([r[:2] for r in got], [("2024-01-10", 2), ("2024-01-11", 1)])
    assert "left out d/t_x.csv" in got[0][2] and "autocdc_snapshots" in got[0][2], got
    db.want("SELECT id, v, __START_AT, __END_AT FROM h ORDER BY 1",
            [(1, "a", "2024-01-10", "2024-01-11"), (2, "b", "2024-01-10", None), (3, "c", "2024-01-11", None)])
    # One that comes late is reported, once.
    write("d/t_2024_01_10b.csv", "id,v\n")
    source.pop("startingVersion")
    db.want("SELECT snapshot_version, status FROM " + snapshots("d/t_{version}.csv", keys="id", source=source),
            [("2024-01-09", "skipped")])
    db.want("SELECT snapshot_version, status FROM " + snapshots("d/t_{version}.csv", keys="id", source=source),
            [(None, "ok")])


@test
def snapshots_in_fragments(db):
    write("a/1/p0.csv", "id,v\n1,a\n")
    write("a/1/p1.csv", "id,v\n2,b\n")
    write("a/2/p0.csv", "id,v\n1,a\n")
    write("a/2/p1.csv", "v,id\nc,2\n")
    source = {"recursive_file_lookup": True}
    db.want("SELECT snapshot_version, rows_read FROM " + snapshots(
        "a/{version}/p{fragment}.csv", keys="id", source=source), [(1, 2), (2, 2)])
    db.want("SELECT id, v, __START_AT, __END_AT FROM h ORDER BY 1, 3",
            [("1", "a", 1, None), ("2", "b", 1, 2), ("2", "c", 2, None)])
    write("r/2024-02-01.csv", "id,v\n1,a\n")
    db.want("SELECT snapshot_version FROM " + snapshots(
        r"r/(?P<version_y>\d{4})-(?P<version_m>\d\d)-\d+\.csv", keys="id", target="r"), [(202402,)])


@test
def snapshots_filtered_by_version(db):
    write("a_7.csv", "id,v,day\n1,a,7\n2,b,6\n")
    db.want("SELECT rows_read, rows_filtered, inserted FROM " + snapshots(
        "a_{version}.csv", keys="id", source={"filter": "day = '{version}'"}, where="id > 0"), [(2, 1, 1)])


@test
def snapshots_that_are_empty_or_fail(db):
    write("a_1.csv", "id,v\n1,a\n")
    write("a_2.csv", "id,v\n")
    write("a_3.csv", "id,v\n2,b\n")
    call = snapshots("a_{version}.csv", keys="id", on_empty_snapshot="stop")
    db.want("SELECT snapshot_version, status FROM " + call, [(1, "ok"), (2, "skipped")])
    db.want("SELECT snapshot_version, status FROM " + call, [(2, "skipped")])
    call = snapshots("a_{version}.csv", keys="id", on_empty_snapshot="skip")
    db.want("SELECT snapshot_version, status FROM " + call, [(2, "skipped"), (3, "ok")])
    write("a_4.csv", "id,v\n2,b\n2,c\n")
    db.refuse("SELECT * FROM " + call, "version 4", "duplicate key")
    db.want("SELECT id, __START_AT, __END_AT FROM h", [("1", 1, 3), ("2", 3, None)])
    # A file of a version that was applied has changed.
    os.remove("a_4.csv")
    write("a_3.csv", "id,v\n2,bb\n")
    got = db.rows("SELECT status, message FROM " + call)
    same(got[0][0], "skipped")
    assert "changed since" in got[0][1], got
    db.refuse("SELECT * FROM " + snapshots("a_{version}.csv", keys="id", version=9), "leave one of them out")


@test
def snapshot_of_a_folder(db):
    os.mkdir("now")
    call = snapshots("now", keys="id", scd_type=1)
    db.want("SELECT status FROM " + call, [("skipped",)])
    write("now/1.csv", "id,v\n1,a\n")
    write("now/2.csv", "id,v\n2,b\n")
    db.want("SELECT status, inserted FROM " + call, [("ok", 2)])
    write("now/2.csv", "id,v\n2,c\n")
    os.remove("now/1.csv")
    db.want("SELECT status, updated, deleted FROM " + call, [("ok", 1, 1)])
    os.remove("now/2.csv")
    db.want("SELECT status FROM " + call, [("skipped",)])
    db.want("SELECT * FROM h", [("2", "c")])
    write("now/1.csv", "id,v\n1,a\n,b\n")
    db.refuse("SELECT * FROM " + call, "NULL key", "now/1.csv:3")


@test
def flow_puts_rows_in_quarantine(db):
    """The file is read twice, and counted once."""
    write("a.csv", "id,name,op,seq\n1,a,U,1\n2,,U,2\n3\n")
    rule = [{"name": "named", "constraint": "name IS NOT NULL", "action": "quarantine"}]
    call = changes("a.csv", source={"reader_options": {"mode": "DROPMALFORMED"}}, expectations=rule)
    db.want("SELECT status, rows_read, inserted, rejected FROM " + call, [("warning", 3, 1, 2)])
    db.want("SELECT id, seq FROM t_quarantine", [(2, 2)])
    db.want("SELECT rows_read FROM " + call, [(0,)])
    db.want("SELECT count(*) FROM t_quarantine", [(1,)])


@test
def flow_into_another_schema(db):
    db.rows("ATTACH ':memory:' AS silver")
    os.mkdir("in")
    call = changes("in", target="silver.t", source={"schema": None})
    same(rows_read(db, call), [("ok", 0)])
    write("in/1.csv", "id,name,op,seq\n1,a,U,1\n")
    same(rows_read(db, call), [("ok", 1)])
    same(rows_read(db, call), [("ok", 0)])
    db.want("SELECT count(*) FROM main.sqlite_schema", [(0,)])
    db.want("SELECT count(*) FROM silver.autocdc_sources WHERE source LIKE 'file:%'", [(1,)])


@test
def flow_is_a_unit_of_its_own(db):
    got = db.rows("SELECT status, message FROM " + changes("no.csv", {"on_error": "continue"}))
    same(got[0][0], "error")
    assert 'there is no file or folder "no.csv"' in got[0][1], got
