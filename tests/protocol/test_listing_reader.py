"""A listing read while it arrives is what it would be if it had been read when all of it was there."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oharness.core.clock import Millis
from oharness.notes.hashing import content_hash
from oharness.notes.note import Note
from oharness.protocol.errors import ProtocolBroken
from oharness.protocol.listing_reader import ListingReader
from oharness.protocol.quotas import Plan, PlanLimits, Quota, Standing
from oharness.protocol.snapshot import (
    Check,
    ListedNote,
    ListedTombstone,
    ListingAnswer,
    decode_listing_answer,
    encode_listing_answer,
)
from oharness.protocol.values import Epoch, Revision
from tests.json_values import json_of

pytestmark = pytest.mark.sync

STANDING = Standing('ann "notes":[{', Quota(), Plan("free", False, PlanLimits(1, 2)))
BODIES = ("", "plain", 'has "notes":[{"id":"x"}]} in it', "},{\\ud83d🙂é", "\u2028\\", "x" * 300)


def listed(number: int, body: str | None) -> ListedNote:
    note = None if body is None else Note(f"n-{number}", "S", body, tags=("t",), created_at=Millis(1_789_000_000_000))
    content = "0" * 64 if note is None else content_hash(note)
    return ListedNote(f"n-{number}", content, Revision(f"r{number}"), number, len(body or ""), note)


def answer_with(*bodies: str | None) -> ListingAnswer:
    notes = tuple(listed(number, body) for number, body in enumerate(bodies))
    gone = (ListedTombstone("gone", 3, Revision("r"), "1" * 64, ("2" * 64,), Millis(5)),)
    return ListingAnswer(STANDING, Epoch("e"), 7, True, 0, notes, gone, Check(len(notes), "0" * 64))


def outcome(read: Callable[[], ListingAnswer]) -> ListingAnswer | str:
    try:
        return read()
    except ProtocolBroken as error:
        return str(error.reason)


def arriving(body: bytes, size: int, most_unread: int = 1 << 20) -> ListingReader:
    reader = ListingReader(at_once=1, most_unread=most_unread)
    for start in range(0, len(body), size):
        reader.feed(body[start : start + size])
    return reader


def same_either_way(body: bytes, size: int, most_unread: int = 1 << 20) -> ListingAnswer | str:
    """What reading all of it gives, which is what reading it in parts gives."""
    expected = outcome(lambda: decode_listing_answer(body))
    assert outcome(lambda: arriving(body, size, most_unread).whole(body)) == expected
    return expected


@settings(derandomize=True, max_examples=200, deadline=None)
@given(st.lists(st.none() | st.sampled_from(BODIES) | st.text(max_size=30), max_size=6), st.integers(1, 400))
def test_cut_into_parts_anywhere_it_says_the_same(bodies: list[str | None], size: int) -> None:
    answer = same_either_way(encode_listing_answer(answer_with(*bodies)), size)
    assert not isinstance(answer, str)
    assert [entry.id for entry in answer.notes] == [f"n-{number}" for number in range(len(bodies))]


def test_notes_are_read_and_hashed_before_the_last_byte_came() -> None:
    body = encode_listing_answer(answer_with("", 'has "notes":[{"id":"x"}]} in it', "},{🙂é", "\u2028\\", "x" * 300))
    reader = ListingReader(at_once=1)
    reader.feed(body[:-2])
    assert [entry.id for entry in reader.read_so_far] == [f"n-{number}" for number in range(5)]
    assert all(entry.note is not None and entry.note.known_hash == entry.hash for entry in reader.read_so_far)


GOOD = encode_listing_answer(answer_with("first", None, 'with "notes":[ in it', "last"))
VALUE: dict[str, Any] = json.loads(GOOD)
OTHER_FORMS = {
    "written for people": json.dumps(VALUE, indent=1),
    "escaped": json.dumps(VALUE | {"userId": "é🙂"}),
    "half a character": json.dumps(VALUE).replace("first", "\\ud83d"),
    "notes first": json.dumps({"notes": VALUE["notes"]} | VALUE, separators=(",", ":")),
    "notes in the plan": GOOD.decode().replace('"plan":{', '"plan":{"notes":[{"id":"other"}],'),
    "notes in the plan alone": GOOD.decode()
    .replace(',"notes":[', ',"nodes":[')
    .replace('"plan":{', '"plan":{"notes":[],'),
    "notes twice": GOOD.decode()[:-1] + ',"notes":[]}',
    "more after them": GOOD.decode()[:-1] + ',"later":1}',
    "a comma too many": GOOD.decode()[:-2] + ",]}",
    "no comma": GOOD.decode().replace('},{"id":"n-1"', '}{"id":"n-1"'),
    "a number for a note": GOOD.decode().replace('"notes":[', '"notes":[12,'),
    "a key twice in a note": GOOD.decode().replace('"id":"n-1"', '"id":"n-1","id":"n-1"'),
    "an id twice": GOOD.decode().replace('"id":"n-1"', '"id":"n-0"'),
    "an id that is a path": GOOD.decode().replace('"id":"n-1"', '"id":"../n"'),
    "not a number": GOOD.decode().replace('"seq":1', '"seq":NaN'),
    "text behind it": GOOD.decode() + "x",
    "space behind it": GOOD.decode() + " \n",
    "no notes": encode_listing_answer(answer_with()).decode(),
    "deep": GOOD.decode().replace('"notes":[', '"notes":[' + "[" * 100_000),
}


@pytest.mark.parametrize("text", OTHER_FORMS.values(), ids=OTHER_FORMS.keys())
def test_whatever_its_form_it_is_understood_or_refused_alike(text: str) -> None:
    body = text.encode("utf-8", "surrogatepass")
    for size in (7, 64, 1000, len(body)):
        same_either_way(body, size)


def test_some_of_these_forms_are_understood_and_some_refused() -> None:
    outcomes = [outcome(lambda text=text: decode_listing_answer(text.encode())) for text in OTHER_FORMS.values()]  # type: ignore[misc]
    assert any(isinstance(one, str) for one in outcomes)
    assert any(not isinstance(one, str) for one in outcomes)


@settings(derandomize=True, max_examples=300, deadline=None)
@given(st.integers(0, len(GOOD)), st.integers(0, 30), st.binary(max_size=12), st.integers(1, 200))
def test_broken_anywhere_it_is_refused_alike(at: int, gone: int, put: bytes, size: int) -> None:
    same_either_way(GOOD[:at] + put + GOOD[at + gone :], size)


def test_cut_off_anywhere_it_is_refused_alike() -> None:
    for length in range(len(GOOD)):
        assert isinstance(same_either_way(GOOD[:length], 50), str)


@settings(derandomize=True, max_examples=200, deadline=None)
@given(json_of(st.none() | st.integers() | st.text(max_size=9), st.sampled_from(["notes", "id", "a"])))
def test_any_value_in_the_place_of_the_notes_is_refused_or_understood_alike(value: Any) -> None:
    text = json.dumps(VALUE | {"notes": value}, separators=(",", ":"))
    same_either_way(text.encode(), 5)
    same_either_way((text[:-1] + f',"more":{json.dumps(value)}}}').encode(), 5)


def test_a_note_that_does_not_end_is_not_waited_for() -> None:
    body = encode_listing_answer(answer_with("short", "x" * 5000, "short"))
    assert not isinstance(same_either_way(body, 100, most_unread=1000), str)
    reader = arriving(body[:-3], 100, most_unread=1000)
    assert reader.read_so_far == []
