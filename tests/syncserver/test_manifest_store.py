"""Manifests kept in memory: never trusted unasked, never more than there is room for."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oharness.syncserver.manifest import NO_MANIFEST, Manifest, NoteEntry, check_after, check_of, encode_manifest
from oharness.syncserver.manifest_store import ManifestStore
from oharness.syncserver.objects.base import Moved, Stored
from oharness.syncserver.objects.ram import RamObjects
from oharness.testing.clock import FakeClock
from oharness.testing.store_faults import Fault, FaultyObjects, StoreCall

pytestmark = pytest.mark.sync


def manifest(version: int, notes: int = 1) -> Manifest:
    entries = {f"n-{number}": NoteEntry("a" * 64, "r", version, 1, 0) for number in range(notes)}
    return msgspec.structs.replace(NO_MANIFEST, epoch="e", version=version, nonce=f"nonce {version}", notes=entries)


async def laid_down(clock: FakeClock, *keys: str) -> FaultyObjects:
    store = FaultyObjects(RamObjects(clock))
    for key in keys:
        await store.inner.put(key, encode_manifest(manifest(1)))
    return store


async def test_a_manifest_that_stands_is_not_parsed_again(clock: FakeClock) -> None:
    store = await laid_down(clock, "a")
    manifests = ManifestStore(store, clock)
    first = await manifests.read("a")
    assert await manifests.read("a") is first
    await store.inner.put("a", encode_manifest(manifest(2)))
    assert (await manifests.read("a")).manifest.version == 2


async def test_only_the_version_that_was_read_is_replaced(clock: FakeClock) -> None:
    store = await laid_down(clock, "a")
    manifests, other = ManifestStore(store, clock), ManifestStore(store, clock)
    mine, theirs = await manifests.read("a"), await other.read("a")
    assert isinstance(await other.write("a", theirs, manifest(2)), Stored)
    assert await manifests.write("a", mine, manifest(3)) == Moved()
    assert (await manifests.read("a")).manifest.version == 2


async def test_the_first_manifest_is_only_created(clock: FakeClock) -> None:
    store = await laid_down(clock)
    manifests, other = ManifestStore(store, clock), ManifestStore(store, clock)
    nothing = await manifests.read("a")
    assert (nothing.version, nothing.manifest) == (None, NO_MANIFEST)
    assert isinstance(await other.write("a", await other.read("a"), manifest(1)), Stored)
    assert await manifests.write("a", nothing, manifest(1)) == Moved()


async def test_memory_holds_as_many_as_there_is_room_for(clock: FakeClock) -> None:
    keys = [f"k{number}" for number in range(10)]
    store = await laid_down(clock, *keys)
    size = len(encode_manifest(manifest(1)))
    manifests = ManifestStore(store, clock, cache_bytes=3 * size)
    for key in keys:
        await manifests.read(key)
    assert list(manifests._cached) == keys[-3:]
    assert manifests._cached_size == 3 * size
    await manifests.read(keys[-3])
    await manifests.read(keys[0])
    assert list(manifests._cached) == [keys[-1], keys[-3], keys[0]]


async def test_one_that_was_dropped_while_it_was_asked_about_is_still_given(clock: FakeClock) -> None:
    store = await laid_down(clock, "a", "b")
    manifests = ManifestStore(store, clock, cache_bytes=len(encode_manifest(manifest(1))))
    await manifests.read("a")

    async def another_is_read(call: StoreCall) -> None:
        if call.key == "a":
            await manifests.read("b")

    store.interlude = another_is_read
    assert (await manifests.read("a")).manifest.version == 1
    assert manifests._cached_size == len(encode_manifest(manifest(1)))


@pytest.mark.parametrize("later", [None, 1])
async def test_one_that_went_back_is_looked_at_twice_and_then_believed(clock: FakeClock, later: int | None) -> None:
    store = await laid_down(clock, "a")
    manifests = ManifestStore(store, clock)
    await manifests.write("a", await manifests.read("a"), manifest(2))
    if later is None:
        await store.inner.remove(["a"])
    else:
        await store.inner.put("a", encode_manifest(manifest(later)))
    store.calls.clear()
    assert (await manifests.read("a")).manifest.version == (later or 0)
    assert [call.name for call in store.calls] == ["read", "read"]


async def test_a_stale_answer_is_not_believed(clock: FakeClock) -> None:
    store = await laid_down(clock, "a")
    manifests = ManifestStore(store, clock)
    before = await ManifestStore(store, clock).read("a")
    assert isinstance(await ManifestStore(store, clock).write("a", before, manifest(2)), Stored)
    assert (await manifests.read("a")).manifest.version == 2
    left = [Fault.STALE]
    store.plan = lambda call: left.pop() if left else None
    assert (await manifests.read("a")).manifest.version == 2


async def test_the_check_is_computed_once_for_each_manifest(clock: FakeClock) -> None:
    store = await laid_down(clock, "a")
    manifests = ManifestStore(store, clock)
    read = await manifests.read("a")
    first = manifests.check("a", read.manifest)
    assert first == check_of(read.manifest)
    assert manifests.check("a", read.manifest) is first
    other = manifest(2, notes=3)
    await manifests.write("a", read, other)
    assert manifests.check("a", other) == check_of(other) != first


async def test_the_check_of_an_unchanged_manifest_outlasts_reading_it_again(clock: FakeClock) -> None:
    store = await laid_down(clock, "a")
    manifests = ManifestStore(store, clock)
    first = manifests.check("a", (await manifests.read("a")).manifest)
    assert manifests.check("a", (await manifests.read("a")).manifest) is first


@settings(derandomize=True, max_examples=200, deadline=None)
@given(
    st.dictionaries(st.sampled_from("abcdef"), st.sampled_from("xyz")),
    st.dictionaries(st.sampled_from("abcdef"), st.sampled_from("xyz")),
    st.booleans(),
)
def test_a_check_counted_from_an_earlier_one_is_the_same(
    before: dict[str, str], after: dict[str, str], shared: bool
) -> None:
    old = {name: NoteEntry(text * 64, "r", 1, 1, 0) for name, text in before.items()}
    new = {name: NoteEntry(text * 64, "r", 2, 1, 0) for name, text in after.items()}
    if shared:
        new |= {name: entry for name, entry in old.items() if after.get(name) == before[name]}
    first, second = (msgspec.structs.replace(NO_MANIFEST, notes=notes) for notes in (old, new))
    assert check_after(first, check_of(first), second) == check_of(second)
