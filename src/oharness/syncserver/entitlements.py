"""Which limits a free plan has, and what an account's plan is (specification "Quotas and plans"). Pure."""

from dataclasses import dataclass

import msgspec

from oharness.core.errors import WrongUsage
from oharness.core.scopes import Scope, ScopeKind
from oharness.protocol.claims import Claims
from oharness.protocol.quotas import Plan, PlanLimits
from oharness.protocol.values import Count, WireShape


@dataclass(eq=False)
class EntitlementsBroken(WrongUsage):
    """The entitlements file is not what it should be; `reason` says where."""

    reason: str


@dataclass(frozen=True, slots=True)
class Entitlements:
    """The limits of the free plan, per kind of scope."""

    project: PlanLimits
    user: PlanLimits

    def limits_of(self, scope: Scope) -> PlanLimits:
        """The limits that hold in one scope."""
        return self.user if scope.kind is ScopeKind.USER else self.project


class _FreeShape(WireShape, frozen=True):
    notes_per_project: Count
    notes_per_user: Count
    note_bytes: Count


class _FileShape(WireShape, frozen=True):
    format: int
    free: _FreeShape


def read_entitlements(data: bytes) -> Entitlements:
    """The limits in the bytes of `memory_entitlements.json`.

    Raises: EntitlementsBroken.
    """
    try:
        file = msgspec.json.decode(data, type=_FileShape)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise EntitlementsBroken(str(error)) from error
    if file.format != 1:
        raise EntitlementsBroken(f"format {file.format}")
    free = file.free
    return Entitlements(
        project=PlanLimits(free.notes_per_project, free.note_bytes),
        user=PlanLimits(free.notes_per_user, free.note_bytes),
    )


def plan_of(claims: Claims, limits: PlanLimits) -> Plan:
    """The account's plan; a paid one, its own or a team's, has no limits."""
    return Plan("paid", True, None) if claims.paid else Plan("free", False, limits)
