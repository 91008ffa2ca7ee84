"""Several writes and deletes of one scope that happen together, each with the version it was planned from."""

from dataclasses import dataclass

from oharness.core.errors import Refused
from oharness.notes.note import Note


@dataclass(eq=False)
class NotesChanged(Refused):
    """These notes are no longer what the plan was made from; nothing was written."""

    note_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlannedWrite:
    """A note to write; `planned_from` is the content hash it replaces, None for a note that is new."""

    note: Note
    planned_from: str | None


@dataclass(frozen=True, slots=True)
class PlannedDelete:
    """A note to delete, as it was when that was planned."""

    note_id: str
    planned_from: str


@dataclass(frozen=True, slots=True)
class NoteBatch:
    """What one person or pass decided at once; every id stands in it once, in any letter case."""

    writes: tuple[PlannedWrite, ...] = ()
    deletes: tuple[PlannedDelete, ...] = ()

    def __post_init__(self) -> None:
        folded = [note_id.lower() for note_id in self.planned_from()]
        count = len(self.writes) + len(self.deletes)
        if len(folded) != count or len(set(folded)) != count:
            raise ValueError("an id stands twice in the batch")

    def planned_from(self) -> dict[str, str | None]:
        """Every id of the batch with the hash it was planned from."""
        writes = {write.note.id: write.planned_from for write in self.writes}
        return writes | {delete.note_id: delete.planned_from for delete in self.deletes}
