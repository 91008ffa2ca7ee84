"""The place for tidying: findings, dismissing, drafts, merging over what was seen, and taking it back."""

import json
from pathlib import Path
from typing import Any

import pytest

from oharness.harness.model import ModelFailed
from oharness.notes.batch import NotesChanged
from oharness.testing.model import ScriptedModel, says
from oharness.wiring.harness import Harness
from tests.plugins.memory.page.conftest import OpenPage

pytestmark = pytest.mark.memory


async def two_of_one_subject(page: OpenPage) -> dict[str, Any]:
    """A finding about two notes that say nearly the same."""
    page.write("Pricing cards use fills, not borders", "Fill and whitespace.", tags="design cards pricing", id="old")
    page.write("Pricing cards use fills and no borders", "The radius is 12 px.", tags="design cards pricing", id="new")
    page.write("Layout", "See [[new]].", id="layout")
    [found] = [one for one in (await page.part("tidy"))["findings"] if one["kind"] == "same-subject"]
    return {"id": found["id"], "ids": " ".join(note["id"] for note in found["notes"]), "scope": found["scope"]}


async def drafted(page: OpenPage, found: dict[str, Any]) -> dict[str, Any]:
    """The fields of a merge's editor with the joined draft."""
    data = (await page.do("draft", ids=found["ids"], scope=found["scope"], draft="joined"))["data"]
    return {name: data[name] for name in ("ids", "scope", "seen", "summary", "body")}


async def test_findings_name_their_notes_and_what_they_are_about(page: OpenPage) -> None:
    page.write("Links to nothing", "See [[nowhere]].", id="linking")
    [found] = (await page.part("tidy"))["findings"]
    assert (found["kind"], found["details"]) == ("broken-link", ["nowhere"])
    assert found["notes"] == [{"id": "linking", "scope": "project", "summary": "Links to nothing"}]
    assert (await page.part("tabs"))["tidy"] == 1


async def test_a_dismissed_finding_comes_back_when_its_note_is_edited(page: OpenPage) -> None:
    page.write("Links to nothing", "See [[nowhere]].", id="linking")
    [found] = (await page.part("tidy"))["findings"]
    assert (await page.do("dismiss", finding=found["id"]))["part"] == "tidy"
    assert (await page.part("tidy"))["findings"] == []
    page.write("Links to nothing", "See [[nowhere]] again.", id="linking")
    assert len((await page.part("tidy"))["findings"]) == 1


async def test_merging_keeps_the_oldest_points_links_at_it_and_can_be_undone(page: OpenPage) -> None:
    found = await two_of_one_subject(page)
    before = {note_id: page.text(note_id) for note_id in ("old", "new", "layout")}
    done = await page.do("merge", **await drafted(page, found))
    assert (done["part"], done["data"]["kept"], done["data"]["deleted"]) == ("merged", "old", ["new"])
    assert "12 px" in page.text("old")
    assert "[[old]]" in page.text("layout")
    assert not page.file("new").exists()
    await page.do("unmerge", **done["undo"]["fields"])
    assert {note_id: page.text(note_id) for note_id in before} == before


async def test_a_text_that_lacks_a_fact_is_shown_again_with_it_until_the_loss_is_accepted(page: OpenPage) -> None:
    found = await two_of_one_subject(page)
    form = await drafted(page, found) | {"body": "Fill and whitespace."}
    told = await page.do("merge", **form)
    assert told["part"] == "merge"
    assert [one["text"] for one in told["data"]["missing"]] == ["12 px"]
    assert told["data"]["body"] == "Fill and whitespace."
    assert page.file("new").exists()
    assert (await page.do("merge", **form, accept="yes"))["part"] == "merged"


async def test_a_merge_of_notes_that_changed_since_is_refused(page: OpenPage) -> None:
    found = await two_of_one_subject(page)
    form = await drafted(page, found)
    page.write("Pricing cards use fills and no borders", "Edited meanwhile.", id="new")
    with pytest.raises(NotesChanged):
        await page.do("merge", **form)
    assert "Edited meanwhile." in page.text("new")


async def test_without_a_language_model_only_the_joined_draft_is_offered(tmp_path: Path, home: Path) -> None:
    async with await Harness.create(_shop(tmp_path), home, "offline") as harness:
        page = OpenPage(harness)
        found = await two_of_one_subject(page)
        assert (await page.part("tidy"))["hasModel"] is False
        with pytest.raises(ModelFailed):
            await page.do("draft", ids=found["ids"], scope=found["scope"], draft="model")


async def test_the_small_models_suggestion_stands_in_the_editor_with_what_it_lacks(tmp_path: Path, home: Path) -> None:
    answer = json.dumps({"summary": "Pricing cards use fills", "body": "Fill and whitespace."})
    async with await Harness.create(_shop(tmp_path), home, ScriptedModel([says(answer)])) as harness:
        page = OpenPage(harness)
        found = await two_of_one_subject(page)
        told = await page.do("draft", ids=found["ids"], scope=found["scope"], draft="model")
        assert (told["part"], told["data"]["summary"]) == ("merge", "Pricing cards use fills")
        assert "12 px" in [one["text"] for one in told["data"]["missing"]]
        assert page.file("new").exists()


def _shop(tmp_path: Path) -> Path:
    (tmp_path / "shop").mkdir()
    return tmp_path / "shop"


async def test_how_much_there_is_to_tidy_is_counted_when_somebody_asks_for_it(page: OpenPage) -> None:
    page.write("Layout", "See [[nowhere]].", id="layout")
    assert (await page.part("tabs"))["tidy"] is None
    assert (await page.part("tabs", count="1"))["tidy"] == 1
    assert (await page.part("tabs"))["tidy"] == 1
