"""An object store in which every call takes its time, and some writes happen long after the store gave up on them.

Before and after each thing that the store does, `moment` is awaited: there others get their turn.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence

from oharness.syncserver.objects.base import (
    ListedObject,
    ObjectStore,
    Reading,
    SameVersion,
    StoreUnavailable,
    StoreVersion,
    Unknown,
    Written,
)

Moment = Callable[[], Awaitable[None]]
HeldBackS = Callable[[str, str], float | None]
"""For a call and a key: None, or how long after its caller was told nothing it happens all the same."""


class HeldBackObjects:
    """An `ObjectStore` around one whose calls happen at once."""

    def __init__(self, inner: ObjectStore, moment: Moment, held_back_s: HeldBackS) -> None:
        self.inner = inner
        self._moment = moment
        self._held_back_s = held_back_s
        self._late: set[asyncio.Task[None]] = set()

    @property
    def min_write_interval_s(self) -> float:
        return self.inner.min_write_interval_s

    async def start(self) -> None:
        await self.inner.start()

    async def quiet(self) -> None:
        """Returns when nothing is held back any more."""
        while self._late:
            await asyncio.wait(self._late)

    async def read(self, key: str) -> Reading:
        await self._moment()
        reading = await self.inner.read(key)
        await self._moment()
        return reading

    async def read_unless(self, key: str, known: StoreVersion) -> Reading | SameVersion:
        await self._moment()
        reading = await self.inner.read_unless(key, known)
        await self._moment()
        return reading

    async def read_many(self, keys: Sequence[str]) -> list[Reading]:
        return [await self.read(key) for key in keys]

    async def create(self, key: str, value: bytes) -> Written:
        return await self._write("create", key, lambda: self.inner.create(key, value))

    async def create_many(self, objects: Mapping[str, bytes]) -> dict[str, Written]:
        return {key: await self.create(key, value) for key, value in objects.items()}

    async def replace(self, key: str, value: bytes, known: StoreVersion) -> Written:
        return await self._write("replace", key, lambda: self.inner.replace(key, value, known))

    async def put(self, key: str, value: bytes) -> Written:
        return await self._write("put", key, lambda: self.inner.put(key, value))

    async def remove(self, keys: Sequence[str]) -> int:
        removed = 0
        for key in keys:  # a store removes them one by one, and may stop in the middle
            await self._moment()
            if self._held_back_s("remove", key) is not None:
                raise StoreUnavailable(key, "removing")
            removed += await self.inner.remove([key])
        await self._moment()
        return removed

    async def list_under(self, prefix: str) -> AsyncIterator[ListedObject]:
        """Page by page, as stores list: what comes into an earlier page meanwhile is not seen."""
        await self._moment()
        listed = [one async for one in self.inner.list_under(prefix)]
        await self._moment()
        for one in listed:
            yield one

    async def _write(self, name: str, key: str, write: Callable[[], Awaitable[Written]]) -> Written:
        await self._moment()
        late_s = self._held_back_s(name, key)
        if late_s is not None:
            self._hold_back(late_s, write)
            return Unknown("held back")
        written = await write()
        await self._moment()
        return written

    def _hold_back(self, seconds: float, write: Callable[[], Awaitable[Written]]) -> None:
        async def later() -> None:
            await asyncio.sleep(seconds)
            await write()

        task = asyncio.get_running_loop().create_task(later())
        self._late.add(task)
        task.add_done_callback(self._late.discard)
