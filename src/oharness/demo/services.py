"""The gateway and the sync service in this process, on free ports of this machine alone."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn

from oharness.core.clock import Clock
from oharness.core.randomness import Randomness
from oharness.gateway.__main__ import opened_cloud
from oharness.gateway.app import GatewayApp
from oharness.gateway.cloud import Cloud
from oharness.gateway.oauth import JWKS_PATH
from oharness.gateway.settings import read_settings as read_gateway_settings
from oharness.syncserver.__main__ import build_service
from oharness.syncserver.settings import read_settings as read_sync_settings

_HOST = "127.0.0.1"
_BACKLOG = 128
_LOOK_S = 0.02
_STOP_S = 5.0


@dataclass(frozen=True, slots=True)
class Services:
    """Where they listen, and the gateway's parts, for an account without a page."""

    cloud_url: str
    sync_url: str
    cloud: Cloud


@asynccontextmanager
async def services(folder: Path, clock: Clock, randomness: Randomness) -> AsyncIterator[Services]:
    """Both, for the time of the block, with everything they keep below the folder."""
    with _free_port() as for_cloud, _free_port() as for_sync:
        cloud_url, sync_url = _url(for_cloud), _url(for_sync)
        admin_key = randomness.token(24)
        gateway_settings = read_gateway_settings(
            {
                "OHARNESS_HOME": str(folder),
                "OHARNESS_CLOUD_PUBLIC_URL": cloud_url,
                "OHARNESS_CLOUD_SYNC_URL": sync_url,
                "OHARNESS_SYNC_ADMIN_KEY": admin_key,
            }
        )
        sync_settings = read_sync_settings(
            {
                "OHARNESS_SYNC_STORAGE_URL": (folder / "notes").as_uri(),
                "OHARNESS_SYNC_JWKS_URL": cloud_url + JWKS_PATH,
                "OHARNESS_SYNC_ISSUER": cloud_url,
                "OHARNESS_SYNC_ADMIN_KEY": admin_key,
            }
        )
        async with (
            opened_cloud(gateway_settings) as cloud,
            _serving(GatewayApp(cloud).app, for_cloud, clock),
            _serving(build_service(sync_settings, {}).app, for_sync, clock),
        ):
            yield Services(cloud_url, sync_url, cloud)


class _PartOfAProgram(uvicorn.Server):
    """A server that leaves signals to the program it is part of."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def _serving(app: Any, listening: socket.socket, clock: Clock) -> AsyncIterator[None]:
    config = uvicorn.Config(app, log_config=None, access_log=False, timeout_graceful_shutdown=1)
    server = _PartOfAProgram(config)
    task = asyncio.create_task(server.serve(sockets=[listening]), name="demo service")
    try:
        while not server.started and not task.done():
            await clock.sleep(_LOOK_S)
        yield
    finally:
        server.should_exit = True
        await asyncio.wait([task], timeout=_STOP_S)
        server.force_exit = True
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@contextmanager
def _free_port() -> Iterator[socket.socket]:
    with socket.create_server((_HOST, 0), backlog=_BACKLOG) as listening:
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # as `wiring.web` says
        yield listening


def _url(listening: socket.socket) -> str:
    return f"http://{_HOST}:{listening.getsockname()[1]}"
