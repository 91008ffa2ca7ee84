"""Accidents of the made-up worlds, and what the judge makes of what follows from them."""

import pytest

from oharness.testing.world.accidents import is_set_back, storage_is_set_back
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
        assert not a.unsent_again  # the next deletion holds
        return lab.bodies(a)

    assert in_lab(story) == ({} if was_sent else {"n": "edited"})


def test_what_a_machine_held_when_the_storage_was_set_back_stands_against_a_deletion_that_others_made_since() -> None:
    async def story(lab: Lab) -> None:
        a, b = lab.machine("a"), lab.machine("b")
        storage_is_set_back(lab.world)  # the backup: nothing yet
        lab.writes(a, "n", "text")
        await lab.settle()
        lab.writes(a, "n", "newer")
        storage_is_set_back(lab.world)
        await lab.sync(a)
        lab.forgets(a, "n")
        await lab.sync(a)
        await lab.settle()
        assert lab.faults() == []
        assert lab.bodies(a) == lab.bodies(b) == {"n": "text"}
        assert not b.unsent_again

    in_lab(story)


def test_so_does_what_it_holds_in_a_conflict_since_then() -> None:
    async def story(lab: Lab) -> None:
        a, b = lab.machine("a"), lab.machine("b")
        storage_is_set_back(lab.world)
        lab.writes(a, "n", "text")
        await lab.settle()
        storage_is_set_back(lab.world)
        lab.writes(a, "n", "newer")
        await lab.settle()
        assert lab.conflicts(b) == ["n"]
        lab.forgets(a, "n")
        await lab.settle()
        assert lab.faults() == []
        assert lab.bodies(a) == lab.bodies(b) == {"n": "text"}

    in_lab(story)


def test_so_does_what_stands_on_a_machine_that_is_set_back_to_a_time_before_the_storage_was() -> None:
    async def story(lab: Lab) -> None:
        a, b = lab.machine("a"), lab.machine("b")
        storage_is_set_back(lab.world)
        lab.writes(a, "n", "text")
        await lab.settle()
        is_set_back(lab.world, b.machine)
        storage_is_set_back(lab.world)
        await lab.settle()
        lab.writes(a, "n", "newer")
        await lab.settle()
        lab.forgets(a, "n")
        await lab.settle()
        assert lab.bodies(b) == {}
        is_set_back(lab.world, b.machine)
        await lab.settle()
        assert lab.faults() == []
        assert lab.bodies(a) == lab.bodies(b) == {"n": "text"}

    in_lab(story)
