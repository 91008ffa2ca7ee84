"""`POST /v1/memory/commit`: changes with the versions they derive from, and what became of each (section 5)."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, TypeAlias

import msgspec

from oharness.core.scopes import Scope
from oharness.notes.note import Note
from oharness.protocol.errors import ErrorCode, InvalidRequest, ProtocolBroken
from oharness.protocol.quotas import Standing, StandingShape, encode_json, read_standing, standing_keys
from oharness.protocol.snapshot import (
    ListedNote,
    ListedNoteShape,
    ListedTombstone,
    TombstoneShape,
    read_listed_note,
    read_tombstone,
)
from oharness.protocol.strict_json import NotThisShape, decode_shape
from oharness.protocol.values import (
    CommitIdText,
    Count,
    DeviceText,
    Epoch,
    EpochText,
    HashText,
    IdText,
    NoteShape,
    Revision,
    RevisionText,
    ScopeShape,
    UserIdText,
    WireShape,
    note_shape,
    or_none,
    or_unset,
    read_note,
    read_scope,
    scope_shape,
)

COMMIT_PATH = "/v1/memory/commit"
MAX_CHANGES_EVER = 100_000


# --- the values


@dataclass(frozen=True, slots=True)
class Put:
    """Make this the note's content (P-30).

    `base_revision` and `base` are revision and hash of what the content derives from, None for nothing.
    `hash` is the content hash of `note`. `fresh`: created or restored on purpose, even if it looks like an old copy.
    """

    id: str
    base_revision: Revision | None
    base: str | None
    hash: str
    note: Note
    fresh: bool = False


@dataclass(frozen=True, slots=True)
class Delete:
    """Delete the note whose revision was recorded with the intent; `purge` removes its bodies too."""

    id: str
    base_revision: Revision | None
    base: str | None
    purge: bool = False


Change: TypeAlias = Put | Delete


@dataclass(frozen=True, slots=True)
class CommitRequest:
    """Changes of one scope from one device under one commit id.

    `strict` (commitFirst) needs `version`: all or nothing against exactly that manifest.
    """

    scope: Scope
    epoch: Epoch
    device: str
    commit_id: str
    changes: tuple[Change, ...]
    user_id: str | None = None
    strict: bool = False
    version: int | None = None


class ChangeStatus(StrEnum):
    """What became of a change (P-32); `superseded`: applied by an earlier sending, replaced since (P-31)."""

    APPLIED = "applied"
    UNCHANGED = "unchanged"
    MISMATCH = "mismatch"
    STALE_DELETED = "stale_deleted"
    REFUSED = "refused"
    SUPERSEDED = "superseded"


REFUSALS = frozenset(
    {
        ErrorCode.INVALID_NOTE,
        ErrorCode.HASH_MISMATCH,
        ErrorCode.NOTE_TOO_LARGE,
        ErrorCode.TOO_MANY_NOTES,
        ErrorCode.PLAN_NOTES,
        ErrorCode.PLAN_NOTE_BYTES,
        ErrorCode.ID_CASE_COLLISION,
    }
)

CurrentEntry: TypeAlias = ListedNote | ListedTombstone


@dataclass(frozen=True, slots=True)
class ChangeResult:
    """What became of one change.

    `hash`, `revision` and `seq` stand with `applied` and `unchanged`; a deleted note's are its tombstone's, all None
    for a delete of what never was. `current` stands with the others where the id has an entry. `code` says why
    one was refused (None for a reason that this version does not know).
    """

    id: str
    status: ChangeStatus
    hash: str | None = None
    revision: Revision | None = None
    seq: int | None = None
    current: CurrentEntry | None = None
    code: ErrorCode | None = None


@dataclass(frozen=True, slots=True)
class CommitAnswer:
    """One result per change, in order. `version` may become a baseline's `since` only when
    `previous_version` is that `since` (P-31).
    """

    standing: Standing
    epoch: Epoch
    previous_version: int
    version: int
    results: tuple[ChangeResult, ...]
    replayed: bool = False


# --- how they stand on the wire


class _PutShape(WireShape, frozen=True, tag_field="op", tag="put"):
    id: IdText
    base_revision: RevisionText | None
    base: HashText | None
    hash: HashText
    note: NoteShape
    fresh: bool | msgspec.UnsetType = msgspec.UNSET


class _DeleteShape(WireShape, frozen=True, tag_field="op", tag="delete"):
    id: IdText
    base_revision: RevisionText | None
    base: HashText | None
    purge: bool | msgspec.UnsetType = msgspec.UNSET


class _CommitShape(WireShape, frozen=True):
    scope: ScopeShape
    epoch: EpochText
    device: DeviceText
    commit_id: CommitIdText
    changes: Annotated[list[_PutShape | _DeleteShape], msgspec.Meta(max_length=MAX_CHANGES_EVER)]
    user_id: UserIdText | msgspec.UnsetType = msgspec.UNSET
    strict: bool | msgspec.UnsetType = msgspec.UNSET
    version: Count | msgspec.UnsetType = msgspec.UNSET


class CurrentShape(WireShape, frozen=True):
    """A live entry or a tombstone: only the latter has `deletedAt`."""

    id: IdText
    hash: HashText
    revision: RevisionText
    seq: Count
    bytes: Count | msgspec.UnsetType = msgspec.UNSET
    prev: list[HashText] | msgspec.UnsetType = msgspec.UNSET
    deleted_at: Count | msgspec.UnsetType = msgspec.UNSET


class ResultShape(WireShape, frozen=True):
    """One result; the manifest keeps results in the same form."""

    id: str
    status: str
    hash: HashText | msgspec.UnsetType = msgspec.UNSET
    revision: RevisionText | msgspec.UnsetType = msgspec.UNSET
    seq: Count | msgspec.UnsetType = msgspec.UNSET
    current: CurrentShape | msgspec.UnsetType | None = msgspec.UNSET
    code: str | msgspec.UnsetType = msgspec.UNSET


class _CommitAnswerShape(StandingShape, frozen=True, kw_only=True):
    epoch: EpochText
    previous_version: Count
    version: Count
    results: list[ResultShape]
    replayed: bool | msgspec.UnsetType = msgspec.UNSET


COMMIT_SHAPES = (_CommitShape, _CommitAnswerShape)
"""Request and answer, for the OpenAPI document."""


# --- requests


def encode_commit_request(request: CommitRequest) -> bytes:
    """The body, to be kept in the outbox and sent again unchanged (P-31)."""
    return encode_json(
        _CommitShape(
            scope=scope_shape(request.scope),
            epoch=request.epoch,
            device=request.device,
            commit_id=request.commit_id,
            changes=[_change_shape(change) for change in request.changes],
            user_id=or_unset(request.user_id),
            strict=request.strict or msgspec.UNSET,
            version=msgspec.UNSET if request.version is None else request.version,
        )
    )


def decode_commit_request(body: bytes) -> CommitRequest:
    """What is to be committed; whether each change is a valid note is judged later, one by one.

    Raises: InvalidRequest, also for an id that stands twice (P-36) and a strict commit without a version.
    """
    try:
        shape = decode_shape(body, _CommitShape)
        scope = read_scope(shape.scope)
        changes = tuple(_read_change(change) for change in shape.changes)
    except NotThisShape as error:
        raise InvalidRequest(str(error)) from error
    ids = {change.id for change in changes}
    if len(ids) != len(changes):
        raise InvalidRequest("an id stands twice in one commit")
    strict = shape.strict is True
    if strict and shape.version is msgspec.UNSET:
        raise InvalidRequest("a strict commit names the version it was checked against")
    return CommitRequest(
        scope=scope,
        epoch=Epoch(shape.epoch),
        device=shape.device,
        commit_id=shape.commit_id.lower(),
        changes=changes,
        user_id=or_none(shape.user_id),
        strict=strict,
        version=None if shape.version is msgspec.UNSET else shape.version,
    )


def change_bytes(change: Change) -> int:
    """How many bytes a change takes in a request, for splitting."""
    return len(encode_json(_change_shape(change))) + 1


def _change_shape(change: Change) -> _PutShape | _DeleteShape:
    match change:
        case Put():
            return _PutShape(
                id=change.id,
                base_revision=change.base_revision,
                base=change.base,
                hash=change.hash,
                note=note_shape(change.note),
                fresh=change.fresh or msgspec.UNSET,
            )
        case Delete():
            return _DeleteShape(change.id, change.base_revision, change.base, change.purge or msgspec.UNSET)


def _read_change(shape: _PutShape | _DeleteShape) -> Change:
    base_revision = None if shape.base_revision is None else Revision(shape.base_revision)
    if isinstance(shape, _DeleteShape):
        return Delete(shape.id, base_revision, shape.base, purge=shape.purge is True)
    note = read_note(shape.note)
    return Put(shape.id, base_revision, shape.base, shape.hash, note, fresh=shape.fresh is True)


# --- answers


def encode_commit_answer(answer: CommitAnswer) -> bytes:
    """The body of a commit's answer."""
    return encode_json(
        _CommitAnswerShape(
            **standing_keys(answer.standing),
            epoch=answer.epoch,
            previous_version=answer.previous_version,
            version=answer.version,
            results=[result_shape(result) for result in answer.results],
            replayed=answer.replayed or msgspec.UNSET,
        )
    )


def decode_commit_answer(body: bytes, request: CommitRequest) -> CommitAnswer:
    """What became of each change of `request`.

    Raises: ProtocolBroken, also when the results are not those of the request's changes, in order.
    """
    try:
        shape = decode_shape(body, _CommitAnswerShape)
        results = tuple(read_result(result) for result in shape.results)
    except NotThisShape as error:
        raise ProtocolBroken(str(error)) from error
    if [result.id for result in results] != [change.id for change in request.changes]:
        raise ProtocolBroken("the results are not those of the changes")
    return CommitAnswer(
        standing=read_standing(shape),
        epoch=Epoch(shape.epoch),
        previous_version=shape.previous_version,
        version=shape.version,
        results=results,
        replayed=shape.replayed is True,
    )


def result_shape(result: ChangeResult) -> ResultShape:
    """A result as it goes out."""
    return ResultShape(
        id=result.id,
        status=result.status,
        hash=or_unset(result.hash),
        revision=or_unset(result.revision),
        seq=msgspec.UNSET if result.seq is None else result.seq,
        current=msgspec.UNSET if result.current is None else _current_shape(result.current),
        code=or_unset(result.code),
    )


def read_result(shape: ResultShape) -> ChangeResult:
    """A result that came in.

    Raises: NotThisShape.
    """
    revision = or_none(shape.revision)
    code = or_none(shape.code)
    return ChangeResult(
        id=shape.id,
        status=_read_status(shape.status),
        hash=or_none(shape.hash),
        revision=None if revision is None else Revision(revision),
        seq=None if shape.seq is msgspec.UNSET else shape.seq,
        current=_read_current(shape.current) if isinstance(shape.current, CurrentShape) else None,
        code=ErrorCode(code) if code in REFUSALS else None,
    )


def _read_status(text: str) -> ChangeStatus:
    try:
        return ChangeStatus(text)
    except ValueError as error:
        raise NotThisShape(f"no such status: {text[:40]!r}") from error


def _current_shape(entry: CurrentEntry) -> CurrentShape:
    match entry:
        case ListedNote():
            return CurrentShape(entry.id, entry.hash, entry.revision, entry.seq, bytes=entry.bytes)
        case ListedTombstone():
            return CurrentShape(
                entry.id,
                entry.hash,
                entry.revision,
                entry.seq,
                prev=list(entry.prev),
                deleted_at=entry.deleted_at,
            )


def _read_current(shape: CurrentShape) -> CurrentEntry:
    if shape.deleted_at is not msgspec.UNSET:
        prev = [] if shape.prev is msgspec.UNSET else shape.prev
        return read_tombstone(TombstoneShape(shape.id, shape.seq, shape.revision, shape.hash, prev, shape.deleted_at))
    if shape.bytes is msgspec.UNSET:
        raise NotThisShape("a current entry is neither a note nor a tombstone")
    return read_listed_note(ListedNoteShape(shape.id, shape.hash, shape.revision, shape.seq, shape.bytes))
