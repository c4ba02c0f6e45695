"""The oracle against the conformance cases, without any engine: what must hold of a case that is written as rows."""
import glob
import json
import os

import oracle
import sequences

FROZEN = ("track_history_column_list", "track_history_except_column_list", "tie_break")


def expressible(case):
    if "batches" not in case or "snapshots" in case or case.get("error") or case.get("expected_error"):
        return False
    return not any(isinstance(b, dict) for b in case["batches"]) and "expected" in case and \
        str(case["config"].get("scd_type", 1)) in ("1", "2")


def play(case):
    """Returns None, or how the oracle's rows differ from the expected ones."""
    config = dict(case["config"])
    columns, log = case["columns"], None
    known = {c["name"]: c for c in case["columns"]}
    for i, rows in enumerate(case["batches"]):
        override = (case.get("batch_overrides") or {}).get(str(i)) or {}
        columns = override.get("columns") or columns
        config.update(override.get("config") or {})
        if override.get("full_refresh"):
            log = None
        if case.get("columns_per_batch"):
            columns = [known.get(n, {"name": n}) if isinstance(n, str) else n for n in case["columns_per_batch"][i]]
        order = config["sequence_by"]
        if log is None:
            log = oracle.Log(int(config.get("scd_type", 1)), config["keys"],
                             {k: config[k] for k in FROZEN if config.get(k) is not None},
                             1 if isinstance(order, str) else len(order))
        flow = dict(config, cdf_enabled=case.get("source_kind") == "changelog")
        log.take(flow, [(c["name"], c.get("type")) for c in columns], rows)
    want = case["expected"]
    if log is None:
        return None if not want["rows"] else "no batches"
    names, rows = log.rows()
    at = {n.lower(): i for i, n in enumerate(names)}
    got = [[row[at[n.lower()]] if n.lower() in at else None for n in want["columns"]] for row in rows]
    ends = [i for i, n in enumerate(want["columns"]) if n.lower() in ("__start_at", "__end_at") and log.scd == 2]
    wanted = [[oracle.stored(v) for v in r] for r in want["rows"]]
    for r in wanted:
        for i in ends:
            if r[i] is not None:
                key = sequences.read_shown(r[i], log.parts)
                if key not in log.forms or r[i] not in log.forms[key]:
                    return "%r is no form of a sequence of this log" % (r[i],)
                r[i] = key
    for r in wanted + got:
        r[:] = [repr((type(v).__name__, v)) for v in r]
    if sorted(wanted) != sorted(got):
        return "wanted %s\n     got    %s" % (sorted(wanted), sorted(got))
    return None


def validate(folder, say=print):
    """Returns (agree, disagree, not expressible)."""
    agree = disagree = skipped = 0
    for name in sorted(glob.glob(os.path.join(folder, "**", "*.json"), recursive=True)):
        with open(name, encoding="utf-8") as f:
            case = json.load(f)
        if not expressible(case):
            skipped += 1
            continue
        try:
            why = play(case)
        except Exception as e:  # noqa: BLE001 - one case must not end the run
            why = "%s: %s" % (type(e).__name__, e)
        if why:
            disagree += 1
            say("FAIL oracle, %s: %s" % (os.path.relpath(name, folder), why))
        else:
            agree += 1
    return agree, disagree, skipped
