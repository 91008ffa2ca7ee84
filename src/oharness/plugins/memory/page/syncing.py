"""Sync as the page tells and steers it: one switch and one time for both scopes, errors and questions for each."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

from oharness.core.errors import OharnessError
from oharness.core.scopes import ScopeKind
from oharness.disk.plugins_file import sync_target
from oharness.memory.scopes import Memory
from oharness.plugins.memory.background import BackgroundSync
from oharness.plugins.memory.page.asked import Document
from oharness.plugins.memory.page.notes import link_documents
from oharness.plugins.memory.page.shelf import Shelf
from oharness.reconcile.guards import ANSWERS, Choice
from oharness.sync.confirm import confirm_paused
from oharness.sync.coordinator import Coordinator, key_of
from oharness.sync.directory import Directory
from oharness.sync.pinning import is_on, switch
from oharness.sync.report import PassReport
from oharness.sync.schedule import Hold
from oharness.sync.seat import Outcome
from oharness.sync.status import ScopeStatus, SyncStatus, scope_status, together
from oharness.sync.transport import SignedOut

MOST_LISTED = 30

_NOTHING_KNOWN: Mapping[str, Any] = {
    "available": False,
    "enabled": False,
    "signedOut": False,
    "signInRefused": False,
    "erased": False,
    "lastSynced": None,
    "underWay": False,
    "pausedForS": 0,
    "scopes": [],
    "plan": "",
    "limits": None,
    "conflicts": 0,
    "problem": None,
}


@dataclass(slots=True, eq=False)
class Syncing:
    """The sync of one page's notes. `under_way`: somebody pressed "sync now" and it is not over yet."""

    memory: Memory
    background: BackgroundSync | None
    under_way: int = 0

    @property
    def directories(self) -> list[Directory]:
        """The directories that sync, the project's first."""
        return [one.directory for one in self.background.notes] if self.background else []

    def directory(self, scope: ScopeKind) -> Directory | None:
        """The directory of a scope; None where it does not sync."""
        return next((one for one in self.directories if one.scope.kind is scope), None)

    @property
    def coordinator(self) -> Coordinator | None:
        """The one that runs; None before it starts."""
        return self.background.coordinator if self.background else None

    def status(self) -> SyncStatus:
        """What is kept of all scopes. Blocking.

        Raises: StateFromNewerVersion; StorageFailed; BrokenFile.
        """
        around = self.memory.around
        return together(
            [
                scope_status(one.scope, one.state, enabled=is_on(around.files, around.home, one.scope))
                for one in self.directories
            ]
        )

    def document(self, shelf: Shelf) -> Document:
        """How things stand. What cannot be read of it is a `problem`, which keeps nobody from the notes. Blocking."""
        try:
            return self._document(shelf)
        except OharnessError as problem:
            return {**_NOTHING_KNOWN, "problem": problem}

    def _document(self, shelf: Shelf) -> Document:
        known = self.status()
        plan = known.plan
        coordinator = self.coordinator
        holds = [self._hold(one) for one in self.directories]
        return {
            **_NOTHING_KNOWN,
            "available": bool(known.scopes),
            "enabled": known.enabled,
            "signedOut": Hold.SIGNED_OUT in holds,
            "signInRefused": any(one.error == SignedOut.__name__ for one in known.scopes),
            "erased": Hold.ERASED in holds,
            "lastSynced": known.last_synced,
            "underWay": self.under_way > 0,
            "pausedForS": ceil(coordinator.paused_for_s) if coordinator else 0,
            "scopes": [self._scope(one, shelf) for one in known.scopes],
            "plan": plan.name if plan else "",
            "limits": {"notes": plan.max_notes, "bytes": plan.max_body_bytes or 0}
            if plan and not plan.paid and plan.max_notes is not None
            else None,
            "conflicts": sum(len(one.conflicts) for one in known.scopes),
        }

    async def now(self) -> Sequence[Outcome]:
        """A pass over every scope, straight away.

        Raises: TooFrequent while the service wants no requests; SyncIsOff.
        """
        background, coordinator = self.background, self.coordinator
        if background is None or coordinator is None:
            raise SignedOut("")
        self.under_way += 1
        try:
            return await coordinator.sync_now(background.keys)
        finally:
            self.under_way -= 1

    async def turn(self, *, on: bool) -> None:
        """Turns the one switch; off ends what is under way.

        Raises: BrokenFile, StorageFailed, FolderBusy.
        """
        if self.coordinator is not None:
            await self.coordinator.switch(on=on)
            return
        around = self.memory.around
        scopes = [directory.scope for directory in self.directories]
        await asyncio.to_thread(switch, around.files, around.home, scopes, on=on)

    async def confirm(self, scope: ScopeKind, choice: Choice) -> OharnessError | None:
        """Keeps the answer to what a scope asks, and lets it go on with that; gives why it could not go on yet.

        Raises: as `confirm_paused`; nothing is kept then.
        """
        background, coordinator, directory = self.background, self.coordinator, self.directory(scope)
        if directory is None or background is None:
            return None
        await asyncio.to_thread(confirm_paused, directory, choice)
        key = key_of(directory)
        if coordinator is None or key not in background.keys:
            return SignedOut("")
        try:
            return first_error(await coordinator.sync_now([key]))
        except OharnessError as error:
            return error

    async def brought_in_step(self, scope: ScopeKind) -> bool:
        """A pass over one scope, straight away; whether it got through."""
        background, coordinator, directory = self.background, self.coordinator, self.directory(scope)
        if background is None or coordinator is None or directory is None or key_of(directory) not in background.keys:
            return False
        try:
            return first_error(await coordinator.sync_now([key_of(directory)])) is None
        except OharnessError:
            return False

    def _scope(self, status: ScopeStatus, shelf: Shelf) -> Document:
        kind = status.scope.kind
        directory = self.directory(kind)
        around = self.memory.around
        pinned = sync_target(around.files, around.home, status.scope)
        pull = status.pull
        paused = status.paused
        return {
            "scope": str(kind),
            "enabled": status.enabled,
            "lastSynced": status.last_synced,
            "error": status.error,
            "hold": str(self._hold(directory) or "") if directory else "",
            "pinned": {"userId": pinned.user_id, "origin": pinned.origin} if pinned and pinned.user_id else None,
            "paused": {
                "reason": str(paused.reason),
                "count": len(paused.note_ids),
                "notes": link_documents(shelf, paused.note_ids[:MOST_LISTED], kind),
                "answers": [str(choice) for choice in Choice if choice in ANSWERS[paused.reason]],
            }
            if paused
            else None,
            "heldBack": [
                {**link_documents(shelf, [note_id], kind)[0], "reason": str(reason)}
                for note_id, reason in sorted(status.held_back.items())[:MOST_LISTED]
            ],
            "heldBackCount": len(status.held_back),
            "pull": {
                "at": pull.at,
                **{
                    name: {"count": len(ids), "notes": link_documents(shelf, ids[:MOST_LISTED], kind)}
                    for name, ids in (("added", pull.added), ("changed", pull.changed), ("removed", pull.removed))
                },
            }
            if pull.at and (pull.added or pull.changed or pull.removed)
            else None,
            "resetAt": status.cloud_was_reset_at,
            "conflicts": len(status.conflicts),
        }

    def _hold(self, directory: Directory) -> Hold | None:
        background, coordinator = self.background, self.coordinator
        key = key_of(directory)
        if background is None or coordinator is None or key not in background.keys:
            return None
        return coordinator.hold_of(key)


def first_error(outcomes: Sequence[Outcome]) -> OharnessError | None:
    """What went wrong with one of the passes."""
    return next((one.error for one in outcomes if one.error is not None), None)


def brought(outcomes: Sequence[Outcome]) -> int:
    """How many notes came down, changed or went in these passes."""
    reports: list[PassReport] = [one.report for one in outcomes if one.report is not None]
    return sum(len(one.added) + len(one.changed) + len(one.removed) + len(one.pushed) for one in reports)
