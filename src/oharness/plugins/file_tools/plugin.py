"""The built-in plugin `tools`: registration only."""

from dataclasses import dataclass

from oharness.harness.descriptors import PluginRegistry


@dataclass(frozen=True, slots=True)
class FileToolsPlugin:
    """Files of the project, commands, and `task`."""

    @property
    def id(self) -> str:
        return "tools"

    def register(self, registry: PluginRegistry) -> None:
        # imported here: a program that only manages notes never needs them
        from oharness.harness.subagents import task_tool
        from oharness.plugins.file_tools.changing import EDIT, WRITE
        from oharness.plugins.file_tools.commands import RUN
        from oharness.plugins.file_tools.reading import LIST, READ, SEARCH

        for tool in (READ, WRITE, EDIT, LIST, SEARCH, RUN, task_tool()):
            registry.tool(tool)
