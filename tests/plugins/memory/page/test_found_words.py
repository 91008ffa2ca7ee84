"""A list of notes marks what was searched for."""

import pytest

from oharness.plugins.memory.page.found_words import Sought
from tests.plugins.memory.page.conftest import OpenPage

pytestmark = pytest.mark.memory


@pytest.mark.parametrize(
    ("query", "text", "found"),
    [
        ("deploying pric", "We deploy on Tuesdays; Pricing cards", ["deploy", "Pric"]),
        ("发布", "发布说明用中文写，发布前读", ["发布", "发布"]),
        ("deploiement", "Le déploiement du mardi", ["déploiement"]),
        ("when do we deploy", "We do when we deploy", ["deploy"]),
        ("d", "deadline", []),
        ("", "anything", []),
        ("<b>", "a <b> c", ["<b>"]),
    ],
)
def test_a_word_is_marked_in_any_form_and_as_letters_that_were_typed(query: str, text: str, found: list[str]) -> None:
    assert [text[start:end] for start, end in Sought(query).marks(text)] == found


async def test_the_rows_of_a_search_say_what_was_found_and_others_nothing(page: OpenPage) -> None:
    page.write("We deploy on Tuesdays", tags="release, deployments")
    [row] = (await page.part("list", q="deploy"))["notes"]
    assert row["marks"] == [[3, 9]]
    assert any(row["tagMarks"])
    [plain] = (await page.part("list"))["notes"]
    assert (plain["marks"], plain["tagMarks"]) == ([], [])


@pytest.mark.parametrize(
    ("query", "body", "shown", "found"),
    [
        ("outlines", "# Why\n\nThe **outlines** were `loud`.", "Why The outlines were loud.", ["outlines"]),
        ("ecoles", "> L'école est là", "L'école est là", ["école"]),
        ("发布", "- 发布说明", "发布说明", ["发布"]),
        ("deploying", "one " * 50 + "we deployed it " + "two " * 50, "…one one one", ["deployed"]),
        ("ship deploy", "We ship. " + "word " * 200 + "Ship it, or deploy it.", "…word word", ["Ship", "deploy"]),
    ],
)
def test_the_piece_of_a_body_that_holds_most_of_a_search_is_shown(
    query: str, body: str, shown: str, found: list[str]
) -> None:
    excerpt = Sought(query).excerpt(body)
    assert excerpt is not None
    assert excerpt.text.startswith(shown)
    assert len(excerpt.text) <= 162
    assert [excerpt.text[start:end] for start, end in excerpt.marks] == found


@pytest.mark.parametrize(("query", "body"), [("zebra", "a horse"), ("", "anything"), ("the", ""), ("!", "a ! b")])
def test_a_body_without_a_find_shows_no_piece(query: str, body: str) -> None:
    assert Sought(query).excerpt(body) is None


def test_one_endless_word_is_cut_without_losing_its_mark() -> None:
    excerpt = Sought("aaa").excerpt("a" * 50_000)
    assert excerpt is not None
    assert (len(excerpt.text), excerpt.marks) == (161, [[0, 160]])


async def test_a_note_whose_file_went_away_is_found_without_a_piece_of_it(page: OpenPage) -> None:
    gone = page.write("We deploy on Tuesdays", body="Deploy with care.")
    assert (await page.part("list", q="deploy"))["notes"][0]["excerpt"]["text"] == "Deploy with care."
    page.file(gone).unlink()
    found = (await page.part("list", q="deploy"))["notes"]
    assert [one["excerpt"] for one in found] in ([], [None])
