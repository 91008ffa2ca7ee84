"""Which arguments of a model reach a tool."""

from typing import Any

import pytest

from oharness.harness.arguments import problems, without_empty

pytestmark = pytest.mark.plugins

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "count": {"type": "integer"},
        "share": {"type": "number"},
        "sure": {"type": "boolean"},
        "kind": {"type": "string", "enum": ["a", "b"]},
        "tags": {"type": ["array", "string"], "items": {"type": "string"}},
        "maybe": {"type": ["string", "null"]},
        "inner": {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]},
        "free": {},
    },
    "required": ["name"],
}


@pytest.mark.parametrize(
    "arguments",
    [
        {"name": "x"},
        {"name": "", "count": 3, "share": 3, "sure": False, "kind": "b"},
        {"name": "x", "share": 0.5, "tags": "a b", "free": [1]},
        {"name": "x", "tags": ["a", "b"], "maybe": None, "inner": {"x": 1}},
    ],
)
def test_what_fits_passes(arguments: dict[str, Any]) -> None:
    assert problems(SCHEMA, arguments) == ()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({}, "name is missing"),
        ({"name": 3}, "name must be of the type string"),
        ({"name": None}, "name must be of the type string"),
        ({"name": "x", "count": "3"}, "count must be of the type integer"),
        ({"name": "x", "count": 3.5}, "count must be of the type integer"),
        ({"name": "x", "count": True}, "count must be of the type integer"),
        ({"name": "x", "share": True}, "share must be of the type number"),
        ({"name": "x", "sure": 1}, "sure must be of the type boolean"),
        ({"name": "x", "kind": "c"}, "kind must be one of a, b"),
        ({"name": "x", "tags": 3}, "tags must be of the type array or string"),
        ({"name": "x", "tags": ["a", 3]}, "tags[1] must be of the type string"),
        ({"name": "x", "inner": {}}, "inner.x is missing"),
        ({"name": "x", "inner": {"x": "1"}}, "inner.x must be of the type integer"),
        ({"name": "x", "nmae": 1}, "nmae is unknown; there are name, count"),
    ],
)
def test_what_does_not_fit_is_told_in_one_sentence(arguments: dict[str, Any], told: str) -> None:
    (problem,) = problems(SCHEMA, arguments)
    assert problem.startswith(told)


def test_every_problem_is_told() -> None:
    assert len(problems(SCHEMA, {"count": "x", "kind": 3, "more": 1})) == 4


def test_optional_arguments_that_are_null_count_as_not_given() -> None:
    given = {"name": None, "count": None, "maybe": None, "more": None}
    assert without_empty(SCHEMA, given) == {"name": None, "maybe": None}


def test_a_schema_may_allow_other_keys_or_say_nothing() -> None:
    assert problems({**SCHEMA, "additionalProperties": True}, {"name": "x", "more": 1}) == ()
    assert problems({}, {"anything": 1}) == ()
    assert problems({"type": "object"}, {"anything": 1}) == ()
