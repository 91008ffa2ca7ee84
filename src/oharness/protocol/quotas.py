"""The limits and the plan that every successful answer announces (section 6)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

import msgspec

from oharness.protocol.values import Count, UserIdText, WireShape


@dataclass(frozen=True, slots=True)
class Quota:
    """What the service allows everybody. Units: `max_body_bytes` is UTF-8 bytes of a normalised body."""

    max_notes: int = 5000
    max_changes: int = 500
    max_body_bytes: int = 131_072
    max_response_bytes: int = 16_777_216
    tombstone_days: int = 90


@dataclass(frozen=True, slots=True)
class PlanLimits:
    """What a free plan allows in one scope."""

    max_notes: int
    max_body_bytes: int


@dataclass(frozen=True, slots=True)
class Plan:
    """An account's plan; `limits` is None on a paid one."""

    name: str
    paid: bool
    limits: PlanLimits | None


@dataclass(frozen=True, slots=True)
class Standing:
    """Who the service takes the caller for and what it allows; in every successful answer (P-3)."""

    user_id: str
    quota: Quota
    plan: Plan


class QuotaShape(WireShape, frozen=True):
    """`quota`."""

    max_notes: Count
    max_changes: Count
    max_body_bytes: Count
    max_response_bytes: Count
    tombstone_days: Count


class PlanLimitsShape(WireShape, frozen=True):
    """`plan.limits`."""

    max_notes: Count
    max_body_bytes: Count


class PlanShape(WireShape, frozen=True):
    """`plan`."""

    name: str
    paid: bool
    limits: PlanLimitsShape | None = None


class StandingShape(WireShape, frozen=True):
    """The three keys of every successful answer; answers are built on it."""

    user_id: UserIdText
    quota: QuotaShape
    plan: PlanShape


def _quota_shape(quota: Quota) -> QuotaShape:
    """The limits as they go out."""
    return QuotaShape(
        quota.max_notes, quota.max_changes, quota.max_body_bytes, quota.max_response_bytes, quota.tombstone_days
    )


def _plan_shape(plan: Plan) -> PlanShape:
    """The plan as it goes out."""
    limits = plan.limits
    return PlanShape(
        plan.name, plan.paid, None if limits is None else PlanLimitsShape(limits.max_notes, limits.max_body_bytes)
    )


class StandingKeys(TypedDict):
    """The three keys, for the making of an answer's shape."""

    user_id: str
    quota: QuotaShape
    plan: PlanShape


def standing_keys(standing: Standing) -> StandingKeys:
    """Who the service takes the caller for, as it goes out."""
    return {"user_id": standing.user_id, "quota": _quota_shape(standing.quota), "plan": _plan_shape(standing.plan)}


def read_standing(shape: StandingShape) -> Standing:
    """Who the service takes the caller for, from an answer."""
    quota, limits = shape.quota, shape.plan.limits
    return Standing(
        user_id=shape.user_id,
        quota=Quota(
            quota.max_notes,
            quota.max_changes,
            quota.max_body_bytes,
            quota.max_response_bytes,
            quota.tombstone_days,
        ),
        plan=Plan(
            shape.plan.name,
            shape.plan.paid,
            None if limits is None else PlanLimits(limits.max_notes, limits.max_body_bytes),
        ),
    )


def encode_json(shape: msgspec.Struct | Sequence[msgspec.Struct]) -> bytes:
    """The bytes of a shape, or of a list of them."""
    return msgspec.json.encode(shape)
