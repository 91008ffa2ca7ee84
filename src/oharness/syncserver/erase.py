"""Erasing an account or a team: the marker first, manifests swapped rather than deleted, then everything else."""

from oharness.core.clock import Clock
from oharness.core.randomness import Randomness
from oharness.protocol.erase import EraseAnswer, EraseRequest, EraseTeam, EraseUser
from oharness.syncserver.keys import (
    account_prefix_of,
    erased_team_key,
    erased_user_key,
    feed_prefix_of,
    is_manifest_key,
    segment,
    team_feed_prefix_of,
)
from oharness.syncserver.manifest import ManifestUnreadable, erased_manifest
from oharness.syncserver.manifest_store import ManifestStore
from oharness.syncserver.objects.base import ObjectStore, Stored, StoreUnavailable

_SWAP_TRIES = 5
_REMOVE_AT_ONCE = 500


class EraseService:
    """Erases what the store holds of somebody; every step can be repeated."""

    def __init__(self, store: ObjectStore, manifests: ManifestStore, clock: Clock, randomness: Randomness) -> None:
        self._store = store
        self._manifests = manifests
        self._clock = clock
        self._randomness = randomness

    async def erase(self, request: EraseRequest) -> EraseAnswer:
        """Marks and removes (section 9).

        Raises: StoreUnavailable; what was not removed then is by the next call.
        """
        match request:
            case EraseUser():
                await self._mark(erased_user_key(request.account))
                return EraseAnswer(await self.sweep_account(segment(request.account)))
            case EraseTeam():
                await self._mark(erased_team_key(request.team))
                return EraseAnswer(await self.sweep_team(segment(request.team)))

    async def sweep_account(self, account_segment: str) -> int:
        """Removes everything of a marked account but its swapped manifests; the number removed.

        Raises: StoreUnavailable.
        """
        prefix = account_prefix_of(account_segment)
        manifests = [one.key async for one in self._store.list_under(prefix) if is_manifest_key(one.key)]
        for key in manifests:
            await self._swap(key)
        removed = await self._remove_under(prefix, keep_manifests=True)
        return removed + await self._remove_under(feed_prefix_of(account_segment), keep_manifests=False)

    async def sweep_team(self, team_segment: str) -> int:
        """Removes the feeds of a marked team; the number removed.

        Raises: StoreUnavailable.
        """
        return await self._remove_under(team_feed_prefix_of(team_segment), keep_manifests=False)

    async def _mark(self, key: str) -> None:
        written = await self._store.put(key, f'{{"erasedAt":{self._clock.now_ms()}}}'.encode())
        if not isinstance(written, Stored):
            raise StoreUnavailable(key, "the marker could not be written")

    async def _swap(self, key: str) -> None:
        for _ in range(_SWAP_TRIES):
            try:
                read = await self._manifests.read(key)
            except ManifestUnreadable:
                await self._store.remove([key])
                return
            if read.version is None or read.manifest.erased:
                return
            gone = erased_manifest(self._randomness.token(16), self._randomness.token(16))
            if isinstance(await self._manifests.write(key, read, gone), Stored):
                return
        raise StoreUnavailable(key, "the manifest could not be replaced")

    async def _remove_under(self, prefix: str, *, keep_manifests: bool) -> int:
        keys = [
            one.key async for one in self._store.list_under(prefix) if not (keep_manifests and is_manifest_key(one.key))
        ]
        removed = 0
        for start in range(0, len(keys), _REMOVE_AT_ONCE):
            removed += await self._store.remove(keys[start : start + _REMOVE_AT_ONCE])
        return removed
