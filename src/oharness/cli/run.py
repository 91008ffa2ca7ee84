"""`oharness run`: one message, one answer, for scripts and quick questions."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import click

from oharness.cli.approval import Asking
from oharness.cli.exit_codes import DONE, Interrupted
from oharness.cli.given import STDIN, text_from
from oharness.cli.grammar import Command, pass_invocation
from oharness.cli.interrupts import until_interrupted
from oharness.cli.invocation import Invocation
from oharness.cli.last_work import told_beside, until_closed
from oharness.cli.logs import set_up_logs
from oharness.cli.plain_input import PlainInput
from oharness.cli.run_view import PlainView
from oharness.cli.usage import MissingValue
from oharness.harness.agent import Agent
from oharness.harness.descriptors import Notice
from oharness.harness.events import CallMade, Frontend, RunEvent, RunFinished, Unattended, UserMessageStored
from oharness.harness.permissions import Mode, mode_named
from oharness.language.catalogue import msg
from oharness.language.sentences import notice_sentence
from oharness.wiring.harness import Harness

_MODES = tuple(str(mode) for mode in Mode)
_IN_THE_DOCUMENT = ("recalled", "saved", "saved-earlier")


@dataclass(slots=True)
class Told:
    """What a run answered, gathered from its events."""

    reply: str = ""
    recalled: list[Mapping[str, Any]] = field(default_factory=list)
    saved: int = 0
    calls: tuple[CallMade, ...] = ()

    def take(self, event: RunEvent) -> None:
        """One more event."""
        match event:
            case UserMessageStored(message):
                found = message.metadata.get("recalled", ())
                self.recalled = [{"scope": one["scope"], "id": one["id"]} for one in found]
            case Notice("saved" | "saved-earlier", fields):
                self.saved += int(fields.get("count", 0))
            case RunFinished(reply, calls):
                self.reply, self.calls = reply, calls
            case _:
                pass

    def document(self, session_id: str) -> dict[str, Any]:
        """The JSON answer."""
        return {
            "session": session_id,
            "reply": self.reply,
            "recalled": self.recalled,
            "saved": self.saved,
            "toolCalls": [{"tool": call.tool, "allowed": call.allowed} for call in self.calls],
        }


@click.command(
    "run",
    cls=Command,
    help=msg(
        "Send one message and print the answer. In a terminal you are asked before something is changed; without one, "
        "whatever needs asking is refused, and the answer says so."
    ),
    examples=(
        ('oharness run "when do we deploy?"', ""),
        ("git diff | oharness run -", msg("the message from a pipe")),
        ('oharness run --session latest "and on which server?"', msg("go on with the last conversation")),
        ('oharness run --mode plan --json "what is left to do?"', msg("change nothing, answer as JSON")),
    ),
    next_step=msg("`oharness sessions show ID` shows what was said and done."),
)
@click.argument("message", metavar="MESSAGE", nargs=-1, required=True)
@click.option(
    "--session", metavar="ID", help=msg("Go on with this conversation; the beginning of its id, or `latest`.")
)
@click.option(
    "--mode", type=click.Choice(_MODES, case_sensitive=False), help=msg("How much may happen without asking.")
)
@click.option("--model", metavar="NAME", help=msg("Another model than the one in the settings, as provider:name."))
@pass_invocation
def run(call: Invocation, message: tuple[str, ...], session: str | None, mode: str | None, model: str | None) -> int:
    text = text_from(STDIN, "MESSAGE", call.stdin) if message == (STDIN,) else " ".join(message)
    if not text.strip():
        raise MissingValue("MESSAGE")
    set_up_logs(call.environment)
    may_ask = message != (STDIN,) and _has_a_person(call)
    return asyncio.run(_run(call, text, session, mode_named(mode) if mode else None, model, may_ask=may_ask))


async def _run(
    call: Invocation, text: str, session: str | None, mode: Mode | None, model: str | None, *, may_ask: bool
) -> int:
    output = call.output
    view = PlainView(output)
    person: Frontend = _asking(call, view) if may_ask else Unattended()
    async with await Harness.in_environment(call.opened(), model, person) as harness:
        agent = await (harness.resume(session) if session else harness.start())
        call.warn(notice_sentence(notice.key, notice.fields, call.words) for notice in _news(call, harness.notices))
        agent.mode = mode or agent.mode
        told = Told()
        try:
            await _answered(agent, text, told, call, view)
            if output.json_only:
                output.document(told.document(agent.session.session_id))
        finally:
            view.end()
            await until_closed(agent, told_beside(output))
    return DONE


def _news(call: Invocation, notices: Sequence[Notice]) -> list[Notice]:
    """What is wrong, without what an earlier command said of the settings already."""
    known = call.settings_were_told(keep=True)
    return [notice for notice in notices if not (known and notice.key.startswith("setting-"))]


async def _answered(agent: Agent, text: str, told: Told, call: Invocation, view: PlainView) -> None:
    async def show(events: AsyncGenerator[RunEvent, None]) -> None:
        try:
            async for event in events:
                told.take(event)
                if not call.output.json_only:
                    view.show(event)
                elif isinstance(event, Notice) and event.key not in _IN_THE_DOCUMENT:
                    call.warn([notice_sentence(event.key, event.fields, call.words)])
        finally:
            await events.aclose()

    view.begin()
    if await until_interrupted(show(agent.run(text))):
        raise Interrupted(agent.session.session_id)


def _asking(call: Invocation, view: PlainView) -> Asking:
    typed = PlainInput(call.stdin)

    async def ask(question: str) -> str:
        view.end()
        call.output.text(question)
        return await typed.answer()

    return Asking(call.words, call.output.ink, view.lines, ask)


def _has_a_person(call: Invocation) -> bool:
    return not call.output.json_only and call.stdin.isatty() and call.output.is_a_terminal
