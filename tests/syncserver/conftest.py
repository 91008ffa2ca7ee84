"""A service in this process, and callers who speak its protocol."""

from collections.abc import AsyncIterator

import httpx2
import pytest

from oharness.testing.clock import FakeClock
from oharness.testing.randomness import SeededRandomness
from oharness.testing.sync_caller import Caller
from oharness.testing.sync_server import SyncServer


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def server(clock: FakeClock) -> SyncServer:
    return SyncServer(clock, SeededRandomness("server"))


@pytest.fixture
async def http(server: SyncServer) -> AsyncIterator[httpx2.AsyncClient]:
    async with server.client() as client:
        yield client


@pytest.fixture
def ann(server: SyncServer, http: httpx2.AsyncClient) -> Caller:
    return Caller(server, http)


@pytest.fixture
def ann_elsewhere(server: SyncServer, http: httpx2.AsyncClient) -> Caller:
    return Caller(server, http, device="d2")


@pytest.fixture
def bob(server: SyncServer, http: httpx2.AsyncClient) -> Caller:
    return Caller(server, http, account="bob", device="d3")
