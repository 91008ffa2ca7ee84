"""Which deletions the judge of the made-up worlds lets stand, and which it does not."""

import pytest

from oharness.reconcile import decide
from oharness.testing.world.lab import Lab, in_lab
from oharness.testing.world.people import remove_file

pytestmark = pytest.mark.sync


@pytest.mark.parametrize("is_planted", [False, True], ids=["as it is", "planted"])
def test_a_deletion_does_not_stand_against_a_note_that_was_made_again(
    is_planted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story(lab: Lab) -> tuple[dict[str, str], list[str]]:
        a, b = lab.machine("a"), lab.machine("b")
        lab.writes(a, "n", "text")
        await lab.settle()
        lab.forgets(a, "n")
        lab.forgets(b, "n")
        await lab.sync(b)
        lab.writes(b, "n", "text")
        await lab.sync(b)
        await lab.sync(a)
        await lab.settle()
        return lab.cloud(), lab.faults()

    if is_planted:
        monkeypatch.setattr(decide, "_was_deleted", lambda *_: True)
    there, faults = in_lab(story)
    assert bool(there) is not is_planted
    assert bool(faults) is is_planted


def test_what_is_written_in_the_place_of_a_deleted_note_is_newer_than_the_same_words_elsewhere() -> None:
    async def story(lab: Lab) -> tuple[dict[str, str], list[str]]:
        a, b = lab.machine("a"), lab.machine("b")
        lab.writes(a, "n", "text")
        await lab.settle()
        remove_file(lab.world, a, "n", "removes a file")
        lab.forgets(b, "n")
        await lab.sync(b)
        lab.writes(a, "n", "newer text")
        lab.writes(b, "n", "text")
        await lab.sync(b)
        await lab.settle()
        return lab.cloud(), lab.faults()

    assert in_lab(story) == ({"n": "newer text"}, [])
