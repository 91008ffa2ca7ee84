"""What the plugin `tools` registers."""

import pytest

from oharness.harness.host import PluginHost
from oharness.harness.tools import Effect
from oharness.plugins.file_tools.plugin import FileToolsPlugin

pytestmark = pytest.mark.plugins


def test_the_tools_and_what_they_do_to_the_world() -> None:
    effects = {each.tool.name: each.tool.effect for each in PluginHost([FileToolsPlugin()]).tools}
    assert effects == {
        "read": Effect.READ,
        "write": Effect.EDIT,
        "edit": Effect.EDIT,
        "list": Effect.READ,
        "search": Effect.READ,
        "run": Effect.COMMAND,
        "task": Effect.READ,
    }


def test_whatever_changes_something_shows_a_preview() -> None:
    tools = [each.tool for each in PluginHost([FileToolsPlugin()]).tools]
    assert all(tool.preview for tool in tools if tool.effect is not Effect.READ)
