"""A stored body as it goes out: the object is the note's file, and the wire wants one JSON object."""

from dataclasses import dataclass

from oharness.core.jsontext import parse_json, quoted
from oharness.notes.frontmatter import note_file_name, parse_note
from oharness.notes.limits import LARGEST_HEADER_BYTES
from oharness.notes.problems import NotANote
from oharness.notes.tags import clean_tags
from oharness.notes.times import is_time
from oharness.notes.valid import KNOWN_KEYS, one_line
from oharness.protocol.quotas import encode_json
from oharness.protocol.values import note_shape

_WITH_TYPE = frozenset(KNOWN_KEYS)
_WITHOUT_TYPE = _WITH_TYPE - {"type"}
_FENCE = b"\n---\n"


@dataclass(frozen=True, slots=True)
class OutgoingNote:
    """A note as JSON. Units: `size` is the bytes of its body."""

    json: bytes
    size: int


def outgoing_note(note_id: str, data: bytes) -> OutgoingNote | None:
    """The note in an object; None where the object holds no such note.

    An object as this service writes it is a header that is JSON already, and a text: it is looked through, but no note
    is made of it.
    """
    at_once = _as_written(note_id, data)
    if at_once is not None:
        return at_once
    try:
        note = parse_note(data, note_file_name(note_id))
    except NotANote:
        return None
    return OutgoingNote(encode_json(note_shape(note)), len(note.body.encode()))


def _as_written(note_id: str, data: bytes) -> OutgoingNote | None:
    end = data.find(_FENCE, 3)
    if end < 0 or end > LARGEST_HEADER_BYTES or not data.startswith(b"---\n{") or b"\r" in data or b"\0" in data:
        return None
    header_bytes, body_bytes = data[4:end], data[end + len(_FENCE) :]
    if body_bytes[-1:] not in (b"", b"\n") or body_bytes[-2:] == b"\n\n" or body_bytes == b"\n":
        return None
    if header_bytes[-1:] != b"}" or b"\n" in header_bytes or b"\\u" in header_bytes:
        return None
    try:
        header, body = header_bytes.decode(), body_bytes[:-1].decode()
        fields = parse_json(header)
    except ValueError:
        return None
    if body.startswith("\ufeff") or not _is_clean(note_id, fields):
        return None
    return OutgoingNote(f'{header[:-1]},"body":{quoted(body)}}}'.encode(), len(body_bytes[:-1]))


def _is_clean(note_id: str, fields: dict[str, object]) -> bool:
    """Whether the fields would be read as exactly what they are."""
    if fields.keys() != _WITH_TYPE and fields.keys() != _WITHOUT_TYPE:
        return False
    summary, tags, note_type = fields["summary"], fields["tags"], fields.get("type", "-")
    return (
        fields["id"] == note_id
        and isinstance(summary, str)
        and summary != ""
        and one_line(summary) == summary
        and isinstance(note_type, str)
        and note_type != ""
        and one_line(note_type) == note_type
        and isinstance(tags, list)
        and clean_tags(tags) == tuple(tags)
        and all(type(time) is int and is_time(time) for time in (fields["createdAt"], fields["updatedAt"]))
    )
