"""What people are told: of each scope, and of both together."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from oharness.core.clock import Millis
from oharness.core.scopes import USER_SCOPE, project_scope
from oharness.disk.credentials_file import Credentials
from oharness.disk.sync_shapes import NO_PULL
from oharness.protocol.quotas import PlanLimits
from oharness.sync.pinning import PinnedElsewhere
from oharness.sync.status import PlanShown, ScopeStatus, scope_status, together
from oharness.sync.syncing import sync_directory
from oharness.sync.transport import ServiceUnreachable
from oharness.testing.clock import FakeClock
from oharness.testing.devices import ORIGIN, Device, settle_all
from oharness.testing.randomness import SeededRandomness
from oharness.testing.sync_server import SyncServer

pytestmark = pytest.mark.sync
Machine = Callable[[str], Device]

USER = ScopeStatus(USER_SCOPE, True, Millis(200), "", (), None, {}, NO_PULL, None, None)
PROJECT = replace(USER, scope=project_scope("shop"), last_synced=Millis(100))


def test_sync_is_on_only_when_it_is_on_for_both_scopes() -> None:
    assert together([USER, PROJECT]).enabled
    assert not together([USER, replace(PROJECT, enabled=False)]).enabled
    assert not together([]).enabled


def test_what_stops_every_scope_is_told_first() -> None:
    elsewhere = PinnedElsewhere("user", "ann", "https://a.example", "bob", "https://a.example")
    erased = replace(PROJECT, error="AccountErased")
    assert together([USER, PROJECT]).everything_stopped == ""
    assert together([USER, erased]).everything_stopped == "AccountErased"
    assert together([USER, erased], signed_in=False).everything_stopped == "AccountErased"
    assert together([USER, PROJECT], signed_in=False).everything_stopped == "SignedOut"
    assert together([], signed_in=False).everything_stopped == "SignedOut"
    assert together([replace(USER, elsewhere=elsewhere), PROJECT]).everything_stopped == ""
    assert together([replace(one, elsewhere=elsewhere) for one in (USER, erased)]).everything_stopped == (
        "PinnedElsewhere"
    )


def test_the_time_shown_is_the_older_of_both() -> None:
    assert together([USER, PROJECT]).last_synced == 100
    assert together([USER, replace(PROJECT, last_synced=None)]).last_synced is None


def status(device: Device) -> ScopeStatus:
    return scope_status(device.directory.scope, device.directory.state, enabled=True)


async def test_the_last_pull_the_conflicts_and_the_time_are_told(device: Machine, clock: FakeClock) -> None:
    a, b = device("a"), device("b")
    assert status(a).last_synced is None
    a.write("n", "one")
    a.write("m", "one")
    await settle_all(a, b)
    a.write("n", "A's")
    a.write("new")
    a.forget("m")
    b.write("n", "B's")
    await a.sync()
    clock.advance(5)
    await b.sync()
    told = status(b)
    assert told.last_synced == clock.now_ms()
    assert (told.pull.added, told.pull.changed, told.pull.removed) == (("new",), (), ("m",))
    assert [conflict.id for conflict in told.conflicts] == ["n"]
    clock.advance(60)
    await b.sync()
    assert status(b).pull == told.pull
    assert status(b).last_synced == clock.now_ms()


async def test_a_free_plans_limits_are_told(tmp_path: Path, clock: FakeClock) -> None:
    server = SyncServer(clock, SeededRandomness("s"), free_limits=PlanLimits(200, 16_384))
    a = Device(tmp_path / "a", server, plan="free")
    await a.sync()
    assert status(a).plan == PlanShown("free", False, 200, 16_384)
    paid = Device(tmp_path / "a", server, plan="paid")
    await paid.sync()
    assert status(paid).plan == PlanShown("paid", True, None, None)


async def test_an_error_is_kept_until_a_pass_goes_through(device: Machine) -> None:
    a = device("a")
    a.write("n")
    credentials = Credentials(ORIGIN, ORIGIN, "ann", "token")

    class Unreachable:
        traffic = a.transport.traffic

        async def identity(self) -> None:
            raise ServiceUnreachable(ORIGIN, "no network")

    with pytest.raises(ServiceUnreachable):
        await sync_directory(a.directory, a.files, a.home, credentials, Unreachable())  # type: ignore[arg-type]
    assert status(a).error == "ServiceUnreachable"
    await sync_directory(a.directory, a.files, a.home, credentials, a.transport)
    assert status(a).error == ""


async def test_45_another_account_pauses_a_scope_and_is_asked_nothing(device: Machine) -> None:
    a, b = device("a"), device("b")
    a.write("n", "one")
    await sync_directory(a.directory, a.files, a.home, Credentials(ORIGIN, ORIGIN, "ann", "t"), a.transport)
    b.write("n", "two")
    await b.sync()
    a.write("n", "open conflict")
    await a.sync()
    a.write("dirty")
    requests = a.transport.traffic.requests
    for other in (Credentials(ORIGIN, ORIGIN, "bob", "t"), Credentials("https://other.test", ORIGIN, "ann", "t")):
        with pytest.raises(PinnedElsewhere):
            await sync_directory(a.directory, a.files, a.home, other, a.transport)
    assert a.transport.traffic.requests == requests
