"""While one part of an upload is on its way the next is got ready: nothing that went up is forgotten over it."""

import errno
from pathlib import Path

import pytest

from oharness.core.errors import StorageFailed
from oharness.disk.filesystem import FileSystem
from oharness.protocol.quotas import Quota
from oharness.testing.clock import FakeClock
from oharness.testing.devices import Device
from oharness.testing.randomness import SeededRandomness
from oharness.testing.sync_server import SyncServer

pytestmark = pytest.mark.sync
NOTES = [f"n-{number}" for number in range(7)]


class _FullOnce(FileSystem):
    """A disk that has no room for the copies of notes when they are kept for the first time."""

    is_full = True

    def write_new(self, path: Path, data: bytes, mode: int) -> None:
        if self.is_full and "copies" in path.parts:
            self.is_full = False
            raise OSError(errno.ENOSPC, "no space left")
        super().write_new(path, data, mode)


@pytest.fixture
def server(clock: FakeClock) -> SyncServer:
    return SyncServer(clock, SeededRandomness("server"), quota=Quota(max_changes=3))


async def test_all_parts_of_an_upload_arrive_and_are_recorded(tmp_path: Path, server: SyncServer) -> None:
    a, b = Device(tmp_path / "a", server), Device(tmp_path / "b", server)
    for name in NOTES:
        a.write(name)
    report = await a.sync()
    assert (sorted(report.pushed), report.requests) == (NOTES, 4)
    assert (await a.sync()).changed_nothing
    await b.sync()
    assert sorted(b.bodies()) == NOTES


async def test_a_part_that_went_up_is_recorded_also_when_getting_the_next_one_ready_fails(
    tmp_path: Path, server: SyncServer
) -> None:
    a, b = Device(tmp_path / "a", server, files=_FullOnce()), Device(tmp_path / "b", server)
    for name in NOTES:
        a.write(name, "one")
    with pytest.raises(StorageFailed):
        await a.sync()
    await b.sync()
    there = sorted(b.bodies())
    assert len(there) == 3
    a.write(there[0], "edited since")  # a conflict, if nobody remembered what it derives from
    report = await a.sync()
    assert (sorted(report.pushed), report.conflicts) == (sorted({*NOTES, there[0]} - {*there[1:]}), [])
    await b.sync()
    assert b.bodies()[there[0]] == "edited since"
