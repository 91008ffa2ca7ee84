"""What is left in a store after kill -9: the last value that was acknowledged, or the one on its way, whole."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from oharness.syncserver.objects.base import (
    Found,
    ObjectStore,
    Stored,
    StoreUnavailable,
    StoreVersion,
    Unknown,
)
from oharness.syncserver.objects.folder import FolderObjects
from oharness.syncserver.objects.remote import open_bucket
from oharness.system import SystemClock, SystemRandomness
from oharness.testing.clock import FakeClock
from oharness.testing.randomness import SeededRandomness
from oharness.testing.seaweed import open_when_ready, running_seaweed

pytestmark = pytest.mark.sync

KEY = "users/u/memory/manifest.json"
SIZE = 200_000

# A process that writes growing numbers and prints each one after it was acknowledged.
WRITER = """
import asyncio, sys
from pathlib import Path
from oharness.syncserver.objects.base import Found, Stored
from oharness.syncserver.objects.folder import FolderObjects
from oharness.system import SystemClock, SystemRandomness

async def main():
    store = FolderObjects(Path(sys.argv[1]), SystemClock(), SystemRandomness())
    while True:
        reading = await store.read(sys.argv[2])
        if isinstance(reading, Found):
            number = int(reading.value[:12]) + 1
            written = await store.replace(sys.argv[2], b"%012d" % number * (200_000 // 12), reading.version)
        else:
            number = 1
            written = await store.create(sys.argv[2], b"%012d" % number * (200_000 // 12))
        if isinstance(written, Stored):
            print(number, flush=True)
        if len(sys.argv) > 3 and number >= int(sys.argv[3]):
            return

asyncio.run(main())
"""


def writer(folder: Path, *more: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", WRITER, str(folder), KEY, *more], stdout=subprocess.PIPE, text=True)


def whole_number(value: bytes) -> int:
    assert value == value[:12] * (SIZE // 12), "torn"
    return int(value[:12])


async def number_in(store: ObjectStore) -> int:
    reading = await store.read(KEY)
    assert isinstance(reading, Found)
    return whole_number(reading.value)


async def test_a_killed_writer_leaves_the_last_acknowledged_value_or_the_next(store_folder: Path) -> None:
    store = FolderObjects(store_folder, SystemClock(), SystemRandomness())
    acknowledged = 0
    for lines in (1, 3, 7, 20):
        process = writer(store_folder)
        assert process.stdout is not None
        for _ in range(lines):
            acknowledged = int(process.stdout.readline())
        process.kill()
        rest = process.stdout.read().split()
        process.wait()
        process.stdout.close()
        acknowledged = int(rest[-1]) if rest and rest[-1].isdigit() else acknowledged
        assert await number_in(store) in (acknowledged, acknowledged + 1)


async def test_writers_in_several_processes_lose_nothing(store_folder: Path) -> None:
    processes = [writer(store_folder, "60") for _ in range(3)]
    printed: list[int] = []
    for process in processes:
        output, _ = process.communicate(timeout=120)
        assert process.returncode == 0
        printed += [int(line) for line in output.split()]
    store = FolderObjects(store_folder, SystemClock(), SystemRandomness())
    assert sorted(printed) == list(range(1, await number_in(store) + 1))


async def test_leftovers_of_a_crash_are_cleaned_when_they_are_old(store_folder: Path) -> None:
    clock = FakeClock(SystemClock().now_ms())
    store = FolderObjects(store_folder, clock, SeededRandomness(1))
    await store.start()
    leftover = store_folder / ".work" / "0123.tmp"
    leftover.write_bytes(b"half a manif")
    assert [one async for one in store.list_under("users/")] == []
    await store.start()
    assert leftover.exists()
    clock.advance(2 * 3600)
    await store.start()
    assert not leftover.exists()


async def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_bytes(b"")
    store = FolderObjects(in_the_way / "objects", SystemClock(), SystemRandomness())
    with pytest.raises(StoreUnavailable):
        await store.start()
    assert isinstance(await store.create(KEY, b"x"), Unknown)


async def test_an_unplugged_drive_is_no_wiped_storage(store_folder: Path) -> None:
    store = FolderObjects(store_folder, SystemClock(), SystemRandomness())
    await store.start()
    await store.create(KEY, b"x")
    away = store_folder.rename(store_folder.with_name("away"))
    store_folder.mkdir()  # the empty place where it was mounted
    for read in (store.read(KEY), store.read("users/u/other.json"), store.read_many([KEY])):
        with pytest.raises(StoreUnavailable, match="gone"):
            await read
    with pytest.raises(StoreUnavailable, match="gone"):
        [one async for one in store.list_under("users/")]
    assert isinstance(await store.create("users/u/new.json", b"x"), Unknown)
    assert all(isinstance(one, Unknown) for one in (await store.create_many({KEY: b"x"})).values())
    assert names_in(store_folder) == []
    store_folder.rmdir()
    away.rename(store_folder)
    assert isinstance(await store.read(KEY), Found)


async def test_a_new_folder_is_for_its_owner_alone(store_folder: Path) -> None:
    await FolderObjects(store_folder, SystemClock(), SystemRandomness()).start()
    assert os.name == "nt" or store_folder.stat().st_mode & 0o077 == 0


async def test_a_torn_body_of_a_crash_is_taken_for_another_object(store_folder: Path) -> None:
    store = FolderObjects(store_folder, SystemClock(), SystemRandomness())
    key = "users/u/memory/objects/a/r.md"
    await store.create_many({key: b"hal"})
    written = await store.create_many({key: b"half of it was lost"})
    assert not isinstance(written[key], Stored)


@pytest.mark.parametrize(
    "key",
    [
        "",
        "/etc/passwd",
        "../outside",
        "users/../../outside",
        "users//x",
        "users/.",
        "users/.work/x",
        ".work/1.tmp",
        "users\\..\\x",
        "users/a\x00b",
        "users/a b",
        "users/ä",
        "C:/x",
        "users/" + "a" * 256,
    ],
)
async def test_no_key_leaves_the_folder(store_folder: Path, tmp_path: Path, key: str) -> None:
    store = FolderObjects(store_folder, SystemClock(), SystemRandomness())
    with pytest.raises(ValueError, match="not a key"):
        await store.read(key)
    with pytest.raises(ValueError, match="not a key"):
        await store.replace(key, b"x", StoreVersion("v"))
    assert names_in(tmp_path) == []


async def test_an_s3_server_that_was_killed_still_has_what_it_acknowledged(tmp_path: Path) -> None:
    with running_seaweed(tmp_path) as server:
        store = await open_when_ready(server.url, server.environment)
        for number in range(1, 21):
            assert isinstance(await store.put(KEY, b"%012d" % number * (SIZE // 12)), Stored)
        server.kill()
        server.start()
        store = open_bucket(server.url, server.environment)
        while not await is_reachable(store):  # noqa: ASYNC110 - another process
            await asyncio.sleep(0.1)
        assert await number_in(store) == 20


async def is_reachable(store: ObjectStore) -> bool:
    try:
        return isinstance(await store.read(KEY), Found)
    except StoreUnavailable:
        return False


def names_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]
