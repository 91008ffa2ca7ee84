"""A gateway in this process, on SQLite and on PostgreSQL."""

import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import asyncpg
import pytest

from oharness.core.randomness import Randomness
from oharness.system import SystemRandomness
from oharness.testing.clock import FakeClock
from oharness.testing.gateway import Gateway, open_gateway
from oharness.testing.postgres import NoPostgres, postgres_server
from oharness.testing.sync_server import SyncServer


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a PostgreSQL server; on a machine without one its tests are left out, but never in the gate."""
    try:
        with postgres_server() as address:
            yield address
    except NoPostgres:
        if os.environ.get("CI"):
            raise
        pytest.skip("PostgreSQL is not installed")


@pytest.fixture(params=["sqlite", "postgresql"])
async def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database; on PostgreSQL a schema of its own, since copying a database takes long."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'accounts.sqlite3'}"
    server: str = request.getfixturevalue("postgres")
    name = f"test_{SystemRandomness().token(6)}"
    connection = await asyncpg.connect(f"{server}/postgres")
    await connection.execute(f"CREATE ROLE {name} LOGIN")
    await connection.execute(f"CREATE SCHEMA AUTHORIZATION {name}")
    await connection.close()
    return server.replace("//gateway@", f"//{name}@") + "/postgres"


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """An empty SQLite database, for what does not depend on the kind."""
    return f"sqlite:///{tmp_path / 'accounts.sqlite3'}"


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def randomness() -> Randomness:
    return SystemRandomness()


@pytest.fixture
def sync(clock: FakeClock, randomness: Randomness) -> SyncServer:
    return SyncServer(clock, randomness)


@pytest.fixture
async def gateway(
    database_url: str, clock: FakeClock, randomness: Randomness, sync: SyncServer
) -> AsyncIterator[Gateway]:
    async with open_gateway(database_url, clock, randomness, to_sync=sync.transport()) as opened:
        yield opened


@pytest.fixture
async def on_sqlite(
    sqlite_url: str, clock: FakeClock, randomness: Randomness, sync: SyncServer
) -> AsyncIterator[Gateway]:
    async with open_gateway(sqlite_url, clock, randomness, to_sync=sync.transport()) as opened:
        yield opened
