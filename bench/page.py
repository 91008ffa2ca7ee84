"""The Memory page with 5,000 notes: `make bench-page`. Prints what each bar is and what was measured.

The server and a headless Chromium run here; no request leaves the machine. Times are of one answer after another over a
kept connection, with a browser's stream of changes open. Beside the slowest answer but one and the median stands what
an answer costs the processor, asking included: where others use the machine, only that says something.
"""

import asyncio
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from urllib.parse import quote

import httpx2
from playwright.async_api import Page, async_playwright

from oharness.testing.memory_samples import fill, many
from oharness.wiring.coordination import Coordinators
from oharness.wiring.environment import open_environment
from oharness.wiring.web import serve_web

NOTES = 5000
RUNS = 15
ANSWER_MS, SEARCH_MS, INTERACTIVE_MS, TRANSFER_KB = 50, 50, 500, 250
WORDS = ("ba", "dekilo", "promuna", "sta", "mentder", "vo", "ze", "kona", "ra")


async def main() -> None:
    """Measures and prints."""
    with tempfile.TemporaryDirectory(prefix="oharness-bench-") as folder:
        project = Path(folder) / "shop"
        project.mkdir()
        variables = {"PATH": os.environ["PATH"], "OHARNESS_KEYRING": "off", "OHARNESS_MODEL": "offline"}
        environment = open_environment(variables, project, Path(folder) / "home")
        fill(environment)
        many(environment, NOTES)
        async with serve_web(environment, 0, Coordinators()) as site:
            async with httpx2.AsyncClient(base_url=site.url, follow_redirects=True, timeout=60) as client:
                await client.get(site.address("chat"))
                base = f"/p/{site.key}/memory"
                print(
                    f"{NOTES} notes, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors, ms of {RUNS} answers"
                )
                print(f"  {'':44} {'slow':>7} {'median':>7} {'cpu':>7}")
                first = await _took(lambda: client.get(base))
                print(f"  {'the page, the first time in this process':44} {first:7.1f}")
                told = asyncio.create_task(_listen(client, f"/p/{site.key}/events?page=memory"))
                await asyncio.sleep(3)
                await _answers(client, "the page", base, ANSWER_MS)
                await _answers(client, "the list", f"{base}/list", ANSWER_MS)
                await _answers(client, "more of the list", f"{base}/more?offset=4000&sort=summary", ANSWER_MS)
                await _answers(client, "one note", f"{base}/note?id=n42&scope=project", ANSWER_MS)
                for query in _typed(await _some_words(client, base)):
                    await _answers(client, f"search {query[:34]!r}", f"{base}/list?q={quote(query)}", SEARCH_MS)
                told.cancel()
            await _in_browser(site.address, f"{site.url}{base}")


async def _some_words(client: httpx2.AsyncClient, base: str) -> list[str]:
    """Words of a note in the middle of the list, one of them frequent."""
    text = (await client.get(f"{base}/note?id=n2500&scope=project")).text
    title = text.partition("<h2")[2].partition(">")[2].partition("</h2>")[0].strip()
    return title.lower().split()


def _typed(words: list[str]) -> list[str]:
    """What stands in the field while somebody types."""
    return [words[0][:3], words[0], " ".join(words[:3]), " ".join(words[:8])]


async def _answers(client: httpx2.AsyncClient, name: str, path: str, bar_ms: int) -> None:
    began = time.process_time()
    took = [await _took(lambda: client.get(path)) for _ in range(RUNS)]
    cpu = (time.process_time() - began) * 1000 / RUNS
    size = len((await client.get(path)).content) / 1024
    worst, median = sorted(took)[-2], statistics.median(took)
    print(f"  {name:44} {worst:7.1f} {median:7.1f} {cpu:7.1f}   bar {bar_ms}   {size:6.1f} KB{_over(worst, bar_ms)}")


async def _listen(client: httpx2.AsyncClient, path: str) -> None:
    async with client.stream("GET", path, timeout=None) as answer:
        async for _ in answer.aiter_lines():
            pass


async def _took(ask: Callable[[], Awaitable[httpx2.Response]]) -> float:
    began = time.perf_counter()
    answer = await ask()
    answer.raise_for_status()
    return (time.perf_counter() - began) * 1000


async def _in_browser(address: Callable[[str | None], str], url: str) -> None:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        )
        interactive, painted, sizes = [], [], []
        for _ in range(5):
            context = await browser.new_context(viewport={"width": 1440, "height": 900})
            page = await context.new_page()
            await page.goto(address("memory"))
            await page.goto("about:blank")
            await context.new_cdp_session(page)
            session = await context.new_cdp_session(page)
            await session.send("Network.clearBrowserCache")
            received = [0]
            await session.send("Network.enable")
            session.on("Network.loadingFinished", lambda event, sums=received: _add(sums, event["encodedDataLength"]))
            await page.goto(url)
            await page.wait_for_selector(".memory-row")
            interactive.append(await _since_start(page, "domContentLoadedEventEnd"))
            painted.append(
                await page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime || 0")
            )
            sizes.append(received[0] / 1024)
            await context.close()
        await browser.close()
    worst = sorted(interactive)[-2]
    print(
        f"in headless Chromium, nothing cached\n  {'interactive (scripts have run)':44} {worst:7.0f}"
        f" {statistics.median(interactive):7.0f}   bar {INTERACTIVE_MS}{_over(worst, INTERACTIVE_MS)}"
    )
    print(f"  {'first contentful paint':44} {sorted(painted)[-2]:7.0f} {statistics.median(painted):7.0f}")
    most = max(sizes)
    print(
        f"  {'transfer of the first load in KB':44} {most:7.0f}           bar {TRANSFER_KB}{_over(most, TRANSFER_KB)}"
    )


async def _since_start(page: Page, moment: str) -> float:
    return float(await page.evaluate(f"performance.getEntriesByType('navigation')[0].{moment}"))


def _add(sums: list[int], more: float) -> None:
    sums[0] += int(more)


def _over(measured: float, bar: float) -> str:
    return "   OVER" if measured > bar else ""


if __name__ == "__main__":
    asyncio.run(main())
