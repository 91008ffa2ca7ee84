"""The JSON shapes of notes: the same keys always, in every command that answers with them."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oharness.core.scopes import ScopeKind
    from oharness.memory.reading import Listing, Problem, Shown
    from oharness.memory.recall import Explanation, MessageRecall
    from oharness.memory.remember import Remembered
    from oharness.memory.restoring import ListedBackup, Restored
    from oharness.notes.entry import NoteEntry
    from oharness.recall.choose import Verdict
    from oharness.recall.score import Candidate

Document = dict[str, Any]
NOTHING_LISTED: Document = {"notes": [], "problems": [], "warnings": []}


def list_document(listing: "Listing", warnings: list[str]) -> Document:
    """`memory list`."""
    return {
        "notes": [entry_document(one.scope, one.entry) for one in listing.notes],
        "problems": problem_documents(listing.problems),
        "warnings": warnings,
    }


def entry_document(scope: "ScopeKind", entry: "NoteEntry") -> Document:
    """A note without its body."""
    return {
        "id": entry.id,
        "scope": str(scope),
        "summary": entry.summary,
        "type": entry.type,
        "tags": list(entry.tags),
        "createdAt": entry.created_at,
        "updatedAt": entry.updated_at,
        "hash": entry.hash,
        "bytes": entry.body_bytes,
    }


def problem_documents(problems: "Iterable[Problem]") -> list[Document]:
    """Files that cannot be notes."""
    return [{"path": str(one.path), "reason": str(one.reason)} for one in problems]


def shown_document(shown: "Shown") -> Document:
    """`memory show`."""
    return {
        **entry_document(shown.scope, shown.entry),
        "body": shown.note.body,
        "links": list(shown.entry.links),
        "linkedFrom": [note_id for _, note_id in shown.linked_from],
    }


def remembered_document(done: "Remembered") -> Document:
    """`memory remember`."""
    return {
        "id": done.id,
        "scope": str(done.scope),
        "path": str(done.path),
        "created": done.created,
        "related": [_found(one.scope, one.entry, one.score) for one in done.related],
        "duplicateOf": done.duplicate_of.entry.id if done.duplicate_of else None,
        "missingLinks": list(done.missing_links),
    }


def search_document(found: "Iterable[Candidate]") -> Document:
    """`memory search`."""
    return {"results": [_found(one.scope, one.entry, one.score) for one in found]}


def recall_document(recalled: "MessageRecall") -> Document:
    """`memory recall`."""
    return {
        "attached": [
            {"id": one.note.id, "scope": str(one.scope), "score": _rounded(one.score)} for one in recalled.attached
        ],
        "linked": [{"id": one.id, "scope": str(one.scope), "summary": one.summary} for one in recalled.linked],
        "block": recalled.block,
    }


def why_document(explanation: "Explanation") -> Document:
    """`memory why`."""
    return {
        "candidates": [_verdict(verdict) for verdict in explanation.verdicts],
        "minScore": explanation.min_score,
    }


def backups_document(listed: "Iterable[ListedBackup]", restored: "Restored | None" = None) -> Document:
    """`memory backups`, and `memory restore` with what is back."""
    document: Document = {"backups": [_backup(one) for one in listed]}
    if restored is not None:
        document["restored"] = {"id": restored.id, "scope": str(restored.scope), "path": str(restored.path)}
    return document


def _backup(one: "ListedBackup") -> Document:
    backup = one.backup
    return {
        "backup": backup.name,
        "id": backup.note_id,
        "scope": str(backup.scope.kind) if backup.scope else None,
        "when": backup.when,
        "reason": str(backup.reason),
        "directory": str(backup.directory) if backup.directory else None,
        "restorable": one.restorable,
    }


def _verdict(verdict: "Verdict") -> Document:
    candidate = verdict.candidate
    matches = [{"word": one.word, "field": one.field, "weight": _rounded(one.weight)} for one in candidate.matches]
    return {
        "id": candidate.entry.id,
        "scope": str(candidate.scope),
        "score": _rounded(candidate.score),
        "matches": matches,
        "attached": verdict.attached,
        "reason": str(verdict.reason),
    }


def _found(scope: "ScopeKind", entry: "NoteEntry", score: float) -> Mapping[str, Any]:
    return {"id": entry.id, "scope": str(scope), "summary": entry.summary, "score": _rounded(score)}


def _rounded(score: float) -> float:
    return round(score, 4)
