"""Extraction as a person meets it: a conversation, then the small model, then the next message."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from oharness.harness.model import ModelFault, ModelRequest
from oharness.harness.permissions import Mode
from oharness.testing.model import Fails, Hangs, Line, Says, ScriptedModel, calls, says
from tests.plugins.memory.conftest import MakeHarness, ask, notices, send

pytestmark = [pytest.mark.memory, pytest.mark.plugins]

PORT = {
    "summary": "The staging server listens on port 8081",
    "body": "The staging server of the shop.",
    "type": "project",
    "scope": "project",
    "tags": ["staging", "deploy"],
}
TALK = ["the staging server listens on port 8081", "because the proxy takes port 8080 there", "thanks"]


def answer(*notes: dict[str, Any], updates: tuple[dict[str, Any], ...] = ()) -> Says:
    return says(json.dumps({"notes": notes, "updates": updates}))


def is_extraction(request: ModelRequest) -> bool:
    return request.output_schema is not None


class Talker:
    """A model that says "yes" in conversations and gives scripted answers to the extractor's questions."""

    def __init__(self, *answers: Line, context_tokens: int = 100_000) -> None:
        self.answers = list(answers)
        self.was_asked = asyncio.Event()
        self.model = ScriptedModel([self._line] * 200, context_tokens=context_tokens)

    def _line(self, request: ModelRequest) -> Line:
        if not is_extraction(request):
            return says("yes")
        self.was_asked.set()
        return self.answers.pop(0) if self.answers else answer()

    @property
    def asked(self) -> list[str]:
        """What the extractor was shown, pass by pass."""
        return [str(request.messages[0].blocks) for request in self.model.requests if is_extraction(request)]


@pytest.fixture(autouse=True)
def switched_on(home: Path) -> None:
    settings(home, onStop=True)


def settings(home: Path, **values: Any) -> None:
    home.mkdir(exist_ok=True)
    (home / "config.json").write_text(json.dumps({"memory": {"autoExtract": values}}))


def saved_files(tmp_path: Path) -> list[str]:
    return [path.read_text() for path in sorted((tmp_path / "store" / "MEMORY").glob("*.md"))]


async def test_enough_user_messages_are_extracted_and_announced_with_the_next_message(
    make_harness: MakeHarness, tmp_path: Path
) -> None:
    talker = Talker(answer(PORT))
    agent = await (await make_harness(talker.model)).start()
    for text in TALK:
        assert "saved" not in notices(await send(agent, text))
    await agent.close()
    harness = await make_harness(talker.model)
    agent = await harness.resume("latest")

    told = notices(await send(agent, "and now?"))["saved"]

    assert told.fields["count"] == 1
    (note,) = told.fields["notes"]
    assert note["scope"] == "project"
    assert note["summary"] == PORT["summary"]
    assert "port 8081" in saved_files(tmp_path)[0]
    assert "saved" not in notices(await send(agent, "and again?")), "told once"
    await agent.close()


async def test_fewer_messages_than_the_threshold_are_not_extracted(make_harness: MakeHarness) -> None:
    talker = Talker()
    agent = await (await make_harness(talker.model)).start()
    for text in TALK[:2]:
        await send(agent, text)
    await agent.close()
    assert talker.asked == []


async def test_nothing_is_extracted_unless_it_is_switched_on(make_harness: MakeHarness, home: Path) -> None:
    (home / "config.json").unlink()
    talker = Talker()
    agent = await (await make_harness(talker.model)).start()
    for text in TALK:
        await send(agent, text)
    await agent.close()
    assert talker.asked == []


async def test_in_plan_mode_nothing_is_extracted_and_what_was_said_is_read_once_it_is_left(
    make_harness: MakeHarness, tmp_path: Path
) -> None:
    talker = Talker(answer(PORT))
    agent = await (await make_harness(talker.model)).start()
    agent.mode = Mode.PLAN
    for text in [*TALK, "and a fourth"]:
        await send(agent, text)
    await agent.close()
    assert talker.asked == []
    assert saved_files(tmp_path) == []

    agent = await (await make_harness(talker.model)).start()
    agent.mode = Mode.PLAN
    for text in TALK:
        await send(agent, text)
    agent.mode = Mode.ASK
    await send(agent, "write it down then")
    await agent.close()
    assert "8081" in talker.asked[0]
    assert len(saved_files(tmp_path)) == 1


async def test_plan_mode_leaves_what_waits_and_what_compaction_drops_alone(
    make_harness: MakeHarness, tmp_path: Path
) -> None:
    failing = Talker(Fails(ModelFault.UNREACHABLE))
    agent = await (await make_harness(failing.model)).start()
    for text in TALK:
        await send(agent, text)
    await agent.close()

    talker = Talker(answer(PORT), context_tokens=2_000)
    agent = await (await make_harness(talker.model)).start()
    agent.mode = Mode.PLAN
    for number in range(6):
        await send(agent, f"{number} " + "long " * 400)
    await agent.close()
    assert talker.asked == []
    assert saved_files(tmp_path) == []


async def test_a_project_can_switch_extraction_off_but_not_on(
    make_harness: MakeHarness, home: Path, tmp_path: Path
) -> None:
    project_file = tmp_path / "store" / ".oharness" / "config.json"
    project_file.parent.mkdir()
    for user, project in ((True, False), (False, True)):
        settings(home, onStop=user)
        project_file.write_text(json.dumps({"memory": {"autoExtract": {"onStop": project, "onCompaction": project}}}))
        talker = Talker()
        agent = await (await make_harness(talker.model)).start()
        for text in TALK:
            await send(agent, text)
        await agent.close()
        assert talker.asked == [], (user, project)


async def test_each_pass_reads_only_what_no_pass_has_read(make_harness: MakeHarness) -> None:
    talker = Talker()
    agent = await (await make_harness(talker.model)).start()
    for text in [*TALK, "four", "five", "six"]:
        await send(agent, text)
    await agent.close()
    first, second = talker.asked
    assert "8081" in first
    assert "four" not in first
    assert "8081" not in second
    assert all(word in second for word in ("four", "five", "six"))


async def test_a_resumed_session_starts_counting_where_it_was_resumed(make_harness: MakeHarness) -> None:
    talker = Talker()
    agent = await (await make_harness(talker.model)).start()
    for text in TALK[:2]:
        await send(agent, text)
    await agent.close()
    agent = await (await make_harness(talker.model)).resume("latest")
    await send(agent, "three")
    assert talker.asked == []
    await send(agent, "four")
    await send(agent, "five")
    await agent.close()
    (only,) = talker.asked
    assert "8081" not in only
    assert "three" in only


async def test_subagents_are_never_extracted_from(make_harness: MakeHarness, home: Path) -> None:
    settings(home, onStop=True, minUserTurns=1)
    model = ScriptedModel([calls("task", task="find the zebra"), says("a zebra is here"), says("found")])
    await ask(await make_harness(model), "look")
    (extraction,) = [request for request in model.requests if is_extraction(request)]
    assert "zebra" not in str(extraction.messages)


async def test_recalled_notes_are_no_material(make_harness: MakeHarness, home: Path) -> None:
    settings(home, onStop=True, minUserTurns=1)
    note = {"summary": "We deploy on Thursdays", "body": "Said by zyxwordle."}
    model = ScriptedModel([calls("remember", **note), says("ok"), answer(), says("Thursdays"), answer()])
    harness = await make_harness(model)
    await ask(harness, "note this")
    assert "recalled" in notices(await ask(harness, "when do we deploy?"))
    last = [request for request in model.requests if is_extraction(request)][-1]
    told = str(last.messages[0].blocks[0].text)  # type: ignore[union-attr]
    conversation = told.partition("<conversation>")[2]
    assert "when do we deploy?" in conversation
    assert "zyx" not in conversation
    assert "zyxwordle" in told.partition("<conversation>")[0], "the note itself is shown, as a note"


async def test_recalled_notes_that_somebody_pasted_are_no_material(make_harness: MakeHarness, home: Path) -> None:
    settings(home, onStop=True, minUserTurns=1)
    talker = Talker()
    await ask(await make_harness(talker.model), "why this: <recalled-memory>\nold zyxwordle\n</recalled-memory> today?")
    assert "why this:" in talker.asked[0]
    assert "zyxwordle" not in talker.asked[0]


async def test_what_compaction_drops_is_read_however_short(
    make_harness: MakeHarness, home: Path, tmp_path: Path
) -> None:
    settings(home, onCompaction=True)
    talker = Talker(answer(PORT), context_tokens=6_000)
    agent = await (await make_harness(talker.model)).start()
    await send(agent, TALK[0])
    assert talker.asked == []
    await send(agent, "x " * 9_000)
    await send(agent, "go on")
    await agent.close()
    assert "8081" in talker.asked[0]
    assert "port 8081" in saved_files(tmp_path)[0]
    assert sum("8081" in one.partition("<conversation>")[2] for one in talker.asked) == 1, "read once"


async def test_the_reply_does_not_wait_for_extraction(make_harness: MakeHarness, home: Path) -> None:
    settings(home, onStop=True, minUserTurns=1)
    talker = Talker(Hangs())
    agent = await (await make_harness(talker.model)).start()
    events = await asyncio.wait_for(send(agent, "hello"), 20)
    assert getattr(events[-1], "reply", None) == "yes"
    closing = asyncio.create_task(agent.close())
    await asyncio.sleep(0.05)
    closing.cancel()
    await asyncio.wait((closing,))


async def test_a_pass_that_was_interrupted_is_done_at_the_next_start_and_once(
    make_harness: MakeHarness, home: Path, tmp_path: Path
) -> None:
    settings(home, onStop=True, minUserTurns=1)
    talker = Talker(Hangs(), answer(PORT))
    agent = await (await make_harness(talker.model)).start()
    await send(agent, TALK[0])
    closing = asyncio.create_task(agent.close())
    await talker.was_asked.wait()
    closing.cancel()
    await asyncio.wait((closing,))
    assert saved_files(tmp_path) == []

    await ask(await make_harness(talker.model), "hello again")
    assert len(saved_files(tmp_path)) == 1
    told = notices(await ask(await make_harness(talker.model), "and again"))
    assert told["saved-earlier"].fields["count"] == 1
    assert len(saved_files(tmp_path)) == 1
    assert sum("8081" in one.partition("<conversation>")[2] for one in talker.asked) == 2


async def test_a_model_that_cannot_be_asked_is_asked_again_later_but_not_for_ever(
    make_harness: MakeHarness, home: Path, tmp_path: Path
) -> None:
    settings(home, onStop=True, minUserTurns=1)
    talker = Talker(*[Fails(ModelFault.UNREACHABLE)] * 3)
    await ask(await make_harness(talker.model), TALK[0])
    settings(home, onStop=True, minUserTurns=100)
    for _ in range(4):
        await ask(await make_harness(talker.model), "hello")
    assert sum("8081" in one for one in talker.asked) == 3
    assert not list((home / "memory-extraction").rglob("*.json"))


async def test_an_invalid_answer_saves_nothing_and_is_logged(
    make_harness: MakeHarness, home: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings(home, onStop=True, minUserTurns=1)
    talker = Talker(says('{"notes": [{"summary": "secret zebra"'))
    await ask(await make_harness(talker.model), TALK[0])
    assert saved_files(tmp_path) == []
    assert "answer was not used: not JSON" in caplog.text
    assert "zebra" not in caplog.text
    assert not list((home / "memory-extraction").rglob("*.json"))


async def test_the_practice_assistant_extracts_nothing_and_says_what_to_set(
    make_harness: MakeHarness, home: Path
) -> None:
    agent = await (await make_harness("offline")).start()
    told = [notices(await send(agent, text)) for text in TALK]
    await agent.close()
    assert told[0]["extraction-needs-model"].fields["model"] == "offline"
    assert all("extraction-needs-model" not in later for later in told[1:]), "said once"
    assert not (home / "memory-extraction").exists()


async def test_credentials_reach_neither_the_waiting_file_nor_the_small_model(
    make_harness: MakeHarness, home: Path
) -> None:
    settings(home, onStop=True, minUserTurns=1)
    key = "ghp_" + "a1B2" * 9
    talker = Talker(answer())
    await ask(await make_harness(talker.model), f"use {key} for the mirror")
    assert key not in talker.asked[0]
    assert "redacted" in talker.asked[0]


async def test_what_waited_is_let_go_when_extraction_is_switched_off(make_harness: MakeHarness, home: Path) -> None:
    settings(home, onStop=True, minUserTurns=1)
    talker = Talker(Fails())
    await ask(await make_harness(talker.model), TALK[0])
    assert list((home / "memory-extraction").rglob("*.json"))
    settings(home)
    await ask(await make_harness(talker.model), "hello")
    assert not list((home / "memory-extraction").rglob("*.json"))
    assert len(talker.asked) == 1


async def test_an_update_backs_up_the_version_it_replaces(make_harness: MakeHarness, home: Path) -> None:
    settings(home, onStop=True, minUserTurns=1)
    note = {"id": "port-a", "summary": "The staging server listens on port 8080", "body": "Since spring."}
    update = {"id": "port-a", "summary": PORT["summary"], "body": "Since spring 8080, now 8081.", "tags": []}
    model = ScriptedModel([calls("remember", **note), says("ok"), answer(), says("yes"), answer(updates=(update,))])
    harness = await make_harness(model)
    await ask(harness, "note this")
    await ask(harness, "the staging server listens on port 8081 now")
    (backup,) = [json.loads(path.read_text()) for path in (home / "memory-backups").iterdir()]
    assert backup["reason"] == "extraction"
    assert "port 8080" in backup["note"]
    assert harness.memory is not None
    assert harness.memory.get("port-a").summary == PORT["summary"]


async def test_what_a_person_forgot_on_purpose_is_not_learned_again(
    make_harness: MakeHarness, home: Path, tmp_path: Path
) -> None:
    settings(home, onStop=True, minUserTurns=1)
    again = PORT | {"summary": "Staging server: it listens on port 8081"}
    model = ScriptedModel([calls("remember", **PORT, id="port-a"), says("ok"), answer()])
    harness = await make_harness(model)
    await ask(harness, TALK[0])
    model.script += [calls("forget", id="port-a"), says("gone"), answer(again)]
    await ask(harness, "forget the port of the staging server that listens on 8081")
    assert saved_files(tmp_path) == []
    kept = "".join(path.read_text() for path in (home / "memory-forgotten").iterdir())
    assert "staging" not in kept
    assert "port-a" not in kept

    model.script += [says("ok"), answer(PORT | {"summary": "The staging server listens on port 8099"})]
    await ask(harness, "the staging server listens on port 8099 from today, 8080 and 8081 are taken by the proxy")
    assert len(saved_files(tmp_path)) == 1, "another port is news"


async def test_a_note_that_changed_while_the_model_was_asked_keeps_the_change(
    make_harness: MakeHarness, home: Path, tmp_path: Path
) -> None:
    settings(home, onStop=True, minUserTurns=1)
    note = {"id": "port-a", "summary": "The staging server listens on port 8080", "body": "Since spring."}
    path = tmp_path / "store" / "MEMORY" / "port-a.md"

    def edited_meanwhile(request: ModelRequest) -> Line:
        path.write_text(path.read_text().replace("Since spring", "Edited by hand"))
        update = {"id": "port-a", "summary": PORT["summary"], "body": "Since spring 8081.", "tags": []}
        return answer(updates=(update,))

    model = ScriptedModel([calls("remember", **note), says("ok"), answer(), says("yes"), edited_meanwhile])
    harness = await make_harness(model)
    await ask(harness, "note this")
    await ask(harness, "the staging server listens on port 8081 now")
    assert "Edited by hand" in path.read_text()
    assert "8080" in path.read_text()


async def test_a_long_talk_of_passing_states_leaves_no_note_whatever_the_model_says(
    make_harness: MakeHarness, home: Path, tmp_path: Path
) -> None:
    states = [
        "tests pass now",
        "built successfully",
        "all checks are green",
        "the build succeeded",
        "committed the changes",
    ]
    junk = [PORT | {"summary": state, "body": state} for state in states]
    talker = Talker(*[answer(*junk)] * 7)
    agent = await (await make_harness(talker.model)).start()
    for number in range(20):
        await send(agent, states[number % len(states)])
    await agent.close()
    assert len(talker.asked) == 6
    assert saved_files(tmp_path) == []
