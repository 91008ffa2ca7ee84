"""The web app over real projects: which there are in a home, opened as they are looked at, served on this machine."""

import asyncio
import hashlib
import re
import socket
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn

from oharness.core.errors import Failed
from oharness.disk.projects_file import known_projects
from oharness.harness.model import Model
from oharness.language.catalogue import language_named
from oharness.web.projects import KnownProject, NoSuchProject
from oharness.web.site import Site
from oharness.wiring.coordination import OF_THIS_PROCESS, Coordinators
from oharness.wiring.environment import Environment, open_environment
from oharness.wiring.harness import Harness

HOST = "127.0.0.1"
DEFAULT_PORT = 4310
_OUTSIDE = "outside"
_BACKLOG = 128
_STOP_S = 5.0
_LOOK_S = 0.02
_KEY = re.compile(r"[^a-z0-9]+")


@dataclass(eq=False)
class PortTaken(Failed):
    """Another program listens on `port` already."""

    port: int


@dataclass(frozen=True, slots=True)
class ServedSite:
    """A site that answers. `key` is the project it was started for."""

    site: Site
    key: str

    @property
    def url(self) -> str:
        """Where it answers."""
        return self.site.url

    def address(self, page: str | None = None) -> str:
        """An address that lets one browser in, once, and opens a page of the project (default: the chat)."""
        return self.site.address(self.key, page)


class Shelf:
    """The projects of a home. The one of `environment` comes first; harnesses opened here are closed here."""

    def __init__(
        self, environment: Environment, coordinators: Coordinators, lent: Harness | None, model: str | Model | None
    ) -> None:
        self._environment = environment
        self._coordinators = coordinators
        self._model = model
        self.key = key_of(environment.project.root) if environment.project else _OUTSIDE
        self._lent = {self.key: lent} if lent is not None else {}
        self._open: dict[str, Harness] = {}
        self._opening = asyncio.Lock()

    def known(self) -> Sequence[KnownProject]:
        """The project of the start, then the others, last used first."""
        around = self._environment
        here = around.project
        found = {self.key: KnownProject(self.key, here.name if here else "", around.folder)}
        for one in known_projects(around.files, around.home):
            key = key_of(one.path)
            found.setdefault(key, KnownProject(key, one.name, one.path, one.path.is_dir()))
        return tuple(found.values())

    async def opened(self, key: str) -> Harness:
        """The harness of a project.

        Raises: NoSuchProject, and as `Harness.create`.
        """
        if (known := self._lent.get(key) or self._open.get(key)) is not None:
            return known
        async with self._opening:
            if key not in self._open:
                self._open[key] = await self._harness(key)
            return self._open[key]

    async def close(self) -> None:
        """Closes what was opened here, each whatever happens to the others."""
        harnesses, self._open = list(self._open.values()), {}
        await asyncio.gather(*(each.close() for each in harnesses), return_exceptions=True)

    async def _harness(self, key: str) -> Harness:
        environment = self._environment
        if key != self.key:
            known = await asyncio.to_thread(self.known)
            project = next((one for one in known if one.key == key and one.is_here), None)
            if project is None:
                raise NoSuchProject(key)
            environment = await asyncio.to_thread(
                open_environment, environment.variables, project.path, environment.home.root
            )
        return await Harness.in_environment(environment, self._model, coordinators=self._coordinators)


def key_of(path: Path) -> str:
    """What a project's folder is called in addresses: its name, and what tells it from another of that name."""
    name = _KEY.sub("-", path.name.lower()).strip("-")[:30] or "project"
    return f"{name}-{hashlib.sha256(str(path).encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


@asynccontextmanager
async def serve_web(
    environment: Environment,
    port: int = DEFAULT_PORT,
    coordinators: Coordinators = OF_THIS_PROCESS,
    harness: Harness | None = None,
    model: str | Model | None = None,
) -> AsyncIterator[ServedSite]:
    """The web app of a home, for the time of the block; its projects are closed at the end.

    Port 0 takes a free one. A `harness` that is given serves its own project and stays open.
    Raises: PortTaken, and as `Harness.create` for the project of the environment.
    """
    async with AsyncExitStack() as stack:
        listening = stack.enter_context(_listening(port))
        shelf = Shelf(environment, coordinators, harness, model)
        stack.push_async_callback(shelf.close)
        await shelf.opened(shelf.key)
        bound = int(listening.getsockname()[1])
        wished = environment.variables.get("OHARNESS_LANGUAGE", "") or environment.settings.language
        site = Site(shelf, environment.clock, environment.randomness, bound, language_named(wished))
        stack.push_async_callback(site.close)
        await stack.enter_async_context(_serving(site, shelf.key, listening, environment))
        yield ServedSite(site, shelf.key)


class _PartOfAProgram(uvicorn.Server):
    """A server that leaves signals to the program it is part of."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def _serving(site: Site, key: str, listening: socket.socket, environment: Environment) -> AsyncIterator[None]:
    config = uvicorn.Config(
        site.app, log_config=None, access_log=False, server_header=False, timeout_graceful_shutdown=1, lifespan="off"
    )
    server = _PartOfAProgram(config)
    tasks: list[asyncio.Task[Any]] = [
        asyncio.create_task(server.serve(sockets=[listening]), name="web"),
        asyncio.create_task(site.tidy_up(), name="web: conversations nobody looks at"),
    ]
    try:
        while not server.started and not tasks[0].done():
            await environment.clock.sleep(_LOOK_S)
        await site.make_ready(key)
        yield
    finally:
        site.end_streams()
        server.should_exit = True
        tasks[1].cancel()
        await asyncio.wait(tasks[:1], timeout=_STOP_S)
        server.force_exit = True
        tasks[0].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@contextmanager
def _listening(port: int) -> Iterator[socket.socket]:
    try:
        listening = socket.create_server((HOST, port), backlog=_BACKLOG)
    except OSError as error:
        raise PortTaken(port) from error
    # Connections inherit it. Python sets it only on sockets that name their protocol, and without it an answer
    # waits forty milliseconds for the browser to acknowledge its head.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with listening:
        yield listening
