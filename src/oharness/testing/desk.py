"""An agent, the person before it and the scripted model behind it, in one line."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from oharness.harness.agent import Agent
from oharness.harness.events import AllowOnce, Approval, PermissionRequest, RunEvent, RunFinished
from oharness.harness.messages import Message, ToolResultBlock
from oharness.harness.options import AgentOptions
from oharness.harness.sessions import Session, unsaved_session
from oharness.harness.tools import Arguments, Effect, Tool, ToolContext, ToolResult
from oharness.testing.clock import FakeClock
from oharness.testing.model import Script, ScriptedModel

NO_ARGUMENTS: dict[str, Any] = {"type": "object", "properties": {}}


@dataclass(slots=True)
class Person:
    """A frontend that gives its answers in order, then yes, and keeps what it was asked."""

    answers: list[Approval] = field(default_factory=list)
    asked: list[PermissionRequest] = field(default_factory=list)

    async def approve(self, request: PermissionRequest) -> Approval:
        self.asked.append(request)
        return self.answers.pop(0) if self.answers else AllowOnce()


@dataclass(slots=True)
class Desk:
    """`say` sends a message and gives every event of the run."""

    agent: Agent
    person: Person
    model: ScriptedModel

    async def say(self, text: str) -> list[RunEvent]:
        async with aclosing(self.agent.run(text)) as events:
            return [event async for event in events]


def desk(
    script: Sequence[Script] = (),
    *,
    session: Session | None = None,
    answers: Sequence[Approval] = (),
    context_tokens: int = 100_000,
    project_root: Path = Path("project"),
    **options: Any,
) -> Desk:
    """A desk with `AgentOptions(**options)`; the session is in memory unless one is given."""
    model = ScriptedModel(list(script), context_tokens=context_tokens)
    person = Person(list(answers))
    options.setdefault("clock", FakeClock())
    chosen = AgentOptions(model=model, project_root=project_root, **options)
    return Desk(Agent(chosen, session or unsaved_session(), person), person, model)


def finished(events: Sequence[RunEvent]) -> RunFinished:
    """The end of a run, which has to be its last event."""
    last = events[-1]
    assert isinstance(last, RunFinished)
    return last


def result_texts(message: Message) -> list[str]:
    """What the tools answered in one message."""
    return [block.text for block in message.blocks if isinstance(block, ToolResultBlock)]


def a_tool(
    name: str,
    effect: Effect = Effect.READ,
    run: Callable[[Arguments, ToolContext], Awaitable[ToolResult]] | None = None,
    **more: Any,
) -> Tool:
    """A tool that says its name, or does what `run` does."""

    async def say_name(arguments: Arguments, context: ToolContext) -> ToolResult:
        return ToolResult(f"{name} ran")

    more.setdefault("schema", NO_ARGUMENTS)
    return Tool(name, f"does {name}", effect=effect, run=run or say_name, **more)


@dataclass(slots=True)
class APlugin:
    """A plugin that registers what it is given: values by the name of the registry's method."""

    id: str
    parts: Sequence[tuple[str, Any]] = ()

    def register(self, registry: Any) -> None:
        for method, value in self.parts:
            getattr(registry, method)(value)
