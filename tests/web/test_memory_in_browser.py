"""The Memory page in a real browser: finding, reading, writing, answering, undoing, and never a lost text."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Page, Route, expect
from playwright.async_api import TimeoutError as PlaywrightTimeoutError

from oharness.core.scopes import ScopeKind
from oharness.memory.remember import RememberRequest, remember
from oharness.testing.memory_samples import fill
from tests.web.conftest import LiveSite, OpenPage, environment_of, serious_findings, served_site, shot

pytestmark = pytest.mark.asyncio(loop_scope="session")

PLACES = ("", "view=tidy", "view=sync", "view=conflicts", "view=backups", "view=problems")
MODES = [("en", False), ("zh-CN", True)]


@pytest_asyncio.fixture(loop_scope="session")
async def notes_site(home: Path, tmp_path: Path) -> AsyncIterator[LiveSite]:
    """An app with notes of every kind, conflicts and backups; nobody is signed in."""
    environment = environment_of(tmp_path / "shop", home)
    fill(environment)
    async with served_site(environment) as served:
        yield served


def file_of(site: LiveSite, note_id: str, scope: str = "project") -> Path:
    """Where a note lies."""
    memory = site.harness.open_memory
    assert memory is not None
    return memory.service(ScopeKind(scope)).folder.note_path(note_id)


def write(site: LiveSite, note_id: str, summary: str, body: str) -> None:
    """A note is written behind the browser's back."""
    memory = site.harness.open_memory
    assert memory is not None
    remember(memory, RememberRequest(summary, body, scope=ScopeKind.PROJECT, id=note_id))


async def edit(page: Page) -> None:
    """Opens the editor of the note that is shown."""
    await page.keyboard.press("e")
    await expect(page.locator("#memory-form [name=body]")).to_be_visible()


# --- finding and reading


async def test_notes_are_found_while_one_types_and_read_beside_the_list(
    notes_site: LiveSite, open_page: OpenPage
) -> None:
    page = await open_page(notes_site, "memory")
    await page.keyboard.press("/")
    await page.keyboard.type("pricing car")
    await expect(page.locator(".memory-row").first).to_contain_text("Pricing cards use fills")
    await page.keyboard.press("Escape")
    await page.keyboard.press("j")
    await page.keyboard.press("Enter")
    await expect(page.locator("#memory-note h2")).to_have_text("Pricing cards use fills, not borders")
    assert "note=pricing-borderless-3fa" in page.url
    await page.get_by_role("link", name="The pricing page has three columns").first.click()
    await expect(page.locator("#memory-note h2")).to_contain_text("three columns")
    await expect(page.locator(".memory-links")).to_contain_text("Linked from")
    await page.go_back()
    await expect(page.locator("#memory-note h2")).to_have_text("Pricing cards use fills, not borders")


async def test_filters_and_order_change_the_list(notes_site: LiveSite, open_page: OpenPage) -> None:
    page = await open_page(notes_site, "memory")
    await page.select_option("[name=scope]", "user")
    await expect(page.locator(".memory-row")).to_have_count(3)
    await page.select_option("[name=type]", "feedback")
    await expect(page.locator(".memory-row")).to_have_count(1)
    await page.select_option("[name=type]", "")
    await page.select_option("[name=sort]", "summary")
    await expect(page.locator(".memory-row").first).to_contain_text("Backend engineer")


async def test_a_search_without_a_find_says_what_to_do(notes_site: LiveSite, open_page: OpenPage) -> None:
    page = await open_page(notes_site, "memory")
    await page.fill("#memory-q", "zzzyyy")
    await expect(page.locator("#memory-list h2")).to_have_text("No note fits")
    await page.get_by_role("link", name="Show all notes").click()
    await expect(page.locator(".memory-row")).to_have_count(14)


# --- writing


@pytest.mark.parametrize(("language", "new", "save"), [("en", "New note", "Save"), ("zh-CN", "新笔记", "保存")])
async def test_a_note_is_written_changed_deleted_and_brought_back(
    live_site: LiveSite, open_page: OpenPage, language: str, new: str, save: str
) -> None:
    page = await open_page(live_site, "memory", language=language)
    await page.get_by_role("link", name=new).first.click()
    await page.fill("[name=summary]", "We ship on Fridays 每周五发布")
    await page.fill("[name=body]", "**Why:** the week is *over*.")
    await page.get_by_role("button", name=save, exact=True).click()
    await expect(page.locator("#memory-note h2")).to_have_text("We ship on Fridays 每周五发布")
    await expect(page.locator(".memory-prose strong")).to_have_text("Why:")
    await edit(page)
    await page.fill("[name=body]", "On Thursdays, in fact.")
    await page.keyboard.press("Control+Enter")
    await expect(page.locator(".memory-prose")).to_have_text("On Thursdays, in fact.")
    await page.keyboard.press("d")
    await expect(page.locator(".memory-row")).to_have_count(0)
    await page.locator("#toasts button", has_text="Undo" if language == "en" else "撤销").click()
    await expect(page.locator(".memory-prose")).to_have_text("On Thursdays, in fact.")


async def test_the_try_out_says_what_would_be_recalled_while_one_writes(
    notes_site: LiveSite, open_page: OpenPage
) -> None:
    page = await open_page(notes_site, "memory", query="new=1")
    await page.fill("[name=summary]", "Invoices go out on the first of the month")
    await page.locator(".memory-try summary").click()
    await page.fill(".memory-try-message", "when do invoices go out?")
    await expect(page.locator(".memory-tried")).to_contain_text("This note")
    await expect(page.locator(".memory-attached")).to_have_count(1)
    await page.fill("[name=summary]", "Something else entirely")
    await expect(page.locator(".memory-attached")).to_have_count(0)
    assert await page.input_value("[name=summary]") == "Something else entirely"


async def test_a_credential_is_refused_with_a_sentence_and_the_text_stays(
    notes_site: LiveSite, open_page: OpenPage
) -> None:
    page = await open_page(notes_site, "memory", query="note=colour-without-type&in=project&edit=1")
    secret = "the key is AKIA" + "IOSFODNN7EXAMPLQ"
    await page.fill("[name=body]", secret)
    await page.get_by_role("button", name="Save", exact=True).click()
    await expect(page.locator("#memory-form .problem")).to_contain_text("credential")
    assert await page.input_value("[name=body]") == secret


async def test_the_second_of_two_tabs_is_told_and_can_merge(notes_site: LiveSite, open_page: OpenPage) -> None:
    query = "note=fr-accessibilite&in=project&edit=1"
    first = await open_page(notes_site, "memory", query=query)
    second = await open_page(notes_site, "memory", query=query)
    await second.fill("[name=body]", "Clair et sombre.\nLigne du second.")
    await first.fill("[name=body]", "Clair et sombre.\nLigne du premier.")
    await first.get_by_role("button", name="Save", exact=True).click()
    await expect(first.locator(".memory-prose")).to_contain_text("premier")
    await expect(second.locator(".memory-standing")).to_contain_text("changed elsewhere", timeout=30_000)
    assert await second.input_value("[name=body]") == "Clair et sombre.\nLigne du second."
    await second.get_by_role("button", name="Save", exact=True).click()
    await expect(second.locator(".memory-moved")).to_contain_text("Ligne du premier.")
    await shot(second, "memory/moved")
    assert await serious_findings(second) == []
    assert await second.input_value("[name=body]") == "Clair et sombre.\nLigne du second."
    await second.get_by_role("button", name="both, one after the other").click()
    both = await second.input_value("[name=body]")
    assert both.split("\n") == ["Clair et sombre.", "Ligne du second.", "Ligne du premier."]
    await second.get_by_role("button", name="Save", exact=True).click()
    await expect(second.locator("#memory-note .memory-prose")).to_contain_text("Ligne du premier.")
    assert both in file_of(notes_site, "fr-accessibilite").read_text()


async def test_a_note_deleted_under_the_editor_is_said_to_be_and_can_be_written_again(
    notes_site: LiveSite, open_page: OpenPage
) -> None:
    page = await open_page(notes_site, "memory", query="note=time-zone&in=user&edit=1")
    await page.fill("[name=body]", "Kept text")
    file_of(notes_site, "time-zone", "user").unlink()
    await expect(page.locator(".memory-standing")).to_contain_text("deleted", timeout=30_000)
    assert await page.input_value("[name=body]") == "Kept text"
    await page.get_by_role("button", name="Save", exact=True).click()
    await page.get_by_role("button", name="Write the note again").click()
    await expect(page.locator(".memory-prose")).to_have_text("Kept text")


async def test_a_text_in_the_editor_outlives_a_server_that_stops(
    home: Path, tmp_path: Path, open_page: OpenPage
) -> None:
    environment = environment_of(tmp_path / "shop", home)
    fill(environment)
    async with served_site(environment) as site:
        port = int(site.url.rpartition(":")[2])
        page = await open_page(site, "memory", query="note=short-answers&in=user&edit=1")
        await page.fill("[name=body]", "Written before the server stopped")
    await page.get_by_role("button", name="Save", exact=True).click()
    await expect(page.locator("#away")).to_be_visible(timeout=30_000)
    assert await page.input_value("[name=body]") == "Written before the server stopped"
    async with served_site(environment, port=port) as site:
        await page.goto(site.address("memory"))
        await page.goto(f"{site.url}/p/{site.key}/memory?note=short-answers&in=user&edit=1")
        assert await page.input_value("[name=body]") == "Written before the server stopped"
        await page.get_by_role("button", name="Save", exact=True).click()
        await expect(page.locator(".memory-prose")).to_have_text("Written before the server stopped")


async def test_a_text_in_the_editor_outlives_a_session_that_ended(notes_site: LiveSite, open_page: OpenPage) -> None:
    page = await open_page(notes_site, "memory", query="note=short-answers&in=user&edit=1")
    await page.fill("[name=body]", "Written in a session that ended")
    await page.context.clear_cookies()
    await page.get_by_role("button", name="Save", exact=True).click()
    await expect(page.locator("#expired")).to_be_visible()
    assert await page.input_value("[name=body]") == "Written in a session that ended"


# --- live


async def test_what_an_editor_writes_shows_without_a_reload_and_without_touching_what_is_typed(
    notes_site: LiveSite, open_page: OpenPage
) -> None:
    page = await open_page(notes_site, "memory", query="new=1")
    await page.fill("[name=summary]", "Half a thought")
    path = file_of(notes_site, "pricing-layout-a91")
    path.write_text(path.read_text().replace("has three columns", "has five columns"), encoding="utf-8")
    await expect(page.locator("#memory-list")).to_contain_text("has five columns", timeout=30_000)
    assert await page.input_value("[name=summary]") == "Half a thought"


async def test_a_note_that_is_read_changes_before_the_readers_eyes(notes_site: LiveSite, open_page: OpenPage) -> None:
    page = await open_page(notes_site, "memory", query="note=pricing-layout-a91&in=project")
    write(notes_site, "pricing-layout-a91", "Now two columns", "Only two.")
    await expect(page.locator("#memory-note h2")).to_have_text("Now two columns")
    await expect(page.locator(".memory-prose")).to_have_text("Only two.")


# --- conflicts, backups, sync


@pytest.mark.parametrize(
    ("language", "button", "kept"),
    [
        ("en", "Keep this machine's version", "Tuesdays and Thursdays"),
        ("zh-CN", "采用云端版本", "Tuesdays and Wednesdays"),
    ],
)
async def test_a_conflict_is_answered_and_what_is_set_aside_is_in_the_backups(
    notes_site: LiveSite, open_page: OpenPage, language: str, button: str, kept: str
) -> None:
    page = await open_page(notes_site, "memory", language=language, query="view=conflicts")
    await page.locator(".memory-row-card", has_text="We deploy on").click()
    await expect(page.locator(".memory-three > section")).to_have_count(3)
    await expect(page.locator(".memory-three ins").first).to_be_visible()
    await page.get_by_role("button", name=button).click()
    await expect(page.locator(".memory-row-card")).to_have_count(1)
    assert kept in file_of(notes_site, "deploy-day-x1f").read_text()
    await page.keyboard.press("5")
    await expect(page.locator(".memory-backup").first).to_contain_text("We deploy on")


async def test_keeping_both_leaves_two_notes(notes_site: LiveSite, open_page: OpenPage) -> None:
    page = await open_page(notes_site, "memory", query="view=conflicts&note=deploy-day-x1f&in=project")
    await page.get_by_role("button", name="Keep both").click()
    await page.wait_for_url("**/memory?view=conflicts")
    await page.keyboard.press("1")
    await page.fill("#memory-q", "deploy Tuesdays")
    await expect(page.locator("#memory-list")).to_contain_text("Wednesdays")
    await expect(page.locator("#memory-list")).to_contain_text("Thursdays")


async def test_a_merge_by_hand_starts_from_the_combined_text_and_leaves_no_marks(
    notes_site: LiveSite, open_page: OpenPage
) -> None:
    page = await open_page(notes_site, "memory", query="view=conflicts&note=deploy-day-x1f&in=project")
    await page.locator(".memory-merge summary").click()
    start = await page.input_value(".memory-merge [name=body]")
    assert "<<<<<<< this machine" in start
    await page.get_by_role("button", name="Save the merged note").click()
    await expect(page.locator(".memory-merge .problem")).to_contain_text("still marks")
    assert await page.input_value(".memory-merge [name=body]") == start
    await page.fill(".memory-merge [name=body]", "Merged by hand")
    await page.get_by_role("button", name="Save the merged note").click()
    await page.wait_for_url("**/memory?view=conflicts")
    assert "Merged by hand" in file_of(notes_site, "deploy-day-x1f").read_text()


async def test_a_backup_is_looked_at_compared_and_restored(notes_site: LiveSite, open_page: OpenPage) -> None:
    page = await open_page(notes_site, "memory", query="view=backups")
    await page.get_by_role("button", name="Look at the backup of pricing-layout-a91").last.click()
    await expect(page.locator("#dialog ins").first).to_be_visible()
    await shot(page, "memory/backup")
    assert await serious_findings(page) == []
    await page.locator("#dialog").get_by_role("button", name="Restore").click()
    await expect(page.locator("#memory-note h2")).to_be_visible()
    await page.keyboard.press("5")
    await expect(page.locator(".memory-backup").first).to_contain_text("replaced by a restored version")


async def test_the_switch_covers_both_scopes_and_stays_off(notes_site: LiveSite, open_page: OpenPage) -> None:
    page = await open_page(notes_site, "memory", language="zh-CN", query="view=sync")
    await page.get_by_role("button", name="关闭云同步").click()
    await expect(page.locator("#memory-syncbar")).to_contain_text("云同步已关闭")
    await expect(page.locator("#memory-sync h2")).to_have_text("云同步已关闭")
    await page.reload()
    await page.get_by_role("button", name="开启云同步").click()
    await expect(page.get_by_role("button", name="立即同步")).to_be_visible()


async def test_a_paused_scope_is_answered_after_a_question(notes_site: LiveSite, open_page: OpenPage) -> None:
    page = await open_page(notes_site, "memory", query="view=sync")
    await page.get_by_role("button", name="Yes, delete them").click()
    await expect(page.locator("#confirm")).to_be_visible()
    await page.locator("#confirm").get_by_role("button", name="Cancel").click()
    await page.get_by_role("button", name="No, bring them back").click()
    await expect(page.locator(".memory-question")).to_have_count(0)


# --- for everybody


@pytest.mark.parametrize(("language", "dark"), MODES)
async def test_no_serious_finding_on_any_place_of_the_page(
    notes_site: LiveSite, open_page: OpenPage, language: str, dark: bool
) -> None:
    opened = ["note=pricing-layout-a91&in=project", "note=pricing-borderless-3fa&in=project&edit=1", "new=1"]
    conflict = "view=conflicts&note=deploy-day-x1f&in=project"
    page = await open_page(notes_site, "memory", language=language, dark=dark)
    for query in (*PLACES, *opened, conflict, "q=zzzyyy"):
        await page.goto(f"{notes_site.url}/p/{notes_site.key}/memory?{query}")
        assert await serious_findings(page) == [], query


@pytest.mark.parametrize(("width", "language"), [(320, "fr"), (1440, "en")])
async def test_nothing_is_wider_than_the_screen(
    notes_site: LiveSite, open_page: OpenPage, width: int, language: str
) -> None:
    write(notes_site, "wide", "x" * 300, "y" * 3000 + "\n\n" + "| a | b |\n|---|---|\n| " + "z" * 400 + " | 1 |")
    page = await open_page(notes_site, "memory", width=width, language=language)
    for query in (*PLACES, "note=wide&in=project", "note=ar-rtl-layout&in=project", "note=wide&in=project&edit=1"):
        await page.goto(f"{notes_site.url}/p/{notes_site.key}/memory?{query}")
        too_wide = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert too_wide <= 0, query


async def test_text_that_looks_like_code_stays_text_everywhere(home: Path, tmp_path: Path, open_page: OpenPage) -> None:
    environment = environment_of(tmp_path / "shop", home)
    fill(environment)
    async with served_site(environment) as site:
        evil = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
        write(site, "evil", evil, f"{evil}\n\n[x](javascript:document.title='owned') [[{evil}]]")
        path = file_of(site, "evil")
        path.write_text(path.read_text().replace('"tags":[]', '"tags":["<script>document.title=1</script>"]'))
        (path.parent / "<img src=x onerror=alert(1)>.md").write_text("no note")
        conflict = environment.home.sync_state
        for one in conflict.rglob("deploy-day-x1f.json"):
            one.write_text(one.read_text().replace("any day", "<script>document.title='owned'</script>"))
        page = await open_page(site, "memory", query="note=evil&in=project")
        for query in (
            "note=evil&in=project",
            "note=evil&in=project&edit=1",
            "view=problems",
            "view=conflicts",
            "view=conflicts&note=deploy-day-x1f&in=project",
            "q=<script>document.title='owned'</script>",
        ):
            await page.goto(f"{site.url}/p/{site.key}/memory?{query}")
            await page.wait_for_timeout(50)
            assert "owned" not in await page.title(), query
            assert await page.locator("main script, main img").count() == 0, query
            assert await page.locator("main a[href^=javascript]").count() == 0, query


async def test_everything_is_reached_with_the_keyboard_alone(notes_site: LiveSite, open_page: OpenPage) -> None:
    page = await open_page(notes_site, "memory")
    await page.keyboard.press("n")
    await expect(page.locator("[name=summary]")).to_be_focused()
    await page.keyboard.type("Written without a mouse")
    await page.keyboard.press("Control+Enter")
    await expect(page.locator("#memory-note h2")).to_have_text("Written without a mouse")
    await page.keyboard.press("e")
    await expect(page.locator("[name=summary]")).to_be_focused()
    await page.keyboard.press("Tab")
    await page.keyboard.type("A body")
    await page.keyboard.press("Control+Enter")
    await expect(page.locator(".memory-prose")).to_have_text("A body")
    await page.keyboard.press("d")
    await expect(page.locator("#memory-pane")).to_contain_text("The note is deleted")
    await page.keyboard.press("4")
    await page.wait_for_url("**view=conflicts")
    await page.keyboard.press("j")
    await page.keyboard.press("Enter")
    await page.wait_for_selector(".memory-three")
    await page.keyboard.press("?")
    await expect(page.locator("#keys")).to_contain_text(
        "New note" if await page.locator("[data-key=n]").count() else "Notes"
    )


async def test_a_body_at_the_limit_and_five_thousand_tags_are_shown_and_kept(
    live_site: LiveSite, open_page: OpenPage
) -> None:
    page = await open_page(live_site, "memory", query="new=1")
    await page.fill("[name=summary]", "s" * 300)
    await page.fill("[name=body]", "شكرا mixed text 混合 " + "b" * 131_000)
    await page.fill("[name=tags]", " ".join(f"t{number}" for number in range(5000)))
    await page.get_by_role("button", name="Save", exact=True).click()
    await expect(page.locator("#memory-note h2")).to_have_text("s" * 300)
    await expect(page.locator(".memory-tags .tag")).to_have_count(60)
    await edit(page)
    assert len((await page.input_value("[name=tags]")).split(",")) == 5000
    assert await page.input_value("[name=body]") == "شكرا mixed text 混合 " + "b" * 131_000
    await page.fill("[name=body]", "b" * 131_073)
    await page.get_by_role("button", name="Save", exact=True).click()
    await expect(page.locator("#memory-form .problem")).to_be_visible()
    assert len(await page.input_value("[name=body]")) == 131_073


# --- tidying


@pytest.mark.parametrize(
    ("language", "merge", "apply", "undo"),
    [("en", "Merge manually", "Merge", "Undo the merge"), ("zh-CN", "手动合并", "合并", "撤销合并")],
)
async def test_notes_of_one_subject_are_merged_and_the_merge_is_undone(
    notes_site: LiveSite, open_page: OpenPage, language: str, merge: str, apply: str, undo: str
) -> None:
    page = await open_page(notes_site, "memory", language=language, query="view=tidy")
    assert await serious_findings(page) == []
    await page.get_by_role("button", name=merge).click()
    await expect(page.locator(".memory-merging .memory-sides > section")).to_have_count(2)
    await shot(page, f"memory/merge-{language}")
    assert await serious_findings(page) == []
    whole = await page.input_value("[name=body]")
    await page.fill("[name=body]", "Nothing of what they said.")
    await page.get_by_role("button", name=apply, exact=True).click()
    await expect(page.locator(".memory-missing")).to_contain_text("12 px")
    assert await page.input_value("[name=body]") == "Nothing of what they said."
    await page.fill("[name=body]", whole)
    await page.get_by_role("button", name=apply, exact=True).click()
    await page.locator("#memory-shown").get_by_role("button", name=undo).click()
    await expect(page.locator("#memory-note")).to_be_visible()
    assert file_of(notes_site, "pricing-cards-radius").exists()


async def test_a_finding_is_dismissed(notes_site: LiveSite, open_page: OpenPage) -> None:
    page = await open_page(notes_site, "memory", query="view=tidy")
    before = await page.locator(".memory-finding").count()
    await page.locator(".memory-finding").last.get_by_role("button", name="Dismiss").click()
    await expect(page.locator(".memory-finding")).to_have_count(before - 1)


async def test_a_draft_that_comes_back_is_not_saved_over_a_version_that_nobody_saw(
    notes_site: LiveSite, open_page: OpenPage
) -> None:
    query = "note=pricing-layout-a91&in=project&edit=1"
    page = await open_page(notes_site, "memory", query=query)
    await page.fill("[name=body]", "My half of it")
    await page.goto("about:blank")
    write(notes_site, "pricing-layout-a91", "The pricing page", "Written by somebody else")
    await page.goto(f"{notes_site.url}/p/{notes_site.key}/memory?{query}")
    assert await page.input_value("[name=body]") == "My half of it"
    await page.get_by_role("button", name="Save", exact=True).click()
    await expect(page.locator(".memory-moved")).to_contain_text("Written by somebody else")
    assert "Written by somebody else" in file_of(notes_site, "pricing-layout-a91").read_text()


async def test_what_an_action_did_is_said_on_the_page_it_leads_to(notes_site: LiveSite, open_page: OpenPage) -> None:
    page = await open_page(notes_site, "memory", query="new=1", language="zh-CN")
    await page.fill("#memory-form [name=summary]", "Lunch is at noon")
    await page.keyboard.press("Control+Enter")
    await expect(page.locator("#memory-note h2")).to_have_text("Lunch is at noon")
    await expect(page.locator(".toast")).to_have_count(1)
    await expect(page.locator(".toast")).to_contain_text("已保存")
    await page.reload()
    await expect(page.locator(".toast")).to_have_count(0)


async def test_a_body_is_previewed_while_it_is_written(notes_site: LiveSite, open_page: OpenPage) -> None:
    page = await open_page(notes_site, "memory", query="new=1")
    await expect(page.locator("[data-forget-draft]")).to_be_hidden()
    await page.fill("#memory-form [name=body]", "**Why:** <i>no</i> ![x](https://example.invalid/x.png)")
    await page.get_by_role("button", name="Preview").press("Enter")
    await expect(page.locator(".memory-body-preview strong")).to_have_text("Why:")
    assert await page.locator(".memory-body-preview :is(i, img)").count() == 0
    assert await serious_findings(page) == []
    await page.get_by_role("button", name="Go on writing").press("Enter")
    await expect(page.locator("#memory-form [name=body]")).to_be_focused()


async def test_found_words_are_marked_and_what_waits_for_tidying_is_counted(
    notes_site: LiveSite, open_page: OpenPage
) -> None:
    page = await open_page(notes_site, "memory", query="q=deploying")
    await expect(page.locator(".memory-row mark").first).to_have_text("deploy")
    await expect(page.locator("#memory-tab-tidy .badge")).to_be_visible()


async def test_a_search_shows_the_piece_of_the_body_that_it_found_and_puts_what_fits_best_first(
    notes_site: LiveSite, open_page: OpenPage
) -> None:
    write(notes_site, "gateway-rollback-a1b", "Rollback of the payment gateway", "One click in the console.")
    write(
        notes_site, "monday-notes-c2d", "Notes of Monday", "# Talk\n\nSomebody asked for the **payment gateway** again."
    )
    page = await open_page(notes_site, "memory")
    order = page.locator("[name=sort] option:checked")
    await expect(order).to_have_text("Updated")
    await page.fill("#memory-q", "payment gateway")
    await expect(page.locator(".memory-row")).to_have_count(2)
    await expect(order).to_have_text("Best match")
    await expect(page.locator(".memory-row-title").first).to_have_text("Rollback of the payment gateway")
    await expect(page.locator(".memory-row-excerpt")).to_have_text("Talk Somebody asked for the payment gateway again.")
    assert await page.locator(".memory-row-excerpt mark").all_text_contents() == ["payment", "gateway"]
    assert await serious_findings(page) == []
    await shot(page, "memory-search")
    await page.select_option("[name=sort]", "updated")
    await expect(page.locator(".memory-row-title").first).to_have_text("Notes of Monday")
    await page.fill("#memory-q", "")
    await expect(page.locator(".memory-row-title").first).to_have_text("Notes of Monday")
    await expect(order).to_have_text("Updated")


async def test_an_answer_that_was_overtaken_is_not_shown(notes_site: LiveSite, open_page: OpenPage) -> None:
    page = await open_page(notes_site, "memory")
    goes_on, is_late = asyncio.Event(), asyncio.Event()

    async def first_one_late(route: Route) -> None:
        if not is_late.is_set():
            is_late.set()
            await goes_on.wait()
        await route.continue_()

    await page.route("**/memory/list*", first_one_late)
    await page.evaluate("htmx.trigger(document.body, 'changed-memory')")
    await is_late.wait()
    await page.fill("#memory-q", "pricing cards")
    await expect(page.locator(".memory-row")).to_have_count(3)
    answered = """window.late = new Promise((done) => document.body.addEventListener("htmx:afterRequest",
        (event) => { if (event.detail.elt.id === "memory-list") requestAnimationFrame(done); }))"""
    await page.evaluate(answered + "; undefined")
    goes_on.set()
    await page.evaluate("window.late.then(() => undefined)")
    await expect(page.locator(".memory-row")).to_have_count(3)


@pytest.mark.parametrize("width", [1280, 390])
async def test_a_search_is_still_there_after_a_look_at_what_it_found(
    notes_site: LiveSite, open_page: OpenPage, width: int
) -> None:
    page = await open_page(notes_site, "memory", width=width)
    await page.fill("#memory-q", "pricing cards")
    await expect(page.locator(".memory-row")).to_have_count(3)
    for way in ("back", "reload", "link"):
        await page.locator(".memory-row").nth(1).click()
        await expect(page.locator("#memory-note")).to_be_visible()
        match way:
            case "back":
                await page.go_back()
            case "reload":
                await page.reload()
                await page.go_back()
            case _ if width == 390:
                await page.get_by_role("link", name="All notes").click()
                await expect(page.locator(".memory-row").nth(1)).to_be_focused()
        await expect(page.locator(".memory-row").nth(1)).to_be_visible()
        await expect(page.locator("#memory-q")).to_have_value("pricing cards")
        await expect(page.locator(".memory-row")).to_have_count(3)


@pytest.mark.parametrize(("language", "dark", "label"), [("en", False, "Earlier versions"), ("pt-BR", True, "Versões")])
async def test_a_note_shows_its_own_earlier_versions_and_takes_one_back_by_keyboard(
    notes_site: LiveSite, open_page: OpenPage, language: str, dark: bool, label: str
) -> None:
    for body in ("first", "second", "third"):
        write(notes_site, "gateway-rollback-a1b", f"Rollback, {body} thought", body)
    page = await open_page(notes_site, "memory", language=language, dark=dark, query="note=gateway-rollback-a1b")
    await expect(page.locator("#memory-versions summary")).to_contain_text(label)
    await page.keyboard.press("h")
    await expect(page.locator(".memory-version")).to_have_count(2)
    await expect(page.locator(".memory-version-title").last).to_have_text("Rollback, first thought")
    write(notes_site, "gateway-rollback-a1b", "Rollback, fourth thought", "fourth")
    await expect(page.locator(".memory-version")).to_have_count(3)
    await expect(page.locator(".memory-version").last).to_be_visible()
    assert await serious_findings(page) == []
    await shot(page, f"memory-versions-{language}")
    await page.locator("#memory-versions summary").focus()
    for key in ("Tab", "j", "j", "Enter"):
        await page.keyboard.press(key)
    await expect(page.locator("#dialog del")).to_contain_text(["fourth", "fourth"])
    assert await serious_findings(page) == []
    await page.locator("#dialog form button").press("Enter")
    await expect(page.locator("#memory-note .memory-prose")).to_have_text("first")
    await expect(page.locator("#memory-versions .badge")).to_have_text("4")


async def test_the_list_of_projects_lies_above_the_page(notes_site: LiveSite, open_page: OpenPage) -> None:
    page = await open_page(notes_site, "memory", width=1440)
    await page.keyboard.press("p")
    on_top = """() => { const box = document.querySelector(".project-menu .menu-list").getBoundingClientRect();
        return document.elementFromPoint(box.right - 12, box.top + 20).closest(".menu-list") !== null; }"""
    assert await page.evaluate(on_top)


async def test_a_button_that_is_pressed_while_its_note_is_drawn_anew_does_what_it_says(
    notes_site: LiveSite, open_page: OpenPage
) -> None:
    page = await open_page(notes_site, "memory", query="note=pricing-layout-a91&in=project")
    pressed = """() => { const form = document.querySelector("#memory-note form");
        const early = form.cloneNode(true); form.after(early);
        early.querySelector("button").click(); early.remove(); }"""
    await page.evaluate(pressed)
    await expect(page.get_by_text("Deleted pricing-layout-a91.")).to_be_visible()
    assert not file_of(notes_site, "pricing-layout-a91").exists()


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
async def test_a_note_is_forgotten_everywhere_after_a_look_at_what_there_is(
    notes_site: LiveSite, open_page: OpenPage, width: int, dark: bool
) -> None:
    for body in ("The code is zyxwordle.", "The code is still zyxwordle."):
        write(notes_site, "door-code-x1f", "The back door", body)
    page = await open_page(notes_site, "memory", width=width, dark=dark, query="note=door-code-x1f&in=project")
    await edit(page)
    await page.fill("#memory-form [name=body]", "zyxwordle no more")
    await page.get_by_role("link", name="Cancel").click()
    await expect(page.locator("#memory-form")).to_have_count(0)
    traces = page.locator("#dialog .memory-traces").first
    for _ in range(10):  # a key that is pressed while the note is drawn anew meets a button that is gone
        await page.get_by_role("button", name="Forget everywhere").press("Enter")
        with contextlib.suppress(PlaywrightTimeoutError):
            await traces.wait_for(timeout=3_000)
            break
    await expect(traces).to_contain_text("backups")
    assert await serious_findings(page) == []
    await shot(page, f"memory-forget-{width}")
    await page.keyboard.press("Escape")
    await expect(page.locator("#memory-note h2")).to_be_visible()
    assert file_of(notes_site, "door-code-x1f").exists()
    await page.get_by_role("button", name="Forget everywhere").press("Enter")
    await page.get_by_role("button", name="Forget for good").press("Enter")
    await expect(page.locator(".memory-forgotten h2")).to_have_text("The note is forgotten everywhere")
    await expect(page.locator("[data-note='project/door-code-x1f']")).to_have_count(0)
    assert await serious_findings(page) == []
    await shot(page, f"memory-forgotten-{width}")
    assert not file_of(notes_site, "door-code-x1f").exists()
    assert "note=" not in page.url, "a reload would look for it"
    assert "zyxwordle" not in await page.evaluate("JSON.stringify(sessionStorage)")
    home = notes_site.environment.home.root
    assert not [file for file in home.rglob("*") if file.is_file() and b"zyxwordle" in file.read_bytes()]


@pytest.mark.parametrize(("width", "language"), [(390, "en"), (320, "fr")])
async def test_on_a_phone_the_notes_begin_in_the_upper_half_and_menus_stay_on_the_screen(
    notes_site: LiveSite, open_page: OpenPage, width: int, language: str
) -> None:
    page = await open_page(notes_site, "memory", width=width, language=language)
    head = await page.locator(".side").bounding_box()
    first = await page.locator(".memory-row").first.bounding_box()
    assert head is not None
    assert first is not None
    assert head["height"] < 120
    assert first["y"] < 820 * 0.56
    for menu in (".project-menu", ".side-foot .menu"):
        await page.locator(f"{menu} summary").click()
        box = await page.locator(f"{menu} .menu-list").bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
    await shot(page, f"memory-phone-{width}")


async def test_the_keyboard_goes_on_where_a_button_was(notes_site: LiveSite, open_page: OpenPage) -> None:
    page = await open_page(notes_site, "memory", query="note=pricing-layout-a91&in=project")
    await edit(page)
    await page.keyboard.press("Control+Enter")
    await expect(page.locator("#memory-note")).to_be_visible()
    await expect(page.locator("#memory-pane")).to_be_focused()
    await page.keyboard.press("d")
    await expect(page.get_by_role("heading", name="The note is deleted")).to_be_visible()
    await expect(page.locator("#memory-pane")).to_be_focused()
    switch = page.locator("#memory-syncbar button", has_text="cloud sync")
    await switch.press("Enter")
    await expect(page.locator("#memory-syncbar button", has_text="Turn on cloud sync")).to_be_focused()


async def test_one_backup_after_the_other_is_looked_at(notes_site: LiveSite, open_page: OpenPage) -> None:
    page = await open_page(notes_site, "memory", query="view=backups")
    for number in (0, 1):
        look = page.locator(".memory-backup [data-item]").nth(number)
        await look.press("Enter")
        await expect(page.locator("#dialog h2")).to_be_visible()
        await page.keyboard.press("Escape")
        await expect(page.locator("#dialog")).to_be_hidden()
        await expect(look).to_be_focused()


async def test_a_note_is_printed_alone_and_as_wide_as_the_paper(notes_site: LiveSite, open_page: OpenPage) -> None:
    page = await open_page(notes_site, "memory", width=1280, query="note=pricing-layout-a91&in=project")
    await page.emulate_media(media="print")
    await expect(page.locator(".memory-index")).to_be_hidden()
    box = await page.locator("#memory-note h2").bounding_box()
    assert box is not None
    assert box["width"] > 800
