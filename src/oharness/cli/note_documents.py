"""The JSON shapes of notes: the same keys always, in every command that answers with them."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from oharness.core.scopes import ScopeKind
from oharness.notes.entry import NoteEntry, ProblemEntry
from oharness.recall.choose import Verdict
from oharness.recall.score import Candidate

Document = dict[str, Any]


def entry_document(scope: ScopeKind, entry: NoteEntry) -> Document:
    """A note as `memory list` has it."""
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


def problem_document(folder: Path, problem: ProblemEntry) -> Document:
    """A file that cannot be a note."""
    return {"path": str(folder / problem.stamp.name), "reason": str(problem.reason)}


def found_document(scope: ScopeKind, entry: NoteEntry, score: float) -> Document:
    """A note that a search found, or that is related to another."""
    return {"id": entry.id, "scope": str(scope), "summary": entry.summary, "score": _rounded(score)}


def attached_documents(candidates: Iterable[Candidate]) -> list[Document]:
    """The notes that go with a message."""
    return [{"id": one.entry.id, "scope": str(one.scope), "score": _rounded(one.score)} for one in candidates]


def verdict_document(verdict: Verdict) -> Document:
    """A candidate of a message, its matches, and what kept it out."""
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


def _rounded(score: float) -> float:
    return round(score, 4)
