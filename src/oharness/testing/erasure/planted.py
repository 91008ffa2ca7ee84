"""Faults to plant, so that a check of many seeds is seen to find something."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import patch

from oharness.gateway import tokens
from oharness.gateway.accounts import account_of
from oharness.gateway.database import ACCOUNTS, DELETIONS
from oharness.gateway.deletion import Deletions, Step
from oharness.syncserver.commit import CommitService
from oharness.syncserver.feeds import FeedService


def _commits_leave_what_they_sent() -> Any:
    async def _nothing(self: CommitService, key: str, batch: Any) -> None:
        """What was sent stays."""

    return patch.object(CommitService, "_undo", _nothing)


def _appends_do_not_look_again() -> Any:
    refuse = FeedService._refuse_erased

    async def only_before(self: FeedService, claims: Any, feed: Any) -> None:
        if not _is_second_look(claims):
            await refuse(self, claims, feed)

    return patch.object(FeedService, "_refuse_erased", only_before)


_seen: list[Any] = []


def _is_second_look(claims: Any) -> bool:
    """Claims are made for each request; the second time the same are seen is the look after the write."""
    again = any(one is claims for one in _seen)
    _seen[:] = [*_seen[-50:], claims]
    return again


def _leaving_accounts_refresh() -> Any:
    async def in_use(connection: Any, account_id: str) -> Any:
        row = (await connection.execute(ACCOUNTS.select().where(ACCOUNTS.c.id == account_id))).one_or_none()
        return None if row is None else account_of(row)

    async def ends_nothing(connection: Any, account_id: str) -> None:
        """The devices of who leaves stay signed in."""

    both = contextlib.ExitStack()
    both.enter_context(patch.object(tokens, "account_in_use", in_use))
    both.enter_context(patch("oharness.gateway.deletion.end_every_session", ends_nothing))
    return both


def _no_third_erasure() -> Any:
    async def only_forgotten(self: Deletions) -> None:
        async with self._database.transaction() as connection:
            await connection.execute(DELETIONS.delete().where(DELETIONS.c.step == Step.ERASE_LATE))

    return patch.object(Deletions, "erase_late", only_forgotten)


PLANTED: dict[str, Callable[[], Any]] = {
    "commits-leave-what-they-sent": _commits_leave_what_they_sent,
    "appends-do-not-look-again": _appends_do_not_look_again,
    "leaving-accounts-refresh": _leaving_accounts_refresh,
    "no-third-erasure": _no_third_erasure,
}


@contextlib.contextmanager
def planted(name: str | None) -> Iterator[None]:
    """The code has that fault for the time of the block; None for none."""
    with contextlib.nullcontext() if name is None else PLANTED[name]():
        yield
