"""Notes made or brought back on purpose: that counts until they are in sync, and undoes no deletion after that."""

from collections.abc import Callable
from typing import Any

import pytest

from oharness.disk.outbox import Outbox
from oharness.notes.note import Note
from oharness.protocol.commit import CommitAnswer, CommitRequest
from oharness.sync.one_pass import one_pass
from oharness.sync.transport import ServiceUnreachable
from oharness.testing.devices import Device, settle_all
from oharness.testing.faults import Crashed

pytestmark = pytest.mark.sync
Machine = Callable[[str], Device]
N = Note("n", "Summary of n", "text")


async def is_deleted_everywhere(*, by: Device, at: Device) -> bool:
    """Somebody deletes the note at one machine after both are in sync, and both sync again."""
    await by.sync()
    by.forget("n")
    await by.sync()
    await at.sync()
    await by.sync()
    return not at.bodies() and not by.bodies()


class LosesTheAnswer:
    """A device's transport on which the answer to a commit does not arrive."""

    def __init__(self, device: Device) -> None:
        self.device = device

    def __getattr__(self, name: str) -> Any:
        return getattr(self.device.transport, name)

    async def commit(self, request: CommitRequest, body: bytes) -> CommitAnswer:
        await self.device.transport.commit(request, body)
        raise ServiceUnreachable("https://sync.test", "lost")


async def test_a_note_that_is_back_on_purpose_stands_against_an_earlier_deletion(device: Machine) -> None:
    a, b = device("a"), device("b")
    a.restore(N)
    await settle_all(a, b)
    b.forget("n")
    await b.sync()
    await a.sync()
    a.restore(N)
    await settle_all(a, b)
    assert a.bodies() == b.bodies() == {"n": "text"}


async def test_a_note_brought_back_beside_a_deletion_elsewhere_stands_against_it(device: Machine) -> None:
    a, b = device("a"), device("b")
    a.restore(N)
    await settle_all(a, b)
    b.forget("n")
    await b.sync()
    a.forget("n")
    a.restore(N)
    await settle_all(a, b)
    assert a.bodies() == b.bodies() == {"n": "text"}


async def test_a_deletion_holds_although_the_upload_before_it_is_confirmed_later(device: Machine) -> None:
    a, b = device("a"), device("b")
    a.restore(N)
    with pytest.raises(ServiceUnreachable):
        await one_pass(a.directory, LosesTheAnswer(a), a.account)
    assert await is_deleted_everywhere(by=b, at=a)


async def test_a_deletion_holds_although_the_process_died_while_the_upload_was_recorded(
    device: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def clear(outbox: Outbox) -> None:
        cleared(outbox)
        raise Crashed

    cleared = Outbox.clear
    a, b = device("a"), device("b")
    a.restore(N)
    monkeypatch.setattr(Outbox, "clear", clear)
    with pytest.raises(Crashed):
        await a.sync()
    monkeypatch.undo()
    assert await is_deleted_everywhere(by=b, at=a)


async def test_a_deletion_holds_after_a_note_was_back_before_anybody_noticed(device: Machine) -> None:
    a, b = device("a"), device("b")
    a.restore(N)
    await settle_all(a, b)
    a.forget("n")
    a.restore(N)
    await a.sync()
    assert await is_deleted_everywhere(by=b, at=a)


async def test_a_deletion_holds_after_two_made_the_same_note(device: Machine) -> None:
    a, b = device("a"), device("b")
    a.restore(N)
    b.restore(N)
    await settle_all(b, a)
    assert await is_deleted_everywhere(by=b, at=a)


async def test_an_old_copy_is_none_that_somebody_wanted_once_the_note_was_changed_elsewhere(device: Machine) -> None:
    a, b = device("a"), device("b")
    a.restore(N)
    await settle_all(a, b)
    a.forget("n")
    a.restore(N)
    b.write("n", "newer text")
    await b.sync()
    await a.sync()
    assert await is_deleted_everywhere(by=b, at=a)
    a.write("n", "text")  # as from an old backup of the disk
    await settle_all(a, b)
    assert a.bodies() == b.bodies() == {}
