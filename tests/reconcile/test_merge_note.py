"""A note changed on both sides becomes one note, or names what a person has to decide."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oharness.core.clock import Millis
from oharness.notes.hashing import content_hash
from oharness.notes.note import Note
from oharness.reconcile.merge_note import CannotMerge, ConflictReason, merge_note, merge_tags

pytestmark = pytest.mark.sync

BASE = Note(
    id="pricing-3fa",
    summary="Cards use fills",
    body="one\ntwo\nthree\nfour\nfive",
    type="feedback",
    tags=("design", "pricing"),
    created_at=Millis(1000),
    updated_at=Millis(2000),
)
ROOMY = 131_072


def merged(mine: Note, cloud: Note, base: Note = BASE, limit: int = ROOMY) -> Note:
    outcome = merge_note(base, mine, cloud, limit)
    assert isinstance(outcome, Note), outcome
    return outcome


def reasons(mine: Note, cloud: Note, base: Note = BASE, limit: int = ROOMY) -> tuple[ConflictReason, ...]:
    outcome = merge_note(base, mine, cloud, limit)
    assert isinstance(outcome, CannotMerge), outcome
    return outcome.reasons


def test_the_summary_comes_from_the_side_that_changed_it() -> None:
    changed = replace(BASE, summary="Cards use borders")
    assert merged(changed, replace(BASE, body="ONE\ntwo\nthree\nfour\nfive")).summary == "Cards use borders"
    assert merged(replace(BASE, tags=()), changed).summary == "Cards use borders"


def test_two_different_summaries_are_a_conflict_and_two_equal_ones_are_not() -> None:
    mine = replace(BASE, summary="A")
    assert reasons(mine, replace(BASE, summary="B")) == (ConflictReason.SUMMARY,)
    assert merged(mine, replace(mine, tags=("x",))).summary == "A"


def test_the_type_comes_from_the_side_that_changed_it() -> None:
    assert merged(replace(BASE, type="project"), BASE).type == "project"
    assert merged(BASE, replace(BASE, type=None)).type is None
    assert merged(replace(BASE, type="user"), replace(BASE, type="user")).type == "user"


def test_two_different_types_are_a_conflict() -> None:
    assert reasons(replace(BASE, type="project"), replace(BASE, type=None)) == (ConflictReason.TYPE,)


def test_edits_apart_are_combined_with_every_other_field() -> None:
    mine = replace(BASE, body="ONE\ntwo\nthree\nfour\nfive", tags=("design", "pricing", "web"))
    cloud = replace(BASE, body="one\ntwo\nthree\nfour\nFIVE", summary="New", type="reference")
    outcome = merged(mine, cloud)
    assert outcome == replace(
        BASE,
        summary="New",
        type="reference",
        body="ONE\ntwo\nthree\nfour\nFIVE",
        tags=("design", "pricing", "web"),
    )


def test_edits_of_neighbouring_lines_are_a_conflict() -> None:
    mine = replace(BASE, body="one\nTWO\nthree\nfour\nfive")
    cloud = replace(BASE, body="one\ntwo\nTHREE\nfour\nfive")
    assert reasons(mine, cloud) == (ConflictReason.BODY,)


def test_every_field_that_cannot_be_combined_is_named() -> None:
    mine = replace(BASE, summary="A", type="user", body="A", extra={"k": 1})
    cloud = replace(BASE, summary="B", type="project", body="B", extra={"k": 2})
    assert reasons(mine, cloud) == (
        ConflictReason.SUMMARY,
        ConflictReason.TYPE,
        ConflictReason.BODY,
        ConflictReason.EXTRA,
    )


def test_different_times_alone_are_never_a_conflict_and_the_widest_span_stays() -> None:
    mine = replace(BASE, created_at=Millis(900), updated_at=Millis(5000))
    cloud = replace(BASE, created_at=Millis(1100), updated_at=Millis(9000))
    outcome = merged(mine, cloud)
    assert (outcome.created_at, outcome.updated_at) == (900, 9000)


def test_an_unknown_time_is_not_taken_for_the_earliest() -> None:
    assert merged(replace(BASE, created_at=Millis(0)), BASE).created_at == 1000


@pytest.mark.parametrize(
    ("base", "mine", "cloud", "expected"),
    [
        ("a b", "a b", "a b", "a b"),
        ("a", "a x", "a y", "a x y"),
        ("a b", "b", "a b", "b"),
        ("a b", "a b c", "b", "b c"),
        ("a b", "a", "b", ""),
        ("", "x", "x", "x"),
        ("a", "", "a b", "b"),
        ("a", "A", "a", "A"),
        ("a", "a", "A", "A"),
        ("a", "A b", "a c", "A b c"),
        ("", "Web", "web", "Web"),
        ("", "web", "Web", "Web"),
        ("a b c", "c b a", "a b c d", "c b a d"),
        ("Straße", "STRASSE", "Straße", "STRASSE"),
    ],
)
def test_tags_are_combined_as_sets(base: str, mine: str, cloud: str, expected: str) -> None:
    outcome = merge_tags(tuple(base.split()), tuple(mine.split()), tuple(cloud.split()))
    assert outcome == tuple(expected.split())


def test_a_tag_is_never_there_twice_in_two_spellings() -> None:
    assert merge_tags((), ("Web", "a"), ("WEB", "b")) == ("WEB", "a", "b")


@pytest.mark.parametrize(
    ("base", "mine", "cloud", "expected"),
    [
        ({}, {"a": 1}, {"b": 2}, {"a": 1, "b": 2}),
        ({"a": 1}, {}, {"a": 1}, {}),
        ({"a": 1}, {"a": 1}, {"a": 2}, {"a": 2}),
        ({"a": 1}, {"a": 2}, {"a": 2}, {"a": 2}),
        ({"a": 1}, {}, {}, {}),
        ({"a": None}, {"a": None}, {}, {}),
        ({}, {"a": {"x": [1], "y": 2}}, {"a": {"y": 2, "x": [1]}}, {"a": {"x": [1], "y": 2}}),
        ({"a": 1}, {"a": 1}, {"a": True}, {"a": True}),
    ],
)
def test_extra_keys_come_from_the_side_that_changed_them(
    base: dict[str, Any], mine: dict[str, Any], cloud: dict[str, Any], expected: dict[str, Any]
) -> None:
    with_extra = replace(BASE, extra=base)
    outcome = merged(replace(BASE, extra=mine), replace(BASE, extra=cloud), with_extra)
    assert outcome.extra == expected
    assert [type(value) for value in outcome.extra.values()] == [type(value) for value in expected.values()]


@pytest.mark.parametrize(("mine", "cloud"), [({"a": 2}, {"a": 3}), ({}, {"a": 2}), ({"a": True}, {"a": 2})])
def test_an_extra_key_changed_in_two_ways_is_a_conflict(mine: dict[str, Any], cloud: dict[str, Any]) -> None:
    base = replace(BASE, extra={"a": 1})
    assert reasons(replace(BASE, extra=mine), replace(BASE, extra=cloud), base) == (ConflictReason.EXTRA,)


def test_a_merge_too_large_for_the_plan_is_a_conflict() -> None:
    mine = replace(BASE, body=f"{'ü' * 20}\n{BASE.body}")
    cloud = replace(BASE, body=f"{BASE.body}\n{'z' * 20}")
    size = len(mine.body.encode()) + 21
    assert merged(mine, cloud, limit=size).body == f"{'ü' * 20}\n{BASE.body}\n{'z' * 20}"
    assert reasons(mine, cloud, limit=size - 1) == (ConflictReason.TOO_LARGE,)


def test_a_merge_that_does_not_grow_what_the_cloud_holds_passes_a_lowered_limit() -> None:
    mine = replace(BASE, body=BASE.body.removeprefix("one\n"))
    assert merged(mine, replace(BASE, summary="New"), limit=3).body == "two\nthree\nfour\nfive"


words = st.sampled_from(["a", "A", "b", "C", "d"])
tags = st.lists(words, max_size=4, unique_by=str.casefold).map(tuple)
notes = st.builds(
    Note,
    id=st.just("n-1"),
    summary=words,
    body=st.lists(words, max_size=5).map("\n".join),
    type=st.sampled_from([None, "user", "project"]),
    tags=tags,
    created_at=st.integers(0, 9).map(Millis),
    updated_at=st.integers(0, 9).map(Millis),
    extra=st.dictionaries(st.sampled_from("xy"), st.sampled_from([1, True, None, "s"]), max_size=2),
)


@settings(derandomize=True, max_examples=400, deadline=None)
@given(notes, notes, notes)
def test_swapping_the_sides_gives_the_same_content(base: Note, mine: Note, cloud: Note) -> None:
    one, other = merge_note(base, mine, cloud, ROOMY), merge_note(base, cloud, mine, ROOMY)
    if isinstance(one, CannotMerge):
        assert one == other
    else:
        assert isinstance(other, Note)
        assert content_hash(one) == content_hash(other)
        assert (one.created_at, one.updated_at) == (other.created_at, other.updated_at)


@settings(derandomize=True, max_examples=200, deadline=None)
@given(notes, notes)
def test_a_change_on_one_side_is_taken_whole(base: Note, changed: Note) -> None:
    for outcome in (merge_note(base, changed, base, ROOMY), merge_note(base, base, changed, ROOMY)):
        assert isinstance(outcome, Note)
        assert content_hash(outcome) == content_hash(changed)
