"""Texts that grew from one another by known edits, for holding the line merge against what must come out."""

import random
from dataclasses import dataclass

from oharness.notes.hashing import normalise_body


@dataclass(frozen=True, slots=True)
class EditedTexts:
    """Two sides of one base; `combined` is what must come out, None where a person has to choose."""

    base: str
    mine: str
    cloud: str
    combined: str | None


@dataclass(frozen=True, slots=True)
class _Change:
    """Base lines `low` to `high` become `lines`."""

    low: int
    high: int
    lines: tuple[str, ...]


def edited_pair(base: str, mine: str, cloud: str) -> tuple[str, str, str]:
    """Three texts as bodies: without BOM, with LF line ends, without trailing newlines."""
    return normalise_body(base), normalise_body(mine), normalise_body(cloud)


def apart_or_touching(rng: random.Random) -> EditedTexts:
    """Lines all unlike, and edits whose places are known, so that the outcome follows from the places alone."""
    base = [f"line {n}" for n in range(rng.randrange(1, 14))]
    shared = _changes(rng, len(base), "both") if rng.random() < 0.3 else []
    mine = _without_touching(shared, _changes(rng, len(base), "mine"))
    cloud = _without_touching(shared, _changes(rng, len(base), "cloud"))
    touching = any(one != other and _touch(one, other) for one in mine for other in cloud)
    combined = None if touching else _applied(base, list({*shared, *mine, *cloud}))
    return EditedTexts("\n".join(base), _applied(base, shared + mine), _applied(base, shared + cloud), combined)


def edited_triple(rng: random.Random, *, letters: int) -> tuple[str, str, str]:
    """A base and two edited copies; `letters` different lines to draw from, 0 for lines all unlike."""
    fresh = iter(range(10_000))

    def line() -> str:
        return f"line {next(fresh)}" if letters == 0 else str(rng.randrange(letters))

    base = [line() for _ in range(rng.randrange(14))]
    sides = []
    for _ in range(2):
        side = list(base)
        for _ in range(rng.randrange(4)):
            low = rng.randrange(len(side) + 1)
            side[low : low + rng.randrange(3)] = [line() for _ in range(rng.randrange(3))]
        sides.append("\n".join(side))
    return edited_pair("\n".join(base), *sides)


def _changes(rng: random.Random, lines: int, name: str) -> list[_Change]:
    """Up to three changes of one side, each with an unchanged line to the next."""
    changes: list[_Change] = []
    low = rng.randrange(lines + 1)
    while low <= lines and len(changes) < 3:
        high = min(lines, low + rng.randrange(3))
        new = tuple(f"{name} {low} {n}" for n in range(rng.randrange(3)))
        if high > low or new:
            changes.append(_Change(low, high, new))
        low = high + 1 + rng.randrange(1, 5)
    return changes


def _without_touching(kept: list[_Change], changes: list[_Change]) -> list[_Change]:
    return [change for change in changes if not any(_touch(change, other) for other in kept)]


def _touch(one: _Change, other: _Change) -> bool:
    return one.low <= other.high and other.low <= one.high


def _applied(base: list[str], changes: list[_Change]) -> str:
    result = list(base)
    for change in sorted(changes, key=lambda change: change.low, reverse=True):
        result[change.low : change.high] = change.lines
    return "\n".join(result)
