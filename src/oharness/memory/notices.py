"""What the memory tells people beside its answers: a key and fields, which the frontends turn into sentences."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from oharness.core.errors import OharnessError
from oharness.core.scopes import ScopeKind


@dataclass(frozen=True, slots=True)
class MemoryNotice:
    """One thing to say. `error` is there when an error is the reason; its own sentence says what to do."""

    key: str
    fields: Mapping[str, Any] = field(default_factory=dict, hash=False)
    error: OharnessError | None = field(default=None, hash=False)


def notes_not_loaded(scope: ScopeKind, count: int, limit: int) -> MemoryNotice:
    """The scope holds more notes than `memory.maxNotes`: `count` of them are not loaded."""
    return MemoryNotice("notes-not-loaded", {"scope": scope, "count": count, "limit": limit})


def user_notes_unavailable(error: OharnessError) -> MemoryNotice:
    """The user's own notes cannot be used; project notes can."""
    return MemoryNotice("user-notes-unavailable", {"detail": str(error)}, error)


def notes_in_repository(folder: str, ignore_line: str) -> MemoryNotice:
    """The first note of a git project: its folder lies in the repository unless `.gitignore` gets that line."""
    return MemoryNotice("notes-in-repository", {"folder": folder, "line": ignore_line})


def credential_not_recalled(scope: ScopeKind, note_id: str, kind: str) -> MemoryNotice:
    """A note fits but holds a credential, so it is not shown to the model."""
    return MemoryNotice("credential-not-recalled", {"scope": scope, "id": note_id, "kind": kind})


def recall_failed(error: Exception) -> MemoryNotice:
    """Recall itself failed; the message goes on without notes."""
    known = error if isinstance(error, OharnessError) else None
    return MemoryNotice("recall-failed", {"detail": str(error) or type(error).__name__}, known)


def index_not_kept() -> MemoryNotice:
    """The recall index cannot be written, so it is made anew in each process."""
    return MemoryNotice("index-not-kept")
