"""`/v1/feed/…`: session feeds, append-only lists of events of one's own or of a team (section 10)."""

import re
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias

import msgspec

from oharness.protocol.errors import InvalidRequest, ProtocolBroken
from oharness.protocol.quotas import Standing, StandingShape, encode_json, read_standing, standing_keys
from oharness.protocol.strict_json import MAX_INTEGER, NotThisShape, check_extra, decode_shape
from oharness.protocol.values import Count, WireShape

FEED_PATH = "/v1/feed"
MAX_EVENTS = 1000
_SESSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}")
_TEAM_FEED = re.compile(r"team-(.{1,1024})", re.DOTALL)

Event: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class MyFeed:
    """The account's own feed, `me`."""


@dataclass(frozen=True, slots=True)
class TeamFeed:
    """A team's feed, `team-<id>`."""

    team: str


Feed: TypeAlias = MyFeed | TeamFeed


@dataclass(frozen=True, slots=True)
class AppendRequest:
    """Events to add after the first `after` ones, which the client believes stored."""

    events: tuple[Event, ...]
    after: int


@dataclass(frozen=True, slots=True)
class AppendAnswer:
    """How many events the session holds now."""

    standing: Standing
    stored: int


@dataclass(frozen=True, slots=True)
class ListedSession:
    """One session of a feed; `updated_at` is the service's time."""

    session: str
    updated_at: int


@dataclass(frozen=True, slots=True)
class SessionsAnswer:
    """The sessions of a feed."""

    standing: Standing
    sessions: tuple[ListedSession, ...]


@dataclass(frozen=True, slots=True)
class EventsAnswer:
    """Events after the first `after` ones, as many as fit; `stored` is how many there are."""

    standing: Standing
    after: int
    stored: int
    events: tuple[Event, ...]


class _AppendShape(WireShape, frozen=True):
    events: Annotated[list[dict[str, Any]], msgspec.Meta(min_length=1, max_length=MAX_EVENTS)]
    after: Count


class _AppendAnswerShape(StandingShape, frozen=True, kw_only=True):
    stored: Count


class _SessionShape(WireShape, frozen=True):
    session: str
    updated_at: Count


class _SessionsShape(StandingShape, frozen=True, kw_only=True):
    sessions: list[_SessionShape]


class _EventsShape(StandingShape, frozen=True, kw_only=True):
    after: Count
    stored: Count
    events: list[dict[str, Any]]


APPEND_SHAPES = (_AppendShape, _AppendAnswerShape)
SESSIONS_SHAPE = _SessionsShape
EVENTS_SHAPE = _EventsShape


def read_feed(text: str) -> Feed:
    """The feed of an address.

    Raises: InvalidRequest.
    """
    if text == "me":
        return MyFeed()
    team = _TEAM_FEED.fullmatch(text)
    if team is None:
        raise InvalidRequest("a feed is `me` or `team-<id>`")
    return TeamFeed(team[1])


def read_session(text: str) -> str:
    """The session of an address.

    Raises: InvalidRequest.
    """
    if _SESSION.fullmatch(text) is None:
        raise InvalidRequest("not a session id")
    return text


def read_after(text: str | None) -> int:
    """The number of events that a reader has; 0 where it says nothing.

    Raises: InvalidRequest.
    """
    if text is None:
        return 0
    if not (text.isascii() and text.isdigit() and len(text) <= 16) or int(text) > MAX_INTEGER:
        raise InvalidRequest("after is not a number")
    return int(text)


def encode_append_request(request: AppendRequest) -> bytes:
    """The body of an append."""
    return encode_json(_AppendShape(list(request.events), request.after))


def decode_append_request(body: bytes) -> AppendRequest:
    """What is to be appended.

    Raises: InvalidRequest.
    """
    try:
        shape = decode_shape(body, _AppendShape)
        for event in shape.events:
            check_extra(event)
    except NotThisShape as error:
        raise InvalidRequest(str(error)) from error
    return AppendRequest(tuple(shape.events), shape.after)


def encode_append_answer(answer: AppendAnswer) -> bytes:
    """The body of the answer to an append."""
    return encode_json(
        _AppendAnswerShape(
            **standing_keys(answer.standing),
            stored=answer.stored,
        )
    )


def decode_append_answer(body: bytes) -> AppendAnswer:
    """How many events there are.

    Raises: ProtocolBroken.
    """
    try:
        shape = decode_shape(body, _AppendAnswerShape)
    except NotThisShape as error:
        raise ProtocolBroken(str(error)) from error
    return AppendAnswer(read_standing(shape), shape.stored)


def encode_sessions_answer(answer: SessionsAnswer) -> bytes:
    """The body of a list of sessions."""
    return encode_json(
        _SessionsShape(
            **standing_keys(answer.standing),
            sessions=[_SessionShape(one.session, one.updated_at) for one in answer.sessions],
        )
    )


def decode_sessions_answer(body: bytes) -> SessionsAnswer:
    """The sessions of a feed.

    Raises: ProtocolBroken.
    """
    try:
        shape = decode_shape(body, _SessionsShape)
    except NotThisShape as error:
        raise ProtocolBroken(str(error)) from error
    sessions = tuple(ListedSession(one.session, one.updated_at) for one in shape.sessions)
    return SessionsAnswer(read_standing(shape), sessions)


def encode_events_answer(answer: EventsAnswer) -> bytes:
    """The body of a page of events."""
    return encode_json(
        _EventsShape(
            **standing_keys(answer.standing),
            after=answer.after,
            stored=answer.stored,
            events=list(answer.events),
        )
    )


def decode_events_answer(body: bytes) -> EventsAnswer:
    """A page of events.

    Raises: ProtocolBroken.
    """
    try:
        shape = decode_shape(body, _EventsShape)
        for event in shape.events:
            check_extra(event)
    except NotThisShape as error:
        raise ProtocolBroken(str(error)) from error
    return EventsAnswer(read_standing(shape), shape.after, shape.stored, tuple(shape.events))
