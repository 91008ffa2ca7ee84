"""Notes as a review sees them."""

from typing import Any

from oharness.core.clock import Millis
from oharness.notes.entry import FileStamp, NoteEntry
from oharness.notes.hashing import content_hash
from oharness.notes.links import linked_ids
from oharness.notes.note import Note

NOW = Millis(1_789_000_000_000)


def note(note_id: str, summary: str = "", body: str = "", **fields: Any) -> Note:
    made = {"created_at": Millis(1_700_000_000_000), "updated_at": NOW} | fields
    return Note(note_id, summary or f"About {note_id}", body, **made)


def entry(of: Note) -> NoteEntry:
    stamp = FileStamp(f"{of.id}.md", 0, len(of.body), 0)
    size = len(of.body.encode())
    head = (of.id, of.summary, of.type, of.tags, of.created_at, of.updated_at)
    return NoteEntry(stamp, *head, content_hash(of), size, linked_ids(of.body))


def entries(*notes: Note) -> list[NoteEntry]:
    return [entry(one) for one in notes]
