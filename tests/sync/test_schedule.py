import itertools
from math import inf

import pytest

from oharness.sync.schedule import (
    Directory,
    Hold,
    asked,
    checked,
    due,
    failed,
    held,
    let_go,
    passed,
    project_directory,
    started,
    stopped,
    to_be_synced,
    used,
    user_directory,
    wrote,
)

pytestmark = pytest.mark.sync


def quiet(directory: Directory, now: float = 0.0) -> Directory:
    """A directory whose check at `now` brought nothing."""
    return checked(directory, now, changed=False)


def test_a_write_goes_up_about_three_seconds_later() -> None:
    user = wrote(quiet(user_directory("user", 0)), 10)
    assert due([user], 12.9).passes == ()
    assert due([user], 12.9).next_at == 13
    assert due([user], 13).passes == ("user",)


def test_a_burst_of_writes_is_one_pass() -> None:
    user = quiet(user_directory("user", 0))
    for at in (10.0, 11.0, 12.0, 13.0):
        assert due([user], at).passes == ()
        user = wrote(user, at)
    assert due([user], 16).passes == ("user",)
    assert due([started(user, 16)], 16).passes == ()
    assert due([passed(started(user, 16), 17, changed=True)], 50).passes == ()


def test_somebody_who_never_stops_writing_does_not_wait_for_ever() -> None:
    user = quiet(user_directory("user", 0))
    for at in range(10, 41):
        user = wrote(user, float(at))
    assert due([user], 40).passes == ("user",)


def test_what_is_written_during_a_pass_is_the_next_one() -> None:
    user = started(wrote(quiet(user_directory("user", 0)), 10), 13)
    user = passed(wrote(user, 14), 15, changed=True)
    assert due([user], 16.9).passes == ()
    assert due([user], 17).passes == ("user",)


def test_one_pass_at_a_time_runs_in_a_directory() -> None:
    user = asked(started(wrote(user_directory("user", 0), 0), 3))
    assert due([user], 100).passes == ()
    assert due([user], 100).checks == ()
    assert due([passed(user, 101, changed=True)], 101).passes == ("user",)


def test_a_pass_that_was_broken_off_or_failed_is_still_to_be_done() -> None:
    running = started(wrote(quiet(user_directory("user", 0)), 10), 13)
    assert due([stopped(running)], 14).passes == ("user",)
    assert due([failed(running, 14)], 73).passes == ()
    assert due([failed(running, 14)], 74).passes == ("user",)


def test_checks_back_off_from_one_minute_to_five_and_come_back_with_a_change() -> None:
    user = user_directory("user", 0)
    times = []
    now = 0.0
    for _ in range(6):
        assert due([user], now).checks == ("user",)
        times.append(now)
        user = quiet(user, now)
        now = due([user], now).next_at
    assert [later - earlier for earlier, later in itertools.pairwise(times)] == [60, 120, 240, 300, 300]

    user = checked(user, now, changed=True)
    assert due([user], now).next_at == now + 60


def test_a_message_brings_the_next_check_within_a_minute() -> None:
    user = user_directory("user", 0)
    now = 0.0
    for _ in range(5):
        user = quiet(user, now)
        now = due([user], now).next_at
    user = used(quiet(user, now), now + 10)
    assert due([user], now + 10).next_at == now + 70


def test_a_project_is_checked_while_in_use_and_thirty_minutes_after() -> None:
    project = quiet(project_directory("project:a", 0))
    assert due([project], 1799).checks == ("project:a",)
    assert due([project], 1801).checks == ()
    assert due([project], 1801).next_at == inf

    again = used(project, 5000)
    assert due([again], 5000).checks == ("project:a",)


def test_a_write_goes_up_even_when_the_project_is_no_longer_in_use() -> None:
    project = wrote(quiet(project_directory("project:a", 0)), 9000)
    assert due([project], 9003).passes == ("project:a",)


def test_all_that_may_be_checked_are_asked_about_together() -> None:
    user = user_directory("user", 100)
    project = quiet(project_directory("project:a", 90), 90)
    idle = Directory("project:b", always_checked=False)
    assert due([user, project, idle], 100).checks == ("user", "project:a")


def test_a_directory_that_the_cloud_has_moved_on_from_is_synced_at_once() -> None:
    user = to_be_synced(quiet(user_directory("user", 0)), 60)
    assert due([user], 60).passes == ("user",)
    done = passed(started(user, 60), 61, changed=True)
    assert due([done], 62) == due([done], 61)
    assert due([done], 62).next_at == 121


def test_what_a_pass_saw_missing_is_looked_at_by_another_at_the_next_check() -> None:
    user = passed(started(user_directory("user", 0), 0), 1, changed=False, again=True)
    assert due([user], 60).passes == ()
    assert due([user], 61).passes == ("user",)
    assert due([user], 61).checks == ()


def test_nothing_is_tried_for_sixty_seconds_after_a_failure_and_then_what_was_to_be_done() -> None:
    user = failed(wrote(quiet(user_directory("user", 0)), 10), 20)
    assert due([user], 79).passes == ()
    assert due([user], 79).checks == ()
    assert due([user], 79).next_at == 80
    assert due([user], 80).passes == ("user",)


def test_sync_now_does_not_wait_for_the_cooldown() -> None:
    user = asked(failed(quiet(user_directory("user", 0)), 20))
    assert due([user], 21).passes == ("user",)


def test_sync_now_goes_ahead_of_the_process_having_used_up_its_requests() -> None:
    project = asked(quiet(project_directory("project:a", 0)))
    user = wrote(quiet(user_directory("user", 0)), 10)
    found = due([project, user], 20, free_at=45)
    assert (found.passes, found.checks, found.next_at) == (("project:a",), (), 45)
    assert due([user], 45, free_at=45).passes == ("user",)


def test_a_pause_of_the_process_holds_back_sync_now_too() -> None:
    user = asked(user_directory("user", 0))
    assert due([user], 10, paused_until=120).passes == ()
    assert due([user], 10, paused_until=120).next_at == 120


def test_what_is_switched_off_is_left_alone_and_remembers_its_writes() -> None:
    user = wrote(held(quiet(user_directory("user", 0)), Hold.OFF), 10)
    assert due([user], 1000) == due([user], 13)
    assert due([user], 1000).next_at == inf

    on = let_go(user, 1000)
    assert due([on], 1000).passes == ("user",)


def test_sync_now_of_something_held_is_tried_once() -> None:
    user = asked(held(quiet(user_directory("user", 0)), Hold.ASKS))
    assert due([user], 10).passes == ("user",)
    assert due([started(user, 10)], 10).next_at == inf


def test_a_demo_checks_every_five_seconds_while_there_are_changes() -> None:
    user = checked(user_directory("user", 0, check_s=5), 0, changed=True)
    assert due([user], 0).next_at == 5


def test_a_longer_interval_of_ones_own_is_never_shortened() -> None:
    user = quiet(quiet(user_directory("user", 0, check_s=900)), 900)
    assert due([user], 900).next_at == 1800


def test_an_idle_hour_of_twenty_projects_makes_at_most_thirteen_requests() -> None:
    directories = [user_directory("user", 0), *(project_directory(f"project:{n}", 0) for n in range(20))]
    known = {one.key: one for one in directories}
    requests: list[float] = []
    now = 0.0
    while now < 4 * 3600:
        found = due(known.values(), now)
        assert found.passes == ()
        if found.checks:
            requests.append(now)
            known |= {key: quiet(known[key], now) for key in found.checks}
        now = due(known.values(), now).next_at
    assert len([at for at in requests if 3600 <= at < 7200]) <= 13
    assert len([at for at in requests if 10800 <= at < 14400]) <= 13
