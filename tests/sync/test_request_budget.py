import pytest

from oharness.sync.request_budget import RequestBudget

pytestmark = pytest.mark.sync


def test_twenty_requests_a_minute_are_free_and_the_next_waits_for_the_first_to_age() -> None:
    budget = RequestBudget()
    for second in range(20):
        assert budget.free_at(second) == second
        budget = budget.spent(second)
    assert budget.free_at(20) == 60
    assert budget.free_at(60) == 60


def test_a_pass_of_many_requests_makes_the_others_wait() -> None:
    budget = RequestBudget().spent(0, 30)
    assert budget.free_at(1) == 60


def test_a_429_pauses_until_its_time_and_an_hour_at_most() -> None:
    budget = RequestBudget().paused(100, 120)
    assert budget.free_at(219.9) == 220
    assert budget.free_at(100) == 220
    assert budget.free_at(220) == 220
    assert RequestBudget().paused(0, 1e9).paused_until == 3600


def test_a_shorter_pause_does_not_end_a_longer_one() -> None:
    assert RequestBudget().paused(0, 300).paused(10, 5).paused_until == 300
