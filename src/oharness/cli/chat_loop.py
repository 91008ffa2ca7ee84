"""The chat as it goes on: a message, its run, the next message; slash commands in between."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from oharness.cli.columns import one_line, printable, table
from oharness.cli.interrupts import until_interrupted
from oharness.cli.last_work import Tell, until_closed
from oharness.cli.output import Ink, minute
from oharness.cli.run_view import RunView
from oharness.core.errors import OharnessError
from oharness.disk.session_log import SessionInUse
from oharness.harness.agent import Agent
from oharness.harness.descriptors import Command, RunContext
from oharness.harness.events import RunEvent
from oharness.harness.messages import Role, own_text
from oharness.harness.permissions import Mode, mode_named
from oharness.harness.sessions import SessionList
from oharness.language.catalogue import Catalogue, msg
from oharness.language.sentences import error_sentence

_QUOTED_LINES = 12


class Typing(Protocol):
    """Where messages come from."""

    async def message(self) -> str:
        """The next message.

        Raises: EOFError when there are no more, KeyboardInterrupt for Ctrl-C.
        """
        ...


class Conversations(Protocol):
    """What the chat needs of a harness."""

    @property
    def model_name(self) -> str: ...

    @property
    def commands(self) -> tuple[Command, ...]: ...

    async def start(self) -> Agent:
        """A new conversation."""
        ...

    async def resume(self, name: str) -> Agent:
        """An earlier one, by id, the beginning of an id, or `latest`."""
        ...

    async def use_model(self, name: str, session_id: str) -> Agent:
        """The same conversation with another model; an empty id begins a new one."""
        ...

    def context(self, agent: Agent) -> RunContext:
        """What a plugin's command is told."""
        ...

    def listed(self) -> SessionList:
        """The conversations of this project."""
        ...


@dataclass(frozen=True, slots=True)
class Slash:
    """A command of the chat; `run` gives the lines to show."""

    name: str
    help: str
    run: Callable[[str], Awaitable[Iterable[str]]]


class ChatLoop:
    """One chat, from the first message to the last. `agent` changes with /new, /resume and /model."""

    def __init__(
        self,
        conversations: Conversations,
        agent: Agent,
        typing: Typing,
        view: RunView,
        words: Catalogue,
        ink: Ink,
        more: tuple[Slash, ...] = (),
        tell: Tell = lambda notice: None,
    ) -> None:
        self.agent = agent
        self._conversations = conversations
        self._typing = typing
        self._view = view
        self._words = words
        self._ink = ink
        self._more = more
        self._tell = tell
        self._leaving = False

    async def go(self) -> None:
        """Returns when the person leaves: Ctrl-D, /exit, or Ctrl-C twice."""
        asked_to_leave = False
        while not self._leaving:
            try:
                text = await self._typing.message()
            except EOFError:
                return
            except KeyboardInterrupt:
                if asked_to_leave:
                    return
                asked_to_leave = True
                self._view.lines([self._ink.faint(self._words.text(msg("Ctrl-C once more, or Ctrl-D, leaves.")))])
                continue
            asked_to_leave = False
            if text.strip():
                await self._handle(text)

    def slashes(self) -> list[Slash]:
        """Every command there is, ours first."""
        ours = [
            Slash("help", msg("what can be typed here"), self._help),
            Slash("new", msg("begin a new conversation"), self._new),
            Slash("sessions", msg("earlier conversations"), self._sessions),
            Slash("resume", msg("go on with an earlier one: /resume ID"), self._resume),
            Slash("retry", msg("try the last answer again"), self._retry),
            Slash(
                "mode", msg("how much may happen without asking: /mode plan, ask, acceptEdits or bypass"), self._mode
            ),
            Slash("model", msg("talk to another model: /model provider:name"), self._model),
            *self._more,
            Slash("exit", msg("leave"), self._exit),
        ]
        taken = {slash.name for slash in ours}
        return ours + [self._of_plugin(each) for each in self._conversations.commands if each.name not in taken]

    def names(self) -> list[tuple[str, str]]:
        """Names and what each does, for completion."""
        return [(slash.name, self._words.text(slash.help)) for slash in self.slashes()]

    def status(self) -> str:
        """Model and mode, for the foot of the screen."""
        return f" {one_line(self._conversations.model_name)} · {self.agent.mode} "

    async def _handle(self, text: str) -> None:
        try:
            if text.startswith("/") and not text.startswith("//"):
                self._view.lines(await self._command(text[1:]))
            else:
                await self._run(self.agent.run(text.removeprefix("/") if text.startswith("//") else text))
        except OharnessError as error:
            self._view.end()
            self._view.lines([self._ink.bad("× ") + printable(error_sentence(error, self._words))])

    async def _run(self, events: AsyncGenerator[RunEvent, None]) -> None:
        self._view.begin()
        try:
            interrupted = await until_interrupted(self._shown(events))
        finally:
            self._view.end()
        if interrupted:
            self._view.lines(
                [self._ink.warning("! ") + self._words.text(msg("Stopped. What was said so far is kept."))]
            )

    async def _shown(self, events: AsyncGenerator[RunEvent, None]) -> None:
        try:
            async for event in events:
                self._view.show(event)
        finally:
            await events.aclose()

    async def _command(self, line: str) -> Iterable[str]:
        name, _, rest = line.strip().partition(" ")
        for slash in self.slashes():
            if slash.name == name:
                return await slash.run(rest.strip())
        return [self._words.text(msg("There is no /{name} here. /help lists what there is."), name=one_line(name))]

    def _of_plugin(self, command: Command) -> Slash:
        async def run(rest: str) -> Iterable[str]:
            shown = await command.run(rest, self._conversations.context(self.agent))
            return printable(shown).split("\n")

        return Slash(command.name, command.help, run)

    async def _help(self, rest: str) -> Iterable[str]:
        say = self._words.text
        keys = [
            ("Enter", say(msg("sends the message"))),
            ("Alt-Enter, \\ Enter", say(msg("begins a new line"))),
            ("Ctrl-C", say(msg("stops the answer; twice at the prompt leaves"))),
            ("Ctrl-D", say(msg("leaves"))),
            ("//…", say(msg("sends a message that begins with a slash"))),
        ]
        return [*table(("/" + name, told) for name, told in self.names()), "", *table(keys)]

    async def _new(self, rest: str) -> Iterable[str]:
        await self._go_on_with(await self._conversations.start())
        return [self._words.text(msg("A new conversation."))]

    async def _sessions(self, rest: str) -> Iterable[str]:
        found = self._conversations.listed().sessions
        if not found:
            return [self._words.text(msg("No conversations in this project yet. `oharness` begins one."))]
        return table(
            (self._ink.name(each.session_id), minute(each.last_at), one_line(each.title) or "-") for each in found[:20]
        )

    async def _resume(self, rest: str) -> Iterable[str]:
        if not rest:
            return await self._sessions("")
        try:
            await self._go_on_with(await self._conversations.resume(rest))
        except SessionInUse as busy:
            if busy.session_id != self.agent.session.session_id:  # this one is open here: nothing to do
                raise
        return self.where_it_stood()

    async def _retry(self, rest: str) -> Iterable[str]:
        await self._run(self.agent.retry())
        return []

    async def _mode(self, rest: str) -> Iterable[str]:
        if rest:
            self.agent.mode = mode_named(rest)
        return [self._words.text(mode_sentence(self.agent.mode), mode=self.agent.mode)]

    async def _model(self, rest: str) -> Iterable[str]:
        if rest:
            session = self.agent.session
            kept, mode = session.session_id if session.live else "", self.agent.mode
            await self._close(self.agent)
            try:
                self.agent = await self._conversations.use_model(rest, kept)
            except OharnessError:
                self.agent = await (self._conversations.resume(kept) if kept else self._conversations.start())
                raise
            finally:
                self.agent.mode = mode
        return [self._words.text(msg("The model is {model}."), model=one_line(self._conversations.model_name))]

    async def _exit(self, rest: str) -> Iterable[str]:
        self._leaving = True
        return []

    def where_it_stood(self) -> list[str]:
        """The title of a resumed conversation and the end of its last answer."""
        session = self.agent.session
        lines = [self._ink.strong(one_line(session.title)) + "  " + self._ink.name(session.session_id)]
        last = next((each for each in reversed(session.live) if each.role is Role.ASSISTANT and own_text(each)), None)
        if last is not None:
            lines += [self._ink.faint("  " + line) for line in printable(own_text(last)).split("\n")[-_QUOTED_LINES:]]
        return lines

    async def _go_on_with(self, agent: Agent) -> None:
        before, self.agent = self.agent, agent
        agent.mode = before.mode
        await self._close(before)

    async def close(self) -> None:
        """Waits for what still looks at the last run; Ctrl-C ends that too."""
        await self._close(self.agent)

    async def _close(self, agent: Agent) -> None:
        await until_closed(agent, self._tell)


def mode_sentence(mode: Mode) -> str:
    """What a permission mode means."""
    match mode:
        case Mode.ASK:
            return msg("Mode {mode}: reading goes through, changes ask first.")
        case Mode.ACCEPT_EDITS:
            return msg("Mode {mode}: edits of files in the project go through, commands ask first.")
        case Mode.PLAN:
            return msg("Mode {mode}: nothing is changed.")
        case Mode.BYPASS:
            return msg("Mode {mode}: nothing asks. Be careful.")
