"""As much of JSON Schema (draft-07) as the schemas of the formats use."""
import re

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def is_type(value, name):
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if name == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def equal(a, b):
    return type(a) is type(b) and a == b


def valid(root, schema, value):
    """Does the value satisfy the schema?"""
    if "$ref" in schema:
        return valid(root, root["definitions"][schema["$ref"].rsplit("/", 1)[1]], value)
    if "type" in schema and not is_type(value, schema["type"]):
        return False
    if "enum" in schema and not any(equal(value, e) for e in schema["enum"]):
        return False
    for key, test in (("allOf", all), ("anyOf", any), ("oneOf", lambda g: sum(g) == 1)):
        if key in schema and not test([valid(root, s, value) for s in schema[key]]):
            return False
    if "not" in schema and valid(root, schema["not"], value):
        return False
    if "if" in schema and valid(root, schema["if"], value) and not valid(root, schema["then"], value):
        return False
    if isinstance(value, dict):
        return valid_object(root, schema, value)
    if isinstance(value, list):
        return (len(value) >= schema.get("minItems", 0)
                and ("items" not in schema or all(valid(root, schema["items"], v) for v in value)))
    return not isinstance(value, str) or len(value) >= schema.get("minLength", 0)


def valid_object(root, schema, value):
    if any(name not in value for name in schema.get("required", [])):
        return False
    if len(value) < schema.get("minProperties", 0):
        return False
    more = schema.get("additionalProperties", True)
    for name, item in value.items():
        known = name in schema.get("properties", {})
        if known and not valid(root, schema["properties"][name], item):
            return False
        for pattern, sub in schema.get("patternProperties", {}).items():
            if re.search(pattern, name) and not known:
                known = True
                if not valid(root, sub, item):
                    return False
        if not known and (more is False or (isinstance(more, dict) and not valid(root, more, item))):
            return False
    return True


def places(root, schema, value, path=()):
    """(path, definition) of every object in value that a definition describes."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        if isinstance(value, dict):
            yield path, name
        yield from places(root, root["definitions"][name], value, path)
        return
    for key in ("allOf", "anyOf", "oneOf"):
        for sub in schema.get(key, []):
            yield from places(root, sub, value, path)
    if "then" in schema and valid(root, schema["if"], value):
        yield from places(root, schema["then"], value, path)
    if isinstance(value, dict):
        for name, item in value.items():
            if name in schema.get("properties", {}):
                yield from places(root, schema["properties"][name], item, path + (name,))
            elif isinstance(schema.get("additionalProperties"), dict):
                yield from places(root, schema["additionalProperties"], item, path + (name,))
    if isinstance(value, list) and isinstance(schema.get("items"), dict):
        for i, item in enumerate(value):
            yield from places(root, schema["items"], item, path + (i,))
