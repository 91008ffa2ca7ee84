"""`oharness memory`: notes, written and read by a person or a script.

Each command imports what it needs when it runs, so that listing costs no more than listing.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from oharness.cli import note_documents, note_lines
from oharness.cli.exit_codes import DONE, FAILED, WRONG_USAGE
from oharness.cli.grammar import Group, pass_invocation
from oharness.cli.invocation import Invocation
from oharness.cli.tidying import dismiss, merge, tidy
from oharness.language.catalogue import msg

_Function = TypeVar("_Function", bound=Callable[..., Any])
_SCOPES = ("project", "user")
_TYPES = ("user", "feedback", "project", "reference")

memory = Group(
    "memory",
    help=msg(
        "Notes in Markdown: a project's in its MEMORY folder, your own under the home. "
        "The agent writes and recalls them; here you can do the same."
    ),
    examples=(
        ('oharness memory remember --summary "We deploy on Thursdays" --tags deploy,release', msg("write one")),
        ("oharness memory list", msg("see all of them")),
        ("oharness memory search deploy", msg("find some")),
        ('oharness memory why "when do we deploy?"', msg("see which would be recalled, and why")),
    ),
    next_step=msg("`oharness memory COMMAND --help` tells more of one command."),
)


def _scope(told: str) -> Callable[[_Function], _Function]:
    return click.option("--scope", type=click.Choice(_SCOPES), help=told)


_look_in = _scope(msg("Look only at the project's notes, or only at your own."))
_write_to = _scope(msg("Write to the project's notes, or to your own."))


def _text(name: str) -> Callable[[_Function], _Function]:
    """An argument of one or more words, so that a plain sentence needs no quotes."""
    return click.argument(name, metavar=name.upper(), nargs=-1, required=True)


@memory.command(
    "remember",
    help=msg(
        "Write a note, or update one by its id. Without --scope a note of the type `user` goes to your own notes, "
        "every other one to the project's. What looks like a credential is refused."
    ),
    examples=(
        ('oharness memory remember --summary "We deploy on Thursdays" --type project --tags deploy,release', ""),
        ('git log -3 | oharness memory remember --summary "Last changes" --body-file -', msg("the body from a pipe")),
        ("oharness memory remember --id deploy-thursdays-x1f --tags deploy", msg("change only the tags of one")),
    ),
    next_step=msg("`oharness memory why MESSAGE` shows whether it would be recalled."),
)
@click.option("--summary", metavar="S", help=msg("One line that says the fact itself; a new note needs it."))
@click.option("--body", metavar="B", help=msg("The text below it: why, and how to apply it; - reads standard input."))
@click.option("--body-file", metavar="F", help=msg("A file that holds the body; - reads standard input."))
@click.option("--type", "note_type", type=click.Choice(_TYPES), help=msg("What kind of note it is."))
@_write_to
@click.option("--tags", metavar="T", help=msg("Other words for it, with commas or spaces in between."))
@click.option("--id", "note_id", metavar="ID", help=msg("Update this note, or give a new one this id."))
@click.argument("source", metavar="[-]", required=False)
@pass_invocation
def remember(
    call: Invocation,
    summary: str | None,
    body: str | None,
    body_file: str | None,
    note_type: str | None,
    scope: str | None,
    tags: str | None,
    note_id: str | None,
    source: str | None,
) -> None:
    from oharness.core.scopes import ScopeKind
    from oharness.memory.remember import RememberRequest
    from oharness.memory.remember import remember as write
    from oharness.notes.valid import SummaryMissing

    if summary is None and note_id is None:  # said before a project is registered for a note that cannot be
        raise SummaryMissing("")
    request = RememberRequest(
        summary=summary,
        body=_body(call, body, body_file, source),
        type=note_type,
        scope=ScopeKind(scope) if scope else None,
        tags=tags,
        id=note_id,
    )
    with call.memory_for_writing() as opened:
        done = write(opened, request)
    call.output.answer(note_documents.remembered_document(done), lambda: note_lines.remembered_lines(done, call.output))
    call.tell(done.notices)


@memory.command(
    "list",
    help=msg("List the notes, the last updated first, and every file that cannot be one."),
    examples=(("oharness memory list --scope user", msg("your own notes alone")),),
    next_step=msg("`oharness memory show ID` reads one."),
)
@_look_in
@pass_invocation
def list_all(call: Invocation, scope: str | None) -> None:
    if call.has_no_notes():
        call.output.answer(note_documents.NOTHING_LISTED, lambda: [call.words.text(note_lines.NO_NOTES)])
        return
    from oharness.memory.reading import list_notes

    with call.memory_for_reading() as opened:
        listing = list_notes(opened, call.scope_named(scope))
    warnings = call.notice_sentences(listing.warnings)
    call.output.answer(
        note_documents.list_document(listing, warnings), lambda: note_lines.list_lines(listing, call.output)
    )
    if not call.output.json_only:
        call.warn(warnings)
        if call.opened().project is None:
            call.say_that_there_is_no_project()


@memory.command(
    "show",
    help=msg("Read one note, with what it links to and what links to it."),
    examples=(("oharness memory show deploy-thursdays-x1f", ""),),
)
@click.argument("note_id", metavar="ID")
@_look_in
@pass_invocation
def show(call: Invocation, note_id: str, scope: str | None) -> None:
    from oharness.memory.reading import show_note

    with call.memory_for_reading() as opened:
        shown = show_note(opened, note_id, call.scope_named(scope))
    call.output.answer(note_documents.shown_document(shown), lambda: note_lines.shown_lines(shown, call.output))


@memory.command(
    "search",
    help=msg("Find notes by words in their summary, tags and body. Words are matched by their stem, not by meaning."),
    examples=(("oharness memory search deploy thursday", ""),),
    next_step=msg("`oharness memory show ID` reads one."),
)
@_text("query")
@click.option("--limit", metavar="N", type=click.IntRange(min=1), default=10, help=msg("At most so many; else 10."))
@pass_invocation
def search(call: Invocation, query: tuple[str, ...], limit: int) -> None:
    from oharness.memory.reading import search_notes

    with call.memory_for_reading() as opened:
        found = search_notes(opened, " ".join(query), limit)
    call.output.answer(note_documents.search_document(found), lambda: note_lines.search_lines(found, call.output))


@memory.command(
    "recall",
    help=msg(
        "Show what would be attached to a message, exactly as the model would see it. Nothing fitting is the usual "
        "case. Nothing is counted as recalled."
    ),
    examples=(
        ('oharness memory recall "when do we deploy?"', ""),
        ("oharness memory recall --batch messages.jsonl", msg('lines of {"message": "…"}, each on its own')),
    ),
    next_step=msg("`oharness memory why MESSAGE` says what kept the other notes out."),
)
@click.argument("message", metavar="MESSAGE", nargs=-1)
@click.option("--batch", metavar="FILE", help=msg("Messages as JSON lines; one JSON answer per line; - reads stdin."))
@pass_invocation
def recall(call: Invocation, message: tuple[str, ...], batch: str | None) -> int:
    from oharness.cli.usage import GivenTwice, MissingValue

    if batch is not None:
        if message:
            raise GivenTwice("MESSAGE --batch")
        return _recall_batch(call, batch)
    from oharness.memory.recall import recall_for_message

    if not message:
        raise MissingValue("MESSAGE")
    with call.memory_for_reading() as opened:
        recalled = recall_for_message(opened, " ".join(message), just_looked=True)
    call.output.answer(note_documents.recall_document(recalled), lambda: note_lines.recall_lines(recalled, call.output))
    call.tell(recalled.notices)
    return DONE


@memory.command(
    "why",
    help=msg("Say which notes share words with a message, which words, their scores, and what kept each of them out."),
    examples=(('oharness memory why "when do we deploy?"', ""),),
    next_step=msg("A note that is missing here needs other words in its summary or tags."),
)
@_text("message")
@pass_invocation
def why(call: Invocation, message: tuple[str, ...]) -> None:
    from oharness.memory.recall import explain_recall

    with call.memory_for_reading() as opened:
        explanation = explain_recall(opened, " ".join(message), just_looked=True)
    call.output.answer(note_documents.why_document(explanation), lambda: note_lines.why_lines(explanation, call.output))


@memory.command(
    "index",
    help=msg("Show the lines of the notes as they stand in the system prompt at the start of each run."),
    examples=(("oharness memory index", ""),),
)
@pass_invocation
def index(call: Invocation) -> None:
    from oharness.cli.columns import printable
    from oharness.memory.reading import index_of

    with call.memory_for_reading() as opened:
        lines = index_of(opened)
    document = {"text": lines.text, "shown": lines.shown, "counted": lines.counted}
    call.output.answer(document, lambda: printable(lines.text).split("\n"))


@memory.command(
    "forget",
    help=msg(
        "Delete one note. A backup is written first. With --everywhere every copy of its text goes as well: backups, "
        "what sync keeps, conversations that carried it, the cloud's copies. That cannot be undone."
    ),
    examples=(
        ("oharness memory forget deploy-thursdays-x1f", ""),
        ("oharness memory forget deploy-thursdays-x1f --everywhere", msg("shows what there is, and asks first")),
    ),
    next_step=msg("`oharness memory restore BACKUP` brings it back; after --everywhere nothing does."),
)
@click.argument("note_id", metavar="ID")
@_look_in
@click.option("--everywhere", is_flag=True, help=msg("Remove every copy of the text for good, with a receipt."))
@click.option("--yes", is_flag=True, help=msg("Do not ask; needed with --everywhere where nobody can be asked."))
@pass_invocation
def forget(call: Invocation, note_id: str, scope: str | None, everywhere: bool, yes: bool) -> int:
    if everywhere:
        from oharness.cli.forgetting import forget_everywhere

        return forget_everywhere(call, note_id, call.scope_named(scope), yes=yes)
    from oharness.memory.forget import forget as delete

    with call.memory_for_writing() as opened:
        done = delete(opened, note_id, call.scope_named(scope))
    document = {"id": done.id, "scope": str(done.scope), "backup": done.backup}
    call.output.answer(document, lambda: note_lines.forgotten_lines(done, call.output))
    return DONE


@memory.command(
    "verify-forgotten",
    help=msg(
        "Look whether anything is left of a note that was forgotten: in every store of this machine, in git, and of "
        "what waits for the cloud. The exit code is 1 when there is something."
    ),
    examples=(("oharness memory verify-forgotten deploy-thursdays-x1f", ""),),
    next_step=msg("`oharness memory forget ID --everywhere` removes what is left."),
)
@click.argument("note_id", metavar="ID")
@_look_in
@pass_invocation
def verify_forgotten(call: Invocation, note_id: str, scope: str | None) -> int:
    from oharness.cli.forgetting import verify

    return verify(call, note_id, call.scope_named(scope))


@memory.command(
    "backups",
    help=msg("List the fifty latest versions of notes that were replaced or removed, with when and why."),
    examples=(("oharness memory backups", ""),),
    next_step=msg("`oharness memory restore BACKUP` brings one back."),
)
@pass_invocation
def backups(call: Invocation) -> None:
    from oharness.memory.restoring import list_backups

    with call.memory_for_reading() as opened:
        listed = list_backups(opened)
    call.output.answer(note_documents.backups_document(listed), lambda: note_lines.backup_lines(listed, call.output))


@memory.command(
    "restore",
    help=msg("Bring a backed-up version back to where it came from. The version that is there is backed up first."),
    examples=(("oharness memory restore 1789000000000-deploy-thursdays-x1f-a1b2c3", ""),),
    next_step=msg("`oharness memory show ID` reads it."),
)
@click.argument("backup", metavar="BACKUP")
@pass_invocation
def restore(call: Invocation, backup: str) -> None:
    from oharness.memory.restoring import list_backups, restore_backup

    with call.memory_for_writing() as opened:
        done = restore_backup(opened, backup)
        listed = list_backups(opened)
    document = note_documents.backups_document(listed, done)
    call.output.answer(document, lambda: note_lines.restored_lines(done, call.output))


@memory.command(
    "check",
    help=msg("Look for files that cannot be notes. The exit code is 1 when there is one; nothing is changed."),
    examples=(("oharness memory check", ""),),
    next_step=msg("Mend a file in an editor, or move it out of the folder."),
)
@_look_in
@pass_invocation
def check(call: Invocation, scope: str | None) -> int:
    from oharness.memory.reading import check as look_for_problems

    with call.memory_for_reading() as opened:
        problems = look_for_problems(opened, call.scope_named(scope))
    good = call.words.text(msg("Every file in the notes folders is a note."))
    call.output.answer(
        {"problems": note_documents.problem_documents(problems)},
        lambda: note_lines.problem_lines(problems, call.output) if problems else [good],
    )
    return FAILED if problems else DONE


for _command in (tidy, dismiss, merge):
    memory.add_command(_command)


def _body(call: Invocation, body: str | None, body_file: str | None, source: str | None) -> str | None:
    """The body, from wherever it was given; it may be given once."""
    from oharness.cli.given import STDIN, text_from
    from oharness.cli.usage import GivenTwice, TooManyArguments

    if source not in (None, STDIN):
        raise TooManyArguments(str(source))
    given = [name for name, value in (("--body", body), ("--body-file", body_file), ("-", source)) if value is not None]
    if len(given) > 1:
        raise GivenTwice(" ".join(given))
    place = body_file or source or (STDIN if body == STDIN else None)
    return text_from(place, given[0], call.stdin) if place else body


def _recall_batch(call: Invocation, batch: str) -> int:
    """One answer per line, in order; a line that is no message is answered with an error, and the others go on."""
    from oharness.cli.batch import error_line, messages_in
    from oharness.cli.given import text_from
    from oharness.memory.recall import recall_for_message

    code = DONE
    text = text_from(batch, "--batch", call.stdin, errors="surrogateescape")
    with call.memory_for_reading() as opened:
        for message in messages_in(text):
            if message is None:
                code = WRONG_USAGE
                call.output.json_line(error_line(call.words))
            else:
                recalled = recall_for_message(opened, message, just_looked=True)
                call.output.json_line(note_documents.recall_document(recalled))
    return code
