"""The line merge does what `docs/protocol/vectors/line-merge.json` says, and so does git where it merges."""

import json
from pathlib import Path
from typing import Any

import pytest

from oharness.reconcile.merge_lines import CombinedLines, DisputedLines, LineConflict, merge_lines
from oharness.testing.git_merge import git_merges

pytestmark = pytest.mark.sync

VECTORS = Path(__file__).parents[2] / "docs" / "protocol" / "vectors" / "line-merge.json"
CASES: list[dict[str, Any]] = json.loads(VECTORS.read_text(encoding="utf-8"))["cases"]
by_name = pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])


def _body(lines: list[str]) -> str:
    return "\n".join(lines)


def _expected(case: dict[str, Any], mine: str, cloud: str) -> list[DisputedLines]:
    return [DisputedLines(tuple(place["base"]), tuple(place[mine]), tuple(place[cloud])) for place in case["disputed"]]


@by_name
def test_a_line_merge_vector_holds(case: dict[str, Any]) -> None:
    outcome = merge_lines(_body(case["base"]), _body(case["mine"]), _body(case["cloud"]))
    match outcome:
        case CombinedLines(text):
            assert text == _body(case["combined"])
        case LineConflict():
            assert list(outcome.disputed) == _expected(case, "mine", "cloud")


@by_name
def test_a_line_merge_vector_holds_with_the_sides_swapped(case: dict[str, Any]) -> None:
    outcome = merge_lines(_body(case["base"]), _body(case["cloud"]), _body(case["mine"]))
    match outcome:
        case CombinedLines(text):
            assert text == _body(case["combined"])
        case LineConflict():
            assert list(outcome.disputed) == _expected(case, "cloud", "mine")


@by_name
def test_git_merges_what_the_vectors_combine_and_nothing_else(case: dict[str, Any]) -> None:
    merged = git_merges([(_body(case["base"]), _body(case["mine"]), _body(case["cloud"]))])[0]
    assert merged == (_body(case["combined"]) if "combined" in case else None)


def test_there_are_enough_vectors_and_no_name_twice() -> None:
    names = [case["name"] for case in CASES]
    assert len(names) >= 40
    assert len(set(names)) == len(names)
