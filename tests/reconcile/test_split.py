"""Commits are split to what the service announced, deletions first."""

import json

import pytest

from oharness.notes.note import Note
from oharness.reconcile.baseline import Version
from oharness.reconcile.split import change_bytes, split_changes
from oharness.reconcile.work import CloudChange, DeleteNote, PutNote

pytestmark = pytest.mark.sync


def put(name: str, body: str = "") -> PutNote:
    return PutNote(Note(name, "s", body), "0" * 64, None)


def delete(name: str) -> DeleteNote:
    return DeleteNote(name, Version("0" * 64, "r1"))


def names(parts: list[tuple[CloudChange, ...]]) -> list[str]:
    return [" ".join(change.id for change in part) for part in parts]


def test_nothing_to_send_is_no_part() -> None:
    assert split_changes([], 500) == []


def test_no_part_has_more_changes_than_announced_and_deletions_come_first() -> None:
    changes: list[CloudChange] = [put("a"), delete("x"), put("b"), delete("y"), put("c"), delete("z")]
    assert names(split_changes(changes, 2)) == ["x y", "z a", "b c"]
    assert names(split_changes(changes, 500)) == ["x y z a b c"]


def test_parts_stay_small_and_a_large_note_goes_alone() -> None:
    changes = [put("a", "x" * 400), put("b", "x" * 400), put("big", "x" * 9000), put("c")]
    assert names(split_changes(changes, 500, part_bytes=2100)) == ["a b", "big", "c"]


def test_a_quota_of_nothing_still_sends_one_at_a_time() -> None:
    assert names(split_changes([put("a"), put("b")], 0)) == ["a", "b"]


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
