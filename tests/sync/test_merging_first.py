"""A merge of tidying over the real service in process, while another device is at work."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from oharness.config.schema import default_settings
from oharness.core.clock import Millis
from oharness.core.scopes import Scope
from oharness.disk.recall_index import RecallIndex
from oharness.disk.usage import UsageFile
from oharness.memory.changes import IntentRecorder
from oharness.memory.scopes import Memory, Surroundings
from oharness.memory.service import MemoryService
from oharness.memory.tidying import Committed, Committer, PlannedMerge, Tidying, apply_merge
from oharness.notes.batch import NoteBatch, NotesChanged
from oharness.protocol.commit import CommitAnswer, CommitRequest
from oharness.sync.commit_first import BatchOvertaken, commit_first
from oharness.sync.transport import ServiceUnreachable, SyncTransport
from oharness.testing.devices import Device, settle_all
from oharness.tidy.merge_draft import MergeDraft

pytestmark = pytest.mark.sync


@dataclass
class Desk:
    """Tidying on a device, with its commits going through `transport`."""

    tidying: Tidying
    device: Device

    def committer(self, transport: SyncTransport | None = None) -> Committer:
        device = self.device

        async def commit(scope: Scope, batch: NoteBatch) -> Committed:
            done = await commit_first(device.directory, transport or device.transport, device.account, batch)
            return Committed(done.backups, done.left)

        return commit

    def planned(self, *ids: str) -> PlannedMerge:
        originals = self.tidying.originals(ids)
        joined = self.tidying.joined(originals)
        return self.tidying.plan(originals, MergeDraft(joined.summary, joined.body))


@pytest.fixture
def desk_of() -> Iterator[Callable[[Device], Desk]]:
    opened: list[MemoryService] = []

    def made(device: Device) -> Desk:
        directory = device.directory
        changes = IntentRecorder(directory.intents, directory.marks, directory.clock)
        usage = UsageFile(device.files, device.home, directory.scope, directory.clock)
        service = MemoryService(directory.scope, directory.folder, RecallIndex.in_memory(), usage, changes, 5000)
        opened.append(service)
        settings = default_settings().memory
        around = Surroundings(device.files, device.home, settings, directory.clock, directory.randomness, directory.git)
        return Desk(Tidying(Memory(None, service, None, directory.backups, around)), device)

    yield made
    for service in opened:
        service.close()


async def two_devices(device: Callable[[str], Device]) -> tuple[Device, Device]:
    a, b = device("a"), device("b")
    a.write("old", "At 14:30.", created_at=Millis(1_700_000_000_000))
    a.write("new", "Port 8081.", created_at=Millis(1_710_000_000_000))
    a.write("link", "See [[new]].", created_at=Millis(1_720_000_000_000))
    await settle_all(a, b)
    return a, b


class Interfering:
    """The device's transport, with something happening before its strict commit, or its answer lost."""

    def __init__(self, device: Device, happens: Callable[[], Any] | None = None, *, lose: bool = False) -> None:
        self._through = device.transport
        self._happens = happens
        self._lose = lose

    def __getattr__(self, name: str) -> Any:
        return getattr(self._through, name)

    async def commit(self, request: CommitRequest, body: bytes) -> CommitAnswer:
        if request.strict and self._happens:
            await self._happens()
        answer = await self._through.commit(request, body)
        if request.strict and self._lose:
            raise ServiceUnreachable("https://sync.test", "the answer was lost")
        return answer


async def test_a_merge_reaches_every_device_and_what_it_replaced_is_backed_up(
    device: Callable[[str], Device], desk_of: Callable[[Device], Desk]
) -> None:
    a, b = await two_devices(device)
    desk = desk_of(a)
    done = await apply_merge(desk.tidying, desk.planned("new", "old"), desk.committer())
    assert (done.kept, done.deleted, done.relinked, done.left) == ("old", ("new",), ("link",), ())
    assert len(done.backups) == 3
    await settle_all(a, b)
    assert a.bodies() == b.bodies()
    assert a.bodies()["link"] == "See [[old]]."
    assert "Port 8081." in a.bodies()["old"]


async def test_an_edit_on_another_device_before_the_merge_refuses_it_and_comes_down(
    device: Callable[[str], Device], desk_of: Callable[[Device], Desk]
) -> None:
    a, b = await two_devices(device)
    desk = desk_of(a)
    ready = desk.planned("new", "old")
    b.write("new", "Port 9090, not 8081.")
    await b.sync()
    with pytest.raises(NotesChanged):
        await apply_merge(desk.tidying, ready, desk.committer())
    assert a.bodies()["new"] == "Port 9090, not 8081."
    assert set(a.bodies()) == {"old", "new", "link"}
    assert a.conflicts() == {}


async def test_an_edit_in_the_moment_between_check_and_commit_refuses_it_whole(
    device: Callable[[str], Device], desk_of: Callable[[Device], Desk]
) -> None:
    a, b = await two_devices(device)
    desk = desk_of(a)
    before = a.bodies()
    b.write("new", "Port 9090.")
    transport: Any = Interfering(a, b.sync)
    with pytest.raises(BatchOvertaken):
        await apply_merge(desk.tidying, desk.planned("new", "old"), desk.committer(transport))
    assert a.bodies() == before
    await settle_all(a, b)
    assert a.bodies()["new"] == b.bodies()["new"] == "Port 9090."
    assert a.conflicts() == b.conflicts() == {}


async def test_a_merge_whose_answer_was_lost_is_either_everywhere_or_nowhere_after_the_next_pass(
    device: Callable[[str], Device], desk_of: Callable[[Device], Desk]
) -> None:
    a, b = await two_devices(device)
    desk = desk_of(a)
    transport: Any = Interfering(a, lose=True)
    with pytest.raises(ServiceUnreachable):
        await apply_merge(desk.tidying, desk.planned("new", "old"), desk.committer(transport))
    await settle_all(a, b)
    assert a.bodies() == b.bodies()
    assert set(a.bodies()) == {"old", "link"}
    assert "Port 8081." in a.bodies()["old"]
