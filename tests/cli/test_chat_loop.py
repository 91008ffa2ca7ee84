"""The chat: messages, slash commands, Ctrl-C, and errors that end nothing."""

import asyncio
import io
import os
import signal
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from oharness.cli.chat_loop import ChatLoop
from oharness.cli.output import Ink, Output
from oharness.cli.run_view import PlainView
from oharness.harness.agent import Agent
from oharness.harness.descriptors import Command, RunContext
from oharness.harness.events import Unattended
from oharness.harness.model import ModelFault, ModelReply, ModelRequest, TextDelta
from oharness.harness.options import AgentOptions
from oharness.harness.permissions import Mode
from oharness.harness.sessions import Session, SessionList, list_sessions, resume_session, start_session
from oharness.language.catalogue import Catalogue
from oharness.testing.clock import FakeClock
from oharness.testing.model import Fails, Script, ScriptedModel, says
from oharness.testing.randomness import SeededRandomness

pytestmark = pytest.mark.plugins


class Hanging:
    """A model that begins to speak, presses Ctrl-C for the person, and never ends."""

    name = "hanging"
    context_tokens = 1000

    async def stream(self, request: ModelRequest) -> AsyncIterator[TextDelta | ModelReply]:
        yield TextDelta("half an ans")
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.Event().wait()


@dataclass
class Typed:
    """A person who types these lines; an exception is a key they press."""

    lines: list[str | type[BaseException]]

    async def message(self) -> str:
        if not self.lines:
            raise EOFError
        line = self.lines.pop(0)
        if isinstance(line, str):
            return line
        raise line


@dataclass
class OneProject:
    """Conversations of one project with scripted models."""

    folder: Path
    model: ScriptedModel | Hanging
    model_name: str = "scripted"
    commands: tuple[Command, ...] = ()
    clock: FakeClock = field(default_factory=FakeClock)
    randomness: SeededRandomness = field(default_factory=lambda: SeededRandomness(7))

    def agent(self, session: Session) -> Agent:
        options = AgentOptions(model=self.model, project_root=self.folder, clock=self.clock)
        return Agent(options, session, Unattended())

    async def start(self) -> Agent:
        return self.agent(start_session(self.folder, "p1", self.clock, self.randomness))

    async def resume(self, name: str) -> Agent:
        return self.agent(resume_session(self.folder, name))

    async def use_model(self, name: str, session_id: str) -> Agent:
        self.model_name = name
        return await (self.resume(session_id) if session_id else self.start())

    def context(self, agent: Agent) -> RunContext:
        return RunContext(agent.session.session_id, self.folder, agent.session.live)

    def listed(self) -> SessionList:
        return list_sessions(self.folder)


@dataclass
class Chat:
    project: OneProject
    shown: io.StringIO = field(default_factory=io.StringIO)

    async def hold(self, *lines: str | type[BaseException], resume: str = "") -> ChatLoop:
        output = Output(self.shown, self.shown, Catalogue(), {}, json_only=False)
        agent = await (self.project.resume(resume) if resume else self.project.start())
        loop = ChatLoop(self.project, agent, Typed(list(lines)), PlainView(output), Catalogue(), Ink(coloured=False))
        await loop.go()
        await loop.close()
        return loop

    @property
    def text(self) -> str:
        return self.shown.getvalue()


def chat(folder: Path, script: Iterable[str | Script] = (), commands: tuple[Command, ...] = ()) -> Chat:
    lines = [says(line) if isinstance(line, str) else line for line in script]
    return Chat(OneProject(folder, ScriptedModel(lines), commands=commands))


async def test_messages_are_answered_one_after_the_other(tmp_path: Path) -> None:
    talk = chat(tmp_path, ["first answer", "second answer"])
    await talk.hold("one", "", "  ", "two")
    assert talk.text == "first answer\nsecond answer\n"


async def test_a_failing_model_ends_the_message_and_not_the_chat(tmp_path: Path) -> None:
    talk = chat(tmp_path, [Fails(ModelFault.UNREACHABLE), "back again"])
    await talk.hold("one", "/retry")
    assert "cannot be reached" in talk.text
    assert talk.text.endswith("back again\n")


async def test_ctrl_c_stops_the_answer_and_keeps_what_was_said(tmp_path: Path) -> None:
    talk = Chat(OneProject(tmp_path, Hanging()))
    loop = await talk.hold("tell me", "/sessions")
    assert "half an ans\n" in talk.text
    assert "Stopped." in talk.text
    assert "tell me" in talk.text
    assert len(loop.agent.session.live) == 2


async def test_ctrl_c_twice_at_the_prompt_leaves_and_once_does_not(tmp_path: Path) -> None:
    talk = chat(tmp_path, ["an answer"])
    await talk.hold(KeyboardInterrupt, "still here", KeyboardInterrupt, KeyboardInterrupt, "never read")
    assert "an answer" in talk.text
    assert talk.text.count("leaves") == 2


async def test_a_new_conversation_knows_nothing_of_the_last_and_keeps_the_mode(tmp_path: Path) -> None:
    talk = chat(tmp_path, ["a", "b"])
    loop = await talk.hold("one", "/mode plan", "/new", "two")
    assert loop.agent.mode is Mode.PLAN
    assert len(loop.agent.session.live) == 2
    assert len(talk.project.listed().sessions) == 2


async def test_an_earlier_conversation_is_gone_on_with_and_shown_where_it_stood(tmp_path: Path) -> None:
    talk = chat(tmp_path, ["the answer to one", "b"])
    first = await talk.hold("one")
    session_id = first.agent.session.session_id
    loop = await talk.hold(f"/resume {session_id[:6]}", "two")
    assert "  the answer to one" in talk.text
    assert len(loop.agent.session.live) == 4


async def test_going_on_with_the_conversation_that_is_open_here_changes_nothing(tmp_path: Path) -> None:
    talk = chat(tmp_path, ["an answer", "b"])
    loop = await talk.hold("one", "/resume latest", "two")
    assert "another oHarness" not in talk.text
    assert len(loop.agent.session.live) == 4


async def test_an_unknown_conversation_leaves_the_present_one_open(tmp_path: Path) -> None:
    talk = chat(tmp_path, ["a"])
    await talk.hold("/resume nosuch", "one")
    assert "There is no conversation nosuch" in talk.text
    assert talk.text.endswith("a\n")


async def test_another_model_goes_on_with_the_same_conversation(tmp_path: Path) -> None:
    talk = chat(tmp_path, ["a", "b"])
    loop = await talk.hold("one", "/mode bypass", "/model other:one", "two")
    assert "The model is other:one." in talk.text
    assert len(loop.agent.session.live) == 4
    assert loop.agent.mode is Mode.BYPASS


async def test_a_plugins_command_is_offered_and_run_and_cannot_take_the_name_of_ours(tmp_path: Path) -> None:
    async def run(rest: str, context: RunContext) -> str:
        return f"notes for {rest} \x1b[2J"

    talk = chat(tmp_path, commands=(Command("memory", "notes", run), Command("exit", "a trap", run)))
    await talk.hold("/help", "/memory deploy", "/exit", "never read")
    assert "/memory" in talk.text
    assert "notes for deploy" in talk.text
    assert "a trap" not in talk.text
    assert "\x1b" not in talk.text


async def test_an_unknown_command_is_said_and_two_slashes_send_one(tmp_path: Path) -> None:
    talk = chat(tmp_path, ["a"])
    loop = await talk.hold("/nope", "//path is what?")
    assert "There is no /nope here" in talk.text
    assert loop.agent.session.title == "/path is what?"


async def test_an_unknown_mode_changes_nothing(tmp_path: Path) -> None:
    talk = chat(tmp_path)
    loop = await talk.hold("/mode yolo", "/mode")
    assert loop.agent.mode is Mode.ASK
    assert "There is no permission mode yolo" in talk.text
