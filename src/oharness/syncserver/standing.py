"""What an account may do, from its verified claims and the service's limits."""

from dataclasses import dataclass

from oharness.core.scopes import Scope
from oharness.protocol.claims import Claims
from oharness.protocol.errors import ErrorCode
from oharness.protocol.quotas import Quota, Standing
from oharness.syncserver.entitlements import Entitlements, plan_of
from oharness.syncserver.quotas import Allowance
from oharness.syncserver.refusal import refused


@dataclass(frozen=True, slots=True)
class Limits:
    """What this deployment allows."""

    quota: Quota
    entitlements: Entitlements


def standing_of(claims: Claims, limits: Limits, scope: Scope | None = None) -> Standing:
    """What every answer announces; without a scope the limits are those of a project."""
    entitlements = limits.entitlements
    plan_limits = entitlements.project if scope is None else entitlements.limits_of(scope)
    return Standing(claims.account, limits.quota, plan_of(claims, plan_limits))


def allowance_of(standing: Standing) -> Allowance:
    """The limits that a commit is held to."""
    return Allowance(standing.quota, standing.plan.limits)


def refuse_other_account(claims: Claims, pinned: str | None) -> None:
    """Returns when the request names nobody or the token's own account (P-3).

    Raises: RequestRefused (403 account_changed).
    """
    if pinned is not None and pinned != claims.account:
        raise refused(ErrorCode.ACCOUNT_CHANGED, "This directory is synced with another account.")
