"""A harness with the memory plugin in a throw-away project, talked to by a scripted model."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from oharness.harness.agent import Agent
from oharness.harness.descriptors import Notice
from oharness.harness.events import AllowOnce, Approval, PermissionRequest, RunEvent
from oharness.testing.model import ScriptedModel
from oharness.wiring.harness import Harness


class SaysYes:
    """A frontend whose person allows everything, and what that person was asked."""

    def __init__(self) -> None:
        self.asked: list[PermissionRequest] = []

    async def approve(self, request: PermissionRequest) -> Approval:
        self.asked.append(request)
        return AllowOnce()


MakeHarness = Callable[..., Awaitable[Harness]]


@pytest.fixture
async def make_harness(tmp_path: Path, home: Path) -> AsyncIterator[MakeHarness]:
    """Makes harnesses of one project and home; closes them all."""
    project = tmp_path / "store"
    project.mkdir()
    made: list[Harness] = []

    async def make(model: ScriptedModel | str = "offline", **variables: str) -> Harness:
        harness = await Harness.create(project, home, model, SaysYes(), variables)
        made.append(harness)
        return harness

    yield make
    for harness in made:
        await harness.close()


async def send(agent: Agent, text: str) -> list[RunEvent]:
    """Everything that happened until the message was answered."""
    return [event async for event in agent.run(text)]


async def ask(harness: Harness, text: str) -> list[RunEvent]:
    """The same in a new session, closed afterwards."""
    agent = await harness.start()
    try:
        return await send(agent, text)
    finally:
        await agent.close()


def notices(events: list[RunEvent]) -> dict[str, Notice]:
    """The notices among events, by key."""
    return {event.key: event for event in events if isinstance(event, Notice)}
