"""A project folder, and the plugin's tools called as the agent loop calls them."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from oharness.harness.host import PluginHost
from oharness.harness.tools import ToolContext, ToolResult
from oharness.plugins.file_tools.plugin import FileToolsPlugin

Use = Callable[..., Awaitable[ToolResult]]
Preview = Callable[..., Awaitable[str]]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path.resolve() / "project"
    root.mkdir()
    return root


@pytest.fixture
def use(project: Path) -> Use:
    """Runs the tool of that name with these arguments."""
    tools = {each.tool.name: each.tool for each in PluginHost([FileToolsPlugin()]).tools}

    async def run(name: str, **arguments: Any) -> ToolResult:
        return await tools[name].run(arguments, ToolContext("s1", project))

    return run


@pytest.fixture
def preview(project: Path) -> Preview:
    """What a person is shown before the tool of that name runs with these arguments."""
    tools = {each.tool.name: each.tool for each in PluginHost([FileToolsPlugin()]).tools}

    async def show(name: str, **arguments: Any) -> str:
        step = tools[name].preview
        assert step is not None
        return await step(arguments, ToolContext("s1", project))

    return show
