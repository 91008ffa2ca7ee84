"""The content hash (protocol P-13): what it covers, and nothing of times or of the machine."""

import hashlib
from typing import Any

from oharness.core.jsontext import canonical_json, quoted
from oharness.notes.note import Note


def normalise_body(text: str) -> str:
    """A body as it is hashed and kept: no BOM in front, LF line ends, no trailing newline.

    Doing it twice changes nothing.
    """
    if "\r" not in text and text[:1] != "\ufeff" and text[-1:] != "\n":  # as nearly always
        return text
    return text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n").rstrip("\n")


def content_hash(note: Note) -> str:
    """Lowercase hex SHA-256 of what the note says, computed once for each note.

    Type and extra keys count only when present, so that notes from before types existed keep their hashes.
    Raises: ValueError for text that has no canonical form (lone surrogates).
    """
    if not note.known_hash:
        computed = hashlib.sha256(hashed_bytes(note)).hexdigest()
        object.__setattr__(note, "known_hash", computed)  # a note is what it says: this changes nothing
    return note.known_hash


def hashed_bytes(note: Note) -> bytes:
    """What the hash is of: the RFC 8785 bytes of an object with the note's texts.

    Raises: ValueError for text that has no canonical form.
    """
    body, tags = normalise_body(note.body), sorted(note.tags)
    if note.extra:
        content: dict[str, Any] = {"body": body, "id": note.id, "summary": note.summary, "tags": tags}
        if note.type is not None:
            content["type"] = note.type
        return canonical_json({**content, "extra": dict(note.extra)})
    typed = "" if note.type is None else f',"type":{quoted(note.type)}'  # for texts alone, in a fraction of the time
    names = f'"id":{quoted(note.id)},"summary":{quoted(note.summary)},"tags":[{",".join(map(quoted, tags))}]'
    return f'{{"body":{quoted(body)},{names}{typed}}}'.encode()
