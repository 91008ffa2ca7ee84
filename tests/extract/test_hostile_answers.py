"""No hostile answer gets anything wrong into the notes: the answers of `make bench-tidy`, at the checks alone."""

import json
import time

import pytest

from bench.tidy.conversations import Conversation, conversations
from bench.tidy.hostile import hostile_answers
from oharness.core.clock import Millis
from oharness.core.scopes import ScopeKind
from oharness.extract.candidates import View, WholeNote
from oharness.extract.checks import Checked, Rules, check_reply
from oharness.extract.reply import InvalidReply, read_reply
from oharness.notes.frontmatter import note_text
from oharness.notes.hashing import content_hash
from oharness.testing.randomness import SeededRandomness

pytestmark = pytest.mark.memory


def checked(conversation: Conversation, answer: str) -> Checked:
    reply = read_reply(answer)
    if isinstance(reply, InvalidReply):
        return Checked((), ())
    view = View(tuple(WholeNote(ScopeKind.PROJECT, note, content_hash(note)) for note in conversation.notes))
    rules = Rules(131_072, frozenset(ScopeKind), lambda _: False, lambda _: False, SeededRandomness(), Millis(1))
    return check_reply(reply, view, conversation.turns, rules)


@pytest.mark.parametrize("conversation", conversations(), ids=lambda one: one.id)
def test_nothing_wrong_of_a_hostile_answer_is_saved(conversation: Conversation) -> None:
    for hostile in hostile_answers(conversation):
        notes = checked(conversation, hostile.answer).notes
        text = "\n".join(note_text(one.note) for one in notes)
        assert sum(one.planned_from is None for one in notes) <= hostile.most_new, hostile.kind
        assert not any(one in text for one in hostile.forbidden), hostile.kind
        assert all(one.note.body.strip() for one in notes if one.planned_from), hostile.kind


@pytest.mark.parametrize("piece", ["\n", " ", "x", "a.", "curl ", "tests are ", "[[a]] ", "> ", "\n- ", "password: "])
@pytest.mark.parametrize("part", ["summary", "body", "tags"])
def test_an_answer_of_one_thing_over_and_over_takes_bounded_time(part: str, piece: str) -> None:
    conversation = conversations()[0]
    text = piece * (180_000 // len(piece))
    said = {"summary": "We deploy on Thursdays", "body": "", "tags": []} | {part: [text] if part == "tags" else text}
    new = {"type": "project", "scope": "project"}
    updates = [said | {"id": note.id} for note in conversation.notes[:1]]
    start = time.process_time()
    checked(conversation, json.dumps({"notes": [said | new], "updates": updates}))
    assert time.process_time() - start < 15


@pytest.mark.parametrize("conversation", conversations(), ids=lambda one: one.id)
def test_a_good_answer_is_saved_whole(conversation: Conversation) -> None:
    assert len(checked(conversation, conversation.good).notes) == len(conversation.keep)
