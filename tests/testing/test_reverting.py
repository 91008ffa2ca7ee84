"""An edit that is taken back: to sync, and to the judge, nothing was edited."""

import pytest

from oharness.testing.world.lab import Lab, in_lab

pytestmark = pytest.mark.sync


@pytest.mark.parametrize("was_seen", [False, True])
def test_an_edit_that_was_taken_back_does_not_stand_against_a_deletion(was_seen: bool) -> None:
    async def story(lab: Lab) -> None:
        a, b = lab.machine("a"), lab.machine("b")
        lab.writes(a, "n", "text")
        await lab.settle()
        lab.forgets(b, "n")
        lab.writes(a, "n", "edited")
        lab.writes(a, "n", "text")
        if was_seen:
            await lab.sync(a)
        await lab.sync(b)
        await lab.settle()
        assert lab.bodies(a) == lab.bodies(b) == {}
        assert lab.faults() == []

    in_lab(story)
