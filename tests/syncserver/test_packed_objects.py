"""Objects that were stored together lie in one file: nothing about them is different, and nothing else can be lost."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from oharness.core.clock import Millis
from oharness.core.scopes import USER_SCOPE
from oharness.protocol.erase import EraseUser
from oharness.syncserver.bodies import BodyStore, WantedObject, body_object
from oharness.syncserver.erase import EraseService
from oharness.syncserver.gc import collect_garbage
from oharness.syncserver.manifest import FORMAT, Manifest, NoteEntry, Writer, encode_manifest
from oharness.syncserver.manifest_store import ManifestStore
from oharness.syncserver.objects import pack_folder
from oharness.syncserver.objects.base import Found, Moved, ObjectStore, Stored, Unknown
from oharness.syncserver.objects.folder import FolderObjects
from oharness.system import SystemClock, SystemRandomness
from oharness.testing.clock import FakeClock
from oharness.testing.randomness import SeededRandomness
from oharness.testing.sync_caller import note

pytestmark = pytest.mark.sync

FOLDER = "users/ann/memory/objects"
MANIFEST = "users/ann/memory/manifest.json"
DAYS_MS = 86_400_000


def key(number: int) -> str:
    return f"{FOLDER}/note-{number}/{'r' * 32}-{number}.md"


def value(number: int) -> bytes:
    return f"The body of {number}, ä.\n".encode() * (number % 5 + 1)


def objects(*numbers: int) -> dict[str, bytes]:
    return {key(number): value(number) for number in numbers}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "stored"


@pytest.fixture
def store(root: Path) -> FolderObjects:
    return another(root)


def another(root: Path) -> FolderObjects:
    """The store as another process opens it."""
    return FolderObjects(root, SystemClock(), SystemRandomness())


def packs(root: Path) -> list[Path]:
    return sorted((root / FOLDER / ".packs").glob("*.pack"))


async def read(store: ObjectStore, *numbers: int) -> dict[int, bytes]:
    readings = await store.read_many([key(number) for number in numbers])
    return {number: one.value for number, one in zip(numbers, readings, strict=True) if isinstance(one, Found)}


async def listed(store: ObjectStore, prefix: str = "users/") -> dict[str, int]:
    return {one.key: one.size async for one in store.list_under(prefix)}


async def test_what_is_stored_together_is_one_file_and_each_is_an_object(store: FolderObjects, root: Path) -> None:
    written = await store.create_many(objects(*range(40)))
    assert all(isinstance(one, Stored) for one in written.values())
    assert len([path for path in (root / "users").rglob("*") if path.is_file()]) == 1
    for each in (store, another(root)):
        assert await read(each, *range(41)) == {number: value(number) for number in range(40)}
        assert await listed(each) == {key(number): len(value(number)) for number in range(40)}
        assert await listed(each, f"{FOLDER}/note-7/") == {key(7): len(value(7))}
        one = await each.read(key(3))
        assert isinstance(one, Found)
        assert one.value == value(3)
        assert abs(SystemClock().now_ms() - one.modified_ms) < 60_000


async def test_the_bodies_in_a_pack_can_be_read_without_us(store: FolderObjects, root: Path) -> None:
    await store.create_many({key(1): body_object(note("a-1", body="legible")), key(2): value(2)})
    [pack] = packs(root)
    assert body_object(note("a-1", body="legible")) in pack.read_bytes()


async def test_no_object_of_a_pack_can_be_created_again(store: FolderObjects, root: Path) -> None:
    await store.create_many(objects(1, 2, 3))
    for each in (store, another(root)):
        for again in ({key(1): b"other"}, {key(2): b"other", key(3): b"more"}):
            assert set(map(type, (await each.create_many(again)).values())) == {Moved}
        assert await each.create(key(1), b"other") == Moved()
        written = await each.create_many({key(1): b"other", key(50): b"new", key(51): b"new"})
        assert isinstance(written[key(1)], Moved)
        await each.remove([key(50), key(51)])
        assert await read(each, 1, 2, 3, 50) == {number: value(number) for number in (1, 2, 3)}


async def test_an_object_with_a_file_of_its_own_is_not_packed_again(store: FolderObjects, root: Path) -> None:
    await store.create(key(1), b"as an earlier version stored it")
    written = await store.create_many(objects(1, 2, 3))
    assert isinstance(written[key(1)], Moved)
    assert await read(another(root), 1, 2) == {1: b"as an earlier version stored it", 2: value(2)}
    assert set(await listed(store)) == {key(1), key(2), key(3)}


async def test_bodies_of_the_former_layout_are_objects_as_ever(store: FolderObjects, root: Path) -> None:
    for number in range(4):
        place = root / key(number)
        place.parent.mkdir(parents=True)
        place.write_bytes(value(number))
    await store.create_many(objects(8, 9))
    assert await read(store, 0, 1, 2, 3, 8, 9) == {number: value(number) for number in (0, 1, 2, 3, 8, 9)}
    assert set(await listed(store)) == {key(number) for number in (0, 1, 2, 3, 8, 9)}
    assert await store.remove([key(0), key(8)]) == 2
    assert set(await listed(store)) == {key(number) for number in (1, 2, 3, 9)}


async def test_what_replaces_a_packed_object_is_what_is_read_and_removed(store: FolderObjects, root: Path) -> None:
    await store.create_many(objects(1, 2))
    before = await store.read(key(1))
    assert isinstance(before, Found)
    assert isinstance(await store.replace(key(1), b"second", before.version), Stored)
    assert await store.replace(key(1), b"third", before.version) == Moved()
    assert await read(another(root), 1, 2) == {1: b"second", 2: value(2)}
    assert (await listed(store))[key(1)] == len(b"second")
    assert await store.remove([key(1)]) == 1
    assert await read(another(root), 1, 2) == {2: value(2)}


async def test_what_is_removed_is_in_no_file_any_more_and_the_rest_stays(store: FolderObjects, root: Path) -> None:
    await store.create_many(objects(*range(10)))
    os.utime(packs(root)[0], (1_000_000, 1_000_000))
    other = another(root)
    await read(other, 0)
    assert await store.remove([key(3), key(4), key(99)]) == 2
    assert not any(value(3) in path.read_bytes() for path in packs(root))
    rest = [number for number in range(10) if number not in (3, 4)]
    for each in (store, other, another(root)):
        assert await read(each, *range(10)) == {number: value(number) for number in rest}
        assert {one.modified_ms async for one in each.list_under("users/")} == {1_000_000_000}
    assert await other.remove([key(number) for number in rest]) == len(rest)
    assert list((root / "users").rglob("*")) == []
    assert await read(store, *range(10)) == {}
    assert isinstance((await store.create_many(objects(3, 4)))[key(3)], Stored)


async def test_removing_from_one_pack_leaves_the_files_of_others_alone(store: FolderObjects, root: Path) -> None:
    await store.create_many(objects(1, 2))
    await store.create_many(objects(3, 4))
    before = {path: path.stat().st_ino for path in packs(root)}
    await store.remove([key(1)])
    assert sum(path.stat().st_ino != before[path] for path in packs(root)) == 1


async def test_a_pack_cut_off_anywhere_gives_whole_objects_or_none(store: FolderObjects, root: Path) -> None:
    await store.create_many(objects(1, 2, 3))
    [pack] = packs(root)
    whole = pack.read_bytes()
    for length in range(len(whole)):
        pack.write_bytes(whole[:length])
        crashed = another(root)
        kept = await read(crashed, 1, 2, 3)
        assert all(kept[number] == value(number) for number in kept)
        written = await crashed.create_many(objects(1, 2, 3))
        assert {number for number in (1, 2, 3) if isinstance(written[key(number)], Moved)} == set(kept)
        assert await read(another(root), 1, 2, 3) == {number: value(number) for number in (1, 2, 3)}
        for path in packs(root):
            if path != pack:
                path.unlink()


async def test_a_pack_that_was_seen_half_written_is_whole_when_it_is(store: FolderObjects, root: Path) -> None:
    await store.create_many(objects(1, 2, 3))
    [pack] = packs(root)
    whole = pack.read_bytes()
    for length in range(0, len(whole), 7):
        watching = another(root)
        pack.write_bytes(whole[:length])
        await read(watching, 1, 2, 3)
        pack.write_bytes(whole)
        assert await read(watching, 1, 2, 3) == {number: value(number) for number in (1, 2, 3)}
        assert isinstance((await watching.create_many(objects(3, 4)))[key(3)], Moved)
        await watching.remove([key(4)])


async def test_a_pack_whose_bytes_never_reached_the_disk_gives_no_wrong_body(store: FolderObjects, root: Path) -> None:
    await store.create_many(objects(1, 2, 3))
    [pack] = packs(root)
    whole = pack.read_bytes()
    pack.write_bytes(whole[:-10] + bytes(10))
    assert await read(another(root), 1, 2, 3) == {1: value(1), 2: value(2)}
    pack.write_bytes(bytes(len(whole)))
    assert await read(another(root), 1, 2, 3) == {}


async def test_every_single_changed_byte_is_noticed(store: FolderObjects, root: Path) -> None:
    await store.create_many(objects(1, 2))
    [pack] = packs(root)
    whole = pack.read_bytes()
    for position in range(len(whole)):
        pack.write_bytes(whole[:position] + bytes([whole[position] ^ 1]) + whole[position + 1 :])
        kept = await read(another(root), 1, 2)
        assert all(kept[number] == value(number) for number in kept)


async def test_what_cannot_be_made_out_is_erased_with_its_account_and_collected_never(root: Path) -> None:
    clock = FakeClock(SystemClock().now_ms())
    store, randomness = FolderObjects(root, clock, SystemRandomness()), SeededRandomness(1)
    await store.start()
    await store.create_many(objects(1, 2))
    [pack] = packs(root)
    pack.write_bytes(pack.read_bytes()[:20] + b"?" + pack.read_bytes()[21:])
    clock.advance(50 * 86_400)
    assert (await collect_garbage(store, clock, randomness)).removed == 0
    assert packs(root) == [pack]
    eraser = EraseService(store, ManifestStore(store, clock), clock, randomness)
    assert (await eraser.erase(EraseUser("ann"))).objects == 1
    assert not (root / "users").exists()


@pytest.mark.parametrize(("cut", "half"), [(1, 2), (len(value(2)) + 1, 1)])
async def test_what_a_crash_left_half_written_is_erased_collected_and_forgotten(
    cut: int, half: int, tmp_path: Path
) -> None:
    clock = FakeClock(SystemClock().now_ms())

    async def crashed(root: Path) -> FolderObjects:
        await another(root).create_many(objects(1, 2))
        [pack] = packs(root)
        pack.write_bytes(pack.read_bytes()[:-cut])
        store = FolderObjects(root, clock, SystemRandomness())
        await store.start()
        return store

    root = tmp_path / "erased"
    store = await crashed(root)
    await EraseService(store, ManifestStore(store, clock), clock, SeededRandomness(1)).erase(EraseUser("ann"))
    assert packs(root) == []

    root = tmp_path / "forgotten"
    store = await crashed(root)
    await BodyStore(store, clock, "ann", USER_SCOPE).purge(f"note-{half}", [], Millis(clock.now_ms() + 3_600_000))
    assert not any(f"The body of {half}".encode() in pack.read_bytes() for pack in packs(root))

    root = tmp_path / "collected"
    store = await crashed(root)
    for hours, left in ((47, 1), (2, 0)):
        clock.advance(hours * 3600)
        await collect_garbage(store, clock, SeededRandomness(1))
        assert len(packs(root)) == left


async def test_the_collector_takes_packed_leftovers_and_erasure_takes_all(root: Path) -> None:
    clock = FakeClock(SystemClock().now_ms())
    store, randomness = FolderObjects(root, clock, SystemRandomness()), SeededRandomness(1)
    await store.start()
    await store.create_many(objects(1, 2, 3))
    named = NoteEntry("0" * 64, f"{'r' * 32}-2", 1, 1, 1)
    manifest = Manifest(FORMAT, "e", 1, "n", Writer("d", "c"), 0, {}, {"note-2": named}, {})
    await store.create(MANIFEST, encode_manifest(manifest))
    clock.advance(47 * 3600)
    assert (await collect_garbage(store, clock, randomness)).removed == 0
    clock.advance(2 * 3600)
    assert (await collect_garbage(store, clock, randomness)).removed == 2
    assert await read(store, 1, 2, 3) == {2: value(2)}
    await store.create_many(objects(*range(5, 30)))
    eraser = EraseService(store, ManifestStore(store, clock), clock, randomness)
    assert (await eraser.erase(EraseUser("ann"))).objects == 26
    assert [path for path in (root / "users").rglob("*") if path.is_file()] == [root / MANIFEST]


async def test_forgetting_a_note_takes_its_text_out_of_the_pack(store: FolderObjects, root: Path) -> None:
    bodies = BodyStore(store, SystemClock(), "ann", USER_SCOPE)
    secret, other = note("a-1", body="the secret"), note("b-2", body="something else")
    await bodies.write({("a-1", "r-1"): body_object(secret), ("b-2", "r-1"): body_object(other)})
    assert await bodies.purge("a-1", ["r-1"], Millis(0)) == 1
    assert not any(b"the secret" in path.read_bytes() for path in root.rglob("*") if path.is_file())
    kept = await bodies.read([WantedObject("a-1", "r-1"), WantedObject("b-2", "r-1")], 1000)
    assert [one.body if one else None for one in kept.values()] == [None, "something else"]


@pytest.mark.parametrize("call", ["write_new", "flush"])
async def test_a_disk_that_fails_leaves_nothing_that_counts_as_stored(
    call: str, store: FolderObjects, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.create_many(objects(1, 2))
    real: Callable[..., object] = getattr(pack_folder, call)

    def failing(*args: object) -> object:
        real(*args)
        raise OSError("the disk is full")

    with monkeypatch.context() as broken:
        broken.setattr(pack_folder, call, failing)
        written = await store.create_many(objects(3, 4))
        assert set(map(type, written.values())) == {Unknown}
    assert await read(another(root), 1, 2, 3, 4) == {1: value(1), 2: value(2)}
    assert isinstance((await store.create_many(objects(3, 4)))[key(3)], Stored)


@pytest.mark.parametrize("call", ["write_new", "flush"])
async def test_a_disk_that_fails_while_something_is_removed_loses_nothing_else(
    call: str, store: FolderObjects, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.create_many(objects(1, 2, 3))
    real: Callable[..., object] = getattr(pack_folder, call)

    def failing(*args: object) -> object:
        raise OSError("the disk is full")

    with monkeypatch.context() as broken:
        broken.setattr(pack_folder, call, failing)
        with pytest.raises(Exception, match="full"):
            await store.remove([key(1)])
    assert real is getattr(pack_folder, call)
    assert (await read(another(root), 2, 3)) == {2: value(2), 3: value(3)}
    await store.remove([key(1)])
    assert (await read(another(root), 1, 2, 3)) == {2: value(2), 3: value(3)}
    assert [path for path in (root / ".work").iterdir() if path.suffix == ".tmp"] == []


async def test_little_is_remembered_and_all_is_found(root: Path) -> None:
    folders = pack_folder.PackFolders(most_remembered=3)
    for folder in ("a", "b", "c"):
        folders.create(f"{root}/{folder}", {f"{folder}/{number}": value(number) for number in range(4)}, "t")
    for folder in ("a", "b", "c", "a"):
        read = folders.read(f"{root}/{folder}", [f"{folder}/1", f"{folder}/9"])
        assert {name: one.value for name, one in read.items()} == {f"{folder}/1": value(1)}


# A process that stores and removes, and prints each number that is to stay after it was acknowledged.
WRITER = """
import asyncio, sys
from pathlib import Path
from oharness.syncserver.objects.base import Stored
from oharness.syncserver.objects.folder import FolderObjects
from oharness.system import SystemClock, SystemRandomness
from tests.syncserver.test_packed_objects import key, objects

async def main(first, rounds):
    store = FolderObjects(Path(sys.argv[1]), SystemClock(), SystemRandomness())
    for number in range(first, first + 4 * rounds, 4):
        written = await store.create_many(objects(number, number + 1, number + 2))
        assert all(isinstance(one, Stored) for one in written.values()), written
        print(number, number + 2, flush=True)
        assert await store.remove([key(number + 1)]) == 1
        print(-(number + 1), flush=True)

asyncio.run(main(int(sys.argv[2]), int(sys.argv[3])))
"""


def writer(root: Path, first: int, rounds: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(root), str(first), str(rounds)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).resolve().parents[2])


def acknowledged(lines: str) -> tuple[set[int], set[int]]:
    numbers = [int(word) for line in lines.splitlines(keepends=True) if line.endswith("\n") for word in line.split()]
    return {number for number in numbers if number >= 0}, {-number for number in numbers if number < 0}


async def test_processes_that_share_the_folder_lose_nothing_of_each_other(root: Path) -> None:
    processes = [writer(root, 10_000 * number, 25) for number in range(3)]
    watching = another(root)
    while any(process.poll() is None for process in processes):
        for name in await listed(watching):
            if "/%unreadable/" in name:  # being written just now
                continue
            number = int(name.rpartition("-")[2].removesuffix(".md"))
            reading = await watching.read(name)
            assert not isinstance(reading, Found) or reading.value == value(number)
        await asyncio.sleep(0)
    kept: set[int] = set()
    for process in processes:
        output, _ = process.communicate()
        assert process.returncode == 0
        kept |= acknowledged(output)[0]
    assert len(kept) == 150
    for each in (watching, another(root)):
        assert set(await listed(each)) == {key(number) for number in kept}
        assert await read(each, *kept) == {number: value(number) for number in kept}


async def test_a_killed_process_leaves_everything_that_was_acknowledged(root: Path) -> None:
    for attempt, lines in enumerate((1, 2, 5, 9, 14)):
        process = writer(root, 10_000 * attempt, 1000)
        assert process.stdout is not None
        output = "".join(process.stdout.readline() for _ in range(lines))
        process.kill()
        output += process.stdout.read()
        process.wait()
        process.stdout.close()
        stored, removed = acknowledged(output)
        assert await read(another(root), *stored) == {number: value(number) for number in stored}
        assert await read(another(root), *removed) == {}
        again = max(stored) + 1
        written = await another(root).create_many(objects(again, again + 1))
        assert not any(isinstance(one, Unknown) for one in written.values()), "a lock is left"
