"""A stored body goes out as the note in it would, whether or not a note is made of it."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oharness.core.clock import Millis
from oharness.notes.frontmatter import note_file_name, note_text, parse_note
from oharness.notes.note import Note
from oharness.notes.problems import NotANote
from oharness.protocol.quotas import encode_json
from oharness.protocol.values import note_shape
from oharness.syncserver import stored_note
from oharness.syncserver.stored_note import outgoing_note

pytestmark = pytest.mark.sync

TIME = Millis(1_789_000_000_000)
texts = st.text(max_size=20) | st.sampled_from(
    ["a\n---\nb", "\ufeffx", "x\n", "\r\n", '"}\\', "\u2028", "é🙂", "---", "\0"]
)
stored = st.builds(
    Note,
    id=st.just("a"),
    summary=st.text(min_size=1, max_size=9).filter(str.strip) | st.just("S"),
    body=texts,
    type=st.none() | st.sampled_from(["project", "", " x", "新"]),
    tags=st.lists(st.text(max_size=5), max_size=3).map(tuple),
    created_at=st.sampled_from([TIME, Millis(0), Millis(5)]),
    updated_at=st.sampled_from([TIME, Millis(0)]),
    extra=st.just({}) | st.dictionaries(st.text(min_size=1, max_size=4), st.integers(0, 9), max_size=2),
)


def as_a_note(data: bytes) -> tuple[Any, int] | None:
    """What goes out when a note is made of the object."""
    try:
        note = parse_note(data, note_file_name("a"))
    except NotANote:
        return None
    return json.loads(encode_json(note_shape(note))), len(note.body.encode())


def as_it_goes_out(data: bytes) -> tuple[Any, int] | None:
    note = outgoing_note("a", data)
    return None if note is None else (json.loads(note.json), note.size)


@settings(derandomize=True, max_examples=1000, deadline=None)
@given(stored)
def test_an_object_goes_out_as_its_note(note: Note) -> None:
    data = note_text(note).encode("utf-8", "surrogatepass")
    assert as_it_goes_out(data) == as_a_note(data)


GOOD = note_text(Note("a", "S", "one\ntwo", "project", ("x", "y"), TIME, TIME)).encode()


@settings(derandomize=True, max_examples=1500, deadline=None)
@given(
    st.integers(0, len(GOOD)),
    st.integers(0, 12),
    st.sampled_from([b"", b"\n", b"\r", b" ", b'"', b",", b"}", b"\\u0041", b"1", b"\xff"]),
)
def test_an_object_that_somebody_touched_goes_out_as_its_note_or_not_at_all(at: int, gone: int, put: bytes) -> None:
    data = GOOD[:at] + put + GOOD[at + gone :]
    assert as_it_goes_out(data) == as_a_note(data)


@pytest.mark.parametrize(
    "header",
    [
        '{"id":"b","summary":"S","tags":[],"createdAt":1789000000000,"updatedAt":1789000000000}',
        '{"id":"a","summary":" S","tags":[],"createdAt":1789000000000,"updatedAt":1789000000000}',
        '{"id":"a","summary":"","tags":[],"createdAt":1789000000000,"updatedAt":1789000000000}',
        '{"id":"a","summary":7,"tags":[],"createdAt":1789000000000,"updatedAt":1789000000000}',
        '{"id":"a","summary":"S","tags":["x","X"],"createdAt":1789000000000,"updatedAt":1789000000000}',
        '{"id":"a","summary":"S","tags":[1],"createdAt":1789000000000,"updatedAt":1789000000000}',
        '{"id":"a","summary":"S","tags":"x","createdAt":1789000000000,"updatedAt":1789000000000}',
        '{"id":"a","summary":"S","tags":[],"createdAt":true,"updatedAt":1789000000}',
        '{"id":"a","summary":"S","tags":[],"createdAt":"2026-09-10","updatedAt":1789000000000.5}',
        '{"id":"a","summary":"S","type":null,"tags":[],"createdAt":1789000000000,"updatedAt":1789000000000}',
        '{"id":"a","summary":"S","body":"x","tags":[],"createdAt":1789000000000,"updatedAt":1789000000000}',
        '{"id":"a","id":"a","summary":"S","tags":[],"createdAt":1789000000000,"updatedAt":1789000000000}',
        '["a"]',
        "{}",
    ],
)
@pytest.mark.parametrize("body", ["", "text\n", "\n", "no end", "a\n---\nb\n", "\n\ntext\n\n"])
def test_a_header_from_elsewhere_is_read_as_a_note_file_is(header: str, body: str) -> None:
    data = f"---\n{header}\n---\n{body}".encode()
    assert as_it_goes_out(data) == as_a_note(data)


def test_no_note_is_made_of_an_object_as_we_write_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(stored_note, "parse_note")
    for body in ("", "one\ntwo", "a\n---\nb"):
        for note_type in (None, "project"):
            data = note_text(Note("a", "Größe", body, note_type, ("x",), TIME, TIME)).encode()
            note = outgoing_note("a", data)
            assert note is not None
            assert json.loads(note.json)["body"] == body
