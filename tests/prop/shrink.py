"""Cuts a failing case down while it still fails in the same way."""
import copy
import re
import time


def kind(failure):
    """What stays the same of a failure: its message without numbers and values."""
    return re.sub(r"\(.*|[0-9]+|called again|batch|replay of", "", failure["what"].split("\n")[0][:60]).strip()


def smallest(case, failure, play, seconds=25):
    """Returns (case, failure, number of cuts)."""
    until, cuts, wanted = time.time() + seconds, 0, kind(failure)
    again = True
    while again:
        again = False
        for candidate in filter(sound, candidates(case)):
            if time.time() > until:
                return case, failure, cuts
            got = play(candidate)
            if got and kind(got) == wanted:
                case, failure, again = candidate, got, True
                cuts += 1
                break
    return case, failure, cuts


def sound(case):
    """A target that we make takes the collation of its keys from a table, never from a view or a SELECT."""
    if case["target"] or not case["batches"]:
        return bool(case["batches"])
    first = case["batches"][0]
    keys = [k.lower() for k in case["keys"]]
    return first["how"] not in ("view", "select") or \
        not any("COLLATE" in d for n, d in first["columns"] if n.lower() in keys)


def candidates(case):
    for i in range(len(case["batches"])):
        yield changed(case, lambda c: c["batches"].pop(i))
    if case["target"]:
        yield changed(case, lambda c: c.update(target=None))
        for i in range(len(case["target"]["rows"])):
            yield changed(case, lambda c: c["target"]["rows"].pop(i))
    for i, batch in enumerate(case["batches"]):
        half = len(batch["rows"]) // 2
        if half > 1:
            yield changed(case, lambda c: c["batches"][i]["rows"].__delitem__(slice(0, half)))
            yield changed(case, lambda c: c["batches"][i]["rows"].__delitem__(slice(half, None)))
    for i, batch in enumerate(case["batches"]):
        for j in range(len(batch["rows"])):
            yield changed(case, lambda c: c["batches"][i]["rows"].pop(j))
    for i, batch in enumerate(case["batches"]):
        for member in ("txn", "reopen", "twice", "gone"):
            if batch[member]:
                yield changed(case, lambda c: c["batches"][i].update({member: None}))
        if case["mode"] == "separate" and batch["how"] != "table":
            yield changed(case, lambda c: c["batches"][i].update(how="table"))
    if case["file"]:
        yield changed(case, lambda c: c.update(file=False))
    for i in range(len(case["batches"]) - 1):
        a, b = case["batches"][i:i + 2]
        if a["flow"] == b["flow"] and a["columns"] == b["columns"]:
            yield changed(case, lambda c: c["batches"][i]["rows"].extend(c["batches"].pop(i + 1)["rows"]))
    for member in ("where", "apply_as_truncates", "apply_as_deletes", "ignore_null_updates", "columns_to_update",
                   "ignore_null_updates_column_list", "ignore_null_updates_except_column_list", "empty_as_null",
                   "name", "null_keys", "track_history_column_list", "track_history_except_column_list"):
        if any(member in f for f in case["flows"]):
            yield changed(case, lambda c: drop(c, member))


def drop(case, member):
    for flow in case["flows"] + [case["frozen"]]:
        flow.pop(member, None)


def changed(case, change):
    out = copy.deepcopy(case)
    change(out)
    return out
