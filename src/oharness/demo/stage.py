"""Two devices of one person with a sample project, signed in to a Cloud of their own, in step while it plays.

Each has its pages in the browser. Everything runs in this process, and everything it writes lies in one folder.
"""

import asyncio
import json
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from oharness.core.errors import OharnessError
from oharness.demo.services import Services, services
from oharness.gateway.admin import user_add
from oharness.gateway.device_codes import CodeState
from oharness.memory.remember import RememberRequest, remember
from oharness.plugins.memory.background import BackgroundSync
from oharness.plugins.memory.plugin import SYNC
from oharness.sync.account import find_cloud, keep_sign_in
from oharness.sync.device_login import ask_for_codes, wait_for_approval
from oharness.sync.seat import Outcome
from oharness.wiring.coordination import Coordinators
from oharness.wiring.environment import Environment, open_environment, open_memory_for_writing
from oharness.wiring.harness import Harness
from oharness.wiring.sync import NO_KEYRING, sign_in_place
from oharness.wiring.web import DEFAULT_PORT, PortTaken, ServedSite, serve_web

EMAIL = "demo@example.com"
CHECK_SECONDS = 5
_FIRST_PAGE = "memory"
_NAMES = ("laptop", "desk")
_PORTS_TRIED = 50
_ASK_SOON_S = 0.1
_SAMPLES = (
    RememberRequest(
        "Pricing cards use fills, not borders",
        body="Cards on the pricing page are separated by fill and whitespace.\n\n"
        "**Why:** the outlines were the loudest thing on a page of numbers.\n\n"
        "**How to apply:** keep the border declared but transparent.",
        id="pricing-cards",
        type="feedback",
        tags=["design"],
    ),
    RememberRequest(
        "We deploy on Tuesdays, never on Fridays",
        body="Nobody is there on Saturday to look at it.\n\nStaging comes first, see [[staging-data]].",
        id="deploy-day",
        type="project",
        tags=["release", "ship"],
    ),
    RememberRequest(
        "Staging is wiped every Sunday night",
        body="What has to stay goes into the seed script.",
        id="staging-data",
        type="reference",
        tags=["database", "test"],
    ),
    RememberRequest(
        "Prefers short answers with an example",
        body="First the answer, then one example, then stop.",
        id="short-answers",
        type="user",
        tags=["style"],
    ),
)


@dataclass(frozen=True, slots=True)
class Device:
    """One device: its home, its copy of the project, and its pages, for which it wanted the port `wished`."""

    name: str
    home: Path
    project: Path
    pages: ServedSite
    wished: int

    @property
    def has_its_port(self) -> bool:
        """Whether nobody else had the port that it wanted."""
        return self.pages.url.endswith(f":{self.wished}")

    def address(self) -> str:
        """An address that opens the notes in one browser, once."""
        return self.pages.address(_FIRST_PAGE)


@dataclass(frozen=True, slots=True)
class Stage:
    """Where everything is while the demo plays."""

    folder: Path
    cloud_url: str
    sync_url: str
    devices: tuple[Device, ...]


class Move(StrEnum):
    """What a pass did to a note."""

    UP = "up"
    DOWN = "down"
    DELETED = "deleted"
    REMOVED = "removed"
    MERGED = "merged"
    CONFLICT = "conflict"
    TROUBLE = "trouble"


@dataclass(frozen=True, slots=True)
class Travelled:
    """A note that moved at a device; of trouble, the error instead of a note's id."""

    device: str
    move: Move
    note_id: str
    error: OharnessError | None = None


async def play(variables: Mapping[str, str], show: Callable[[Stage], None], tell: Callable[[Travelled], None]) -> None:
    """Plays until it is cancelled, and leaves no process and no folder.

    `show` is called once the pages of both devices can be opened, `tell` for every note that moves from then on.
    Raises: PortTaken when no port is free near the usual ones.
    """
    async with _throwaway() as folder:
        here = await asyncio.to_thread(_prepared, folder, variables)
        first = next(iter(here.values()))
        async with (
            services(folder / "cloud", first.clock, first.randomness) as running,
            AsyncExitStack() as stack,
        ):
            await user_add(running.cloud, EMAIL, None)
            for name, environment in here.items():
                await _sign_in(running, name, environment)
            heard = _HeardLater(tell)
            devices = [
                await stack.enter_async_context(_in_step(name, environment, DEFAULT_PORT + index, heard.tell))
                for index, (name, environment) in enumerate(here.items())
            ]
            show(Stage(folder, running.cloud_url, running.sync_url, tuple(devices)))
            heard.listen()
            await asyncio.get_running_loop().create_future()


class _HeardLater:
    """Keeps what is told until somebody listens."""

    def __init__(self, tell: Callable[[Travelled], None]) -> None:
        self._tell = tell
        self._kept: list[Travelled] | None = []

    def tell(self, travelled: Travelled) -> None:
        if self._kept is None:
            self._tell(travelled)
        else:
            self._kept.append(travelled)

    def listen(self) -> None:
        kept, self._kept = self._kept or [], None
        for travelled in kept:
            self._tell(travelled)


def _prepared(folder: Path, variables: Mapping[str, str]) -> dict[str, Environment]:
    """The environment of each device, with the project in it; the first has the sample notes."""
    own = {name: value for name, value in variables.items() if not name.startswith("OHARNESS_")}
    own |= {name: variables[name] for name in ("OHARNESS_LANGUAGE",) if name in variables} | NO_KEYRING
    marker = None
    found: dict[str, Environment] = {}
    for name in _NAMES:
        home, project = folder / name / "home", folder / name / "shop"
        (project / ".oharness").mkdir(parents=True)
        home.mkdir(mode=0o700)
        (home / "config.json").write_text(json.dumps({"memory": {"sync": {"checkSeconds": CHECK_SECONDS}}}))
        if marker is not None:  # a clone of the same project
            (project / ".oharness" / "project.json").write_bytes(marker)
        found[name] = open_environment(own, project, home)
        memory = open_memory_for_writing(found[name])
        try:
            for sample in _SAMPLES if marker is None else ():
                remember(memory, sample)
        finally:
            memory.close()
        marker = (project / ".oharness" / "project.json").read_bytes()
        found[name] = open_environment(own, project, home)
    return found


async def _sign_in(running: Services, name: str, environment: Environment) -> None:
    """The sign-in of a real device; the person's part is done for them."""
    place = sign_in_place(environment)
    places = await find_cloud(running.cloud_url)
    codes = await ask_for_codes(place.forms, places, name)
    account = await running.cloud.accounts.named(EMAIL)
    await running.cloud.device_codes.answer(codes.user_code, account, CodeState.APPROVED)
    soon = replace(codes, interval_s=_ASK_SOON_S)
    await keep_sign_in(place, places, await wait_for_approval(place.forms, places, soon, place.clock))


@asynccontextmanager
async def _in_step(
    name: str, environment: Environment, wished: int, tell: Callable[[Travelled], None]
) -> AsyncIterator[Device]:
    """The device as it is while somebody uses it."""
    coordinators = Coordinators()
    async with (
        await Harness.in_environment(environment, coordinators=coordinators) as harness,
        _pages(environment, wished, coordinators, harness) as pages,
    ):
        background = harness.host.provided(SYNC)
        if not isinstance(background, BackgroundSync) or background.coordinator is None:
            raise RuntimeError("the demo has no sync")

        def told(outcome: Outcome) -> None:
            for travelled in _moves(name, outcome):
                tell(travelled)

        stop = background.coordinator.listen(told)
        using = asyncio.create_task(_kept_in_use(background, environment))
        try:
            yield Device(name, environment.home.root, environment.folder, pages, wished)
        finally:
            using.cancel()
            await asyncio.gather(using, return_exceptions=True)
            stop()


@asynccontextmanager
async def _pages(
    environment: Environment, wished: int, coordinators: Coordinators, harness: Harness
) -> AsyncIterator[ServedSite]:
    """The device's pages, on the port that it wants or on the next one that is free."""
    async with AsyncExitStack() as stack:
        for port in range(wished, wished + _PORTS_TRIED):
            try:
                pages = await stack.enter_async_context(serve_web(environment, port, coordinators, harness))
            except PortTaken:
                continue
            yield pages
            return
        raise PortTaken(wished)


async def _kept_in_use(background: BackgroundSync, environment: Environment) -> None:
    """Somebody sits before it all the time, so that checks do not become rare."""
    while True:
        background.used()
        await environment.clock.sleep(CHECK_SECONDS)


def _moves(name: str, outcome: Outcome) -> Iterator[Travelled]:
    if outcome.error is not None:
        yield Travelled(name, Move.TROUBLE, "", outcome.error)
    if report := outcome.report:
        for move, note_ids in (
            (Move.UP, report.pushed),
            (Move.DOWN, [*report.added, *report.changed]),
            (Move.DELETED, report.deleted),
            (Move.REMOVED, report.removed),
            (Move.MERGED, report.merged),
            (Move.CONFLICT, report.conflicts),
        ):
            for note_id in note_ids:
                yield Travelled(name, move, note_id)


@asynccontextmanager
async def _throwaway() -> AsyncIterator[Path]:
    folder = _made_folder()
    try:
        yield folder
    finally:
        # what a thread still writes for a task that was broken off would come back after the folder was removed
        await asyncio.get_running_loop().shutdown_default_executor()
        _remove(folder)


def _made_folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="oharness-demo-")).resolve()


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():  # a program in another terminal wrote something just then
        shutil.rmtree(folder, ignore_errors=True)
