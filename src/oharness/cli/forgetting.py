"""`memory forget --everywhere` and `memory verify-forgotten`: what there is, the question, and the receipt."""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from oharness.cli.approval import says_yes
from oharness.cli.exit_codes import DONE, FAILED, REFUSED
from oharness.cli.invocation import Invocation
from oharness.cli.output import Output
from oharness.cli.usage import NobodyToAsk
from oharness.core.errors import OharnessError
from oharness.core.scopes import ScopeKind
from oharness.language.catalogue import msg
from oharness.language.sentences import trace_place, trace_stays
from oharness.memory import everywhere
from oharness.memory.everywhere import Found, Look, Receipt, Stays
from oharness.memory.scopes import Memory
from oharness.memory.trace_places import Where


def forget_everywhere(call: Invocation, note_id: str, kind: ScopeKind | None, *, yes: bool) -> int:
    """Shows what there is, asks, removes it and says what stays.

    Raises: NobodyToAsk without `yes` where nobody can be asked.
    """
    if not yes and not _has_a_person(call):
        raise NobodyToAsk
    with call.memory_for_writing() as memory:
        look = everywhere.look_everywhere(memory, note_id, kind)
        everywhere.check_known(memory, look)
        if not yes and not _agreed(call, look):
            call.output.note(call.words.text(msg("Nothing was removed.")))
            return REFUSED
        receipt = everywhere.forget_everywhere(memory, note_id, kind)
        receipt = _after_sync(call, memory, receipt)
    call.output.answer(_receipt_document(receipt), lambda: _receipt_lines(receipt, call.output))
    return DONE


def verify(call: Invocation, note_id: str, kind: ScopeKind | None) -> int:
    """Says what is left of a note, if anything is."""
    with call.memory_for_reading() as memory:
        look = everywhere.left_of(memory, note_id, kind)
    call.output.answer(_left_document(look), lambda: _left_lines(look, call.output))
    return FAILED if look.found or look.stays else DONE


def _has_a_person(call: Invocation) -> bool:
    return not call.output.json_only and call.stdin.isatty() and call.output.is_a_terminal


def _agreed(call: Invocation, look: Look) -> bool:
    for line in _found_lines(look.found, call.output):
        call.output.text(line + "\n")
    for line in _stays_lines(look.stays, call.output):
        call.output.text(line + "\n")
    call.output.text(call.words.text(msg("Remove all of it for good? No backup is kept. [y/n]")) + " ")
    return says_yes(call.stdin.readline())


def _after_sync(call: Invocation, memory: Memory, receipt: Receipt) -> Receipt:
    """The cloud is asked at once where somebody is signed in; where that does not work, its copies go later."""
    if not any(one.where is Where.CLOUD for one in receipt.kept):
        return receipt
    try:
        asyncio.run(_one_pass(call, memory, receipt.scope))
    except OharnessError:
        return receipt
    return everywhere.after_a_pass(memory, receipt)


async def _one_pass(call: Invocation, memory: Memory, kind: ScopeKind) -> None:
    from oharness.wiring.sync import connected, known_device, signed_in, sync_directories, sync_once

    opened = call.opened()
    credentials = signed_in(opened)
    directories = sync_directories(opened, known_device(opened), memory, kind)
    async with connected(opened, credentials) as transport:
        await sync_once(opened, directories, credentials, transport, lambda scope, done, total: None)


def _receipt_document(receipt: Receipt) -> dict[str, Any]:
    return {
        "id": receipt.id,
        "scope": str(receipt.scope),
        "removed": _found_documents(receipt.removed),
        "kept": _stays_documents(receipt.kept),
    }


def _left_document(look: Look) -> dict[str, Any]:
    return {
        "id": look.id,
        "scope": str(look.scope),
        "left": _found_documents(look.found),
        "kept": _stays_documents(look.stays),
    }


def _found_documents(found: Iterable[Found]) -> list[dict[str, Any]]:
    return [{"where": str(one.where), "count": one.count} for one in found]


def _stays_documents(stays: Iterable[Stays]) -> list[dict[str, Any]]:
    return [{"where": str(one.where), "why": str(one.why)} for one in stays]


def _receipt_lines(receipt: Receipt, output: Output) -> Iterator[str]:
    yield output.words.text(msg("Forgot {id} everywhere."), id=output.ink.name(receipt.id))
    yield from _found_lines(receipt.removed, output)
    yield from _stays_lines(receipt.kept, output)


def _left_lines(look: Look, output: Output) -> Iterator[str]:
    if not look.found and not look.stays:
        yield output.words.text(msg("Nothing is left of {id} on this machine."), id=output.ink.name(look.id))
        return
    yield output.words.text(msg("Something is left of {id}:"), id=output.ink.name(look.id))
    yield from _found_lines(look.found, output)
    yield from _stays_lines(look.stays, output)


def _found_lines(found: Sequence[Found], output: Output) -> Iterator[str]:
    for one in found:
        yield f"  {one.count:>4}  {trace_place(one.where, output.words)}"


def _stays_lines(stays: Sequence[Stays], output: Output) -> Iterator[str]:
    for one in stays:
        told = trace_stays(one.why, one.detail, output.words)
        yield f"  {output.ink.warning('!')} {trace_place(one.where, output.words)}: {told}"
