"""`POST /v1/memory/commit`: bodies first, the manifest last and under compare-and-swap (P-35).

The manifest write is the one moment of truth. After anything but success from the store the manifest is read again;
a commit that is found in it succeeded, everything else is judged again.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from oharness.core.clock import Clock
from oharness.core.randomness import Randomness
from oharness.core.scopes import Scope
from oharness.protocol.claims import Claims
from oharness.protocol.commit import (
    ChangeResult,
    ChangeStatus,
    CommitAnswer,
    CommitRequest,
    Delete,
    Put,
)
from oharness.protocol.errors import ErrorCode
from oharness.protocol.quotas import Standing
from oharness.protocol.values import Epoch
from oharness.syncserver.bodies import BodyStore, body_object
from oharness.syncserver.erased import account_erased, refuse_erased_account
from oharness.syncserver.judgement import (
    Circumstances,
    CommitRefused,
    Judged,
    Replayed,
    Verdict,
    first_refusal,
    judge,
    revision_of,
    tidied,
)
from oharness.syncserver.keys import manifest_key
from oharness.syncserver.manifest import FORMAT, Manifest, ManifestUnreadable, erased_manifest
from oharness.syncserver.manifest_format1 import old_epoch
from oharness.syncserver.manifest_store import ManifestStore, ReadManifest
from oharness.syncserver.metrics import Metrics
from oharness.syncserver.objects.base import Moved, ObjectStore, Stored, StoreUnavailable, Unknown, Written
from oharness.syncserver.refusal import RequestRefused, refused
from oharness.syncserver.scope_queue import ScopeQueues
from oharness.syncserver.standing import Limits, allowance_of, refuse_other_account, standing_of

MAX_TRIES = 6
MAX_SECONDS = 8.0
FIRST_BACKOFF_S = 0.05
_LOG = logging.getLogger("oharness.syncserver")
RequestOn = Callable[[Manifest], CommitRequest]


@dataclass(frozen=True, slots=True)
class CommitOutcome:
    """A commit's place in the history of its scope."""

    epoch: Epoch
    previous_version: int
    version: int
    results: tuple[ChangeResult, ...]
    replayed: bool


@dataclass(slots=True, eq=False)
class WaitingCommit:
    """A commit in the queue of its scope.

    `request_on` gives the request against a manifest: an old client's depends on it. `suffixes` are the
    positions whose object key was taken; `sent` are bodies that may be in the store, `stored` those that are;
    `was_tried` says that a manifest with it may be in the store.
    """

    account: str
    scope: Scope
    standing: Standing
    request_on: RequestOn
    done: asyncio.Future[CommitOutcome]
    refusals: dict[int, ErrorCode | None] = field(default_factory=dict)
    suffixes: dict[int, str] = field(default_factory=dict)
    sent: set[tuple[str, str]] = field(default_factory=set)
    stored: set[tuple[str, str]] = field(default_factory=set)
    was_tried: bool = False


@dataclass(frozen=True, slots=True)
class _Step:
    """One commit as judged on top of those before it."""

    waiting: WaitingCommit
    request: CommitRequest
    before: Manifest
    verdict: Verdict


@dataclass(eq=False)
class _TryAgain(Exception):
    """The store did not say yes: read the manifest again. `reason` is why it could not; "" when others were quicker."""

    reason: str = ""


class CommitService:
    """Accepts commits of all scopes."""

    def __init__(
        self,
        store: ObjectStore,
        manifests: ManifestStore,
        limits: Limits,
        clock: Clock,
        randomness: Randomness,
        metrics: Metrics,
        manifest_format: int = FORMAT,
    ) -> None:
        self._store = store
        self._manifests = manifests
        self._limits = limits
        self._clock = clock
        self._randomness = randomness
        self._metrics = metrics
        self._manifest_format = manifest_format
        self._queues: ScopeQueues[WaitingCommit] = ScopeQueues(
            self._write_batch, lambda one: one.done.done(), clock, store.min_write_interval_s
        )

    async def commit(self, claims: Claims, request: CommitRequest) -> CommitAnswer:
        """What became of each change.

        Raises: RequestRefused, StoreUnavailable, ManifestUnreadable.
        """
        refuse_other_account(claims, request.user_id)
        standing = standing_of(claims, self._limits, request.scope)
        outcome = await self.submit(claims, standing, request.scope, lambda _: request)
        return CommitAnswer(
            standing=standing,
            epoch=outcome.epoch,
            previous_version=outcome.previous_version,
            version=outcome.version,
            results=outcome.results,
            replayed=outcome.replayed,
        )

    async def submit(self, claims: Claims, standing: Standing, scope: Scope, request_on: RequestOn) -> CommitOutcome:
        """Queues a commit and waits for what becomes of it.

        Raises: RequestRefused, StoreUnavailable, ManifestUnreadable.
        """
        waiting = WaitingCommit(
            account=claims.account,
            scope=scope,
            standing=standing,
            request_on=request_on,
            done=asyncio.get_running_loop().create_future(),
        )
        try:
            await self._queues.submit(manifest_key(claims.account, scope), waiting)
            return waiting.done.result()
        finally:
            if waiting.done.done():
                waiting.done.exception()  # seen, also when the request was cancelled meanwhile

    async def _write_batch(self, key: str, batch: list[WaitingCommit]) -> None:
        deadline = self._clock.monotonic() + MAX_SECONDS
        failure: BaseException = refused(
            ErrorCode.BUSY, "Too much is written to this collection at once.", retry_after=5
        )
        reason = ""
        for attempt in range(MAX_TRIES):
            if attempt:
                await self._clock.sleep(self._randomness.uniform(0, FIRST_BACKOFF_S * 2**attempt))
                self._metrics.count("commit_retries")
            if self._clock.monotonic() > deadline:
                break
            try:
                await self._try_once(key, batch)
                return
            except _TryAgain as again:
                if again.reason:
                    reason, failure = again.reason, _not_stored()
            except StoreUnavailable as error:
                failure = error
            except (RequestRefused, ManifestUnreadable) as error:
                _fail(batch, error)
                return
        if reason:
            _LOG.warning("storage failed", extra={"fields": {"endpoint": "commit", "reason": reason}})
        _fail(batch, await self._erased_or(key, batch, failure))

    async def _try_once(self, key: str, batch: list[WaitingCommit]) -> None:
        """Settles every commit of the batch.

        Raises: _TryAgain, StoreUnavailable, RequestRefused, ManifestUnreadable.
        """
        await self._undo_if_erased(key, batch)
        read = await self._manifests.read(key)
        if read.manifest.erased:
            await self._undo(key, batch)
            raise account_erased()
        steps = await self._judged_and_stored(key, read, batch)
        after = _last_manifest(read.manifest, steps)
        if after is not read.manifest:
            await self._write_manifest(key, read, after, batch)
            await self._undo_if_erased(key, batch)
        await self._purge(key, read.manifest, after, steps)
        for step in steps:
            _settle(step)

    async def _judged_and_stored(self, key: str, read: ReadManifest, batch: list[WaitingCommit]) -> list[_Step]:
        """The batch judged, all bodies in the store; judged again while an object key turns out to be taken."""
        while True:
            steps = self._judge_batch(key, read.manifest, batch)
            if await self._store_bodies(steps):
                return steps

    def _judge_batch(self, key: str, manifest: Manifest, batch: list[WaitingCommit]) -> list[_Step]:
        now, new_epoch = self._clock.now_ms(), self._randomness.token(16)
        steps: list[_Step] = []
        for waiting in batch:
            request = waiting.request_on(manifest)
            circumstances = Circumstances(
                allowance=allowance_of(waiting.standing),
                now=now,
                new_epoch=new_epoch,
                old_epoch=old_epoch(key),
                refusal_of=_refusals(waiting, request),
                revision_suffixes=waiting.suffixes,
            )
            verdict = judge(manifest, request, circumstances)
            steps.append(_Step(waiting, request, manifest, verdict))
            if isinstance(verdict, Judged):
                manifest = verdict.manifest
        return steps

    async def _store_bodies(self, steps: Sequence[_Step]) -> bool:
        """Whether every body that is to be named is in the store; if not, another name was chosen.

        Raises: _TryAgain, StoreUnavailable.
        """
        wanted: dict[tuple[str, str], tuple[WaitingCommit, int, bytes]] = {}
        for step in steps:
            for position, put, revision in _applied_puts(step):
                if (put.id, revision) not in step.waiting.stored:
                    wanted[put.id, revision] = (step.waiting, position, body_object(put.note))
        if not wanted:
            return True
        first = steps[0].waiting
        for name, (waiting, _, _) in wanted.items():
            waiting.sent.add(name)
        bodies = BodyStore(self._store, self._clock, first.account, first.scope)
        taken = await bodies.write({name: data for name, (_, _, data) in wanted.items()})
        if isinstance(taken, Unknown):
            self._metrics.count("store_unknown")
            raise _TryAgain(taken.reason)
        for name, (waiting, position, _) in wanted.items():
            if name in taken:
                waiting.suffixes[position] = self._randomness.token(4)
            else:
                waiting.stored.add(name)
        return not taken

    async def _write_manifest(self, key: str, read: ReadManifest, after: Manifest, batch: list[WaitingCommit]) -> None:
        format_ = self._format_for(read)
        days = self._limits.quota.tombstone_days
        final = tidied(after, self._clock.now_ms(), days, self._randomness.token(16), format_)
        for waiting in batch:
            waiting.was_tried = True
        written = await self._manifests.write(key, read, final)
        self._note_write(written)
        if not isinstance(written, Stored):
            raise _TryAgain(written.reason if isinstance(written, Unknown) else "")

    def _format_for(self, read: ReadManifest) -> int:
        if read.version is None:
            return self._manifest_format
        return max(read.manifest.format, self._manifest_format)

    def _note_write(self, written: Written) -> None:
        match written:
            case Stored():
                self._metrics.count("manifest_writes")
            case Moved():
                self._metrics.count("manifest_conflicts")
            case Unknown():
                self._metrics.count("store_unknown")

    async def _undo_if_erased(self, key: str, batch: list[WaitingCommit]) -> None:
        """Before and after every write: an erasure that began meanwhile may have missed it, so it is taken back (P-35).

        Raises: RequestRefused (410), StoreUnavailable.
        """
        try:
            await refuse_erased_account(self._store, batch[0].account)
        except RequestRefused:
            await self._undo(key, batch)
            raise

    async def _undo(self, key: str, batch: list[WaitingCommit]) -> None:
        """Nothing of these commits stays, whatever the store said of their writes."""
        if not any(waiting.sent or waiting.was_tried for waiting in batch):
            return
        read = await self._manifests.read(key)
        if read.version is not None and not read.manifest.erased:
            gone = erased_manifest(self._randomness.token(16), self._randomness.token(16))
            await self._manifests.write(key, read, gone)
        for waiting in batch:
            bodies = BodyStore(self._store, self._clock, waiting.account, waiting.scope)
            await self._store.remove([bodies.key(*name) for name in sorted(waiting.sent)])

    async def _erased_or(self, key: str, batch: list[WaitingCommit], failure: BaseException) -> BaseException:
        """Why commits that were given up failed: nobody comes back to an account that was erased meanwhile."""
        try:
            await self._undo_if_erased(key, batch)
        except RequestRefused as error:
            return error
        except (StoreUnavailable, ManifestUnreadable):
            pass  # what is left is swept by the erasure that comes last
        return failure

    async def _purge(self, key: str, before: Manifest, after: Manifest, steps: Sequence[_Step]) -> None:
        """Removes the bodies of notes deleted everywhere (P-30), also when a commit is answered again."""
        wanted = {
            change.id: step.waiting
            for step in steps
            if not isinstance(step.verdict, CommitRefused)
            for change in step.request.changes
            if isinstance(change, Delete) and change.purge and change.id not in after.notes
        }
        if not wanted:
            return
        written = await self._manifests.read(key)
        for note_id, waiting in wanted.items():
            if first_refusal(Delete(note_id, None, None)) is None:
                bodies = BodyStore(self._store, self._clock, waiting.account, waiting.scope)
                revisions = _known_revisions(note_id, before, after)
                await bodies.purge(note_id, revisions, written.modified_ms)


def _refusals(waiting: WaitingCommit, request: CommitRequest) -> Callable[[int], ErrorCode | None]:
    """What can never be accepted, looked at once per change however often the commit is judged."""

    def refusal_of(position: int) -> ErrorCode | None:
        if position not in waiting.refusals:
            waiting.refusals[position] = first_refusal(request.changes[position])
        return waiting.refusals[position]

    return refusal_of


def _applied_puts(step: _Step) -> list[tuple[int, Put, str]]:
    """The puts whose bodies the new manifest names, with the revisions it names them by."""
    if not isinstance(step.verdict, Judged) or step.verdict.manifest is step.before:
        return []
    wanted: list[tuple[int, Put, str]] = []
    for position, (change, result) in enumerate(zip(step.request.changes, step.verdict.results, strict=True)):
        if isinstance(change, Put) and result.status is ChangeStatus.APPLIED:
            revision = revision_of(step.request.commit_id, position, step.waiting.suffixes)
            if result.revision == revision:
                wanted.append((position, change, revision))
    return wanted


def _last_manifest(read: Manifest, steps: Sequence[_Step]) -> Manifest:
    manifest = read
    for step in steps:
        if isinstance(step.verdict, Judged):
            manifest = step.verdict.manifest
    return manifest


def _known_revisions(note_id: str, before: Manifest, after: Manifest) -> list[str]:
    revisions: list[str] = []
    for manifest in (before, after):
        for entry in (manifest.notes.get(note_id), manifest.tombstones.get(note_id)):
            if entry is not None:
                revisions += [entry.revision, *entry.recent]
    return revisions


def _settle(step: _Step) -> None:
    verdict, done = step.verdict, step.waiting.done
    match verdict:
        case CommitRefused():
            done.set_exception(_refusal(verdict, step.before))
        case Replayed():
            outcome = CommitOutcome(
                Epoch(step.before.epoch),
                verdict.previous_version,
                verdict.version,
                verdict.results,
                replayed=not step.waiting.was_tried,
            )
            done.set_result(outcome)
        case Judged():
            epoch, version = Epoch(verdict.manifest.epoch), verdict.manifest.version
            done.set_result(CommitOutcome(epoch, verdict.previous_version, version, verdict.results, replayed=False))


def _refusal(verdict: CommitRefused, manifest: Manifest) -> RequestRefused:
    details: dict[str, object] = {"epoch": manifest.epoch, "version": manifest.version}
    if verdict.note_id is not None:
        details["id"] = verdict.note_id
    return refused(verdict.code, _MESSAGES.get(verdict.code, "A change was refused."), details=details)


_MESSAGES = {
    ErrorCode.EPOCH_CHANGED: "The cloud side was reset or restored; list it again.",
    ErrorCode.MANIFEST_CHANGED: "Something changed since the version that was checked; nothing was applied.",
    ErrorCode.TOO_MANY_CHANGES: "Too many changes in one commit; split it.",
}


def _not_stored() -> RequestRefused:
    """The caller cannot mend a disk that is full; whoever runs the service reads in the log that it is."""
    message = "The storage does not take what is sent; nothing is lost, try again later."
    return refused(ErrorCode.BUSY, message, retry_after=5)


def _fail(batch: list[WaitingCommit], error: BaseException) -> None:
    for waiting in batch:
        if not waiting.done.done():
            waiting.done.set_exception(error)
