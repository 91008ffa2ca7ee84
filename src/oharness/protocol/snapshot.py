"""`POST /v1/memory/snapshot`: poll, listing and bodies, told apart by their keys (section 4)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias

import msgspec

from oharness.core.clock import Millis
from oharness.core.scopes import Scope
from oharness.notes.note import Note
from oharness.protocol.errors import InvalidRequest, ProtocolBroken
from oharness.protocol.quotas import Standing, StandingShape, encode_json, read_standing, standing_keys
from oharness.protocol.strict_json import NotThisShape, decode_json, decode_shape, shape_of
from oharness.protocol.values import (
    NO_EPOCH,
    Count,
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
    read_note_id,
    read_scope,
    scope_shape,
)

SNAPSHOT_PATH = "/v1/memory/snapshot"
MAX_POLLED_SCOPES = 64
MAX_HAVE = 200_000
MAX_WANT = 20_000
NOTES_BEGIN = b'"notes":['
LISTING_END = b"]}"
"""Around the notes of a listing's answer, which come last in ours: they can be read while more are on their way."""


# --- the values


@dataclass(frozen=True, slots=True)
class KnownRevision:
    """The latest revision that a client has seen in a scope: by it a service that was restored shows itself (P-25)."""

    id: str
    revision: Revision


@dataclass(frozen=True, slots=True)
class PollQuery:
    """One directory's question: has the scope moved past `since` of `epoch`? Both empty before a first sync."""

    scope: Scope
    epoch: Epoch = NO_EPOCH
    since: int = 0
    latest: KnownRevision | None = None


@dataclass(frozen=True, slots=True)
class PollRequest:
    """One small request for all directories of a process (P-20)."""

    queries: tuple[PollQuery, ...]
    user_id: str | None = None


@dataclass(frozen=True, slots=True)
class ListingRequest:
    """What changed after `since` of `epoch`, or everything; `have` are hashes whose bodies are not needed (P-21)."""

    scope: Scope
    user_id: str | None = None
    epoch: Epoch | None = None
    since: int | None = None
    have: tuple[str, ...] = ()
    latest: KnownRevision | None = None


@dataclass(frozen=True, slots=True)
class WantedBody:
    """One body by id and revision."""

    id: str
    revision: Revision


@dataclass(frozen=True, slots=True)
class BodiesRequest:
    """Bodies by revision, as many as fit into one answer (P-23)."""

    scope: Scope
    wanted: tuple[WantedBody, ...]
    user_id: str | None = None


SnapshotRequest: TypeAlias = PollRequest | ListingRequest | BodiesRequest


@dataclass(frozen=True, slots=True)
class PollState:
    """Where one scope stands in the cloud."""

    scope: Scope
    epoch: Epoch
    version: int
    changed: bool


@dataclass(frozen=True, slots=True)
class PollAnswer:
    """The states, in the order of the queries."""

    standing: Standing
    states: tuple[PollState, ...]


@dataclass(frozen=True, slots=True)
class ListedNote:
    """A live note in the cloud; `note` is None where the body was left out (P-22)."""

    id: str
    hash: str
    revision: Revision
    seq: int
    bytes: int
    note: Note | None = None


@dataclass(frozen=True, slots=True)
class EncodedNote:
    """A live note on its way out: its entry, and the note as JSON; None where the body is left out."""

    entry: ListedNote
    note: bytes | None


@dataclass(frozen=True, slots=True)
class ListedTombstone:
    """A deleted note in the cloud: the deleted content's hash and those before it."""

    id: str
    seq: int
    revision: Revision
    hash: str
    prev: tuple[str, ...]
    deleted_at: Millis


@dataclass(frozen=True, slots=True)
class Check:
    """Number of live notes and the XOR over them (P-24); `xor` is 64 lowercase hex digits."""

    count: int
    xor: str


@dataclass(frozen=True, slots=True)
class ListingAnswer:
    """A scope's manifest, whole or what changed after `since`."""

    standing: Standing
    epoch: Epoch
    version: int
    complete: bool
    horizon: int
    notes: tuple[ListedNote, ...]
    tombstones: tuple[ListedTombstone, ...]
    check: Check


@dataclass(frozen=True, slots=True)
class SentBody:
    """One body with the hash that it must have."""

    id: str
    revision: Revision
    hash: str
    note: Note


@dataclass(frozen=True, slots=True)
class BodiesAnswer:
    """The bodies that fitted, and the ids whose revision is gone; what is in neither is asked for again."""

    standing: Standing
    notes: tuple[SentBody, ...]
    missing: tuple[str, ...]


# --- how they stand on the wire


class _KnownRevisionShape(WireShape, frozen=True):
    id: IdText
    revision: RevisionText


class _PollQueryShape(WireShape, frozen=True):
    scope: ScopeShape
    epoch: EpochText
    since: Count
    latest: _KnownRevisionShape | msgspec.UnsetType = msgspec.UNSET


class _PollShape(WireShape, frozen=True):
    poll: Annotated[list[_PollQueryShape], msgspec.Meta(max_length=MAX_POLLED_SCOPES)]
    user_id: UserIdText | msgspec.UnsetType = msgspec.UNSET


class _ListingShape(WireShape, frozen=True):
    scope: ScopeShape
    user_id: UserIdText | msgspec.UnsetType = msgspec.UNSET
    epoch: EpochText | msgspec.UnsetType = msgspec.UNSET
    since: Count | msgspec.UnsetType = msgspec.UNSET
    have: Annotated[list[HashText], msgspec.Meta(max_length=MAX_HAVE)] | msgspec.UnsetType = msgspec.UNSET
    latest: _KnownRevisionShape | msgspec.UnsetType = msgspec.UNSET


class _WantedShape(WireShape, frozen=True):
    id: IdText
    revision: RevisionText


class _BodiesShape(WireShape, frozen=True):
    scope: ScopeShape
    want: Annotated[list[_WantedShape], msgspec.Meta(max_length=MAX_WANT)]
    user_id: UserIdText | msgspec.UnsetType = msgspec.UNSET


class _PollStateShape(WireShape, frozen=True):
    scope: ScopeShape
    epoch: EpochText
    version: Count
    changed: bool


class _PollAnswerShape(StandingShape, frozen=True, kw_only=True):
    poll: list[_PollStateShape]


class ListedNoteShape(WireShape, frozen=True):
    """A live note's entry."""

    id: IdText
    hash: HashText
    revision: RevisionText
    seq: Count
    bytes: Count
    note: NoteShape | msgspec.UnsetType = msgspec.UNSET


class _EncodedNoteShape(WireShape, frozen=True):
    id: str
    hash: str
    revision: str
    seq: int
    bytes: int
    note: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


class TombstoneShape(WireShape, frozen=True):
    """A deleted note's entry."""

    id: IdText
    seq: Count
    revision: RevisionText
    hash: HashText
    prev: list[HashText]
    deleted_at: Count


class _CheckShape(WireShape, frozen=True):
    count: Count
    xor: HashText


class _ListingHeadShape(StandingShape, frozen=True, kw_only=True):
    """All of a listing's answer but its notes."""

    epoch: EpochText
    version: Count
    complete: bool
    horizon: Count
    tombstones: list[TombstoneShape]
    check: _CheckShape


class _ListingAnswerShape(_ListingHeadShape, frozen=True, kw_only=True):
    notes: list[ListedNoteShape]


class _SentBodyShape(WireShape, frozen=True):
    id: IdText
    revision: RevisionText
    hash: HashText
    note: NoteShape


class _BodiesAnswerShape(StandingShape, frozen=True, kw_only=True):
    notes: list[_SentBodyShape]
    missing: list[IdText]


POLL_SHAPES = (_PollShape, _PollAnswerShape)
LISTING_SHAPES = (_ListingShape, _ListingAnswerShape)
BODIES_SHAPES = (_BodiesShape, _BodiesAnswerShape)
"""Request and answer of each form, for the OpenAPI document."""


# --- requests


def encode_snapshot_request(request: SnapshotRequest) -> bytes:
    """The body of any of the three forms."""
    match request:
        case PollRequest():
            return encode_json(
                _PollShape(
                    [
                        _PollQueryShape(scope_shape(q.scope), q.epoch, q.since, _known_shape(q.latest))
                        for q in request.queries
                    ],
                    or_unset(request.user_id),
                )
            )
        case ListingRequest():
            return encode_json(
                _ListingShape(
                    scope=scope_shape(request.scope),
                    user_id=or_unset(request.user_id),
                    epoch=or_unset(request.epoch),
                    since=msgspec.UNSET if request.since is None else request.since,
                    have=list(request.have) if request.have else msgspec.UNSET,
                    latest=_known_shape(request.latest),
                )
            )
        case BodiesRequest():
            return encode_json(
                _BodiesShape(
                    scope_shape(request.scope),
                    [_WantedShape(body.id, body.revision) for body in request.wanted],
                    or_unset(request.user_id),
                )
            )


def _known_shape(latest: KnownRevision | None) -> _KnownRevisionShape | msgspec.UnsetType:
    return msgspec.UNSET if latest is None else _KnownRevisionShape(latest.id, latest.revision)


def decode_snapshot_request(body: bytes) -> SnapshotRequest:
    """What was asked for.

    Raises: InvalidRequest.
    """
    try:
        return _read_request(decode_json(body))
    except NotThisShape as error:
        raise InvalidRequest(str(error)) from error


def _read_request(value: Any) -> SnapshotRequest:
    if not isinstance(value, dict):
        raise NotThisShape("not an object")
    if "poll" in value and "scope" not in value and "want" not in value:
        return _read_poll(shape_of(value, _PollShape))
    if "poll" in value:
        raise NotThisShape("poll stands beside scope or want")
    if "want" in value:
        return _read_bodies(shape_of(value, _BodiesShape))
    return _read_listing(shape_of(value, _ListingShape))


def _read_poll(shape: _PollShape) -> PollRequest:
    queries = tuple(PollQuery(read_scope(q.scope), Epoch(q.epoch), q.since, _read_known(q.latest)) for q in shape.poll)
    return PollRequest(queries, or_none(shape.user_id))


def _read_listing(shape: _ListingShape) -> ListingRequest:
    epoch = or_none(shape.epoch)
    return ListingRequest(
        scope=read_scope(shape.scope),
        user_id=or_none(shape.user_id),
        epoch=None if epoch is None else Epoch(epoch),
        since=None if shape.since is msgspec.UNSET else shape.since,
        have=() if shape.have is msgspec.UNSET else tuple(shape.have),
        latest=_read_known(shape.latest),
    )


def _read_known(shape: _KnownRevisionShape | msgspec.UnsetType) -> KnownRevision | None:
    return None if shape is msgspec.UNSET else KnownRevision(read_note_id(shape.id), Revision(shape.revision))


def _read_bodies(shape: _BodiesShape) -> BodiesRequest:
    wanted = tuple(WantedBody(read_note_id(body.id), Revision(body.revision)) for body in shape.want)
    _refuse_twice(body.id for body in wanted)
    return BodiesRequest(read_scope(shape.scope), wanted, or_none(shape.user_id))


# --- answers


def encode_poll_answer(answer: PollAnswer) -> bytes:
    """The body of a poll's answer."""
    states = [_PollStateShape(scope_shape(s.scope), s.epoch, s.version, s.changed) for s in answer.states]
    return encode_json(
        _PollAnswerShape(
            **standing_keys(answer.standing),
            poll=states,
        )
    )


def decode_poll_answer(body: bytes) -> PollAnswer:
    """Where the polled scopes stand.

    Raises: ProtocolBroken.
    """
    try:
        shape = decode_shape(body, _PollAnswerShape)
        states = tuple(PollState(read_scope(s.scope), Epoch(s.epoch), s.version, s.changed) for s in shape.poll)
    except NotThisShape as error:
        raise ProtocolBroken(str(error)) from error
    return PollAnswer(read_standing(shape), states)


def encode_listing_answer(answer: ListingAnswer) -> bytes:
    """The body of a listing's answer."""
    notes = encode_json([listed_note_shape(entry) for entry in answer.notes])[1:-1]
    return encode_listing_begin(answer) + notes + LISTING_END


def encode_listing_begin(answer: ListingAnswer) -> bytes:
    """The body of a listing's answer up to its first note; `LISTING_END` comes after the last."""
    head = encode_json(
        _ListingHeadShape(
            **standing_keys(answer.standing),
            epoch=answer.epoch,
            version=answer.version,
            complete=answer.complete,
            horizon=answer.horizon,
            tombstones=[tombstone_shape(entry) for entry in answer.tombstones],
            check=_CheckShape(answer.check.count, answer.check.xor),
        )
    )
    return head[:-1] + b"," + NOTES_BEGIN


def encode_listed_notes(notes: Sequence[EncodedNote]) -> bytes:
    """Some notes of a listing's answer; between them and others stands a comma."""
    return encode_json([_encoded_shape(one.entry, one.note) for one in notes])[1:-1]


def _encoded_shape(entry: ListedNote, note: bytes | None) -> _EncodedNoteShape:
    encoded = msgspec.UNSET if note is None else msgspec.Raw(note)
    return _EncodedNoteShape(entry.id, entry.hash, entry.revision, entry.seq, entry.bytes, encoded)


def decode_listing_answer(body: bytes) -> ListingAnswer:
    """The listed scope; ids are checked and no id stands twice, hashes of bodies are left to `hash_matches`.

    Raises: ProtocolBroken.
    """
    return decode_listing_around(body, ())


def decode_listing_around(body: bytes, notes: Sequence[ListedNote]) -> ListingAnswer:
    """The same where notes were taken out of the body and read before; the others come after them.

    Raises: ProtocolBroken.
    """
    try:
        shape = decode_shape(body, _ListingAnswerShape)
        all_notes = (*notes, *(read_listed_note(entry) for entry in shape.notes))
        tombstones = tuple(read_tombstone(entry) for entry in shape.tombstones)
        _refuse_twice([*(entry.id for entry in all_notes), *(entry.id for entry in tombstones)])
    except NotThisShape as error:
        raise ProtocolBroken(str(error)) from error
    return ListingAnswer(
        standing=read_standing(shape),
        epoch=Epoch(shape.epoch),
        version=shape.version,
        complete=shape.complete,
        horizon=shape.horizon,
        notes=all_notes,
        tombstones=tombstones,
        check=Check(shape.check.count, shape.check.xor),
    )


def encode_bodies_answer(answer: BodiesAnswer) -> bytes:
    """The body of a page of bodies."""
    return encode_json(
        _BodiesAnswerShape(
            **standing_keys(answer.standing),
            notes=[_SentBodyShape(n.id, n.revision, n.hash, note_shape(n.note)) for n in answer.notes],
            missing=list(answer.missing),
        )
    )


def decode_bodies_answer(body: bytes) -> BodiesAnswer:
    """A page of bodies; ids are checked, hashes are left to `hash_matches`.

    Raises: ProtocolBroken.
    """
    try:
        shape = decode_shape(body, _BodiesAnswerShape)
        notes = tuple(_read_sent_body(entry) for entry in shape.notes)
        missing = tuple(read_note_id(note_id) for note_id in shape.missing)
        _refuse_twice([entry.id for entry in notes])
    except NotThisShape as error:
        raise ProtocolBroken(str(error)) from error
    return BodiesAnswer(read_standing(shape), notes, missing)


# --- entries, which commit answers carry too


def listed_note_shape(entry: ListedNote) -> ListedNoteShape:
    """An entry as it goes out."""
    return ListedNoteShape(
        entry.id,
        entry.hash,
        entry.revision,
        entry.seq,
        entry.bytes,
        msgspec.UNSET if entry.note is None else note_shape(entry.note),
    )


def read_listed_note(shape: ListedNoteShape) -> ListedNote:
    """An entry that came in.

    Raises: NotThisShape.
    """
    note = None if shape.note is msgspec.UNSET else read_note(shape.note)
    if note is not None and note.id != shape.id:
        raise NotThisShape("a note under another id")
    return ListedNote(read_note_id(shape.id), shape.hash, Revision(shape.revision), shape.seq, shape.bytes, note)


def tombstone_shape(entry: ListedTombstone) -> TombstoneShape:
    """A tombstone as it goes out."""
    return TombstoneShape(entry.id, entry.seq, entry.revision, entry.hash, list(entry.prev), entry.deleted_at)


def read_tombstone(shape: TombstoneShape) -> ListedTombstone:
    """A tombstone that came in.

    Raises: NotThisShape.
    """
    return ListedTombstone(
        read_note_id(shape.id),
        shape.seq,
        Revision(shape.revision),
        shape.hash,
        tuple(shape.prev),
        Millis(shape.deleted_at),
    )


def _read_sent_body(shape: _SentBodyShape) -> SentBody:
    if shape.note.id != shape.id:
        raise NotThisShape("a note under another id")
    return SentBody(read_note_id(shape.id), Revision(shape.revision), shape.hash, read_note(shape.note))


def _refuse_twice(ids: Iterable[str]) -> None:
    seen: set[str] = set()
    for note_id in ids:
        if note_id in seen:
            raise NotThisShape(f"id {note_id!r} stands twice")
        seen.add(note_id)
