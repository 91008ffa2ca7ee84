"""Written sets of notes and messages of people at work: who asks for a note gets it, everyone else gets nothing."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oharness.recall.choose import RecallLimits, attached, choose
from oharness.recall.score import candidates
from oharness.testing.note_store import NoteStore

pytestmark = pytest.mark.memory
SETS = Path(__file__).parent / "sets"
INTERFACE_LANGUAGES = ("en", "fr", "pt", "zh")
TWO_LANGUAGES = "en-de"
PEOPLE = "people"
"""Every note is of one of two people; the other messages name them, or strangers, and are about none of the notes."""
DEFAULTS = RecallLimits(per_turn=3, budget_chars=2000, min_score=1.2)


def rows(name: str, kind: str) -> list[dict[str, Any]]:
    text = (SETS / name / f"{kind}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.split("\n") if line]


def answered(store: NoteStore, name: str) -> Iterator[tuple[dict[str, Any], list[str]]]:
    for note in rows(name, "notes"):
        store.put(note["id"], note["summary"], note["tags"], note["body"])
    for row in rows(name, "messages"):
        found = attached(choose(candidates(row["message"], [store.source()]), DEFAULTS, ()))
        yield row, [one.entry.id for one in found]


def test_a_set_for_each_language_of_the_interface_half_of_it_about_nothing() -> None:
    for name in INTERFACE_LANGUAGES:
        messages = rows(name, "messages")
        ids = {note["id"] for note in rows(name, "notes")}
        assert len(ids) >= 60
        assert len(messages) >= 120
        assert sum(not row["relevant"] for row in messages) >= len(messages) * 0.48
        assert ids.issuperset(note_id for row in messages for note_id in row["relevant"])


@pytest.mark.parametrize("name", [*INTERFACE_LANGUAGES, TWO_LANGUAGES])
def test_of_the_messages_about_nothing_98_of_100_get_nothing(store: NoteStore, name: str) -> None:
    wrong = [(row["message"], ids) for row, ids in answered(store, name) if not row["relevant"] and ids]
    about_nothing = sum(not row["relevant"] for row in rows(name, "messages"))
    assert len(wrong) <= 0.02 * about_nothing, wrong


def test_a_message_that_only_names_somebody_known_gets_nothing(store: NoteStore) -> None:
    named = [(row["message"], ids) for row, ids in answered(store, PEOPLE) if row["kind"] == "named"]
    wrong = [one for one in named if one[1]]
    assert len(named) >= 18
    assert len(wrong) <= 1, wrong


@pytest.mark.parametrize("name", [*INTERFACE_LANGUAGES, TWO_LANGUAGES, PEOPLE])
def test_of_the_others_85_of_100_get_the_note_among_the_first_three(store: NoteStore, name: str) -> None:
    found = [bool(set(row["relevant"]) & set(ids)) for row, ids in answered(store, name) if row["relevant"]]
    assert sum(found) >= 0.85 * len(found)
