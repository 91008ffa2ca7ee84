"""The notes of a scope for somebody who looks again and again: what did not change since is not read anew."""

from collections.abc import Collection, Iterable

from oharness.memory.service import MemoryService
from oharness.notes.entry import FileStamp, NoteEntry
from oharness.notes.frontmatter import FILE_SUFFIX

_MANY = 500


class KnownEntries:
    """The entries of one scope; one of an unchanged note stays the same object."""

    def __init__(self, service: MemoryService) -> None:
        self._service = service
        self._stamps: dict[str, FileStamp] = {}
        self._entries: dict[str, NoteEntry] = {}

    def now(self) -> Collection[NoteEntry]:
        """All loaded notes as of the last look."""
        before, self._stamps = self._stamps, self._service.index.stamps()
        for name in before.keys() - self._stamps.keys():
            self._entries.pop(name, None)
        changed = [name for name, stamp in self._stamps.items() if before.get(name) != stamp]
        if len(changed) > _MANY:
            self._entries = {entry.stamp.name: entry for entry in self._service.entries()}
            return self._entries.values()
        for name in changed:
            entry = self._service.entry(name.removesuffix(FILE_SUFFIX))
            if entry is None:  # a file that cannot be a note
                self._entries.pop(name, None)
            else:
                self._entries[name] = entry
        return self._entries.values()


class NoteIds:
    """Whether there is a note file of an id, loaded or not; the directory is asked when the loaded ones do not say."""

    def __init__(self, service: MemoryService, loaded: Iterable[NoteEntry]) -> None:
        self._service = service
        self._loaded = frozenset(entry.id for entry in loaded)
        self._ids: frozenset[str] | None = None

    def __contains__(self, note_id: object) -> bool:
        if note_id in self._loaded:
            return True
        if self._ids is None:
            self._ids = frozenset(self._service.ids())
        return note_id in self._ids
