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
