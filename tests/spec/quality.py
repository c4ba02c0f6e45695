"""Expectations of inline flows, the quarantine table, and counts in autocdc_runs."""
import json

from lakeflow import load, source, table, target
from seeds import nodespec, same
from support import Db, case, check

RULES = {"expect_or_quarantine": {"named": "name IS NOT NULL", "grown": "age > 0"}, "expect": {"adult": "age > 17"}}


def flow(**members):
    return json.dumps(dict({"target": "t", "source": "c", "keys": "id", "sequence_by": "seq",
                            "apply_as_deletes": "op = 'D'", "expectations": RULES}, **members))


def changes(db):
    table(db, "c", "id INTEGER, name TEXT, age INTEGER, op TEXT, seq INTEGER",
          (1, "a", 10, "I", 1), (2, None, -5, "I", 2), (3, "c", -1, "I", 3), (2, None, None, "D", 4),
          (5, None, None, "X", 9))


def names(text):
    return [e["name"] for e in json.loads(text)]


@case
def inline_quarantine():
    for scd in (1, 2):
        db = Db()
        changes(db)
        spec = flow(scd_type=scd, where="op <> 'X'")
        rows = db.rows("SELECT status, rejected, message FROM apply_changes(?)", spec)
        check(rows[0][:2] == ("warning", 2), "the run: %s" % rows)
        check("2 rows put into quarantine table t_quarantine" in rows[0][2], rows[0][2])
        same(db, "SELECT id FROM t", [(1,)])
        got = [r[:-1] + (names(r[-1]),) for r in db.rows("SELECT * FROM t_quarantine")]
        # Deletes pass, rows that "where" leaves out are none.
        check(got == [(2, None, -5, "I", 2, ["named", "grown"]), (3, "c", -1, "I", 3, ["grown"])], got)
        check(json.loads(db.value("SELECT expectations FROM autocdc_runs")) == {"named": 1, "grown": 2, "adult": 3},
              "counts")
        db.run("INSERT INTO c VALUES(4,'d',-9,'I',5)")
        db.rows("SELECT * FROM apply_changes(?)", spec)
        check(db.value("SELECT count(*) FROM t_quarantine") == 3, "new rows only")
        db.rows("SELECT * FROM apply_changes(?, '{\"read\": \"all\"}')", spec)
        check(db.value("SELECT count(*) FROM t_quarantine") == 3, "read again, not kept again")


@case
def inline_quarantine_is_of_the_transaction():
    db = Db()
    changes(db)
    db.rows("SELECT * FROM apply_changes(?, '{\"dry_run\": true}')", flow(where="op <> 'X'"))
    check(db.rows("SELECT name FROM sqlite_master") == [("c",)], "dry run")
    db.run("CREATE TABLE t_quarantine(id CHECK(id <> 3))")
    message = db.error("SELECT * FROM apply_changes(?)", flow(where="op <> 'X'"))
    check("quarantine table t_quarantine" in message and "CHECK" in message, message)
    check(db.value("SELECT count(*) FROM sqlite_master WHERE name IN ('t','autocdc_targets')") == 0, "all undone")
    db = Db()
    changes(db)
    db.run("CREATE VIEW v AS SELECT id, name, age FROM c WHERE op = 'I'")
    spec = json.dumps({"target": "s", "source": "v", "keys": "id", "version": 1, "expectations": RULES})
    db.rows("SELECT * FROM apply_changes_from_snapshot(?)", spec)
    same(db, "SELECT id FROM s", [(1,)])
    same(db, "SELECT id FROM s_quarantine", [(2,), (3,)])
    message = db.error("SELECT * FROM apply_changes(?)", flow(source="SELECT *, 1 AS _errors FROM c", target="u"))
    check("_errors" in message, message)


@case
def rules_of_specs_are_counted():
    db = Db()
    table(db, "c", "id INTEGER, age INTEGER, seq INTEGER", (1, 5, 1), (2, -1, 2), (3, None, 3))
    files = {"r.json": json.dumps({"expect_or_drop": [{"name": "grown", "constraint": "age > 0"}],
                                   "expect": [{"name": "first", "constraint": "id < 9"}]})}
    rules = {"data_quality": {"expectations_path": "r.json"}}
    cdc = {"keys": ["id"], "sequence_by": "seq", "scd_type": "1"}
    load(db, nodespec(source("v_c", "c"), target("a", ["v_c"], **rules),
                      target("m", ["v_c"], cdc_settings=cdc, **rules)), files=files)
    db.rows("SELECT * FROM apply_changes()")
    got = db.rows("SELECT target, rejected, expectations FROM autocdc_runs ORDER BY target")
    want = {"grown": 2, "first": 0}
    check([r[:2] + (json.loads(r[2]),) for r in got] == [("a", 2, want), ("m", 2, want)], got)


@case
def targets_without_keys():
    """What flows append to, and views: named as such, and refused where keys
    are needed."""
    db = Db()
    table(db, "c", "id INTEGER, seq INTEGER", (1, 1))
    load(db, nodespec(source("v_c", "c"), target("a", ["v_c"]),
                      dict(target("w", []), config={"table": "w", "table_type": "mv",
                                                    "sql_statement": "SELECT count(*) AS n FROM live.a"})))
    db.rows("SELECT * FROM apply_changes()")
    same(db, "SELECT target, scd_type FROM autocdc_targets", [("a", "append"), ("w", "view")])
    for name in ("a", "w"):
        check("no keys" in db.error("SELECT * FROM autocdc_state('%s')" % name), "state of " + name)
        check("no keys" in db.error("SELECT autocdc_vacuum('%s')" % name), "vacuum of " + name)
        check(db.rows("SELECT * FROM autocdc_check('%s')" % name) == [], "check of " + name)
        message = db.error("SELECT * FROM apply_changes(?)", json.dumps(
            {"target": name, "source": "c", "keys": "id", "sequence_by": "seq"}))
        check("another target" in message, message)
    db.run("DROP TABLE w")
    check("gone" in db.rows("SELECT * FROM autocdc_check('w')")[0][0], "w is gone")
    db.rows("SELECT autocdc_reset('a')")
    db.rows("SELECT * FROM apply_changes()")
    same(db, "SELECT * FROM a", [(1, 1)])
    same(db, "SELECT n FROM w", [(1,)])
    # The other way round: a merge's table takes no appended rows.
    db.rows("SELECT * FROM apply_changes(?)", json.dumps(
        {"target": "m", "source": "c", "keys": "id", "sequence_by": "seq"}))
    load(db, nodespec(source("v_c", "c"), target("m", ["v_c"])), name="x")
    message = db.error("SELECT * FROM apply_changes('m')")
    check("written by merges" in message, message)
