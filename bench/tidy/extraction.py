"""Extraction on written conversations: what is kept of what should be, and what is saved that should not.

    python -m bench.tidy.extraction [--model NAME]

Without a model, recorded answers of good, poor and hostile kinds go through the same checks as a model's; with one,
each conversation is handed to it (`provider:name`, settings and variables as for `oharness run`). Prints Markdown. The
exit code is 1 when a hostile answer got anything wrong into the notes.
"""

import argparse
import asyncio
import logging
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from bench.tidy.conversations import Conversation, conversations
from bench.tidy.hostile import Hostile, hostile_answers
from oharness.core.scopes import ScopeKind
from oharness.disk.atomic import Absent
from oharness.extract.prompt import SYSTEM
from oharness.extract.reply import SCHEMA
from oharness.harness.asking import whole_reply
from oharness.harness.messages import Message, Role, TextBlock, own_text
from oharness.harness.model import Model, ModelFailed, ModelRequest
from oharness.memory.extraction import Extraction
from oharness.memory.scopes import Memory
from oharness.notes.frontmatter import note_text
from oharness.notes.note import Note
from oharness.wiring.environment import open_environment, open_memory_for_writing
from oharness.wiring.harness import Harness


@dataclass(frozen=True, slots=True)
class Outcome:
    """The notes after a pass: those that are new or changed, and whether one of the others is not as it was."""

    saved: tuple[Note, ...]
    new: int
    lost: bool


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", help="ask this model, as provider:name, instead of the recorded answers")
    chosen = parser.parse_args()
    logging.disable(logging.CRITICAL)
    told = conversations()
    counted = Counter(one.language for one in told)
    print("## Extraction\n\n" + ", ".join(f"{count} conversations in {one}" for one, count in counted.items()) + "\n")
    if chosen.model:
        asyncio.run(_with_model(chosen.model, told))
        return
    _table(("answers", "facts kept", "notes saved", "of these worth keeping", "with words that must not be kept"))
    _row("good", [(one, passed(one, one.good)) for one in told])
    _row("poor", [(one, passed(one, one.poor)) for one in told])
    wrong = hostile_figures(told)
    sys.exit(1 if wrong else 0)


def passed(conversation: Conversation, answer: str) -> Outcome:
    """What a pass with this answer leaves, in a home and project of its own."""
    with tempfile.TemporaryDirectory() as place, closing(_memory(Path(place), conversation)) as memory:
        return _passed_in(memory, conversation, answer)


def hostile_figures(told: Iterable[Conversation]) -> int:
    """Prints each kind of hostile answer with what went wrong, and gives how much did."""
    tried: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    for conversation in told:
        for hostile, outcome in _each(conversation, hostile_answers(conversation)):
            tried[hostile.kind] += 1
            if got_through(hostile, outcome):
                wrong[hostile.kind] += 1
                print(f"{conversation.id}, {hostile.kind}: {outcome.saved}", file=sys.stderr)
    print()
    _table(("hostile answers", "tried", "with anything wrong saved"))
    for kind, count in tried.items():
        print(f"| {kind} | {count} | {wrong[kind]} |")
    print(f"| **all** | {tried.total()} | **{wrong.total()}** |")
    return wrong.total()


def _each(conversation: Conversation, waiting: list[Hostile]) -> Iterator[tuple[Hostile, Outcome]]:
    """Every answer on the notes as they were: a fresh place whenever one of them saved something."""
    while waiting:
        with tempfile.TemporaryDirectory() as place, closing(_memory(Path(place), conversation)) as memory:
            while waiting:
                hostile = waiting.pop(0)
                outcome = _passed_in(memory, conversation, hostile.answer)
                yield hostile, outcome
                if outcome.saved or outcome.lost:
                    break


def _passed_in(memory: Memory, conversation: Conversation, answer: str) -> Outcome:
    extraction = Extraction(memory)
    extraction.keep_for_later("talk", conversation.turns)
    for name in extraction.unfinished():
        if claimed := extraction.claim(name):
            if prepared := extraction.prepare(claimed):
                extraction.save(prepared, answer)
            extraction.let_go(claimed)
    return _outcome(memory, conversation)


def got_through(hostile: Hostile, outcome: Outcome) -> bool:
    """Whether anything of a hostile answer did harm."""
    text = "\n".join(map(note_text, outcome.saved))
    return outcome.lost or outcome.new > hostile.most_new or any(one in text for one in hostile.forbidden)


async def _with_model(name: str, told: list[Conversation]) -> None:
    with tempfile.TemporaryDirectory() as place:
        harness = await Harness.create(Path(place), None, name, variables=os.environ)
        model = harness.host.create_model(name)
        await harness.close()
    found, failed = [], 0
    for one in told:
        try:
            found.append((one, passed(one, await _asked(model, one))))
        except ModelFailed as error:
            failed += 1
            print(f"{one.id}: no answer ({error.fault})", flush=True)
    _table(("model", "facts kept", "notes saved", "of these worth keeping", "with words that must not be kept"))
    _row(name, found)
    for one, outcome in found:
        kept = sum(_is_kept(fact, outcome.saved) for fact in one.keep)
        print(f"- {one.id}: {kept} of {len(one.keep)} facts, {len(outcome.saved)} notes")
    sys.exit(1 if failed == len(told) else 0)


async def _asked(model: Model, conversation: Conversation) -> str:
    with tempfile.TemporaryDirectory() as place, closing(_memory(Path(place), conversation)) as memory:
        extraction = Extraction(memory)
        extraction.keep_for_later("talk", conversation.turns)
        (name,) = extraction.unfinished()
        claimed = extraction.claim(name)
        prepared = extraction.prepare(claimed) if claimed else None
        if claimed:
            extraction.let_go(claimed)
    asked = Message(Role.USER, (TextBlock(prepared.prompt if prepared else ""),), conversation.turns[-1].at)
    reply = await whole_reply(model, ModelRequest(SYSTEM, (asked,), output_schema=SCHEMA))
    return own_text(reply.message)


def _memory(place: Path, conversation: Conversation) -> Memory:
    (place / "project").mkdir()
    environment = open_environment(_variables(), place / "project", place / "home")
    memory = open_memory_for_writing(environment)
    for note in conversation.notes:
        memory.service(ScopeKind.PROJECT).write(note, Absent())
    return memory


def _variables() -> Mapping[str, str]:
    return {"PATH": os.environ.get("PATH", ""), "HOME": os.environ.get("HOME", "")}


def _outcome(memory: Memory, conversation: Conversation) -> Outcome:
    memory.refresh()
    before = {note.id: note for note in conversation.notes}
    after = [service.get(note_id) for service in memory.services() for note_id in service.ids()]
    saved = tuple(note for note in after if before.get(note.id) != note)
    new = sum(note.id not in before for note in saved)
    ids = {note.id for note in after}
    emptied = any(note.id in before and before[note.id].body and not note.body.strip() for note in saved)
    return Outcome(saved, new, lost=emptied or not before.keys() <= ids)


def _row(name: str, found: list[tuple[Conversation, Outcome]]) -> None:
    facts = sum(len(one.keep) for one, _ in found)
    kept = sum(_is_kept(fact, outcome.saved) for one, outcome in found for fact in one.keep)
    saved = sum(len(outcome.saved) for _, outcome in found)
    worth = sum(any(_has(note, fact) for fact in one.keep) for one, outcome in found for note in outcome.saved)
    bad = sum(any(word in _text(note) for word in one.must_not) for one, outcome in found for note in outcome.saved)
    print(f"| {name} | {kept} of {facts} | {saved} | {worth} | {bad} |")


def _is_kept(fact: tuple[str, ...], saved: tuple[Note, ...]) -> bool:
    return any(_has(note, fact) for note in saved)


def _has(note: Note, fact: tuple[str, ...]) -> bool:
    return all(word in _text(note) for word in fact)


def _text(note: Note) -> str:
    return f"{note.summary}\n{note.body}\n{' '.join(note.tags)}".casefold()


def _table(columns: tuple[str, ...]) -> None:
    print(f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}")


if __name__ == "__main__":
    main()
