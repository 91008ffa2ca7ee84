"""Objects in this process's memory: for tests, demonstrations and `memory://`."""

import hashlib
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass

from oharness.core.clock import Clock
from oharness.syncserver.objects.base import (
    Absent,
    Found,
    ListedObject,
    Moved,
    Reading,
    SameVersion,
    Stored,
    StoreVersion,
    Written,
)

_ABSENT = Absent()
_MOVED = Moved()


@dataclass(frozen=True, slots=True)
class _Kept:
    value: bytes
    version: StoreVersion
    modified_ms: int


class RamObjects:
    """An `ObjectStore` in a dictionary; nothing awaits between a comparison and its write."""

    def __init__(self, clock: Clock, min_write_interval_s: float = 0.0) -> None:
        self._clock = clock
        self._objects: dict[str, _Kept] = {}
        self._min_write_interval_s = min_write_interval_s

    @property
    def min_write_interval_s(self) -> float:
        return self._min_write_interval_s

    async def start(self) -> None:
        return None

    async def read(self, key: str) -> Reading:
        kept = self._objects.get(key)
        return _ABSENT if kept is None else Found(kept.value, kept.version, kept.modified_ms)

    async def read_unless(self, key: str, known: StoreVersion) -> Reading | SameVersion:
        kept = self._objects.get(key)
        if kept is not None and kept.version == known:
            return SameVersion()
        return await self.read(key)

    async def read_many(self, keys: Sequence[str]) -> list[Reading]:
        return [await self.read(key) for key in keys]

    async def create(self, key: str, value: bytes) -> Written:
        return _MOVED if key in self._objects else self._keep(key, value)

    async def create_many(self, objects: Mapping[str, bytes]) -> dict[str, Written]:
        return {key: await self.create(key, value) for key, value in objects.items()}

    async def replace(self, key: str, value: bytes, known: StoreVersion) -> Written:
        kept = self._objects.get(key)
        if kept is None or kept.version != known:
            return _MOVED
        return self._keep(key, value)

    async def put(self, key: str, value: bytes) -> Written:
        return self._keep(key, value)

    async def remove(self, keys: Sequence[str]) -> int:
        return sum(self._objects.pop(key, None) is not None for key in keys)

    async def list_under(self, prefix: str) -> AsyncIterator[ListedObject]:
        for key in sorted(self._objects):
            kept = self._objects.get(key)
            if key.startswith(prefix) and kept is not None:
                yield ListedObject(key, len(kept.value), kept.modified_ms)

    def _keep(self, key: str, value: bytes) -> Stored:
        version = StoreVersion(hashlib.sha256(value).hexdigest())
        self._objects[key] = _Kept(value, version, self._clock.now_ms())
        return Stored(version)
