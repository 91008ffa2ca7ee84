"""Old and new clients against old and new services: what can be synced is, and the rest is said."""

from collections.abc import Callable
from pathlib import Path

import pytest

from oharness.core.scopes import project_scope
from oharness.disk.credentials_file import Credentials
from oharness.sync.old_server import OldService, ServerTooOld
from oharness.sync.report import PassReport
from oharness.sync.syncing import sync_directory
from oharness.syncserver.objects.ram import RamObjects
from oharness.testing.clock import FakeClock
from oharness.testing.devices import ORIGIN, Device
from oharness.testing.randomness import SeededRandomness
from oharness.testing.sync_server import SyncServer

pytestmark = pytest.mark.sync

SHOP = project_scope("shop")
Service = Callable[..., SyncServer]


@pytest.fixture
def service(clock: FakeClock) -> Service:
    """Services on one storage: present ones, and old ones with `only_old_protocol`."""
    store = RamObjects(clock)

    def make(**options: bool) -> SyncServer:
        return SyncServer(clock, SeededRandomness(f"s{options}"), store=store, **options)  # type: ignore[arg-type]

    return make


def project(tmp_path: Path, name: str, server: SyncServer) -> Device:
    return Device(tmp_path / name, server, scope=SHOP, replica=f"replica-{name}")


async def synced(device: Device) -> PassReport:
    credentials = Credentials(ORIGIN, ORIGIN, device.account, "token")
    return await sync_directory(device.directory, device.files, device.home, credentials, device.transport)


async def test_project_notes_without_a_type_sync_through_an_old_service(tmp_path: Path, service: Service) -> None:
    old = service(only_old_protocol=True)
    a, b = project(tmp_path, "a", old), project(tmp_path, "b", old)
    a.write("n", "one\ntwo\nthree")
    a.write("gone", "x")
    assert (await synced(a)).server_is_old
    assert sorted((await synced(b)).added) == ["gone", "n"]
    a.write("n", "ONE\ntwo\nthree")
    b.write("n", "one\ntwo\nTHREE")
    a.forget("gone")
    await synced(a)
    report = await synced(b)
    assert (report.merged, report.removed) == (["n"], ["gone"])
    await synced(a)
    assert a.bodies() == b.bodies() == {"n": "ONE\ntwo\nTHREE"}
    assert (await synced(a)).changed_nothing


async def test_typed_notes_stay_here_until_the_service_is_upgraded(tmp_path: Path, service: Service) -> None:
    a = project(tmp_path, "a", service(only_old_protocol=True))
    a.write("plain")
    a.write("typed", type="project")
    a.write("extra", extra={"k": 1})
    report = await synced(a)
    assert report.pushed == ["plain"]
    assert report.held_back == {"typed": "upgrade_required", "extra": "upgrade_required"}
    assert (await synced(a)).held_back == report.held_back

    upgraded = project(tmp_path, "a", service())
    report = await synced(upgraded)
    assert not report.server_is_old
    assert sorted(report.pushed) == ["extra", "typed"]
    assert not report.cloud_was_reset
    assert (await synced(upgraded)).changed_nothing


async def test_an_upgrade_of_the_service_changes_no_note(tmp_path: Path, service: Service) -> None:
    a = project(tmp_path, "a", service(only_old_protocol=True))
    for number in range(5):
        a.write(f"n-{number}")
    await synced(a)
    a.write("n-3", "edited before the upgrade was noticed")
    upgraded = project(tmp_path, "a", service())
    report = await synced(upgraded)
    assert (report.pushed, report.conflicts, report.cloud_was_reset) == (["n-3"], [], False)
    assert (await synced(upgraded)).requests == 1


async def test_user_notes_do_not_sync_with_an_old_service(tmp_path: Path, service: Service) -> None:
    a = Device(tmp_path / "a", service(only_old_protocol=True))
    a.write("n")
    with pytest.raises(ServerTooOld):
        await synced(a)
    assert a.progress().error == "ServerTooOld"


async def test_a_scope_that_was_in_version_2_never_falls_back(tmp_path: Path, service: Service) -> None:
    a = project(tmp_path, "a", service())
    a.write("n")
    await synced(a)
    downgraded = project(tmp_path, "a", service(only_old_protocol=True))
    downgraded.write("typed", type="project")
    with pytest.raises(ServerTooOld):
        await synced(downgraded)
    assert downgraded.progress().error == "ServerTooOld"
    assert sorted(downgraded.bodies()) == ["n", "typed"]


async def test_a_note_deleted_through_an_old_service_stays_deleted(tmp_path: Path, service: Service) -> None:
    old = service(only_old_protocol=True)
    a, b = project(tmp_path, "a", old), project(tmp_path, "b", old)
    a.write("n")
    a.write("other")
    await synced(a)
    await synced(b)
    a.forget("n")
    for device in (a, b, a, b):
        await synced(device)
    assert list(a.bodies()) == list(b.bodies()) == ["other"]


def test_the_old_service_is_for_projects(tmp_path: Path, service: Service) -> None:
    a = Device(tmp_path / "a", service())
    with pytest.raises(ServerTooOld):
        OldService(a.transport, a.directory.scope)
