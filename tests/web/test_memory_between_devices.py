"""Two devices of one person, each with its page open, over a real sync service."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import expect

from oharness.disk.cloud_file import write_cloud_url
from oharness.disk.credentials_file import Credentials
from oharness.syncserver.rate_limit import LocalLimit
from oharness.system import SystemClock, SystemRandomness
from oharness.testing.real_http import serving
from oharness.testing.sync_server import SyncServer
from oharness.wiring.sync import sign_in_place
from tests.web.conftest import LiveSite, OpenPage, environment_of, served_site

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.sync]

MARKER = json.dumps({"id": "shop-of-two-devices", "name": "shop"})


@asynccontextmanager
async def device(root: Path, server: SyncServer, url: str, account: str = "ann") -> AsyncIterator[LiveSite]:
    """A device with a copy of the project, signed in; it checks every five seconds, as in the demo."""
    (root / "shop" / ".oharness").mkdir(parents=True)
    (root / "shop" / ".oharness" / "project.json").write_text(MARKER)
    (root / "home").mkdir(mode=0o700)
    (root / "home" / "config.json").write_text(json.dumps({"memory": {"sync": {"checkSeconds": 5}}}))
    environment = environment_of(root / "shop", root / "home")
    sign_in(environment_root=root, server=server, url=url, account=account)
    async with served_site(environment) as served:
        yield served


def sign_in(environment_root: Path, server: SyncServer, url: str, account: str) -> None:
    """Somebody signs in, in whatever process."""
    environment = environment_of(environment_root / "shop", environment_root / "home")
    write_cloud_url(environment.files, environment.home, url)
    token = server.token(account, plan="free", minutes=60)
    sign_in_place(environment).store.write(Credentials(url, url, account, token))


async def test_a_note_written_on_one_devices_page_shows_on_the_others_and_a_quarrel_is_settled_there(
    tmp_path: Path, open_page: OpenPage
) -> None:
    server = SyncServer(SystemClock(), SystemRandomness())
    async with (
        serving(server.app) as url,
        device(tmp_path / "laptop", server, url) as laptop,
        device(tmp_path / "desk", server, url) as desk,
    ):
        here = await open_page(laptop, "memory", query="new=1")
        there = await open_page(desk, "memory")
        await here.fill("[name=summary]", "We deploy on Tuesdays")
        await here.fill("[name=body]", "The first text.")
        await here.get_by_role("button", name="Save", exact=True).click()
        await expect(there.locator(".memory-row")).to_contain_text("We deploy on Tuesdays", timeout=60_000)
        await expect(here.locator("#memory-syncbar")).to_contain_text("Last synced", timeout=60_000)

        await here.get_by_role("button", name="Turn off cloud sync").click()
        await expect(here.locator("#memory-syncbar")).to_contain_text("Cloud sync is off")
        await here.keyboard.press("e")
        await here.fill("[name=body]", "What the laptop says.")
        await here.keyboard.press("Control+Enter")
        await there.locator(".memory-row").click()
        await expect(there.locator(".memory-prose")).to_have_text("The first text.")
        await there.keyboard.press("e")
        await there.fill("[name=body]", "What the desk says.")
        await there.keyboard.press("Control+Enter")
        await expect(there.locator(".memory-prose")).to_have_text("What the desk says.")
        await there.keyboard.press("s")
        await expect(there.locator("#toasts")).to_contain_text("in step", timeout=60_000)
        await here.get_by_role("button", name="Turn on cloud sync").click()
        await expect(here.locator("#memory-tab-conflicts")).to_contain_text("1", timeout=60_000)
        await expect(here.locator(".memory-note .warning")).to_be_visible()
        await here.get_by_role("link", name="Decide what stays").click()
        await here.get_by_role("button", name="Keep this machine's version").click()
        await expect(there.locator(".memory-prose")).to_have_text("What the laptop says.", timeout=60_000)
        await there.keyboard.press("3")
        await expect(there.locator("#memory-sync")).to_contain_text("What the last pull brought")
        await expect(there.locator(".memory-plan")).to_contain_text("Free plan: 200 notes")


async def test_another_account_shows_as_paused_and_nothing_reassigns_it(tmp_path: Path, open_page: OpenPage) -> None:
    server = SyncServer(SystemClock(), SystemRandomness())
    async with serving(server.app) as url, device(tmp_path / "laptop", server, url) as laptop:
        page = await open_page(laptop, "memory", query="view=sync")
        await expect(page.locator("#memory-syncbar")).to_contain_text("Last synced", timeout=60_000)
        sign_in(tmp_path / "laptop", server, url, "bob")
        await expect(page.locator("#memory-syncbar")).to_contain_text("another account", timeout=60_000)
        await expect(page.locator(".memory-scope-card .warning").first).to_contain_text("ann")
        buttons = await page.locator("#memory-sync button").count()
        assert buttons == 0


async def test_a_429_reads_as_too_frequent_and_that_it_will_be_tried_again(tmp_path: Path, open_page: OpenPage) -> None:
    server = SyncServer(SystemClock(), SystemRandomness(), rate_limit=LocalLimit(1, SystemClock()))
    async with serving(server.app) as url, device(tmp_path / "laptop", server, url) as laptop:
        page = await open_page(laptop, "memory", query="view=sync")
        await expect(page.locator("#memory-syncbar")).to_contain_text("too frequent and will retry", timeout=60_000)
        await expect(page.locator("#memory-sync h2").first).to_have_text("Sync was too frequent", timeout=60_000)
        await page.keyboard.press("s")
        await expect(page.locator("#memory-syncbar")).to_contain_text("too frequent and will retry")
        assert await page.locator("#problems .problem").count() == 0
