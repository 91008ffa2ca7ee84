"""`GET /v1/memory/identity`: who the service takes the caller for (section 3)."""

from dataclasses import dataclass

import msgspec

from oharness.protocol.claims import TeamClaim
from oharness.protocol.errors import ProtocolBroken
from oharness.protocol.quotas import (
    Standing,
    StandingShape,
    encode_json,
    read_standing,
    standing_keys,
)
from oharness.protocol.strict_json import NotThisShape, decode_shape
from oharness.protocol.values import Count, WireShape
from oharness.protocol.versions import CURRENT, OLD

IDENTITY_PATH = "/v1/memory/identity"


@dataclass(frozen=True, slots=True)
class IdentityAnswer:
    """The caller's account; `protocol` is 1 for an old service, which does not say it (P-50)."""

    standing: Standing
    protocol: int
    teams: tuple[TeamClaim, ...]
    server_time_ms: int | None


class TeamShape(WireShape, frozen=True):
    """One team."""

    id: str
    plan: str


class IdentityShape(StandingShape, frozen=True, kw_only=True):
    """The answer as it stands on the wire."""

    protocol: Count | msgspec.UnsetType = msgspec.UNSET
    teams: list[TeamShape] | msgspec.UnsetType = msgspec.UNSET
    server_time: Count | msgspec.UnsetType = msgspec.UNSET


def encode_identity_answer(answer: IdentityAnswer) -> bytes:
    """The body; in protocol 1 it names neither protocol nor teams nor time."""
    old = answer.protocol == OLD
    return encode_json(
        IdentityShape(
            **standing_keys(answer.standing),
            protocol=msgspec.UNSET if old else CURRENT,
            teams=msgspec.UNSET if old else [TeamShape(team.id, team.plan) for team in answer.teams],
            server_time=msgspec.UNSET if old or answer.server_time_ms is None else answer.server_time_ms,
        )
    )


def decode_identity_answer(body: bytes) -> IdentityAnswer:
    """Who the service takes the caller for.

    Raises: ProtocolBroken.
    """
    try:
        shape = decode_shape(body, IdentityShape)
    except NotThisShape as error:
        raise ProtocolBroken(str(error)) from error
    return IdentityAnswer(
        standing=read_standing(shape),
        protocol=OLD if shape.protocol is msgspec.UNSET else shape.protocol,
        teams=() if shape.teams is msgspec.UNSET else tuple(TeamClaim(team.id, team.plan) for team in shape.teams),
        server_time_ms=None if shape.server_time is msgspec.UNSET else shape.server_time,
    )
