"""A home that cannot be written leaves a working agent on the project's notes."""

from pathlib import Path

import pytest

from oharness.testing.model import ScriptedModel, calls, says
from oharness.wiring.harness import Harness
from tests.plugins.memory.conftest import SaysYes, ask

pytestmark = pytest.mark.memory


async def test_the_session_lives_in_memory_and_project_notes_are_written(tmp_path: Path) -> None:
    project = tmp_path / "store"
    project.mkdir()
    not_a_folder = tmp_path / "file"
    not_a_folder.write_text("in the way")
    model = ScriptedModel([calls("remember", summary="We deploy on Thursdays", body=""), says("ok")])

    async with await Harness.create(project, not_a_folder / "home", model, SaysYes(), {}) as harness:
        await ask(harness, "note this")

        assert {"session-not-kept", "user-notes-unavailable"} <= {notice.key for notice in harness.notices}
        assert harness.memory_user_service is None
        (told,) = (one for one in harness.notices if one.key == "user-notes-unavailable")
        assert told.fields == {"path": str(not_a_folder / "home" / "memory" / "user"), "reason": "Not a directory"}
    assert len(list((project / "MEMORY").glob("*.md"))) == 1
