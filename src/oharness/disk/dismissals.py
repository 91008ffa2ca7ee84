"""memory-tidy/dismissed/: the findings of a scope that somebody dismissed, with the notes' hashes. Never synced."""

from collections.abc import Iterable, Mapping
from typing import Any

from oharness.core.scopes import Scope
from oharness.disk.atomic import ensure_directory
from oharness.disk.filesystem import PRIVATE_DIRECTORY, FileSystem
from oharness.disk.folder_lock import FolderLock
from oharness.disk.home import Home
from oharness.disk.json_files import read_object, write_object
from oharness.tidy.dismissals import Dismissal

VERSION = 1


class Dismissals:
    """The dismissals of one scope."""

    def __init__(self, files: FileSystem, home: Home, scope: Scope) -> None:
        self._files = files
        self._path = home.tidying / "dismissed" / f"{scope.digest}.json"
        self._lock = FolderLock(files, self._path, home.locks)

    def all(self) -> dict[str, Dismissal]:
        """Every dismissal by the finding's id.

        Raises: BrokenFile; StorageFailed.
        """
        kept = (read_object(self._files, self._path) or {}).get("dismissed")
        if not isinstance(kept, dict):
            return {}
        return {finding_id: Dismissal(finding_id, _hashes(raw)) for finding_id, raw in kept.items()}

    def keep(self, dismissal: Dismissal, present: Mapping[str, str]) -> None:
        """Adds one, and lets go of those about notes that are not there any more; `present` are all notes' hashes.

        Raises: BrokenFile; StorageFailed; FolderBusy.
        """
        ensure_directory(self._files, self._path.parent, PRIVATE_DIRECTORY)
        with self._lock.held():
            known = {**self.all(), dismissal.finding_id: dismissal}
            self._write(one for one in known.values() if all(note_id in present for note_id, _ in one.hashes))

    def about(self, note_id: str) -> list[Dismissal]:
        """Those of findings that name the note.

        Raises: BrokenFile; StorageFailed.
        """
        return [one for one in self.all().values() if note_id in dict(one.hashes)]

    def forget(self, note_id: str) -> int:
        """Removes those of findings that name the note, and gives how many there were.

        Raises: BrokenFile; StorageFailed; FolderBusy.
        """
        if not self.about(note_id):
            return 0
        with self._lock.held():
            gone = self.about(note_id)
            self._write(one for one in self.all().values() if one not in gone)
        return len(gone)

    def _write(self, dismissals: Iterable[Dismissal]) -> None:
        kept = {one.finding_id: dict(one.hashes) for one in dismissals}
        content: dict[str, Any] = {"version": VERSION, "dismissed": kept}
        write_object(self._files, self._path, content)


def _hashes(raw: Any) -> tuple[tuple[str, str], ...]:
    if not isinstance(raw, dict):
        return ()
    return tuple(sorted((note_id, digest) for note_id, digest in raw.items() if isinstance(digest, str)))
