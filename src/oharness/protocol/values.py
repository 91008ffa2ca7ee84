"""The values that several endpoints share: scopes, notes, hashes and ids on the wire (P-10 to P-17)."""

from typing import Annotated, Any, NewType

import msgspec

from oharness.core.scopes import USER_SCOPE, Scope, ScopeKind, is_project_id, project_scope
from oharness.notes.hashing import content_hash, normalise_body
from oharness.notes.ids import is_note_id
from oharness.notes.note import NOTHING_EXTRA, UNKNOWN_TIME, Note
from oharness.notes.tags import clean_tags
from oharness.notes.times import read_time
from oharness.protocol.strict_json import MAX_INTEGER, NotThisShape, check_extra

Revision = NewType("Revision", str)
"""Opaque; new for every accepted put and delete (P-16)."""
Epoch = NewType("Epoch", str)
"""Opaque; made with the manifest; empty for a scope never written (P-24)."""
NO_EPOCH = Epoch("")

HashText = Annotated[str, msgspec.Meta(pattern=r"\A[0-9a-f]{64}\Z")]
RevisionText = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
EpochText = Annotated[str, msgspec.Meta(max_length=200)]
IdText = Annotated[str, msgspec.Meta(min_length=1, max_length=256)]
UserIdText = Annotated[str, msgspec.Meta(min_length=1, max_length=1024)]
DeviceText = Annotated[str, msgspec.Meta(pattern=r"\A[A-Za-z0-9_-]{1,64}\Z")]
CommitIdText = Annotated[
    str,
    msgspec.Meta(pattern=r"\A[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}\Z"),
]
Count = Annotated[int, msgspec.Meta(ge=0, le=MAX_INTEGER)]


class WireShape(msgspec.Struct, rename="camel", frozen=True):
    """JSON as it stands on the wire, camelCase keys; optional keys that are UNSET are left out."""


class ScopeShape(WireShape, frozen=True):
    """`{"kind": "user"}` or `{"kind": "project", "projectId": …}`."""

    kind: str
    project_id: str | msgspec.UnsetType = msgspec.UNSET


class NoteShape(WireShape, frozen=True):
    """A note on the wire (P-12)."""

    id: IdText
    summary: str
    tags: list[str]
    created_at: Count
    updated_at: Count
    body: str
    type: str | msgspec.UnsetType = msgspec.UNSET
    extra: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET


def scope_shape(scope: Scope) -> ScopeShape:
    """A scope as it goes out."""
    if scope.kind is ScopeKind.USER:
        return ScopeShape("user")
    return ScopeShape("project", scope.project_id)


def read_scope(shape: ScopeShape) -> Scope:
    """The scope that was meant.

    Raises: NotThisShape.
    """
    if shape.kind == "user" and not shape.project_id:
        return USER_SCOPE
    if shape.kind == "project" and isinstance(shape.project_id, str) and is_project_id(shape.project_id):
        return project_scope(shape.project_id)
    raise NotThisShape("scope is neither the user's nor a project's")


def read_note_id(text: str) -> str:
    """The same text, which may be a note's id and so a file name.

    Raises: NotThisShape.
    """
    if not is_note_id(text):
        raise NotThisShape(f"not a note id: {text[:80]!r}")
    return text


def or_unset(value: str | None) -> str | msgspec.UnsetType:
    """An optional text as it goes out: left out when there is none."""
    return msgspec.UNSET if value is None else value


def or_none(value: str | msgspec.UnsetType) -> str | None:
    """An optional text that came in."""
    return None if value is msgspec.UNSET else value


def note_shape(note: Note) -> NoteShape:
    """A note as it goes out, everything its file holds."""
    return NoteShape(
        id=note.id,
        summary=note.summary,
        tags=list(note.tags),
        created_at=note.created_at,
        updated_at=note.updated_at,
        body=note.body,
        type=msgspec.UNSET if note.type is None else note.type,
        extra=dict(note.extra) if note.extra else msgspec.UNSET,
    )


def read_note(shape: NoteShape) -> Note:
    """The note that was sent, read as a note file is: body normalised, tags clean, times that mean none unknown.

    Whether it is a valid note the reader judges.

    Raises: NotThisShape for extra keys that have no canonical form.
    """
    extra = NOTHING_EXTRA if shape.extra is msgspec.UNSET or not shape.extra else shape.extra
    check_extra(extra if extra is NOTHING_EXTRA else dict(extra))
    return Note(
        id=shape.id,
        summary=shape.summary,
        body=normalise_body(shape.body),
        type=None if shape.type is msgspec.UNSET else shape.type,
        tags=clean_tags(shape.tags),
        created_at=read_time(shape.created_at) or UNKNOWN_TIME,
        updated_at=read_time(shape.updated_at) or UNKNOWN_TIME,
        extra=extra,
    )


def hash_matches(note: Note, expected: str) -> bool:
    """Whether a received note is what its hash says (P-14)."""
    return content_hash(note) == expected
