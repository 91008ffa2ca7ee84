"""Several writes and deletes at once, each with the version it was planned from."""

import pytest

from oharness.notes.batch import NoteBatch, PlannedDelete, PlannedWrite
from oharness.notes.note import Note

pytestmark = pytest.mark.memory


def test_a_batch_says_what_each_of_its_notes_was_planned_from() -> None:
    batch = NoteBatch(
        writes=(PlannedWrite(Note("kept", "S", ""), "h1"), PlannedWrite(Note("new", "S", ""), None)),
        deletes=(PlannedDelete("gone", "h2"),),
    )
    assert batch.planned_from() == {"kept": "h1", "new": None, "gone": "h2"}


@pytest.mark.parametrize("other", ["kept", "KEPT"])
def test_an_id_stands_in_a_batch_once_in_any_letter_case(other: str) -> None:
    with pytest.raises(ValueError, match="twice"):
        NoteBatch((PlannedWrite(Note("kept", "S", ""), None),), (PlannedDelete(other, "h"),))
