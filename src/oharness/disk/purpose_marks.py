"""Which notes of a directory a person brought back on purpose, until they are in sync (`fresh` in P-30).

Without such a mark a note that says what a deleted one said is taken for an old copy, and deleted again.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any

from oharness.core.scopes import Scope
from oharness.disk.atomic import ensure_directory
from oharness.disk.filesystem import PRIVATE_DIRECTORY, FileSystem
from oharness.disk.folder_lock import FolderLock
from oharness.disk.home import Home
from oharness.disk.json_files import read_object, write_object

VERSION = 1


class PurposeMarks:
    """The marks of one notes directory (`replica` as in `Home.sync_directory`), as id to content hash."""

    def __init__(self, files: FileSystem, home: Home, scope: Scope, replica: str) -> None:
        self._files = files
        self._path = home.sync_directory(scope, replica) / "on-purpose.json"
        self._lock = FolderLock(files, self._path, home.locks)

    def all(self) -> dict[str, str]:
        """Every mark; it counts only while the note says what was marked.

        Raises: BrokenFile; StorageFailed.
        """
        notes = (read_object(self._files, self._path) or {}).get("notes")
        if not isinstance(notes, dict):
            return {}
        return {note_id: content for note_id, content in notes.items() if isinstance(content, str)}

    def record(self, notes: Mapping[str, str]) -> None:
        """Marks notes by id and content hash; called before they are written, may be repeated.

        Raises: BrokenFile; StorageFailed; FolderBusy.
        """
        if notes:
            self._change(lambda before: {**before, **notes})

    def drop(self, note_ids: Collection[str]) -> None:
        """Removes the marks of notes that are in sync now; without any nothing is written.

        Raises: BrokenFile; StorageFailed; FolderBusy.
        """
        gone = set(note_ids)
        if gone and gone & self.all().keys():
            self._change(lambda before: {n: content for n, content in before.items() if n not in gone})

    def _change(self, change: Callable[[dict[str, str]], Mapping[str, str]]) -> None:
        ensure_directory(self._files, self._path.parent, PRIVATE_DIRECTORY)
        with self._lock.held():
            content: dict[str, Any] = {"version": VERSION, "notes": dict(change(self.all()))}
            write_object(self._files, self._path, content)
