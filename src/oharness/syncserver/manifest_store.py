"""Manifests read from and written to the object store, the parsed ones kept while their version stands."""

from collections import OrderedDict
from dataclasses import dataclass

from oharness.core.clock import Clock
from oharness.protocol.snapshot import Check
from oharness.syncserver.manifest import NO_MANIFEST, Manifest, check_after, check_of
from oharness.syncserver.manifest_format1 import decode_any_manifest, encode_any_manifest
from oharness.syncserver.objects.base import (
    Absent,
    Found,
    ObjectStore,
    SameVersion,
    Stored,
    StoreVersion,
    Written,
)

_CACHE_BYTES = 64 * 1024 * 1024
_SECOND_LOOK_S = 0.05


@dataclass(frozen=True, slots=True)
class ReadManifest:
    """A manifest and the store's name for that very content; None for a scope never written."""

    manifest: Manifest
    version: StoreVersion | None
    size: int
    modified_ms: int


_NEVER_WRITTEN = ReadManifest(NO_MANIFEST, None, 0, 0)


class ManifestStore:
    """Reads and replaces manifests; never answers from memory without asking the store whether it still stands."""

    def __init__(self, store: ObjectStore, clock: Clock, cache_bytes: int = _CACHE_BYTES) -> None:
        self._store = store
        self._clock = clock
        self._cache_bytes = cache_bytes
        self._cached: OrderedDict[str, ReadManifest] = OrderedDict()
        self._cached_size = 0
        self._checks: dict[str, tuple[Manifest, Check]] = {}

    async def read(self, key: str) -> ReadManifest:
        """The manifest as the store has it now.

        One that seems to have gone back since this process last saw it is looked at twice (a stale answer of the
        store) before it is believed (the storage was restored or wiped).
        Raises: StoreUnavailable, ManifestUnreadable.
        """
        known = self._cached.get(key)
        if known is None:
            return self._remember(key, await self._read_fresh(key))
        latest = await self._read_unless(key, known)
        if latest is known:
            return self._remember(key, known)
        if _went_back(known.manifest, latest.manifest):
            await self._clock.sleep(_SECOND_LOOK_S)
            latest = await self._read_fresh(key)
        return self._remember(key, latest)

    async def write(self, key: str, before: ReadManifest, manifest: Manifest) -> Written:
        """Replaces exactly the manifest that was read, or creates the first one; never raises for the store."""
        data = encode_any_manifest(manifest)
        if before.version is None:
            written = await self._store.create(key, data)
        else:
            written = await self._store.replace(key, data, before.version)
        if isinstance(written, Stored) and written.version is not None:
            now = self._clock.now_ms()
            self._remember(key, ReadManifest(manifest, written.version, len(data), now))
        return written

    def check(self, key: str, manifest: Manifest) -> Check:
        """Count and XOR of a manifest (P-24), computed once for each."""
        known = self._checks.get(key)
        if known is None:
            check = check_of(manifest)
        elif known[0] is manifest:
            return known[1]
        else:
            check = check_after(known[0], known[1], manifest)
        if key in self._cached:
            self._checks[key] = (manifest, check)
        return check

    async def _read_fresh(self, key: str) -> ReadManifest:
        reading = await self._store.read(key)
        return _NEVER_WRITTEN if isinstance(reading, Absent) else _parsed(key, reading)

    async def _read_unless(self, key: str, known: ReadManifest) -> ReadManifest:
        if known.version is None:
            return await self._read_fresh(key)
        reading = await self._store.read_unless(key, known.version)
        match reading:
            case SameVersion():
                return known
            case Absent():
                return _NEVER_WRITTEN
            case Found():
                return _parsed(key, reading)

    def _remember(self, key: str, read: ReadManifest) -> ReadManifest:
        check = self._checks.get(key)
        self._forget(key)
        if check is not None and read.version is not None:
            self._checks[key] = check  # of an earlier manifest, from which the next one is counted
        if read.version is not None:
            self._cached[key] = read
            self._cached_size += read.size
        while self._cached_size > self._cache_bytes:
            self._forget(next(iter(self._cached)))
        return read

    def _forget(self, key: str) -> None:
        known = self._cached.pop(key, None)
        if known is not None:
            self._cached_size -= known.size
        self._checks.pop(key, None)


def _parsed(key: str, found: Found) -> ReadManifest:
    manifest = decode_any_manifest(found.value, key)
    return ReadManifest(manifest, found.version, len(found.value), found.modified_ms)


def _went_back(known: Manifest, latest: Manifest) -> bool:
    return latest.version < known.version if latest.epoch == known.epoch else latest.version == 0
