"""The content hash (protocol P-13): what it covers, and nothing of times or of the machine."""

import hashlib
from typing import Any

from oharness.core.jsontext import canonical_json, canonical_json_of_texts
from oharness.notes.note import Note


def normalise_body(text: str) -> str:
    """A body as it is hashed and kept: no BOM in front, LF line ends, no trailing newline.

    Doing it twice changes nothing.
    """
    return text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n").rstrip("\n")


def content_hash(note: Note) -> str:
    """Lowercase hex SHA-256 of what the note says, computed once for each note.

    Type and extra keys count only when present, so that notes from before types existed keep their hashes.
    Raises: ValueError for text that has no canonical form (lone surrogates).
    """
    if not note.known_hash:
        object.__setattr__(note, "known_hash", _computed_hash(note))  # a note is what it says: this changes nothing
    return note.known_hash


def _computed_hash(note: Note) -> str:
    content: dict[str, str | list[str]] = {
        "body": normalise_body(note.body),
        "id": note.id,
        "summary": note.summary,
        "tags": sorted(note.tags),
    }
    if note.type is not None:
        content["type"] = note.type
    if note.extra:
        with_extra: dict[str, Any] = {**content, "extra": dict(note.extra)}
        return hashlib.sha256(canonical_json(with_extra)).hexdigest()
    return hashlib.sha256(canonical_json_of_texts(content)).hexdigest()
