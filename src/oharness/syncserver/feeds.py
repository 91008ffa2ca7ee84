"""Session feeds: append-only segments, each an object named by the number of events before it (section 10).

Two appends after the same number want the same name, and the store lets one of them create it.
"""

from dataclasses import dataclass
from typing import Any

import msgspec

from oharness.core.clock import Clock
from oharness.core.randomness import Randomness
from oharness.protocol.claims import Claims
from oharness.protocol.errors import ErrorCode
from oharness.protocol.feeds import (
    AppendAnswer,
    AppendRequest,
    Event,
    EventsAnswer,
    Feed,
    ListedSession,
    MyFeed,
    SessionsAnswer,
    TeamFeed,
)
from oharness.protocol.quotas import Standing
from oharness.syncserver.erased import refuse_erased_account, refuse_erased_team
from oharness.syncserver.keys import segment, team_feed_prefix, user_feed_prefix
from oharness.syncserver.objects.base import Found, ObjectStore, Stored, StoreUnavailable
from oharness.syncserver.refusal import RequestRefused, refused
from oharness.syncserver.standing import Limits, standing_of

_DIGITS = 12
_TRIES = 3


class _Segment(msgspec.Struct, frozen=True):
    """What one append stored; `nonce` tells an append from another of the same events."""

    nonce: str
    events: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class _Place:
    """One segment in a listing: its key, and how many events are before it."""

    key: str
    before: int


class FeedService:
    """The feeds of all accounts and teams."""

    def __init__(self, store: ObjectStore, limits: Limits, clock: Clock, randomness: Randomness) -> None:
        self._store = store
        self._limits = limits
        self._clock = clock
        self._randomness = randomness

    async def append(self, claims: Claims, feed: Feed, session: str, request: AppendRequest) -> AppendAnswer:
        """Adds events after those that the client knows of.

        Raises: RequestRefused (409 feed_moved with the number that is stored), StoreUnavailable.
        """
        standing = await self._admitted(claims, feed)
        prefix = _session_prefix(claims, feed, session)
        stored = await self._count(prefix)
        if stored != request.after:
            raise _moved(stored)
        key = f"{prefix}{request.after:0{_DIGITS}d}.json"
        segment_ = _Segment(self._randomness.token(8), list(request.events))
        if not await self._created(key, msgspec.json.encode(segment_)):
            raise _moved(await self._count(prefix))
        try:
            await self._refuse_erased(claims, feed)
        except RequestRefused:
            await self._store.remove([key])
            raise
        return AppendAnswer(standing, request.after + len(request.events))

    async def sessions(self, claims: Claims, feed: Feed) -> SessionsAnswer:
        """The sessions of a feed, by name.

        Raises: RequestRefused, StoreUnavailable.
        """
        standing = await self._admitted(claims, feed)
        prefix = _prefix(claims, feed)
        latest: dict[str, int] = {}
        async for one in self._store.list_under(prefix):
            name = one.key.removeprefix(prefix).partition("/")[0]
            latest[name] = max(latest.get(name, 0), one.modified_ms)
        sessions = tuple(ListedSession(name, at) for name, at in sorted(latest.items()))
        return SessionsAnswer(standing, sessions)

    async def read(self, claims: Claims, feed: Feed, session: str, after: int) -> EventsAnswer:
        """Events after the first `after`, segment by segment until an answer is full; always one segment.

        Raises: RequestRefused, StoreUnavailable.
        """
        standing = await self._admitted(claims, feed)
        places = await self._places(_session_prefix(claims, feed, session))
        stored = await self._end(places)
        ends = [*(place.before for place in places), stored][1:]
        events: list[Event] = []
        used = 0
        for place, end in zip(places, ends, strict=True):
            if end <= after:
                continue
            read = (await self._events(place.key))[max(0, after - place.before) :]
            used += len(msgspec.json.encode(read))
            if events and used > self._limits.quota.max_response_bytes:
                break
            events += read
        return EventsAnswer(standing, after, stored, tuple(events))

    async def delete(self, claims: Claims, feed: Feed, session: str) -> Standing:
        """Removes one session of one's own.

        Raises: RequestRefused (403 for a team's feed), StoreUnavailable.
        """
        standing = await self._admitted(claims, feed)
        if isinstance(feed, TeamFeed):
            raise refused(ErrorCode.FORBIDDEN, "Sessions of a team are not removed one by one.")
        places = await self._places(_session_prefix(claims, feed, session))
        await self._store.remove([place.key for place in reversed(places)])
        return standing

    async def _admitted(self, claims: Claims, feed: Feed) -> Standing:
        if isinstance(feed, TeamFeed) and not claims.is_on_team(feed.team):
            raise refused(ErrorCode.FORBIDDEN, "The token does not list this team.")
        await self._refuse_erased(claims, feed)
        return standing_of(claims, self._limits)

    async def _refuse_erased(self, claims: Claims, feed: Feed) -> None:
        await refuse_erased_account(self._store, claims.account)
        if isinstance(feed, TeamFeed):
            await refuse_erased_team(self._store, feed.team)

    async def _created(self, key: str, data: bytes) -> bool:
        """Whether this very segment is in the store now, also when the store did not say.

        Raises: StoreUnavailable.
        """
        for _ in range(_TRIES):
            if isinstance(await self._store.create(key, data), Stored):
                return True
            reading = await self._store.read(key)
            if isinstance(reading, Found):
                return reading.value == data
        raise StoreUnavailable(key, "the segment could not be stored")

    async def _end(self, places: list[_Place]) -> int:
        """How many events there are up to the last of these."""
        return places[-1].before + len(await self._events(places[-1].key)) if places else 0

    async def _count(self, prefix: str) -> int:
        return await self._end(await self._places(prefix))

    async def _places(self, prefix: str) -> list[_Place]:
        places: list[_Place] = []
        async for one in self._store.list_under(prefix):
            number = one.key.removeprefix(prefix).removesuffix(".json")
            if number.isascii() and number.isdigit():
                places.append(_Place(one.key, int(number)))
        return sorted(places, key=lambda place: place.before)

    async def _events(self, key: str) -> list[Event]:
        reading = await self._store.read(key)
        if not isinstance(reading, Found):
            raise StoreUnavailable(key, "it is gone")
        try:
            return msgspec.json.decode(reading.value, type=_Segment).events
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise StoreUnavailable(key, str(error)) from error


def _prefix(claims: Claims, feed: Feed) -> str:
    match feed:
        case MyFeed():
            return user_feed_prefix(claims.account)
        case TeamFeed():
            return team_feed_prefix(feed.team)


def _session_prefix(claims: Claims, feed: Feed, session: str) -> str:
    return f"{_prefix(claims, feed)}{segment(session)}/"


def _moved(stored: int) -> RequestRefused:
    return refused(ErrorCode.FEED_MOVED, "The feed holds another number of events.", details={"stored": stored})
