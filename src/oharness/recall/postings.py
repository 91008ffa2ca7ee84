"""The notes that hold a key, packed as an index keeps them.

A mark says how a note holds a key. Its lowest bits are the fields where the key stands (`IN_SUMMARY`, `IN_TAGS`;
neither for the body alone), above them is a bit for each spelling the key stands for in the note.

Nothing here knows words: what only asks which notes there are imports no stemmer.
"""

from array import array
from bisect import bisect_left
from collections.abc import Mapping

IN_SUMMARY = 1
IN_TAGS = 2
FIELD_BITS = 2
SPELLINGS = 14
MARK_BITS = FIELD_BITS + SPELLINGS
CHUNK_BITS = 9
NOTES_PER_CHUNK = 1 << CHUNK_BITS
LONG_BODY = 400
"""A body of more words than these is a long one."""
_MARK = (1 << MARK_BITS) - 1


class Postings:
    """The notes that hold one key, as chunks of ascending numbers, each packed with its mark as in `NoteTerms`."""

    __slots__ = ("_chunks", "_marks", "count")

    def __init__(self, chunks: "Mapping[int, array[int]]") -> None:
        self._chunks = chunks
        self._marks: dict[int, int] | None = None
        self.count = sum(map(len, chunks.values()))

    def marks(self) -> Mapping[int, int]:
        """Every note by its number, with its mark."""
        if self._marks is None:
            self._marks = {
                (chunk << CHUNK_BITS) | (packed >> MARK_BITS): packed & _MARK
                for chunk, notes in self._chunks.items()
                for packed in notes
            }
        return self._marks

    def mark(self, number: int) -> int | None:
        """The mark of one note, None where it does not hold the key."""
        if self._marks is not None:
            return self._marks.get(number)
        notes = self._chunks.get(number >> CHUNK_BITS)
        if notes is None:
            return None
        wanted = in_chunk(number) << MARK_BITS
        at = bisect_left(notes, wanted)
        return notes[at] & _MARK if at < len(notes) and notes[at] >> MARK_BITS == wanted >> MARK_BITS else None


def in_chunk(number: int) -> int:
    """The place of a note in its chunk."""
    return number & (NOTES_PER_CHUNK - 1)
