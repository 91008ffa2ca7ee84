"""Several writes and deletes at once, each with the version it was planned from."""

import pytest

from oharness.notes.batch import (
    NoteBatch,
    NotesChanged,
    PlannedDelete,
    PlannedWrite,
    changed_since,
    check_unchanged,
)
from oharness.notes.note import Note

pytestmark = pytest.mark.memory

BATCH = NoteBatch(
    writes=(PlannedWrite(Note("kept", "S", ""), "h1"), PlannedWrite(Note("new", "S", ""), None)),
    deletes=(PlannedDelete("gone", "h2"),),
)


def test_a_batch_whose_notes_are_as_planned_may_go_ahead() -> None:
    present = {"kept": "h1", "gone": "h2", "other": "h3"}
    assert changed_since(BATCH, present) == ()
    check_unchanged(BATCH, present)


def test_edited_deleted_and_created_notes_are_all_named() -> None:
    with pytest.raises(NotesChanged) as caught:
        check_unchanged(BATCH, {"kept": "edited", "new": "somebody was first"})
    assert caught.value.note_ids == ("kept", "new", "gone")


@pytest.mark.parametrize("other", ["kept", "KEPT"])
def test_an_id_stands_in_a_batch_once_in_any_letter_case(other: str) -> None:
    with pytest.raises(ValueError, match="twice"):
        NoteBatch((PlannedWrite(Note("kept", "S", ""), None),), (PlannedDelete(other, "h"),))
