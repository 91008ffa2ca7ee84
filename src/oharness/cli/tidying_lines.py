"""What `memory tidy`, `dismiss` and `merge` answer: JSON documents, and lines for people."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from oharness.cli.columns import one_line, printable, shortened
from oharness.cli.output import Output
from oharness.language.catalogue import msg

if TYPE_CHECKING:
    from oharness.core.scopes import ScopeKind
    from oharness.memory.tidying import Checked, Merged
    from oharness.tidy.findings import Finding
    from oharness.tidy.merge_check import MissingFact

Document = dict[str, Any]
Summaries = Mapping[tuple["ScopeKind", str], str]
"""The summary of each note, by scope and id."""
NOTHING_FOUND: Document = {"findings": []}

_HEADINGS = {
    "same-subject": msg("Same subject: merge them, or dismiss it"),
    "broken-link": msg("Broken link: no note has this id"),
    "missing-file": msg("Missing file: the project has no such path"),
    "unused": msg("Unused: neither recalled nor edited for many days"),
    "too-long": msg("Too long: better several notes"),
}
_DETAILS = {
    "same-subject": "",
    "broken-link": "{details}",
    "missing-file": "{details}",
    "unused": msg("{details} days"),
    "too-long": msg("{details} characters"),
}
_KINDS = {
    "link": msg("link"),
    "quoted": msg("quoted text"),
    "date": msg("date"),
    "version": msg("version"),
    "path": msg("path"),
    "identifier": msg("name"),
    "number": msg("number"),
    "negation": msg("what is not so"),
    "sentence": msg("a whole sentence"),
}


def findings_document(findings: "Iterable[Finding]") -> Document:
    """`memory tidy` and `memory dismiss`."""
    return {
        "findings": [
            {
                "id": one.id,
                "kind": str(one.kind),
                "scope": str(one.scope),
                "notes": list(one.notes),
                "detail": ", ".join(one.details),
            }
            for one in findings
        ]
    }


def merged_document(merged: "Merged") -> Document:
    """`memory merge`."""
    return _merge_document(merged.kept, merged.deleted, merged.relinked, merged.backups, merged.missing)


def refused_document(kept: str, checked: "Checked") -> Document:
    """`memory merge` when the text lacks something: nothing was changed."""
    return _merge_document(kept, (), (), (), checked.missing)


def finding_lines(findings: "Sequence[Finding]", summaries: "Summaries", output: Output) -> Iterator[str]:
    """The findings by kind: the notes with their summaries, what is wrong, and the id to dismiss it by."""
    say, ink = output.words.text, output.ink
    if not findings:
        yield say(msg("Nothing to tidy."))
    for kind, heading in _HEADINGS.items():
        some = [one for one in findings if one.kind == kind]
        if some:
            yield ink.strong(say(heading)) + ink.faint(f"  {len(some)}")
        for one in some:
            room = max(20, output.cells - 30)
            for note_id in one.notes:
                summary = shortened(one_line(summaries.get((one.scope, note_id), "")), room)
                yield f"  {ink.name(note_id)}  {summary}"
            detail = say(_DETAILS[kind], details=one_line(", ".join(one.details))) if _DETAILS[kind] else ""
            yield "      " + ("  ".join(filter(None, [detail, ink.faint(one.id)])))


def merged_lines(merged: "Merged", output: Output) -> Iterator[str]:
    """What a merge did, and the way back."""
    say, ink = output.words.text, output.ink
    gone = ", ".join(map(ink.name, merged.deleted))
    yield say(msg("Merged into {kept} and deleted: {ids}"), kept=ink.name(merged.kept), ids=gone)
    if merged.relinked:
        ids = ", ".join(map(ink.name, merged.relinked))
        yield say(msg("Links lead to {kept} now in: {ids}"), kept=ink.name(merged.kept), ids=ids)
    if merged.left:
        ids = ", ".join(map(ink.name, merged.left))
        yield say(msg("Edited at the same moment, so left for the next sync to merge: {ids}"), ids=ids)
    if merged.missing:
        yield say(msg("Accepted as lost:"))
        yield from _missing_lines(merged.missing, output)
    yield ink.faint(say(msg("To undo it, restore each of its backups:")))
    yield from (ink.faint(f"  oharness memory restore {name}") for name in merged.backups)


def refused_lines(missing: "Sequence[MissingFact]", draft: "Checked | None", output: Output) -> Iterator[str]:
    """What the text lacks, and what to do about it."""
    say, ink = output.words.text, output.ink
    yield ink.warning("! ") + say(msg("Nothing was merged: the originals say what the text does not."))
    yield from _missing_lines(missing, output)
    if draft is not None:
        yield ""
        yield ink.strong(one_line(draft.summary))
        yield from printable(draft.body).split("\n")
        yield ""
    yield say(msg("Put it into the text (--body-file), or merge all the same with --accept-loss."))


def _missing_lines(missing: "Iterable[MissingFact]", output: Output) -> Iterator[str]:
    say, ink = output.words.text, output.ink
    for one in missing:
        yield f"  {ink.bad('-')} {say(_KINDS[one.kind])}: {one_line(one.text)}  {ink.faint(one.note_id)}"


def _merge_document(
    kept: str, deleted: Iterable[str], relinked: Iterable[str], backups: Iterable[str], missing: "Iterable[MissingFact]"
) -> Document:
    return {
        "kept": kept,
        "deleted": list(deleted),
        "relinked": list(relinked),
        "backups": list(backups),
        "missingFacts": [one.text for one in missing],
    }
