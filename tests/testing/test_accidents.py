"""Accidents of the made-up worlds, and what the judge makes of what follows from them."""

import pytest

from oharness.testing.world.accidents import is_set_back
from oharness.testing.world.lab import Lab, in_lab

pytestmark = pytest.mark.sync


@pytest.mark.parametrize("was_sent", [False, True])
def test_an_edit_on_a_machine_set_back_stands_against_a_deletion_if_it_had_not_gone_up_then(was_sent: bool) -> None:
    async def story(lab: Lab) -> dict[str, str]:
        a, b = lab.machine("a"), lab.machine("b")
        lab.writes(a, "n", "text")
        await lab.settle()
        lab.writes(a, "n", "edited")
        if was_sent:
            await lab.sync(a)
        is_set_back(lab.world, a.machine)
        await lab.settle()
        lab.writes(b, "n", "newer")
        await lab.settle()
        is_set_back(lab.world, a.machine)
        lab.forgets(b, "n")
        await lab.sync(b)
        await lab.settle()
        assert lab.faults() == []
        assert lab.bodies(a) == lab.bodies(b)
        assert not lab.world.ledger.unsent_again  # the next deletion holds
        return lab.bodies(a)

    assert in_lab(story) == ({} if was_sent else {"n": "edited"})
