"""`oharness memory tidy`, `dismiss` and `merge`: what a review finds, and making one note of several."""

import asyncio
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from oharness.cli import tidying_lines
from oharness.cli.exit_codes import DONE, REFUSED
from oharness.cli.grammar import Command, pass_invocation
from oharness.cli.invocation import Invocation
from oharness.language.catalogue import msg

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oharness.memory.scopes import Memory
    from oharness.memory.tidying import Checked, Originals
    from oharness.plugins.memory.tidying_desk import TidyingDesk
    from oharness.tidy.findings import Finding
    from oharness.tidy.merge_draft import MergeDraft

_one_scope = click.option(
    "--scope", type=click.Choice(["project", "user"]), help=msg("Only in the project's notes, or only in your own.")
)


@click.command(
    "tidy",
    cls=Command,
    help=msg(
        "Review the notes on this machine, without a model: notes about the same subject, links and files that do not "
        "exist, notes that nobody used for long, and notes that are too long. Nothing is changed."
    ),
    examples=(("oharness memory tidy", ""), ("oharness memory tidy --json", msg("for scripts"))),
    next_step=msg(
        "`oharness memory merge ID ID …` makes one note of several, `oharness memory dismiss FINDING` hides one."
    ),
)
@_one_scope
@pass_invocation
def tidy(call: Invocation, scope: str | None) -> None:
    if call.has_no_notes():
        call.output.answer(tidying_lines.NOTHING_FOUND, lambda: tidying_lines.finding_lines([], {}, call.output))
        return
    from oharness.memory.tidying import Tidying

    with call.memory_for_reading() as opened:
        found = [one for one in Tidying(opened).findings() if scope in (None, one.scope)]
        summaries = _summaries(opened)
    _answer(call, found, summaries)


@click.command(
    "dismiss",
    cls=Command,
    help=msg("Hide a finding of `oharness memory tidy`. Editing one of its notes brings it back."),
    examples=(("oharness memory dismiss broken-link-1a2b3c4d5e", ""),),
    next_step=msg("`oharness memory tidy` lists what is left."),
)
@click.argument("finding", metavar="FINDING")
@pass_invocation
def dismiss(call: Invocation, finding: str) -> None:
    from oharness.memory.tidying import Tidying

    with call.memory_for_writing() as opened:
        tidying = Tidying(opened)
        tidying.dismiss(finding)
        left = tidying.findings()
        summaries = _summaries(opened)
    _answer(call, left, summaries)


@click.command(
    "merge",
    cls=Command,
    help=msg(
        "Make one note of two or more of one scope: the oldest stays, the others are deleted, links to them lead to "
        "it, and every note that changes is backed up. The text is all of them joined together, your own, or a draft "
        "of the small model. What the originals say and the text does not is listed, and nothing is merged. While sync "
        "is on, the cloud takes the merge first, or nothing is changed."
    ),
    examples=(
        ("oharness memory merge deploy-x1f ship-a2b", msg("all texts, one after another")),
        (
            'oharness memory merge deploy-x1f ship-a2b --summary "How we deploy" --body-file merged.md',
            msg("your own text"),
        ),
        ("oharness memory merge deploy-x1f ship-a2b --draft model", msg("a draft of the small model")),
    ),
    next_step=msg("`oharness memory restore BACKUP` brings a note back as it was; with all backups, all is undone."),
)
@click.argument("note_ids", metavar="ID ID…", nargs=-1, required=True)
@click.option("--summary", metavar="S", help=msg("The summary of the merged note; else the oldest note's."))
@click.option("--body-file", metavar="F", help=msg("A file that holds the merged text; - reads standard input."))
@click.option(
    "--draft",
    type=click.Choice(["joined", "model"]),
    help=msg("The text: all originals joined together (without this option, too), or the small model's draft."),
)
@click.option(
    "--accept-loss", is_flag=True, help=msg("Merge even though the text lacks something that the originals say.")
)
@_one_scope
@pass_invocation
def merge(
    call: Invocation,
    note_ids: tuple[str, ...],
    summary: str | None,
    body_file: str | None,
    draft: str | None,
    accept_loss: bool,
    scope: str | None,
) -> int:
    from oharness.cli.usage import GivenTwice

    if body_file is not None and draft is not None:
        raise GivenTwice("--body-file --draft")
    given = _text(call, body_file)
    with _desk(call) as desk:
        originals = desk.tidying.originals(note_ids, call.scope_named(scope))
        text = _draft(call, desk, originals, given, summary, from_model=draft == "model")
        checked = desk.tidying.check(originals, text)
        if draft == "model":  # nobody has read it: no sentence may be gone either
            checked = replace(checked, missing=(*checked.missing, *checked.uncovered))
        if checked.missing and not accept_loss:
            return _refused(call, originals, checked, from_model=draft == "model")
        planned = desk.tidying.plan(originals, text, accept_loss=accept_loss)
        merged = asyncio.run(desk.merge(planned))
    call.output.answer(tidying_lines.merged_document(merged), lambda: tidying_lines.merged_lines(merged, call.output))
    return DONE


def _answer(call: Invocation, found: "list[Finding]", summaries: "tidying_lines.Summaries") -> None:
    document = tidying_lines.findings_document(found)
    call.output.answer(document, lambda: tidying_lines.finding_lines(found, summaries, call.output))


def _summaries(memory: "Memory") -> "tidying_lines.Summaries":
    return {(one.kind, entry.id): entry.summary for one in memory.services() for entry in one.entries()}


def _text(call: Invocation, body_file: str | None) -> str | None:
    from oharness.cli.given import text_from

    return None if body_file is None else text_from(body_file, "--body-file", call.stdin)


def _draft(
    call: Invocation,
    desk: "TidyingDesk",
    originals: "Originals",
    given: str | None,
    summary: str | None,
    *,
    from_model: bool,
) -> "MergeDraft":
    """The text to merge to, from wherever it comes."""
    from oharness.tidy.merge_draft import MergeDraft

    if given is not None:
        return MergeDraft(originals.notes[0].summary if summary is None else summary, given)
    made = _asked(call, desk, originals) if from_model else desk.tidying.joined(originals, summary)
    return MergeDraft(made.summary if summary is None else summary, made.body)


def _asked(call: Invocation, desk: "TidyingDesk", originals: "Originals") -> "Checked":
    watched = call.output.err_is_a_terminal
    if watched:
        call.output.status_line(call.words.text(msg("Asking the small model for a draft …")))
    try:
        return asyncio.run(desk.model_draft(originals))
    finally:
        if watched:
            call.output.status_line("")


def _refused(call: Invocation, originals: "Originals", checked: "Checked", *, from_model: bool) -> int:
    """Says what the text lacks; a model's draft is shown, since it is gone otherwise."""
    document = tidying_lines.refused_document(originals.kept, checked)
    shown = checked if from_model else None
    call.output.answer(document, lambda: tidying_lines.refused_lines(checked.missing, shown, call.output))
    return REFUSED


@contextmanager
def _desk(call: Invocation) -> "Iterator[TidyingDesk]":
    """Tidying of the notes here; registers the project."""
    from oharness.wiring.sync import known_device
    from oharness.wiring.tidying import tidying_desk

    with call.memory_for_writing() as opened:
        yield tidying_desk(call.opened(), known_device(call.opened()), opened)
