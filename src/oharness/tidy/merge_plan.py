"""What a merge does: the oldest note stays and says what was merged, the others go, links to them lead to it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from oharness.core.clock import Millis
from oharness.core.errors import WrongUsage
from oharness.notes.batch import NoteBatch, PlannedDelete, PlannedWrite
from oharness.notes.hashing import content_hash
from oharness.notes.limits import check_body_size
from oharness.notes.links import rewrite_links
from oharness.notes.note import UNKNOWN_TIME, Note
from oharness.notes.tags import clean_tags
from oharness.notes.valid import checked_note


@dataclass(eq=False)
class TooFewToMerge(WrongUsage):
    """A merge takes at least two different notes of one scope."""


@dataclass(frozen=True, slots=True)
class MergePlan:
    """A merge that was planned from notes as they were: what stays, what goes, whose links are rewritten."""

    kept: Note
    deleted: tuple[str, ...]
    relinked: tuple[str, ...]
    batch: NoteBatch


def oldest_first(notes: Iterable[Note]) -> list[Note]:
    """The notes by when they were made; those that do not know it come last, equal ones go by id."""
    return sorted(notes, key=lambda note: (note.created_at == UNKNOWN_TIME, note.created_at, note.id))


def merge_plan(
    merged: Sequence[Note], others: Iterable[Note], summary: str, body: str, now: Millis, max_body_bytes: int
) -> MergePlan:
    """The merge of `merged` into their oldest, with this summary and body; `others` are the scope's other notes.

    Raises: TooFewToMerge; SummaryMissing, SummaryTooLong, NotPlainText; NoteTooLarge for the merged body, or another
    note's whose links would grow it over the limit.
    """
    ordered = oldest_first(merged)
    if len({note.id for note in ordered}) != len(ordered) or len(ordered) < 2:
        raise TooFewToMerge
    oldest, *rest = ordered
    new_ids = {note.id: oldest.id for note in rest}
    kept = checked_note(
        note_id=oldest.id,
        summary=summary,
        body=rewrite_links(body, new_ids),
        max_body_bytes=max_body_bytes,
        note_type=oldest.type,
        tags=merged_tags(ordered),
        created_at=oldest.created_at,
        updated_at=Millis(max(now, *(note.updated_at for note in ordered))),
        extra=merged_extra(ordered),
    )
    relinked = list(_relinked(others, new_ids, max_body_bytes))
    writes = [PlannedWrite(kept, content_hash(oldest)), *relinked]
    deletes = tuple(PlannedDelete(note.id, content_hash(note)) for note in rest)
    return MergePlan(
        kept, tuple(new_ids), tuple(write.note.id for write in relinked), NoteBatch(tuple(writes), deletes)
    )


def merged_tags(ordered: Iterable[Note]) -> tuple[str, ...]:
    """The tags of all, each once, in the first spelling."""
    return clean_tags([tag for note in ordered for tag in note.tags])


def merged_extra(ordered: Sequence[Note]) -> Mapping[str, Any]:
    """The keys of other programs: of two values for one key the older note's."""
    found: dict[str, Any] = {}
    for note in reversed(ordered):
        found |= note.extra
    return found


def _relinked(others: Iterable[Note], new_ids: Mapping[str, str], max_body_bytes: int) -> Iterable[PlannedWrite]:
    for note in others:
        body = rewrite_links(note.body, new_ids)
        if body != note.body:
            check_body_size(note.id, body, max_body_bytes)
            yield PlannedWrite(replace(note, body=body), content_hash(note))
