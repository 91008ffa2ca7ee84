"""Of an erased account nothing is left, in whatever order erasure, commits, appends and refreshes come.

A few stories here; `make simulate` plays thousands.
"""

import pytest

from oharness.testing.erasure.story import Played, play

pytestmark = pytest.mark.sync

STORIES = 60


def how(played: Played) -> str:
    return f"{played.faults[:3]}\nreplay: python scripts/simulate_erasure.py --replay {played.seed}"


@pytest.mark.parametrize("start", range(0, STORIES, 20))
def test_no_order_of_erasing_committing_appending_and_refreshing_leaves_anything(start: int) -> None:
    for seed in range(start, start + 20):
        played = play(seed)
        assert not played.faults, how(played)


def test_a_seed_tells_the_same_story_again() -> None:
    assert play(7).digest == play(7).digest


@pytest.mark.parametrize(
    ("plant", "seed", "left"),
    [
        ("commits-leave-what-they-sent", 41, "left when it was quiet: users/"),
        ("appends-do-not-look-again", 25, "left when it was quiet: feed/"),
        ("no-third-erasure", 26, "left at the end: users/"),
        ("leaving-accounts-refresh", 1, "was given tokens after its account had left"),
    ],
)
def test_a_planted_fault_is_found(plant: str, seed: int, left: str) -> None:
    assert not play(seed).faults
    assert any(left in fault for fault in play(seed, plant).faults)
