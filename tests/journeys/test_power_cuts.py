"""A machine loses power at the worst moment: what was saved and seen is not undone by what the disk forgot."""

import pytest

from oharness.testing.world.accidents import loses_power
from oharness.testing.world.lab import Lab, in_lab

pytestmark = pytest.mark.sync

SEEDS = range(40)


@pytest.mark.parametrize("seed", SEEDS)
def test_an_edit_that_went_up_is_not_taken_back_by_a_disk_that_forgot_it(seed: int) -> None:
    async def story(lab: Lab) -> dict[str, str]:
        a, b = lab.machine("a"), lab.machine("b")
        lab.writes(a, "n", "before")
        await lab.settle()
        a.machine.disk.flush_everything()
        lab.saves(a, "n", "after!")
        assert (await lab.sync(a)).pushed == ["n"]
        loses_power(lab.world, a.machine)
        await lab.settle()
        return lab.cloud() | lab.bodies(b) | lab.bodies(a)

    assert in_lab(story, seed) == {"n": "after!"}
