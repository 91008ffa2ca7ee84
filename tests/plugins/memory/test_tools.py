from pathlib import Path

import pytest

from oharness.harness.events import ToolFinished
from oharness.testing.model import ScriptedModel, calls, says
from oharness.wiring.harness import Harness
from tests.plugins.memory.conftest import MakeHarness, SaysYes, ask, send

pytestmark = pytest.mark.memory


async def outcome(harness: Harness, model: ScriptedModel, tool: str, **arguments: object) -> ToolFinished:
    """One call of a tool by the model."""
    model.script += [calls(tool, **arguments), says("done")]
    events = await ask(harness, "go on")
    (finished,) = [event for event in events if isinstance(event, ToolFinished)]
    return finished


@pytest.fixture
def model() -> ScriptedModel:
    return ScriptedModel()


async def test_remember_answers_with_related_notes_a_duplicate_and_missing_links(
    make_harness: MakeHarness, model: ScriptedModel
) -> None:
    harness = await make_harness(model)
    first = await outcome(harness, model, "remember", summary="Deploys are on Thursdays", body="", tags="release, ship")

    again = await outcome(harness, model, "remember", summary="Deploys are on Thursdays", body="See [[no-such-note]]")

    assert first.result.data["created"] is True
    assert again.result.data["duplicateOf"] == first.result.data["id"]
    assert [one["id"] for one in again.result.data["related"]] == [first.result.data["id"]]
    assert again.result.data["missingLinks"] == ["no-such-note"]
    assert "likely a duplicate" in again.result.text


async def test_remember_does_not_ask_and_forget_does(make_harness: MakeHarness, model: ScriptedModel) -> None:
    harness = await make_harness(model)
    frontend = harness._frontend
    assert isinstance(frontend, SaysYes)

    saved = await outcome(harness, model, "remember", summary="Tabs, not spaces", body="")
    assert frontend.asked == []

    await outcome(harness, model, "forget", id=saved.result.data["id"])
    assert [request.tool for request in frontend.asked] == ["forget"]
    assert "-Tabs, not spaces" in frontend.asked[0].preview


async def test_only_user_notes_go_to_the_user_scope(make_harness: MakeHarness, model: ScriptedModel) -> None:
    harness = await make_harness(model)
    scopes = {
        kind: (await outcome(harness, model, "remember", summary=f"About {kind}", body="", type=kind)).result.data[
            "scope"
        ]
        for kind in ("user", "feedback", "project", "reference")
    }
    assert scopes == {"user": "user", "feedback": "project", "project": "project", "reference": "project"}


async def test_a_credential_is_refused_and_not_repeated(make_harness: MakeHarness, model: ScriptedModel) -> None:
    harness = await make_harness(model)
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"

    finished = await outcome(harness, model, "remember", summary="Token", body=f"use {secret}")

    assert finished.result.is_error
    assert secret not in finished.result.text
    assert harness.memory is not None
    assert harness.memory.entries() == []


async def test_memory_finds_a_word_deep_in_a_body(make_harness: MakeHarness, model: ScriptedModel) -> None:
    harness = await make_harness(model)
    await outcome(harness, model, "remember", summary="Long", body="word " * 1400 + "zyxwordle")

    found = await outcome(harness, model, "memory", query="zyxwordle")

    assert [one["summary"] for one in found.result.data["results"]] == ["Long"]


async def test_memory_reads_one_note_whole_and_lists_the_newest(
    make_harness: MakeHarness, model: ScriptedModel
) -> None:
    harness = await make_harness(model)
    saved = await outcome(harness, model, "remember", summary="One", body="the body of it")

    whole = await outcome(harness, model, "memory", id=saved.result.data["id"])
    listed = await outcome(harness, model, "memory")

    assert "the body of it" in whole.result.text
    assert f"[{saved.result.data['id']}] One" in listed.result.text


async def test_plan_mode_refuses_remember(make_harness: MakeHarness, model: ScriptedModel) -> None:
    harness = await make_harness(model)
    model.script += [calls("remember", summary="No", body=""), says("done")]
    agent = await harness.start()
    agent.mode = type(agent.mode)("plan")

    (finished,) = [event for event in await send(agent, "go on") if isinstance(event, ToolFinished)]

    await agent.close()
    assert not finished.allowed
    assert harness.memory is not None
    assert harness.memory.entries() == []


async def test_a_note_with_a_credential_typed_in_by_hand_is_not_shown(
    make_harness: MakeHarness, model: ScriptedModel, tmp_path: Path
) -> None:
    harness = await make_harness(model)
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    note = f'---\n{{"id":"by-hand","summary":"Build access {secret}"}}\n---\nsee summary\n'
    (tmp_path / "store" / "MEMORY" / "by-hand.md").write_text(note)

    for arguments in ({"id": "by-hand"}, {"query": "build access"}, {}):
        finished = await outcome(harness, model, "memory", **arguments)
        assert secret not in finished.result.text
        assert secret not in str(finished.result.data)
