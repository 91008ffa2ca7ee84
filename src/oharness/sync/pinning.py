"""May a scope sync now? It is pinned to its first account and Cloud, and there is one switch for everything.

The switch is kept at each scope's target in plugins.json; the user's own notes' switch counts for every scope, so that
"off" also covers projects that were not open when it was pressed.
"""

from dataclasses import dataclass

from oharness.core.errors import Refused, WaitsForPerson
from oharness.core.scopes import USER_SCOPE, Scope
from oharness.disk.filesystem import FileSystem
from oharness.disk.home import Home
from oharness.disk.plugins_file import SyncTarget, set_sync_target, sync_target
from oharness.sync.desk import AccountChanged


@dataclass(eq=False)
class SyncIsOff(Refused):
    """Sync is switched off; nothing is asked of the cloud until it is switched on again."""


@dataclass(eq=False)
class CloudChanged(WaitsForPerson):
    """The scope belongs to the Cloud `pinned`, and `present` is signed in to; nothing is sent there."""

    scope: str
    pinned: str
    present: str


def is_on(files: FileSystem, home: Home, scope: Scope) -> bool:
    """Whether a scope's switch is on; it is unless somebody turned it off.

    Raises: BrokenFile, StorageFailed.
    """
    return all(
        target is None or target.enabled
        for target in (sync_target(files, home, scope), sync_target(files, home, USER_SCOPE))
    )


def switch(files: FileSystem, home: Home, scope: Scope, *, on: bool) -> None:
    """Turns a scope's switch; its pin stays.

    Raises: BrokenFile, StorageFailed, FolderBusy.
    """
    pinned = sync_target(files, home, scope) or SyncTarget("", "", on)
    set_sync_target(files, home, scope, SyncTarget(pinned.user_id, pinned.origin, on))


def check_pin(files: FileSystem, home: Home, scope: Scope, user_id: str, origin: str) -> None:
    """Makes sure that the scope may sync as `user_id` at `origin`. Writes nothing.

    Raises: SyncIsOff, AccountChanged, CloudChanged; BrokenFile, StorageFailed.
    """
    if not is_on(files, home, scope):
        raise SyncIsOff
    target = sync_target(files, home, scope)
    if target is None or not target.user_id:
        return
    if target.origin != origin:
        raise CloudChanged(scope.key, target.origin, origin)
    if target.user_id != user_id:
        raise AccountChanged(scope.key, target.user_id, user_id)


def pin(files: FileSystem, home: Home, scope: Scope, user_id: str, origin: str) -> None:
    """Pins a scope at its first pass, before anything of it is sent or taken; later it changes nothing.

    Raises: as `check_pin`; FolderBusy.
    """
    check_pin(files, home, scope, user_id, origin)
    target = sync_target(files, home, scope)
    if target is None or not target.user_id:
        set_sync_target(files, home, scope, SyncTarget(user_id, origin, enabled=True))
