"""When a conversation is handed to the extractor, and which part of it no pass has read yet."""

from collections.abc import Sequence
from dataclasses import dataclass

from oharness.extract.conversation import Turn, user_turns

_REMEMBERED_TURNS = 6


@dataclass(frozen=True, slots=True)
class ReadUpTo:
    """Where the last pass ended: how many turns there were, and the last of them, by which the place is found again.

    Without any, nothing was read.
    """

    tail: tuple[Turn, ...] = ()
    count: int = 0


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a conversation for one pass, and where reading has got to with it."""

    turns: tuple[Turn, ...]
    read: ReadUpTo


def read_all(turns: Sequence[Turn]) -> ReadUpTo:
    """As if a pass had read all of it: where a resumed session starts counting."""
    return ReadUpTo(tuple(turns[-_REMEMBERED_TURNS:]), len(turns))


def unread(turns: Sequence[Turn], read: ReadUpTo) -> tuple[Turn, ...]:
    """What was said since. Of a conversation whose read part was compacted away, all that is left is unread."""
    return tuple(turns[_position(turns, read) :])


def due_at_stop(turns: Sequence[Turn], read: ReadUpTo, min_user_turns: int) -> Stretch | None:
    """The conversation since the last pass, once enough real user messages have accumulated in it."""
    since = unread(turns, read)
    return Stretch(since, read_all(turns)) if user_turns(since) >= min_user_turns else None


def due_at_compaction(turns: Sequence[Turn], dropped: int, read: ReadUpTo) -> Stretch | None:
    """Of the first `dropped` turns, those that no pass has read, however few: it is the last chance to read them."""
    start = _position(turns, read)
    if start >= dropped:
        return None
    return Stretch(tuple(turns[start:dropped]), read_all(turns[:dropped]))


def _position(turns: Sequence[Turn], read: ReadUpTo) -> int:
    """How many turns are read: as many as before, or after a compaction the place that the remembered turns lead to."""
    if read.tail and tuple(turns[read.count - len(read.tail) : read.count]) == read.tail:
        return read.count
    for end in range(len(turns) if read.tail else 0, 0, -1):
        known = read.tail[-end:]
        if tuple(turns[end - len(known) : end]) == known:
            return end
    return 0
