"""Two notes that grew from one: combined field by field, or the reasons why a person has to choose.

The frontmatter is merged by field and only the body by line: both sides write a new `updatedAt` on the same
line, so that a merge of whole files would conflict every time. No I/O.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, TypeVar

from oharness.core.clock import Millis
from oharness.core.jsontext import canonical_json
from oharness.notes.note import NOTHING_EXTRA, UNKNOWN_TIME, Note
from oharness.reconcile.merge_lines import CombinedLines, LineConflict, merge_lines


class ConflictReason(StrEnum):
    """Why two versions of a note cannot become one by themselves."""

    SUMMARY = "summary"
    TYPE = "type"
    BODY = "body"
    EXTRA = "extra"
    TOO_LARGE = "too-large"
    NO_BASE = "no-base"
    DELETED_THERE = "deleted-there"


@dataclass(frozen=True, slots=True)
class CannotMerge:
    """What the two versions disagree about, most telling first."""

    reasons: tuple[ConflictReason, ...]


class _Absent:
    """A key that a side does not have; no JSON value equals it."""


_ABSENT: Final = _Absent()
T = TypeVar("T")


def merge_note(base: Note, mine: Note, cloud: Note, max_body_bytes: int) -> Note | CannotMerge:
    """Both sides' changes since `base` in one note.

    Swapping the sides gives the same content; only the order of tags and extra keys follows `mine`.
    Units: the merged body may have `max_body_bytes` UTF-8 bytes, or as many as the cloud's has now.
    Source: specification "Storage and reconciliation"; P-13 for the times.
    """
    summary = _changed_side(base.summary, mine.summary, cloud.summary)
    note_type = _changed_side(base.type, mine.type, cloud.type)
    extra = _merged_extra(base.extra, mine.extra, cloud.extra)
    body = merge_lines(base.body, mine.body, cloud.body)
    if (
        isinstance(summary, _Disagree)
        or isinstance(note_type, _Disagree)
        or isinstance(extra, _Disagree)
        or isinstance(body, LineConflict)
        or _too_large(body.text, cloud.body, max_body_bytes)
    ):
        reasons = tuple(_disagreements(summary, note_type, extra, body))
        return CannotMerge(reasons or (ConflictReason.TOO_LARGE,))
    return Note(
        id=mine.id,
        summary=summary,
        body=body.text,
        type=note_type,
        tags=merge_tags(base.tags, mine.tags, cloud.tags),
        created_at=earliest(mine.created_at, cloud.created_at),
        updated_at=Millis(max(mine.updated_at, cloud.updated_at)),
        extra=extra,
    )


def _disagreements(
    summary: object, note_type: object, extra: object, body: CombinedLines | LineConflict
) -> Iterator[ConflictReason]:
    if isinstance(summary, _Disagree):
        yield ConflictReason.SUMMARY
    if isinstance(note_type, _Disagree):
        yield ConflictReason.TYPE
    if isinstance(body, LineConflict):
        yield ConflictReason.BODY
    if isinstance(extra, _Disagree):
        yield ConflictReason.EXTRA


def merge_tags(base: tuple[str, ...], mine: tuple[str, ...], cloud: tuple[str, ...]) -> tuple[str, ...]:
    """Tags as sets: what either side added is kept, what either side removed is gone.

    Letter case makes no other tag; where both sides spelled one anew, the smaller spelling stays.
    Shapes: mine in their order, then what the cloud added in its order.
    """
    before, here, there = _by_folded(base), _by_folded(mine), _by_folded(cloud)
    kept = [
        _spelling(before.get(folded), spelled, there[folded]) if folded in there else spelled
        for folded, spelled in here.items()
        if folded in there or folded not in before
    ]
    added = [spelled for folded, spelled in there.items() if folded not in here and folded not in before]
    return (*kept, *added)


def earliest(one: Millis, other: Millis) -> Millis:
    """The earlier of two times, of which either may be unknown."""
    if UNKNOWN_TIME in (one, other):
        return Millis(max(one, other))
    return Millis(min(one, other))


class _Disagree:
    """Both sides changed something, in different ways."""


_DISAGREE: Final = _Disagree()


def _changed_side(base: T, mine: T, cloud: T) -> T | _Disagree:
    """The value of whichever side changed it."""
    if mine == cloud or cloud == base:
        return mine
    return cloud if mine == base else _DISAGREE


def _merged_extra(
    base: Mapping[str, Any], mine: Mapping[str, Any], cloud: Mapping[str, Any]
) -> Mapping[str, Any] | _Disagree:
    if not base and not mine and not cloud:
        return NOTHING_EXTRA
    merged: dict[str, Any] = {}
    for key in dict.fromkeys([*mine, *cloud]):
        sides = [side.get(key, _ABSENT) for side in (base, mine, cloud)]
        chosen = _changed_side(*(_comparable(value) for value in sides))
        if isinstance(chosen, _Disagree):
            return _DISAGREE
        if chosen is not None:
            merged[key] = sides[1] if _comparable(sides[1]) == chosen else sides[2]
    return merged


def _comparable(value: Any) -> bytes | None:
    """JSON values as bytes, since Python takes 1, 1.0 and True for equal; None for an absent key."""
    return None if value is _ABSENT else canonical_json(value)


def _too_large(merged: str, cloud: str, max_body_bytes: int) -> bool:
    """Whether the service would refuse the merged body: it blocks growth only (P-36)."""
    if len(merged) * 4 <= max_body_bytes:
        return False
    return len(merged.encode()) > max(max_body_bytes, len(cloud.encode()))


def _by_folded(tags: tuple[str, ...]) -> dict[str, str]:
    spelled: dict[str, str] = {}
    for tag in tags:
        spelled.setdefault(tag.casefold(), tag)
    return spelled


def _spelling(base: str | None, mine: str, cloud: str) -> str:
    chosen = _changed_side(base, mine, cloud)
    return chosen if isinstance(chosen, str) else min(mine, cloud)
