import json
from pathlib import Path

import pytest

from tests.plugins.memory.conftest import MakeHarness

pytestmark = pytest.mark.memory


async def test_embedders_reach_both_stores(make_harness: MakeHarness, tmp_path: Path, home: Path) -> None:
    harness = await make_harness()
    assert harness.memory is not None
    assert harness.memory.folder.path == tmp_path / "store" / "MEMORY"
    assert harness.memory_user_service is not None
    assert harness.memory_user_service.folder.path == home / "memory" / "user"


async def test_a_disabled_plugin_takes_its_tools_prompt_and_stores_away(
    make_harness: MakeHarness, tmp_path: Path, home: Path
) -> None:
    home.mkdir()
    (home / "plugins.json").write_text(json.dumps({"runtimePlugins": [{"id": "memory", "enabled": False}]}))

    harness = await make_harness()

    assert harness.memory is None
    assert harness.memory_user_service is None
    assert not {"remember", "memory", "forget"} & {one.tool.name for one in harness.host.tools}
    assert harness.host.message_hooks == ()
    assert (tmp_path / "store" / "MEMORY").is_dir()
    assert (tmp_path / "store" / "ARTIFACTS").is_dir()
