"""The notes that hold a key, packed as an index keeps them.

A mark says how a note holds a key. Its lowest bits are the fields where the key stands (`IN_SUMMARY`, `IN_TAGS`;
neither for the body alone), above them is a bit for each spelling the key stands for in the note. A place is a note's
number with its mark, in one number. Packed are the ascending numbers of notes first, then the mark of each.

Nothing here knows words: what only asks which notes there are imports no stemmer.
"""

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import NamedTuple, Protocol

IN_SUMMARY = 1
IN_TAGS = 2
IN_HEAD = IN_SUMMARY | IN_TAGS
FIELD_BITS = 2
SPELLINGS = 14
NOT_HELD = 0
"""The mark of a note that does not hold a key."""
LONG_BODY = 400
"""A body of more words than these is a long one."""
_MARK_BITS = FIELD_BITS + SPELLINGS
_MARK = (1 << _MARK_BITS) - 1
_WORTH_READING_ALL = 16
_NUMBERS, _MARKS = "I", "H"
_NUMBER_BYTES = array(_NUMBERS).itemsize
_PLACE_BYTES = _NUMBER_BYTES + array(_MARKS).itemsize


def place(number: int, mark: int) -> int:
    """A note and its mark as one number; places sort as their notes do."""
    return number << _MARK_BITS | mark


def place_number(one: int) -> int:
    """The note of a place."""
    return one >> _MARK_BITS


def every_mark(places: Iterable[int]) -> int:
    """Every bit that is set in the mark of one of them."""
    return reduce(or_, places, 0) & _MARK


def packed_count(notes: bytes) -> int:
    """How many notes are packed there."""
    return len(notes) // _PLACE_BYTES


def changed(notes: bytes, places: Sequence[int]) -> bytes:
    """Packed notes after those of some places took their marks, or went where that is `NOT_HELD`."""
    numbers, marks = _unpacked(notes)
    in_order = sorted(places)
    if not numbers or place_number(in_order[0]) > numbers[-1]:
        numbers.extend([one >> _MARK_BITS for one in in_order if one & _MARK])
        marks.extend([one & _MARK for one in in_order if one & _MARK])
        return numbers.tobytes() + marks.tobytes()
    for one in in_order:
        number, mark = one >> _MARK_BITS, one & _MARK
        at = bisect_left(numbers, number)
        present = at < len(numbers) and numbers[at] == number
        if present and mark:
            marks[at] = mark
        elif present:
            del numbers[at], marks[at]
        elif mark:
            numbers.insert(at, number)
            marks.insert(at, mark)
    return numbers.tobytes() + marks.tobytes()


def sliced(notes: bytes, bits: int) -> Iterator[tuple[int, bytes]]:
    """Packed notes in pieces, each of the notes whose numbers begin with the same, that is without their last bits."""
    numbers, marks = _unpacked(notes)
    start = 0
    while start < len(numbers):
        piece = numbers[start] >> bits
        end = bisect_left(numbers, (piece + 1) << bits)
        yield piece, numbers[start:end].tobytes() + marks[start:end].tobytes()
        start = end


class Sought(Protocol):
    """A word as it is looked for: the keys of its forms, and that of words that only begin so, empty for none.

    What has the same keys has the same beginning.
    """

    @property
    def keys(self) -> tuple[str, ...]: ...

    @property
    def beginning(self) -> str: ...


class Held(NamedTuple):
    """The notes that hold a word: under each of its keys that any note holds, and those of `Sought.beginning`.

    `notes` is how many hold the key that most of them hold.
    """

    notes: int
    places: "Sequence[Postings]"
    alike: "Postings | None"


class Postings:
    """The notes that hold one key: `count` of them, with no bit in their marks that is not in `every`.

    Their pieces, each packed, in ascending order, are read when first needed.
    """

    __slots__ = ("_marks", "_numbers", "_pieces", "count", "every")

    def __init__(self, count: int, every: int, pieces: Iterable[bytes]) -> None:
        self.count = count
        self.every = every
        self._pieces: Iterable[bytes] | None = pieces
        self._numbers = self._marks = _NONE

    def numbers_and_marks(self) -> "tuple[array[int], array[int]]":
        """The notes, ascending, and the mark of each."""
        if self._pieces is not None:
            self._numbers, self._marks = _unpacked(*self._pieces)
            self._pieces = None
        return self._numbers, self._marks

    def mark(self, number: int) -> int:
        """The mark of one note, 0 where it does not hold the key."""
        numbers, marks = self.numbers_and_marks()
        at = bisect_left(numbers, number)
        return marks[at] if at < len(numbers) and numbers[at] == number else 0

    def marks_among(self, notes: Mapping[int, object]) -> dict[int, int]:
        """Those of some notes that hold the key, with their marks."""
        numbers, marks = self.numbers_and_marks()
        count = len(numbers)
        found = {}
        for number in notes.keys() & numbers if count < _WORTH_READING_ALL * len(notes) else notes:
            at = bisect_left(numbers, number)
            if at < count and numbers[at] == number:
                found[number] = marks[at]
        return found


def _unpacked(*pieces: bytes) -> "tuple[array[int], array[int]]":
    numbers, marks = array(_NUMBERS), array(_MARKS)
    for piece in pieces:
        edge = packed_count(piece) * _NUMBER_BYTES
        numbers.frombytes(piece[:edge])
        marks.frombytes(piece[edge:])
    return numbers, marks


_NONE = array(_NUMBERS)
