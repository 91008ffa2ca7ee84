"""The coordinator in simulated time: when it asks, what it carries, and when it stops asking."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from oharness.core.errors import StorageFailed
from oharness.core.scopes import USER_SCOPE, project_scope
from oharness.protocol.errors import ErrorCode
from oharness.protocol.quotas import PlanLimits
from oharness.reconcile.guards import Choice
from oharness.sync.confirm import confirm_paused
from oharness.sync.pinning import PinnedElsewhere, SyncIsOff, is_on, switch
from oharness.sync.schedule import Hold
from oharness.sync.transport import ServiceUnreachable, SignedOut, TooFrequent
from oharness.testing.faults import full_disk_below, read_only_below
from oharness.testing.live import LiveCloud, answered, run_live
from oharness.testing.randomness import SeededRandomness
from oharness.testing.simulated_network import DELIVERED, Delivered, Fate, HttpRequest, Unreachable
from oharness.testing.sync_server import SyncServer

pytestmark = pytest.mark.sync

SHOP = project_scope("shop")
BOTH = (USER_SCOPE, SHOP)


def test_a_write_is_in_the_cloud_about_three_seconds_later_and_on_the_other_machine_at_its_next_check(
    tmp_path: Path,
) -> None:
    async def story(cloud: LiveCloud) -> None:
        async with cloud.machine(tmp_path / "a", BOTH) as a, cloud.machine(tmp_path / "b", BOTH) as b:
            await cloud.passes(30)
            a.write(SHOP, "n", "hello")
            await cloud.passes(2.9)
            assert "commit" not in cloud.made("a")
            await cloud.passes(0.3)
            assert cloud.made("a").count("commit") == 1
            await cloud.passes(60)
            assert b.body(SHOP, "n") == "hello"

    run_live(story)


def test_a_burst_of_writes_is_one_pass(tmp_path: Path) -> None:
    async def story(cloud: LiveCloud) -> None:
        async with cloud.machine(tmp_path / "a") as a:
            await cloud.passes(30)
            for number in range(10):
                a.write(USER_SCOPE, f"n-{number}", "text")
                await cloud.passes(1)
            await cloud.passes(10)
            assert cloud.made("a").count("commit") == 1

    run_live(story)


def test_writes_from_any_thread_count(tmp_path: Path) -> None:
    async def story(cloud: LiveCloud) -> None:
        async with cloud.machine(tmp_path / "a") as a:
            await cloud.passes(30)
            a.write(USER_SCOPE, "n", "text")
            await asyncio.to_thread(a.coordinator.wrote, a.key())
            await cloud.passes(4)
            assert cloud.made("a").count("commit") == 1

    run_live(story)


def test_what_a_pull_wrote_is_not_taken_for_an_edit(tmp_path: Path) -> None:
    async def story(cloud: LiveCloud) -> None:
        async with cloud.machine(tmp_path / "a") as a, cloud.machine(tmp_path / "b") as b:
            await cloud.passes(30)
            a.write(USER_SCOPE, "n", "hello")
            await cloud.passes(90)
            assert b.body(USER_SCOPE, "n") == "hello"
            before = len(b.outcomes)
            b.coordinator.look_at(b.key())
            await cloud.passes(20)
            assert len(b.outcomes) == before

    run_live(story)


def test_a_check_of_all_directories_is_one_small_request(tmp_path: Path) -> None:
    scopes = (USER_SCOPE, *(project_scope(f"p{number}") for number in range(20)))

    async def story(cloud: LiveCloud) -> None:
        async with cloud.machine(tmp_path / "a", scopes):
            await cloud.passes(400)
        async with cloud.machine(tmp_path / "a", scopes):
            began = cloud.loop.time()
            await cloud.passes(59)
            assert cloud.made("a", since=began) == ["poll"]

    run_live(story)


def test_an_idle_process_with_twenty_projects_makes_at_most_thirteen_requests_an_hour(tmp_path: Path) -> None:
    scopes = (USER_SCOPE, *(project_scope(f"p{number}") for number in range(20)))

    async def story(cloud: LiveCloud) -> None:
        async with cloud.machine(tmp_path / "a", scopes):
            await cloud.passes(3600)
            began = cloud.loop.time()
            await cloud.passes(3600)
            assert len(cloud.made("a", since=began)) <= 13

    run_live(story)


def test_a_project_out_of_use_is_not_asked_about_and_its_writes_still_go_up(tmp_path: Path) -> None:
    async def story(cloud: LiveCloud) -> None:
        async with cloud.machine(tmp_path / "a", [SHOP]) as a, cloud.machine(tmp_path / "b", [SHOP]) as b:
            await cloud.passes(7200)
            began = cloud.loop.time()
            a.write(SHOP, "n", "hello")
            await cloud.passes(3600)
            assert cloud.made("b", since=began) == []
            b.coordinator.used(b.key(SHOP))
            await cloud.passes(1)
            assert b.body(SHOP, "n") == "hello"

    run_live(story)


def test_the_process_keeps_itself_to_about_twenty_requests_a_minute(tmp_path: Path) -> None:
    scopes = [project_scope(f"p{number}") for number in range(40)]

    async def story(cloud: LiveCloud) -> None:
        async with cloud.machine(tmp_path / "a", scopes) as a:
            for scope in scopes:
                a.write(scope, "n", "text")
            await cloud.passes(900)
            assert sum(path == "commit" for path in cloud.made("a")) == 40
        times = [at for at, _, _ in cloud.requests]
        busiest = max(sum(start <= at < start + 60 for at in times) for start in times)
        assert 15 <= busiest <= 20

    run_live(story)


def test_checks_in_quick_succession_leave_room_for_what_is_written(tmp_path: Path) -> None:
    async def story(cloud: LiveCloud) -> None:
        async with cloud.machine(tmp_path / "a", check_s=5) as a:
            await cloud.passes(120)
            for number in range(10):
                written = cloud.loop.time()
                a.write(USER_SCOPE, f"n-{number}", "text")
                await cloud.passes(5)
                assert "commit" in cloud.made("a", since=written)
                await cloud.passes(7)

    run_live(story)


def test_sync_now_runs_straight_away_though_the_requests_are_used_up(tmp_path: Path) -> None:
    scopes = [project_scope(f"p{number}") for number in range(40)]

    async def story(cloud: LiveCloud) -> None:
        async with cloud.machine(tmp_path / "a", [USER_SCOPE, *scopes]) as a:
            for scope in scopes:
                a.write(scope, "n", "text")
            await cloud.passes(20)
            a.write(USER_SCOPE, "mine", "text")
            began = cloud.loop.time()
            outcomes = await a.coordinator.sync_now([a.key()])
            assert cloud.loop.time() - began < 1
            assert [outcome.report and outcome.report.pushed for outcome in outcomes] == [["mine"]]

    run_live(story)


# --- trouble


def test_a_transient_failure_is_tried_again_after_a_minute(tmp_path: Path) -> None:
    async def story(cloud: LiveCloud) -> None:
        async with cloud.machine(tmp_path / "a") as a:
            await cloud.passes(30)
            cloud.fate = lambda request: Unreachable()
            a.write(USER_SCOPE, "n", "hello")
            await cloud.passes(4)
            failed_at = cloud.loop.time()
            await cloud.passes(55)
            assert cloud.made("a", since=failed_at) == []
            cloud.fate = lambda request: DELIVERED
            await cloud.passes(10)
            assert "commit" in cloud.made("a", since=failed_at)

    run_live(story)


def test_hours_without_network_are_one_try_a_minute_at_most(tmp_path: Path) -> None:
    async def story(cloud: LiveCloud) -> None:
        async with cloud.machine(tmp_path / "a", BOTH) as a:
            await cloud.passes(30)
            cloud.fate = lambda request: Unreachable()
            a.write(USER_SCOPE, "n", "hello")
            a.write(SHOP, "n", "hello")
            began = cloud.loop.time()
            await cloud.passes(7200)
            assert len(cloud.made("a", since=began)) <= 2 * 2 * 60
            assert {type(outcome.error) for outcome in a.outcomes[2:]} == {ServiceUnreachable}
            cloud.fate = lambda request: DELIVERED
            await cloud.passes(130)
            assert a.outcomes[-1].error is None
            assert cloud.made("a", since=began).count("commit") == 2

    run_live(story)


def test_a_429_pauses_every_directory_until_its_time_and_sync_now_says_so(tmp_path: Path) -> None:
    async def story(cloud: LiveCloud) -> None:
        async with cloud.machine(tmp_path / "a", BOTH) as a:
            await cloud.passes(30)
            cloud.fate = lambda request: answered(429, "rate_limited", **{"retry-after": "600"})
            a.write(USER_SCOPE, "n", "hello")
            await cloud.passes(4)
            cloud.fate = lambda request: DELIVERED
            paused_at = cloud.loop.time()
            a.write(SHOP, "n", "hello")
            await cloud.passes(300)
            with pytest.raises(TooFrequent) as told:
                await a.coordinator.sync_now()
            assert told.value.retry_after_s is not None
            assert 290 < told.value.retry_after_s < 310
            assert cloud.made("a", since=paused_at) == []
            await cloud.passes(310)
            assert cloud.made("a", since=paused_at).count("commit") == 2

    run_live(story)


def test_a_service_that_always_says_429_is_not_asked_more_than_it_wants(tmp_path: Path) -> None:
    async def story(cloud: LiveCloud) -> None:
        cloud.fate = lambda request: answered(429, "rate_limited")
        async with cloud.machine(tmp_path / "a", BOTH) as a:
            a.write(USER_SCOPE, "n", "hello")
            await cloud.passes(3600)
        assert len(cloud.requests) <= 120

    run_live(story)


@pytest.mark.parametrize("status_code", [(400, "invalid_request"), (403, "forbidden"), (426, "upgrade_required")])
def test_what_does_not_pass_by_itself_is_not_tried_every_minute(tmp_path: Path, status_code: tuple[int, str]) -> None:
    async def story(cloud: LiveCloud) -> None:
        async with cloud.machine(tmp_path / "a") as a:
            await cloud.passes(30)
            cloud.fate = lambda request: answered(*status_code)
            began = cloud.loop.time()
            a.write(USER_SCOPE, "n", "hello")
            await cloud.passes(3600)
            asked = cloud.made("a", since=began)
            assert 1 <= len(asked) - asked.count("identity") <= 5  # after a 400 it is looked how old the service is
            assert asked.count("identity") <= 5

    run_live(story)


def test_a_fault_of_our_own_does_not_end_the_loop(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def story(cloud: LiveCloud) -> None:
        async with cloud.machine(tmp_path / "a") as a:
            await cloud.passes(30)

            def breaks(request: HttpRequest) -> Fate:
                raise ZeroDivisionError("a bug")

            cloud.fate = breaks
            a.write(USER_SCOPE, "n", "hello")
            await cloud.passes(4)
            assert type(a.outcomes[-1].error).__name__ == "PassBroke"
            cloud.fate = lambda request: DELIVERED
            await cloud.passes(70)
            assert a.outcomes[-1].report is not None
            assert a.outcomes[-1].report.pushed == ["n"]

    run_live(story)
    assert "ZeroDivisionError" in caplog.text


# --- off, signed out, another account, erased


def test_off_ends_what_is_under_way_and_nothing_is_asked_until_it_is_on_again(tmp_path: Path) -> None:
    async def story(cloud: LiveCloud) -> None:
        async with cloud.machine(tmp_path / "a", BOTH) as a:
            await cloud.passes(30)
            cloud.fate = lambda request: Delivered(there_s=20)
            a.write(USER_SCOPE, "n", "hello")
            await cloud.passes(5)
            waiting = asyncio.ensure_future(a.coordinator.sync_now([a.key()]))
            await cloud.passes(1)
            await a.coordinator.switch(on=False)
            assert not any(seat for seat in a.coordinator._at_work())
            off_at = cloud.loop.time()
            assert isinstance((await waiting)[0].error, SyncIsOff)
            assert isinstance((await a.coordinator.sync_now([a.key()]))[0].error, SyncIsOff)
            a.write(SHOP, "n", "hello")
            await cloud.passes(7200)
            assert cloud.made("a", since=off_at) == []
            assert a.coordinator.hold_of(a.key()) is Hold.OFF
            cloud.fate = lambda request: DELIVERED
            await a.coordinator.switch(on=True)
            await cloud.passes(5)
            assert cloud.made("a", since=off_at).count("commit") == 2

    run_live(story)


def test_another_process_turning_the_switch_is_noticed(tmp_path: Path) -> None:
    async def story(cloud: LiveCloud) -> None:
        async with cloud.machine(tmp_path / "a") as a:
            await cloud.passes(30)
            switch(a.files, a.home, [], on=False)
            a.coordinator.look_at_account()
            await cloud.passes(1)
            off_at = cloud.loop.time()
            a.write(USER_SCOPE, "n", "hello")
            await cloud.passes(3600)
            assert cloud.made("a", since=off_at) == []
            switch(a.files, a.home, [], on=True)
            a.coordinator.look_at_account()
            await cloud.passes(1)
            assert "commit" in cloud.made("a", since=off_at)

    run_live(story)


def test_a_lost_event_of_the_switch_is_made_good_by_the_next_check(tmp_path: Path) -> None:
    async def story(cloud: LiveCloud) -> None:
        async with cloud.machine(tmp_path / "a") as a:
            await cloud.passes(30)
            switch(a.files, a.home, [], on=False)
            await cloud.passes(400)
            assert a.coordinator.hold_of(a.key()) is Hold.OFF
            began = cloud.loop.time()
            await cloud.passes(4000)
            assert cloud.made("a", since=began) == []

    run_live(story)


def test_whoever_shows_how_sync_stands_is_told_of_every_hold(tmp_path: Path) -> None:
    async def story(cloud: LiveCloud) -> None:
        async with cloud.machine(tmp_path / "a") as a:
            await cloud.passes(1)
            told: list[str | None] = []
            leave = a.coordinator.listen_to_holds(lambda: told.append(a.coordinator.hold_of(a.key())))
            a.sign_out()
            await cloud.passes(1)
            a.sign_in("ann")
            await cloud.passes(1)
            assert told == ["signed-out", None]
            leave()
            a.sign_out()
            await cloud.passes(1)
            assert told == ["signed-out", None]

    run_live(story)


def test_signing_in_is_noticed_without_a_restart(tmp_path: Path) -> None:
    async def story(cloud: LiveCloud) -> None:
        async with cloud.machine(tmp_path / "a", account="") as a:
            a.write(USER_SCOPE, "n", "hello")
            await cloud.passes(3600)
            assert cloud.requests == []
            assert a.coordinator.hold_of(a.key()) is Hold.SIGNED_OUT
            assert isinstance((await a.coordinator.sync_now())[0].error, SignedOut)
            a.sign_in("ann")
            await cloud.passes(1)
            assert "commit" in cloud.made("a")

    run_live(story)


def test_a_token_that_has_run_out_is_tried_once(tmp_path: Path) -> None:
    async def story(cloud: LiveCloud) -> None:
        async with cloud.machine(tmp_path / "a", BOTH, account="") as a:
            a.sign_in("ann", minutes=10)
            await cloud.passes(1000)
            began = cloud.loop.time()
            a.write(USER_SCOPE, "n", "hello")
            a.write(SHOP, "n", "hello")
            await cloud.passes(7200)
            assert len(cloud.made("a", since=began)) <= 2
            assert a.coordinator.hold_of(a.key()) is Hold.SIGNED_OUT
            a.sign_in("ann")
            await cloud.passes(5)
            assert cloud.made("a", since=began).count("commit") == 2

    run_live(story)


def test_a_service_that_takes_no_token_is_not_asked_again_for_each_new_one(tmp_path: Path) -> None:
    """Its issuer is set wrong, or its keys are old: the Cloud goes on giving tokens, and the file of them changes."""

    async def story(cloud: LiveCloud) -> None:
        async with cloud.machine(tmp_path / "a", BOTH, account="") as a:
            a.sign_in("ann", lastingly=True)
            await cloud.passes(30)
            cloud.fate = lambda request: answered(401, "unauthorized")
            began = cloud.loop.time()
            a.write(USER_SCOPE, "n", "hello")
            for _ in range(120):
                await cloud.passes(30)
                a.coordinator.look_at_account()  # as the watch tells it to, after each exchange
            assert 1 <= a.exchanges <= 10
            assert 2 <= len(cloud.made("a", since=began)) <= 20
            assert isinstance(a.outcomes[-1].error, SignedOut)
            cloud.fate = lambda request: DELIVERED
            await cloud.passes(1000)
            assert "commit" in cloud.made("a", since=began)  # and it goes on by itself once it is mended

    run_live(story)


def test_signing_out_ends_what_is_under_way(tmp_path: Path) -> None:
    async def story(cloud: LiveCloud) -> None:
        async with cloud.machine(tmp_path / "a") as a:
            await cloud.passes(30)
            cloud.fate = lambda request: Delivered(there_s=20)
            a.write(USER_SCOPE, "n", "hello")
            await cloud.passes(5)
            a.sign_out()
            await cloud.passes(1)
            assert not a.coordinator._at_work()
            began = cloud.loop.time()
            await cloud.passes(3600)
            assert cloud.made("a", since=began) == []

    run_live(story)


def test_another_account_pauses_and_deletes_nothing_and_the_first_one_goes_on(tmp_path: Path) -> None:
    async def story(cloud: LiveCloud) -> None:
        async with cloud.machine(tmp_path / "a") as a:
            a.write(USER_SCOPE, "n", "hello")
            await cloud.passes(30)
            a.sign_in("bob")
            await cloud.passes(1)
            assert a.coordinator.hold_of(a.key()) is Hold.ACCOUNT_CHANGED
            began = cloud.loop.time()
            await cloud.passes(3600)
            assert cloud.made("a", since=began) == []
            assert a.body(USER_SCOPE, "n") == "hello"
            assert isinstance((await a.coordinator.sync_now())[0].error, PinnedElsewhere)
            assert cloud.made("a", since=began) == []
            a.sign_in("ann")
            await cloud.passes(1)
            assert a.coordinator.hold_of(a.key()) is None
            assert a.outcomes[-1].report is not None

    run_live(story)


def test_an_erased_account_is_not_asked_for_again(tmp_path: Path) -> None:
    async def story(cloud: LiveCloud) -> None:
        async with cloud.machine(tmp_path / "a", BOTH) as a:
            await cloud.passes(30)
            cloud.fate = lambda request: answered(410, "account_erased")
            a.write(USER_SCOPE, "n", "hello")
            await cloud.passes(4)
            began = cloud.loop.time()
            await cloud.passes(86_400)
            assert cloud.made("a", since=began) == []
            assert a.coordinator.hold_of(a.key(SHOP)) is Hold.ERASED
            assert a.body(USER_SCOPE, "n") == "hello"
            assert a.directories[USER_SCOPE].state.progress().error == "AccountErased"

    run_live(story)


def test_a_settings_file_that_cannot_be_read_may_say_off(tmp_path: Path) -> None:
    async def story(cloud: LiveCloud) -> None:
        async with cloud.machine(tmp_path / "a") as a:
            await cloud.passes(30)
            whole = a.home.plugins_file.read_bytes()
            a.home.plugins_file.write_bytes(b"{")
            a.coordinator.look_at_account()
            await cloud.passes(1)
            began = cloud.loop.time()
            a.write(USER_SCOPE, "n", "hello")
            await cloud.passes(3600)
            assert cloud.made("a", since=began) == []
            a.home.plugins_file.write_bytes(whole)
            await cloud.passes(61)
            assert "commit" in cloud.made("a", since=began)

    run_live(story)


# --- questions


def test_a_scope_that_asks_waits_quietly_for_the_answer_of_whatever_process(tmp_path: Path) -> None:
    async def story(cloud: LiveCloud) -> None:
        async with cloud.machine(tmp_path / "a") as a:
            for number in range(20):
                a.write(USER_SCOPE, f"n-{number}", "text")
            await cloud.passes(30)
            for number in range(20):
                a.remove(USER_SCOPE, f"n-{number}")
            await cloud.passes(30)
            assert a.coordinator.hold_of(a.key()) is Hold.ASKS
            began = cloud.loop.time()
            await cloud.passes(7200)
            assert cloud.made("a", since=began) == []
            confirm_paused(a.directories[USER_SCOPE], Choice.DELETE)
            a.coordinator.look_at_account()
            await cloud.passes(1)
            assert a.coordinator.hold_of(a.key()) is None
            assert "commit" in cloud.made("a", since=began)

    run_live(story)


def test_files_that_come_back_answer_the_question_themselves(tmp_path: Path) -> None:
    async def story(cloud: LiveCloud) -> None:
        async with cloud.machine(tmp_path / "a") as a:
            for number in range(20):
                a.write(USER_SCOPE, f"n-{number}", "text")
            await cloud.passes(30)
            folder = a.directories[USER_SCOPE].folder.path
            folder.rename(folder.with_name("elsewhere"))
            a.coordinator.look_at(a.key())
            await cloud.passes(100)
            assert a.coordinator.hold_of(a.key()) is Hold.ASKS
            folder.with_name("elsewhere").rename(folder)
            a.coordinator.look_at(a.key())
            await cloud.passes(5)
            assert a.coordinator.hold_of(a.key()) is None

    run_live(story)


def test_one_deletion_from_outside_goes_up_at_the_second_look(tmp_path: Path) -> None:
    async def story(cloud: LiveCloud) -> None:
        async with cloud.machine(tmp_path / "a") as a, cloud.machine(tmp_path / "b") as b:
            for number in range(20):
                a.write(USER_SCOPE, f"n-{number}", "text")
            await cloud.passes(100)
            a.remove(USER_SCOPE, "n-3")
            await cloud.passes(200)
            assert b.body(USER_SCOPE, "n-3") is None
            assert b.body(USER_SCOPE, "n-4") == "text"

    run_live(story)


# --- opening and closing


def test_one_directory_that_several_have_open_is_synced_once(tmp_path: Path) -> None:
    async def story(cloud: LiveCloud) -> None:
        async with cloud.machine(tmp_path / "a") as a:
            directory = a.directories[USER_SCOPE]
            keys = {a.coordinator.attach(directory) for _ in range(3)}
            assert keys == {a.key()}
            await cloud.passes(30)
            began = cloud.loop.time()
            a.write(USER_SCOPE, "n", "hello")
            await cloud.passes(5)
            assert cloud.made("a", since=began).count("commit") == 1
            for _ in range(3):
                await a.coordinator.detach(a.key())
            assert a.coordinator.hold_of(a.key()) is None
            await a.coordinator.detach(a.key())
            began = cloud.loop.time()
            await cloud.passes(600)
            assert cloud.made("a", since=began) == []

    run_live(story)


def test_who_leaves_takes_along_what_was_written(tmp_path: Path) -> None:
    async def story(cloud: LiveCloud) -> None:
        async with cloud.machine(tmp_path / "a") as a:
            await cloud.passes(30)
            a.write(USER_SCOPE, "n", "hello")
            began = cloud.loop.time()
            await a.coordinator.leave([a.key()], 5)
            assert cloud.loop.time() - began < 1
            assert "commit" in cloud.made("a", since=began)
            asked = len(cloud.requests)
            await a.coordinator.leave([a.key()], 5)
            assert len(cloud.requests) == asked

    run_live(story)


@pytest.mark.parametrize("fate", [Unreachable(), Delivered(there_s=100)])
def test_who_leaves_waits_no_longer_than_that(tmp_path: Path, fate: Fate) -> None:
    async def story(cloud: LiveCloud) -> None:
        async with cloud.machine(tmp_path / "a") as a:
            await cloud.passes(30)
            cloud.fate = lambda request: fate
            a.write(USER_SCOPE, "n", "hello")
            began = cloud.loop.time()
            await a.coordinator.leave([a.key()], 5)
            await a.coordinator.detach(a.key())
            assert cloud.loop.time() - began <= 5.1

    run_live(story)


def test_nobody_waits_for_a_pass_that_does_not_come(tmp_path: Path) -> None:
    async def story(cloud: LiveCloud) -> None:
        async with cloud.machine(tmp_path / "a") as a:
            await cloud.passes(30)
            cloud.fate = lambda request: Delivered(there_s=100)
            waiting = [asyncio.ensure_future(a.coordinator.sync_now()) for _ in range(2)]
            await cloud.passes(1)
            await a.coordinator.detach(a.key())
            for one in waiting:
                assert (await one)[0].report is None

    run_live(story)


def test_what_was_left_by_an_earlier_process_goes_up_at_the_start(tmp_path: Path) -> None:
    async def story(cloud: LiveCloud) -> None:
        async with cloud.machine(tmp_path / "a") as a:
            for note_id in ("edited", "gone", "same"):
                a.write(USER_SCOPE, note_id, "text")
            await cloud.passes(100)
        a.write(USER_SCOPE, "edited", "other")
        a.write(USER_SCOPE, "new", "new")
        async with cloud.machine(tmp_path / "a") as a, cloud.machine(tmp_path / "b") as b:
            await cloud.passes(70)
            assert b.body(USER_SCOPE, "edited") == "other"
            assert b.body(USER_SCOPE, "new") == "new"

    run_live(story)


def test_the_last_time_in_step_is_kept_by_checks_too(tmp_path: Path) -> None:
    async def story(cloud: LiveCloud) -> None:
        async with cloud.machine(tmp_path / "a") as a:
            await cloud.passes(7200)
            last = a.directories[USER_SCOPE].state.progress().last_synced
            assert last is not None
            assert cloud.clock.now_ms() - last < 1_300_000
            cloud.fate = lambda request: Unreachable()
            await cloud.passes(400)
            assert a.directories[USER_SCOPE].state.progress().error == "ServiceUnreachable"
            cloud.fate = lambda request: DELIVERED
            await cloud.passes(400)
            assert a.directories[USER_SCOPE].state.progress().error == ""

    run_live(story)


def test_notes_held_back_by_the_free_plan_go_up_once_it_is_a_paid_one(tmp_path: Path) -> None:
    async def story(cloud: LiveCloud) -> None:
        async with cloud.machine(tmp_path / "a", account="") as a:
            a.sign_in("ann", plan="free")
            await cloud.passes(30)
            a.write(USER_SCOPE, "long", "x" * 20_000)
            await cloud.passes(30)
            assert a.outcomes[-1].report is not None
            assert list(a.outcomes[-1].report.held_back) == ["long"]
            began = cloud.loop.time()
            await cloud.passes(3600)
            assert set(cloud.made("a", since=began)) == {"poll"}
            a.sign_in("ann", plan="paid")
            await cloud.passes(400)
            assert a.outcomes[-1].report.pushed == ["long"]

    run_live(story)


def test_notes_that_had_no_room_go_up_once_others_were_deleted(tmp_path: Path) -> None:
    async def story(cloud: LiveCloud) -> None:
        cloud.server = SyncServer(cloud.clock, SeededRandomness("small"), free_limits=PlanLimits(2, 16_384))
        async with cloud.machine(tmp_path / "a", account="") as a:
            a.sign_in("ann", plan="free")
            await cloud.passes(30)
            for note_id in ("one", "two", "three", "four"):
                a.write(USER_SCOPE, note_id, "text")
                await cloud.passes(10)
            assert a.outcomes[-1].report is not None
            assert list(a.outcomes[-1].report.held_back) == ["three", "four"]
            a.forget(USER_SCOPE, "one")
            await cloud.passes(400)
            assert a.outcomes[-1].report.pushed == ["three"]
            assert list(a.outcomes[-1].report.held_back) == ["four"]
            began = cloud.loop.time()
            await cloud.passes(3600)
            assert set(cloud.made("a", since=began)) == {"poll"}

    run_live(story)


def test_being_on_is_not_written_down_by_looking(tmp_path: Path) -> None:
    async def story(cloud: LiveCloud) -> None:
        async with cloud.machine(tmp_path / "a", account="") as a:
            await cloud.passes(600)
            assert is_on(a.files, a.home, USER_SCOPE)
            assert not a.home.plugins_file.exists()

    run_live(story)


def test_every_error_code_of_the_service_leads_somewhere(tmp_path: Path) -> None:
    async def story(cloud: LiveCloud) -> None:
        async with cloud.machine(tmp_path / "a") as a:
            await cloud.passes(30)
            for number, code in enumerate(ErrorCode):
                cloud.fate = lambda request, code=code: answered(500, code)  # type: ignore[misc]
                a.write(USER_SCOPE, f"n-{number}", "hello")
                await cloud.passes(10)
            cloud.fate = lambda request: DELIVERED
            a.coordinator.look_at_account()
            a.sign_in("ann")
            await cloud.passes(4000)
            assert a.coordinator.hold_of(a.key()) is None
            assert a.outcomes[-1].report is not None

    run_live(story)


@pytest.mark.parametrize("broken", [read_only_below, full_disk_below], ids=["read-only", "full"])
def test_a_disk_that_takes_no_writes_loses_nothing_and_is_no_busy_loop(
    tmp_path: Path, broken: Callable[[Path], Callable[[str, Path], None]]
) -> None:
    async def story(cloud: LiveCloud) -> None:
        async with cloud.machine(tmp_path / "a") as a, cloud.machine(tmp_path / "b") as b:
            a.write(USER_SCOPE, "mine", "text")
            await cloud.passes(120)
            a.break_disk(broken(tmp_path / "a"))
            began = cloud.loop.time()
            b.write(USER_SCOPE, "theirs", "text")
            a.write(USER_SCOPE, "more", "an editor had it open")
            await cloud.passes(3600)
            assert a.body(USER_SCOPE, "theirs") is None
            assert a.body(USER_SCOPE, "more") == "an editor had it open"
            assert len(cloud.made("a", since=began)) <= 130
            assert isinstance(a.outcomes[-1].error, StorageFailed)
            a.break_disk()
            await cloud.passes(400)
            assert a.body(USER_SCOPE, "theirs") == b.body(USER_SCOPE, "theirs") == "text"
            assert b.body(USER_SCOPE, "more") == "an editor had it open"

    run_live(story)
