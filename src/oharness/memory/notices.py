"""What the memory tells people beside its answers: a key and fields, which the frontends turn into sentences."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from oharness.core.errors import OharnessError, StorageFailed
from oharness.core.scopes import ScopeKind
from oharness.disk.json_files import BrokenFile


@dataclass(frozen=True, slots=True)
class MemoryNotice:
    """One thing to say."""

    key: str
    fields: Mapping[str, Any] = field(default_factory=dict, hash=False)


def notes_not_loaded(scope: ScopeKind, count: int, limit: int) -> MemoryNotice:
    """The scope holds more notes than `memory.maxNotes`: `count` of them are not loaded."""
    return MemoryNotice("notes-not-loaded", {"scope": scope, "count": count, "limit": limit})


def user_notes_unavailable(folder: Path, error: OharnessError) -> MemoryNotice:
    """The user's own notes cannot be used; project notes can."""
    reason = error.reason if isinstance(error, StorageFailed) else type(error).__name__
    return MemoryNotice("user-notes-unavailable", {"path": str(folder), "reason": reason})


def project_not_enrolled(error: OharnessError) -> MemoryNotice:
    """The home cannot take the project in, so its notes do not sync and deletions are not recorded."""
    fields: dict[str, Any]
    match error:
        case BrokenFile(path=path, line=line, column=column, reason=reason):
            fields = {"path": path, "reason": reason, "line": line, "column": column}
        case StorageFailed(path=path, reason=reason):
            fields = {"path": path, "reason": reason}
        case _:
            fields = {"path": str(getattr(error, "path", "")), "reason": type(error).__name__}
    return MemoryNotice("project-not-enrolled", fields)


def notes_in_repository(folder: str, ignore_line: str) -> MemoryNotice:
    """The first note of a git project: its folder lies in the repository unless `.gitignore` gets that line."""
    return MemoryNotice("notes-in-repository", {"folder": folder, "line": ignore_line})


def credential_not_recalled(scope: ScopeKind, note_id: str, kind: str) -> MemoryNotice:
    """A note fits but holds a credential, so it is not shown to the model."""
    return MemoryNotice("credential-not-recalled", {"scope": scope, "id": note_id, "kind": kind})


def recall_failed(error: Exception) -> MemoryNotice:
    """Recall itself failed; the message goes on without notes."""
    match error:
        case StorageFailed(path=path, reason=reason):
            detail = f"{path}: {reason}"
        case OharnessError():
            detail = type(error).__name__
        case _:
            detail = str(error) or type(error).__name__
    return MemoryNotice("recall-failed", {"detail": detail})


def index_not_kept() -> MemoryNotice:
    """The recall index cannot be written, so it is made anew in each process."""
    return MemoryNotice("index-not-kept")
