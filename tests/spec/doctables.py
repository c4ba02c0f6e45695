"""docs/schema/ and the tables of docs/specs/, which are made from the same
tables of fields as the validator.  `tests/spec/run --update` writes them."""
import json
import os
import re

from support import ROOT, UPDATE, Db, case, check

# The page that has the tables of each format.
PAGES = {"nodespec": "nodespec", "standard": "standard", "flow": "flow", "materialized_view": "materialized-view",
         "sdp-meta": "sdp-meta", "kinetishift": "kinetishift", "template": "templates"}
HOW = {"honoured": "honoured", "honoured, not of the original format": "ours",
       "kept, without effect": "kept", "warned about, without effect": "warned", "refused": "**refused**"}


def kinds(schema):
    names = []
    for kind in schema.get("anyOf", []):
        if "$ref" in kind:
            name = "[%s](#%s)" % ((kind["$ref"].rsplit("/", 1)[1],) * 2)
        elif "enum" in kind:
            name = " · ".join("`%s`" % e for e in kind["enum"])
        elif kind.get("type") == "array":
            items = kind.get("items", {})
            inner = [i for i in items.get("anyOf", [items]) if i]
            name = "list of " + " or ".join(
                "[%s](#%s)" % ((i["$ref"].rsplit("/", 1)[1],) * 2) if "$ref" in i
                else " · ".join("`%s`" % e for e in i["enum"]) if "enum" in i
                else "texts" if i.get("type") == "string" else "objects" for i in inner)
        elif isinstance(kind.get("additionalProperties"), dict):
            inner = kind["additionalProperties"]
            name = "object of " + ("[%s](#%s)" % ((inner["$ref"].rsplit("/", 1)[1],) * 2) if "$ref" in inner else "texts")
        else:
            name = {"string": "text", "boolean": "true/false", "integer": "integer", "number": "number",
                    "object": "object", "null": ""}[kind["type"]]
        if name and name not in names:
            names.append(name)
    return " or ".join(names)


def required(definition):
    names = set()
    for rule in definition.get("allOf", []):
        if list(rule) == ["required"]:
            names.update(rule["required"])
        elif list(rule) == ["anyOf"] and all(list(r) == ["required"] for r in rule["anyOf"]):
            names.update(rule["anyOf"][0]["required"])
    return names


def table(root):
    """The tables of a format's objects, as Markdown."""
    out = []
    for name, definition in root["definitions"].items():
        out.append("\n### %s\n" % name)
        out.append("%s.\n" % (definition["description"][0].upper() + definition["description"][1:]))
        out.append("| member | what becomes of it | takes | |\n|---|---|---|---|")
        needed = required(definition)
        fields = list(definition["properties"].items()) + [
            (pattern.strip("^.") + "*env*", sub) for pattern, sub in definition["patternProperties"].items()]
        layers = [n for n, _ in fields]
        for field, sub in fields:
            if sub.get("doNotSuggest") and sub["x-autocdc"] != "refused":
                continue                                    # the other casing
            if field.startswith("silver_") and "bronze_" + field[7:] in layers:
                continue
            if field.startswith("bronze_") and "silver_" + field[7:] in layers:
                field = "*layer*_" + field[7:]
            if sub["x-autocdc"] == "refused" and other_casing(field, definition["properties"]):
                continue
            text = sub["description"]
            if sub.get("x-autocdc-refused"):
                text += "; refused: " + " · ".join("`%s`" % v for v in sub["x-autocdc-refused"])
            out.append("| %s%s | %s | %s | %s |" % (
                field if "*" in field else "`%s`" % field, " (required)" if field in needed else "",
                HOW[sub["x-autocdc"]], kinds(sub), text.replace("|", "\\|")))
    return "\n".join(out) + "\n"


def other_casing(field, properties):
    """Is the field the second spelling of a refused one, listed already?"""
    names = list(properties)
    camel = re.sub(r"_([a-z])", lambda m: m.group(1).upper(), field)
    snake = re.sub(r"([A-Z])", lambda m: "_" + m.group(1).lower(), field)
    twin = camel if camel != field else snake
    return twin != field and twin in names and names.index(twin) < names.index(field)


def same_file(path, text):
    if UPDATE[0]:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(text)
    got = ""
    if os.path.exists(path):
        with open(path) as f:
            got = f.read()
    check(got == text, "%s is not up to date: tests/spec/run --ext ... --update writes it" % os.path.relpath(path, ROOT))


@case
def schema_files():
    """docs/schema/ is what autocdc_json_schema() gives."""
    db = Db()
    for name in json.loads(db.value("SELECT autocdc_json_schema()")):
        same_file(os.path.join(ROOT, "docs", "schema", name + ".json"),
                  db.value("SELECT autocdc_json_schema(?)", name))


@case
def field_tables():
    """The tables of docs/specs/ stand between two marks."""
    db = Db()
    for name, page in PAGES.items():
        path = os.path.join(ROOT, "docs", "specs", page + ".md")
        with open(path) as f:
            text = f.read()
        tables = table(json.loads(db.value("SELECT autocdc_json_schema(?)", name)))
        new = re.sub(r"(<!-- fields -->\n).*(<!-- end of fields -->)",
                     lambda m: m.group(1) + tables + m.group(2), text, flags=re.S)
        check("<!-- fields -->" in text, "%s has no mark for its tables" % page)
        same_file(path, new)
