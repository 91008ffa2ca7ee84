"""`memory forget --everywhere` and `memory verify-forgotten`: what there is, the question, and the receipt."""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from oharness.cli.approval import says_yes
from oharness.cli.exit_codes import DONE, FAILED, REFUSED
from oharness.cli.invocation import Invocation
from oharness.cli.output import Output
from oharness.cli.usage import NobodyToAsk
from oharness.core.errors import OharnessError
from oharness.core.scopes import ScopeKind
from oharness.language.catalogue import msg
from oharness.memory import everywhere
from oharness.memory.everywhere import Found, Look, Receipt, Stays
from oharness.memory.note_traces import Where, Why, purge_waits
from oharness.memory.scopes import Memory

_PLACES = {
    Where.NOTE: msg("the note itself"),
    Where.BACKUPS: msg("backups"),
    Where.SYNCED_COPIES: msg("copies as last synced"),
    Where.OUTBOX: msg("a change on its way to the cloud"),
    Where.CONFLICTS: msg("open conflicts"),
    Where.RECALL_INDEX: msg("the recall index"),
    Where.RECALL_COUNTS: msg("recall counts"),
    Where.RECORDS: msg("records of tidying and sync"),
    Where.EXTRACTION: msg("conversations that wait for extraction"),
    Where.TRANSCRIPTS: msg("messages in transcripts"),
    Where.AUDIT_LOG: msg("lines of the audit log"),
    Where.CHAT_HISTORY: msg("lines of the chat history"),
    Where.LEFTOVERS: msg("files that a crash left"),
    Where.CLOUD: msg("the cloud"),
    Where.GIT_HISTORY: msg("git history"),
    Where.OTHER_NOTES: msg("other notes"),
    Where.OTHER_VERSIONS: msg("earlier versions of other notes"),
    Where.OTHER_DEVICES: msg("other devices"),
}
_REASONS = {
    Why.IN_USE: msg("Somebody works in it right now. Close other windows of oHarness and run the command again."),
    Why.SYNC_RUNNING: msg("A sync is running. Run the command again when it is done."),
    Why.NOT_A_NOTE: msg("There is something else than a note under this name. Look at it, and remove it by hand."),
    Why.IN_COMMITS: msg(
        "Commits hold {detail}. To take it out of them, rewrite the history (git filter-repo --invert-paths --path "
        "{detail}), and everybody who has a clone has to fetch it anew."
    ),
    Why.SAID_IN_ANOTHER_NOTE: msg("The note {detail} says the same. Edit it, or forget it too."),
    Why.SAID_IN_EARLIER_VERSION: msg(
        "A backup or synced copy of the note {detail} says the same, and perhaps the cloud. It goes with "
        "`oharness memory forget {detail} --everywhere`; to keep that note, remove the file of the backup by hand."
    ),
    Why.WAITS_FOR_SYNC: msg("The cloud removes its copies with the next sync. Run `oharness sync now`."),
    Why.OUT_OF_REACH: msg(
        "They drop the note with their next sync and keep a backup of it. Run the same command there."
    ),
}


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
    if purge_waits(memory, memory.service(receipt.scope).scope, receipt.id):
        return receipt
    kept = tuple(one for one in receipt.kept if one.where is not Where.CLOUD)
    return replace(receipt, removed=(*receipt.removed, Found(Where.CLOUD, 1)), kept=kept)


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
        yield f"  {one.count:>4}  {output.words.text(_PLACES[one.where])}"


def _stays_lines(stays: Sequence[Stays], output: Output) -> Iterator[str]:
    for one in stays:
        place, why = output.words.text(_PLACES[one.where]), _REASONS[one.why]
        reason = output.words.text(why, detail=one.detail) if one.detail else output.words.text(why)
        yield f"  {output.ink.warning('!')} {place}: {reason}"
