"""What people of the made-up worlds do, and what the judge makes of it."""

import pytest

from oharness.notes.frontmatter import note_text
from oharness.notes.note import Note
from oharness.testing.world.lab import Lab, in_lab
from oharness.testing.world.people import put_file

pytestmark = pytest.mark.sync


def test_where_letter_case_is_ignored_an_editor_writes_into_the_file_that_is_there() -> None:
    async def story(lab: Lab) -> None:
        a, b = lab.machine("a", ignores_case=True), lab.machine("b")
        lab.writes(a, "N1", "text")
        await lab.settle()
        put_file(lab.world, a, "n1", note_text(Note("n1", "About n1", "other text")).encode(), "writes a file")
        await lab.settle()
        assert (list(a.files()), lab.world.held["a"]) == (["N1"], {"N1": "unreadable"})
        assert lab.bodies(b) == {"N1": "text"}
        assert lab.faults() == []

    in_lab(story)
