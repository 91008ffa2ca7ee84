"""The built-in plugins, each registered through the same host as any other."""

from oharness.config.schema import OpenAISettings
from oharness.core.clock import Clock
from oharness.core.randomness import Randomness
from oharness.disk.home import Home
from oharness.harness.descriptors import Plugin
from oharness.memory.scopes import Memory
from oharness.plugins.audit.plugin import AuditPlugin
from oharness.plugins.chat_model.connection import Connection
from oharness.plugins.chat_model.plugin import ChatModelPlugin
from oharness.plugins.file_tools.plugin import FileToolsPlugin
from oharness.plugins.memory.background import BackgroundSync
from oharness.plugins.memory.background_merging import BackgroundMerging
from oharness.plugins.memory.plugin import MemoryPlugin

BUILT_IN_IDS = ("model", "tools", "audit", "memory")


def built_in_plugins(
    home: Home,
    clock: Clock,
    randomness: Randomness,
    openai: OpenAISettings,
    language: str,
    memory: Memory | None,
    background: BackgroundSync | None = None,
    merging: BackgroundMerging | None = None,
) -> list[Plugin]:
    """All of them in the order of registration; without an open memory, all but `memory`."""
    connection = Connection(openai.base_url or None, openai.api_key or None, openai.context_tokens)
    plugins: list[Plugin] = [
        ChatModelPlugin(clock, connection, language),
        FileToolsPlugin(),
        AuditPlugin(home.audit),
    ]
    return plugins if memory is None else [*plugins, MemoryPlugin(memory, background, merging)]
