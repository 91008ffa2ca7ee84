"""What a note must be before it is kept: the rules for people, models and other machines."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from oharness.core.clock import Millis
from oharness.core.errors import Refused, WrongUsage
from oharness.core.jsontext import canonical_json, on_one_line, one_line_json, quoted
from oharness.notes.hashing import normalise_body
from oharness.notes.ids import check_note_id, is_note_id
from oharness.notes.limits import LARGEST_HEADER_BYTES, NoteTooLarge, check_body_size
from oharness.notes.note import NOTHING_EXTRA, UNKNOWN_TIME, Note, NoteType
from oharness.notes.problems import ProblemReason
from oharness.notes.tags import clean_tags
from oharness.notes.times import is_time

LONGEST_SUMMARY = 300
"""Characters of a summary that oHarness writes. A longer one in a file from elsewhere is still read."""

KNOWN_KEYS = ("id", "summary", "type", "tags", "createdAt", "updatedAt")
"""The frontmatter keys with a meaning, in the order they are written."""

_DEEPEST_EXTRA = 20
_MOST_BYTES_OF_A_CHARACTER = 6
_AROUND_TEXTS = 200
"""More than the names of the known keys, two times and all quotes but those of tags."""
_CONTROL_TO_SPACE = {code: " " for code in (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029)}


@dataclass(eq=False)
class SummaryMissing(WrongUsage):
    """A note needs a summary of at least one character."""

    note_id: str


@dataclass(eq=False)
class SummaryTooLong(Refused):
    """A summary has `length` characters and may have `limit`."""

    note_id: str
    length: int
    limit: int


@dataclass(eq=False)
class NotPlainText(Refused):
    """`part` of a note (summary, body, tags, type, extra) holds NUL or halves of characters."""

    note_id: str
    part: str


@dataclass(eq=False)
class UnknownNoteType(WrongUsage):
    """`note_type` is none of the four types."""

    note_type: str


def note_type_named(text: str) -> NoteType:
    """The type of this name, in any letter case.

    Raises: UnknownNoteType.
    """
    try:
        return NoteType(text.strip().lower())
    except ValueError:
        raise UnknownNoteType(text) from None


def one_line(text: str) -> str:
    """The text on one line: line breaks and control characters become a space, the ends are trimmed."""
    if text.isprintable():  # as nearly always; then it holds none of them
        return text.strip()
    spaced = text.translate(_CONTROL_TO_SPACE)
    return text.strip() if spaced == text else " ".join(spaced.split())


def checked_summary(note_id: str, summary: str) -> str:
    """A summary as it is kept.

    Raises: SummaryMissing, SummaryTooLong.
    """
    line = one_line(summary)
    if not line:
        raise SummaryMissing(note_id)
    if len(line) > LONGEST_SUMMARY:
        raise SummaryTooLong(note_id, len(line), LONGEST_SUMMARY)
    return line


def checked_note(
    *,
    note_id: str,
    summary: str,
    body: str,
    max_body_bytes: int,
    note_type: str | None = None,
    tags: Any = (),
    created_at: Millis = UNKNOWN_TIME,
    updated_at: Millis = UNKNOWN_TIME,
    extra: Mapping[str, Any] = NOTHING_EXTRA,
) -> Note:
    """The note that a person, a model or a merge wants to keep, cleaned and within the limits.

    `tags` may be whatever `clean_tags` takes; any one-line type passes (`note_type_named` knows the four).
    Raises: BadNoteId, SummaryMissing, SummaryTooLong, NotPlainText, NoteTooLarge.
    """
    note = Note(
        id=check_note_id(note_id),
        summary=checked_summary(note_id, summary),
        body=normalise_body(body),
        type=one_line(note_type or "") or None,
        tags=clean_tags(tags),
        created_at=created_at,
        updated_at=updated_at,
        extra=extra,
    )
    _check_plain_text(note)
    check_body_size(note.id, note.body, max_body_bytes)
    header_size = len(header_text(note).encode())
    if header_size > LARGEST_HEADER_BYTES:
        raise NoteTooLarge(note.id, header_size, LARGEST_HEADER_BYTES)
    return note


def problem_of(note: Note, max_body_bytes: int | None = None) -> ProblemReason | None:
    """Why a note from another machine cannot be kept as it is; None when it can.

    A note without a problem is written and read back unchanged, and has a content hash.
    """
    if not is_note_id(note.id):
        return ProblemReason.ID_INVALID
    if not note.summary:
        return ProblemReason.SUMMARY_MISSING
    if "\0" in note.body:
        return ProblemReason.NUL_BYTES
    if _first_unplain_part(note) is not None:
        return ProblemReason.LONE_SURROGATE
    if problem := extra_problem(note.extra):
        return problem
    if not _is_clean(note):
        return ProblemReason.NOT_CLEAN
    if _has_large_header(note):
        return ProblemReason.TOO_LARGE
    if max_body_bytes is not None and len(note.body.encode()) > max_body_bytes:
        return ProblemReason.TOO_LARGE
    return None


def extra_problem(extra: Mapping[str, Any]) -> ProblemReason | None:
    """Why keys of other programs cannot be kept and hashed; None when they can."""
    if not extra:
        return None
    if _is_deeper(extra, _DEEPEST_EXTRA):
        return ProblemReason.UNSTORABLE_VALUE
    try:
        canonical_json(dict(extra))
    except ValueError:
        return _text_problem(extra)
    return None


def header_text(note: Note) -> str:
    """The frontmatter of a note on one line, keys in their fixed order, unknown ones last in theirs."""
    if not note.extra:
        return _known_header_text(note)
    header: dict[str, Any] = {"id": note.id, "summary": note.summary}
    if note.type is not None:
        header["type"] = note.type
    header |= {"tags": list(note.tags), "createdAt": note.created_at, "updatedAt": note.updated_at}
    header |= {key: value for key, value in note.extra.items() if key not in KNOWN_KEYS}
    return one_line_json(header)


def _known_header_text(note: Note) -> str:
    """The same for a note without unknown keys, as almost all are, in a fraction of the time."""
    typed = "" if note.type is None else f',"type":{quoted(note.type)}'
    names = (
        f'"id":{quoted(note.id)},"summary":{quoted(note.summary)}{typed},"tags":[{",".join(map(quoted, note.tags))}]'
    )
    return on_one_line(f'{{{names},"createdAt":{note.created_at:d},"updatedAt":{note.updated_at:d}}}')


def _has_large_header(note: Note) -> bool:
    characters = len(note.id) + len(note.summary) + len(note.type or "") + sum(map(len, note.tags))
    most = _AROUND_TEXTS + len(note.tags) * 3 + characters * _MOST_BYTES_OF_A_CHARACTER
    if not note.extra and most <= LARGEST_HEADER_BYTES:  # as nearly always: no need to write it out
        return False
    return len(header_text(note).encode()) > LARGEST_HEADER_BYTES


def _text_problem(extra: Mapping[str, Any]) -> ProblemReason:
    try:
        is_text = _encodes(one_line_json(dict(extra)))
    except (TypeError, ValueError):
        is_text = True
    return ProblemReason.UNSTORABLE_VALUE if is_text else ProblemReason.LONE_SURROGATE


def _check_plain_text(note: Note) -> None:
    part = _first_unplain_part(note)
    if part is None and "\0" in note.body:
        part = "body"
    if part is None and extra_problem(note.extra) is not None:
        part = "extra"
    if part is not None:
        raise NotPlainText(note.id, part)


def _first_unplain_part(note: Note) -> str | None:
    if _encodes(f"{note.summary}{','.join(note.tags)}{note.type or ''}") and _encodes(note.body):
        return None
    parts = {"summary": note.summary, "body": note.body, "tags": ",".join(note.tags), "type": note.type or ""}
    return next((name for name, text in parts.items() if not _encodes(text)), None)


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_clean(note: Note) -> bool:
    return (
        note.summary == one_line(note.summary)
        and note.tags == clean_tags(note.tags)
        and note.body == normalise_body(note.body)
        and (note.type is None or (note.type != "" and note.type == one_line(note.type)))
        and not (note.extra and any(key in note.extra for key in KNOWN_KEYS))
        and (note.created_at == UNKNOWN_TIME or is_time(note.created_at))
        and (note.updated_at == UNKNOWN_TIME or is_time(note.updated_at))
    )


def _is_deeper(value: Any, levels: int) -> bool:
    if not isinstance(value, Mapping | list):
        return False
    if levels == 0:
        return True
    children = value.values() if isinstance(value, Mapping) else value
    return any(_is_deeper(child, levels - 1) for child in children)
