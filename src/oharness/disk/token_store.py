"""Where the tokens of who is signed in lie: in the system's keyring, or in credentials.json; never in both.

The keyring is used when the extra `keyring` is installed and the system has one that keeps what it is given. What lies
in the keyring changes without any file changing, so a sign-in or sign-out there writes cloud.json anew: `stamp` shows
it to other processes.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from oharness.core.errors import Failed
from oharness.core.jsontext import parse_json
from oharness.disk.atomic import ensure_directory, storage_errors
from oharness.disk.credentials_file import (
    Credentials,
    credentials_in,
    credentials_object,
    forget_credentials,
    read_credentials,
    write_credentials,
)
from oharness.disk.filesystem import PRIVATE_DIRECTORY, FileSystem, HeldLock, LockTaken
from oharness.disk.home import Home
from oharness.disk.json_files import read_object, write_object

_SERVICE = "oharness"
_LEAST_PRIORITY = 1
"""The keyring library gives its backends a priority; those below this keep secrets in the open, or not at all."""


@dataclass(eq=False)
class KeyringFailed(Failed):
    """The system's keyring is locked, or does not answer."""

    reason: str


@dataclass(eq=False)
class SignInBusy(Failed):
    """Another process keeps changing the tokens for too long."""

    holder_pid: int


class Keyring(Protocol):
    """A place of the system for secrets, by name. Every method raises KeyringFailed."""

    def get(self, name: str) -> str | None: ...
    def set(self, name: str, secret: str) -> None: ...
    def delete(self, name: str) -> None:
        """Removes the secret; done when there is none."""
        ...


def no_keyring() -> None:
    """Tokens lie in the file."""


class TokenStore:
    """The tokens of one home. All methods block."""

    def __init__(self, files: FileSystem, home: Home, keyring: Callable[[], Keyring | None] = no_keyring) -> None:
        """`keyring` is asked for the system's only when it is needed: finding it takes a while."""
        self._files = files
        self._home = home
        self._find_keyring = keyring

    def read(self) -> Credentials | None:
        """Who is signed in; None when nobody is.

        Raises: BrokenFile, StorageFailed, KeyringFailed.
        """
        kept = read_credentials(self._files, self._home)
        if kept is not None or not self._files.exists(self._home.cloud_file):
            return kept
        keyring = self._find_keyring()
        return _parsed(keyring.get(self._name)) if keyring else None

    def write(self, credentials: Credentials) -> None:
        """Keeps who has signed in, in place of whoever was before.

        Raises: StorageFailed, BrokenFile.
        """
        keyring = self._find_keyring()
        if keyring is not None and self._kept_in(keyring, credentials):
            forget_credentials(self._files, self._home)
            self._mark_change()
            return
        write_credentials(self._files, self._home, credentials)
        if keyring is not None:
            with suppress(KeyringFailed):
                keyring.delete(self._name)

    def replace(self, credentials: Credentials) -> None:
        """Keeps newer tokens of the same sign-in where the older ones lie.

        Raises: StorageFailed, BrokenFile.
        """
        if self._files.exists(self._home.credentials_file):
            write_credentials(self._files, self._home, credentials)
        else:
            self.write(credentials)

    def forget(self) -> bool:
        """Signs out on this machine, wherever the tokens lie; whether anybody was signed in.

        Raises: StorageFailed, BrokenFile, KeyringFailed.
        """
        was_in_file = forget_credentials(self._files, self._home)
        if not self._files.exists(self._home.cloud_file):
            return was_in_file
        keyring = self._find_keyring()
        was_in_keyring = keyring is not None and keyring.get(self._name) is not None
        if keyring is not None and was_in_keyring:
            keyring.delete(self._name)
            self._mark_change()
        return was_in_file or was_in_keyring

    def stamp(self) -> tuple[object, ...]:
        """A value that is another one after somebody signed in or out, in whatever process."""
        return (self._looks(self._home.credentials_file), self._looks(self._home.cloud_file))

    def has_traces(self) -> bool:
        """Whether anybody ever signed in here, as far as files say."""
        return self.stamp() != (None, None)

    def lock(self, wait_s: float) -> HeldLock:
        """Lets one process at a time exchange the tokens.

        Raises: SignInBusy; StorageFailed.
        """
        path = self._home.locks / "credentials.lock"
        ensure_directory(self._files, path.parent, PRIVATE_DIRECTORY)
        with storage_errors(path):
            try:
                return self._files.take_lock(path, wait_s)
            except LockTaken as taken:
                raise SignInBusy(taken.holder_pid) from taken

    @property
    def _name(self) -> str:
        return str(self._home.root)

    def _kept_in(self, keyring: Keyring, credentials: Credentials) -> bool:
        """Whether the keyring keeps it: some are locked, and some take no text of this length."""
        secret = json.dumps(credentials_object(credentials))
        try:
            keyring.set(self._name, secret)
            return keyring.get(self._name) == secret
        except KeyringFailed:
            return False

    def _mark_change(self) -> None:
        content = read_object(self._files, self._home.cloud_file) or {}
        ensure_directory(self._files, self._home.root, PRIVATE_DIRECTORY)
        write_object(self._files, self._home.cloud_file, content)

    def _looks(self, path: Path) -> tuple[int, int, int] | None:
        try:
            status = self._files.status(path)
        except OSError:
            return None
        return (status.st_mtime_ns, status.st_size, status.st_ino)


def _parsed(secret: str | None) -> Credentials | None:
    try:
        value = parse_json(secret or "")
    except (ValueError, RecursionError):
        return None
    return credentials_in(value) if isinstance(value, dict) else None


class SystemKeyring:
    """The keyring of the desktop, through the library `keyring`."""

    def get(self, name: str) -> str | None:
        import keyring

        with _keyring_errors():
            return keyring.get_password(_SERVICE, name)

    def set(self, name: str, secret: str) -> None:
        import keyring

        with _keyring_errors():
            keyring.set_password(_SERVICE, name, secret)

    def delete(self, name: str) -> None:
        import keyring

        with _keyring_errors():
            if keyring.get_password(_SERVICE, name) is not None:
                keyring.delete_password(_SERVICE, name)


def system_keyring() -> Keyring | None:
    """The system's keyring; None when the extra is not installed or the system has none worth the name."""
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError:
        return None
    try:
        priority = keyring.get_keyring().priority
    except (KeyringError, RuntimeError, OSError):
        return None
    return SystemKeyring() if priority >= _LEAST_PRIORITY else None


@contextmanager
def _keyring_errors() -> Iterator[None]:
    from keyring.errors import KeyringError

    try:
        yield
    except (KeyringError, RuntimeError, OSError) as error:
        raise KeyringFailed(f"{type(error).__name__}: {error}"[:200]) from error
