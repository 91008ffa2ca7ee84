"""Arguments of a tool call against the tool's JSON schema: the few words of it that tools here use. Pure.

Checked: `type` (one or several), `enum`, `required`, `properties`, `items`. A key that no property names is refused
unless `additionalProperties` allows it, since a model that misspells a key would be ignored in silence.
"""

from collections.abc import Mapping
from typing import Any

_CLASSES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "array": (list, tuple),
    "object": (Mapping,),
    "null": (type(None),),
}


def without_empty(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments without optional keys that are null: many models send those for "not given"."""
    properties = schema.get("properties", {})
    if not properties:
        return dict(arguments)
    may_be_null = {key for key, inner in properties.items() if _of_type(None, inner)}
    kept = may_be_null.union(schema.get("required", ()))
    return {key: value for key, value in arguments.items() if value is not None or key in kept}


def problems(schema: Mapping[str, Any], value: Any, where: str = "") -> tuple[str, ...]:
    """What is wrong with a value, one sentence each; empty when it fits."""
    name = where or "the arguments"
    if not _of_type(value, schema):
        return (f"{name} must be of the type {_types_text(schema)}",)
    if "enum" in schema and value not in schema["enum"]:
        return (f"{name} must be one of {', '.join(map(str, schema['enum']))}",)
    if isinstance(value, Mapping):
        return _object_problems(schema, value, where)
    if isinstance(value, list | tuple) and "items" in schema:
        found = (problems(schema["items"], item, f"{where}[{index}]") for index, item in enumerate(value))
        return tuple(problem for each in found for problem in each)
    return ()


def _object_problems(schema: Mapping[str, Any], value: Mapping[str, Any], where: str) -> tuple[str, ...]:
    properties: Mapping[str, Any] = schema.get("properties", {})
    found = [f"{_inside(where, key)} is missing" for key in schema.get("required", ()) if key not in value]
    for key, item in value.items():
        if key in properties:
            found += problems(properties[key], item, _inside(where, key))
        elif properties and not schema.get("additionalProperties"):
            found.append(f"{_inside(where, key)} is unknown; there are {', '.join(properties)}")
    return tuple(found)


def _inside(where: str, key: str) -> str:
    return f"{where}.{key}" if where else key


def _types(schema: Mapping[str, Any]) -> tuple[str, ...]:
    types = schema.get("type", ())
    return (types,) if isinstance(types, str) else tuple(types)


def _types_text(schema: Mapping[str, Any]) -> str:
    return " or ".join(_types(schema))


def _of_type(value: Any, schema: Mapping[str, Any]) -> bool:
    types = _types(schema)
    return not types or any(_is_a(value, name) for name in types)


def _is_a(value: Any, name: str) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, _CLASSES.get(name, (object,)))
