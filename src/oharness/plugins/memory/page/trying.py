"""What would be recalled for a message, with the note in the editor as it is being written. Blocking."""

from collections.abc import Sequence

from oharness.core.clock import Millis
from oharness.core.scopes import ScopeKind
from oharness.disk.recall_index import RecallIndex
from oharness.memory.recall import verdicts_on
from oharness.memory.scopes import Memory
from oharness.memory.sources import searched
from oharness.notes.entry import FileStamp, NoteEntry
from oharness.notes.note import Note
from oharness.notes.tags import clean_tags
from oharness.plugins.memory.page.asked import Document
from oharness.plugins.memory.page.editing import Draft
from oharness.recall.choose import NoteKey, Verdict
from oharness.recall.score import Candidate, Source, candidates

MOST_SHOWN = 6
_MOST_LOOKED_AT = 30
_DRAFT_ID = "draft"


def tried_document(memory: Memory, message: str, draft: Draft | None, note_id: str) -> Document:
    """The notes that share telling words with the message, the attached ones marked; the draft is one of them.

    `note_id` is the note that the draft would replace, empty for a new one.
    """
    found = _candidates(memory, message, draft, note_id)
    recall = memory.settings.recall
    verdicts = verdicts_on(memory, found, unsaved=_unsaved(draft, note_id))
    return {
        "message": message,
        "enabled": recall.enabled,
        "bar": recall.min_score,
        "notes": [_verdict(one, note_id) for one in _worth_showing(verdicts)],
    }


def _candidates(memory: Memory, message: str, draft: Draft | None, note_id: str) -> list[Candidate]:
    if draft is None:
        return searched(memory, lambda sources: candidates(message, sources, _MOST_LOOKED_AT))
    index = RecallIndex.in_memory()
    try:
        index.update([(_entry(draft, note_id), draft.body)], [], [])
        found = searched(memory, lambda sources: _with_draft(message, sources, draft.scope, index))
    finally:
        index.close()
    return [one for one in found if one.entry.id != note_id or _is_draft(one)]


def _with_draft(message: str, sources: list[Source], scope: ScopeKind, index: RecallIndex) -> list[Candidate]:
    uses = next((one.uses for one in sources if one.scope is scope), {})
    return candidates(message, [*sources, Source(scope, index, uses)], _MOST_LOOKED_AT)


def _unsaved(draft: Draft | None, note_id: str) -> dict[NoteKey, Note]:
    if draft is None:
        return {}
    tags = clean_tags(draft.tags)
    return {(draft.scope, note_id): Note(note_id, draft.summary, draft.body, draft.type or None, tags)}


def _is_draft(one: Candidate) -> bool:
    """The draft has no hash, which tells it from the saved note of its id."""
    return not one.entry.hash


def _entry(draft: Draft, note_id: str) -> NoteEntry:
    """The draft as a note of the index."""
    stamp = FileStamp(f"{_DRAFT_ID}.md", 0, 0, 0)
    return NoteEntry(
        stamp=stamp,
        id=note_id,
        summary=draft.summary,
        type=draft.type or None,
        tags=clean_tags(draft.tags),
        created_at=Millis(0),
        updated_at=Millis(0),
        hash="",
        body_bytes=len(draft.body.encode("utf-8", "replace")),
        links=(),
    )


def _worth_showing(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """The best, and the draft wherever it stands."""
    best = list(verdicts[:MOST_SHOWN])
    return best + [one for one in verdicts[MOST_SHOWN:] if _is_draft(one.candidate)]


def _verdict(verdict: Verdict, note_id: str) -> Document:
    one = verdict.candidate
    is_draft = _is_draft(one)
    return {
        "id": one.entry.id if not is_draft else note_id,
        "scope": str(one.scope),
        "summary": one.entry.summary,
        "score": round(one.score, 2),
        "attached": verdict.attached,
        "reason": str(verdict.reason),
        "isDraft": is_draft,
        "words": list(dict.fromkeys(match.word for match in one.matches))[:8],
    }
