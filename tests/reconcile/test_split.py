"""Commits are split to what the service announced, deletions first."""

import json
from collections.abc import Iterable, Iterator

import pytest

from oharness.notes.note import Note
from oharness.reconcile.baseline import Version
from oharness.reconcile.split import change_bytes, split_changes
from oharness.reconcile.work import DeleteNote, PutNote

pytestmark = pytest.mark.sync


def put(name: str, body: str = "") -> PutNote:
    return PutNote(Note(name, "s", body), "0" * 64, None)


def delete(name: str) -> DeleteNote:
    return DeleteNote(name, Version("0" * 64, "r1"))


def split(deletes: str, puts: Iterable[PutNote], max_changes: int, part_bytes: int = 10**6) -> list[str]:
    parts = split_changes(map(delete, deletes.split()), puts, max_changes, part_bytes)
    return [" ".join(change.id for change in part) for part in parts]


def test_nothing_to_send_is_no_part() -> None:
    assert split("", [], 500) == []


def test_no_part_has_more_changes_than_announced_and_deletions_come_first() -> None:
    puts = [put("a"), put("b"), put("c")]
    assert split("x y z", puts, 2) == ["x y", "z a", "b c"]
    assert split("x y z", puts, 500) == ["x y z a b c"]


def test_parts_stay_small_and_a_large_note_goes_alone() -> None:
    puts = [put("a", "x" * 400), put("b", "x" * 400), put("big", "x" * 9000), put("c")]
    assert split("", puts, 500, part_bytes=2100) == ["a b", "big", "c"]


def test_a_quota_of_nothing_still_sends_one_at_a_time() -> None:
    assert split("", [put("a"), put("b")], 0) == ["a", "b"]


def test_no_more_is_read_than_the_next_part_needs() -> None:
    read: list[str] = []

    def reading() -> Iterator[PutNote]:
        for name in "abcdef":
            read.append(name)
            yield put(name)

    parts = split_changes([], reading(), 2)
    next(parts)
    assert read == ["a", "b", "c"]


@pytest.mark.parametrize("body", ["plain", "üü\n\t\x01\x1f", '"\\' * 50, "𝔘\u2028" * 20])
def test_the_size_is_never_below_what_goes_on_the_wire(body: str) -> None:
    note = Note("n" * 128, "s" * 300, body, "project", ("t",), extra={"k": body})
    wire: dict[str, object] = {
        "op": "put",
        "id": note.id,
        "summary": note.summary,
        "tags": list(note.tags),
        "body": body,
    }
    wire |= {"type": "project", "extra": dict(note.extra), "createdAt": 10**13, "updatedAt": 10**13}
    assert change_bytes(PutNote(note, "0" * 64, None)) >= len(json.dumps(wire, ensure_ascii=False).encode())
