"""What every object store promises, held by memory, folder and a real S3-compatible server."""

import asyncio
from pathlib import Path

import pytest

from oharness.syncserver.objects.base import (
    Absent,
    Found,
    Moved,
    ObjectStore,
    SameVersion,
    Stored,
    StoreVersion,
)
from oharness.syncserver.objects.folder import FolderObjects
from oharness.syncserver.objects.ram import RamObjects
from oharness.syncserver.probe import probe_store
from oharness.system import SystemClock, SystemRandomness
from oharness.testing.seaweed import open_when_ready

pytestmark = pytest.mark.sync

WRITERS, INCREMENTS = 16, 50


@pytest.fixture(params=["memory", "folder", "s3"])
async def store(request: pytest.FixtureRequest, store_folder: Path) -> ObjectStore:
    match request.param:
        case "memory":
            return RamObjects(SystemClock())
        case "folder":
            folder = FolderObjects(store_folder, SystemClock(), SystemRandomness())
            await folder.start()
            return folder
        case _:
            server = request.getfixturevalue("seaweed")
            return await open_when_ready(server.url, server.environment)


@pytest.fixture
def key() -> str:
    return f"users/a%40b/memory/{SystemRandomness().token(8)}.json"


async def found(store: ObjectStore, key: str) -> Found:
    reading = await store.read(key)
    assert isinstance(reading, Found)
    return reading


async def test_what_was_created_is_read_back(store: ObjectStore, key: str) -> None:
    value = bytes(range(256)) * 10
    assert isinstance(await store.create(key, value), Stored)
    assert (await found(store, key)).value == value


async def test_an_empty_object_is_an_object(store: ObjectStore, key: str) -> None:
    assert isinstance(await store.create(key, b""), Stored)
    assert (await found(store, key)).value == b""


async def test_what_was_never_written_is_absent(store: ObjectStore, key: str) -> None:
    assert await store.read(key) == Absent()


async def test_creating_twice_keeps_the_first(store: ObjectStore, key: str) -> None:
    await store.create(key, b"1")
    assert await store.create(key, b"2") == Moved()
    assert (await found(store, key)).value == b"1"


async def test_the_version_of_a_write_is_the_version_that_is_read(store: ObjectStore, key: str) -> None:
    created = await store.create(key, b"1")
    assert isinstance(created, Stored)
    first = await found(store, key)
    assert created.version in (None, first.version)
    replaced = await store.replace(key, b"2", first.version)
    assert isinstance(replaced, Stored)
    assert replaced.version in (None, (await found(store, key)).version)


async def test_only_the_named_version_is_replaced(store: ObjectStore, key: str) -> None:
    await store.create(key, b"1")
    old = (await found(store, key)).version
    assert isinstance(await store.replace(key, b"2", old), Stored)
    assert await store.replace(key, b"3", old) == Moved()
    assert (await found(store, key)).value == b"2"


async def test_what_is_gone_is_not_replaced(store: ObjectStore, key: str) -> None:
    await store.create(key, b"1")
    version = (await found(store, key)).version
    await store.remove([key])
    assert await store.replace(key, b"2", version) == Moved()
    assert await store.read(key) == Absent()


async def test_a_put_needs_no_version(store: ObjectStore, key: str) -> None:
    assert isinstance(await store.put(key, b"1"), Stored)
    assert isinstance(await store.put(key, b"2"), Stored)
    assert (await found(store, key)).value == b"2"


async def test_a_known_version_is_not_sent_again(store: ObjectStore, key: str) -> None:
    await store.create(key, b"1")
    version = (await found(store, key)).version
    assert await store.read_unless(key, version) == SameVersion()
    await store.replace(key, b"2", version)
    reading = await store.read_unless(key, version)
    assert isinstance(reading, Found)
    assert reading.value == b"2"
    await store.remove([key])
    assert await store.read_unless(key, version) == Absent()


async def test_several_are_created_and_read_at_once(store: ObjectStore, key: str) -> None:
    taken = f"{key}/1.md"
    await store.create(taken, b"first")
    objects = {f"{key}/{number}.md": str(number).encode() for number in range(80)}
    written = await store.create_many(objects)
    assert written[taken] == Moved()
    assert all(isinstance(one, Stored) for name, one in written.items() if name != taken)
    readings = await store.read_many([*objects, f"{key}/none.md"])
    values = [reading.value if isinstance(reading, Found) else None for reading in readings]
    assert values == [b"first" if name == taken else value for name, value in objects.items()] + [None]


async def test_removing_counts_what_was_there(store: ObjectStore, key: str) -> None:
    await store.create(f"{key}/a.md", b"1")
    await store.create(f"{key}/b.md", b"2")
    assert await store.remove([f"{key}/a.md", f"{key}/none.md"]) == 1
    assert await store.read(f"{key}/a.md") == Absent()
    assert (await found(store, f"{key}/b.md")).value == b"2"


async def test_a_listing_names_everything_under_a_prefix_and_nothing_beside(store: ObjectStore, key: str) -> None:
    names = [f"{key}/objects/a-1/r.md", f"{key}/objects/B_2/r%2E1.md", f"{key}/manifest.json"]
    for name in [*names, f"{key}x/other.md"]:
        await store.create(name, b"four")
    listed = [one async for one in store.list_under(f"{key}/")]
    assert sorted(one.key for one in listed) == sorted(names)
    assert {one.size for one in listed} == {4}
    now = SystemClock().now_ms()
    assert all(abs(now - one.modified_ms) < 60_000 for one in listed)
    assert [one async for one in store.list_under(f"{key}/nothing/")] == []


async def test_sixteen_writers_lose_no_increment(store: ObjectStore, key: str) -> None:
    async def increment() -> None:
        while True:
            before = await found(store, key)
            written = await store.replace(key, str(int(before.value) + 1).encode(), before.version)
            if isinstance(written, Stored):
                return

    async def write() -> None:
        for _ in range(INCREMENTS):
            await increment()

    await store.create(key, b"0")
    await asyncio.gather(*(write() for _ in range(WRITERS)))
    assert int((await found(store, key)).value) == WRITERS * INCREMENTS


async def test_of_many_creators_one_wins(store: ObjectStore, key: str) -> None:
    written = await asyncio.gather(*(store.create(key, str(number).encode()) for number in range(16)))
    winners = [number for number, one in enumerate(written) if isinstance(one, Stored)]
    assert len(winners) == 1
    assert (await found(store, key)).value == str(winners[0]).encode()


async def test_the_probe_lets_it_in_and_leaves_nothing(store: ObjectStore) -> None:
    await probe_store(store, SystemClock(), SystemRandomness())
    assert [one async for one in store.list_under("probe/")] == []


async def test_a_foreign_version_replaces_nothing(store: ObjectStore, key: str) -> None:
    await store.create(key, b"1")
    assert await store.replace(key, b"2", StoreVersion('"no such version"')) == Moved()
    assert (await found(store, key)).value == b"1"
