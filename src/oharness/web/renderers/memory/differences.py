"""Two texts compared word by word, as pieces that a template shows. Plain text in, plain text out.

Very long texts are compared line by line, so that no page waits.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Indel

from oharness.core.common_ends import common_ends

SAME, ADDED, REMOVED = "same", "added", "removed"
_WORDS = re.compile(r"[぀-ヿ㐀-䶿一-鿿가-힯]|[^\W_]+|\s+|[\W_]")
_LINES = re.compile(r"[^\n]*\n|[^\n]+")
_MOST_PAIRS = 20_000_000
_MOST_LINE_PAIRS = 40_000_000
_FAR = 3


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text that both have (`same`), or only the new (`added`) or the old one (`removed`)."""

    kind: str
    text: str


def differences(old: str, new: str) -> list[Piece]:
    """The new text with what was added and removed since the old one, in reading order."""
    for pattern, most in ((_WORDS, _MOST_PAIRS), (_LINES, _MOST_LINE_PAIRS)):
        before, after = pattern.findall(old), pattern.findall(new)
        low, high = common_ends(before, after)
        inner_old, inner_new = before[low : len(before) - high], after[low : len(after) - high]
        if len(inner_old) * len(inner_new) <= most:
            middle = _compared(inner_old, inner_new)
            ends = [Piece(SAME, "".join(after[:low])), *middle, Piece(SAME, "".join(after[len(after) - high :]))]
            return _readable(ends)
    return _readable([Piece(REMOVED, old), Piece(ADDED, new)])


def one_side(other: str, shown: str) -> list[Piece]:
    """The shown text alone, with what the other one does not have marked as added."""
    return _joined(piece for piece in differences(other, shown) if piece.kind != REMOVED)


def before_both(old: str, mine: str, theirs: str) -> list[Piece]:
    """The text that both grew from, with what either of them took out marked as removed."""
    gone = [False] * len(old)
    for new in (mine, theirs):
        at = 0
        for piece in differences(old, new):
            if piece.kind == ADDED:
                continue
            if piece.kind == REMOVED:
                gone[at : at + len(piece.text)] = [True] * len(piece.text)
            at += len(piece.text)
    pieces: list[Piece] = []
    start = 0
    for at in range(1, len(old) + 1):
        if at == len(old) or gone[at] != gone[start]:
            pieces.append(Piece(REMOVED if gone[start] else SAME, old[start:at]))
            start = at
    return pieces


def excerpt(pieces: Sequence[Piece], around: int = _FAR) -> list[Piece]:
    """Only the changed lines and a few around them; what was left out is an empty piece of the kind `gap`."""
    shown: list[Piece] = []
    for place, piece in enumerate(pieces):
        if piece.kind != SAME:
            shown.append(piece)
            continue
        lines = piece.text.split("\n")
        first, last = place == 0, place == len(pieces) - 1
        keep = (0 if first else around) + (0 if last else around)
        if len(lines) <= keep + 2:
            shown.append(piece)
            continue
        if not first:
            shown.append(Piece(SAME, "\n".join(lines[:around]) + "\n"))
        shown.append(Piece("gap", ""))
        if not last:
            shown.append(Piece(SAME, "\n".join(lines[-around:])))
    return shown


def both_texts(mine: str, theirs: str) -> str:
    """One text that holds every line of both: what they share once, what differs one after the other."""
    one, other = mine.split("\n"), theirs.split("\n")
    if len(one) * len(other) > _MOST_LINE_PAIRS:
        return f"{mine}\n\n{theirs}"
    lines: list[str] = []
    theirs_only: list[str] = []
    for code in Indel.opcodes(one, other):
        if code.tag == "equal":
            lines, theirs_only = lines + theirs_only, []
        else:
            theirs_only += other[code.dest_start : code.dest_end]
        lines += one[code.src_start : code.src_end]
    return "\n".join(lines + theirs_only)


def _compared(old: Sequence[str], new: Sequence[str]) -> Iterator[Piece]:
    for code in Indel.opcodes(old, new):
        if code.tag == "equal":
            yield Piece(SAME, "".join(new[code.dest_start : code.dest_end]))
            continue
        yield Piece(REMOVED, "".join(old[code.src_start : code.src_end]))
        yield Piece(ADDED, "".join(new[code.dest_start : code.dest_end]))


def _readable(pieces: Sequence[Piece]) -> list[Piece]:
    """Two changes with nothing but a space between them are one: people read phrases, not words."""
    found = _joined(pieces)
    melted: list[Piece] = []
    for place, piece in enumerate(found):
        is_between = 0 < place < len(found) - 1 and piece.kind == SAME and piece.text in (" ", "", ", ")
        if is_between:
            melted += [Piece(REMOVED, piece.text), Piece(ADDED, piece.text)]
        else:
            melted.append(piece)
    return _joined(_removed_first(melted))


def _removed_first(pieces: Sequence[Piece]) -> Iterator[Piece]:
    removed, added = "", ""
    for piece in pieces:
        if piece.kind == SAME:
            yield from (Piece(REMOVED, removed), Piece(ADDED, added), piece)
            removed, added = "", ""
        elif piece.kind == REMOVED:
            removed += piece.text
        else:
            added += piece.text
    yield from (Piece(REMOVED, removed), Piece(ADDED, added))


def _joined(pieces: "Iterator[Piece] | Sequence[Piece]") -> list[Piece]:
    found: list[Piece] = []
    for piece in pieces:
        if not piece.text:
            continue
        if found and found[-1].kind == piece.kind:
            found[-1] = Piece(piece.kind, found[-1].text + piece.text)
        else:
            found.append(piece)
    return found
