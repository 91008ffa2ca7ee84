"""Sends changes, one commit at a time, each from the outbox, and records what became of every change (P-30 to P-36)."""

import asyncio
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from itertools import chain
from typing import Literal

from oharness.disk.backups import BackupReason, SetAside
from oharness.notes.frontmatter import note_text
from oharness.notes.limits import body_bytes
from oharness.notes.note import Note
from oharness.protocol.commit import (
    REFUSALS,
    Change,
    ChangeResult,
    ChangeStatus,
    CommitAnswer,
    CommitRequest,
    Delete,
    Put,
    decode_commit_request,
    encode_commit_request,
)
from oharness.protocol.errors import ErrorCode, InvalidRequest, ProtocolBroken
from oharness.protocol.values import Epoch
from oharness.reconcile.baseline import (
    NOT_IN_CLOUD,
    Baseline,
    DeletedInCloud,
    Entry,
    InCloud,
    Version,
    after_delete,
    after_put,
    agree,
    forget,
    with_entries,
)
from oharness.reconcile.decide import Decision, DeleteInCloud, Upload
from oharness.reconcile.plan import Refusal
from oharness.reconcile.split import split_changes
from oharness.reconcile.work import CloudChange, DeleteNote, PutNote
from oharness.sync.desk import Desk, keep_baseline, read_files, works_for
from oharness.sync.directory import Directory
from oharness.sync.in_thread import in_thread, in_thread_meanwhile
from oharness.sync.transport import ServiceRefused, SyncTransport
from oharness.sync.wire import change_of, seen_entry

_SMALLEST_PART = 64 * 1024
_TOO_BIG = (ErrorCode.REQUEST_TOO_LARGE, ErrorCode.TOO_MANY_CHANGES)
_NOT_APPLIED = (ErrorCode.EPOCH_CHANGED, ErrorCode.MANIFEST_CHANGED, ErrorCode.INVALID_REQUEST, *_TOO_BIG)
"""Answers that mean that the commit was not applied, then or ever: the outbox can let go of it."""


class Sent(Enum):
    """What a commit came to."""

    RECORDED = auto()
    PLAN_AGAIN = auto()
    """Recorded, and the cloud had moved on for some note."""
    LIST_AGAIN = auto()
    """Not applied: another epoch, or too large for the service."""


async def finish_outbox(desk: Desk, transport: SyncTransport) -> None:
    """Sends the commit whose answer was never recorded again, unchanged.

    Raises: AccountChanged; what the transport raises, with the commit still in the outbox.
    """
    directory = desk.directory
    body = await in_thread(directory.outbox.waiting)
    if body is None:
        return
    try:
        request = decode_commit_request(body)
    except InvalidRequest:
        await in_thread(directory.outbox.clear)
        return
    if request.scope == directory.scope and request.device == desk.baseline.device:
        await _send(desk, transport, request, body)
    else:  # of a baseline that is lost; what it wanted to send is still in the notes and intents
        await in_thread(directory.outbox.clear)


async def send_all(
    desk: Desk, transport: SyncTransport, merged: Iterable[PutNote], decisions: Mapping[str, Decision]
) -> Sent:
    """Sends the planned deletions, what merging left, and every planned upload, read from disk part by part.

    Raises: AccountChanged; what the transport and the disk raise; recorded parts stay recorded.
    """
    deletes = [
        DeleteNote(note_id, decision.base, decision.purge)
        for note_id, decision in decisions.items()
        if isinstance(decision, DeleteInCloud)
    ]
    uploads = {note_id: decision for note_id, decision in decisions.items() if isinstance(decision, Upload)}
    merged = tuple(merged)
    done, total = 0, len(deletes) + len(merged) + len(uploads)
    puts = chain(merged, _read_uploads(desk, uploads))
    max_changes = desk.standing.quota.max_changes if desk.standing else 1
    parts = map(_changes_of, split_changes(deletes, puts, max_changes, desk.part_bytes))
    outcome = Sent.RECORDED
    if total:
        desk.tell(done, total)
    ahead = await in_thread(next, parts, ())
    while part := ahead:
        sent, ahead = await _send_part(desk, transport, part, parts)
        match sent:
            case Sent.LIST_AGAIN:
                return Sent.LIST_AGAIN
            case Sent.PLAN_AGAIN:
                outcome = Sent.PLAN_AGAIN
            case Sent.RECORDED:
                pass
        done += len(part)
        desk.tell(done, total)
    return outcome


def _changes_of(part: Iterable[CloudChange]) -> tuple[Change, ...]:
    return tuple(map(change_of, part))


def _read_uploads(desk: Desk, uploads: Mapping[str, Decision]) -> Iterator[PutNote]:
    """The notes to upload, as they were looked at; those that were not read for it are when their turn comes."""
    for note_id, decision in uploads.items():
        file = desk.look.at_hand.get(note_id)
        read = {note_id: file} if file else read_files(desk.directory, [note_id])
        for work in works_for(desk, {note_id: decision}, read):
            if isinstance(work.change, PutNote):
                yield work.change


async def _send_part(
    desk: Desk, transport: SyncTransport, part: tuple[Change, ...], parts: Iterator[tuple[Change, ...]]
) -> tuple[Sent, tuple[Change, ...]]:
    """Sends one part. While it is on its way its copies are kept, and the next part, which this gives, is got ready."""
    directory = desk.directory
    request = CommitRequest(
        scope=directory.scope,
        epoch=Epoch(desk.baseline.epoch),
        device=desk.baseline.device,
        commit_id=directory.randomness.uuid(),
        changes=part,
        user_id=desk.user_id,
    )
    body = encode_commit_request(request)
    await in_thread(directory.outbox.keep, body)
    copies = {change.hash: change.note for change in part if isinstance(change, Put)}

    def meanwhile() -> tuple[Change, ...]:
        directory.state.copies.save(copies)
        return next(parts, ())

    async with in_thread_meanwhile(meanwhile) as preparing:
        answer = await _answer_to(desk, transport, request, body)
        await asyncio.wait([preparing])
        if isinstance(answer, Sent):
            return answer, ()
        kept = frozenset() if preparing.exception() else copies.keys()
        sent = await in_thread(record_results, desk, request, answer, kept)
        return sent, preparing.result()


async def _send(desk: Desk, transport: SyncTransport, request: CommitRequest, body: bytes) -> Sent:
    answer = await _answer_to(desk, transport, request, body)
    return answer if isinstance(answer, Sent) else await in_thread(record_results, desk, request, answer)


async def _answer_to(
    desk: Desk, transport: SyncTransport, request: CommitRequest, body: bytes
) -> CommitAnswer | Literal[Sent.LIST_AGAIN]:
    """What the service answers; the outbox has let go of what it never applied."""
    try:
        answer = await transport.commit(request, body)
    except ServiceRefused as refused:
        if refused.code not in _NOT_APPLIED and not (request.strict and refused.code in REFUSALS):
            raise
        await in_thread(desk.directory.outbox.clear)
        if refused.code is ErrorCode.INVALID_REQUEST:
            raise
        if refused.code in _TOO_BIG:
            if len(request.changes) == 1 or desk.part_bytes <= _SMALLEST_PART:
                raise
            desk.part_bytes = max(_SMALLEST_PART, min(desk.part_bytes, len(body)) // 2)
        return Sent.LIST_AGAIN
    desk.take(answer.standing)
    return answer


@dataclass(slots=True)
class _Records:
    """What a commit's results say, gathered before anything is kept."""

    entries: dict[str, Entry] = field(default_factory=dict)
    copies: dict[str, Note] = field(default_factory=dict)
    refusals: dict[str, Refusal] = field(default_factory=dict)
    pushed: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    moved_on: bool = False


def record_results(desk: Desk, request: CommitRequest, answer: CommitAnswer, copies_kept: Collection[str] = ()) -> Sent:
    """Keeps what became of every change: copies, marks of purpose, baseline, then the outbox lets go.

    `copies_kept` are hashes of notes whose copies were kept before.
    Blocking; may be repeated for a commit that was recorded before.
    Raises: ProtocolBroken; StorageFailed, BackupFailed, BrokenFile, FolderBusy, with the commit still in the outbox.
    """
    records = _Records()
    for change, result in zip(request.changes, answer.results, strict=True):
        before = desk.baseline.entry(change.id)
        after = _recorded(before, change, result, records)
        # Cloud first: the files here are written afterwards, by this pass or as a pull by the next one.
        records.entries[change.id] = replace(after, agreed=before.agreed) if request.strict else after
    directory = desk.directory
    if records.deleted and not request.strict:
        _back_up_vanished(directory, request, records.deleted)
    directory.state.copies.save({one: note for one, note in records.copies.items() if one not in copies_kept})
    desk.baseline = _stepped(with_entries(desk.baseline, records.entries), answer)
    directory.marks.drop(records.pushed)  # before the baseline: left behind by a crash, it would undo a later deletion
    keep_baseline(desk)
    directory.outbox.clear()
    directory.intents.drop(records.deleted)
    _note_down(desk, records, answer)
    return Sent.PLAN_AGAIN if records.moved_on else Sent.RECORDED


def _back_up_vanished(directory: Directory, request: CommitRequest, deleted: Collection[str]) -> None:
    """Sets aside what was last synced of notes whose files were taken away from outside: nobody has done it yet."""
    asked_for = {intent.note_id for intent in directory.intents.all()}
    vanished = {
        change.base: change.id
        for change in request.changes
        if isinstance(change, Delete) and change.base and change.id in deleted and change.id not in asked_for
    }
    path = directory.folder.path
    directory.backups.save_many(
        [
            SetAside(directory.scope, path, vanished[content], note_text(note).encode(), BackupReason.PULL)
            for content, note in sorted(directory.state.copies.find(vanished).items())
        ]
    )


def _recorded(entry: Entry, change: Change, result: ChangeResult, records: _Records) -> Entry:
    current = seen_entry(result.current) if result.current else NOT_IN_CLOUD
    match result.status, change:
        case ((ChangeStatus.APPLIED | ChangeStatus.UNCHANGED), Put()):
            records.pushed.append(change.id)
            records.copies[change.hash] = change.note
            return after_put(entry, _accepted_put(change, result))
        case ((ChangeStatus.APPLIED | ChangeStatus.UNCHANGED), Delete()):
            records.deleted.append(change.id)
            tombstone = _accepted_delete(change, result)
            return after_delete(entry, tombstone) if tombstone else forget(replace(entry, seen=NOT_IN_CLOUD))
        case ChangeStatus.SUPERSEDED, Put():
            records.pushed.append(change.id)
            records.copies[change.hash] = change.note
            records.moved_on = True
            return replace(agree(entry, Version(change.hash, _revision(result))), seen=current)
        case ChangeStatus.SUPERSEDED, Delete():
            records.deleted.append(change.id)
            records.moved_on = True
            return replace(forget(entry), seen=current)
        case ChangeStatus.REFUSED, _:
            content = change.hash if isinstance(change, Put) else ""
            records.refusals[change.id] = Refusal(content, result.code or "refused")
            return replace(entry, seen=current) if result.current else entry
        case ((ChangeStatus.MISMATCH | ChangeStatus.STALE_DELETED), _):
            records.moved_on = True
            return replace(entry, seen=current)
        case _:
            raise ProtocolBroken(f"a result that does not fit its change: {result.status}")


def _accepted_put(change: Put, result: ChangeResult) -> InCloud:
    if result.hash != change.hash or result.seq is None:
        raise ProtocolBroken("a note was accepted as something else")
    return InCloud(change.hash, _revision(result), result.seq, body_bytes(change.note.body))


def _accepted_delete(change: Delete, result: ChangeResult) -> DeletedInCloud | None:
    if result.revision is None or result.seq is None:
        return None
    return DeletedInCloud(result.hash or change.base or "", result.revision, result.seq)


def _revision(result: ChangeResult) -> str:
    if result.revision is None:
        raise ProtocolBroken("a note was accepted without a revision")
    return result.revision


def _stepped(baseline: Baseline, answer: CommitAnswer) -> Baseline:
    """A commit's version becomes the baseline's only when nobody else wrote in between (P-31)."""
    if answer.previous_version == baseline.version and baseline.epoch in ("", answer.epoch):
        return replace(baseline, version=answer.version, epoch=answer.epoch)
    return baseline


def _note_down(desk: Desk, records: _Records, answer: CommitAnswer) -> None:
    report, progress = desk.report, desk.progress
    report.pushed += records.pushed
    report.deleted += records.deleted
    report.version = max(report.version, desk.baseline.version)
    report.held_back |= {note_id: refusal.code for note_id, refusal in records.refusals.items()}
    desk.refused_now = {n: one for n, one in desk.refused_now.items() if n not in records.entries} | records.refusals
    earlier = desk.progress.refusals if progress.refusal_ground == desk.ground else {}
    kept = {n: one for n, one in earlier.items() if n not in records.entries}
    committed = () if desk.baseline.version == answer.version else (*progress.committed, *records.copies)
    desk.progress = replace(progress, refusals=kept | desk.refused_now, refusal_ground=desk.ground, committed=committed)
