"""A gateway's database in memory that starts no thread: the real tables and statements on the real SQLite.

The gateway's own driver runs SQLite in a thread, whose turns no seed can decide.
"""

import asyncio
import sqlite3
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any, Self

from sqlalchemy import event
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

from oharness.gateway.database import Database
from oharness.testing.erasure.held_back_objects import Moment

_URL = "sqlite+aiosqlite:///in-memory"


class AccountsInMemory:
    """One database; `renew` gives it another content and, for each event loop, a turn of its own."""

    def __init__(self) -> None:
        self._content = sqlite3.connect(":memory:", isolation_level=None)
        self._content.execute("PRAGMA foreign_keys=ON")
        self._turn = asyncio.Lock()
        self._moment: Moment = _at_once
        engine = create_async_engine(_URL, poolclass=NullPool, connect_args={"async_creator_fn": self._connected})
        event.listen(engine.sync_engine, "begin", lambda one: one.exec_driver_sql("BEGIN IMMEDIATE"))
        self.database = Database(engine)

    def content(self) -> bytes:
        """Everything in it, for `renew`."""
        return self._content.serialize()

    def renew(self, content: bytes, moment: Moment) -> None:
        """From now on it holds that, and `moment` is awaited at every statement."""
        self._content.deserialize(content)
        self._content.execute("PRAGMA foreign_keys=ON")
        self._turn, self._moment = asyncio.Lock(), moment

    async def _connected(self, *args: Any, **options: Any) -> "_Connection":
        turn = self._turn
        await turn.acquire()  # as with the real one, transactions run one after the other
        return _Connection(self._content, turn.release, self._moment)


async def _at_once() -> None:
    """Nobody else gets a turn."""


class _Connection:
    """What the driver expects of a connection."""

    def __init__(self, content: sqlite3.Connection, release: Callable[[], None], moment: Moment) -> None:
        self._connection: sqlite3.Connection | None = content
        self._release = release
        self._moment = moment

    def cursor(self) -> "_Cursor":
        assert self._connection is not None
        return _Cursor(self._connection.cursor(), self._moment)

    async def create_function(self, *args: Any, **options: Any) -> None:
        assert self._connection is not None
        self._connection.create_function(*args, **options)

    async def commit(self) -> None:
        await self._moment()
        assert self._connection is not None
        self._connection.commit()

    async def rollback(self) -> None:
        if self._connection is not None:
            self._connection.rollback()

    async def close(self) -> None:
        self.stop()

    def stop(self) -> None:
        if self._connection is not None:
            self._connection.rollback()
            self._connection = None
            self._release()


class _Cursor:
    """What the driver expects of a cursor."""

    def __init__(self, cursor: sqlite3.Cursor, moment: Moment) -> None:
        self._cursor = cursor
        self._moment = moment
        self.arraysize = 1

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._cursor.close()

    @property
    def description(self) -> Any:
        return self._cursor.description

    @property
    def rowcount(self) -> int:
        return self._cursor.rowcount

    @property
    def lastrowid(self) -> int | None:
        return self._cursor.lastrowid

    async def execute(self, statement: str, parameters: Any = ()) -> Self:
        await self._moment()
        self._cursor.execute(statement, parameters)
        return self

    async def executemany(self, statement: str, parameters: Iterable[Any]) -> Self:
        await self._moment()
        self._cursor.executemany(statement, parameters)
        return self

    async def fetchall(self) -> list[Any]:
        return self._cursor.fetchall()

    async def close(self) -> None:
        self._cursor.close()
