"""The public names for embedders and plugin authors. Everything else may move between versions.

`Harness` is the whole agent of a project; `AgentOptions(memory=NoteRecall(memory))` gives an agent of your own recall
without a plugin host.
"""

from oharness.harness.agent import Agent
from oharness.harness.descriptors import (
    BackgroundService,
    Command,
    MessageAddition,
    MessageHook,
    ModelProvider,
    Notice,
    Plugin,
    PluginRegistry,
    PromptSection,
    RunContext,
    RunHook,
    ToolHook,
)
from oharness.harness.host import PluginHost
from oharness.harness.model import Model
from oharness.harness.options import AgentOptions, MemoryForAgent
from oharness.harness.pages import PageDescriptor
from oharness.harness.sessions import unsaved_session
from oharness.harness.tools import Effect, Tool, ToolContext, ToolResult
from oharness.memory.scopes import Memory
from oharness.memory.service import MemoryService
from oharness.plugins.memory.message_hook import NoteRecall
from oharness.wiring.environment import open_environment, open_memory_for_reading, open_memory_for_writing
from oharness.wiring.harness import Harness

__all__ = [
    "Agent",
    "AgentOptions",
    "BackgroundService",
    "Command",
    "Effect",
    "Harness",
    "Memory",
    "MemoryForAgent",
    "MemoryService",
    "MessageAddition",
    "MessageHook",
    "Model",
    "ModelProvider",
    "NoteRecall",
    "Notice",
    "PageDescriptor",
    "Plugin",
    "PluginHost",
    "PluginRegistry",
    "PromptSection",
    "RunContext",
    "RunHook",
    "Tool",
    "ToolContext",
    "ToolHook",
    "ToolResult",
    "open_environment",
    "open_memory_for_reading",
    "open_memory_for_writing",
    "unsaved_session",
]
