"""A small collection of notes in memory, for tests of recall."""

from collections.abc import Mapping, Sequence

from oharness.core.clock import Millis
from oharness.core.scopes import ScopeKind
from oharness.disk.recall_index import RecallIndex
from oharness.notes.entry import FileStamp, NoteEntry
from oharness.recall.score import Source


def entry_of(
    note_id: str, summary: str, tags: Sequence[str] = (), *, updated: int = 1_789_000_000_000, links: Sequence[str] = ()
) -> NoteEntry:
    """An entry of a note as read from a file named after it."""
    return NoteEntry(
        stamp=FileStamp(f"{note_id}.md", updated * 1_000_000, 100, 7),
        id=note_id,
        summary=summary,
        type="project",
        tags=tuple(tags),
        created_at=Millis(updated),
        updated_at=Millis(updated),
        hash=f"hash-of-{note_id}",
        body_bytes=0,
        links=tuple(links),
    )


class NoteStore:
    """A few notes in an index in memory."""

    def __init__(self) -> None:
        self.index = RecallIndex.in_memory()

    def put(self, note_id: str, summary: str, tags: Sequence[str] = (), body: str = "") -> None:
        self.put_entry(entry_of(note_id, summary, tags), body)

    def put_entry(self, entry: NoteEntry, body: str = "") -> None:
        self.index.update([(entry, body)], [], [])

    def source(self, uses: Mapping[str, int] | None = None, scope: ScopeKind = ScopeKind.PROJECT) -> Source:
        return Source(scope, self.index, uses or {})
