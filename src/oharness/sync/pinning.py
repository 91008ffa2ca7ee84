"""May a scope sync now? It is pinned to its first account and Cloud, and there is one switch for everything.

The switch is kept at each scope's target in plugins.json; the user's own notes' switch counts for every scope, so that
"off" also covers projects that were not open when it was pressed, and "on" is on for those that were.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from oharness.core.errors import Refused, WaitsForPerson
from oharness.core.scopes import USER_SCOPE, Scope
from oharness.disk.credentials_file import Credentials
from oharness.disk.filesystem import FileSystem
from oharness.disk.home import Home
from oharness.disk.plugins_file import SyncTarget, set_sync_target, switch_sync_targets, sync_target


@dataclass(eq=False)
class SyncIsOff(Refused):
    """Sync is switched off; nothing is asked of the cloud until it is switched on again."""


@dataclass(eq=False)
class PinnedElsewhere(WaitsForPerson):
    """The scope belongs to an account and a Cloud (`pinned_user`, `pinned_origin`) other than those signed in to."""

    scope: str
    pinned_user: str
    pinned_origin: str
    present_user: str
    present_origin: str


def is_on(files: FileSystem, home: Home, scope: Scope) -> bool:
    """Whether a scope's switch is on; it is unless somebody turned it off.

    Raises: BrokenFile, StorageFailed.
    """
    targets = (sync_target(files, home, scope), sync_target(files, home, USER_SCOPE))
    return all(target is None or target.enabled for target in targets)


def switch(files: FileSystem, home: Home, scopes: Iterable[Scope], *, on: bool) -> None:
    """Turns the one switch: at the user's own notes, at `scopes` and at every scope that ever synced; pins stay.

    Raises: BrokenFile, StorageFailed, FolderBusy.
    """
    switch_sync_targets(files, home, (USER_SCOPE, *scopes), on=on)


def pin(files: FileSystem, home: Home, scope: Scope, credentials: Credentials) -> None:
    """Makes sure that the scope may sync with who is signed in; its first pass pins it.

    Raises: SyncIsOff, PinnedElsewhere; BrokenFile, StorageFailed, FolderBusy.
    """
    if not is_on(files, home, scope):
        raise SyncIsOff
    elsewhere = pinned_elsewhere(files, home, scope, credentials)
    if elsewhere is not None:
        raise elsewhere
    target = sync_target(files, home, scope)
    if target is None or not target.user_id:
        set_sync_target(files, home, scope, SyncTarget(credentials.user_id, credentials.cloud, enabled=True))


def pinned_elsewhere(files: FileSystem, home: Home, scope: Scope, credentials: Credentials) -> PinnedElsewhere | None:
    """What keeps a scope from syncing with who is signed in: it belongs to somebody or somewhere else.

    Raises: BrokenFile, StorageFailed.
    """
    target = sync_target(files, home, scope)
    present = (credentials.user_id, credentials.cloud)
    if target is None or not target.user_id or (target.user_id, target.origin) == present:
        return None
    return PinnedElsewhere(scope.key, target.user_id, target.origin, *present)
