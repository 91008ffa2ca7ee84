"""Forgetting a note everywhere on the page: what there is, what went, and a page that goes on."""

import pytest

from oharness.memory.service import NoteNotFound
from tests.plugins.memory.page.conftest import OpenPage

pytestmark = pytest.mark.memory
SECRET = "zyxwordle"


def places(found: list[dict[str, object]]) -> set[object]:
    return {one["where"] for one in found}


def holding(page: OpenPage) -> list[str]:
    folders = (page.memory.around.home.root, page.file("x").parent)
    files = [file for folder in folders for file in folder.rglob("*") if file.is_file()]
    return [str(file) for file in files if SECRET.encode() in file.read_bytes()]


async def test_what_there_is_of_a_note_is_listed_before_it_is_asked_for(page: OpenPage) -> None:
    note_id = page.write("The back door", f"Its code is {SECRET}.")
    page.write("The back door", f"Its code is still {SECRET}.", id=note_id)
    shown = await page.part("traces", id=note_id, scope="project")
    assert shown["summary"] == "The back door"
    assert {"note", "backups"} <= places(shown["found"])
    assert page.file(note_id).exists()


async def test_nothing_of_a_forgotten_note_is_left_and_the_page_goes_on(page: OpenPage) -> None:
    note_id = page.write("The back door", f"Its code is {SECRET}.")
    page.write("The back door", f"Its code is still {SECRET}.", id=note_id)
    other = page.write("The front door", "It has a bell.")
    assert holding(page)
    done = await page.do("forget-everywhere", id=note_id, scope="project")
    assert done["part"] == "forgotten"
    assert {"note", "backups"} <= places(done["data"]["removed"])
    assert holding(page) == []
    assert [one["id"] for one in (await page.part("list"))["notes"]] == [other]
    assert [one["id"] for one in (await page.part("list", q="doors"))["notes"]] == [other]
    written = page.write("The side door", "It is shut.")
    assert {one["id"] for one in (await page.part("list", q="doors"))["notes"]} == {other, written}


async def test_a_note_that_is_deleted_already_is_forgotten_too(page: OpenPage) -> None:
    note_id = page.write("The back door", f"Its code is {SECRET}.")
    await page.do("delete", id=note_id, scope="project")
    shown = await page.part("traces", id=note_id, scope="project")
    assert (shown["summary"], "backups" in places(shown["found"])) == ("", True)
    await page.do("forget-everywhere", id=note_id, scope="project")
    assert holding(page) == []


async def test_a_note_that_never_was_is_said_to_be_none(page: OpenPage) -> None:
    with pytest.raises(NoteNotFound):
        await page.part("traces", id="nothing-a1b", scope="project")
