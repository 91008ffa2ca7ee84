"""`oharness sync-server gc`: removes what no manifest names and erased accounts left (P-42).

Objects are listed first and manifests read after, so that what a commit named meanwhile is seen; and nothing younger
than 48 hours is touched, so that what a commit is about to name is not either.
"""

import json
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass

from oharness.core.clock import Clock
from oharness.core.randomness import Randomness
from oharness.syncserver.erase import EraseService
from oharness.syncserver.keys import is_manifest_key, marked_segment, scope_of_object, segment
from oharness.syncserver.manifest import ManifestUnreadable
from oharness.syncserver.manifest_store import ManifestStore
from oharness.syncserver.objects.base import ListedObject, ObjectStore

OLD_ENOUGH_MS = 48 * 3_600_000
_USERS, _PROBES = "users/", "probe/"
_ERASED_USERS, _ERASED_TEAMS = "erased/users/", "erased/teams/"


@dataclass(frozen=True, slots=True)
class GcReport:
    """What was looked at and what was removed; scopes whose manifest cannot be read are left alone."""

    scopes: int
    objects: int
    removed: int
    unreadable: int
    erased: int

    def as_json(self) -> str:
        """The report on one line."""
        return json.dumps(asdict(self))


@dataclass(frozen=True, slots=True)
class _ScopeObjects:
    """The bodies of one scope as listed, and whether its manifest was listed with them."""

    prefix: str
    bodies: list[ListedObject]
    has_manifest: bool


async def collect_garbage(store: ObjectStore, clock: Clock, randomness: Randomness) -> GcReport:
    """One sweep over everything.

    Raises: StoreUnavailable.
    """
    await store.start()
    oldest = clock.now_ms() - OLD_ENOUGH_MS
    manifests = ManifestStore(store, clock, cache_bytes=0)
    erased = await _sweep_erased(store, EraseService(store, manifests, clock, randomness))
    removed = await store.remove([one.key async for one in store.list_under(_PROBES) if one.modified_ms < oldest])
    scopes = objects = unreadable = 0
    async for scope in _scopes(store):
        scopes += 1
        objects += len(scope.bodies)
        gone = await _unnamed(manifests, scope, oldest)
        if gone is None:
            unreadable += 1
        else:
            removed += await store.remove(gone)
    return GcReport(scopes, objects, removed, unreadable, erased)


async def _sweep_erased(store: ObjectStore, eraser: EraseService) -> int:
    erased = 0
    for marker in [one.key async for one in store.list_under(_ERASED_USERS)]:
        erased += await eraser.sweep_account(marked_segment(marker))
    for marker in [one.key async for one in store.list_under(_ERASED_TEAMS)]:
        erased += await eraser.sweep_team(marked_segment(marker))
    return erased


async def _scopes(store: ObjectStore) -> AsyncIterator[_ScopeObjects]:
    """The bodies, scope by scope: a listing is in the order of keys, and a scope that comes twice does no harm."""
    prefix = ""
    bodies: list[ListedObject] = []
    manifests: set[str] = set()
    async for one in store.list_under(_USERS):
        if is_manifest_key(one.key):
            manifests.add(one.key)
            continue
        scope = scope_of_object(one.key)
        if scope is None:
            continue
        if scope != prefix:
            if bodies:
                yield _ScopeObjects(prefix, bodies, f"{prefix}manifest.json" in manifests)
            prefix, bodies = scope, []
        bodies.append(one)
    if bodies:
        yield _ScopeObjects(prefix, bodies, f"{prefix}manifest.json" in manifests)


async def _unnamed(manifests: ManifestStore, scope: _ScopeObjects, oldest: int) -> list[str] | None:
    """The old bodies that the manifest does not name; None when nobody can tell."""
    try:
        read = await manifests.read(f"{scope.prefix}manifest.json")
    except ManifestUnreadable:
        return None
    if read.version is None and scope.has_manifest:
        return None
    named = {
        f"{scope.prefix}objects/{segment(note_id)}/{segment(entry.revision)}.md"
        for note_id, entry in read.manifest.notes.items()
    }
    return [one.key for one in scope.bodies if one.key not in named and one.modified_ms < oldest]
