"""What the simulated worlds found, each as the smallest case that shows it (docs/simulation.md)."""

from collections.abc import Callable

import pytest

from oharness.protocol.snapshot import PollRequest
from oharness.sync.local_look import bearings
from oharness.testing.devices import Device, settle_all
from oharness.testing.sync_server import SyncServer
from oharness.testing.world.lab import Lab, in_lab
from oharness.testing.world.machine import Replica

pytestmark = pytest.mark.sync
Machine = Callable[[str], Device]


async def test_a_note_put_again_after_a_restored_storage_is_found_under_its_new_revision(
    device: Machine, server: SyncServer
) -> None:
    a, b = device("a"), device("b")
    a.write("first")
    await a.sync()
    storage = server.store._objects.copy()  # type: ignore[attr-defined]
    a.write("n", "text")
    await a.sync()
    b.write("other")
    assert (await b.sync()).paused is not None  # b has seen the note, and waits for a person before it mixes
    server.store._objects = storage  # type: ignore[attr-defined]
    await a.sync()
    b.path("other").unlink()
    await settle_all(a, b)
    report = await b.sync()
    assert b.bodies()["n"] == "text"
    assert (report.held_back, report.requests) == ({}, 1)


def saved(server: SyncServer) -> dict[str, object]:
    """A copy of everything that the storage holds."""
    return dict(server.store._objects)  # type: ignore[attr-defined]


def set_back(server: SyncServer, storage: dict[str, object]) -> None:
    """The storage is as it was."""
    server.store._objects = dict(storage)  # type: ignore[attr-defined]


async def both_hold_a_note_and_only_b_its_newer_text(a: Device, b: Device, server: SyncServer) -> None:
    """The storage was set back to before b's newer text, which went up."""
    a.write("n", "one\ntwo\nthree")
    await settle_all(a, b)
    storage = saved(server)
    b.write("n", "one\ntwo, as b says\nthree")
    await b.sync()
    set_back(server, storage)


async def test_a_restored_storage_that_went_on_past_a_newer_text_does_not_take_it(
    device: Machine, server: SyncServer
) -> None:
    a, b = device("a"), device("b")
    await both_hold_a_note_and_only_b_its_newer_text(a, b, server)
    for text in ("one\ntwo, as a says\nthree", "one\ntwo, as a says again\nthree"):
        a.write("n", text)
        await a.sync()
    report = await b.sync()
    assert report.cloud_was_reset
    assert b.bodies()["n"] == "one\ntwo, as b says\nthree"
    assert b.conflicts()


async def test_a_restored_storage_that_went_on_to_the_same_version_does_not_take_a_newer_text(
    device: Machine, server: SyncServer
) -> None:
    a, b = device("a"), device("b")
    await both_hold_a_note_and_only_b_its_newer_text(a, b, server)
    a.write("n", "one\ntwo, as a says\nthree")
    await a.sync()
    report = await b.sync()
    assert report.cloud_was_reset
    assert b.bodies()["n"] == "one\ntwo, as b says\nthree"
    assert b.conflicts()


def test_a_check_between_passes_sees_a_restored_storage_at_the_same_version() -> None:
    async def story(lab: Lab) -> list[bool]:
        a, b = lab.machine("a"), lab.machine("b")
        lab.writes(a, "n", "text")
        await lab.settle()
        cloud = lab.world.cloud
        storage = cloud.objects.copy()
        lab.writes(b, "n", "text, as b says")
        await lab.sync(b)
        cloud.objects.set_back(storage)
        cloud.watch.set_back()
        cloud.start()
        lab.writes(a, "n", "text, as a says")
        await lab.sync(a)
        return [await moved_on(lab, replica) for replica in (a, b)]

    assert in_lab(story) == [False, True]


async def moved_on(lab: Lab, replica: Replica) -> bool:
    """Whether the cloud has moved on from where a directory stands, as the check between passes asks it."""
    process = lab.world.process(replica)
    query = bearings(process.directory).query
    assert query is not None
    return (await process.transport.poll(PollRequest((query,)))).states[0].changed


async def test_a_deletion_in_a_restored_storage_that_went_on_does_not_take_a_newer_text(
    device: Machine, server: SyncServer
) -> None:
    a, b = device("a"), device("b")
    await both_hold_a_note_and_only_b_its_newer_text(a, b, server)
    a.write("n", "one\ntwo, as a says\nthree")
    await a.sync()
    a.forget("n")
    await a.sync()
    await settle_all(b, a)
    assert a.bodies()["n"] == b.bodies()["n"] == "one\ntwo, as b says\nthree"


async def test_a_machine_that_only_received_a_newer_text_keeps_it_from_a_restored_storage_that_went_on(
    device: Machine, server: SyncServer
) -> None:
    a, b, c = device("a"), device("b"), device("c")
    a.write("n", "text")
    await settle_all(a, b, c)
    storage = saved(server)
    b.write("n", "text, as b says")
    await b.sync()
    await c.sync()
    set_back(server, storage)
    for text in ("text, as a says", "text, as a says again"):
        a.write("n", text)
        await a.sync()
    await c.sync()
    assert c.bodies()["n"] == "text, as b says"
    assert c.conflicts()
