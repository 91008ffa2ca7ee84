"""Conflicts on the page: three versions, four answers, and nothing that is not backed up."""

from typing import Any

import pytest

from oharness.memory.credential_gate import CredentialFound
from oharness.plugins.memory.page.conflicts import ConflictSeenOtherwise, MarksLeft
from oharness.sync.resolve import NoSuchConflict
from tests.plugins.memory.page.conftest import OpenPage

pytestmark = pytest.mark.sync

QUARREL = {"base": "a\nb\nc", "mine": "a\nmine\nc", "cloud": "a\ncloud\nc"}


async def seen_by(page: OpenPage) -> dict[str, Any]:
    shown: dict[str, Any] = (await page.part("conflicts", note="n", **{"in": "project"}))["conflict"]
    return shown


async def fields_of(page: OpenPage, **more: str) -> dict[str, str]:
    shown = await seen_by(page)
    return {"id": "n", "scope": "project", "seen": shown["seen"], **more}


async def kept_aside(page: OpenPage) -> list[str]:
    rows = (await page.part("backups"))["backups"]
    return [(await page.part("backup", backup=row["backup"]))["version"]["body"] for row in rows]


async def test_a_conflict_is_shown_with_its_three_versions_and_a_text_to_start_from(page: OpenPage) -> None:
    page.quarrel("n", **QUARREL)
    shown = await seen_by(page)
    bodies = [shown[side]["body"] for side in ("base", "mine", "cloud")]
    assert bodies == ["a\nb\nc", "a\nmine\nc", "a\ncloud\nc"]
    assert shown["combined"]["body"].split("\n") == [
        "a",
        "<<<<<<< this machine",
        "mine",
        "=======",
        "cloud",
        ">>>>>>> cloud",
        "c",
    ]
    assert (await page.part("tabs"))["conflicts"] == 1
    assert (await page.part("note", id="n"))["conflict"] is True


async def test_keeping_mine_backs_up_the_clouds(page: OpenPage) -> None:
    page.quarrel("n", **QUARREL)
    await page.do("resolve", **await fields_of(page, keep="mine"))
    assert (await page.part("note", id="n"))["body"] == "a\nmine\nc"
    assert await kept_aside(page) == ["a\ncloud\nc"]
    assert (await page.part("conflicts"))["conflicts"] == []


async def test_taking_the_clouds_backs_up_mine_and_the_list_knows_it_at_once(page: OpenPage) -> None:
    page.quarrel("n", **QUARREL)
    await page.do("resolve", **await fields_of(page, keep="cloud"))
    assert (await page.part("note", id="n"))["body"] == "a\ncloud\nc"
    assert await kept_aside(page) == ["a\nmine\nc"]


async def test_keeping_both_makes_the_clouds_a_note_beside(page: OpenPage) -> None:
    page.quarrel("n", **QUARREL)
    await page.do("resolve", **await fields_of(page, keep="both"))
    rows = (await page.part("list"))["notes"]
    bodies = {(await page.part("note", id=row["id"]))["body"] for row in rows}
    assert bodies == {"a\nmine\nc", "a\ncloud\nc"}


async def test_a_merge_by_hand_takes_the_place_of_both(page: OpenPage) -> None:
    page.quarrel("n", **QUARREL)
    merged = {"summary": "Peace", "body": "a\nmine and cloud\nc", "tags": "x", "type": "project"}
    await page.do("resolve", **await fields_of(page, keep="text", **merged))
    shown = await page.part("note", id="n")
    assert (shown["summary"], shown["body"], shown["tags"]) == ("Peace", "a\nmine and cloud\nc", ["x"])
    assert sorted(await kept_aside(page)) == ["a\ncloud\nc", "a\nmine\nc"]


async def test_a_merge_with_its_marks_left_in_is_refused_with_the_line(page: OpenPage) -> None:
    page.quarrel("n", **QUARREL)
    combined = (await seen_by(page))["combined"]["body"]
    with pytest.raises(MarksLeft) as refused:
        await page.do("resolve", **await fields_of(page, keep="text", summary="Title", body=combined))
    assert refused.value.line == 2
    assert (await page.part("tabs"))["conflicts"] == 1


async def test_a_merge_with_a_credential_is_refused(page: OpenPage) -> None:
    page.quarrel("n", **QUARREL)
    secret = "key AKIA" + "IOSFODNN7EXAMPLQ is ours"
    with pytest.raises(CredentialFound):
        await page.do("resolve", **await fields_of(page, keep="text", summary="Title", body=secret))


async def test_an_answer_to_versions_that_are_others_by_now_does_nothing(page: OpenPage) -> None:
    page.quarrel("n", **QUARREL)
    fields = await fields_of(page, keep="cloud")
    page.write("Quarrel", "edited since", id="n")
    with pytest.raises(ConflictSeenOtherwise):
        await page.do("resolve", **fields)
    assert (await page.part("note", id="n"))["body"] == "edited since"


async def test_a_note_deleted_in_the_cloud_long_ago_can_be_kept_or_deleted(page: OpenPage) -> None:
    page.quarrel("n", base="old", mine="mine", cloud=None)
    shown = await seen_by(page)
    assert (shown["cloud"], shown["combined"]["body"]) == (None, "mine")
    await page.do("resolve", **await fields_of(page, keep="cloud"))
    assert not page.file("n").exists()
    assert await kept_aside(page) == ["mine"]


async def test_a_conflict_that_is_over_is_said_to_be(page: OpenPage) -> None:
    assert (await page.part("conflicts", note="n"))["conflict"] is None
    assert (await page.part("unchanged", id="n", scope="project", seen="x"))["gone"] is True
    with pytest.raises(NoSuchConflict):
        await page.do("resolve", id="n", scope="project", seen="x", keep="mine")
