"""What a note is, and which scope each type goes to."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from oharness.core.clock import Millis
from oharness.core.scopes import ScopeKind

UNKNOWN_TIME = Millis(0)
NOTHING_EXTRA: Mapping[str, Any] = MappingProxyType({})


class NoteType(StrEnum):
    """The four types of the specification. A note may have none, or one that a later version knows."""

    USER = "user"
    FEEDBACK = "feedback"
    PROJECT = "project"
    REFERENCE = "reference"


@dataclass(frozen=True, slots=True)
class Note:
    """One note: `body` has LF line ends and no trailing newline, `tags` are cleaned."""

    id: str
    summary: str
    body: str
    type: str | None = None
    tags: tuple[str, ...] = ()
    created_at: Millis = UNKNOWN_TIME
    updated_at: Millis = UNKNOWN_TIME
    extra: Mapping[str, Any] = field(default_factory=lambda: NOTHING_EXTRA, hash=False)
    known_hash: str = field(default="", init=False, repr=False, compare=False)
    """The content hash once it was asked for (`notes.hashing`); a note made with `replace` has none."""


def default_scope(note_type: str | None) -> ScopeKind:
    """Where a note of this type goes unless somebody says otherwise: only `user` notes are the user's."""
    return ScopeKind.USER if note_type == NoteType.USER else ScopeKind.PROJECT
