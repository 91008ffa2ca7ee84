"""Who is signed in, and which scopes may sync with them: asked of files, which other processes change at any time."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from oharness.core.errors import OharnessError
from oharness.core.scopes import Scope
from oharness.disk.credentials_file import Credentials
from oharness.sync.account import SignInPlace
from oharness.sync.pinning import is_on, pinned_elsewhere
from oharness.sync.schedule import Hold

Stamp = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class AccountNow:
    """What the files said when they looked like `stamp`. A scope without a hold may sync."""

    stamp: Stamp
    credentials: Credentials | None
    holds: Mapping[Scope, Hold | None]


NOT_LOOKED_YET = AccountNow((), None, {})


def account_stamp(place: SignInPlace) -> Stamp:
    """A value that is another one after a sign-in, a sign-out or a turn of the switch. Blocking."""
    try:
        status = place.files.status(place.home.plugins_file)
    except OSError:
        return (*place.store.stamp(), None)
    return (*place.store.stamp(), (status.st_mtime_ns, status.st_size, status.st_ino))


def look_at_account(place: SignInPlace, scopes: Iterable[Scope]) -> AccountNow:
    """Who is signed in now, and what holds which scope. Blocking.

    A file that cannot be read may say "off", so that nothing is synced on its account.
    """
    stamp = account_stamp(place)
    try:
        credentials = place.store.read()
        return AccountNow(stamp, credentials, {scope: _hold(place, scope, credentials) for scope in set(scopes)})
    except OharnessError:
        return AccountNow(stamp, None, dict.fromkeys(scopes, Hold.UNREADABLE))


def _hold(place: SignInPlace, scope: Scope, credentials: Credentials | None) -> Hold | None:
    if not is_on(place.files, place.home, scope):
        return Hold.OFF
    if credentials is None or credentials.is_used_up:
        return Hold.SIGNED_OUT
    return Hold.ACCOUNT_CHANGED if pinned_elsewhere(place.files, place.home, scope, credentials) else None
