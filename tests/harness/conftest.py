"""Helpers of the harness tests: an agent in three words."""

from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from oharness.core.clock import Millis
from oharness.harness.agent import Agent
from oharness.harness.events import AllowOnce, Approval, PermissionRequest, RunEvent
from oharness.harness.options import AgentOptions
from oharness.harness.sessions import Session, start_session, unsaved_session
from oharness.harness.tools import Arguments, Effect, Tool, ToolContext, ToolResult
from oharness.system import SystemRandomness
from oharness.testing.model import Script, ScriptedModel


class TickingClock:
    """A millisecond passes with every look at it."""

    def __init__(self) -> None:
        self.now = 1_789_000_000_000

    def now_ms(self) -> Millis:
        self.now += 1
        return Millis(self.now)

    def monotonic(self) -> float:
        return self.now_ms() / 1000

    async def sleep(self, seconds: float) -> None:
        self.now += round(seconds * 1000)


@dataclass(slots=True)
class Person:
    """A frontend that answers as told and keeps what it was asked."""

    answers: list[Approval] = field(default_factory=list)
    asked: list[PermissionRequest] = field(default_factory=list)

    async def approve(self, request: PermissionRequest) -> Approval:
        self.asked.append(request)
        return self.answers.pop(0) if self.answers else AllowOnce()


@dataclass(slots=True)
class Desk:
    """An agent, the person before it and the model behind it."""

    agent: Agent
    person: Person
    model: ScriptedModel

    async def say(self, text: str) -> list[RunEvent]:
        async with aclosing(self.agent.run(text)) as events:
            return [event async for event in events]


@pytest.fixture
def clock() -> TickingClock:
    return TickingClock()


@pytest.fixture
def sessions_folder(tmp_path: Path) -> Path:
    return tmp_path / "home" / "sessions" / "project-1"


@pytest.fixture
def new_session(sessions_folder: Path, clock: TickingClock) -> Callable[[], Session]:
    return lambda: start_session(sessions_folder, "project-1", clock, SystemRandomness())


@pytest.fixture
def desk(tmp_path: Path, clock: TickingClock) -> Callable[..., Desk]:
    """Makes a desk: `desk(script, session=…, **options)`."""

    def make(script: list[Script] | None = None, session: Session | None = None, **options: Any) -> Desk:
        model = options.pop("model", None) or ScriptedModel(script or [])
        person = options.pop("person", None) or Person()
        chosen = AgentOptions(model=model, project_root=tmp_path, clock=clock, **options)
        return Desk(Agent(chosen, session or unsaved_session(), person), person, model)

    return make


def tool(name: str, effect: Effect = Effect.READ, run: Any = None, **more: Any) -> Tool:
    """A tool that says its name, or does what `run` does."""

    async def say_name(arguments: Arguments, context: ToolContext) -> ToolResult:
        return ToolResult(f"{name} ran")

    return Tool(name, f"does {name}", {"type": "object", "properties": {}}, effect, run or say_name, **more)


@pytest.fixture(name="tool")
def tool_maker() -> Callable[..., Tool]:
    return tool
