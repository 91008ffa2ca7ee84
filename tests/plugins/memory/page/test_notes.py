"""The list and one note: found as they are typed, in pages, with links both ways."""

import pytest

from oharness.memory.service import NoteNotFound
from tests.plugins.memory.page.conftest import OpenPage

pytestmark = pytest.mark.memory


async def test_search_looks_through_both_scopes_and_finds_what_memory_search_finds(page: OpenPage) -> None:
    own = page.write("Deploys happen on Thursdays", scope="project")
    users = page.write("Prefers to deploy slowly", scope="user")
    page.write("Cards use fills", scope="project")
    found = await page.part("list", q="deploying")
    assert {(one["scope"], one["id"]) for one in found["notes"]} == {("project", own), ("user", users)}


async def test_a_word_that_is_half_typed_finds_the_notes_that_hold_its_letters(page: OpenPage) -> None:
    wanted = page.write("Postgres migrations run at night")
    page.write("Cards use fills")
    found = await page.part("list", q="migr")
    assert [one["id"] for one in found["notes"]] == [wanted]


async def test_the_list_is_filtered_by_scope_and_type(page: OpenPage) -> None:
    page.write("One", type="feedback")
    page.write("Two", type="reference")
    own = page.write("Three", type="feedback", scope="user")
    found = await page.part("list", scope="user", type="feedback")
    assert [one["id"] for one in found["notes"]] == [own]
    untyped = page.write("Four")
    assert [one["id"] for one in (await page.part("list", type="none"))["notes"]] == [untyped]


@pytest.mark.parametrize(("order", "first"), [("summary", "Alder"), ("id", "Alder"), ("updated", "Cedar")])
async def test_the_list_is_sorted_as_asked(page: OpenPage, order: str, first: str) -> None:
    for summary in ("Birch", "Alder", "Cedar"):
        page.write(summary, id=summary.lower())
    assert (await page.part("list", sort=order))["notes"][0]["summary"] == first


async def test_a_long_list_comes_in_pages_and_never_whole(page: OpenPage) -> None:
    folder = page.memory.services()[0].folder.path
    folder.mkdir(exist_ok=True)
    for number in range(120):
        (folder / f"n{number:03}.md").write_text(f'---\n{{"id":"n{number:03}","summary":"Note {number}"}}\n---\n')
    first = await page.part("list", sort="id")
    assert (len(first["notes"]), first["total"], first["next"]) == (50, 120, 50)
    last = await page.part("more", sort="id", offset="100")
    assert ([one["id"] for one in last["notes"]][-1], last["next"]) == ("n119", None)


async def test_what_no_address_may_ask_is_answered_with_the_beginning_of_the_list(page: OpenPage) -> None:
    page.write("One")
    odd = await page.part("list", offset="-5", limit="99999999999999", scope="x", type="y", sort="z", q="")
    assert odd["notes"] == []
    assert len((await page.part("list", offset="٣", sort="z"))["notes"]) == 1


async def test_a_note_is_shown_with_links_both_ways_and_where_it_lies(page: OpenPage) -> None:
    target = page.write("Layout of pricing", id="layout")
    source = page.write("Cards", "See [[layout]] and [[nowhere]].", tags="design, cards")
    shown = await page.part("note", id=source)
    assert shown["links"] == [
        {"id": "layout", "scope": "project", "summary": "Layout of pricing"},
        {"id": "nowhere", "scope": None, "summary": None},
    ]
    assert shown["tags"] == ["design", "cards"]
    assert shown["path"] == str(page.file(source))
    back = await page.part("note", id=target)
    assert [one["id"] for one in back["linkedFrom"]] == [source]


async def test_a_note_that_is_not_there_is_said_to_be_missing(page: OpenPage) -> None:
    with pytest.raises(NoteNotFound):
        await page.part("note", id="nothing")
    shown = await page.part("page", note="nothing")
    assert isinstance(shown["problem"], NoteNotFound)


async def test_what_an_editor_wrote_is_in_the_next_list(page: OpenPage) -> None:
    note_id = page.write("Before")
    assert (await page.part("note", id=note_id))["summary"] == "Before"
    page.file(note_id).write_text(page.text(note_id).replace("Before", "After"), encoding="utf-8")
    page.descriptor.changes and page.descriptor.changes(lambda: None)()
    assert (await page.part("note", id=note_id))["summary"] == "After"


async def test_of_five_thousand_tags_a_list_shows_a_few(page: OpenPage) -> None:
    note_id = page.write("Many tags", tags=" ".join(f"t{number}" for number in range(5000)))
    [row] = (await page.part("list"))["notes"]
    assert (len(row["tags"]), row["moreTags"]) == (6, 4994)
    assert len((await page.part("note", id=note_id))["tags"]) == 5000


async def test_problem_files_are_listed_with_their_reason(page: OpenPage) -> None:
    page.write("Good")
    (page.memory.services()[0].folder.path / "bad.md").write_text("no frontmatter")
    shown = await page.part("problems")
    assert [(one["name"], one["reason"]) for one in shown["problems"]] == [("bad.md", "no-frontmatter")]
    assert (await page.part("tabs"))["problems"] == 1


async def test_a_damaged_file_of_a_note_in_conflict_can_be_replaced_by_its_good_version(page: OpenPage) -> None:
    page.quarrel("n", base="a", mine="b", cloud="c")
    page.file("n").write_text("torn <html>")
    [problem] = (await page.part("problems"))["problems"]
    assert problem["mendable"] == "n"
    await page.do("mend", id="n", scope="project")
    assert (await page.part("note", id="n"))["body"] == "b"
    [backup] = (await page.part("backups"))["backups"]
    assert (backup["reason"], page.memory.backups.get(backup["backup"]).data) == ("damage", b"torn <html>")
