"""The database: its kinds, its versions, being away."""

import sqlite3
import stat
from pathlib import Path

import pytest
from sqlalchemy import update

from oharness.core.randomness import Randomness
from oharness.gateway.database import META, SCHEMA_VERSION, Database, DatabaseTooNew, DatabaseUnavailable, open_database
from oharness.serving.variables import SettingUnusable
from oharness.testing.clock import FakeClock
from oharness.testing.gateway import Gateway, open_gateway, words_of

pytestmark = pytest.mark.sync


async def test_the_tables_are_made_once_and_the_secret_stays(database_url: str, randomness: Randomness) -> None:
    secrets = set()
    for _ in range(2):
        database = open_database(database_url)
        secrets.add(await database.prepare(randomness))
        await database.close()
    assert len(secrets) == 1


async def test_tables_of_a_newer_version_are_left_alone(database_url: str, randomness: Randomness) -> None:
    database = open_database(database_url)
    await database.prepare(randomness)
    async with database.transaction() as connection:
        await connection.execute(update(META).where(META.c.name == "schema").values(value=str(SCHEMA_VERSION + 1)))
    with pytest.raises(DatabaseTooNew):
        await database.prepare(randomness)
    await database.close()


async def test_a_block_that_raises_changes_nothing(database_url: str, randomness: Randomness) -> None:
    database = open_database(database_url)
    secret = await database.prepare(randomness)
    with pytest.raises(RuntimeError):
        await begin_and_give_up(database)
    assert await database.prepare(randomness) == secret
    await database.close()


async def begin_and_give_up(database: Database) -> None:
    async with database.transaction() as connection:
        await connection.execute(update(META).where(META.c.name == "secret").values(value="00"))
        raise RuntimeError


async def test_the_file_is_its_owners_alone_and_keeps_what_was_written(tmp_path: Path, randomness: Randomness) -> None:
    path = tmp_path / "folder" / "accounts.sqlite3"
    database = open_database(f"sqlite:///{path}")
    await database.prepare(randomness)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    async with database.transaction() as connection:
        told = {name: (await connection.exec_driver_sql(f"PRAGMA {name}")).scalar() for name in PRAGMAS}
    assert told == PRAGMAS
    await database.close()


PRAGMAS = {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 10_000}


@pytest.mark.parametrize(
    "url", ["", "accounts.sqlite3", "sqlite://", "sqlite:///:memory:", "mysql://x/y", "postgresql+psycopg2:x", "://"]
)
def test_other_addresses_are_refused(url: str) -> None:
    with pytest.raises(SettingUnusable):
        open_database(url)


def test_the_usual_spellings_of_a_postgresql_address_are_understood() -> None:
    for url in ("postgres://u@h/d", "postgresql://u@h/d?sslmode=require", "postgresql+asyncpg://u@h/d"):
        assert not open_database(url).is_sqlite


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingUnusable):
        open_database(f"sqlite:///{tmp_path / 'file' / 'accounts.sqlite3'}")


async def test_a_server_that_is_not_there_is_told_as_such(randomness: Randomness) -> None:
    database = open_database("postgresql://nobody@127.0.0.1:1/none")
    with pytest.raises(DatabaseUnavailable):
        await database.prepare(randomness)
    await database.close()


async def test_pages_and_endpoints_say_that_the_database_is_away(
    tmp_path: Path, clock: FakeClock, randomness: Randomness
) -> None:
    path = tmp_path / "accounts.sqlite3"
    async with open_gateway(f"sqlite:///{path}", clock, randomness) as gateway:
        await break_tables(gateway, path)
        page = await gateway.browser().get("/sign-in")
        assert page.status_code == 200  # nobody's cookie was asked for
        browser = gateway.browser()
        browser.http.cookies.set("oharness-cloud", "anything")
        page = await browser.get("/account")
        assert page.status_code == 503
        assert "does not answer at the moment" in words_of(page)
        ready = await browser.http.get("/.well-known/jwks.json")
        assert (ready.status_code, ready.json()["error"]) == (503, "temporarily_unavailable")
        assert (await browser.http.get("/healthz")).status_code == 200


async def break_tables(gateway: Gateway, path: Path) -> None:
    with sqlite3.connect(path) as connection:
        for table in ("web_sessions", "signing_keys"):
            connection.execute(f"DROP TABLE {table}")
    connection.close()
