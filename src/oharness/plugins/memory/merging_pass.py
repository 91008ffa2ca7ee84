"""One pass of background merging over both scopes: which groups, asked about once, merged only when nothing is lost."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from oharness.config.schema import ConsolidateSettings
from oharness.core.errors import OharnessError
from oharness.core.scopes import ScopeKind
from oharness.disk.background_merges import BackgroundMerges, ScopePasses
from oharness.memory.credential_gate import CredentialFound
from oharness.memory.tidying import Merged, Originals
from oharness.notes.limits import NoteTooLarge
from oharness.plugins.memory.tidying_desk import TidyingDesk
from oharness.tidy.auto import AutoSettings, stays_off
from oharness.tidy.findings import Finding, FindingKind
from oharness.tidy.merge_draft import DraftUnusable, MergeDraft

_log = logging.getLogger(__name__)

Paid = Callable[[], bool | None]
"""Whether the account is on a paid plan, as the sync service last said; None when that is not known. Blocking."""


@dataclass(slots=True, eq=False)
class MergingPass:
    """What a pass works with; `merged` are the merges that it did."""

    desk: TidyingDesk
    state: BackgroundMerges
    settings: ConsolidateSettings
    paid: Paid
    merged: list[Merged] = field(default_factory=list)

    async def run(self) -> bool:
        """One pass over the scopes whose cooldown is over; False when another process is at it.

        Raises: OharnessError for what keeps the whole pass from going on.
        """
        lock = await asyncio.to_thread(self.state.lock)
        if lock is None:
            return False
        try:
            left = self.settings.max_merges
            for service in self.desk.tidying.memory.services():
                if await asyncio.to_thread(self._begin, service.kind):
                    left -= await self._merge_in(service.kind, left)
            return True
        finally:
            lock.release()

    def _begin(self, kind: ScopeKind) -> bool:
        """Whether a pass may run in this scope; from then on its cooldown runs, whatever becomes of it."""
        scope, now = self.desk.tidying.memory.service(kind).scope, self.desk.clock.now_ms()
        known = self.state.of(scope)
        own = AutoSettings(self.settings.auto, self.settings.cooldown_hours, self.settings.max_merges)
        if stays_off(own, self.paid(), known.last_pass, now) is not None:
            return False
        self.state.keep(scope, replace(known, last_pass=now))
        return True

    async def _merge_in(self, kind: ScopeKind, most: int) -> int:
        """Merges up to so many groups of a scope and gives how many; a group asked about in vain is remembered."""
        scope = self.desk.tidying.memory.service(kind).scope
        if not self.desk.has_model:
            return 0
        done = 0
        for found in await asyncio.to_thread(self._subjects, kind):
            if done >= most:
                break
            originals = await asyncio.to_thread(self._originals, found)
            known = await asyncio.to_thread(self.state.of, scope)
            if originals is None or (mark := _mark(originals)) in known.tried:
                continue
            draft = await self._draft(originals)
            if draft is None:
                await asyncio.to_thread(self.state.keep, scope, ScopePasses(known.last_pass, (*known.tried, mark)))
            elif merged := await self._merged(originals, draft):
                done += 1
                self.merged.append(merged)
        return done

    def _subjects(self, kind: ScopeKind) -> Sequence[Finding]:
        found = self.desk.tidying.findings()
        return [one for one in found if one.kind is FindingKind.SAME_SUBJECT and one.scope is kind]

    def _originals(self, found: Finding) -> Originals | None:
        try:
            return self.desk.tidying.originals(found.notes, found.scope)
        except OharnessError:  # one of them went away in between
            return None

    async def _draft(self, originals: Originals) -> MergeDraft | None:
        """A draft that loses nothing, or None: then the group stays a suggestion.

        Raises: ModelFailed, after which other groups need not be tried.
        """
        try:
            draft = await self.desk.model_draft(originals)
        except (DraftUnusable, CredentialFound, NoteTooLarge):
            return None
        return MergeDraft(draft.summary, draft.body) if draft.fully_covered else None

    async def _merged(self, originals: Originals, draft: MergeDraft) -> Merged | None:
        """The merge of one group, or None when somebody was faster, or the cloud does not take it now."""
        tidying = self.desk.tidying
        try:
            again = await asyncio.to_thread(tidying.originals, originals.ids, originals.scope.kind)
            planned = await asyncio.to_thread(partial(tidying.plan, again, draft, seen=originals.hashes))
            return await self.desk.merge(planned)
        except OharnessError as error:
            _log.info("a background merge was given up: %s", error)
            return None


def _mark(originals: Originals) -> str:
    """What names a group of notes as they are."""
    return " ".join(f"{note_id}:{digest[:16]}" for note_id, digest in sorted(originals.hashes.items()))
