"""Keeps two processes of this product from writing to one folder at the same time.

The lock file lies under the home, named by the folder's real path, so that a repository stays clean. Where
the home cannot be written, a dot file in the folder itself takes its place. The system frees the lock when
its holder dies. Two homes do not see each other's locks: comparing before replacing still protects there.
"""

import contextlib
import hashlib
import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from oharness.core.errors import Failed, StorageFailed
from oharness.disk.atomic import ensure_directory, reason_of, storage_errors
from oharness.disk.filesystem import PRIVATE_DIRECTORY, FileSystem, HeldLock, LockTaken

WAIT_SECONDS = 20.0
LOCK_FILE_IN_FOLDER = ".oharness.lock"


@dataclass(eq=False)
class FolderBusy(Failed):
    """Another process kept the folder's lock for the whole wait; `holder_pid` is 0 when unknown."""

    path: str
    waited_s: float
    holder_pid: int


class FolderLock:
    """The lock of one folder. The same thread may take it again while it holds it."""

    def __init__(self, files: FileSystem, folder: Path, locks: Path, wait_s: float = WAIT_SECONDS) -> None:
        self._files = files
        self._folder = folder
        self._locks = locks
        self._wait_s = wait_s
        self._threads = threading.RLock()
        self._depth = 0

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Holds the lock inside the `with`.

        Raises: FolderBusy; StorageFailed when neither place can hold the lock file.
        """
        if not self._threads.acquire(timeout=self._wait_s):
            raise FolderBusy(str(self._folder), self._wait_s, os.getpid())
        try:
            if self._depth:
                with self._nested():
                    yield
                return
            lock = self._acquired()
            try:
                with self._nested():
                    yield
            finally:
                lock.release()
        finally:
            self._threads.release()

    @contextlib.contextmanager
    def _nested(self) -> Iterator[None]:
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1

    def _acquired(self) -> HeldLock:
        try:
            ensure_directory(self._files, self._locks, PRIVATE_DIRECTORY)
            return self._acquired_at(self._locks / f"{_name_of(self._folder)}.lock")
        except (StorageFailed, OSError) as error:
            if self._files.is_directory(self._folder):
                return self._acquired_in_folder()
            if isinstance(error, StorageFailed):
                raise
            raise StorageFailed(str(self._locks), reason_of(error)) from error

    def _acquired_in_folder(self) -> HeldLock:
        with storage_errors(self._folder):
            self._files.status(self._folder)
            return self._acquired_at(self._folder / LOCK_FILE_IN_FOLDER)

    def _acquired_at(self, path: Path) -> HeldLock:
        try:
            return self._files.take_lock(path, self._wait_s)
        except LockTaken as taken:
            raise FolderBusy(str(self._folder), self._wait_s, taken.holder_pid) from taken


def _name_of(folder: Path) -> str:
    return hashlib.sha256(os.fsencode(os.path.realpath(folder))).hexdigest()
