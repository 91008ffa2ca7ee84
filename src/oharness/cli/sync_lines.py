"""What `oharness sync` says to people."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from oharness.cli.columns import printable
from oharness.cli.output import Output, minute
from oharness.core.scopes import ScopeKind
from oharness.language.catalogue import msg
from oharness.language.sentences import error_sentence, reason_phrase

if TYPE_CHECKING:
    from oharness.cli.sync_documents import ScopeState
    from oharness.sync.report import PassReport
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
_ANSWERS: Mapping[str, str] = {
    "folder-gone": "oharness sync confirm --restore | --delete",
    "folder-unreadable": "",
    "many-missing": "oharness sync confirm --restore | --delete",
    "all-missing": "oharness sync confirm --restore | --delete",
    "head-moved": "oharness sync confirm --restore | --delete | --mix",
    "many-removals": "oharness sync confirm --restore | --delete",
    "first-sync": "oharness sync confirm --mix",
}


def now_lines(outcomes: "Sequence[ScopeOutcome]", output: Output) -> Iterable[str]:
    """What a pass did, scope by scope."""
    for one in outcomes:
        name = output.words.text(SCOPES[one.directory.scope.kind])
        if one.report is None:
            told = error_sentence(one.error, output.words) if one.error else ""
            yield f"{name}: {output.ink.bad(printable(told))}"
        else:
            yield from _report_lines(name, one.report, output)


def status_lines(document: Mapping[str, Any], states: "Sequence[ScopeState]", output: Output) -> Iterable[str]:
    """How things stand."""
    words = output.words
    told = msg("Sync is on.") if document["enabled"] else msg("Sync is off. `oharness sync on` switches it on.")
    yield words.text(told)
    for state in states:
        last = state.progress.last_synced
        when = words.text(msg("last synced {when}"), when=minute(last)) if last else words.text(msg("never synced"))
        yield f"{words.text(SCOPES[state.kind])}: {when}"
        if state.paused:
            yield from _question(str(state.paused.reason), state.paused.note_ids, output)
        elif state.progress.error:
            yield "  " + output.ink.bad(words.text(msg("the last try failed: {error}"), error=state.progress.error))
        yield from _conflict_line(len(state.conflicts), output)
    if limits := document["limits"]:
        yield words.text(
            msg("Free plan: {notes} notes in each scope, {size} bytes in each note."),
            notes=limits["maxNotes"],
            size=limits["maxBodyBytes"],
        )


def _report_lines(name: str, report: "PassReport", output: Output) -> Iterable[str]:
    words = output.words
    did = [
        words.text(told, count=len(ids), ids=_some(ids))
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
    yield f"{name}: {'; '.join(did) if did else words.text(msg('nothing to do'))}"
    if report.cloud_was_reset:
        yield "  " + output.ink.warning(words.text(msg("The cloud was reset or restored; nothing was deleted here.")))
    for note_id, reason in sorted(report.held_back.items()):
        told = words.text(msg("held back: {id} ({reason})"), id=note_id, reason=reason_phrase(str(reason), words))
        yield "  " + output.ink.warning(told)
    if report.paused:
        yield from _question(str(report.paused.reason), report.paused.note_ids, output)
    yield from _conflict_line(len(report.conflicts), output)


def _question(reason: str, note_ids: Sequence[str], output: Output) -> Iterable[str]:
    words = output.words
    told = words.text(msg("paused: {question}"), question=words.text(_QUESTIONS.get(reason, reason)))
    yield "  " + output.ink.warning(told + (f" ({_some(note_ids)})" if note_ids else ""))
    if answer := _ANSWERS.get(reason):
        yield f"  {answer}"


def _conflict_line(count: int, output: Output) -> Iterable[str]:
    if count:
        told = msg("{count} in conflict; `oharness sync conflicts` shows them.")
        yield "  " + output.ink.warning(output.words.text(told, count=count))


def _some(ids: Sequence[str]) -> str:
    shown = ", ".join(ids[:_MOST_LISTED])
    return f"{shown}, …" if len(ids) > _MOST_LISTED else shown
