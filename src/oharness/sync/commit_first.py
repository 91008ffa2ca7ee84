"""A batch that nobody reviews note by note goes to the cloud first, and to this machine only once it was accepted.

The scope is synced before. Every note of the batch has to be in sync and what the batch was planned from; the commit
names the manifest version that was checked, so that a change from another device refuses the batch (P-33).
"""

from dataclasses import dataclass, replace

from oharness.core.errors import Refused
from oharness.notes.batch import NoteBatch, NotesChanged
from oharness.notes.hashing import content_hash
from oharness.notes.limits import NoteTooLarge, body_bytes
from oharness.notes.note import Note
from oharness.protocol.commit import (
    REFUSALS,
    Change,
    CommitRequest,
    Delete,
    Put,
    encode_commit_request,
)
from oharness.protocol.errors import ErrorCode
from oharness.protocol.values import Epoch, Revision
from oharness.reconcile.baseline import AgreedOn, DeletedInCloud, InCloud, NothingAgreed, Version
from oharness.reconcile.decide import Decision, DeleteHere, DeletionGround, Download, Here
from oharness.reconcile.work import NoteWork, SetAside, SetAsideReason
from oharness.sync.apply import apply_works
from oharness.sync.desk import Desk, close_desk, is_in_sync, look_again, open_desk, plan, read_files, works_for
from oharness.sync.directory import Directory
from oharness.sync.in_thread import in_thread
from oharness.sync.listing import list_scope
from oharness.sync.one_pass import LOCK_WAIT_SECONDS, run_pass
from oharness.sync.report import PassStatus
from oharness.sync.sending import record_results
from oharness.sync.transport import ServiceRefused, SyncTransport


@dataclass(eq=False)
class BatchOvertaken(Refused):
    """Another device changed the scope in between; nothing of the batch was done. Plan it anew."""

    scope: str


@dataclass(eq=False)
class BatchRefused(Refused):
    """The service does not take the batch (`code`); nothing of it was done."""

    scope: str
    code: str


@dataclass(eq=False)
class BatchTooLarge(Refused):
    """A batch is one commit, and the service takes `limit` changes in one."""

    count: int
    limit: int


@dataclass(eq=False)
class NotInSync(Refused):
    """These notes are in conflict, held back or waiting for an answer; a batch touches only notes in sync."""

    note_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BatchDone:
    """What was written here after the cloud accepted it. `left` are notes edited meanwhile: the next pass merges."""

    written: tuple[str, ...]
    deleted: tuple[str, ...]
    backups: tuple[str, ...]
    left: tuple[str, ...]


async def commit_first(directory: Directory, transport: SyncTransport, user_id: str, batch: NoteBatch) -> BatchDone:
    """Syncs the scope, commits the batch to the cloud, then writes it here.

    Raises: NotesChanged, NotInSync, NoteTooLarge, BatchTooLarge, BatchOvertaken, BatchRefused, with nothing done;
    what `one_pass` raises. After a lost answer the next pass finds out, and brings the batch down if it was done.
    """
    lock = await in_thread(directory.state.lock, LOCK_WAIT_SECONDS)
    try:
        desk = await in_thread(open_desk, directory, user_id)
        await run_pass(desk, transport)
        if not desk.report.changed_nothing:
            await list_scope(desk, transport)
        await in_thread(look_again, desk)
        await in_thread(plan, desk)
        changes = _checked(desk, batch)
        await _commit(desk, transport, changes)
        done = await in_thread(_write_here, desk, batch)
        await in_thread(close_desk, desk)
        return done
    finally:
        lock.release()


def _checked(desk: Desk, batch: NoteBatch) -> tuple[Change, ...]:
    """The batch as changes, every note of it in sync and within the limits."""
    files = desk.look.files
    present = {note_id: side.hash for note_id, side in files.items() if isinstance(side, Here)}
    changed = tuple(n for n, planned in batch.planned_from().items() if present.get(n) != planned)
    if changed:
        raise NotesChanged(changed)
    unsettled = tuple(n for n in batch.planned_from() if not _is_settled(desk, n))
    if unsettled or desk.report.status is PassStatus.PAUSED:
        raise NotInSync(unsettled)
    limit = desk.standing.quota.max_changes if desk.standing else 0
    count = len(batch.writes) + len(batch.deletes)
    if count > limit:
        raise BatchTooLarge(count, limit)
    for write in batch.writes:
        size = body_bytes(write.note.body)
        if size > desk.max_body_bytes:
            raise NoteTooLarge(write.note.id, size, desk.max_body_bytes)
    deletes = [_delete(desk, delete.note_id) for delete in batch.deletes]
    return (*deletes, *(_put(desk, write.note) for write in batch.writes))


def _is_settled(desk: Desk, note_id: str) -> bool:
    entry, side = desk.baseline.entry(note_id), desk.look.files.get(note_id)
    if side is None:
        return isinstance(entry.agreed, NothingAgreed) and not isinstance(entry.seen, InCloud)
    return is_in_sync(desk, note_id) and note_id not in desk.conflicts


def _put(desk: Desk, note: Note) -> Put:
    base = _base(desk, note.id)
    is_new = not isinstance(desk.baseline.entry(note.id).agreed, AgreedOn)
    revision = Revision(base.revision) if base else None
    return Put(note.id, revision, base.hash if base else None, content_hash(note), note, fresh=is_new)


def _delete(desk: Desk, note_id: str) -> Delete:
    base = _base(desk, note_id)
    return Delete(note_id, Revision(base.revision) if base else None, base.hash if base else None)


def _base(desk: Desk, note_id: str) -> Version | None:
    seen = desk.baseline.entry(note_id).seen
    return seen.version if isinstance(seen, InCloud | DeletedInCloud) else None


async def _commit(desk: Desk, transport: SyncTransport, changes: tuple[Change, ...]) -> None:
    directory = desk.directory
    request = CommitRequest(
        scope=directory.scope,
        epoch=Epoch(desk.baseline.epoch),
        device=desk.baseline.device,
        commit_id=directory.randomness.uuid(),
        changes=changes,
        user_id=desk.user_id,
        strict=True,
        version=desk.baseline.version,
    )
    body = encode_commit_request(request)
    await in_thread(directory.outbox.keep, body)
    try:
        answer = await transport.commit(request, body)
    except ServiceRefused as refused:
        error = _refusal(directory, refused, len(changes))
        if error is None:
            raise
        await in_thread(directory.outbox.clear)
        raise error from refused
    desk.take(answer.standing)
    await in_thread(record_results, desk, request, answer)


def _refusal(directory: Directory, refused: ServiceRefused, count: int) -> Refused | None:
    """What a refusal means for the batch; None where it may yet be done."""
    if refused.code in (ErrorCode.MANIFEST_CHANGED, ErrorCode.EPOCH_CHANGED):
        return BatchOvertaken(directory.scope.key)
    if refused.code in (ErrorCode.TOO_MANY_CHANGES, ErrorCode.REQUEST_TOO_LARGE):
        return BatchTooLarge(count, count - 1)
    if refused.code is ErrorCode.INVALID_REQUEST or refused.code in REFUSALS:
        return BatchRefused(directory.scope.key, refused.code)
    return None


def _write_here(desk: Desk, batch: NoteBatch) -> BatchDone:
    """The batch as a pull of what the cloud has just accepted, backed up as a merge."""
    decisions: dict[str, Decision] = {delete.note_id: DeleteHere(DeletionGround.TOMBSTONE) for delete in batch.deletes}
    for write in batch.writes:
        seen = desk.baseline.entry(write.note.id).seen
        if isinstance(seen, InCloud):
            desk.bodies[seen.revision] = write.note
            decisions[write.note.id] = Download(seen)
    read = read_files(desk.directory, decisions)
    works = [_as_merge(work) for work in works_for(desk, decisions, read)]
    applied = apply_works(desk.directory, desk.baseline, works, read)
    desk.baseline = desk.kept_baseline = applied.baseline
    done = {work.id for work in applied.done}
    return BatchDone(
        written=tuple(write.note.id for write in batch.writes if write.note.id in done),
        deleted=tuple(delete.note_id for delete in batch.deletes if delete.note_id in done),
        backups=applied.backups,
        left=tuple(note_id for note_id in decisions if note_id not in done),
    )


def _as_merge(work: NoteWork) -> NoteWork:
    return replace(work, set_aside=tuple(SetAside(one.note, SetAsideReason.MERGE) for one in work.set_aside))
