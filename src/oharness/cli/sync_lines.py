"""What `oharness sync` says to people."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from oharness.cli.columns import printable
from oharness.cli.output import Output, minute
from oharness.core.scopes import ScopeKind
from oharness.language.catalogue import msg
from oharness.language.sentences import error_sentence, reason_phrase

if TYPE_CHECKING:
    from oharness.sync.mending import Mended
    from oharness.sync.report import PassReport
    from oharness.sync.resolve import Resolved
    from oharness.sync.status import ScopeStatus, SyncStatus
    from oharness.wiring.sync import ScopeOutcome

SCOPES = {ScopeKind.PROJECT: msg("Project notes"), ScopeKind.USER: msg("Your own notes")}
_MOST_LISTED = 10

_QUESTIONS: Mapping[str, str] = {
    "folder-gone": msg("the folder of the notes is gone"),
    "folder-unreadable": msg("the folder of the notes cannot be read"),
    "many-missing": msg("many notes are missing from the folder"),
    "all-missing": msg("all notes are missing from the folder"),
    "head-moved": msg("git moved to another commit and notes went away or fell back"),
    "many-removals": msg("the cloud wants many notes removed here"),
    "first-sync": msg("the cloud holds other notes than this folder"),
}
ERRORS_SHORT: Mapping[str, str] = {
    "ServiceUnreachable": msg("the service could not be reached"),
    "ServiceRefused": msg("the service answered with an error"),
    "SignedOut": msg("the sign-in is missing, too old, or not accepted by the service"),
    "PinnedElsewhere": msg("this scope belongs to another account or Cloud"),
    "AccountChanged": msg("this scope belongs to another account"),
    "ProtocolBroken": msg("the service answered something that cannot be understood"),
    "ServerTooOld": msg("the sync service has to be upgraded"),
    "TooFrequent": msg("the service was asked too often"),
    "AccountErased": msg("the account was deleted at the Cloud"),
    "StorageFailed": msg("a file could not be read or written; check that the disk has room"),
}
"""The class of a last error, in a few words."""

_STOPPED: Mapping[str, str] = {
    "AccountErased": msg("Sync is paused: the account was deleted at the Cloud. Your notes stay here."),
    "PinnedElsewhere": msg("Sync is paused: these notes belong to another account or Cloud."),
    "SignedOut": msg("Sync is paused: nobody is signed in. `oharness login` signs you in."),
}
"""Why nothing at all syncs though the switch is on, by `SyncStatus.everything_stopped`."""

_MISSING = {
    "restore": msg("bring the missing notes back"),
    "delete": msg("they were meant to go: delete them in the cloud and on the other machines too"),
}
_ANSWERS: Mapping[str, Mapping[str, str]] = {
    "folder-gone": _MISSING,
    "many-missing": _MISSING,
    "all-missing": _MISSING,
    "head-moved": {
        "restore": msg("every note comes back, with its newest text"),
        "delete": msg("what was deleted, here or before, is deleted everywhere; the others get their newest text"),
        "mix": msg("every note comes back, and those that are here keep the text that they have here"),
    },
    "many-removals": {
        "restore": msg("keep them, here and in the cloud"),
        "delete": msg("remove them here too; each is backed up first"),
    },
    "first-sync": {"mix": msg("they belong together: put the notes of both together")},
}
"""What each answer does, by what is asked."""


def now_lines(outcomes: "Sequence[ScopeOutcome]", output: Output) -> Iterable[str]:
    """What a pass did, scope by scope."""
    for one in outcomes:
        name = output.words.text(SCOPES[one.directory.scope.kind])
        if one.report is None:
            told = error_sentence(one.error, output.words) if one.error else ""
            yield f"{name}: {output.ink.bad(printable(told))}"
        else:
            yield from _report_lines(name, one.report, output)


def status_lines(status: "SyncStatus", output: Output) -> Iterable[str]:
    """How things stand."""
    words = output.words
    yield _how_it_stands(status, output)
    for scope in status.scopes:
        yield from _scope_lines(scope, output)
    plan = status.plan
    if plan is not None and plan.max_notes is not None:
        limits = msg("Free plan: {notes} notes in each scope, {size} bytes in each note.")
        yield words.text(limits, notes=plan.max_notes, size=plan.max_body_bytes)


def _how_it_stands(status: "SyncStatus", output: Output) -> str:
    """On means that notes travel: where nothing goes up or down until somebody does something, it is not said."""
    words = output.words
    if not status.enabled:
        return words.text(msg("Sync is off. `oharness sync on` switches it on."))
    if status.everything_stopped:
        return output.ink.bad(words.text(_STOPPED[status.everything_stopped]))
    return words.text(msg("Sync is on."))


def conflict_lines(status: "SyncStatus", output: Output) -> Iterable[str]:
    """The open conflicts, each with its three versions."""
    words, ink = output.words, output.ink
    found = [(scope, conflict) for scope in status.scopes for conflict in scope.conflicts]
    if not found:
        yield words.text(msg("Nothing is in conflict."))
    for scope, conflict in found:
        why = ", ".join(reason_phrase(f"conflict-{reason}", words) for reason in conflict.reasons)
        yield f"{ink.name(conflict.id)}  {words.text(SCOPES[scope.scope.kind])} · {why}"
        cloud = conflict.cloud.note if conflict.cloud else None
        for told, note in (
            (msg("last synced"), conflict.base),
            (msg("this machine"), conflict.mine),
            (msg("cloud"), cloud),
        ):
            yield "  " + ink.strong(words.text(told))
            if note is None:
                yield "    " + ink.faint(words.text(msg("(not there)")))
            else:
                yield "    " + printable(note.summary)
                yield from (f"    {printable(line)}" for line in note.body.split("\n") if line)
    if found:
        yield words.text(msg("`oharness sync resolve ID --keep mine|cloud|both|FILE` answers one."))


def resolved_lines(done: "Resolved", output: Output) -> Iterable[str]:
    """What an answer to a conflict did."""
    words = output.words
    yield words.text(msg("Resolved {id}."), id=done.id)
    if done.beside:
        yield words.text(msg("The cloud's version is now the note {id}."), id=done.beside)
    for backup in done.backups:
        yield words.text(msg("Set aside in the backup {backup}."), backup=backup)
    yield words.text(msg("`oharness sync now` sends the answer to the cloud."))


def mended_lines(done: "Mended", output: Output) -> Iterable[str]:
    """What mending a damaged file did."""
    words = output.words
    yield words.text(msg("The file of the note {id} says again what was last synced."), id=done.id)
    yield words.text(msg("Set aside in the backup {backup}."), backup=done.backup)


def _scope_lines(scope: "ScopeStatus", output: Output) -> Iterable[str]:
    words, last = output.words, scope.last_synced
    when = words.text(msg("last synced {when}"), when=minute(last)) if last else words.text(msg("never synced"))
    yield f"{words.text(SCOPES[scope.scope.kind])}: {when}"
    if scope.elsewhere is not None:
        told = words.text(msg("paused: {question}"), question=error_sentence(scope.elsewhere, words))
        yield "  " + output.ink.bad(printable(told))
    elif scope.paused:
        yield from _question(str(scope.paused.reason), scope.paused.note_ids, output)
    elif scope.error:
        told = words.text(
            msg("the last try failed: {error}"), error=words.text(ERRORS_SHORT.get(scope.error, scope.error))
        )
        yield "  " + output.ink.bad(told)
    yield from _held_lines(scope.held_back, output)
    yield from _conflict_line(len(scope.conflicts), output)


def _report_lines(name: str, report: "PassReport", output: Output) -> Iterable[str]:
    words = output.words
    did = [
        words.text(told, count=len(ids), ids=_some(sorted(ids)))
        for told, ids in (
            (msg("{count} came down ({ids})"), report.added),
            (msg("{count} changed here ({ids})"), report.changed),
            (msg("{count} removed here ({ids})"), report.removed),
            (msg("{count} went up ({ids})"), report.pushed),
            (msg("{count} deleted in the cloud ({ids})"), report.deleted),
            (msg("{count} merged ({ids})"), report.merged),
        )
        if ids
    ]
    told = "; ".join(did) if did else words.text(msg("nothing to do"))
    yield f"{name}: {told}"
    if report.cloud_was_reset:
        yield "  " + output.ink.warning(words.text(msg("The cloud was reset or restored; nothing was deleted here.")))
    yield from _held_lines(report.held_back, output)
    if report.paused:
        yield from _question(str(report.paused.reason), report.paused.note_ids, output)
    yield from _conflict_line(len(report.conflicts), output)


def _question(reason: str, note_ids: Sequence[str], output: Output) -> Iterable[str]:
    words = output.words
    told = words.text(msg("paused: {question}"), question=words.text(_QUESTIONS.get(reason, reason)))
    yield "  " + output.ink.warning(told + (f" ({_some(note_ids)})" if note_ids else ""))
    answers = _ANSWERS.get(reason, {})
    width = max(map(len, answers), default=0)
    for choice, meaning in answers.items():
        yield f"  oharness sync confirm --{choice:{width}}  {words.text(meaning)}"


def _held_lines(held_back: Mapping[str, str], output: Output) -> Iterable[str]:
    words = output.words
    for note_id, reason in sorted(held_back.items()):
        why = reason_phrase(f"held-{reason}", words)
        told = words.text(msg("held back: {id} ({reason})"), id=note_id, reason=why)
        yield "  " + output.ink.warning(told)


def _conflict_line(count: int, output: Output) -> Iterable[str]:
    if count:
        told = msg("{count} in conflict; `oharness sync conflicts` shows them.")
        yield "  " + output.ink.warning(output.words.text(told, count=count))


def _some(ids: Sequence[str]) -> str:
    shown = ", ".join(ids[:_MOST_LISTED])
    return f"{shown}, …" if len(ids) > _MOST_LISTED else shown
