"""A pass is cut short at every file operation and around every request; the next one comes to the same end."""

import contextlib
import errno
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from oharness.core.errors import OharnessError
from oharness.disk.filesystem import FileSystem
from oharness.sync.directory import Directory
from oharness.sync.mending import NotDamaged, mend
from oharness.sync.one_pass import one_pass
from oharness.sync.resolve import keep_both, keep_mine, merge_by_hand, take_cloud
from oharness.sync.transport import ServiceUnreachable
from oharness.syncserver.objects.base import Found
from oharness.syncserver.objects.ram import RamObjects
from oharness.testing.clock import FakeClock
from oharness.testing.devices import Device, settle_all
from oharness.testing.faults import Crashed, every_crash, every_failure
from oharness.testing.randomness import SeededRandomness
from oharness.testing.sync_server import SyncServer

pytestmark = pytest.mark.sync

TEXTS_ON_B = {"merge": "one\ntwo\nB", "clash": "B's", "up": "new here", "edited": "B edited"}
END = {
    "down": "new there",
    "changed": "changed there",
    "merge": "A\ntwo\nB",
    "clash": "B's",
    "up": "new here",
    "edited": "B edited",
}


@dataclass(frozen=True)
class Prepared:
    """Machine b before a pass that has everything to do, to be copied for each crash."""

    root: Path
    objects: dict[str, bytes]
    clock: FakeClock

    async def copy(self, to: Path, files: FileSystem) -> Device:
        shutil.copytree(self.root, to, symlinks=True)
        store = RamObjects(self.clock)
        for key, value in self.objects.items():
            await store.create(key, value)
        return Device(to, SyncServer(self.clock, SeededRandomness("s"), store=store), files=files)


async def prepared(tmp_path: Path, clock: FakeClock) -> Prepared:
    store = RamObjects(clock)
    server = SyncServer(clock, SeededRandomness("s"), store=store)
    a, b = Device(tmp_path / "a", server), Device(tmp_path / "b", server)
    for note_id in ("changed", "gone-there", "gone-here", "edited", "clash"):
        a.write(note_id, "one")
    a.write("merge", "one\ntwo\nthree")
    await settle_all(a, b)
    a.write("down", "new there")
    a.write("changed", "changed there")
    a.write("merge", "A\ntwo\nthree")
    a.write("clash", "A's")
    a.forget("gone-there")
    await a.sync()
    for note_id, body in TEXTS_ON_B.items():
        b.write(note_id, body)
    b.forget("gone-here")
    return Prepared(tmp_path / "b", await objects_in(store), clock)


async def objects_in(store: RamObjects) -> dict[str, bytes]:
    objects: dict[str, bytes] = {}
    async for listed in store.list_under(""):
        reading = await store.read(listed.key)
        assert isinstance(reading, Found)
        objects[listed.key] = reading.value
    return objects


async def check_end(device: Device) -> None:
    """After the restart: the same end, nothing lost, and then quiet."""
    restarted = Device(device.home.root.parent, device.server)
    report = await restarted.settle()
    assert restarted.bodies() == END
    assert report.conflicts == ["clash"]
    assert {"A's", "B's"} <= set(restarted.backed_up("clash"))
    assert {"one\ntwo\nB", "A\ntwo\nthree"} <= set(restarted.backed_up("merge"))
    assert "one" in restarted.backed_up("changed")
    assert "one" in restarted.backed_up("gone-there")
    other = Device(device.home.root.parent / "other", device.server)
    await other.sync()
    assert other.bodies() == END | {"clash": "A's"}
    assert (await restarted.sync()).changed_nothing


@pytest.mark.parametrize("power", ["the process dies", "the power goes"])
@pytest.mark.timeout(900)
async def test_a_crash_at_any_file_operation_comes_to_the_same_end(
    tmp_path: Path, clock: FakeClock, power: str
) -> None:
    start = await prepared(tmp_path, clock)
    for number, files in enumerate(every_crash()):
        place = tmp_path / f"crash-{number}"
        device = await start.copy(place, files)
        try:
            await device.sync()
        except Crashed:
            if power == "the power goes":
                files.power_is_lost(place)
        await check_end(device)
        shutil.rmtree(place)
    assert number > 50


@pytest.mark.timeout(900)
async def test_a_failure_of_any_file_operation_comes_to_the_same_end(tmp_path: Path, clock: FakeClock) -> None:
    start = await prepared(tmp_path, clock)
    for number, files in enumerate(every_failure(errno.EIO)):
        place = tmp_path / f"failure-{number}"
        device = await start.copy(place, files)
        with contextlib.suppress(OharnessError):
            await device.sync()
        await check_end(device)
        shutil.rmtree(place)
    assert number > 50


# --- a first sync of two collections, and the four answers to a conflict


async def first_meeting(tmp_path: Path, clock: FakeClock) -> Prepared:
    """Machine b with notes of its own, before it meets a cloud that has others and one in another version."""
    store = RamObjects(clock)
    a, b = (Device(tmp_path / name, SyncServer(clock, SeededRandomness("s"), store=store)) for name in ("a", "b"))
    for note_id in ("there", "same", "other"):
        a.write(note_id, f"{note_id}, from a")
    await a.sync()
    for note_id, body in {"here": "from b", "same": "same, from a", "other": "from b"}.items():
        b.write(note_id, body)
    return Prepared(tmp_path / "b", await objects_in(store), clock)


async def check_first_meeting_end(device: Device) -> None:
    restarted = Device(device.home.root.parent, device.server)
    report = await restarted.settle()
    assert restarted.bodies() == {
        "there": "there, from a",
        "same": "same, from a",
        "here": "from b",
        "other": "from b",
    }
    assert report.conflicts == ["other"]
    assert {"other, from a", "from b"} <= set(restarted.backed_up("other"))
    assert (await restarted.sync()).changed_nothing


@pytest.mark.timeout(900)
async def test_a_first_sync_cut_short_at_any_file_operation_comes_to_the_same_end(
    tmp_path: Path, clock: FakeClock
) -> None:
    start = await first_meeting(tmp_path, clock)
    for number, files in enumerate(every_crash()):
        place = tmp_path / f"crash-{number}"
        device = await start.copy(place, files)
        with contextlib.suppress(Crashed):
            await device.sync()
        await check_first_meeting_end(device)
        shutil.rmtree(place)
    assert number > 50


ANSWERS: dict[str, tuple[Callable[[Directory], object], list[str]]] = {
    "mine": (lambda directory: keep_mine(directory, "n"), ["B's"]),
    "cloud": (lambda directory: take_cloud(directory, "n"), ["A's"]),
    "both": (lambda directory: keep_both(directory, "n"), ["A's", "B's"]),
    "by hand": (lambda directory: merge_by_hand(directory, "n", b"by hand"), ["by hand"]),
}


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.timeout(900)
async def test_an_answer_cut_short_at_any_file_operation_can_be_given_again(
    tmp_path: Path, clock: FakeClock, answer: str
) -> None:
    store = RamObjects(clock)
    a, b = (Device(tmp_path / name, SyncServer(clock, SeededRandomness("s"), store=store)) for name in ("a", "b"))
    a.write("n", "one")
    await settle_all(a, b)
    a.write("n", "A's")
    b.write("n", "B's")
    await a.sync()
    assert (await b.sync()).conflicts == ["n"]
    start = Prepared(tmp_path / "b", await objects_in(store), clock)
    give, expected = ANSWERS[answer]
    for number, files in enumerate(every_crash()):
        place = tmp_path / f"crash-{number}"
        device = await start.copy(place, files)
        with contextlib.suppress(Crashed):
            give(device.directory)
        restarted = Device(place, device.server)
        if restarted.conflicts():
            assert {"A's", "B's"} <= {*restarted.backed_up("n"), *restarted.bodies().values()}
            give(restarted.directory)
        await restarted.settle()
        assert sorted(restarted.bodies().values()) == expected
        assert not restarted.conflicts()
        assert {"A's", "B's"} <= {*restarted.backed_up("n"), *restarted.bodies().values()}
        other = Device(place / "other", device.server)
        await other.sync()
        assert other.bodies() == restarted.bodies()
        shutil.rmtree(place)
    assert number > 5


BROKEN = b"---\n{half a not"


@pytest.mark.parametrize("state", ["in sync", "in conflict"])
@pytest.mark.parametrize("power", ["the process dies", "the power goes"])
@pytest.mark.timeout(900)
async def test_mending_cut_short_at_any_file_operation_can_be_asked_for_again(
    tmp_path: Path, clock: FakeClock, power: str, state: str
) -> None:
    store = RamObjects(clock)
    a, b = (Device(tmp_path / name, SyncServer(clock, SeededRandomness("s"), store=store)) for name in ("a", "b"))
    a.write("n", "one")
    await settle_all(a, b)
    if state == "in conflict":
        a.write("n", "A's")
        b.write("n", "B's")
        await a.sync()
        assert (await b.sync()).conflicts == ["n"]
    good = "B's" if state == "in conflict" else "one"
    b.path("n").write_bytes(BROKEN)
    start = Prepared(tmp_path / "b", await objects_in(store), clock)
    for number, files in enumerate(every_crash()):
        place = tmp_path / f"crash-{number}"
        device = await start.copy(place, files)
        try:
            mend(device.directory, "n")
        except Crashed:
            if power == "the power goes":
                files.power_is_lost(place)
        restarted = Device(place, device.server)
        assert restarted.path("n").read_bytes() == BROKEN or restarted.bodies() == {"n": good}
        with contextlib.suppress(NotDamaged):
            mend(restarted.directory, "n")
        assert restarted.bodies() == {"n": good}
        assert BROKEN in set_aside(restarted)
        assert list(restarted.conflicts()) == (["n"] if state == "in conflict" else [])
        assert (await restarted.sync()).pushed == []
        assert restarted.bodies() == {"n": good}
        shutil.rmtree(place)
    assert number > 5


def set_aside(device: Device) -> list[bytes]:
    return [one.data for one in device.directory.backups.readable_of("n")]


class Unplugged:
    """A device's transport that loses the n-th request or its answer."""

    def __init__(self, device: Device, number: int, *, after: bool) -> None:
        self._through = device.transport
        self._left = number
        self._after = after
        self.lost = False

    def __getattr__(self, name: str) -> Any:
        asked = getattr(self._through, name)
        if name not in ("identity", "listing", "bodies", "commit"):
            return asked

        async def request(*arguments: Any) -> Any:
            self._left -= 1
            if self._left or self._after:
                answer = await asked(*arguments)
                if self._left:
                    return answer
            self.lost = True
            raise ServiceUnreachable("https://sync.test", "unplugged")

        return request


@pytest.mark.parametrize("is_first", [False, True], ids=["a pass", "a first sync"])
@pytest.mark.parametrize("after", [False, True], ids=["request lost", "answer lost"])
async def test_a_request_or_answer_lost_at_any_place_comes_to_the_same_end(
    tmp_path: Path, clock: FakeClock, after: bool, is_first: bool
) -> None:
    start = await (first_meeting if is_first else prepared)(tmp_path, clock)
    check = check_first_meeting_end if is_first else check_end
    for number in range(1, 20):
        device = await start.copy(tmp_path / f"lost-{number}", FileSystem())
        transport = Unplugged(device, number, after=after)
        with contextlib.suppress(ServiceUnreachable):
            await one_pass(device.directory, transport, device.account)
        await check(device)
        if not transport.lost:
            break
    assert number > 2
