"""One coordinator for each home in a process, however many harnesses have projects of it open (ADR 0026)."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from oharness.disk.project import Registration
from oharness.memory.scopes import Memory
from oharness.plugins.memory.background import BackgroundSync, SyncedNotes
from oharness.wiring.environment import Environment

if TYPE_CHECKING:
    from oharness.disk.credentials_file import Credentials
    from oharness.sync.coordinator import Coordinator
    from oharness.sync.http_transport import HttpTransport


@dataclass(slots=True, eq=False)
class _Lent:
    coordinator: "Coordinator"
    users: int = 0


class Coordinators:
    """Lends coordinators. One is made for the first who asks in an event loop, and ended when the last gives it back.

    An embedder that has its own passes it to each harness; all others share the one of the process.
    """

    def __init__(self) -> None:
        self._lent: dict[tuple[asyncio.AbstractEventLoop, Path], _Lent] = {}

    @asynccontextmanager
    async def lend(self, environment: Environment) -> "AsyncIterator[Coordinator]":
        """The coordinator of a home, for as long as the block lasts."""
        key = (asyncio.get_running_loop(), environment.files.real_path(environment.home.root))
        if key not in self._lent:
            self._lent[key] = _Lent(coordinator_of(environment))
            await self._lent[key].coordinator.__aenter__()
        lent = self._lent[key]
        lent.users += 1
        try:
            yield lent.coordinator
        finally:
            lent.users -= 1
            if lent.users == 0:
                del self._lent[key]
                await lent.coordinator.__aexit__(None, None, None)


OF_THIS_PROCESS = Coordinators()
"""What harnesses share that were given no other: they know nothing of each other. Empty while none is open."""


def coordinator_of(environment: Environment) -> "Coordinator":
    """A coordinator for a home, not started yet."""
    from oharness.sync.coordinator import Coordinator
    from oharness.sync.http_transport import HttpTransport
    from oharness.sync.watching import best_watch
    from oharness.wiring.sync import sign_in_place

    place = sign_in_place(environment)

    def connect(credentials: "Credentials") -> "HttpTransport":
        return HttpTransport(credentials.sync_url, place.tokens(), environment.clock)

    return Coordinator(place, connect, best_watch(environment.files, environment.clock))


def background_sync(
    environment: Environment, registration: Registration | None, memory: Memory, coordinators: Coordinators
) -> BackgroundSync:
    """The synchronizer of one harness's notes; a project that this home cannot keep state of does not sync."""
    from oharness.wiring.sync import sync_directories

    device = registration.device if registration else None
    services = {service.scope: service for service in memory.services()}
    directories = sync_directories(environment, device, memory)
    return BackgroundSync(
        notes=tuple(SyncedNotes(services[one.scope], one) for one in directories),
        borrowed=lambda: coordinators.lend(environment),
        check_s=float(environment.settings.memory.sync.check_seconds),
    )
