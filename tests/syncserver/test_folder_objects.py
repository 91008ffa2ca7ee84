"""What the folder store does beyond the contract of all stores."""

import os
import time
from pathlib import Path

import pytest

from oharness.syncserver.objects.base import Found, Reading, SameVersion, StoreVersion
from oharness.syncserver.objects.folder import FolderObjects
from oharness.system import SystemClock, SystemRandomness

pytestmark = pytest.mark.sync
KEY = "users/ann/memory/manifest.json"


class _CountsReading(FolderObjects):
    def __init__(self, root: Path) -> None:
        super().__init__(root, SystemClock(), SystemRandomness())
        self.times_read = 0

    def _read(self, path: Path, key: str) -> Reading:
        self.times_read += 1
        return super()._read(path, key)


@pytest.fixture
def store(tmp_path: Path) -> _CountsReading:
    return _CountsReading(tmp_path)


async def settled(store: _CountsReading) -> StoreVersion:
    """Asks for a file until its looks are known, which takes a tenth of a second; gives its version."""
    reading = await store.read(KEY)
    assert isinstance(reading, Found)
    end = time.monotonic() + 20
    while time.monotonic() < end:
        before = store.times_read
        assert await store.read_unless(KEY, reading.version) == SameVersion()
        if store.times_read == before:
            return reading.version
    raise AssertionError("the file is read again and again")


async def test_an_object_that_looks_as_it_did_is_not_read_again(store: _CountsReading) -> None:
    await store.create(KEY, b"1")
    version = await settled(store)
    before = store.times_read
    assert await store.read_unless(KEY, version) == SameVersion()
    assert store.times_read == before


async def test_an_object_changed_in_place_to_look_the_same_is_noticed(store: _CountsReading, tmp_path: Path) -> None:
    await store.create(KEY, b"one")
    version = await settled(store)
    file = tmp_path / KEY
    status = file.stat()
    file.write_bytes(b"two")
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    reading = await store.read_unless(KEY, version)
    assert isinstance(reading, Found)
    assert reading.value == b"two"


async def test_what_another_process_replaced_is_not_overwritten(store: _CountsReading, tmp_path: Path) -> None:
    await store.create(KEY, b"one")
    version = await settled(store)
    other = FolderObjects(tmp_path, SystemClock(), SystemRandomness())
    await other.replace(KEY, b"two", version)
    assert not isinstance(await store.read_unless(KEY, version), SameVersion)
    await store.replace(KEY, b"ours", version)
    reading = await store.read(KEY)
    assert isinstance(reading, Found)
    assert reading.value == b"two"


async def test_another_version_than_the_one_asked_about_is_given(store: _CountsReading) -> None:
    await store.create(KEY, b"one")
    old = await settled(store)
    await store.replace(KEY, b"two", old)
    await settled(store)
    reading = await store.read_unless(KEY, old)
    assert isinstance(reading, Found)
    assert reading.value == b"two"
