"""memory-tidy/background.json: when background merging last ran in each scope, and what it tried in vain.

A small model is not asked again about notes that it could not merge without loss, until one of them is edited.
"""

from dataclasses import dataclass
from typing import Any

from oharness.core.clock import Millis
from oharness.core.scopes import Scope
from oharness.disk.atomic import ensure_directory
from oharness.disk.filesystem import PRIVATE_DIRECTORY, FileSystem, HeldLock, LockTaken
from oharness.disk.home import Home
from oharness.disk.json_files import BrokenFile, read_object, write_object

VERSION = 1
_MOST_TRIED = 500


@dataclass(frozen=True, slots=True)
class ScopePasses:
    """What is known of one scope: the last pass, and the groups (`tried`) that no pass need look at as they are."""

    last_pass: Millis | None = None
    tried: tuple[str, ...] = ()


class BackgroundMerges:
    """The state of all scopes of one home; read and written while its lock is held."""

    def __init__(self, files: FileSystem, home: Home) -> None:
        self._files = files
        self._path = home.tidying / "background.json"
        self._locks = home.locks

    def lock(self) -> HeldLock | None:
        """Keeps other processes of this home from merging in the background; None when one does just now.

        Raises: StorageFailed.
        """
        ensure_directory(self._files, self._locks, PRIVATE_DIRECTORY)
        try:
            return self._files.take_lock(self._locks / "background-merging.lock", 0)
        except LockTaken:
            return None

    def of(self, scope: Scope) -> ScopePasses:
        """What is known of a scope; nothing when the file cannot be read.

        Raises: StorageFailed.
        """
        raw = self._scopes().get(scope.digest)
        if not isinstance(raw, dict):
            return ScopePasses()
        last, tried = raw.get("lastPassAt"), raw.get("tried")
        listed = tuple(one for one in tried if isinstance(one, str)) if isinstance(tried, list) else ()
        return ScopePasses(Millis(last) if isinstance(last, int) else None, listed)

    def keep(self, scope: Scope, passes: ScopePasses) -> None:
        """Keeps what is known of a scope.

        Raises: StorageFailed.
        """
        ensure_directory(self._files, self._path.parent, PRIVATE_DIRECTORY)
        kept = {"lastPassAt": passes.last_pass, "tried": list(passes.tried[-_MOST_TRIED:])}
        write_object(self._files, self._path, {"version": VERSION, "scopes": {**self._scopes(), scope.digest: kept}})

    def _scopes(self) -> dict[str, Any]:
        try:
            scopes = (read_object(self._files, self._path) or {}).get("scopes")
        except BrokenFile:
            return {}
        return scopes if isinstance(scopes, dict) else {}
