"""Which growth a quota or a plan refuses (P-36, specification "Quotas and plans"). Pure.

A lowered limit blocks growth only: what stays within the limit passes, and so does what is not beyond what is
already there.
"""

from dataclasses import dataclass

from oharness.protocol.errors import ErrorCode
from oharness.protocol.quotas import PlanLimits, Quota


@dataclass(frozen=True, slots=True)
class Allowance:
    """The limits one commit is held to: everybody's, and those of a free plan."""

    quota: Quota
    plan: PlanLimits | None


def refused_count(count: int, present: int, allowance: Allowance) -> ErrorCode | None:
    """Why a scope that held `present` notes may not hold `count`; None when it may."""
    if count > max(allowance.quota.max_notes, present):
        return ErrorCode.TOO_MANY_NOTES
    if allowance.plan is not None and count > max(allowance.plan.max_notes, present):
        return ErrorCode.PLAN_NOTES
    return None


def refused_size(size: int, present: int, allowance: Allowance) -> ErrorCode | None:
    """Why a note whose body had `present` bytes may not have `size`; None when it may."""
    if size > max(allowance.quota.max_body_bytes, present):
        return ErrorCode.NOTE_TOO_LARGE
    if allowance.plan is not None and size > max(allowance.plan.max_body_bytes, present):
        return ErrorCode.PLAN_NOTE_BYTES
    return None
