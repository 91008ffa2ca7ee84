"""The web app over a real harness: asked in process, or served to a real Chromium.

`site` answers requests without a server. `live_site` is served on a free loopback port, in the event loop of the test;
`open_page` opens it in Chromium. Modules that use the latter two say

    pytestmark = pytest.mark.asyncio(loop_scope="session")

since browser, server and test share one event loop.
"""

import os
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlencode

import httpx2
import pytest
import pytest_asyncio

from oharness.harness.model import Model
from oharness.web.site import Site
from oharness.wiring.coordination import Coordinators
from oharness.wiring.environment import Environment, open_environment
from oharness.wiring.harness import Harness
from oharness.wiring.web import Shelf, serve_web

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

PORT = 4310
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
SHOTS = Path(__file__).resolve().parents[2] / "build" / "screenshots"
"""Where pictures of pages are left to be looked at."""


def environment_of(project: Path, home: Path) -> Environment:
    """A project of a home that knows nothing of the developer's own."""
    project.mkdir(parents=True, exist_ok=True)
    variables = {"PATH": os.environ["PATH"], "OHARNESS_KEYRING": "off", "HOME": str(home.parent)}
    return open_environment(variables, project, home)


@dataclass(slots=True)
class Visitor:
    """Somebody with a session, in process. `key` is the project's name in addresses."""

    site: Site
    shelf: Shelf
    harness: Harness
    client: httpx2.AsyncClient
    key: str

    async def get(self, path: str, **headers: str) -> httpx2.Response:
        """Follows nothing."""
        return await self.client.get(path, headers=headers)

    async def part(self, path: str, **headers: str) -> httpx2.Response:
        """As htmx asks for a part of a page."""
        return await self.client.get(path, headers={"HX-Request": "true", **headers})

    async def post(self, path: str, fields: Mapping[str, Any], **headers: str) -> httpx2.Response:
        """As a form of a page is sent by htmx."""
        kind = {"Content-Type": "application/x-www-form-urlencoded", "Origin": f"http://127.0.0.1:{PORT}"}
        body = urlencode(fields, doseq=True).encode()
        return await self.client.post(path, content=body, headers={**kind, "HX-Request": "true", **headers})


def client_of(site: Site) -> httpx2.AsyncClient:
    """A browser of somebody who has no session yet."""
    transport = httpx2.ASGITransport(site.app)
    return httpx2.AsyncClient(transport=transport, base_url=f"http://127.0.0.1:{PORT}", follow_redirects=False)


@asynccontextmanager
async def visiting(environment: Environment, model: str | Model | None = None) -> AsyncIterator[Visitor]:
    """A visitor with a session at the app of a home."""
    async with AsyncExitStack() as stack:
        shelf = Shelf(environment, Coordinators(), None, model)
        stack.push_async_callback(shelf.close)
        harness = await shelf.opened(shelf.key)
        site = Site(shelf, environment.clock, environment.randomness, PORT)
        stack.push_async_callback(site.close)
        client = await stack.enter_async_context(client_of(site))
        visitor = Visitor(site, shelf, harness, client, shelf.key)
        await visitor.get(site.address().removeprefix(site.url))
        yield visitor


@pytest_asyncio.fixture
async def site(home: Path, tmp_path: Path) -> AsyncIterator[Visitor]:
    """Somebody who came in, at the app of an empty project with the practice assistant."""
    async with visiting(environment_of(tmp_path / "shop", home)) as visitor:
        yield visitor


@dataclass(slots=True)
class LiveSite:
    """An app that is served. `address` lets a browser in."""

    url: str
    key: str
    address: Callable[[str | None], str]
    harness: Harness
    environment: Environment


@asynccontextmanager
async def served_site(
    environment: Environment, model: str | Model | None = None, port: int = 0
) -> AsyncIterator[LiveSite]:
    """The app of a home on a port of this machine (default: a free one)."""
    coordinators = Coordinators()
    async with (
        await Harness.in_environment(environment, model, coordinators=coordinators) as harness,
        serve_web(environment, port, coordinators, harness, model) as served,
    ):
        yield LiveSite(served.url, served.key, served.address, harness, environment)


@pytest_asyncio.fixture(loop_scope="session")
async def live_site(home: Path, tmp_path: Path) -> AsyncIterator[LiveSite]:
    """The app of an empty project with the practice assistant, served."""
    async with served_site(environment_of(tmp_path / "shop", home)) as served:
        yield served


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> "AsyncIterator[Browser]":
    """One Chromium for all tests; it asks no other machine for anything."""
    if CHROMIUM is None:
        pytest.skip("there is no Chromium on this machine")
    from playwright.async_api import async_playwright

    arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
    async with async_playwright() as playwright:
        started = await playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield started
        await started.close()


class OpenPage(Protocol):
    """Opens a page of a live site, signed in."""

    def __call__(
        self,
        site: LiveSite,
        page: str = "chat",
        *,
        width: int = 1280,
        dark: bool = False,
        language: str = "en",
        query: str = "",
    ) -> "Awaitable[Page]": ...


GIVE_UP_MS = 30_000
"""How long a browser may take before a test says that it hangs: a busy machine is no fault of the page."""


@pytest_asyncio.fixture(loop_scope="session")
async def open_page(browser: "Browser") -> AsyncIterator[OpenPage]:
    """Pages in browsers that share nothing; a fault in a page's script, or a request elsewhere, fails the test."""
    from playwright.async_api import expect

    expect.set_options(timeout=GIVE_UP_MS)
    async with AsyncExitStack() as stack:
        faults: list[str] = []

        async def opened(
            site: LiveSite,
            page: str = "chat",
            *,
            width: int = 1280,
            dark: bool = False,
            language: str = "en",
            query: str = "",
        ) -> "Page":
            context = await browser.new_context(
                viewport={"width": width, "height": 820},
                color_scheme="dark" if dark else "light",
                locale=language,
                reduced_motion="reduce",
            )
            stack.push_async_callback(context.close)
            context.set_default_timeout(GIVE_UP_MS)
            tab = await context.new_page()
            tab.on("pageerror", lambda error: faults.append(f"script: {error}"))
            tab.on("request", lambda request: _note_elsewhere(request.url, site.url, faults))
            tab.on(
                "console",
                lambda told: faults.append(f"{told.text} {told.location}") if "Content Security" in told.text else None,
            )
            await tab.goto(site.address(page))
            if query:
                await tab.goto(f"{site.url}/p/{site.key}/{page}?{query}")
            return tab

        yield opened
    assert not faults


def _note_elsewhere(url: str, own: str, faults: list[str]) -> None:
    if not url.startswith((own, "data:", "about:")):
        faults.append(f"request to {url}")


async def serious_findings(page: "Page") -> list[str]:
    """What axe-core finds that keeps people out: each rule with the places it is broken at."""
    from axe_playwright_python.async_playwright import Axe

    results = await Axe().run(page)
    return [
        f"{one['id']}: {', '.join(str(node['target']) for node in one['nodes'])}"
        for one in results.response["violations"]
        if one["impact"] in ("serious", "critical")
    ]


async def shot(page: "Page", name: str) -> None:
    """Leaves a picture of the whole page to be looked at."""
    SHOTS.mkdir(parents=True, exist_ok=True)
    await page.screenshot(path=SHOTS / f"{name}.png", full_page=True, caret="initial")
