"""`POST /v1/admin/erase`: an account or a team is gone for good (section 9)."""

from dataclasses import dataclass
from typing import TypeAlias

import msgspec

from oharness.protocol.errors import InvalidRequest, ProtocolBroken
from oharness.protocol.quotas import encode_json
from oharness.protocol.strict_json import NotThisShape, decode_shape
from oharness.protocol.values import Count, UserIdText, WireShape

ERASE_PATH = "/v1/admin/erase"


@dataclass(frozen=True, slots=True)
class EraseUser:
    """Everything of one account: memory of all scopes and its feeds."""

    account: str


@dataclass(frozen=True, slots=True)
class EraseTeam:
    """The feeds of one team."""

    team: str


EraseRequest: TypeAlias = EraseUser | EraseTeam


@dataclass(frozen=True, slots=True)
class EraseAnswer:
    """How many objects this call removed; a later call removes what late writes left."""

    objects: int


class _RequestShape(WireShape, frozen=True):
    user: UserIdText | msgspec.UnsetType = msgspec.UNSET
    team: UserIdText | msgspec.UnsetType = msgspec.UNSET


class _AnswerShape(WireShape, frozen=True):
    erased: bool
    objects: Count


ERASE_SHAPES = (_RequestShape, _AnswerShape)
"""Request and answer, for the OpenAPI document."""


def encode_erase_request(request: EraseRequest) -> bytes:
    """The body of a request."""
    match request:
        case EraseUser():
            return encode_json(_RequestShape(user=request.account))
        case EraseTeam():
            return encode_json(_RequestShape(team=request.team))


def decode_erase_request(body: bytes) -> EraseRequest:
    """Who is to be erased.

    Raises: InvalidRequest, also when both or neither are named.
    """
    try:
        shape = decode_shape(body, _RequestShape)
    except NotThisShape as error:
        raise InvalidRequest(str(error)) from error
    if isinstance(shape.user, str) and shape.team is msgspec.UNSET:
        return EraseUser(shape.user)
    if isinstance(shape.team, str) and shape.user is msgspec.UNSET:
        return EraseTeam(shape.team)
    raise InvalidRequest("either user or team is named")


def encode_erase_answer(answer: EraseAnswer) -> bytes:
    """The body of an answer."""
    return encode_json(_AnswerShape(True, answer.objects))


def decode_erase_answer(body: bytes) -> EraseAnswer:
    """What was erased.

    Raises: ProtocolBroken.
    """
    try:
        shape = decode_shape(body, _AnswerShape)
    except NotThisShape as error:
        raise ProtocolBroken(str(error)) from error
    if not shape.erased:
        raise ProtocolBroken("erased is not true")
    return EraseAnswer(shape.objects)
