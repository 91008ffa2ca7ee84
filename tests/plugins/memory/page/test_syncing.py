"""Sync on the page: one switch, one time, what is asked and what was brought, without a cloud."""

import pytest

from oharness.core.clock import Millis
from oharness.disk.json_files import BrokenFile
from oharness.disk.plugins_file import SyncTarget, set_sync_target
from oharness.disk.sync_shapes import Guard, LastPull, Progress
from oharness.reconcile.guards import Paused, PauseReason
from oharness.sync.transport import SignedOut
from tests.plugins.memory.page.conftest import OpenPage

pytestmark = pytest.mark.sync


async def test_signed_out_says_so_and_asks_nothing_of_anybody(page: OpenPage) -> None:
    with pytest.raises(SignedOut):
        await page.do("sync-now")
    assert (await page.part("syncbar"))["signedOut"] is True


async def test_a_service_that_takes_no_token_is_told_of_as_signed_out(page: OpenPage) -> None:
    assert (await page.part("syncbar"))["signInRefused"] is False
    page.directory("user").state.save_progress(Progress(last_synced=Millis(1_000), error="SignedOut"))
    assert (await page.part("syncbar"))["signInRefused"] is True


async def test_one_switch_turns_both_scopes(page: OpenPage) -> None:
    await page.do("switch", on="false")
    shown = await page.part("sync")
    assert (shown["enabled"], [one["enabled"] for one in shown["scopes"]]) == (False, [False, False])
    assert [one["hold"] for one in shown["scopes"]] == ["off", "off"]
    await page.do("switch", on="true")
    assert (await page.part("sync"))["enabled"] is True


async def test_last_synced_is_the_older_of_the_two_and_errors_belong_to_a_scope(page: OpenPage) -> None:
    page.directory("project").state.save_progress(Progress(last_synced=Millis(2_000), error="ServiceUnreachable"))
    page.directory("user").state.save_progress(Progress(last_synced=Millis(1_000)))
    shown = await page.part("sync")
    assert shown["lastSynced"] == 1_000
    assert [(one["scope"], one["error"]) for one in shown["scopes"]] == [
        ("project", "ServiceUnreachable"),
        ("user", ""),
    ]


async def test_what_the_last_pull_brought_is_named_with_what_it_is_about(page: OpenPage) -> None:
    page.write("Here", id="here")
    pull = LastPull(added=("here",), removed=("gone",), at=Millis(5_000))
    page.directory("project").state.save_progress(Progress(pull=pull))
    shown = (await page.part("sync"))["scopes"][0]["pull"]
    assert shown["added"] == {"count": 1, "notes": [{"id": "here", "scope": "project", "summary": "Here"}]}
    assert shown["removed"]["notes"] == [{"id": "gone", "scope": None, "summary": None}]


async def test_a_free_plan_shows_its_limits_and_a_paid_one_none(page: OpenPage) -> None:
    state = page.directory("project").state
    state.save_progress(Progress(plan="free", paid=False, max_notes=200, max_body_bytes=16_384))
    assert (await page.part("sync"))["limits"] == {"notes": 200, "bytes": 16_384}
    state.save_progress(Progress(plan="paid", paid=True))
    assert (await page.part("sync"))["limits"] is None


async def test_notes_that_are_held_back_are_listed_with_the_reason(page: OpenPage) -> None:
    page.write("Large", id="large")
    page.directory("project").state.save_progress(Progress(held_back={"large": "plan_note_bytes"}))
    [held] = (await page.part("sync"))["scopes"][0]["heldBack"]
    assert held == {"id": "large", "scope": "project", "summary": "Large", "reason": "plan_note_bytes"}


async def test_a_paused_scope_says_why_and_takes_only_the_answers_that_fit(page: OpenPage) -> None:
    state = page.directory("project").state
    state.save_guard(Guard(paused=Paused(PauseReason.MANY_MISSING, ("a", "b"))))
    paused = (await page.part("sync"))["scopes"][0]["paused"]
    assert (paused["reason"], paused["count"], paused["answers"]) == ("many-missing", 2, ["delete", "restore"])
    done = await page.do("confirm", scope="project", choice="restore")
    assert done["toast"]["text"] == "Your answer is kept. Sync follows it once you have signed in."
    assert [str(one.choice) for one in state.guard().confirmed] == ["restore"]


async def test_another_account_pauses_and_offers_no_way_to_reassign(page: OpenPage) -> None:
    around, directory = page.memory.around, page.directory("project")
    set_sync_target(around.files, around.home, directory.scope, SyncTarget("ann", "https://cloud.test", True))
    shown = (await page.part("sync"))["scopes"][0]
    assert shown["pinned"] == {"userId": "ann", "origin": "https://cloud.test"}
    assert not [name for name in page.descriptor.actions if "assign" in name or "pin" in name]


async def test_a_file_of_sync_that_cannot_be_read_keeps_nobody_from_the_notes(page: OpenPage) -> None:
    page.write("Still here")
    page.memory.around.home.plugins_file.write_text("{ torn")
    shown = await page.descriptor.data({"part": "page"})
    assert [one["summary"] for one in shown["list"]["notes"]] == ["Still here"]
    assert isinstance(shown["sync"]["problem"], BrokenFile)
