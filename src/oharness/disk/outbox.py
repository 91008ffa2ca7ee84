"""outbox.json: the one commit that is on its way, so that after a lost answer it is not done twice (P-31)."""

import contextlib
from pathlib import Path

import msgspec

from oharness.core.scopes import Scope
from oharness.disk.atomic import create_in_place, ensure_directory, storage_errors, write_file
from oharness.disk.filesystem import PRIVATE_DIRECTORY, FileSystem
from oharness.disk.home import Home
from oharness.disk.sync_shapes import STATE_VERSION, StateShape
from oharness.disk.sync_state import StateFromNewerVersion

_FILE = "outbox.json"


class _OutboxShape(StateShape):
    """The exact body of the request, as text."""

    body: str = ""


class Outbox:
    """The outbox of one notes directory; whoever uses it holds the directory's pass lock."""

    def __init__(self, files: FileSystem, home: Home, scope: Scope, replica: str) -> None:
        self._files = files
        self._path: Path = home.sync_directory(scope, replica) / _FILE

    def waiting(self) -> bytes | None:
        """The body of a commit whose answer has not been recorded; None when there is none.

        A file that cannot be understood counts as none: it is being written just now, or was cut off and never
        sent, and what it wanted to send is still in the notes. It is left alone: whoever asks need not hold the lock.
        Raises: StateFromNewerVersion; StorageFailed.
        """
        with storage_errors(self._path):
            try:
                data = self._files.read(self._path)
            except FileNotFoundError:
                return None
        try:
            shape = msgspec.json.decode(data, type=_OutboxShape)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return None
        if shape.version > STATE_VERSION:
            raise StateFromNewerVersion(str(self._path), shape.version)
        return shape.body.encode()

    def keep(self, body: bytes) -> None:
        """Keeps the body of a commit that is about to be sent; it has reached the device when this returns.

        Raises: StorageFailed; the commit must then not be sent.
        """
        ensure_directory(self._files, self._path.parent, PRIVATE_DIRECTORY)
        shape = _OutboxShape(version=STATE_VERSION, body=body.decode())
        data = msgspec.json.encode(shape)
        if not create_in_place(self._files, self._path, data):
            write_file(self._files, self._path, data)

    def clear(self) -> None:
        """Lets go of the commit, whose results are recorded; may be repeated.

        Not waited for: whatever is kept here next takes the removal to the device with it, since all of it lies in one
        folder. A commit that a power cut brings back before that is sent and recorded once more, which changes nothing.
        Raises: StorageFailed.
        """
        with storage_errors(self._path), contextlib.suppress(FileNotFoundError):
            self._files.remove(self._path)
