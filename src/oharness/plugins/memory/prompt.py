"""The Memory section of the system prompt: when to write, and one line for each note."""

import asyncio

from oharness.harness.descriptors import PromptSection, RunContext
from oharness.memory.reading import index_of
from oharness.memory.scopes import Memory
from oharness.plugins.memory.guidance import GUIDANCE
from oharness.plugins.memory.looks import LooksOfRuns

TITLE = "# Memory"


def memory_section(memory: Memory, looks: LooksOfRuns) -> PromptSection:
    """The section, made anew at the start of each run."""

    async def text(run: RunContext) -> str:
        text = await asyncio.to_thread(section_text, memory)
        looks.looked(run)
        return text

    return PromptSection("memory", text)


def section_text(memory: Memory) -> str:
    """Guidance and index; without any note only the two lines that say when to write one."""
    memory.refresh()
    index = index_of(memory)
    if not index.shown and not index.counted:
        return f"{TITLE}\n\n{index.text}"
    return f"{TITLE}\n\n{GUIDANCE}\n\n<memory-index>\n{index.text}\n</memory-index>"
