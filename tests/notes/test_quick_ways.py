"""The quick ways that nearly every note takes come to the same as the general ones."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oharness.core.jsontext import canonical_json, on_one_line, one_line_json, quoted
from oharness.notes.frontmatter import parse_note
from oharness.notes.hashing import hashed_bytes, normalise_body
from oharness.notes.limits import LARGEST_HEADER_BYTES
from oharness.notes.note import Note
from oharness.notes.problems import NotANote, ProblemReason
from oharness.notes.times import read_time
from oharness.notes.valid import header_text, one_line, problem_of

pytestmark = pytest.mark.memory

texts = st.text(max_size=40) | st.sampled_from(
    ["\x00\x01\x1f\x7f\x80\x85\u2028\u2029\ufeff\uffff", '"\\/\b\f\n\r\t', "𝔘🙂e\u0301", "<>&'\u00a0"]
)
notes = st.builds(
    Note,
    id=texts,
    summary=texts,
    body=texts,
    type=st.none() | texts,
    tags=st.lists(texts, max_size=4).map(tuple),
    extra=st.just({}) | st.dictionaries(texts, texts | st.integers(-9, 9), max_size=2),
)


def as_an_object(note: Note) -> dict[str, Any]:
    content: dict[str, Any] = {"id": note.id, "summary": note.summary, "tags": sorted(note.tags)}
    content["body"] = normalise_body(note.body)
    if note.type is not None:
        content["type"] = note.type
    return {**content, "extra": dict(note.extra)} if note.extra else content


@settings(derandomize=True, max_examples=500, deadline=None)
@given(notes)
def test_the_hash_covers_the_canonical_bytes_of_what_the_note_says(note: Note) -> None:
    assert hashed_bytes(note) == canonical_json(as_an_object(note))


def test_every_character_below_a_thousand_is_written_alike() -> None:
    for code in range(1000):
        note = Note("a", "s", f"-{chr(code)}-")
        assert hashed_bytes(note) == canonical_json(as_an_object(note))


def test_lone_surrogates_have_no_canonical_form() -> None:
    for note in (Note("a", "s", "\ud800"), Note("a", "\ud800", ""), Note("a", "s", "", tags=("\ud800",))):
        for write in (hashed_bytes, lambda note: canonical_json(as_an_object(note))):
            with pytest.raises(ValueError):
                write(note)


@settings(derandomize=True, max_examples=500, deadline=None)
@given(texts)
def test_a_text_alone_is_written_on_one_line_as_in_any_value(text: str) -> None:
    assert on_one_line(quoted(text)) == one_line_json(text)


@settings(derandomize=True, max_examples=500, deadline=None)
@given(texts)
def test_a_body_is_normalised_whatever_stands_at_its_ends(text: str) -> None:
    plain = text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n").rstrip("\n")
    for body in (text, f"\ufeff{text}", f"{text}\n\n", f"{text}\r", f"\r\n{text}"):
        assert normalise_body(normalise_body(body)) == normalise_body(body)
    assert normalise_body(text) == plain


@pytest.mark.parametrize("character", ["a", "\u2028", "\x1f", "🙂", '"'])
def test_a_header_is_too_large_from_the_very_byte_on(character: str) -> None:
    def with_summary(length: int) -> Note:
        return Note("a", "-" + character * length, "", "project", ("x", "y"))

    def size(length: int) -> int:
        return len(header_text(with_summary(length)).encode())

    fits = (LARGEST_HEADER_BYTES - size(0)) // (size(1) - size(0))
    expected = {problem_of(with_summary(fits)), problem_of(with_summary(fits + 1))}
    if character in ("\u2028", "\x1f"):
        assert expected == {ProblemReason.NOT_CLEAN}
    else:
        assert expected == {None, ProblemReason.TOO_LARGE}


pieces = st.sampled_from(["---", "\n", " ", "\t", '{"id":"a",', '"summary":"s"}', "text", "\ufeff", "\n---\n"])


def understood(text: str) -> Note | ProblemReason:
    try:
        return parse_note(text.encode(), "a.md")
    except NotANote as problem:
        return problem.reason


@settings(derandomize=True, max_examples=2000, deadline=None)
@given(st.lists(pieces, max_size=9).map("".join))
def test_the_fences_are_found_whether_or_not_anything_stands_before_the_first(text: str) -> None:
    for whole in (f"---\n{text}", f'---\n{{"id":"a","summary":"s"}}\n{text}'):
        assert understood(whole) == understood(f" \n{whole}")


@settings(derandomize=True, max_examples=500, deadline=None)
@given(texts)
def test_a_text_is_on_one_line_whatever_it_holds(text: str) -> None:
    plain = "".join(" " if ord(c) < 0x20 or 0x7F <= ord(c) < 0xA0 or c in "\u2028\u2029" else c for c in text)
    assert one_line(text) == (text.strip() if plain == text else " ".join(plain.split()))


@pytest.mark.parametrize("time", [1, 99_999_999, 10**11 - 1, 10**11, 253_402_300_799_999, 253_402_300_800_000, True])
def test_a_time_means_the_same_as_a_number_of_either_kind(time: int) -> None:
    assert read_time(time) == (None if time is True else read_time(float(time)))
