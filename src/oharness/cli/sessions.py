"""`oharness sessions`: earlier conversations, listed and shown."""

from collections.abc import Iterator
from typing import Any

import click

from oharness.cli.columns import one_line, printable, table
from oharness.cli.grammar import Command, Group, pass_invocation
from oharness.cli.invocation import Invocation
from oharness.cli.output import Ink, minute
from oharness.harness.messages import own_text
from oharness.harness.sessions import SessionList, SessionSummary, StoredSession, list_sessions, read_session
from oharness.harness.transcript_json import Entry, Shortened, record_of
from oharness.language.catalogue import Catalogue, msg

sessions = Group(
    "sessions",
    help=msg("Earlier conversations of this project."),
    examples=(
        ("oharness sessions list", msg("the last used first")),
        ("oharness sessions show 7k2m", msg("the beginning of an id is enough")),
        ("oharness chat --resume 7k2m", msg("go on with one")),
    ),
)


@sessions.command(
    "list",
    cls=Command,
    help=msg("List this project's conversations, the last used first."),
    examples=(("oharness sessions list", ""),),
    next_step=msg("`oharness sessions show ID` reads one, `oharness chat --resume ID` goes on with it."),
)
@pass_invocation
def list_all(call: Invocation) -> None:
    found = list_sessions(call.session_folder())
    document = {
        "sessions": [_summary_document(summary) for summary in found.sessions],
        "unreadable": [str(path) for path in found.unreadable],
    }
    call.output.answer(document, lambda: _list_lines(found, call.words, call.output.ink))


@sessions.command(
    "show",
    cls=Command,
    help=msg("Print a conversation with everything that belongs to it: tools, recalled notes, metadata."),
    examples=(
        ("oharness sessions show 7k2m", msg("the beginning of an id is enough")),
        ("oharness sessions show latest", msg("the last used one")),
    ),
)
@click.argument("session_id", metavar="ID")
@pass_invocation
def show(call: Invocation, session_id: str) -> None:
    stored = read_session(call.session_folder(), session_id)
    call.output.answer(session_document(stored), lambda: _session_lines(stored, call.words, call.output.ink))


def session_document(stored: StoredSession) -> dict[str, Any]:
    """A whole session as JSON; `damaged` counts lines of its file that could not be read."""
    return {
        "id": stored.session_id,
        "title": stored.title,
        "startedAt": stored.started_at,
        "damaged": stored.damaged,
        "messages": [_entry_document(entry) for entry in stored.entries],
    }


def _entry_document(entry: Entry) -> dict[str, Any]:
    message = entry.summary if isinstance(entry, Shortened) else entry
    record = record_of(message)
    return {
        "role": "compaction" if isinstance(entry, Shortened) else str(message.role),
        "at": message.at,
        "text": own_text(message),
        "blocks": record["blocks"],
        "metadata": record.get("metadata", {}),
    }


def _summary_document(summary: SessionSummary) -> dict[str, Any]:
    return {
        "id": summary.session_id,
        "title": summary.title,
        "startedAt": summary.started_at,
        "lastAt": summary.last_at,
        "messages": summary.message_count,
    }


def _list_lines(found: SessionList, words: Catalogue, ink: Ink) -> Iterator[str]:
    if not found.sessions:
        yield words.text(msg("No conversations in this project yet. `oharness` begins one."))
    yield from table(
        (
            (
                ink.name(summary.session_id),
                minute(summary.last_at),
                words.plural("{count} message", "{count} messages", summary.message_count),
                one_line(summary.title),
            )
            for summary in found.sessions
        ),
        indent="",
    )
    for path in found.unreadable:
        yield ink.warning("! ") + words.text(msg("{path} cannot be read as a conversation."), path=path)


def _session_lines(stored: StoredSession, words: Catalogue, ink: Ink) -> Iterator[str]:
    yield f"{ink.strong(one_line(stored.title))}  {ink.name(stored.session_id)}  {minute(stored.started_at)}"
    for entry in stored.entries:
        yield ""
        yield from _entry_lines(_entry_document(entry), words, ink)
    if stored.damaged:
        told = words.plural(
            "{count} line of the file cannot be read.", "{count} lines of the file cannot be read.", stored.damaged
        )
        yield ink.warning("! ") + told


def _entry_lines(document: dict[str, Any], words: Catalogue, ink: Ink) -> Iterator[str]:
    who = {
        "user": msg("you"),
        "assistant": msg("agent"),
        "tool": msg("tools"),
        "compaction": msg("summary of what came before"),
    }
    yield f"{ink.strong(words.text(who[document['role']]))}  {ink.faint(minute(document['at']))}"
    for block in document["blocks"]:
        yield from _block_lines(block, ink)
    if document["metadata"]:
        import json

        yield "  " + ink.faint(one_line(json.dumps(document["metadata"], ensure_ascii=False)))


def _block_lines(block: dict[str, Any], ink: Ink) -> Iterator[str]:
    match block:
        case {"type": "text", "text": text}:
            yield from ("  " + line for line in printable(text).split("\n"))
        case {"type": "attached", "text": text}:
            yield from ("  " + ink.faint("| " + line) for line in printable(text).split("\n"))
        case {"type": "call", "tool": tool, "arguments": arguments}:
            told = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
            yield "  " + ink.name(one_line(f"{tool}({told})"))
        case {"type": "result", "text": text}:
            yield from ("  " + line for line in printable(text).split("\n"))
