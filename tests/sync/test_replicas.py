"""Two live folders of one project are two replicas: neither takes the other's absence for a deletion."""

import shutil
from pathlib import Path

import pytest

from oharness.core.scopes import project_scope
from oharness.reconcile.guards import Choice, PauseReason
from oharness.sync.confirm import NothingToConfirm, confirm_paused
from oharness.testing.devices import Device, settle_all
from oharness.testing.sync_server import SyncServer

pytestmark = pytest.mark.sync
SHOP = project_scope("shop")


class Clone(Device):
    """Another folder of a project on the same machine, with the same home."""

    def __init__(self, root: Path, first: Device, replica: str) -> None:
        super().__init__(root, first.server, scope=SHOP, replica=replica)
        self.home = first.home
        self.directory = self._directory(SHOP, replica, 5000)


@pytest.fixture
def first(tmp_path: Path, server: SyncServer) -> Device:
    return Device(tmp_path / "first", server, scope=SHOP, replica="r1")


async def test_an_empty_second_clone_is_filled_and_deletes_nothing(first: Device, tmp_path: Path) -> None:
    for number in range(5):
        first.write(f"n-{number}")
    await first.settle()
    second = Clone(tmp_path / "second", first, "r2")
    report = await second.sync()
    assert len(report.added) == 5
    assert (await first.sync()).changed_nothing


async def test_a_copied_folder_knows_what_it_holds_unchanged(first: Device, tmp_path: Path) -> None:
    for number in range(4):
        first.write(f"n-{number}", f"text {number}")
    await first.settle()
    shutil.copytree(first.folder_path, tmp_path / "second" / "project" / "MEMORY")
    second = Clone(tmp_path / "second", first, "r2")
    first.write("n-1", "edited in the first")
    first.forget("n-2")
    await first.sync()
    report = await second.sync()
    assert (report.changed, report.removed, report.conflicts) == (["n-1"], ["n-2"], [])
    assert first.bodies() == second.bodies()
    second.write("n-3", "edited in the second")
    await settle_all(first, second)
    assert first.bodies() == {"n-0": "text 0", "n-1": "edited in the first", "n-3": "edited in the second"}


async def test_an_edit_in_a_copied_folder_asks_rather_than_overwrites(first: Device, tmp_path: Path) -> None:
    first.write("n", "text")
    first.write("m", "text")
    await first.settle()
    shutil.copytree(first.folder_path, tmp_path / "second" / "project" / "MEMORY")
    second = Clone(tmp_path / "second", first, "r2")
    second.write("n", "edited in the second")
    first.write("n", "edited in the first")
    await first.sync()
    report = await second.sync()
    assert report.conflicts == ["n"]
    assert second.bodies()["n"] == "edited in the second"


async def test_a_folder_of_strangers_asks_before_it_mixes(first: Device, tmp_path: Path, server: SyncServer) -> None:
    for number in range(4):
        first.write(f"template-{number}")
    await first.settle()
    other = Device(tmp_path / "other", server, scope=SHOP, replica="r9")
    for number in range(4):
        other.write(f"mine-{number}")
    report = await other.sync()
    assert report.paused is not None
    assert report.paused.reason is PauseReason.FIRST_SYNC
    assert (await first.sync()).changed_nothing
    confirm_paused(other.directory, Choice.MIX)
    await settle_all(other, first)
    assert len(first.bodies()) == len(other.bodies()) == 8
    with pytest.raises(NothingToConfirm):
        confirm_paused(other.directory, Choice.MIX)
