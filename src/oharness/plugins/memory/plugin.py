"""The built-in plugin `memory`: registration only."""

from dataclasses import dataclass

from oharness.harness.descriptors import PluginRegistry
from oharness.memory.scopes import Memory
from oharness.plugins.memory.background import BackgroundSync, use_hook
from oharness.plugins.memory.background_merging import BackgroundMerging, merges_hook
from oharness.plugins.memory.looks import LooksOfRuns
from oharness.plugins.memory.message_hook import recall_hook
from oharness.plugins.memory.page.descriptor import memory_page
from oharness.plugins.memory.prompt import memory_section
from oharness.plugins.memory.run_hooks import extraction_hook
from oharness.plugins.memory.tools import memory_tools

PROJECT_SERVICE = "memory.project"
USER_SERVICE = "memory.user"
OPEN_MEMORY = "memory"
SYNC = "memory.sync"
TIDYING = "memory.tidying"


@dataclass(frozen=True, slots=True)
class MemoryPlugin:
    """Tools, prompt section, recall, page and sync over an open memory, which it does not own."""

    memory: Memory
    background: BackgroundSync | None = None
    merging: BackgroundMerging | None = None

    @property
    def id(self) -> str:
        return "memory"

    def register(self, registry: PluginRegistry) -> None:
        for tool in memory_tools(self.memory):
            registry.tool(tool)
        looks = LooksOfRuns()
        registry.prompt_section(memory_section(self.memory, looks))
        registry.message_hook(recall_hook(self.memory, looks))
        registry.run_hook(extraction_hook(self.memory))
        registry.page(memory_page(self.memory, self.background, self.merging.desk if self.merging else None))
        if self.background is not None:
            registry.background_service(self.background)
            registry.run_hook(use_hook(self.background))
            registry.provide(SYNC, self.background)
        if self.merging is not None:
            registry.background_service(self.merging)
            registry.run_hook(merges_hook(self.merging))
            registry.provide(TIDYING, self.merging)
        registry.provide(OPEN_MEMORY, self.memory)
        if self.memory.project is not None:
            registry.provide(PROJECT_SERVICE, self.memory.project)
        if self.memory.user is not None:
            registry.provide(USER_SERVICE, self.memory.user)
