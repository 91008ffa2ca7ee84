"""What a note must be before it is kept."""

from dataclasses import replace
from typing import Any

import pytest

from oharness.core.clock import Millis
from oharness.notes.frontmatter import note_text, parse_note
from oharness.notes.hashing import content_hash
from oharness.notes.ids import BadNoteId
from oharness.notes.limits import LARGEST_HEADER_BYTES, NoteTooLarge
from oharness.notes.note import Note, NoteType
from oharness.notes.problems import ProblemReason
from oharness.notes.valid import (
    NotPlainText,
    SummaryMissing,
    SummaryTooLong,
    UnknownNoteType,
    checked_note,
    header_text,
    note_type_named,
    one_line,
    problem_of,
)

pytestmark = pytest.mark.memory

WHEN = Millis(1_789_000_000_000)


def checked(**fields: Any) -> Note:
    given: dict[str, Any] = {"note_id": "a-1", "summary": "S", "body": "b", "max_body_bytes": 100}
    return checked_note(**(given | fields))


def test_what_people_type_is_cleaned() -> None:
    note = checked(
        summary="  two\nlines\tand more ", body="\ufeffa\r\nb\n\n", tags="x, Y x", note_type="", created_at=WHEN
    )
    assert note == Note("a-1", "two lines and more", "a\nb", tags=("x", "Y"), created_at=WHEN)
    assert problem_of(note) is None
    assert parse_note(note_text(note).encode(), "a-1.md") == note


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a\r\nb", "a b"),
        ("a\u2028b\u2029c\x85d\x0be", "a b c d e"),
        ("two  spaces  stay", "two  spaces  stay"),
        ("esc\x1b[31m", "esc [31m"),
        ("\u3000wide\u3000", "wide"),
        ("\n \t", ""),
    ],
)
def test_a_line_is_one_line(text: str, line: str) -> None:
    assert one_line(text) == line
    assert one_line(line) == line


@pytest.mark.parametrize("summary", ["", "  ", "\n\t", "\0"])
def test_a_note_needs_a_summary(summary: str) -> None:
    with pytest.raises(SummaryMissing):
        checked(summary=summary)


def test_a_summary_of_300_characters_passes_and_one_more_does_not() -> None:
    assert len(checked(summary="学" * 300).summary) == 300
    with pytest.raises(SummaryTooLong) as caught:
        checked(summary="s" * 301)
    assert (caught.value.note_id, caught.value.length, caught.value.limit) == ("a-1", 301, 300)


def test_a_body_over_the_limit_is_refused() -> None:
    assert checked(body="b" * 100 + "\n\n").body == "b" * 100
    with pytest.raises(NoteTooLarge):
        checked(body="b" * 101)


def test_frontmatter_that_could_not_be_read_again_is_refused() -> None:
    with pytest.raises(NoteTooLarge) as caught:
        checked(tags=[f"tag{n}" for n in range(10_000)])
    assert caught.value.limit_bytes == LARGEST_HEADER_BYTES


@pytest.mark.parametrize("note_id", ["", "../x", "nul", "a b"])
def test_a_bad_id_is_refused(note_id: str) -> None:
    with pytest.raises(BadNoteId):
        checked(note_id=note_id)


@pytest.mark.parametrize(
    ("fields", "part"),
    [
        ({"body": "a\0b"}, "body"),
        ({"body": "\ud800"}, "body"),
        ({"summary": "\udfff"}, "summary"),
        ({"tags": ["\ud800"]}, "tags"),
        ({"note_type": "\ud800"}, "type"),
        ({"extra": {"x": "\ud800"}}, "extra"),
        ({"extra": {"x": float("nan")}}, "extra"),
        ({"extra": {"x": {1, 2}}}, "extra"),
    ],
)
def test_what_no_file_can_hold_is_refused_by_its_part(fields: dict[str, Any], part: str) -> None:
    with pytest.raises(NotPlainText) as caught:
        checked(**fields)
    assert caught.value.part == part


def test_the_four_types_are_known_in_any_letter_case() -> None:
    assert note_type_named(" Feedback ") is NoteType.FEEDBACK
    with pytest.raises(UnknownNoteType):
        note_type_named("ritual")


@pytest.mark.parametrize(
    ("note", "reason"),
    [
        (Note("a", "S", "b"), None),
        (Note("a", "s" * 5000, "b", type="ritual", tags=("x",), extra={"k": [1]}), None),
        (Note("../a", "S", "b"), ProblemReason.ID_INVALID),
        (Note("a\n", "S", "b"), ProblemReason.ID_INVALID),
        (Note("a", "", "b"), ProblemReason.SUMMARY_MISSING),
        (Note("a", "S", "b\0"), ProblemReason.NUL_BYTES),
        (Note("a", "S", "\ud800"), ProblemReason.LONE_SURROGATE),
        (Note("a", "S", "b", extra={"k": "\ud800"}), ProblemReason.LONE_SURROGATE),
        (Note("a", "S", "b", extra={"k": 2**70}), ProblemReason.UNSTORABLE_VALUE),
        (Note("a", "S", "b", extra={"id": "x"}), ProblemReason.NOT_CLEAN),
        (Note("a", "S\nT", "b"), ProblemReason.NOT_CLEAN),
        (Note("a", "S ", "b"), ProblemReason.NOT_CLEAN),
        (Note("a", "S", "b\r\n"), ProblemReason.NOT_CLEAN),
        (Note("a", "S", "b", tags=("x", "X")), ProblemReason.NOT_CLEAN),
        (Note("a", "S", "b", tags=("x y",)), ProblemReason.NOT_CLEAN),
        (Note("a", "S", "b", type=""), ProblemReason.NOT_CLEAN),
        (Note("a", "S", "b", created_at=Millis(5)), ProblemReason.NOT_CLEAN),
        (Note("a", "S", "b", updated_at=Millis(-1)), ProblemReason.NOT_CLEAN),
        (Note("a", "s" * 70_000, "b"), ProblemReason.TOO_LARGE),
    ],
)
def test_a_note_from_another_machine_is_judged(note: Note, reason: ProblemReason | None) -> None:
    assert problem_of(note) is reason


def test_a_body_from_another_machine_is_measured() -> None:
    assert problem_of(Note("a", "S", "é" * 50), max_body_bytes=100) is None
    assert problem_of(Note("a", "S", "é" * 51), max_body_bytes=100) is ProblemReason.TOO_LARGE


@pytest.mark.parametrize("note_type", [None, "user", "a\u2028b"])
@pytest.mark.parametrize("tags", [(), ("x",), ("ä", 'q"t', "\u2029")])
def test_a_header_is_the_same_with_and_without_other_keys(note_type: str | None, tags: tuple[str, ...]) -> None:
    note = Note("a-1", 'S "\x85\\', "b", note_type, tags, WHEN, Millis(0))
    other = header_text(replace(note, extra={"z": 1}))
    assert header_text(note) == other.removesuffix(',"z":1}') + "}"


def test_a_changed_note_never_keeps_the_hash_of_what_it_was() -> None:
    note = checked()
    before = content_hash(note)
    changed = replace(note, body="another")
    assert content_hash(changed) == content_hash(checked(body="another")) != before
    assert content_hash(note) == before
