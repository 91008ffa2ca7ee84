"""The old protocol (section 8): project notes without types, told by hash alone; kept for old clients and services."""

from dataclasses import dataclass
from typing import Annotated, TypeAlias

import msgspec

from oharness.core.clock import Millis
from oharness.core.scopes import is_project_id
from oharness.notes.note import Note
from oharness.protocol.commit import MAX_CHANGES_EVER, ChangeResult, ResultShape, read_result, result_shape
from oharness.protocol.errors import InvalidRequest, ProtocolBroken
from oharness.protocol.quotas import Standing, StandingShape, encode_json, read_standing, standing_keys
from oharness.protocol.snapshot import MAX_HAVE
from oharness.protocol.strict_json import NotThisShape, decode_shape
from oharness.protocol.values import (
    Count,
    HashText,
    IdText,
    NoteShape,
    WireShape,
    note_shape,
    read_note,
    read_note_id,
)


@dataclass(frozen=True, slots=True)
class OldListingRequest:
    """Everything of one project; `have` are hashes whose bodies are not needed."""

    project_id: str
    have: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OldListedNote:
    """A live note; `note` is None where the body was left out."""

    id: str
    hash: str
    note: Note | None = None


@dataclass(frozen=True, slots=True)
class OldTombstone:
    """A deleted note."""

    id: str
    deleted_at: Millis


@dataclass(frozen=True, slots=True)
class OldListingAnswer:
    """The whole manifest of one project."""

    standing: Standing
    version: int
    notes: tuple[OldListedNote, ...]
    tombstones: tuple[OldTombstone, ...]


@dataclass(frozen=True, slots=True)
class OldPut:
    """Make this the content; `base` is the hash that it replaces, None for a new note."""

    id: str
    base: str | None
    note: Note


@dataclass(frozen=True, slots=True)
class OldDelete:
    """Delete the note whose hash is `base`."""

    id: str
    base: str | None


OldChange: TypeAlias = OldPut | OldDelete


@dataclass(frozen=True, slots=True)
class OldCommitRequest:
    """Changes of one project; nothing tells a repeated one from a new one but its hashes."""

    project_id: str
    changes: tuple[OldChange, ...]


@dataclass(frozen=True, slots=True)
class OldCommitAnswer:
    """One result per change, in order."""

    standing: Standing
    version: int
    results: tuple[ChangeResult, ...]


class _ListingShape(WireShape, frozen=True):
    project_id: str
    have: Annotated[list[HashText], msgspec.Meta(max_length=MAX_HAVE)]


class _ListedNoteShape(WireShape, frozen=True):
    id: IdText
    hash: HashText
    note: NoteShape | msgspec.UnsetType = msgspec.UNSET


class _TombstoneShape(WireShape, frozen=True):
    id: IdText
    deleted_at: Count


class _ListingAnswerShape(StandingShape, frozen=True, kw_only=True):
    version: Count
    notes: list[_ListedNoteShape]
    tombstones: list[_TombstoneShape]


class _PutShape(WireShape, frozen=True, tag_field="op", tag="put"):
    id: IdText
    base: HashText | None
    note: NoteShape


class _DeleteShape(WireShape, frozen=True, tag_field="op", tag="delete"):
    id: IdText
    base: HashText | None


class _CommitShape(WireShape, frozen=True):
    project_id: str
    changes: Annotated[list[_PutShape | _DeleteShape], msgspec.Meta(max_length=MAX_CHANGES_EVER)]


class _CommitAnswerShape(StandingShape, frozen=True, kw_only=True):
    version: Count
    results: list[ResultShape]


def encode_old_listing_request(request: OldListingRequest) -> bytes:
    """The body of an old snapshot request."""
    return encode_json(_ListingShape(request.project_id, list(request.have)))


def decode_old_listing_request(body: bytes) -> OldListingRequest:
    """What an old client asked for.

    Raises: InvalidRequest.
    """
    try:
        shape = decode_shape(body, _ListingShape)
        return OldListingRequest(_read_project_id(shape.project_id), tuple(shape.have))
    except NotThisShape as error:
        raise InvalidRequest(str(error)) from error


def encode_old_listing_answer(answer: OldListingAnswer) -> bytes:
    """The body of the answer, in the shapes an old client knows."""
    return encode_json(
        _ListingAnswerShape(
            **standing_keys(answer.standing),
            version=answer.version,
            notes=[
                _ListedNoteShape(entry.id, entry.hash, msgspec.UNSET if entry.note is None else note_shape(entry.note))
                for entry in answer.notes
            ],
            tombstones=[_TombstoneShape(entry.id, entry.deleted_at) for entry in answer.tombstones],
        )
    )


def decode_old_listing_answer(body: bytes) -> OldListingAnswer:
    """What an old service lists.

    Raises: ProtocolBroken.
    """
    try:
        shape = decode_shape(body, _ListingAnswerShape)
        notes = tuple(_read_listed_note(entry) for entry in shape.notes)
        tombstones = tuple(OldTombstone(read_note_id(entry.id), Millis(entry.deleted_at)) for entry in shape.tombstones)
    except NotThisShape as error:
        raise ProtocolBroken(str(error)) from error
    ids = [*(entry.id for entry in notes), *(entry.id for entry in tombstones)]
    if len(set(ids)) != len(ids):
        raise ProtocolBroken("an id stands twice")
    return OldListingAnswer(read_standing(shape), shape.version, notes, tombstones)


def encode_old_commit_request(request: OldCommitRequest) -> bytes:
    """The body of an old commit."""
    return encode_json(_CommitShape(request.project_id, [_change_shape(change) for change in request.changes]))


def decode_old_commit_request(body: bytes) -> OldCommitRequest:
    """What an old client wants to change.

    Raises: InvalidRequest.
    """
    try:
        shape = decode_shape(body, _CommitShape)
        changes = tuple(_read_change(change) for change in shape.changes)
        project_id = _read_project_id(shape.project_id)
    except NotThisShape as error:
        raise InvalidRequest(str(error)) from error
    if len({change.id for change in changes}) != len(changes):
        raise InvalidRequest("an id stands twice in one commit")
    return OldCommitRequest(project_id, changes)


def encode_old_commit_answer(answer: OldCommitAnswer) -> bytes:
    """The body of the answer to an old commit."""
    return encode_json(
        _CommitAnswerShape(
            **standing_keys(answer.standing),
            version=answer.version,
            results=[result_shape(result) for result in answer.results],
        )
    )


def decode_old_commit_answer(body: bytes, request: OldCommitRequest) -> OldCommitAnswer:
    """What became of each change sent to an old service.

    Raises: ProtocolBroken.
    """
    try:
        shape = decode_shape(body, _CommitAnswerShape)
        results = tuple(read_result(result) for result in shape.results)
    except NotThisShape as error:
        raise ProtocolBroken(str(error)) from error
    if [result.id for result in results] != [change.id for change in request.changes]:
        raise ProtocolBroken("the results are not those of the changes")
    return OldCommitAnswer(read_standing(shape), shape.version, results)


def _read_project_id(text: str) -> str:
    if not is_project_id(text):
        raise NotThisShape("projectId is not a project id")
    return text


def _read_listed_note(shape: _ListedNoteShape) -> OldListedNote:
    note = None if shape.note is msgspec.UNSET else read_note(shape.note)
    if note is not None and note.id != shape.id:
        raise NotThisShape("a note under another id")
    return OldListedNote(read_note_id(shape.id), shape.hash, note)


def _change_shape(change: OldChange) -> _PutShape | _DeleteShape:
    match change:
        case OldPut():
            return _PutShape(change.id, change.base, note_shape(change.note))
        case OldDelete():
            return _DeleteShape(change.id, change.base)


def _read_change(shape: _PutShape | _DeleteShape) -> OldChange:
    if isinstance(shape, _DeleteShape):
        return OldDelete(shape.id, shape.base)
    return OldPut(shape.id, shape.base, read_note(shape.note))
