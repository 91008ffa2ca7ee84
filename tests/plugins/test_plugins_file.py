"""What plugins.json says is told once, however many parts read it."""

import json
from pathlib import Path

import pytest

from oharness.core.scopes import USER_SCOPE
from oharness.disk.filesystem import FileSystem
from oharness.disk.home import Home
from oharness.disk.plugins_file import SyncTarget, runtime_plugins, set_sync_target, sync_target
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


def test_of_two_entries_of_one_plugin_the_first_counts_wherever_it_is_read_and_written(tmp_path: Path) -> None:
    files, home = FileSystem(), Home(tmp_path)
    home.plugins_file.write_text(
        '{"runtimePlugins": [{"id": "memory", "config": {"a": 1}}, {"id": "memory", "enabled": false}]}'
    )
    target = SyncTarget("ann", "https://cloud.example", enabled=False)
    set_sync_target(files, home, USER_SCOPE, target)
    (memory,) = runtime_plugins(files, home)
    assert (memory.enabled, memory.config["a"]) == (True, 1)
    assert sync_target(files, home, USER_SCOPE) == target
    first, second = json.loads(home.plugins_file.read_text())["runtimePlugins"]
    assert "syncTargets" in first["config"]
    assert second == {"id": "memory", "enabled": False}
