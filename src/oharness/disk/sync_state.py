"""memory-sync/: what sync keeps of one notes directory, one file for each question.

`baseline.json` what is agreed and seen; `files.json` how note files looked when they were last read; `copies/`
every note as last synced; `conflicts/` the open ones; `guard.json` what vanished, what was asked and answered;
`progress.json` small facts of the last passes, `synced.json` what the last one did. The outbox has a module of its own.

A file that cannot be understood is put aside under another name and counts as absent: without a baseline the next
pass reconciles as on a first sync, which deletes nothing that anybody changed. A file of a newer version of the
product is left alone, and nothing is synced.
"""

import contextlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import msgspec

from oharness.core.clock import Millis
from oharness.core.errors import Failed
from oharness.core.scopes import Scope
from oharness.disk.atomic import (
    Anything,
    ensure_directory,
    remove_files,
    remove_leftovers,
    storage_errors,
    write_file,
    write_unflushed,
)
from oharness.disk.filesystem import PRIVATE_DIRECTORY, FileSystem, HeldLock, LockTaken
from oharness.disk.home import Home
from oharness.disk.sync_copies import SyncCopies
from oharness.disk.sync_shapes import (
    STATE_VERSION,
    BaselineShape,
    ConflictShape,
    FilesShape,
    Guard,
    GuardShape,
    KnownFile,
    LastDone,
    Progress,
    ProgressShape,
    StateShape,
    SyncedShape,
    baseline_shape,
    conflict_shape,
    encoded_entries,
    encoded_files,
    files_shape,
    guard_shape,
    progress_shape,
    read_baseline,
    read_conflict,
    read_files,
    read_guard,
    read_progress,
    read_synced,
    synced_shape,
)
from oharness.notes.problems import NotANote
from oharness.reconcile.baseline import Baseline
from oharness.reconcile.conflict import Conflict

_Write = Callable[[FileSystem, Path, bytes], None]
_Shape = TypeVar("_Shape", bound=StateShape)
_Value = TypeVar("_Value")
_Look: TypeAlias = tuple[int, int, int]
"""How a file looks: time, size and inode; a file is always replaced whole."""

BASELINE = "baseline.json"
FILES = "files.json"
GUARD = "guard.json"
PROGRESS = "progress.json"
SYNCED = "synced.json"
CONFLICTS = "conflicts"
COPIES = "copies"
_BROKEN_SUFFIX = ".broken"


@dataclass(eq=False)
class SyncBusy(Failed):
    """Another process is syncing this directory; `holder_pid` is 0 when unknown."""

    holder_pid: int


@dataclass(eq=False)
class StateFromNewerVersion(Failed):
    """A state file was written by a newer version of this product, which has to be used."""

    path: str
    version: int


class SyncState:
    """What sync keeps of the notes directory that `replica` names (`Home.sync_directory`).

    A file that still looks as it did when it was last read or written is not read again; what is given out is not to
    be changed in place.
    """

    def __init__(self, files: FileSystem, home: Home, scope: Scope, replica: str) -> None:
        self.folder = home.sync_directory(scope, replica)
        self.copies = SyncCopies(files, self.folder / COPIES)
        self._files = files
        self._locks = home.locks
        self._lock_file = home.locks / f"sync-{scope.digest[:32]}-{replica}.lock"
        self._remembered: dict[str, tuple[_Look, Any]] = {}
        self._entries = encoded_entries()
        self._known_files = encoded_files()

    def lock(self, wait_s: float) -> HeldLock:
        """Keeps other passes over this directory away until it is released, or this process dies (P-31).

        What a pass that was killed left half written is cleared away.

        Raises: SyncBusy; StorageFailed.
        """
        ensure_directory(self._files, self._locks, PRIVATE_DIRECTORY)
        with storage_errors(self._lock_file):
            try:
                lock = self._files.take_lock(self._lock_file, wait_s)
            except LockTaken as taken:
                raise SyncBusy(taken.holder_pid) from taken
        try:
            remove_leftovers(self._files, self.folder, Millis(self._files.file_time_ns() // 1_000_000))
        except BaseException:
            lock.release()
            raise
        return lock

    def baseline(self) -> Baseline | None:
        """What is agreed and seen; None before a first sync.

        Raises: StateFromNewerVersion; StorageFailed.
        """
        return self._load(BASELINE, BaselineShape, read_baseline)

    def save_baseline(self, baseline: Baseline) -> None:
        """Keeps the baseline; it has reached the device when this returns.

        Raises: StorageFailed.
        """
        self._save(BASELINE, baseline_shape(baseline, self._entries), baseline)

    def encode_ahead(self, baseline: Baseline) -> None:
        """Computes what `save_baseline` of it, or of one much like it, will write; touches no file."""
        self._entries.members(baseline.entries)

    def known_files(self) -> dict[str, KnownFile]:
        """How note files looked when they were last read.

        Raises: StateFromNewerVersion; StorageFailed.
        """
        return self._load(FILES, FilesShape, read_files) or {}

    def save_known_files(self, files: dict[str, KnownFile]) -> None:
        """Keeps them, without waiting for the device: losing them only costs reading the files again.

        Raises: StorageFailed.
        """
        self._save(FILES, files_shape(files, self._known_files), files, write_unflushed)

    def guard(self) -> Guard:
        """What the guards remember.

        Raises: StateFromNewerVersion; StorageFailed.
        """
        return self._load(GUARD, GuardShape, read_guard) or Guard()

    def save_guard(self, guard: Guard) -> None:
        """Keeps what the guards remember.

        Raises: StorageFailed.
        """
        self._save(GUARD, guard_shape(guard), guard)

    def guard_looks(self) -> object:
        """A value that is another one after the guard was kept, by whatever process."""
        try:
            status = self._files.status(self.folder / GUARD)
        except OSError:
            return None
        return (status.st_mtime_ns, status.st_size, status.st_ino)

    def progress(self) -> Progress:
        """Small facts of the last passes.

        Raises: StateFromNewerVersion; StorageFailed.
        """
        kept = self._load(PROGRESS, ProgressShape, read_progress) or Progress()
        done = self._load(SYNCED, SyncedShape, read_synced) or LastDone()
        return replace(kept, last_synced=done.last_synced, pull=done.pull)

    def save_progress(self, progress: Progress) -> None:
        """Keeps them. What the last pass did is not waited for: a power cut may take that.

        Raises: StateFromNewerVersion; StorageFailed.
        """
        done, rest = _apart(progress)
        done_before, rest_before = _apart(self.progress())
        if done != done_before:
            self._save(SYNCED, synced_shape(done), done, write_unflushed)
        if rest != rest_before:
            self._save(PROGRESS, progress_shape(rest), rest)

    def conflicts(self) -> dict[str, Conflict]:
        """The open conflicts by note id.

        Raises: StateFromNewerVersion; StorageFailed.
        """
        found = [self._load(f"{CONFLICTS}/{name}", ConflictShape, read_conflict) for name in self._conflict_names()]
        return {conflict.id: conflict for conflict in found if conflict is not None}

    def open_conflict(self, conflict: Conflict) -> None:
        """Keeps a conflict with its three versions, in place of an earlier one of the same note.

        Raises: StorageFailed.
        """
        self._save(f"{CONFLICTS}/{conflict.id}.json", conflict_shape(conflict), conflict)

    def close_conflicts(self, note_ids: Iterable[str]) -> None:
        """Drops conflicts that are settled; one that is not there is settled already.

        Raises: StorageFailed.
        """
        removals = [(self.folder / CONFLICTS / f"{note_id}.json", Anything()) for note_id in note_ids]
        remove_files(self._files, removals)

    def other_baselines(self) -> list[Baseline]:
        """The baselines of other directories of the same scope under this home, as far as they can be read."""
        found: list[Baseline] = []
        with contextlib.suppress(OSError):
            for name in self._files.list_names(self.folder.parent):
                path = self.folder.parent / name / BASELINE
                if name == self.folder.name or not self._files.exists(path):
                    continue
                with contextlib.suppress(OSError, msgspec.MsgspecError, ValueError):
                    shape = msgspec.json.decode(self._files.read(path), type=BaselineShape)
                    if shape.version == STATE_VERSION:
                        found.append(read_baseline(shape))
        return found

    def _conflict_names(self) -> list[str]:
        with storage_errors(self.folder / CONFLICTS):
            try:
                names = self._files.list_names(self.folder / CONFLICTS)
            except FileNotFoundError:
                return []
        return sorted(name for name in names if name.endswith(".json") and not name.startswith("."))

    def _load(self, name: str, shape: type[_Shape], read: Callable[[_Shape], _Value]) -> _Value | None:
        path = self.folder / name
        with storage_errors(path):
            try:
                look = self._look_of(path)
                remembered = self._remembered.get(name)
                if remembered and remembered[0] == look:
                    value: _Value = remembered[1]
                    return value
                data = self._files.read(path)
            except FileNotFoundError:
                return None
        try:
            version = msgspec.json.decode(data, type=StateShape).version
            if version > STATE_VERSION:
                raise StateFromNewerVersion(str(path), version)
            value = read(msgspec.json.decode(data, type=shape))
        except (msgspec.MsgspecError, UnicodeDecodeError, ValueError, NotANote):
            self._put_aside(path)
            return None
        self._remembered[name] = (look, value)
        return value

    def _look_of(self, path: Path) -> _Look:
        status = self._files.status(path)
        return status.st_mtime_ns, status.st_size, status.st_ino

    def _put_aside(self, path: Path) -> None:
        with contextlib.suppress(OSError):
            self._files.replace(path, path.with_name(path.name + _BROKEN_SUFFIX))

    def _save(self, name: str, shape: StateShape, value: object, write: _Write = write_file) -> None:
        path = self.folder / name
        ensure_directory(self._files, path.parent, PRIVATE_DIRECTORY)
        self._remembered.pop(name, None)
        write(self._files, path, msgspec.json.encode(shape))
        with storage_errors(path):
            self._remembered[name] = (self._look_of(path), value)


def _apart(progress: Progress) -> tuple[LastDone, Progress]:
    """What tells of the last pass, and the rest."""
    nothing = LastDone()
    rest = replace(progress, last_synced=nothing.last_synced, pull=nothing.pull)
    return LastDone(progress.last_synced, progress.pull), rest
