"""What plugins.json says is told once, however many parts read it."""

from pathlib import Path

import pytest

from oharness.harness.events import Unattended
from oharness.wiring.harness import Harness

pytestmark = pytest.mark.plugins


async def test_an_unclear_entry_is_told_of_once(tmp_path: Path) -> None:
    project, home = tmp_path / "shop", tmp_path / "home"
    project.mkdir()
    home.mkdir()
    (home / "plugins.json").write_text('{"runtimePlugins": [5]}')
    async with await Harness.create(project, home, None, Unattended(), {}) as harness:
        assert [notice.key for notice in harness.notices] == ["plugin-left-out"]
