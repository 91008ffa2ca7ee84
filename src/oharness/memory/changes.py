"""Who has to know that a note is about to be deleted, or was written: sync, through this small protocol."""

import contextlib
from typing import Protocol

from oharness.core.clock import Clock
from oharness.core.errors import StorageFailed
from oharness.disk.deletion_intents import DeletionIntent, DeletionIntents
from oharness.disk.folder_lock import FolderBusy
from oharness.disk.json_files import BrokenFile
from oharness.disk.purpose_marks import PurposeMarks


class ChangeRecorder(Protocol):
    """Told of every change a person or tool makes; outside edits and sync's own writes are not among them."""

    def before_delete(self, note_id: str, content_hash: str) -> None:
        """Keeps on disk that this version is deleted on purpose; called before the file goes, may be repeated.

        Raises: StorageFailed, BrokenFile, FolderBusy; the note is then not deleted.
        """
        ...

    def before_purge(self, note_id: str, content_hash: str) -> None:
        """The same for a note that is forgotten everywhere: the cloud is asked to remove its objects too.

        Also for a note that is deleted already; `content_hash` is then empty.
        Raises: StorageFailed, BrokenFile, FolderBusy; nothing is then deleted.
        """
        ...

    def after_write(self, note_id: str) -> None:
        """The note was written: an intent to delete it no longer holds. Raises nothing; may be repeated."""
        ...

    def before_return(self, note_id: str, content_hash: str) -> None:
        """Keeps on disk that this version is brought back on purpose, and is no old copy of a deleted note.

        Called before a restored note, or a new one under an id that somebody chose, is written; may be repeated.
        Raises: StorageFailed, BrokenFile, FolderBusy; the note is then not written.
        """
        ...

    def pending(self) -> list[str]:
        """The ids with an intent that sync has not carried out."""
        ...


class IntentRecorder:
    """Keeps what people mean under the home, for the next pass."""

    def __init__(self, intents: DeletionIntents, marks: PurposeMarks, clock: Clock) -> None:
        self._intents = intents
        self._marks = marks
        self._clock = clock

    def before_delete(self, note_id: str, content_hash: str) -> None:
        self._intents.record([DeletionIntent(note_id, content_hash, self._clock.now_ms())])

    def before_purge(self, note_id: str, content_hash: str) -> None:
        self._intents.record([DeletionIntent(note_id, content_hash, self._clock.now_ms(), purge=True)])

    def after_write(self, note_id: str) -> None:
        # An intent whose note is there says nothing, so a failure to drop it must not look like a failed write.
        with contextlib.suppress(StorageFailed, BrokenFile, FolderBusy):
            self._intents.drop([note_id])

    def before_return(self, note_id: str, content_hash: str) -> None:
        self._marks.record({note_id: content_hash})

    def pending(self) -> list[str]:
        return [intent.note_id for intent in self._intents.all()]


class NothingRecorded:
    """For a directory that cannot sync: a project that is not registered with a writable home."""

    def before_delete(self, note_id: str, content_hash: str) -> None:
        """Nothing to keep."""

    def before_purge(self, note_id: str, content_hash: str) -> None:
        """Nothing to keep."""

    def after_write(self, note_id: str) -> None:
        """Nothing to withdraw."""

    def before_return(self, note_id: str, content_hash: str) -> None:
        """Nothing to keep."""

    def pending(self) -> list[str]:
        return []
