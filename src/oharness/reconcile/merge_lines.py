"""Two bodies that grew from one: combined by line, or the places where a person has to choose.

Leaves fields other than the body to `merge_note`. No I/O.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from rapidfuzz.distance import Indel

from oharness.core.common_ends import common_ends

Lines = tuple[str, ...]

LINE_PAIRS_BUDGET = 2**28
"""Line pairs one comparison may look at (33 MB, some 60 ms); a longer stretch counts as one edit."""


@dataclass(frozen=True, slots=True)
class AgreedLines:
    """Lines nobody disputes: unchanged, changed on one side, or changed alike on both."""

    lines: Lines


@dataclass(frozen=True, slots=True)
class DisputedLines:
    """The same or neighbouring lines, changed on both sides in different ways."""

    base: Lines
    mine: Lines
    cloud: Lines


Piece = AgreedLines | DisputedLines


@dataclass(frozen=True, slots=True)
class CombinedLines:
    """The edits of both sides in one text."""

    text: str


@dataclass(frozen=True, slots=True)
class LineConflict:
    """A text in pieces, at least one of them disputed."""

    pieces: tuple[Piece, ...]

    @property
    def disputed(self) -> tuple[DisputedLines, ...]:
        """The places that cannot be combined, from top to bottom."""
        return tuple(piece for piece in self.pieces if isinstance(piece, DisputedLines))


def merge_lines(base: str, mine: str, cloud: str) -> CombinedLines | LineConflict:
    r"""Both sides' edits of one text combined, where an unchanged line lies between them.

    Shapes: texts with \n line ends and without trailing newline; so is the result.
    Units: at most `LINE_PAIRS_BUDGET` line pairs a side; beyond it the whole differing stretch is one edit.
    Source: diff3 (Khanna, Kunjir, Pierce 2007), with neighbouring edits in conflict as git has them.
    """
    if mine == cloud or cloud == base:
        return CombinedLines(mine)
    if mine == base:
        return CombinedLines(cloud)
    pieces = tuple(_pieces(split_lines(base), split_lines(mine), split_lines(cloud)))
    if any(isinstance(piece, DisputedLines) for piece in pieces):
        return LineConflict(pieces)
    lines = [line for piece in pieces if isinstance(piece, AgreedLines) for line in piece.lines]
    return CombinedLines("\n".join(lines).rstrip("\n"))


def split_lines(text: str) -> Lines:
    r"""The lines of a text: split on \n and nothing else, no line at all in an empty text."""
    return tuple(text.split("\n")) if text else ()


def draft_text(conflict: LineConflict, mine_label: str, cloud_label: str) -> str:
    """One text to start a merge by hand from: agreed lines, and both sides of each dispute between markers."""
    lines: list[str] = []
    for piece in conflict.pieces:
        match piece:
            case AgreedLines(agreed):
                lines += agreed
            case DisputedLines(_, mine, cloud):
                lines += [f"<<<<<<< {mine_label}", *mine, "=======", *cloud, f">>>>>>> {cloud_label}"]
    return "\n".join(lines)


class _Edit(NamedTuple):
    """Lines `low` to `high` of the base became lines `side_low` to `side_high` of one side."""

    low: int
    high: int
    side_low: int
    side_high: int


def _pieces(base: Lines, mine: Lines, cloud: Lines) -> Iterator[Piece]:
    agreed: list[str] = []
    done = 0
    for mine_edits, cloud_edits in _meetings(_edits(base, mine), _edits(base, cloud)):
        low = min(edit.low for edit in (*mine_edits, *cloud_edits))
        high = max(edit.high for edit in (*mine_edits, *cloud_edits))
        agreed += base[done:low]
        done = high
        mine_text = _side_text(base, mine, mine_edits, low, high)
        cloud_text = _side_text(base, cloud, cloud_edits, low, high)
        if not cloud_edits or mine_text == cloud_text:
            agreed += mine_text
        elif not mine_edits:
            agreed += cloud_text
        else:
            head, tail = common_ends(mine_text, cloud_text)
            yield AgreedLines((*agreed, *mine_text[:head]))
            yield DisputedLines(
                base[low:high], mine_text[head : len(mine_text) - tail], cloud_text[head : len(cloud_text) - tail]
            )
            agreed = list(mine_text[len(mine_text) - tail :])
    yield AgreedLines((*agreed, *base[done:]))


def _meetings(mine: list[_Edit], cloud: list[_Edit]) -> Iterator[tuple[list[_Edit], list[_Edit]]]:
    """Edits in the order of the base; those without an unchanged line between them come together."""
    i = j = 0
    while i < len(mine) or j < len(cloud):
        here: tuple[list[_Edit], list[_Edit]] = ([], [])
        reach = min(edit.low for edit in (*mine[i : i + 1], *cloud[j : j + 1]))
        while True:
            if i < len(mine) and mine[i].low <= reach:
                here[0].append(mine[i])
                reach = max(reach, mine[i].high)
                i += 1
            elif j < len(cloud) and cloud[j].low <= reach:
                here[1].append(cloud[j])
                reach = max(reach, cloud[j].high)
                j += 1
            else:
                break
        yield here


def _side_text(base: Lines, side: Lines, edits: list[_Edit], low: int, high: int) -> Lines:
    """What one side made of the base's lines `low` to `high`."""
    if not edits:
        return base[low:high]
    first, last = edits[0], edits[-1]
    return side[first.side_low - (first.low - low) : last.side_high + (high - last.high)]


def _edits(base: Lines, side: Lines) -> list[_Edit]:
    """How a side differs from the base; each edit as far down as it reads the same.

    An edit among equal lines has several readings. Both sides use the same one, and the one git uses, so that
    the same change is seen as the same.
    """
    head, tail = common_ends(base, side)
    rows, columns = len(base) - head - tail, len(side) - head - tail
    if rows == 0 and columns == 0:
        return []
    if rows == 0 or columns == 0 or rows * columns > LINE_PAIRS_BUDGET:
        edits = [_Edit(head, head + rows, head, head + columns)]
    else:
        edits = list(_compared(base[head : head + rows], side[head : head + columns], head))
    return _settled(base, side, edits)


def _compared(base: Lines, side: Lines, offset: int) -> Iterator[_Edit]:
    numbers: dict[str, int] = {}
    numbered_base = [numbers.setdefault(line, len(numbers)) for line in base]
    numbered_side = [numbers.setdefault(line, len(numbers)) for line in side]
    current: _Edit | None = None
    for step in Indel.opcodes(numbered_base, numbered_side):
        if step.tag == "equal":
            if current:
                yield current
            current = None
            continue
        low, side_low = (
            (current.low, current.side_low)
            if current
            else (
                step.src_start + offset,
                step.dest_start + offset,
            )
        )
        current = _Edit(low, step.src_end + offset, side_low, step.dest_end + offset)
    if current:
        yield current


def _settled(base: Lines, side: Lines, edits: list[_Edit]) -> list[_Edit]:
    """Pure insertions and deletions moved down as far as they read the same; edits that then touch are one."""
    settled: list[_Edit] = []
    for edit in reversed(edits):
        low, high, side_low, side_high = edit
        limit = settled[-1].low if settled else len(base)
        if low == high:
            while low < limit and side[side_low] == base[low]:
                low, side_low, side_high = low + 1, side_low + 1, side_high + 1
            high = low
        elif side_low == side_high:
            while high < limit and base[low] == base[high]:
                low, high, side_low = low + 1, high + 1, side_low + 1
            side_high = side_low
        if settled and high == limit:
            below = settled.pop()
            high, side_high = below.high, below.side_high
        settled.append(_Edit(low, high, side_low, side_high))
    settled.reverse()
    return settled
