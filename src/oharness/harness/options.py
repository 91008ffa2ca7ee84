"""What an agent is made of. Embedders fill this in by hand; a harness fills it from settings and plugins."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from oharness.core.clock import Clock, Millis
from oharness.harness.asking import IDLE_SECONDS
from oharness.harness.descriptors import MessageAddition, MessageHook, RunContext
from oharness.harness.hooks import Owned
from oharness.harness.host import NameClash, PluginHost
from oharness.harness.model import Model
from oharness.harness.permissions import Mode, Rules
from oharness.harness.tools import RegisteredTool, Tool

STEP_LIMIT = 100
EMBEDDER = "embedder"
"""The plugin name of tools given in `AgentOptions.tools`, for permission rules."""

BASE_PROMPT = """You are a careful assistant working with a person in one project folder. Use the tools to look \
before you answer and before you change anything. Say what you did and what you could not do, briefly and in the \
person's language. A tool that was declined is not tried again in another way: say so, or ask."""

_PLAN_PROMPT = "Plan mode is on: look and think, change nothing. Every tool that changes something is refused."


class MemoryForAgent(Protocol):
    """Recall for an agent without a plugin host."""

    async def recall(self, text: str, run: RunContext) -> MessageAddition:
        """The notes to attach to a user message; what was attached before is read from `run.transcript`.

        Raises: anything; the message is sent all the same.
        """
        ...


@dataclass(frozen=True, slots=True)
class AgentOptions:
    """The parts of an agent.

    `memory` gives recall without a plugin host; with a host whose memory plugin does that already, leave it out.
    `small_model` summarises and serves the side jobs of plugins; without one the model does it itself.
    """

    model: Model
    project_root: Path
    clock: Clock
    memory: MemoryForAgent | None = None
    host: PluginHost = field(default_factory=PluginHost)
    tools: tuple[Tool, ...] = ()
    small_model: Model | None = None
    mode: Mode = Mode.ASK
    rules: Rules = field(default_factory=Rules)
    base_prompt: str = BASE_PROMPT
    step_limit: int = STEP_LIMIT
    idle_seconds: float = IDLE_SECONDS
    is_subagent: bool = False


def all_tools(options: AgentOptions) -> dict[str, RegisteredTool]:
    """The tools an agent may use, by name: plugins' and the embedder's own; a subagent starts no subagents.

    Raises: NameClash.
    """
    tools: dict[str, RegisteredTool] = {}
    for each in (*options.host.tools, *(RegisteredTool(EMBEDDER, tool) for tool in options.tools)):
        if taken := tools.get(each.tool.name):
            raise NameClash("tool", each.tool.name, each.plugin, taken.plugin)
        tools[each.tool.name] = each
    return {name: each for name, each in tools.items() if not (options.is_subagent and each.tool.starts_subagents)}


def all_message_hooks(options: AgentOptions) -> tuple[Owned[MessageHook], ...]:
    """The message hooks of plugins, and recall for an agent without a memory plugin; none for a subagent."""
    if options.is_subagent:
        return ()
    hooks = options.host.message_hooks
    return hooks if options.memory is None else (*hooks, Owned(EMBEDDER, MessageHook("recall", options.memory.recall)))


def system_prompt(options: AgentOptions, mode: Mode, sections: Sequence[str], now: Millis) -> str:
    """What the model is told before the conversation."""
    today = datetime.fromtimestamp(now / 1000, UTC).date()
    place = f"The project's folder is {options.project_root}. Today is {today} (UTC)."
    plan = (_PLAN_PROMPT,) if mode is Mode.PLAN else ()
    return "\n\n".join((options.base_prompt, place, *plan, *sections))
