"""The gateway's tables, and how transactions run on SQLite and on PostgreSQL.

Every time is in milliseconds since the epoch. What somebody could sign in with is stored as a hash. Deleting an account
or a team removes everything that hangs on it (`ON DELETE CASCADE`).
"""

import contextlib
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    event,
    insert,
    select,
    text,
)
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from oharness.core.errors import Failed
from oharness.core.randomness import Randomness
from oharness.gateway.settings import PREFIX
from oharness.serving.variables import SettingUnusable

SCHEMA_VERSION = 1
_BUSY_MS = 10_000
_SCHEMA_LOCK = 7_046_911
_FOLDER_MODE = 0o700
_FILE_MODE = 0o600


@dataclass(eq=False)
class DatabaseUnavailable(Failed):
    """The database did not answer; `reason` is the driver's word for it, without what was written."""

    reason: str


@dataclass(eq=False)
class DatabaseTooNew(Failed):
    """The tables were written by a newer oHarness (`version`); this one knows up to `known`."""

    version: int
    known: int


METADATA = MetaData()


def _time(name: str, *, optional: bool = False) -> Column[int]:
    return Column(name, BigInteger, nullable=optional)


def _account(*, optional: bool = False) -> Column[str]:
    return Column("account_id", String(64), ForeignKey("accounts.id", ondelete="CASCADE"), nullable=optional)


def _team() -> Column[str]:
    return Column("team_id", String(64), ForeignKey("teams.id", ondelete="CASCADE"), nullable=False)


META = Table("meta", METADATA, Column("name", String(64), primary_key=True), Column("value", Text, nullable=False))
ACCOUNTS = Table(
    "accounts",
    METADATA,
    Column("id", String(64), primary_key=True),
    Column("email", String(320), nullable=False, unique=True),
    Column("password_hash", Text, nullable=True),
    Column("plan", String(16), nullable=False),
    Column("state", String(16), nullable=False),
    _time("created_ms"),
)
WEB_SESSIONS = Table(
    "web_sessions",
    METADATA,
    Column("token_hash", String(64), primary_key=True),
    _account(),
    _time("created_ms"),
    _time("expires_ms"),
    Index("web_sessions_of_account", "account_id"),
)
DEVICE_CODES = Table(
    "device_codes",
    METADATA,
    Column("code_hash", String(64), primary_key=True),
    Column("user_code", String(16), nullable=False, unique=True),
    Column("label", String(100), nullable=False),
    Column("asked_from", String(64), nullable=False),
    Column("state", String(16), nullable=False),
    _account(optional=True),
    Column("interval_s", Integer, nullable=False),
    _time("polled_ms", optional=True),
    _time("created_ms"),
    _time("expires_ms"),
)
DEVICES = Table(
    "devices",
    METADATA,
    Column("id", String(64), primary_key=True),
    _account(),
    Column("label", String(100), nullable=False),
    Column("serial", Integer, nullable=False),
    Column("token_hash", String(64), nullable=False),
    Column("attempt_hash", String(64), nullable=True),
    Column("ended_why", String(16), nullable=True),
    _time("ended_ms", optional=True),
    _time("created_ms"),
    _time("used_ms"),
    _time("expires_ms"),
    Index("devices_of_account", "account_id"),
)
TEAMS = Table(
    "teams",
    METADATA,
    Column("id", String(64), primary_key=True),
    Column("name", String(100), nullable=False),
    Column("plan", String(16), nullable=False),
    Column("subscription", String(16), nullable=False),
    Column("state", String(16), nullable=False),
    _time("created_ms"),
)
MEMBERS = Table(
    "members",
    METADATA,
    Column("team_id", String(64), ForeignKey("teams.id", ondelete="CASCADE"), primary_key=True),
    Column("account_id", String(64), ForeignKey("accounts.id", ondelete="CASCADE"), primary_key=True),
    Column("role", String(16), nullable=False),
    _time("joined_ms"),
    Index("members_of_account", "account_id"),
)
INVITATIONS = Table(
    "invitations",
    METADATA,
    Column("code_hash", String(64), primary_key=True),
    Column("id", String(64), nullable=False, unique=True),
    _team(),
    Column("email", String(320), nullable=False),
    _time("created_ms"),
    _time("expires_ms"),
    Index("invitations_of_team", "team_id"),
)
SIGNING_KEYS = Table(
    "signing_keys",
    METADATA,
    Column("id", String(64), primary_key=True),
    Column("private_key", Text, nullable=False),
    _time("signs_from_ms"),
    _time("signs_until_ms"),
    _time("last_expiry_ms"),
    Index("one_key_from_each_moment", "signs_from_ms", unique=True),
)
DELETIONS = Table(
    "deletions",
    METADATA,
    Column("kind", String(16), primary_key=True),
    Column("id", String(64), primary_key=True),
    Column("step", String(16), nullable=False),
    Column("objects", Integer, nullable=False),
    Column("fault", Text, nullable=True),
    _time("asked_ms"),
    _time("tried_ms", optional=True),
)
ATTEMPTS = Table(
    "attempts",
    METADATA,
    Column("subject_hash", String(64), primary_key=True),
    Column("tries", Integer, nullable=False),
    _time("window_ends_ms"),
)


class Database:
    """One database; `transaction` is the only way to it."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self.is_sqlite = engine.dialect.name == "sqlite"

    @contextlib.asynccontextmanager
    async def transaction(self) -> AsyncIterator[AsyncConnection]:
        """A connection whose changes are all kept or, when the block raises, none.

        On SQLite transactions run one after the other; on PostgreSQL rows that are decided upon are locked with
        `with_for_update`. Raises: DatabaseUnavailable; IntegrityError passes through.
        """
        try:
            async with self._engine.begin() as connection:
                yield connection
        except IntegrityError:
            raise
        except (DBAPIError, OSError, TimeoutError) as error:
            raise DatabaseUnavailable(type(getattr(error, "orig", None) or error).__name__) from error

    async def prepare(self, randomness: Randomness) -> bytes:
        """Makes the tables where there are none; the secret that this gateway derives tokens with.

        Raises: DatabaseUnavailable, DatabaseTooNew.
        """
        async with self.transaction() as connection:
            if not self.is_sqlite:
                await connection.execute(text(f"SELECT pg_advisory_xact_lock({_SCHEMA_LOCK})"))
            await connection.run_sync(META.create, checkfirst=True)
            values = {row.name: row.value for row in await connection.execute(select(META))}
            version = int(values.get("schema", "0"))
            if version > SCHEMA_VERSION:
                raise DatabaseTooNew(version, SCHEMA_VERSION)
            if version == 0:
                await connection.run_sync(METADATA.create_all)
                values = {"schema": str(SCHEMA_VERSION), "secret": randomness.token(32)}
                rows = [{"name": name, "value": value} for name, value in values.items()]
                await connection.execute(insert(META), rows)
            return bytes.fromhex(values["secret"])

    async def answers(self) -> None:
        """Asks for nothing, to see whether the database is there.

        Raises: DatabaseUnavailable.
        """
        async with self.transaction() as connection:
            await connection.execute(text("SELECT 1"))

    async def close(self) -> None:
        """Lets go of all connections."""
        await self._engine.dispose()


def open_database(url: str) -> Database:
    """The database of a URL; nothing is connected yet, but the folder of an SQLite file is made.

    Raises: SettingUnusable.
    """
    known = _driver_url(url)
    if known.get_backend_name() != "sqlite":
        return Database(create_async_engine(known, pool_pre_ping=True, pool_size=10, connect_args={"timeout": 10}))
    _make_private_file(known)
    engine = create_async_engine(known, connect_args={"timeout": _BUSY_MS / 1000})
    event.listen(engine.sync_engine, "connect", _set_up_sqlite)
    event.listen(engine.sync_engine, "begin", _begin_to_write)
    return Database(engine)


def _driver_url(url: str) -> URL:
    unusable = SettingUnusable(PREFIX + "DATABASE_URL", "sqlite:///path or postgresql://user:password@host/name")
    try:
        parsed = make_url(url.replace("postgres://", "postgresql://", 1))
    except ArgumentError:
        raise unusable from None
    match parsed.get_backend_name():
        case "sqlite" if parsed.database and parsed.database != ":memory:":
            return parsed.set(drivername="sqlite+aiosqlite")
        case "postgresql":
            query = {"ssl" if name == "sslmode" else name: value for name, value in parsed.query.items()}
            return parsed.set(drivername="postgresql+asyncpg", query=query)
    raise unusable


def _make_private_file(url: URL) -> None:
    """The signing keys lie in this file: only its owner may read it."""
    path = Path(url.database or "")
    try:
        path.parent.mkdir(mode=_FOLDER_MODE, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, _FILE_MODE))
    except OSError as error:
        expected = f"an SQLite file that can be written ({error.strerror})"
        raise SettingUnusable(PREFIX + "DATABASE_URL", expected) from error


def _set_up_sqlite(connection: Any, record: object) -> None:
    connection.isolation_level = None  # transactions begin below, not where the driver thinks they should
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=FULL", f"busy_timeout={_BUSY_MS}", "foreign_keys=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_to_write(connection: Any) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")
