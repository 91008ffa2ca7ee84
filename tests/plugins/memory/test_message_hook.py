import json
from pathlib import Path

import pytest

from oharness.api import AgentOptions, NoteRecall, open_environment, open_memory_for_writing, unsaved_session
from oharness.harness.agent import Agent
from oharness.harness.events import Unattended
from oharness.harness.messages import AttachedBlock, own_text
from oharness.harness.model import ModelRequest
from oharness.memory.remember import RememberRequest, remember
from oharness.memory.service import MemoryService
from oharness.testing.model import Says, ScriptedModel, calls, says
from tests.plugins.memory.conftest import MakeHarness, ask, notices, send

pytestmark = pytest.mark.memory

DEPLOY = {
    "summary": "We deploy on Thursdays",
    "body": "Never on Fridays. See [[rollback-plan-aaa]].",
    "tags": "release",
}
ROLLBACK = {"summary": "Rollback plan", "body": "Revert the tag.", "id": "rollback-plan-aaa"}


async def test_a_note_that_fits_is_attached_in_a_block_of_its_own(make_harness: MakeHarness) -> None:
    model = ScriptedModel([calls("remember", **ROLLBACK), calls("remember", **DEPLOY), says("ok"), says("Thursdays")])
    harness = await make_harness(model)
    await ask(harness, "note this")

    events = await ask(harness, "when do we deploy?")

    message = model.requests[-1].messages[-1]
    (block,) = [block for block in message.blocks if isinstance(block, AttachedBlock)]
    assert own_text(message) == "when do we deploy?"
    assert "We deploy on Thursdays" in block.text
    assert "[rollback-plan-aaa] Rollback plan" in block.text, "linked notes come by summary"
    assert notices(events)["recalled"].fields["count"] == 1
    (kept,) = message.metadata["recalled"]
    assert set(kept) == {"scope", "id", "hash", "score"}


async def test_a_message_that_nothing_fits_gets_nothing(make_harness: MakeHarness) -> None:
    model = ScriptedModel([calls("remember", **DEPLOY), says("ok"), says("hello")])
    harness = await make_harness(model)
    await ask(harness, "note this")

    events = await ask(harness, "thanks, continue")

    assert "recalled" not in notices(events)
    assert not any(isinstance(block, AttachedBlock) for block in model.requests[-1].messages[-1].blocks)


async def test_a_note_is_attached_once_also_after_the_session_is_resumed(make_harness: MakeHarness) -> None:
    model = ScriptedModel([calls("remember", **DEPLOY), says("ok"), says("Thursdays")])
    harness = await make_harness(model)
    await ask(harness, "note this")
    agent = await harness.start()
    assert "recalled" in notices(await send(agent, "when do we deploy?"))
    assert "recalled" not in notices(await send(agent, "and when do we deploy again?"))
    session_id = agent.session.session_id
    await agent.close()
    await harness.close()

    again = await (await make_harness(ScriptedModel())).resume(session_id)

    assert "recalled" not in notices(await send(again, "when do we deploy?"))
    await again.close()


async def test_compaction_frees_the_notes_whose_messages_it_summarised_away(make_harness: MakeHarness) -> None:
    model = ScriptedModel([calls("remember", **DEPLOY), says("ok")], context_tokens=12_000)
    harness = await make_harness(model)
    await ask(harness, "note this")
    agent = await harness.start()
    assert "recalled" in notices(await send(agent, "when do we deploy?"))

    model.script += [_story] * 20
    for _ in range(4):
        await send(agent, "tell me a long story")
    events = await send(agent, "when do we deploy?")

    assert "recalled" in notices(events), "the message that carried it is gone from the transcript"
    await agent.close()


def _story(request: ModelRequest) -> Says:
    return Says("long " * 2000) if request.tools else says("a summary")


async def test_recall_that_fails_stops_no_message(make_harness: MakeHarness, tmp_path: Path) -> None:
    model = ScriptedModel([calls("remember", **DEPLOY), says("ok"), says("answered")])
    harness = await make_harness(model)
    await ask(harness, "note this")
    notes = tmp_path / "store" / "MEMORY"
    notes.rename(tmp_path / "elsewhere")
    notes.symlink_to(tmp_path)  # a directory that must not be followed

    events = await ask(harness, "when do we deploy?")

    assert own_text(model.requests[-1].messages[-1]) == "when do we deploy?"
    assert "recall-failed" in notices(events)


async def test_recall_can_be_switched_off(make_harness: MakeHarness, home: Path) -> None:
    model = ScriptedModel([calls("remember", **DEPLOY), says("ok")])
    await ask(await make_harness(model), "note this")
    (home / "config.json").write_text(json.dumps({"memory": {"recall": {"enabled": False}}}))

    harness = await make_harness(ScriptedModel())

    assert "recalled" not in notices(await ask(harness, "when do we deploy?"))


async def test_agent_options_give_recall_without_a_plugin_host(tmp_path: Path, home: Path) -> None:
    project = tmp_path / "store"
    project.mkdir()
    memory = open_memory_for_writing(open_environment({}, project, home))
    remember(memory, RememberRequest(summary=DEPLOY["summary"], body=DEPLOY["body"]))
    model = ScriptedModel()
    options = AgentOptions(model, project, memory.around.clock, memory=NoteRecall(memory))

    agent = Agent(options, unsaved_session(), Unattended())
    events = await send(agent, "when do we deploy?")

    assert notices(events)["recalled"].fields["count"] == 1
    await agent.close()
    memory.close()


async def test_a_run_looks_at_the_files_once_and_each_run_looks_anew(
    make_harness: MakeHarness, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness = await make_harness(ScriptedModel([says("yes")] * 3))
    agent = await harness.start()
    looks: list[str] = []
    refresh = MemoryService.refresh

    def counted(service: MemoryService) -> None:
        looks.append(str(service.kind))
        refresh(service)

    monkeypatch.setattr(MemoryService, "refresh", counted)
    await send(agent, "hello")
    assert looks == ["project", "user"]
    (tmp_path / "store" / "MEMORY" / "by-hand.md").write_text(
        '---\n{"id":"by-hand","summary":"We deploy on Thursdays"}\n---\n'
    )
    assert "recalled" in notices(await send(agent, "when do we deploy?"))
    assert looks == ["project", "user"] * 2
    await agent.close()
