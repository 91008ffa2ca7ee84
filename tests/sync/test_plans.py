from pathlib import Path

import pytest

from oharness.sync.plans import last_known_paid
from oharness.testing.clock import FakeClock
from oharness.testing.devices import Device
from oharness.testing.sync_server import SyncServer

pytestmark = pytest.mark.sync


def test_before_a_first_sync_no_plan_is_known(tmp_path: Path, server: SyncServer) -> None:
    assert last_known_paid([Device(tmp_path / "a", server).directory]) is None


@pytest.mark.parametrize(("plan", "expected"), [("free", False), ("paid", True)])
async def test_the_last_answer_says_the_plan(tmp_path: Path, server: SyncServer, plan: str, expected: bool) -> None:
    device = Device(tmp_path / "a", server, plan=plan)
    await device.sync()
    assert last_known_paid([device.directory]) is expected


async def test_the_latest_of_several_answers_counts(tmp_path: Path, server: SyncServer, clock: FakeClock) -> None:
    older, newer = Device(tmp_path / "a", server, plan="free"), Device(tmp_path / "b", server, plan="paid")
    await older.sync()
    clock.advance(60)
    await newer.sync()
    assert last_known_paid([newer.directory, older.directory]) is True
    assert last_known_paid([older.directory, newer.directory]) is True


async def test_state_that_cannot_be_read_says_nothing(tmp_path: Path, server: SyncServer) -> None:
    device = Device(tmp_path / "a", server)
    await device.sync()
    (device.directory.state.folder / "progress.json").write_text('{"version": 99}')
    assert last_known_paid([device.directory]) is None
