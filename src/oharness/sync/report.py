"""What one pass did to one scope, as commands and the page tell it."""

from dataclasses import dataclass, field
from enum import StrEnum

from oharness.core.scopes import Scope
from oharness.protocol.quotas import Standing
from oharness.reconcile.guards import Paused


class PassStatus(StrEnum):
    """How a pass ended, as `sync now` says it; errors are raised instead."""

    SYNCED = "synced"
    CONFLICTS = "conflicts"
    PAUSED = "paused"


@dataclass(slots=True)
class PassReport:
    """Note ids of what happened; grows while the pass runs.

    `conflicts` are all that are open at its end. `cloud_was_reset`: the cloud's copy had been wiped or restored, and
    the person is told (P-25). `server_is_old`: the service has to be upgraded (P-50).
    """

    scope: Scope
    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    pushed: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    merged: list[str] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)
    held_back: dict[str, str] = field(default_factory=dict)
    paused: Paused | None = None
    cloud_was_reset: bool = False
    server_is_old: bool = False
    requests: int = 0
    version: int = 0
    files_opened: int = 0
    standing: Standing | None = None

    @property
    def status(self) -> PassStatus:
        """The one word for how it ended."""
        if self.paused:
            return PassStatus.PAUSED
        return PassStatus.CONFLICTS if self.conflicts else PassStatus.SYNCED

    @property
    def changed_nothing(self) -> bool:
        """Whether both sides are as they were."""
        return not (self.added or self.changed or self.removed or self.pushed or self.deleted or self.merged)
