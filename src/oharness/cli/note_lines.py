"""What a person reads of notes in the terminal."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from oharness.cli.columns import one_line, printable, shortened, table, width
from oharness.cli.output import Output, day, minute
from oharness.language.catalogue import msg
from oharness.language.sentences import reason_phrase

if TYPE_CHECKING:
    from oharness.memory.forget import Forgotten
    from oharness.memory.reading import Listing, Problem, Shown
    from oharness.memory.recall import Explanation, MessageRecall
    from oharness.memory.remember import Remembered
    from oharness.memory.restoring import ListedBackup, Restored
    from oharness.notes.entry import NoteEntry
    from oharness.recall.score import Candidate

NO_NOTES = msg("No notes yet. `oharness memory remember --summary …` writes one.")
_LONGEST_ID = 44


def list_lines(listing: "Listing", output: Output) -> Iterator[str]:
    """The notes of each scope, the last updated first, and the files that cannot be notes."""
    say, ink = output.words.text, output.ink
    headings = {"project": msg("Project notes"), "user": msg("Your own notes")}
    for scope, heading in headings.items():
        entries = [one.entry for one in listing.notes if one.scope == scope]
        if entries:
            yield ink.strong(say(heading)) + ink.faint(f"  {len(entries)}")
            yield from table(_entry_row(entry, output) for entry in entries)
    if not listing.notes:
        yield say(NO_NOTES)
    yield from problem_lines(listing.problems, output)


def problem_lines(problems: "Iterable[Problem]", output: Output) -> Iterator[str]:
    """One line for each file that cannot be a note."""
    for problem in problems:
        reason = reason_phrase(str(problem.reason), output.words)
        yield output.ink.warning("! ") + one_line(f"{problem.path}: {reason}")


def shown_lines(shown: "Shown", output: Output) -> Iterator[str]:
    """One note, as it is."""
    say, ink, entry = output.words.text, output.ink, shown.entry
    yield ink.strong(one_line(entry.summary))
    facts = [entry.type or "", ", ".join(entry.tags), f"{day(entry.created_at)} → {day(entry.updated_at)}"]
    yield f"{ink.name(entry.id)}  {ink.faint(one_line(' · '.join(filter(None, [shown.scope, *facts]))))}"
    yield ink.faint(printable(str(shown.path)))
    if shown.note.body:
        yield ""
        yield from printable(shown.note.body).split("\n")
    links = ((msg("Links to: {ids}"), entry.links), (msg("Linked from: {ids}"), [one for _, one in shown.linked_from]))
    if any(ids for _, ids in links):
        yield ""
    for sentence, ids in links:
        if ids:
            yield say(sentence, ids=", ".join(map(ink.name, ids)))


def remembered_lines(done: "Remembered", output: Output) -> Iterator[str]:
    """What was written, and what it touches."""
    say, ink = output.words.text, output.ink
    told = {"id": ink.name(done.id), "path": printable(str(done.path))}
    if done.created:
        yield say(msg("Remembered as {id}, in {path}"), **told)
    elif done.changed:
        yield say(msg("Updated {id}, in {path}. The earlier version is in the backups."), **told)
    else:
        yield say(msg("{id} says that already; nothing was written."), **told)
    if done.duplicate_of is not None:
        other = done.duplicate_of.entry
        sentence = msg("This may say the same as {id}: {summary}. To keep one, forget the other.")
        yield ink.warning("! ") + say(sentence, id=ink.name(other.id), summary=one_line(other.summary))
    if done.missing_links:
        ids = ", ".join(map(ink.name, done.missing_links))
        yield say(msg("It links to notes that do not exist yet: {ids}"), ids=ids)
    if done.related:
        yield say(msg("Related:"))
        yield from table((ink.name(one.entry.id), one_line(one.entry.summary)) for one in done.related)


def forgotten_lines(done: "Forgotten", output: Output) -> Iterator[str]:
    """What is gone, and the way back."""
    yield output.words.text(msg("Forgot {id}."), id=output.ink.name(done.id))
    yield output.ink.faint(
        output.words.text(msg("`oharness memory restore {backup}` brings it back."), backup=done.backup)
    )


def search_lines(found: "list[Candidate]", output: Output) -> Iterator[str]:
    """What a search found, the best first."""
    if not found:
        yield output.words.text(msg("Nothing found. Search matches words, not meaning: try another word for it."))
    yield from table((f"{one.score:.2f}", *_entry_row(one.entry, output)) for one in found)


def recall_lines(recalled: "MessageRecall", output: Output) -> Iterator[str]:
    """The block as the model would see it, or that there is none."""
    if not recalled.block:
        yield output.words.text(msg("Nothing would be attached. `oharness memory why MESSAGE` says why."))
    yield from printable(recalled.block).split("\n") if recalled.block else ()


def why_lines(explanation: "Explanation", output: Output) -> Iterator[str]:
    """Each candidate with its score, the words that met, and what kept it out."""
    say, ink = output.words.text, output.ink
    if not explanation.verdicts:
        yield say(msg("No note shares a word with this message."))
        return
    yield ink.faint(say(msg("A note is attached from a score of {score} on."), score=f"{explanation.min_score:g}"))
    for verdict in explanation.verdicts:
        one = verdict.candidate
        mark = ink.good("+") if verdict.attached else ink.faint("-")
        reason = "" if verdict.attached else ink.faint(" — " + reason_phrase(str(verdict.reason), output.words))
        yield f"{mark} {one.score:.2f}  {ink.name(one.entry.id)}  {one_line(one.entry.summary)}{reason}"
        met = ", ".join(f"{match.word} ({match.field} {match.weight:.2f})" for match in one.matches)
        yield "        " + ink.faint(one_line(met))


def backup_lines(listed: "list[ListedBackup]", output: Output) -> Iterator[str]:
    """The latest backups; what cannot be restored is marked."""
    say, ink = output.words.text, output.ink
    if not listed:
        yield say(msg("No backups. One is written before a note is replaced or removed."))
    yield from table(
        (
            minute(one.backup.when),
            reason_phrase(f"backup-{one.backup.reason}", output.words),
            ink.name(one.backup.name),
            "" if one.restorable else ink.faint(say(msg("cannot be restored"))),
        )
        for one in listed
    )


def restored_lines(done: "Restored", output: Output) -> Iterator[str]:
    """What is back, and what became of the version that was there."""
    say, ink = output.words.text, output.ink
    yield say(msg("{id} is back, in {path}"), id=ink.name(done.id), path=printable(str(done.path)))
    if done.replaced:
        yield say(msg("The version that was there is in the backups: {backup}"), backup=ink.name(done.replaced))


def _entry_row(entry: "NoteEntry", output: Output) -> tuple[str, ...]:
    ink = output.ink
    about = " · ".join(filter(None, [entry.type or "", ", ".join(entry.tags)]))
    room = max(20, output.cells - min(width(entry.id), _LONGEST_ID) - 16)
    return (
        ink.name(entry.id),
        ink.faint(day(entry.updated_at)),
        shortened(one_line(entry.summary), room) + (ink.faint("  " + one_line(about)) if about else ""),
    )
