"""Text of a note file to a note and back: `docs/protocol/note-format.md`. Decides nothing about files."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from oharness.core.clock import Millis
from oharness.core.jsontext import one_line_json, parse_json
from oharness.notes.hashing import normalise_body
from oharness.notes.ids import is_note_id
from oharness.notes.limits import LARGEST_HEADER_BYTES, largest_file_bytes
from oharness.notes.note import NOTHING_EXTRA, UNKNOWN_TIME, Note
from oharness.notes.problems import NotANote, ProblemReason
from oharness.notes.tags import clean_tags
from oharness.notes.times import is_time, read_time
from oharness.notes.valid import KNOWN_KEYS, extra_problem, header_text, one_line

FILE_SUFFIX = ".md"
_FIRST_FENCE = re.compile(r"[\ufeff \t\n]*---[ \t]*\n")
_LAST_FENCE = re.compile(r"^---[ \t]*$", re.MULTILINE)
_CLOCK_TOLERANCE_MS = 86_400_000
_KNOWN = frozenset(KNOWN_KEYS)


@dataclass(frozen=True, slots=True)
class NoteReading:
    """A note, and the frontmatter keys of times that were missing or meant no moment and fell back."""

    note: Note
    guessed: tuple[str, ...]


def note_file_name(note_id: str) -> str:
    """The name of the file that holds the note of this id."""
    return note_id + FILE_SUFFIX


def note_text(note: Note) -> str:
    """The whole file of a note; `parse_note` of it gives the note again."""
    body = normalise_body(note.body)
    return f"---\n{header_text(note)}\n---\n{body}\n" if body else f"---\n{header_text(note)}\n---\n"


def parse_note(
    data: bytes,
    file_name: str,
    *,
    file_time: Millis = UNKNOWN_TIME,
    now: Millis | None = None,
    max_body_bytes: int | None = None,
) -> Note:
    """The note in the bytes of a file, as `read_note` reads it.

    Raises: NotANote.
    """
    return read_note(data, file_name, file_time=file_time, now=now, max_body_bytes=max_body_bytes).note


def read_note(
    data: bytes,
    file_name: str,
    *,
    file_time: Millis = UNKNOWN_TIME,
    now: Millis | None = None,
    max_body_bytes: int | None = None,
) -> NoteReading:
    """The note in the bytes of a file, forgiving where the meaning is clear.

    `file_time` (the file's modification) stands in for times that are missing, mean no moment, or lie more
    than a day after `now`.
    Raises: NotANote, with the position in the file where the JSON breaks.
    """
    text = _decoded(data, file_name, max_body_bytes)
    header, body, lines_before = _split(text, file_name)
    fields = _fields(header, file_name, lines_before)
    if max_body_bytes is not None and len(body.encode()) > max_body_bytes:
        raise NotANote(file_name, ProblemReason.TOO_LARGE)
    note_id = _id(fields.get("id"), file_name)
    times = _times(fields, _usable_file_time(file_time, now), now)
    note = Note(
        id=note_id,
        summary=_summary(fields.get("summary"), file_name),
        body=body,
        type=_type(fields.get("type")),
        tags=clean_tags(fields.get("tags")),
        created_at=times.created_at,
        updated_at=times.updated_at,
        extra=_extra(fields, file_name),
    )
    return NoteReading(note, times.guessed)


def _decoded(data: bytes, file_name: str, max_body_bytes: int | None) -> str:
    if max_body_bytes is not None and len(data) > largest_file_bytes(max_body_bytes):
        raise NotANote(file_name, ProblemReason.TOO_LARGE)  # whatever its beginning holds
    if not data.strip(b"\0"):
        raise NotANote(file_name, ProblemReason.EMPTY)
    if b"\0" in data:
        raise NotANote(file_name, ProblemReason.NUL_BYTES)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8-sig", "replace").split("\n")
        raise NotANote(file_name, ProblemReason.NOT_UTF8, len(before), len(before[-1]) + 1) from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _split(text: str, file_name: str) -> tuple[str, str, int]:
    """Header, body, and how many lines stand before the header."""
    if text.startswith("---\n"):  # as we write it
        end = text.find("\n---", 3)
        if end > 0 and text.startswith("\n", end + 4):
            return text[4 : end + 1], normalise_body(text[end + 5 :]), 1
    first = _FIRST_FENCE.match(text)
    if first is None:
        raise NotANote(file_name, ProblemReason.NO_FRONTMATTER)
    last = _LAST_FENCE.search(text, first.end())
    if last is None:
        raise NotANote(file_name, ProblemReason.UNCLOSED_FRONTMATTER)
    header = text[first.end() : last.start()]
    return header, normalise_body(text[last.end() + 1 :]), first.group().count("\n")


def _fields(header: str, file_name: str, lines_before: int) -> dict[str, Any]:
    if len(header.encode()) > LARGEST_HEADER_BYTES:
        raise NotANote(file_name, ProblemReason.TOO_LARGE)
    try:
        fields = parse_json(header)
    except json.JSONDecodeError as error:
        line = lines_before + error.lineno
        raise NotANote(file_name, ProblemReason.BROKEN_JSON, line, error.colno) from error
    except ValueError as error:
        raise NotANote(file_name, ProblemReason.BROKEN_JSON, lines_before + 1) from error
    except RecursionError:
        raise NotANote(file_name, ProblemReason.UNSTORABLE_VALUE) from None
    if not isinstance(fields, dict):
        raise NotANote(file_name, ProblemReason.NOT_AN_OBJECT)
    if "\\u" in header:
        _refuse_half_characters(fields, file_name)
    return fields


def _refuse_half_characters(fields: dict[str, Any], file_name: str) -> None:
    try:
        one_line_json(fields).encode()
    except UnicodeEncodeError:
        raise NotANote(file_name, ProblemReason.LONE_SURROGATE) from None
    except (ValueError, RecursionError):
        raise NotANote(file_name, ProblemReason.UNSTORABLE_VALUE) from None


def _id(raw: Any, file_name: str) -> str:
    if not isinstance(raw, str) or not raw:
        raise NotANote(file_name, ProblemReason.ID_MISSING)
    if not is_note_id(raw):
        raise NotANote(file_name, ProblemReason.ID_INVALID)
    if note_file_name(raw) != file_name:
        raise NotANote(file_name, ProblemReason.ID_NOT_FILE_NAME)
    return raw


def _summary(raw: Any, file_name: str) -> str:
    is_text = isinstance(raw, str) or (isinstance(raw, int | float) and not isinstance(raw, bool))
    summary = one_line(str(raw)) if is_text else ""
    if not summary:
        raise NotANote(file_name, ProblemReason.SUMMARY_MISSING)
    return summary


def _type(raw: Any) -> str | None:
    return (one_line(raw) or None) if isinstance(raw, str) else None


def _extra(fields: Mapping[str, Any], file_name: str) -> Mapping[str, Any]:
    if fields.keys() <= _KNOWN:
        return NOTHING_EXTRA
    extra = {key: value for key, value in fields.items() if key not in _KNOWN}
    problem = extra_problem(extra)
    if problem is not None:
        raise NotANote(file_name, problem)
    return MappingProxyType(extra)


@dataclass(frozen=True, slots=True)
class _Times:
    created_at: Millis
    updated_at: Millis
    guessed: tuple[str, ...]


def _times(fields: Mapping[str, Any], file_time: Millis, now: Millis | None) -> _Times:
    created = _not_in_future(read_time(fields.get("createdAt")), now)
    updated = _not_in_future(read_time(fields.get("updatedAt")), now)
    guessed = tuple(key for key, time in (("createdAt", created), ("updatedAt", updated)) if time is None)
    if updated is None:
        updated = max(created or UNKNOWN_TIME, file_time) if file_time else UNKNOWN_TIME
    if created is None:
        created = min(updated, file_time)
    return _Times(created, updated, guessed)


def _not_in_future(time: Millis | None, now: Millis | None) -> Millis | None:
    if time is None or now is None or time <= now + _CLOCK_TOLERANCE_MS:
        return time
    return None


def _usable_file_time(file_time: Millis, now: Millis | None) -> Millis:
    if not is_time(file_time):
        return UNKNOWN_TIME
    return file_time if now is None else min(file_time, now)
