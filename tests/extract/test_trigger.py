"""Which part of a conversation a pass reads: what no pass has read, once it is enough, or the last chance."""

import pytest

from oharness.core.clock import Millis
from oharness.extract.conversation import Speaker, Turn, in_portions, said, shortened
from oharness.extract.trigger import ReadUpTo, due_at_compaction, due_at_stop, read_all, unread

pytestmark = pytest.mark.memory
NOTHING = ReadUpTo()


def talk(*texts: str) -> list[Turn]:
    """User and assistant in turns, all at the same moment: the clock of a test need not go on."""
    speakers = (Speaker.USER, Speaker.ASSISTANT)
    return [Turn(speakers[position % 2], text, Millis(1)) for position, text in enumerate(texts)]


def texts(turns: object) -> list[str]:
    return [turn.text for turn in turns]  # type: ignore[attr-defined]


def test_a_pass_is_due_once_enough_user_messages_have_accumulated() -> None:
    turns = talk("one", "yes", "two", "yes", "three", "yes")
    assert due_at_stop(turns[:4], NOTHING, 3) is None
    stretch = due_at_stop(turns, NOTHING, 3)
    assert stretch is not None
    assert texts(stretch.turns) == texts(turns)
    assert due_at_stop(turns, stretch.read, 1) is None


def test_what_was_read_is_not_read_again() -> None:
    turns = talk("one", "yes", "two", "yes", "three", "yes")
    assert texts(unread(turns, read_all(turns[:4]))) == ["three", "yes"]


def test_equal_messages_are_told_apart_by_what_comes_before() -> None:
    turns = talk("go on", "yes", "go on", "yes", "go on", "yes")
    assert len(unread(turns, read_all(turns[:2]))) == 4
    assert len(unread(turns, read_all(turns[:4]))) == 2


def test_after_a_compaction_the_read_place_is_found_in_what_is_left() -> None:
    turns = talk("one", "yes", "two", "no", "three", "maybe", "four", "sure")
    read = read_all(turns[:6])
    assert texts(unread(turns[5:], read)) == ["four", "sure"]
    assert texts(unread(turns[6:], read)) == ["four", "sure"]


def test_compaction_hands_over_only_what_was_not_read_however_little() -> None:
    turns = talk("one", "yes", "two", "no", "three", "maybe")
    stretch = due_at_compaction(turns, 4, read_all(turns[:3]))
    assert stretch is not None
    assert texts(stretch.turns) == ["no"]
    assert texts(unread(turns[4:], stretch.read)) == ["three", "maybe"]
    assert due_at_compaction(turns, 3, read_all(turns[:3])) is None
    assert due_at_compaction(turns, 2, read_all(turns[:5])) is None


def test_recalled_notes_and_empty_messages_are_not_said_by_anybody() -> None:
    assert said(Speaker.USER, "  \n", Millis(1)) is None
    assert said(Speaker.USER, "<recalled-memory>\nold\n</recalled-memory>", Millis(1)) is None
    turn = said(Speaker.USER, "why <Recalled-Memory>old</recalled-memory> this?", Millis(1))
    assert turn is not None
    assert "old" not in turn.text


@pytest.mark.parametrize(
    ("pasted", "left"),
    [
        ("look: <recalled-memory>\n<note>secret", "look:"),
        ("secret</note>\n</recalled-memory>\nwhy is this attached?", "why is this attached?"),
        ("a <recalled-memory> secret <recalled-memory> secret </recalled-memory> secret </recalled-memory> b", "b"),
        ("&lt;recalled-memory&gt; secret &lt;/recalled-memory&gt; what is this?", "what is this?"),
        ("< Recalled-Memory lang='x' >secret", ""),
        ("secret </ recalled-memory", ""),
    ],
)
def test_recalled_notes_that_were_pasted_in_part_are_no_material_either(pasted: str, left: str) -> None:
    turn = said(Speaker.USER, pasted, Millis(1))
    assert (turn.text if turn else "") == left


def test_a_long_message_full_of_openings_is_looked_at_once() -> None:
    turn = said(Speaker.USER, "words " + "<recalled-memory " * 50_000 + "</recalled-memory" * 50_000, Millis(1))
    assert turn is None


def test_a_long_conversation_comes_in_portions_and_nothing_is_left_out() -> None:
    turns = talk(*[f"message {number} " + "x" * 900 for number in range(30)])
    portions = in_portions(turns, 5_000)
    assert [turn for portion in portions for turn in portion] == turns
    assert all(sum(len(shortened(turn)) for turn in portion) <= 5_000 for portion in portions)
    assert in_portions([], 5_000) == []


def test_of_a_long_message_beginning_and_end_are_kept() -> None:
    (turn,) = talk("begin " + "x" * 20_000 + " end")
    assert len(shortened(turn)) < 4_100
    assert shortened(turn).startswith("begin")
    assert shortened(turn).endswith("end")
