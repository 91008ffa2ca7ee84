"""What people are told about sync: of each scope, and of both together. Reads what the last passes kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from oharness.core.clock import Millis
from oharness.core.scopes import Scope
from oharness.disk.sync_shapes import LastPull
from oharness.disk.sync_state import SyncState
from oharness.reconcile.conflict import Conflict
from oharness.reconcile.guards import Paused
from oharness.sync.pinning import PinnedElsewhere
from oharness.sync.transport import AccountErased, SignedOut


@dataclass(frozen=True, slots=True)
class PlanShown:
    """The account's plan as the last answer said; limits only on a free one."""

    name: str
    paid: bool
    max_notes: int | None
    max_body_bytes: int | None


@dataclass(frozen=True, slots=True)
class ScopeStatus:
    """One scope. `error` is the class name of the last pass's error, empty when it went through.

    `elsewhere`: it belongs to another account or Cloud than those signed in to, and is paused for that.
    """

    scope: Scope
    enabled: bool
    last_synced: Millis | None
    error: str
    conflicts: tuple[Conflict, ...]
    paused: Paused | None
    held_back: Mapping[str, str]
    pull: LastPull
    cloud_was_reset_at: Millis | None
    plan: PlanShown | None
    elsewhere: PinnedElsewhere | None = None


@dataclass(frozen=True, slots=True)
class SyncStatus:
    """All scopes together: on only when all are, and as old as the oldest."""

    enabled: bool
    last_synced: Millis | None
    scopes: tuple[ScopeStatus, ...]
    plan: PlanShown | None
    signed_in: bool = True

    @property
    def everything_stopped(self) -> str:
        """Why nothing at all syncs though the switch is on, as an error's class name; empty when something does."""
        if self.scopes and all(scope.elsewhere is not None for scope in self.scopes):
            return PinnedElsewhere.__name__
        if any(scope.error == AccountErased.__name__ and scope.elsewhere is None for scope in self.scopes):
            return AccountErased.__name__
        return "" if self.signed_in else SignedOut.__name__


def scope_status(scope: Scope, state: SyncState, *, enabled: bool) -> ScopeStatus:
    """What is kept of one scope. Blocking.

    Raises: StateFromNewerVersion; StorageFailed.
    """
    progress, guard = state.progress(), state.guard()
    plan = None
    if progress.plan:
        plan = PlanShown(progress.plan, bool(progress.paid), progress.max_notes, progress.max_body_bytes)
    return ScopeStatus(
        scope=scope,
        enabled=enabled,
        last_synced=progress.last_synced,
        error=progress.error,
        conflicts=tuple(conflict for _, conflict in sorted(state.conflicts().items())),
        paused=guard.paused,
        held_back=progress.held_back,
        pull=progress.pull,
        cloud_was_reset_at=progress.cloud_was_reset_at,
        plan=plan,
    )


def together(scopes: Sequence[ScopeStatus], *, signed_in: bool = True) -> SyncStatus:
    """The status of all scopes: the time is the older one, and none while a scope has never synced."""
    times = [scope.last_synced for scope in scopes if scope.last_synced is not None]
    known = [scope.plan for scope in scopes if scope.plan]
    return SyncStatus(
        enabled=bool(scopes) and all(scope.enabled for scope in scopes),
        last_synced=min(times) if times and len(times) == len(scopes) else None,
        scopes=tuple(scopes),
        plan=known[0] if known else None,
        signed_in=signed_in,
    )
