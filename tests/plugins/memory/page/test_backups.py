"""Backups on the page: what was there, what is there now, and back again."""

import pytest

from oharness.disk.backups import LISTED
from oharness.memory.forget import forget
from oharness.memory.restoring import NotRestorable
from tests.plugins.memory.page.conftest import OpenPage

pytestmark = pytest.mark.memory


async def test_a_backup_is_shown_beside_the_present_version(page: OpenPage) -> None:
    note_id = page.write("Title", "old")
    page.write("Title", "new", id=note_id)
    [row] = (await page.part("backups"))["backups"]
    shown = await page.part("backup", backup=row["backup"])
    assert (shown["version"]["body"], shown["present"]["body"], shown["same"]) == ("old", "new", False)


async def test_restoring_backs_up_the_version_it_replaces(page: OpenPage) -> None:
    note_id = page.write("Title", "old")
    page.write("Title", "new", id=note_id)
    [row] = (await page.part("backups"))["backups"]
    done = await page.do("restore", backup=row["backup"])
    assert done["go"]["query"]["note"] == note_id
    assert (await page.part("note", id=note_id))["body"] == "old"
    latest = (await page.part("backups"))["backups"][0]
    assert (latest["reason"], (await page.part("backup", backup=latest["backup"]))["version"]["body"]) == (
        "restore",
        "new",
    )


async def test_old_backups_are_listed_as_such_and_restorable(page: OpenPage) -> None:
    folder = page.memory.around.home.backups / "user"
    folder.mkdir(parents=True)
    (folder / "1700000000000-likes-tea.md").write_text('---\n{"id":"likes-tea","summary":"Likes tea"}\n---\nGreen.')
    [row] = (await page.part("backups"))["backups"]
    assert (row["old"], row["reason"], row["restorable"]) == (True, "unknown", True)
    await page.do("restore", backup=row["backup"])
    assert (await page.part("note", id="likes-tea"))["scope"] == "user"


async def test_a_backup_of_bytes_that_are_no_note_is_shown_as_they_are(page: OpenPage) -> None:
    folder = page.memory.around.home.backups / "user"
    folder.mkdir(parents=True)
    (folder / "1700000000000-broken.md").write_text("not a note <script>")
    shown = await page.part("backup", backup="user/1700000000000-broken")
    assert (shown["version"], shown["raw"], shown["restorable"]) == (None, "not a note <script>", False)
    with pytest.raises(NotRestorable):
        await page.do("restore", backup="user/1700000000000-broken")


async def test_a_note_lists_the_versions_that_it_replaced_and_no_other_notes(page: OpenPage) -> None:
    note_id = page.write("Title", "old", id="a")
    page.write("Another title", "new", id=note_id)
    page.write("Another title", "newer", id=note_id)
    for scope, other in (("project", "a-b"), ("user", "a")):
        page.write("Other", "one", id=other, scope=scope)
        page.write("Other", "two", id=other, scope=scope)
    versions = (await page.part("note", id=note_id, scope="project"))["versions"]
    assert [(one["reason"], one["summary"]) for one in versions] == [("update", ""), ("update", "Title")]
    shown = await page.part("backup", backup=versions[-1]["backup"])
    assert (shown["version"]["body"], shown["present"]["body"]) == ("old", "newer")


async def test_a_note_that_came_back_has_the_version_that_was_deleted(page: OpenPage) -> None:
    note_id = page.write("Title", "old", id="a")
    forget(page.memory, note_id, None)
    page.write("Title", "new", id=note_id)
    assert [one["reason"] for one in (await page.part("note", id=note_id))["versions"]] == ["forget"]


async def test_a_version_older_than_the_fifty_latest_backups_is_listed_and_comes_back(page: OpenPage) -> None:
    note_id = page.write("Title", "old", id="a")
    page.write("Title", "new", id=note_id)
    for count in range(LISTED + 2):
        page.write("Busy", f"text {count}", id="busy")
    [version] = (await page.part("note", id=note_id))["versions"]
    assert (await page.part("backup", backup=version["backup"]))["restorable"]
    await page.do("restore", backup=version["backup"])
    assert (await page.part("note", id=note_id))["body"] == "old"
    assert len((await page.part("note", id="busy"))["versions"]) == LISTED
