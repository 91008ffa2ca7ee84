"""Writing, changing and deleting on the page: over what was seen, with a backup, and never a lost text."""

from typing import Any

import pytest

from oharness.core.errors import StorageFailed
from oharness.memory.credential_gate import CredentialFound
from oharness.notes.limits import NoteTooLarge
from oharness.notes.valid import SummaryMissing, SummaryTooLong
from oharness.plugins.memory.page.editing import IdTakenThere
from tests.plugins.memory.page.conftest import OpenPage

pytestmark = pytest.mark.memory


async def opened(page: OpenPage, note_id: str, scope: str = "project") -> dict[str, Any]:
    """The fields of an editor that was just opened."""
    shown = await page.part("edit", id=note_id, scope=scope)
    return {
        "id": note_id,
        "scope": scope,
        "hash": shown["hash"],
        "summary": shown["summary"],
        "body": shown["body"],
        "type": shown["type"] or "",
        "tags": " ".join(shown["tags"]),
        "to": scope,
    }


async def test_a_new_note_is_written_and_opened(page: OpenPage) -> None:
    done = await page.do(
        "create", summary="We ship on Fridays", body="Why\r\nHow", type="project", tags="ship", to="project"
    )
    note_id = done["go"]["query"]["note"]
    assert (await page.part("note", id=note_id))["body"] == "Why\nHow"


async def test_a_note_without_a_scope_goes_where_its_type_belongs(page: OpenPage) -> None:
    done = await page.do("create", summary="Likes short answers", type="user")
    assert done["go"]["query"]["in"] == "user"


async def test_a_note_that_links_wait_for_gets_their_id_and_replaces_none(page: OpenPage) -> None:
    done = await page.do("create", id="layout", summary="Layout", to="project")
    assert done["go"]["query"]["note"] == "layout"
    told = await page.do("create", id="layout", summary="Another", to="project")
    assert (told["part"], told["data"]["theirs"]["summary"]) == ("moved", "Layout")
    assert (await page.part("note", id="layout"))["summary"] == "Layout"


async def test_saving_replaces_what_was_seen_and_backs_it_up(page: OpenPage) -> None:
    note_id = page.write("Before", "old text")
    form = await opened(page, note_id)
    done = await page.do("save", **form | {"summary": "After", "body": "new text"})
    assert done["part"] == "note"
    assert (await page.part("note", id=note_id))["summary"] == "After"
    [backup] = (await page.part("backups"))["backups"]
    assert (backup["reason"], backup["summary"]) == ("update", "Before")


async def test_the_second_of_two_tabs_is_told_and_sees_both_texts(page: OpenPage) -> None:
    note_id = page.write("Title", "one")
    first, second = await opened(page, note_id), await opened(page, note_id)
    await page.do("save", **first | {"body": "first tab"})
    told = await page.do("save", **second | {"body": "second tab"})
    assert told["part"] == "moved"
    assert told["data"]["mine"]["body"] == "second tab"
    assert told["data"]["theirs"]["body"] == "first tab"
    assert (await page.part("note", id=note_id))["body"] == "first tab"
    merged = await page.do("save", **second | {"body": "both tabs", "hash": told["data"]["hash"]})
    assert merged["part"] == "note"


async def test_a_note_deleted_under_the_editor_can_be_written_again(page: OpenPage) -> None:
    note_id = page.write("Title", "text")
    form = await opened(page, note_id)
    page.file(note_id).unlink()
    told = await page.do("save", **form | {"body": "kept text"})
    assert (told["part"], told["data"]["theirs"], told["data"]["mine"]["body"]) == ("moved", None, "kept text")
    await page.do("save", **form | {"body": "kept text", "hash": ""})
    assert (await page.part("note", id=note_id))["body"] == "kept text"


async def test_the_editor_is_told_when_its_note_changes(page: OpenPage) -> None:
    note_id = page.write("Title", "text")
    form = await opened(page, note_id)
    query = {"id": note_id, "scope": "project", "hash": form["hash"]}
    assert (await page.part("standing", **query))["changed"] is False
    page.write("Title", "other", id=note_id)
    assert (await page.part("standing", **query))["changed"] is True
    page.file(note_id).unlink()
    assert (await page.part("standing", **query))["gone"] is True


async def test_what_the_editor_does_not_show_stays_in_the_file(page: OpenPage) -> None:
    note_id = page.write("Title", "text")
    page.file(note_id).write_text(
        '---\n{"id":"ID","summary":"Title","type":"later","mood":"calm","createdAt":1789000000000}\n---\ntext'.replace(
            "ID", note_id
        )
    )
    form = await opened(page, note_id)
    await page.do("save", **form | {"body": "new"})
    assert '"mood":"calm"' in page.text(note_id)
    assert '"type":"later"' in page.text(note_id)
    assert '"createdAt":1789000000000' in page.text(note_id)


async def test_a_note_loses_its_type_and_its_tags_when_they_are_taken_out(page: OpenPage) -> None:
    note_id = page.write("Title", type="feedback", tags="a b")
    form = await opened(page, note_id)
    await page.do("save", **form | {"type": "", "tags": ""})
    shown = await page.part("note", id=note_id)
    assert (shown["type"], shown["tags"]) == (None, [])


async def test_moving_to_the_other_scope_leaves_a_backup_and_no_second_note(page: OpenPage) -> None:
    note_id = page.write("Title", "text", type="feedback")
    before = page.text(note_id)
    form = await opened(page, note_id)
    done = await page.do("save", **form | {"to": "user"})
    assert done["go"]["query"] == {"note": note_id, "in": "user"}
    assert not page.file(note_id).exists()
    assert page.text(note_id, "user").replace("\n", "").endswith("text")
    [backup] = (await page.part("backups"))["backups"]
    assert page.memory.backups.get(backup["backup"]).data.decode() == before


async def test_a_note_does_not_move_over_another(page: OpenPage) -> None:
    note_id = page.write("Title", "text", id="same")
    page.write("Other", "text", scope="user", id="same")
    form = await opened(page, note_id)
    with pytest.raises(IdTakenThere):
        await page.do("save", **form | {"to": "user"})
    assert page.file(note_id).exists()


async def test_deleting_can_be_undone(page: OpenPage) -> None:
    note_id = page.write("Title", "text")
    before = page.text(note_id)
    form = await opened(page, note_id)
    gone = await page.do("delete", **form)
    assert not page.file(note_id).exists()
    assert gone["undo"]["action"] == "restore"
    await page.do("restore", **gone["undo"]["fields"])
    assert page.text(note_id) == before


async def test_a_note_that_changed_since_it_was_shown_is_not_deleted(page: OpenPage) -> None:
    note_id = page.write("Title", "text")
    form = await opened(page, note_id)
    page.write("Title", "newer", id=note_id)
    told = await page.do("delete", **form)
    assert told["part"] == "note"
    assert page.file(note_id).exists()


async def test_credentials_are_refused_and_the_note_stays(page: OpenPage) -> None:
    note_id = page.write("Title", "text")
    form = await opened(page, note_id)
    with pytest.raises(CredentialFound):
        await page.do("save", **form | {"body": "key AKIA" + "IOSFODNN7EXAMPLQ is ours"})
    assert page.text(note_id).endswith("text\n") or page.text(note_id).endswith("text")


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"summary": "  "}, SummaryMissing),
        ({"summary": "x" * 301}, SummaryTooLong),
        ({"summary": "Title", "body": "ä" * 65_537}, NoteTooLarge),
    ],
)
async def test_what_cannot_be_a_note_is_refused(page: OpenPage, given: dict[str, str], error: type[Exception]) -> None:
    with pytest.raises(error):
        await page.do("create", **given)
    assert (await page.part("list"))["total"] == 0


async def test_a_body_of_exactly_the_limit_and_a_summary_of_three_hundred_characters_are_kept(page: OpenPage) -> None:
    done = await page.do("create", summary="x" * 300, body="b" * 131_072)
    shown = await page.part("note", id=done["go"]["query"]["note"])
    assert (len(shown["summary"]), shown["bytes"]) == (300, 131_072)


async def test_the_try_out_counts_the_note_as_it_stands_in_the_editor(page: OpenPage) -> None:
    page.write("Cards on the pricing page use fills")
    tried = await page.do(
        "try", message="when do we deploy the shop", summary="Deploys of the shop are on Thursday", tags=""
    )
    [draft] = [one for one in tried["data"]["notes"] if one["isDraft"]]
    assert draft["attached"] is True
    alone = await page.do("try", message="when do we deploy the shop")
    assert alone["data"]["notes"] == []
    assert (await page.part("list"))["total"] == 1


async def test_the_try_out_takes_the_draft_in_place_of_the_saved_note(page: OpenPage) -> None:
    note_id = page.write("Deploys of the shop are on Thursday")
    tried = await page.do("try", message="when do we deploy the shop", id=note_id, summary="Cards use fills")
    assert tried["data"]["notes"] == []


async def test_the_try_out_shows_a_withheld_note_as_withheld(page: OpenPage) -> None:
    leaking = page.write("Deploys of the shop are on Thursday")
    file = page.file(leaking)
    file.write_text(file.read_text(encoding="utf-8") + "\ntoken ghp_" + "a1B2" * 9 + "\n", encoding="utf-8")
    tried = await page.do("try", message="when do we deploy the shop")
    assert [(one["id"], one["reason"]) for one in tried["data"]["notes"]] == [(leaking, "credential")]


async def test_the_try_out_withholds_a_draft_with_a_credential(page: OpenPage) -> None:
    tried = await page.do(
        "try", message="when do we deploy the shop", summary="Deploys of the shop", body="token ghp_" + "a1B2" * 9
    )
    assert [(one["isDraft"], one["reason"]) for one in tried["data"]["notes"]] == [(True, "credential")]


async def test_a_preview_shows_the_body_with_its_links_and_writes_nothing(page: OpenPage) -> None:
    page.write("Layout", id="layout")
    done = await page.do("preview", body="See [[layout]] and [[nowhere]].")
    assert done["part"] == "preview"
    assert [one["summary"] for one in done["data"]["links"]] == ["Layout", None]
    assert (await page.part("tabs"))["notes"] == 1


async def test_a_project_that_was_renamed_does_not_come_back_with_one_note_in_it(page: OpenPage) -> None:
    root = page.memory.root
    assert root is not None
    elsewhere = root.rename(root.with_name("renamed"))
    with pytest.raises(StorageFailed):
        await page.do("create", summary="Written into nowhere", to="project")
    assert not root.exists()
    elsewhere.rename(root)
    assert "go" in await page.do("create", summary="Written where it belongs", to="project")
