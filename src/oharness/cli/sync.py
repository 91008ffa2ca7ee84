"""`oharness sync`: brings notes in step with the cloud, says how things stand, and takes answers to its questions."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
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
    from oharness.sync.resolve import Resolved
    from oharness.sync.status import ScopeStatus, SyncStatus
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
    _check_may_sync(call)
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
    from oharness.sync.confirm import confirm_paused

    if choice is None:
        raise MissingValue("--delete, --restore, --mix")
    _check_may_sync(call)
    with _directories(call, call.scope_named(scope), registers=False) as directories:
        asking = next((one for one in directories if one.state.guard().paused), directories[0])
        confirm_paused(asking, Choice(choice))
        outcomes = _passes(call, [asking])
    done = outcomes[0].report is not None and outcomes[0].report.paused is None
    document = {"scope": str(asking.scope.kind), "done": done}
    call.output.answer(document, lambda: sync_lines.now_lines(outcomes, call.output))
    return DONE if done else FAILED


@sync.command(
    "conflicts",
    help=msg("Show the notes that were changed here and in the cloud in ways that cannot be combined."),
    examples=(("oharness sync conflicts --json", msg("with the three versions of each")),),
    next_step=msg("`oharness sync resolve ID --keep mine|cloud|both|FILE` answers one."),
)
@pass_invocation
def conflicts(call: Invocation) -> None:
    from oharness.wiring.sync import known_device, sync_directories

    with call.memory_for_reading() as memory:
        directories = sync_directories(call.opened(), known_device(call.opened()), memory)
        known = _status_of(call, directories)
    call.output.answer(sync_documents.conflicts_document(known), lambda: sync_lines.conflict_lines(known, call.output))


@sync.command(
    "resolve",
    help=msg(
        "Answer a conflict: keep this machine's version, take the cloud's, keep both (the cloud's becomes a new note "
        "beside it), or give a file with the text that takes their place. What is set aside is backed up."
    ),
    examples=(
        ("oharness sync resolve deploy-x1f --keep mine", ""),
        ("oharness sync resolve deploy-x1f --keep merged.md", msg("a text that you merged by hand")),
    ),
    next_step=msg("`oharness sync now` sends the answer to the cloud."),
)
@click.argument("note_id", metavar="ID")
@click.option("--keep", metavar="mine|cloud|both|FILE", required=True, help=msg("Which version stays."))
@_one_scope
@pass_invocation
def resolve(call: Invocation, note_id: str, keep: str, scope: str | None) -> None:
    from oharness.sync.resolve import NoSuchConflict

    with _directories(call, call.scope_named(scope), registers=False) as directories:
        holding = next((one for one in directories if note_id in one.state.conflicts()), None)
        if holding is None:
            raise NoSuchConflict(note_id)
        done = _answered(call, holding, note_id, keep)
        left = _status_of(call, directories)
    kept = keep if keep in _KEEP else "file"
    document = sync_documents.resolved_document(done, holding.scope.kind, kept, left)
    call.output.answer(document, lambda: sync_lines.resolved_lines(done, call.output))


_KEEP = ("mine", "cloud", "both")


def _answered(call: Invocation, directory: "Directory", note_id: str, keep: str) -> "Resolved":
    from oharness.cli.given import text_from
    from oharness.sync.resolve import keep_both, keep_mine, merge_by_hand, take_cloud

    match keep:
        case "mine":
            return keep_mine(directory, note_id)
        case "cloud":
            return take_cloud(directory, note_id)
        case "both":
            return keep_both(directory, note_id)
        case file:
            return merge_by_hand(directory, note_id, text_from(file, "--keep", call.stdin).encode())


@sync.command(
    "mend",
    help=msg(
        "Replace the damaged file of a note by the version last synced here. What the file holds is backed up first; "
        "sync never does this by itself."
    ),
    examples=(("oharness sync mend deploy-x1f", ""),),
    next_step=msg("`oharness memory check` lists damaged files."),
)
@click.argument("note_id", metavar="ID")
@_one_scope
@pass_invocation
def mend_file(call: Invocation, note_id: str, scope: str | None) -> None:
    from oharness.disk.note_dir import DamagedFile
    from oharness.sync.mending import NoFileToMend, mend

    with _directories(call, call.scope_named(scope), registers=False) as directories:
        having = [(one, one.folder.read_id(note_id)) for one in directories]
        damaged = next((one for one, file in having if isinstance(file, DamagedFile)), None)
        there = damaged or next((one for one, file in having if file is not None), None)
        if there is None:
            raise NoFileToMend(note_id)
        done = mend(there, note_id)
    document = {"id": done.id, "scope": str(there.scope.kind), "backup": done.backup}
    call.output.answer(document, lambda: sync_lines.mended_lines(done, call.output))


def _check_may_sync(call: Invocation) -> None:
    """Nothing is registered, made or asked while sync is off, nor for somebody who is not signed in.

    Raises: SyncIsOff, SignedOut; as `signed_in`.
    """
    from oharness.core.scopes import USER_SCOPE
    from oharness.sync.pinning import SyncIsOff, is_on
    from oharness.wiring.sync import signed_in

    opened = call.opened()
    if not is_on(opened.files, opened.home, USER_SCOPE):
        raise SyncIsOff
    signed_in(opened)


@contextmanager
def _directories(call: Invocation, scope: "ScopeKind | None", *, registers: bool = True) -> "Iterator[list[Directory]]":
    """The directories to work on; registers the project, unless only what is known already matters.

    Raises: NoProjectHere when only the project's was asked for.
    """
    from oharness.memory.scopes import NoProjectHere, open_for_writing
    from oharness.wiring.environment import register
    from oharness.wiring.sync import known_device, sync_directories

    opened = call.opened()
    registration = register(opened) if registers or known_device(opened) else None
    memory = open_for_writing(opened.surroundings, registration)
    try:
        device = registration.device if registration else None
        directories = sync_directories(opened, device, memory, scope)
        if not directories:
            raise NoProjectHere
        yield directories
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
    from oharness.sync.pinning import switch

    with _directories(call, None, registers=False) as directories:
        opened = call.opened()
        switch(opened.files, opened.home, [directory.scope for directory in directories], on=to_on)
        _say_status(call, directories)


def _say_status(call: Invocation, directories: "list[Directory]") -> None:
    known = _status_of(call, directories)
    call.output.answer(sync_documents.status_document(known), lambda: sync_lines.status_lines(known, call.output))


def _status_of(call: Invocation, directories: "list[Directory]") -> "SyncStatus":
    from oharness.sync.pinning import is_on, pinned_elsewhere
    from oharness.sync.status import scope_status, together
    from oharness.wiring.sync import sign_in_place

    opened = call.opened()
    files, home, present = opened.files, opened.home, sign_in_place(opened).store.read()

    def status_of(one: "Directory") -> "ScopeStatus":
        known = scope_status(one.scope, one.state, enabled=is_on(files, home, one.scope))
        elsewhere = pinned_elsewhere(files, home, one.scope, present) if present is not None else None
        return replace(known, elsewhere=elsewhere)

    signed_in = present is not None and not present.is_used_up
    return together([status_of(one) for one in directories], signed_in=signed_in)
