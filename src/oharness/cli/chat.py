"""`oharness chat`: the agent in this terminal. A bare `oharness` is the same."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass

import click

from oharness.cli.approval import Asking
from oharness.cli.chat_loop import ChatLoop, Slash
from oharness.cli.columns import one_line
from oharness.cli.exit_codes import DONE
from oharness.cli.extras import ExtraMissing
from oharness.cli.grammar import Command, pass_invocation
from oharness.cli.invocation import Invocation
from oharness.cli.last_work import told_beside
from oharness.cli.logs import set_up_logs
from oharness.cli.note_lines import list_lines, search_lines
from oharness.cli.plain_input import PlainInput
from oharness.cli.run_view import PlainView
from oharness.core.errors import WrongUsage
from oharness.harness.agent import Agent
from oharness.harness.events import Unattended
from oharness.harness.model import PRACTICE_ASSISTANT
from oharness.harness.permissions import Mode, mode_named
from oharness.harness.sessions import LATEST
from oharness.language.catalogue import msg
from oharness.language.sentences import notice_sentence
from oharness.memory.reading import list_notes, search_notes
from oharness.wiring.harness import Harness

_MODES = tuple(str(mode) for mode in Mode)
_NO_SESSION = ""


@dataclass(eq=False)
class ChatSpeaksToPeople(WrongUsage):
    """A chat has no JSON answer."""


@click.command(
    "chat",
    cls=Command,
    help=msg(
        "Talk to the agent in this folder. It recalls the notes that fit what you say, writes new ones, and asks "
        "before it changes anything else. Without a terminal it reads one message per line."
    ),
    examples=(
        ("oharness", msg("begin a conversation")),
        ("oharness chat --resume", msg("go on with the last one")),
        ("OHARNESS_MODEL=anthropic:NAME oharness", msg("with another model than the one in the settings")),
    ),
    next_step=msg("Inside the chat, /help lists what can be typed."),
)
@click.option(
    "--resume",
    metavar="[ID]",
    is_flag=False,
    flag_value=LATEST,
    default=_NO_SESSION,
    help=msg("Go on with an earlier conversation; without an id the last one."),
)
@click.option(
    "--mode", type=click.Choice(_MODES, case_sensitive=False), help=msg("How much may happen without asking.")
)
@click.option("--model", metavar="NAME", help=msg("Another model than the one in the settings, as provider:name."))
@pass_invocation
def chat(call: Invocation, resume: str = _NO_SESSION, mode: str | None = None, model: str | None = None) -> int:
    if call.output.json_only:
        raise ChatSpeaksToPeople
    set_up_logs(call.environment)
    if call.stdin.isatty() and call.output.is_a_terminal:
        return _in_a_terminal(call, resume, mode, model)
    return asyncio.run(_plainly(call, resume, mode, model))


async def _plainly(call: Invocation, resume: str, mode: str | None, model: str | None) -> int:
    view = PlainView(call.output)
    async with await Harness.in_environment(call.opened(), model, Unattended()) as harness:
        agent = await _agent(harness, resume, mode)
        loop = ChatLoop(
            harness,
            agent,
            PlainInput(call.stdin),
            view,
            call.words,
            call.output.ink,
            _notes(harness, call),
            told_beside(call.output),
        )
        view.lines(_greeting(harness, agent, call))
        await _held(loop)
    return DONE


def _in_a_terminal(call: Invocation, resume: str, mode: str | None, model: str | None) -> int:
    try:
        import prompt_toolkit  # noqa: F401
        import rich  # noqa: F401
    except ImportError:
        raise ExtraMissing("chat", "chat") from None
    return asyncio.run(_richly(call, resume, mode, model))


async def _richly(call: Invocation, resume: str, mode: str | None, model: str | None) -> int:
    from rich.console import Console

    from oharness.cli.markdown_view import MarkdownView
    from oharness.cli.terminal_input import TerminalInput
    from oharness.disk.chat_history import chat_history

    ink = call.output.ink
    view = MarkdownView(Console(highlight=False), call.words, ink, lambda: call.output.cells)
    talks: list[ChatLoop] = []
    typed = TerminalInput(
        chat_history(call.opened().home),
        names=lambda: [name for talk in talks for name in talk.names()],
        toolbar=lambda: "".join(talk.status() for talk in talks),
    )

    def tell(lines: Iterable[str]) -> None:
        view.pause()
        view.lines(lines)

    asking = Asking(call.words, ink, tell, typed.answer)
    async with await Harness.in_environment(call.opened(), model, asking) as harness:
        agent = await _agent(harness, resume, mode)
        loop = ChatLoop(harness, agent, typed, view, call.words, ink, _notes(harness, call), told_beside(call.output))
        talks.append(loop)
        view.lines(_greeting(harness, agent, call))
        if resume:
            view.lines(loop.where_it_stood())
        await _held(loop)
    return DONE


async def _held(loop: ChatLoop) -> None:
    try:
        await loop.go()
    finally:
        await loop.close()


async def _agent(harness: Harness, resume: str, mode: str | None) -> Agent:
    agent = await (harness.resume(resume) if resume else harness.start())
    if mode:
        agent.mode = mode_named(mode)
    return agent


def _notes(harness: Harness, call: Invocation) -> tuple[Slash, ...]:
    """`/memory`, where the memory plugin is on."""
    memory = harness.open_memory
    if memory is None:
        return ()

    def look(words: str) -> list[str]:
        memory.refresh()
        if words:
            return list(search_lines(search_notes(memory, words), call.output))
        return list(list_lines(list_notes(memory), call.output))

    async def run(rest: str) -> Iterable[str]:
        return await asyncio.to_thread(look, rest)

    return (Slash("memory", msg("the notes, or those with these words: /memory WORDS"), run),)


def _greeting(harness: Harness, agent: Agent, call: Invocation) -> list[str]:
    """Who is spoken to, where, and what is wrong with the settings."""
    say, ink = call.words.text, call.output.ink
    lines = []
    if harness.model_name == PRACTICE_ASSISTANT:
        lines.append(
            say(
                msg(
                    "This is the practice assistant, not a language model: it can remember, forget, and answer by "
                    "quoting notes. To talk to a real model, set `model` in {path}, or OHARNESS_MODEL, for example "
                    "to anthropic:NAME, openai:NAME or openai-compatible:NAME."
                ),
                path=harness.environment.home.config_file,
            )
        )
    project = harness.environment.project
    place = one_line(project.name) if project else say(msg("no project, your own notes only"))
    head = say(
        msg("{project} · model {model} · mode {mode} · /help"),
        project=ink.strong(place),
        model=one_line(harness.model_name),
        mode=agent.mode,
    )
    warnings = [ink.warning("! ") + notice_sentence(one.key, one.fields, call.words) for one in harness.notices]
    return [*lines, head, *warnings]
