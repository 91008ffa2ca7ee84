"""Whether a store does conditional writes right, found out by doing them (P-43, P-44)."""

import asyncio
import contextlib
from dataclasses import dataclass

from oharness.core.clock import Clock
from oharness.core.errors import Failed
from oharness.core.randomness import Randomness
from oharness.syncserver.objects.base import (
    Found,
    Moved,
    ObjectStore,
    SameVersion,
    Stored,
    StoreUnavailable,
    StoreVersion,
    Unknown,
    Written,
)

_RACERS = 4
_ROUNDS = 2


@dataclass(eq=False)
class StoreUnfit(Failed):
    """The store answered, and it would lose notes: `fault` says what it did."""

    fault: str


async def probe_store(store: ObjectStore, clock: Clock, randomness: Randomness) -> None:
    """Returns when the store creates once, replaces only the version that was named, and lets one of several win.

    Raises: StoreUnfit, StoreUnavailable when it did not answer.
    """
    name = randomness.token(12)
    key, missing = f"probe/{name}.json", f"probe/{name}-missing.json"
    try:
        await _probe(_Unhurried(store, clock), key, missing)
    finally:
        with contextlib.suppress(StoreUnavailable):
            await store.remove([key, missing])


class _Unhurried:
    """The store, with the pause between writes of one key that some stores insist on."""

    def __init__(self, store: ObjectStore, clock: Clock) -> None:
        self.store = store
        self._clock = clock

    async def create(self, key: str, value: bytes) -> Written:
        await self.pause()
        return await self.store.create(key, value)

    async def replace(self, key: str, value: bytes, known: StoreVersion) -> Written:
        await self.pause()
        return await self.store.replace(key, value, known)

    async def pause(self) -> None:
        if self.store.min_write_interval_s:
            await self._clock.sleep(self.store.min_write_interval_s)


async def _probe(unhurried: _Unhurried, key: str, missing: str) -> None:
    store = unhurried.store
    first = await _stored(store, key, await unhurried.create(key, b'{"probe": 1}'))
    _expect_moved(
        await unhurried.create(key, b'{"probe": 2}'), key, "it created an object that was already there (If-None-Match)"
    )
    await _stored(store, key, await unhurried.replace(key, b'{"probe": 3}', first))
    _expect_moved(
        await unhurried.replace(key, b'{"probe": 4}', first),
        key,
        "it replaced an object although its version was not the one named (If-Match)",
    )
    _expect_moved(
        await unhurried.replace(missing, b'{"probe": 5}', first),
        missing,
        "it created an object that was to be replaced only (If-Match on a missing key)",
    )
    latest = await _found(store, key)
    if latest.value != b'{"probe": 3}':
        raise StoreUnfit("it gave back something else than what was written last")
    if not isinstance(await store.read_unless(key, latest.version), SameVersion):
        raise StoreUnfit("it did not say that an object is unchanged (If-None-Match on reading)")
    for number in range(_ROUNDS):
        await unhurried.pause()
        await _race(store, key, number)


async def _race(store: ObjectStore, key: str, number: int) -> None:
    before = await _found(store, key)
    written = await asyncio.gather(
        *(store.replace(key, f'{{"probe": "{number}-{racer}"}}'.encode(), before.version) for racer in range(_RACERS))
    )
    winners = sum(isinstance(one, Stored) for one in written)
    if winners > 1:
        raise StoreUnfit(f"{winners} of {_RACERS} writers replaced the same version at once")
    if winners == 0 and not any(isinstance(one, Unknown) for one in written):
        raise StoreUnfit("of several writers at once none came through")


async def _stored(store: ObjectStore, key: str, written: Written) -> StoreVersion:
    match written:
        case Stored():
            return (await _found(store, key)).version
        case Moved():
            raise StoreUnfit("it refused a write whose condition held")
        case Unknown():
            raise StoreUnavailable(key, written.reason)


async def _found(store: ObjectStore, key: str) -> Found:
    reading = await store.read(key)
    if not isinstance(reading, Found):
        raise StoreUnfit("it did not give back what was just written")
    return reading


def _expect_moved(written: Written, key: str, fault: str) -> None:
    match written:
        case Stored():
            raise StoreUnfit(fault)
        case Unknown():
            raise StoreUnavailable(key, written.reason)
        case Moved():
            pass
