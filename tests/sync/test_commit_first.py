"""A batch reaches the cloud first, and this machine only when the cloud took it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from oharness.notes.batch import NoteBatch, NotesChanged, PlannedDelete, PlannedWrite
from oharness.notes.hashing import content_hash
from oharness.notes.limits import NoteTooLarge
from oharness.notes.note import Note
from oharness.protocol.commit import CommitAnswer, CommitRequest
from oharness.protocol.quotas import PlanLimits, Quota
from oharness.sync.commit_first import (
    BatchDone,
    BatchOvertaken,
    BatchRefused,
    BatchTooLarge,
    NotInSync,
    commit_first,
)
from oharness.sync.transport import ServiceUnreachable
from oharness.testing.clock import FakeClock
from oharness.testing.devices import Device, settle_all
from oharness.testing.randomness import SeededRandomness
from oharness.testing.sync_server import SyncServer

pytestmark = pytest.mark.sync
Machine = Callable[[str], Device]


def merged(device: Device, keep: str, delete: str, body: str = "merged") -> NoteBatch:
    """Two notes become one."""
    kept, gone = device.note(keep), device.note(delete)
    assert kept is not None
    assert gone is not None
    write = PlannedWrite(replace(kept, body=body), content_hash(kept))
    return NoteBatch((write,), (PlannedDelete(delete, content_hash(gone)),))


async def committed(device: Device, batch: NoteBatch) -> BatchDone:
    return await commit_first(device.directory, device.transport, device.account, batch)


class Interfering:
    """The device's transport, with something happening around its next strict commit."""

    def __init__(self, device: Device, *, before: Device | None = None, lose_answer: bool = False) -> None:
        self._through = device.transport
        self._before = before
        self._lose_answer = lose_answer

    def __getattr__(self, name: str) -> Any:
        return getattr(self._through, name)

    async def commit(self, request: CommitRequest, body: bytes) -> CommitAnswer:
        if request.strict and self._before:
            await self._before.sync()
        answer = await self._through.commit(request, body)
        if request.strict and self._lose_answer:
            raise ServiceUnreachable("https://sync.test", "the answer was lost")
        return answer


async def test_a_change_from_another_device_in_between_refuses_the_batch_whole(device: Machine) -> None:
    a, b = device("a"), device("b")
    a.write("x", "one")
    a.write("y", "two")
    await settle_all(a, b)
    batch = merged(a, "x", "y")
    b.write("unrelated")
    transport = Interfering(a, before=b)
    with pytest.raises(BatchOvertaken):
        await commit_first(a.directory, transport, a.account, batch)
    assert a.bodies() == {"x": "one", "y": "two"}
    await settle_all(a, b)
    assert b.bodies() == {"x": "one", "y": "two", "unrelated": "text"}


async def test_after_a_lost_answer_the_next_pass_brings_the_batch_down_and_undoes_nothing(device: Machine) -> None:
    a, b = device("a"), device("b")
    a.write("x", "one")
    a.write("y", "two")
    await settle_all(a, b)
    with pytest.raises(ServiceUnreachable):
        await commit_first(a.directory, Interfering(a, lose_answer=True), a.account, merged(a, "x", "y"))
    assert a.bodies() == {"x": "one", "y": "two"}
    report = await a.sync()
    assert (report.changed, report.removed) == (["x"], ["y"])
    await settle_all(a, b)
    assert a.bodies() == b.bodies() == {"x": "merged"}


async def test_a_note_edited_while_the_cloud_took_the_batch_is_merged_by_the_next_pass(device: Machine) -> None:
    a, b = device("a"), device("b")
    a.write("x", "one\ntwo\nthree")
    a.write("y", "two")
    await settle_all(a, b)
    batch = merged(a, "x", "y", "ONE\ntwo\nthree")

    class EditedMeanwhile(Interfering):
        async def commit(self, request: CommitRequest, body: bytes) -> CommitAnswer:
            answer = await super().commit(request, body)
            a.write("x", "one\ntwo\nTHREE")
            return answer

    done = await commit_first(a.directory, EditedMeanwhile(a), a.account, batch)
    assert (done.written, done.left) == ((), ("x",))
    await settle_all(a, b)
    assert a.bodies() == b.bodies() == {"x": "ONE\ntwo\nTHREE"}


async def test_a_batch_is_in_the_cloud_and_here_and_what_it_replaced_is_backed_up(device: Machine) -> None:
    a, b = device("a"), device("b")
    a.write("x", "one")
    a.write("y", "two")
    await settle_all(a, b)
    done = await committed(a, merged(a, "x", "y"))
    assert (done.written, done.deleted, done.left) == (("x",), ("y",), ())
    assert len(done.backups) == 2
    assert a.bodies() == {"x": "merged"}
    assert (a.backed_up("x"), a.backed_up("y")) == (["one"], ["two"])
    await b.sync()
    assert b.bodies() == {"x": "merged"}
    assert (await a.sync()).changed_nothing


async def test_a_batch_syncs_first_so_that_an_edit_from_elsewhere_refuses_it(device: Machine) -> None:
    a, b = device("a"), device("b")
    a.write("x", "one")
    a.write("y", "two")
    await settle_all(a, b)
    batch = merged(a, "x", "y")
    b.write("x", "edited on b")
    await b.sync()
    with pytest.raises(NotesChanged):
        await committed(a, batch)
    assert a.bodies() == {"x": "edited on b", "y": "two"}


async def test_a_note_that_is_not_in_sync_refuses_the_batch(device: Machine) -> None:
    a, b = device("a"), device("b")
    a.write("x", "one")
    a.write("y", "two")
    await settle_all(a, b)
    a.write("x", "A's")
    b.write("x", "B's")
    await b.sync()
    await a.sync()
    with pytest.raises(NotInSync):
        await committed(a, merged(a, "x", "y"))
    assert a.bodies() == {"x": "A's", "y": "two"}


async def test_a_new_note_may_be_part_of_a_batch(device: Machine) -> None:
    a, b = device("a"), device("b")
    a.write("x", "one")
    await settle_all(a, b)
    x = a.note("x")
    assert x is not None
    new = Note("new", "Made by the batch", "n")
    batch = NoteBatch((PlannedWrite(new, None), PlannedWrite(replace(x, body="X"), content_hash(x))))
    await committed(a, batch)
    await b.sync()
    assert a.bodies() == b.bodies() == {"new": "n", "x": "X"}


async def test_a_batch_over_the_quota_is_refused_before_anything_is_sent(tmp_path: Path, clock: FakeClock) -> None:
    server = SyncServer(clock, SeededRandomness("s"), quota=Quota(max_changes=2))
    a = Device(tmp_path / "a", server)
    for note_id in "xyz":
        a.write(note_id)
    await a.sync()
    deletes = tuple(PlannedDelete(n, content_hash(note)) for n in "xyz" if (note := a.note(n)))
    with pytest.raises(BatchTooLarge):
        await committed(a, NoteBatch((), deletes))
    assert len(a.bodies()) == 3


async def test_a_merged_body_over_the_plans_limit_is_refused_before_anything_is_sent(
    tmp_path: Path, clock: FakeClock
) -> None:
    server = SyncServer(clock, SeededRandomness("s"), free_limits=PlanLimits(10, 100))
    a = Device(tmp_path / "a", server, plan="free")
    a.write("x")
    a.write("y")
    await a.sync()
    with pytest.raises(NoteTooLarge):
        await committed(a, merged(a, "x", "y", "long " * 40))
    assert len(a.bodies()) == 2


async def test_a_plan_that_allows_no_more_notes_refuses_the_batch_whole(tmp_path: Path, clock: FakeClock) -> None:
    server = SyncServer(clock, SeededRandomness("s"), free_limits=PlanLimits(1, 1000))
    a = Device(tmp_path / "a", server, plan="free")
    a.write("x", "one")
    await a.sync()
    x = a.note("x")
    assert x is not None
    batch = NoteBatch((PlannedWrite(Note("new", "S", "n"), None), PlannedWrite(replace(x, body="X"), content_hash(x))))
    with pytest.raises(BatchRefused):
        await committed(a, batch)
    assert a.bodies() == {"x": "one"}
    assert (await a.sync()).changed_nothing
