"""The loop: from a person's message to the last answer."""

import pytest

from oharness.harness.descriptors import MessageAddition, Notice, RunContext
from oharness.harness.events import CallMade, RunFinished, ToolFinished, ToolStarted, UserMessageStored
from oharness.harness.messages import AttachedBlock, Role, own_text
from oharness.harness.model import TextDelta
from oharness.harness.tools import Effect
from oharness.testing.model import Says, calls, says

pytestmark = pytest.mark.plugins


async def test_an_answer_is_streamed_and_stored(desk):
    at = desk([says("hello there, person")])
    events = await at.say("hi")
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == "hello there, person"
    assert events[-1] == RunFinished("hello there, person")
    assert [(message.role, own_text(message)) for message in at.agent.session.live] == [
        (Role.USER, "hi"),
        (Role.ASSISTANT, "hello there, person"),
    ]


async def test_a_tool_runs_and_the_model_sees_its_result(desk, tool):
    at = desk([calls("look"), says("seen")], tools=(tool("look"),))
    events = await at.say("look at it")
    assert events[-1] == RunFinished("seen", (CallMade("embedder", "look", True),))
    assert [type(event) for event in events if isinstance(event, ToolStarted | ToolFinished)] == [
        ToolStarted,
        ToolFinished,
    ]
    assert at.model.requests[1].messages[-1].blocks[0].text == "look ran"


async def test_the_person_is_asked_before_a_write_and_only_then(desk, tool):
    at = desk([Says(calls=(("look", {}), ("change", {})))], tools=(tool("look"), tool("change", Effect.WRITE)))
    await at.say("change it")
    assert [request.tool for request in at.person.asked] == ["change"]


async def test_memory_without_a_host_is_recalled(desk):
    class Notes:
        async def recall(self, text: str, run: RunContext) -> MessageAddition:
            block = AttachedBlock("memory", f"note about {text}")
            return MessageAddition((block,), {"recalled": [{"id": "a"}]}, (Notice("recalled", {"count": 1}),))

    at = desk(memory=Notes())
    events = await at.say("colours")
    stored = next(event.message for event in events if isinstance(event, UserMessageStored))
    assert stored.metadata == {"recalled": [{"id": "a"}]}
    assert own_text(stored) == "colours"
    assert at.model.requests[0].messages[-1].blocks[1].text == "note about colours"
    assert Notice("recalled", {"count": 1}) in events
