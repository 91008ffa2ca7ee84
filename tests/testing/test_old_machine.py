import pytest

from oharness.notes.note import Note
from oharness.testing.world.lab import Lab, in_lab
from oharness.testing.world.old_device import OldDevice

pytestmark = pytest.mark.sync


def test_an_answered_conflict_of_an_old_machine_is_no_conflict_any_more_even_when_it_has_stopped() -> None:
    async def story(lab: Lab) -> list[bool]:
        lab.writes(lab.machine("a"), "n", "text")
        await lab.settle()
        mine = Note("n", "About n", "old text")
        old = OldDevice(lab.world, "shop", {"n": mine}, in_conflict={"n"}, has_stopped=True)
        return [old.takes_the_clouds(), old.takes_the_clouds()]

    assert in_lab(story) == [True, False]
