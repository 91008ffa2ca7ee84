"""Which notes of a directory were deleted on purpose through this product, until sync has carried it out.

An intent is written before the file is removed. It counts only while the note's file is absent: one whose
file is still there was left by a crash (or the note came back), and says nothing.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from oharness.core.clock import Millis
from oharness.core.scopes import Scope
from oharness.disk.atomic import ensure_directory
from oharness.disk.filesystem import PRIVATE_DIRECTORY, FileSystem
from oharness.disk.folder_lock import FolderLock
from oharness.disk.home import Home
from oharness.disk.json_files import read_object, write_object

VERSION = 1


@dataclass(frozen=True, slots=True)
class DeletionIntent:
    """A note that somebody deleted, as it was: its content hash, and the synced revision where known.

    `purge` asks the cloud to remove the note's bodies too (forget everywhere).
    """

    note_id: str
    hash: str
    at: Millis
    revision: str | None = None
    purge: bool = False


class DeletionIntents:
    """The intents of one notes directory (`replica` as in `Home.sync_directory`)."""

    def __init__(self, files: FileSystem, home: Home, scope: Scope, replica: str) -> None:
        self._files = files
        self._path = home.sync_directory(scope, replica) / "deletions.json"
        self._lock = FolderLock(files, self._path, home.locks)

    def all(self) -> list[DeletionIntent]:
        """Every intent in the order it was made.

        Raises: BrokenFile; StorageFailed.
        """
        listed = (read_object(self._files, self._path) or {}).get("deletions")
        if not isinstance(listed, list):
            return []
        return [intent for raw in listed if (intent := _intent(raw)) is not None]

    def record(self, intents: Collection[DeletionIntent]) -> None:
        """Adds the intents; an older one for the same note is replaced.

        Raises: BrokenFile; StorageFailed; FolderBusy.
        """
        ids = {intent.note_id for intent in intents}
        if ids:
            self._change(lambda before: [*(item for item in before if item.note_id not in ids), *intents])

    def drop(self, note_ids: Collection[str]) -> None:
        """Removes the intents of these notes, carried out or withdrawn; without any nothing is written.

        Raises: BrokenFile; StorageFailed; FolderBusy.
        """
        ids = set(note_ids)
        if any(intent.note_id in ids for intent in self.all()):
            self._change(lambda before: [item for item in before if item.note_id not in ids])

    def _change(self, change: Callable[[list[DeletionIntent]], list[DeletionIntent]]) -> None:
        ensure_directory(self._files, self._path.parent, PRIVATE_DIRECTORY)
        with self._lock.held():
            written = [_raw(intent) for intent in change(self.all())]
            write_object(self._files, self._path, {"version": VERSION, "deletions": written})


def _intent(raw: Any) -> DeletionIntent | None:
    if not isinstance(raw, dict):
        return None
    note_id, digest, at, revision = (raw.get(key) for key in ("id", "hash", "at", "revision"))
    if not isinstance(note_id, str) or not isinstance(digest, str):
        return None
    return DeletionIntent(
        note_id,
        digest,
        Millis(at if isinstance(at, int) else 0),
        revision if isinstance(revision, str) else None,
        purge=raw.get("purge") is True,
    )


def _raw(intent: DeletionIntent) -> dict[str, Any]:
    raw: dict[str, Any] = {"id": intent.note_id, "hash": intent.hash, "at": intent.at}
    if intent.revision is not None:
        raw["revision"] = intent.revision
    return {**raw, "purge": True} if intent.purge else raw
