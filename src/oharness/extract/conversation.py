"""What was said in a conversation, as extraction reads it: people's and the model's own words, nothing attached."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from oharness.core.clock import Millis

_MARK = re.compile(
    r"(?:<|&lt;)\s{0,20}(?P<closing>/?)\s{0,20}recalled-memory\b(?:[^<>&\n]{0,80}(?:>|&gt;))?", re.IGNORECASE
)
_LONGEST_TURN = 4_000
_LEFT_OUT = "\n[…]\n"


class Speaker(StrEnum):
    """Whose words they are."""

    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class Turn:
    """One message's own words."""

    speaker: Speaker
    text: str
    at: Millis


def said(speaker: Speaker, text: str, at: Millis) -> Turn | None:
    """A turn, unless nothing was said. Recalled notes in it, pasted or quoted, are no part of what was said."""
    words = _without_recalled(text).strip()
    return Turn(speaker, words, at) if words else None


def _without_recalled(text: str) -> str:
    """Of a block that was pasted in part, everything on its open side goes: nothing tells where it ends."""
    kept: list[str] = []
    begin, is_inside = 0, False
    for mark in _MARK.finditer(text):
        if mark["closing"]:
            if not is_inside:
                kept.clear()
            begin, is_inside = mark.end(), False
        elif not is_inside:
            kept.append(text[begin : mark.start()])
            is_inside = True
    return "".join(kept) if is_inside else "".join(kept) + text[begin:]


def user_turns(turns: Iterable[Turn]) -> int:
    """How many real user messages there are."""
    return sum(turn.speaker is Speaker.USER for turn in turns)


def shortened(turn: Turn) -> str:
    """A turn's words; of a long one (a pasted log) the beginning and the end."""
    if len(turn.text) <= _LONGEST_TURN:
        return turn.text
    head = _LONGEST_TURN * 2 // 3
    return turn.text[:head] + _LEFT_OUT + turn.text[-(_LONGEST_TURN - head) :]


def in_portions(turns: Sequence[Turn], most_chars: int) -> list[tuple[Turn, ...]]:
    """The turns in portions that one call of a small model can take; nothing is left out, a turn is never parted."""
    portions: list[tuple[Turn, ...]] = []
    current: list[Turn] = []
    size = 0
    for turn in turns:
        length = len(shortened(turn))
        if current and size + length > most_chars:
            portions.append(tuple(current))
            current, size = [], 0
        current.append(turn)
        size += length
    return [*portions, tuple(current)] if current else portions
