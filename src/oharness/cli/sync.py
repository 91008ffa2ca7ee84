"""`oharness sync`: brings notes in step with the cloud, says how things stand, and takes answers to its questions."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from oharness.cli import sync_documents, sync_lines
from oharness.cli.exit_codes import DONE, FAILED, WAITS_FOR_PERSON, exit_code
from oharness.cli.grammar import Group, pass_invocation
from oharness.cli.invocation import Invocation
from oharness.cli.progress import Progress
from oharness.language.catalogue import msg

if TYPE_CHECKING:
    from oharness.core.scopes import ScopeKind
    from oharness.sync.directory import Directory
    from oharness.wiring.sync import ScopeOutcome

_Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

sync = Group(
    "sync",
    help=msg(
        "Keeps your notes, and those of the projects you use, in step with the cloud and your other machines. "
        "Changes on both sides are merged line by line; what cannot be combined waits for you."
    ),
    examples=(
        ("oharness sync now", msg("bring everything in step at once")),
        ("oharness sync conflicts", msg("what waits for your decision")),
    ),
    next_step=msg("`oharness login` first, if you are not signed in yet."),
)

_one_scope: _Decorator = click.option(
    "--scope", type=click.Choice(["project", "user"]), help=msg("Only these notes instead of both.")
)


@sync.command(
    "now",
    help=msg("Bring both scopes in step with the cloud at once. Exits with 5 when something waits for your decision."),
    examples=(("oharness sync now --scope user", msg("your own notes alone")),),
    next_step=msg("`oharness sync conflicts` shows what could not be combined."),
)
@_one_scope
@pass_invocation
def now(call: Invocation, scope: str | None) -> int:
    with _directories(call, call.scope_named(scope)) as directories:
        outcomes = _passes(call, directories)
    call.output.answer(
        sync_documents.now_document(outcomes, call.words), lambda: sync_lines.now_lines(outcomes, call.output)
    )
    return _exit_code(outcomes)


@sync.command(
    "status",
    help=msg("Say whether sync is on, when each scope was last in step, and what is wrong. Asks nothing of the cloud."),
    examples=(("oharness sync status --json", ""),),
)
@pass_invocation
def status(call: Invocation) -> None:
    from oharness.wiring.sync import known_device, sync_directories

    with call.memory_for_reading() as memory:
        directories = sync_directories(call.opened(), known_device(call.opened()), memory)
        _say_status(call, directories)


@sync.command(
    "on",
    help=msg("Switch sync on for both scopes."),
    examples=(("oharness sync on", ""),),
    next_step=msg("`oharness sync now` brings everything in step at once."),
)
@pass_invocation
def on(call: Invocation) -> None:
    _switch(call, to_on=True)


@sync.command(
    "off",
    help=msg(
        "Switch sync off for both scopes: nothing is asked of the cloud until it is switched on again. What the cloud "
        "has already stays there; notes here can be used as before."
    ),
    examples=(("oharness sync off", ""),),
)
@pass_invocation
def off(call: Invocation) -> None:
    _switch(call, to_on=False)


@sync.command(
    "confirm",
    help=msg(
        "Answer a scope that paused: carry out the deletions, bring the missing notes back, or mix two collections. "
        "`oharness sync now` says what it asks."
    ),
    examples=(
        ("oharness sync confirm --restore", msg("the notes were not meant to go")),
        ("oharness sync confirm --scope project --mix", msg("this folder and the cloud belong together")),
    ),
)
@_one_scope
@click.option("--delete", "choice", flag_value="delete", help=msg("The notes were meant to go: delete them."))
@click.option("--restore", "choice", flag_value="restore", help=msg("Bring the missing notes back."))
@click.option("--mix", "choice", flag_value="mix", help=msg("Put the notes of both sides together."))
@pass_invocation
def confirm(call: Invocation, scope: str | None, choice: str | None) -> int:
    from oharness.cli.usage import MissingValue
    from oharness.reconcile.guards import Choice
    from oharness.sync.answers import answer_question

    if choice is None:
        raise MissingValue("--delete, --restore, --mix")
    with _directories(call, call.scope_named(scope)) as directories:
        asking = answer_question(directories, Choice(choice))
        outcomes = _passes(call, [asking])
    done = outcomes[0].report is not None and outcomes[0].report.paused is None
    document = {"scope": str(asking.scope.kind), "done": done}
    call.output.answer(document, lambda: sync_lines.now_lines(outcomes, call.output))
    return DONE if done else FAILED


@contextmanager
def _directories(call: Invocation, scope: "ScopeKind | None") -> "Iterator[list[Directory]]":
    """The directories to work on; registers the project."""
    from oharness.memory.scopes import open_for_writing
    from oharness.wiring.environment import register
    from oharness.wiring.sync import sync_directories

    opened = call.opened()
    registration = register(opened)
    memory = open_for_writing(opened.surroundings, registration)
    try:
        device = registration.device if registration else None
        yield sync_directories(opened, device, memory, scope)
    finally:
        memory.close()


def _passes(call: Invocation, directories: "list[Directory]") -> "list[ScopeOutcome]":
    """One pass over each, with progress on a terminal."""
    import asyncio

    from oharness.wiring.sync import connected, signed_in, sync_once

    opened = call.opened()
    credentials = signed_in(opened)
    progress = Progress(call.output)

    async def passes() -> "list[ScopeOutcome]":
        async with connected(opened, credentials) as transport:
            return await sync_once(opened, directories, credentials, transport, progress.show)

    try:
        return asyncio.run(passes())
    finally:
        progress.end()


def _exit_code(outcomes: "list[ScopeOutcome]") -> int:
    failed = [exit_code(one.error) for one in outcomes if one.error is not None]
    if failed:
        return failed[0]
    waiting = any(one.report and (one.report.paused or one.report.conflicts) for one in outcomes)
    return WAITS_FOR_PERSON if waiting else DONE


def _switch(call: Invocation, *, to_on: bool) -> None:
    from oharness.core.scopes import USER_SCOPE
    from oharness.sync.pinning import switch

    with _directories(call, None) as directories:
        opened = call.opened()
        scopes = {USER_SCOPE, *(directory.scope for directory in directories)}
        for scope in sorted(scopes, key=lambda one: one.key):
            switch(opened.files, opened.home, scope, on=to_on)
        _say_status(call, directories)


def _say_status(call: Invocation, directories: "list[Directory]") -> None:
    from oharness.core.scopes import USER_SCOPE
    from oharness.sync.pinning import is_on

    opened = call.opened()
    states = [
        sync_documents.ScopeState(one, enabled=is_on(opened.files, opened.home, one.scope)) for one in directories
    ]
    enabled = is_on(opened.files, opened.home, USER_SCOPE) and all(state.enabled for state in states)
    document = sync_documents.status_document(states, enabled)
    call.output.answer(document, lambda: sync_lines.status_lines(document, states, call.output))
