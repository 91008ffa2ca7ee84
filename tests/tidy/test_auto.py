"""When background merging runs."""

import pytest

from oharness.core.clock import Millis
from oharness.tidy.auto import AutoSettings, StaysOff, stays_off

pytestmark = pytest.mark.memory
HOUR = 3_600_000
NOW = Millis(1_789_000_000_000)


@pytest.mark.parametrize(
    ("auto", "paid", "expected"),
    [
        ("subscribers", True, None),
        ("subscribers", False, StaysOff.FREE_PLAN),
        ("subscribers", None, StaysOff.PLAN_UNKNOWN),
        (True, None, None),
        (True, False, None),
        (False, True, StaysOff.SETTING),
    ],
)
def test_it_runs_for_subscribers_unless_a_setting_overrides_that(
    auto: bool | str, paid: bool | None, expected: StaysOff | None
) -> None:
    assert stays_off(AutoSettings(auto, 24, 3), paid, None, NOW) is expected


def test_it_runs_at_most_once_per_cooldown() -> None:
    settings = AutoSettings(True, 24, 3)
    assert stays_off(settings, None, Millis(NOW - 24 * HOUR + 1), NOW) is StaysOff.COOLDOWN
    assert stays_off(settings, None, Millis(NOW - 24 * HOUR), NOW) is None
    assert stays_off(settings, None, Millis(NOW + HOUR), NOW) is None


def test_no_merges_are_no_pass() -> None:
    assert stays_off(AutoSettings(True, 24, 0), True, None, NOW) is StaysOff.NO_MERGES
