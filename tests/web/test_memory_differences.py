"""Two texts compared word by word."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oharness.web.renderers.memory.differences import (
    ADDED,
    REMOVED,
    SAME,
    Piece,
    before_both,
    both_texts,
    differences,
    excerpt,
    one_side,
)

TEXTS = st.text(st.sampled_from("ab c\n,发布"), max_size=60)


def test_a_changed_word_is_marked_and_the_rest_is_not() -> None:
    assert differences("We deploy on Tuesdays", "We deploy on Fridays") == [
        Piece(SAME, "We deploy on "),
        Piece(REMOVED, "Tuesdays"),
        Piece(ADDED, "Fridays"),
    ]


def test_chinese_is_compared_character_by_character() -> None:
    assert differences("每周二发布", "每周五发布") == [
        Piece(SAME, "每周"),
        Piece(REMOVED, "二"),
        Piece(ADDED, "五"),
        Piece(SAME, "发布"),
    ]


def test_a_phrase_is_one_change_and_not_three() -> None:
    found = differences("on Mondays and Tuesdays only", "on every working day only")
    assert [piece.kind for piece in found] == [SAME, REMOVED, ADDED, SAME]


@given(TEXTS, TEXTS)
def test_the_pieces_make_up_both_texts(old: str, new: str) -> None:
    found = differences(old, new)
    assert "".join(piece.text for piece in found if piece.kind != ADDED) == old
    assert "".join(piece.text for piece in found if piece.kind != REMOVED) == new


@given(TEXTS, TEXTS)
def test_one_side_is_that_text_alone(other: str, shown: str) -> None:
    found = one_side(other, shown)
    assert "".join(piece.text for piece in found) == shown
    assert {piece.kind for piece in found} <= {SAME, ADDED}


@given(TEXTS, TEXTS, TEXTS)
def test_what_either_took_out_is_marked_in_the_text_both_grew_from(old: str, mine: str, theirs: str) -> None:
    assert "".join(piece.text for piece in before_both(old, mine, theirs)) == old


@given(TEXTS, TEXTS)
def test_both_texts_together_hold_every_line_of_each(mine: str, theirs: str) -> None:
    lines = both_texts(mine, theirs).split("\n")
    assert set(lines) == {*mine.split("\n"), *theirs.split("\n")}


def test_an_excerpt_leaves_out_what_is_far_from_any_change() -> None:
    old = "\n".join(f"line {number}" for number in range(100))
    shown = excerpt(differences(old, old.replace("line 50\n", "line fifty\n")))
    assert sum(piece.text.count("line") for piece in shown) < 12
    assert [piece.kind for piece in shown].count("gap") == 2


@pytest.mark.parametrize("size", [131_072])
def test_two_long_unrelated_texts_do_not_keep_a_page_waiting(size: int) -> None:
    one, other = "a b " * (size // 4), "c\nd " * (size // 4)
    found = differences(one, other)
    assert "".join(piece.text for piece in found if piece.kind != ADDED) == one
