"""memory-forgotten/: fingerprints of what a person forgot on purpose, one file for each scope, never the text.

A note is found by its id without the id standing there: ids are made of words of their summaries.
"""

import hashlib
import hmac
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from oharness.core.clock import Clock
from oharness.core.randomness import Randomness
from oharness.core.scopes import Scope
from oharness.disk.atomic import ensure_directory
from oharness.disk.filesystem import PRIVATE_DIRECTORY, FileSystem
from oharness.disk.folder_lock import FolderLock
from oharness.disk.home import Home
from oharness.disk.json_files import read_object, write_object
from oharness.extract.fingerprint import Fingerprint

VERSION = 1
MOST_KEPT = 2000
"""The oldest go first; nobody forgets so many notes that a conversation could still bring back."""

_ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz"
_SALT_LENGTH = 32


@dataclass(frozen=True, slots=True)
class KnownFingerprints:
    """All of one scope, and the salt that they were made under."""

    salt: bytes
    fingerprints: tuple[Fingerprint, ...]
    ids: tuple[str, ...]

    def of_id(self, note_id: str) -> list[Fingerprint]:
        """Those of the note with this id."""
        wanted = _id_digest(note_id, self.salt)
        return [one for one, name in zip(self.fingerprints, self.ids, strict=True) if name == wanted]


class ForgottenNotes:
    """The fingerprints of one scope; several processes may add some at once."""

    def __init__(self, files: FileSystem, home: Home, scope: Scope, clock: Clock, randomness: Randomness) -> None:
        self._files = files
        self._path = home.forgotten / f"{scope.digest}.json"
        self._lock = FolderLock(files, self._path, home.locks)
        self._clock = clock
        self._randomness = randomness

    def known(self) -> KnownFingerprints | None:
        """Everything that is kept; None where nothing ever was.

        Raises: BrokenFile; StorageFailed.
        """
        content = read_object(self._files, self._path)
        return None if content is None else _known(content)

    def keep(self, note_id: str, made: Callable[[bytes], Fingerprint]) -> None:
        """Keeps the fingerprint that `made` gives under this scope's salt; may be repeated.

        Raises: BrokenFile; StorageFailed; FolderBusy.
        """
        ensure_directory(self._files, self._path.parent, PRIVATE_DIRECTORY)
        with self._lock.held():
            content = read_object(self._files, self._path) or {}
            salt = content.get("salt")
            if not isinstance(salt, str) or not salt:
                salt, content = self._randomness.text(_ALPHABET, _SALT_LENGTH), {}
            fingerprint, name = made(salt.encode()), _id_digest(note_id, salt.encode())
            raw = {
                "note": name,
                "at": self._clock.now_ms(),
                "head": sorted(fingerprint.head),
                "whole": sorted(fingerprint.whole),
            }
            others = [one for one in _listed(content) if not _is_same(one, raw)]
            self._write(salt, [*others, raw][-MOST_KEPT:])

    def lift(self, applies: Callable[[Fingerprint, bytes], bool]) -> None:
        """Removes fingerprints whose note somebody wrote again on purpose.

        Raises: BrokenFile; StorageFailed; FolderBusy.
        """
        known = self.known()
        if known is None or not any(applies(one, known.salt) for one in known.fingerprints):
            return
        with self._lock.held():
            content = read_object(self._files, self._path) or {}
            now = _known(content)
            kept = [raw for raw in _listed(content) if not applies(_fingerprint(raw), now.salt)]
            self._write(now.salt.decode(), kept)

    def _write(self, salt: str, listed: list[dict[str, Any]]) -> None:
        write_object(self._files, self._path, {"version": VERSION, "salt": salt, "notes": listed})


def _known(content: dict[str, Any]) -> KnownFingerprints:
    listed = _listed(content)
    salt = content.get("salt")
    return KnownFingerprints(
        salt.encode() if isinstance(salt, str) else b"",
        tuple(map(_fingerprint, listed)),
        tuple(str(raw.get("note", "")) for raw in listed),
    )


def _listed(content: dict[str, Any]) -> list[dict[str, Any]]:
    listed = content.get("notes")
    return [raw for raw in listed if isinstance(raw, dict)] if isinstance(listed, list) else []


def _is_same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return all(one.get(key) == other[key] for key in ("note", "head", "whole"))


def _fingerprint(raw: dict[str, Any]) -> Fingerprint:
    return Fingerprint(_numbers(raw.get("head")), _numbers(raw.get("whole")))


def _numbers(raw: Any) -> frozenset[int]:
    return frozenset(one for one in raw if isinstance(one, int)) if isinstance(raw, list) else frozenset()


def _id_digest(note_id: str, salt: bytes) -> str:
    return hmac.new(salt, b"id:" + note_id.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[:16]
