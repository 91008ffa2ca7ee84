"""An object store that misbehaves when it is told to: errors, errors after success, stale and short reads.

store = FaultyObjects(RamObjects(clock), lambda call: Fault.AFTER if call.name == "replace" else None)
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from oharness.syncserver.objects.base import (
    Found,
    ListedObject,
    ObjectStore,
    Reading,
    SameVersion,
    StoreUnavailable,
    StoreVersion,
    Unknown,
    Written,
)


class Fault(Enum):
    """What goes wrong with one call."""

    BEFORE = auto()
    """It is not carried out, and the caller learns nothing."""
    AFTER = auto()
    """It is carried out, and the caller learns nothing: a timeout, or a lost answer."""
    STALE = auto()
    """A read gives what was there before the last write."""
    SHORT = auto()
    """A read gives the first half."""


@dataclass(frozen=True, slots=True)
class StoreCall:
    """A call about to be made: `number` counts all of them from 1."""

    number: int
    name: str
    key: str


Plan = Callable[[StoreCall], Fault | None]


class FaultyObjects:
    """An `ObjectStore` around another one, with faults where `plan` says so.

    `interlude` is awaited before every call: what somebody else does to the inner store at that very moment.
    """

    def __init__(self, inner: ObjectStore, plan: Plan = lambda call: None) -> None:
        self.inner = inner
        self.plan = plan
        self.calls: list[StoreCall] = []
        self.interlude: Callable[[StoreCall], Awaitable[None]] | None = None
        self._earlier: dict[str, Reading] = {}

    @property
    def min_write_interval_s(self) -> float:
        return self.inner.min_write_interval_s

    async def start(self) -> None:
        if await self._fault("start", "") is not None:
            raise StoreUnavailable("", "starting")
        await self.inner.start()

    async def read(self, key: str) -> Reading:
        return self._read_fault(await self._fault("read", key), key, await self.inner.read(key))

    async def read_unless(self, key: str, known: StoreVersion) -> Reading | SameVersion:
        fault = await self._fault("read", key)
        if fault is None:
            return await self.inner.read_unless(key, known)
        reading = self._read_fault(fault, key, await self.inner.read(key))
        return SameVersion() if isinstance(reading, Found) and reading.version == known else reading

    async def read_many(self, keys: Sequence[str]) -> list[Reading]:
        return [await self.read(key) for key in keys]

    async def create(self, key: str, value: bytes) -> Written:
        fault = await self._fault("create", key)
        if fault is Fault.BEFORE:
            return Unknown("before")
        await self._remember(key)
        written = await self.inner.create(key, value)
        return Unknown("after") if fault is Fault.AFTER else written

    async def create_many(self, objects: Mapping[str, bytes]) -> dict[str, Written]:
        return {key: await self.create(key, value) for key, value in objects.items()}

    async def replace(self, key: str, value: bytes, known: StoreVersion) -> Written:
        fault = await self._fault("replace", key)
        if fault is Fault.BEFORE:
            return Unknown("before")
        await self._remember(key)
        written = await self.inner.replace(key, value, known)
        return Unknown("after") if fault is Fault.AFTER else written

    async def put(self, key: str, value: bytes) -> Written:
        fault = await self._fault("put", key)
        if fault is Fault.BEFORE:
            return Unknown("before")
        written = await self.inner.put(key, value)
        return Unknown("after") if fault is Fault.AFTER else written

    async def remove(self, keys: Sequence[str]) -> int:
        fault = await self._fault("remove", keys[0] if keys else "")
        if fault is Fault.BEFORE:
            raise StoreUnavailable(keys[0] if keys else "", "before")
        removed = await self.inner.remove(keys)
        if fault is Fault.AFTER:
            raise StoreUnavailable(keys[0] if keys else "", "after")
        return removed

    async def list_under(self, prefix: str) -> AsyncIterator[ListedObject]:
        if await self._fault("list", prefix) is not None:
            raise StoreUnavailable(prefix, "listing")
        async for listed in self.inner.list_under(prefix):
            yield listed

    async def _fault(self, name: str, key: str) -> Fault | None:
        call = StoreCall(len(self.calls) + 1, name, key)
        self.calls.append(call)
        if self.interlude is not None:
            await self.interlude(call)
        return self.plan(call)

    async def _remember(self, key: str) -> None:
        self._earlier[key] = await self.inner.read(key)

    def _read_fault(self, fault: Fault | None, key: str, reading: Reading) -> Reading:
        match fault:
            case None:
                return reading
            case Fault.BEFORE | Fault.AFTER:
                raise StoreUnavailable(key, "reading")
            case Fault.STALE:
                return self._earlier.get(key, reading)
            case Fault.SHORT:
                if not isinstance(reading, Found):
                    return reading
                return Found(reading.value[: len(reading.value) // 2], reading.version, reading.modified_ms)
