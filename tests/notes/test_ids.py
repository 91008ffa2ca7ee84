"""What a note may be called, and how a new one gets its id."""

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oharness.notes.ids import (
    BadNoteId,
    NoFreeId,
    case_collision,
    check_note_id,
    is_note_id,
    new_note_id,
    slug,
    taken_in_any_case,
)

pytestmark = pytest.mark.memory


class SeededRandomness:
    """Chance that is the same in every run."""

    def __init__(self, seed: int = 1) -> None:
        self._random = random.Random(seed)

    def text(self, alphabet: str, length: int) -> str:
        return "".join(self._random.choice(alphabet) for _ in range(length))

    def token(self, nbytes: int) -> str:
        return self._random.randbytes(nbytes).hex()

    def uuid(self) -> str:
        return self.token(16)

    def uniform(self, low: float, high: float) -> float:
        return self._random.uniform(low, high)


def new_id(summary: str, note_type: str | None = None) -> str:
    return new_note_id(summary, note_type, SeededRandomness(), lambda _: False)


@pytest.mark.parametrize(
    "text",
    ["a", "A", "7", "a-b_C", "pricing-borderless-3fa", "NUL-1", "con-", "com10", "com", "lpt0", "x" * 128],
)
def test_these_may_be_ids(text: str) -> None:
    assert is_note_id(text)
    assert check_note_id(text) == text


@pytest.mark.parametrize(
    "text",
    [
        *("", "-a", "_a", "a b", "a.md", "aux.notes", "a:b", "end.", "a/b", "../../x", "..", "a\\b", "é", "学"),
        *("a\n", "a\r", "\na", "a\0", "a\u2028", "x" * 129, "ａ", "١", "a²"),
        *("con", "CON", "Con", "prn", "aux", "nul", "NUL", "com1", "COM9", "lpt1", "Lpt9"),
    ],
)
def test_these_may_not(text: str) -> None:
    assert not is_note_id(text)
    with pytest.raises(BadNoteId):
        check_note_id(text)


def test_a_new_id_speaks_of_the_summary() -> None:
    assert re.fullmatch(
        r"pricing-cards-use-fills-not-borders-[0-9a-z]{3}", new_id("Pricing cards use fills, not borders")
    )


@pytest.mark.parametrize(
    ("summary", "note_type", "speaking"),
    [
        ("Deploy on Thursdays", None, "deploy-on-thursdays"),
        ("Déjà vu", None, "deja-vu"),
        ("ＡＢＣ １２３", None, "abc-123"),
        ("don't use C++", None, "don-t-use-c"),
        ("人工智能技术路线", None, "note"),
        ("人工智能技术路线", "feedback", "feedback"),
        ("人工智能 uses PyTorch", "feedback", "uses-pytorch"),
        ("!!!", None, "note"),
        ("", "一", "note"),
        ("word " * 50, None, "word-word-word-word-word-word-word-word"),
        ("x" * 200, None, "x" * 40),
        ("short " + "y" * 100, None, "short"),
        ("CON", None, "con"),
    ],
)
def test_the_speaking_part(summary: str, note_type: str | None, speaking: str) -> None:
    assert slug(summary, note_type) == speaking


def test_long_summaries_with_an_equal_beginning_get_different_ids() -> None:
    beginning = "the same beginning of a long summary " * 4
    chance = SeededRandomness()
    given_ids: list[str] = []
    for ending in ("one" * 20, "two" * 20):
        summary = beginning[:150] + ending
        given_ids.append(new_note_id(summary, None, chance, taken_in_any_case(given_ids)))
    assert len(set(given_ids)) == 2


def test_a_summary_of_120_chinese_characters_gets_an_id() -> None:
    assert re.fullmatch(r"note-[0-9a-z]{3}", new_id("学" * 120))


def test_a_new_id_is_free_in_every_letter_case() -> None:
    first = new_id("Deploy")
    again = new_note_id("Deploy", None, SeededRandomness(), taken_in_any_case([first.upper()]))
    assert again != first


def test_when_every_id_is_taken_it_says_so() -> None:
    with pytest.raises(NoFreeId):
        new_note_id("Deploy", None, SeededRandomness(), lambda _: True)


def test_ids_that_differ_in_letter_case_alone_collide() -> None:
    assert case_collision(["foo"], ["bar", "Foo"]) == ("foo", "Foo")
    assert case_collision(["foo"], ["foo", "food"]) is None
    assert case_collision(["foo"], ["foo", "Foo"]) is None, "both are there already"
    assert case_collision(["a", "new", "New"], ["b"]) == ("New", "new")


@given(st.text(max_size=300), st.none() | st.text(max_size=20), st.integers())
@settings(derandomize=True, max_examples=200, deadline=None)
def test_every_summary_gives_a_lower_case_id_that_fits_a_file_name(
    summary: str, note_type: str | None, seed: int
) -> None:
    note_id = new_note_id(summary, note_type, SeededRandomness(seed), lambda _: False)
    assert is_note_id(note_id)
    assert note_id == note_id.lower()
    assert len(note_id) <= 44
