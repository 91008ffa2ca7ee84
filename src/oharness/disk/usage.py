"""memory-usage/: how often each note of a scope was recalled on this machine. Never synced."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from oharness.core.clock import Clock, Millis
from oharness.core.scopes import Scope
from oharness.disk.atomic import ensure_directory, storage_errors
from oharness.disk.filesystem import PRIVATE_DIRECTORY, FileSystem
from oharness.disk.folder_lock import FolderLock
from oharness.disk.home import Home
from oharness.disk.json_files import BrokenFile, read_object, write_object

VERSION = 1
DAMAGED = ".damaged-"
"""Stands in the name of a damaged file that was set aside, before the time."""

_WAIT_S = 2.0


@dataclass(frozen=True, slots=True)
class Usage:
    """How often a note was recalled, and when last."""

    count: int
    last_recalled: Millis


class UsageFile:
    """The counts of one scope. Several processes may count at once."""

    def __init__(self, files: FileSystem, home: Home, scope: Scope, clock: Clock) -> None:
        self._files = files
        self._path = home.usage_file(scope)
        self._clock = clock
        self._lock = FolderLock(files, self._path, home.locks, _WAIT_S)
        self._seen: tuple[int, int, int] | None = None
        self._counts: dict[str, Usage] = {}

    def counts(self) -> Mapping[str, Usage]:
        """The counts by note id; read again only when the file changed. A damaged file counts nothing.

        Raises: StorageFailed.
        """
        stamp = self._stamp()
        if stamp is None or stamp != self._seen:
            try:
                self._counts = _counts_in(read_object(self._files, self._path))
            except BrokenFile:
                self._counts = {}
            self._seen = stamp
        return self._counts

    def count_recalls(self, note_ids: Iterable[str]) -> None:
        """Adds one to each note; a damaged file is set aside first.

        Raises: StorageFailed; FolderBusy.
        """
        ids = list(note_ids)
        now = self._clock.now_ms()

        def add(counts: dict[str, Usage]) -> None:
            for note_id in ids:
                before = counts.get(note_id)
                counts[note_id] = Usage(1 + (before.count if before else 0), now)

        if ids:
            self._change(add)

    def forget(self, note_id: str) -> int:
        """Removes what is known of a note and gives how often it had been recalled.

        Raises: StorageFailed; FolderBusy.
        """
        removed = self.counts().get(note_id)
        if removed is None:
            return 0

        def remove(counts: dict[str, Usage]) -> None:
            counts.pop(note_id, None)

        self._change(remove)
        return removed.count

    def _change(self, change: Callable[[dict[str, Usage]], None]) -> None:
        ensure_directory(self._files, self._path.parent, PRIVATE_DIRECTORY)
        with self._lock.held():
            counts = self._read_or_set_aside()
            change(counts)
            write_object(self._files, self._path, {"version": VERSION, "notes": _written(counts)})

    def _read_or_set_aside(self) -> dict[str, Usage]:
        try:
            return _counts_in(read_object(self._files, self._path))
        except BrokenFile:
            aside = self._path.with_name(f"{self._path.name}{DAMAGED}{self._clock.now_ms()}")
            with storage_errors(self._path):
                self._files.replace(self._path, aside)
            return {}

    def _stamp(self) -> tuple[int, int, int] | None:
        with storage_errors(self._path):
            try:
                status = self._files.status(self._path)
            except FileNotFoundError:
                return None
        return status.st_mtime_ns, status.st_size, status.st_ino


def _counts_in(content: Mapping[str, Any] | None) -> dict[str, Usage]:
    notes = (content or {}).get("notes")
    if not isinstance(notes, dict):
        return {}
    return {note_id: usage for note_id, raw in notes.items() if (usage := _usage(raw)) is not None}


def _usage(raw: Any) -> Usage | None:
    if not isinstance(raw, dict):
        return None
    count, last = raw.get("count"), raw.get("lastRecalledAt")
    if not isinstance(count, int) or count < 1:
        return None
    return Usage(count, Millis(last if isinstance(last, int) else 0))


def _written(counts: Mapping[str, Usage]) -> dict[str, Any]:
    return {
        note_id: {"count": usage.count, "lastRecalledAt": usage.last_recalled}
        for note_id, usage in sorted(counts.items())
    }
