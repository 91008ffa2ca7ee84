"""The content hash of notes that are hashed again and again: one drawn note stands in files, copies and the cloud."""

from oharness.notes.hashing import content_hash as _content_hash
from oharness.notes.note import Note

_MOST = 512
_known: dict[int, tuple[Note, str]] = {}


def content_hash(note: Note) -> str:
    """What the product's function gives for the note, which is asked once for each note object.

    The note is kept beside its hash, so that no other object takes its place in memory while it is known.
    """
    known = _known.get(id(note))
    if known is None:
        if len(_known) >= _MOST:
            _known.clear()
        known = _known[id(note)] = (note, _content_hash(note))
    return known[1]
