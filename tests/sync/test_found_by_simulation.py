"""What the simulated worlds found, each as the smallest case that shows it (docs/simulation.md)."""

from collections.abc import Callable

import pytest

from oharness.testing.devices import Device, settle_all
from oharness.testing.sync_server import SyncServer

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
