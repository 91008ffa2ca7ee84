"""What the service asks of an object store, and the answers it may get."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NewType, Protocol, TypeAlias

from oharness.core.errors import Failed

StoreVersion = NewType("StoreVersion", str)
"""Names one content of one key; opaque. Two contents with equal bytes may share one."""


@dataclass(eq=False)
class StoreUnavailable(Failed):
    """The store did not answer, or answered something that says nothing about the object."""

    key: str
    reason: str


@dataclass(frozen=True, slots=True)
class Found:
    """An object as it was when it was read; `modified_ms` is the store's own time."""

    value: bytes
    version: StoreVersion
    modified_ms: int


@dataclass(frozen=True, slots=True)
class Absent:
    """There is no object of that key."""


@dataclass(frozen=True, slots=True)
class SameVersion:
    """The object still is the version that the caller knows."""


@dataclass(frozen=True, slots=True)
class Stored:
    """The write happened and is durable; a version may be unknown to the store until the object is read."""

    version: StoreVersion | None


@dataclass(frozen=True, slots=True)
class Moved:
    """The write did not happen, as the store tells it: the object is another one, there already, or gone."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """Nobody can say whether the write happened: read the object again."""

    reason: str


Reading: TypeAlias = Found | Absent
Written: TypeAlias = Stored | Moved | Unknown


@dataclass(frozen=True, slots=True)
class ListedObject:
    """An object in a listing."""

    key: str
    size: int
    modified_ms: int


class ObjectStore(Protocol):
    """A flat space of keys: segments of `[A-Za-z0-9._%-]` joined by `/`, none of them `.` or `..`.

    Reading sees every write that was answered `Stored` before it began. Errors of reading are `StoreUnavailable`;
    writing never raises for them, it answers `Unknown`.
    """

    @property
    def min_write_interval_s(self) -> float:
        """Seconds to leave between two writes of one key; 0 where the store has no such limit."""
        ...

    async def start(self) -> None:
        """Comes before the first use: makes what is missing, removes what crashes left. Raises: StoreUnavailable."""
        ...

    async def read(self, key: str) -> Reading:
        """The object, whole. Raises: StoreUnavailable."""
        ...

    async def read_unless(self, key: str, known: StoreVersion) -> Reading | SameVersion:
        """The object unless it still is the known version. Raises: StoreUnavailable."""
        ...

    async def read_many(self, keys: Sequence[str]) -> list[Reading]:
        """The objects, in order. Raises: StoreUnavailable when one of them could not be read."""
        ...

    async def create(self, key: str, value: bytes) -> Written:
        """Stores a new object, whole or not at all; `Moved` when the key is taken. Of several at once one wins."""
        ...

    async def create_many(self, objects: Mapping[str, bytes]) -> dict[str, Written]:
        """As `create` for each, but an object whose write was cut off by a crash may be left torn."""
        ...

    async def replace(self, key: str, value: bytes, known: StoreVersion) -> Written:
        """Replaces exactly the known version, whole or not at all; of several at once one wins."""
        ...

    async def put(self, key: str, value: bytes) -> Written:
        """Stores whatever is there now."""
        ...

    async def remove(self, keys: Sequence[str]) -> int:
        """Removes what exists of these; the number removed. Raises: StoreUnavailable."""
        ...

    def list_under(self, prefix: str) -> AsyncIterator[ListedObject]:
        """Every object whose key starts with the prefix, which ends in `/`. Raises: StoreUnavailable."""
        ...
