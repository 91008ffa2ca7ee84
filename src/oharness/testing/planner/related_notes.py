"""Related notes drawn at random: a last synced text, and what became of it here and in the cloud.

The edits are known, so that what a merge must come to is known without comparing texts.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Any

from oharness.core.clock import Millis
from oharness.notes.note import Note
from oharness.testing.edited_texts import apart_or_touching, edited_triple


class Mine(Enum):
    """What became of the note here."""

    SAME = auto()
    EDITED = auto()
    MADE_ON_PURPOSE = auto()
    FORGOTTEN = auto()
    EDITED_THEN_FORGOTTEN = auto()
    VANISHED = auto()
    NO_BYTES = auto()
    UNREADABLE = auto()
    NOT_LOADED = auto()


class Theirs(Enum):
    """What became of the note in the cloud."""

    SAME = auto()
    PUT_AGAIN = auto()
    EDITED = auto()
    DELETED = auto()
    EDITED_THEN_DELETED = auto()
    PURGED = auto()
    LOST = auto()
    BROKEN = auto()


class Past(Enum):
    """What this machine knows of the last synced text."""

    SYNCED = auto()
    NEVER_MET = auto()
    BEFORE_RESET = auto()


@dataclass(frozen=True, slots=True)
class Story:
    """One note.

    `base` is what both sides once said, `older` what the base replaced. `mine` and `cloud` are the edited texts,
    also where the note was deleted after. `combined` is what merging both must give, None where a person has to
    choose; it says nothing when `sure` is False. `has_copy`: the copy as last synced was kept.
    """

    base: Note
    older: Note | None
    mine: Note
    cloud: Note
    combined: Note | None
    sure: bool
    past: Past
    became_here: Mine
    became_there: Theirs
    has_copy: bool

    @property
    def id(self) -> str:
        return self.base.id


_HERE = [
    (Mine.SAME, 22),
    (Mine.EDITED, 44),
    (Mine.MADE_ON_PURPOSE, 3),
    (Mine.FORGOTTEN, 10),
    (Mine.EDITED_THEN_FORGOTTEN, 4),
    (Mine.VANISHED, 6),
    (Mine.NO_BYTES, 5),
    (Mine.UNREADABLE, 3),
    (Mine.NOT_LOADED, 3),
]
_THERE = [
    (Theirs.SAME, 22),
    (Theirs.PUT_AGAIN, 4),
    (Theirs.EDITED, 46),
    (Theirs.DELETED, 10),
    (Theirs.EDITED_THEN_DELETED, 5),
    (Theirs.PURGED, 5),
    (Theirs.LOST, 4),
    (Theirs.BROKEN, 4),
]
_TAGS = ("a", "b", "c", "d", "e", "f")


def draw_story(rng: random.Random, note_id: str, past: Past, *, expired: bool) -> Story:
    """One note's past on both sides; tombstones are purged only in scopes whose window has passed."""
    here = _drawn(rng, _HERE)
    there = _drawn(rng, _THERE)
    if past is Past.BEFORE_RESET and there is Theirs.PURGED:
        there = Theirs.DELETED
    if (expired and there is Theirs.LOST) or (not expired and there is Theirs.PURGED):
        there = Theirs.PURGED if expired else Theirs.LOST
    base, mine, cloud, combined, sure = _versions(rng, note_id)
    older = replace(base, summary="older", body="older") if rng.random() < 0.3 else None
    if there is Theirs.EDITED and older and rng.random() < 0.15:
        cloud, combined, sure = older, None, False
    if rng.random() < 0.06:
        mine = cloud
    return Story(base, older, mine, cloud, combined, sure, past, here, there, rng.random() < 0.95)


def _drawn(rng: random.Random, weighted: list[tuple[Any, int]]) -> Any:
    return rng.choices([one for one, _ in weighted], [weight for _, weight in weighted])[0]


def _versions(rng: random.Random, note_id: str) -> tuple[Note, Note, Note, Note | None, bool]:
    sure = rng.random() < 0.8
    if sure:
        texts = apart_or_touching(rng)
        bodies, combined_body = (texts.base, texts.mine, texts.cloud), texts.combined
    else:
        bodies, combined_body = edited_triple(rng, letters=rng.choice((2, 4))), None
    summaries, summary = _field(rng, "kept", "mine", "theirs")
    types, note_type = _field(rng, None, "project", "user")
    extras, extra = _extra(rng)
    tags, merged_tags = _tags(rng)
    created, updated = Millis(1000 + rng.randrange(9)), Millis(2000 + rng.randrange(9))
    base, mine, cloud = (
        Note(note_id, summaries[n], bodies[n], types[n], tags[n], created, Millis(updated + n), extras[n])
        for n in range(3)
    )
    if combined_body is None or summary is _CHOOSE or note_type is _CHOOSE or extra is _CHOOSE:
        return base, mine, cloud, None, sure
    combined = Note(note_id, summary, combined_body, note_type, merged_tags, created, updated, extra)
    return base, mine, cloud, combined, True


_CHOOSE: Any = object()


def _field(rng: random.Random, base: Any, mine: Any, cloud: Any) -> tuple[tuple[Any, Any, Any], Any]:
    """The three values of a field, and what comes of merging them."""
    draw = rng.random()
    if draw < 0.80:
        return (base, base, base), base
    if draw < 0.87:
        return (base, mine, base), mine
    if draw < 0.94:
        return (base, base, cloud), cloud
    if draw < 0.97:
        return (base, mine, mine), mine
    return (base, mine, cloud), _CHOOSE


def _extra(rng: random.Random) -> tuple[tuple[Mapping[str, Any], ...], Any]:
    if rng.random() < 0.8:
        return ({}, {}, {}), {}
    values, merged = _field(rng, None, 1, True)
    sides = tuple({} if value is None else {"key": value} for value in values)
    return sides, merged if merged is _CHOOSE else ({} if merged is None else {"key": merged})


def _tags(rng: random.Random) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]:
    base = set(rng.sample(_TAGS, rng.randrange(4)))
    if rng.random() < 0.6:
        kept = tuple(sorted(base))
        return (kept, kept, kept), kept
    added = [set(rng.sample(_TAGS, rng.randrange(2))) for _ in range(2)]
    removed = [set(rng.sample(sorted(base), rng.randrange(min(2, len(base) + 1)))) for _ in range(2)]
    sides = [(base | added[n]) - removed[n] for n in range(2)]
    merged = ((base | sides[0] | sides[1]) - (base - sides[0])) - (base - sides[1])
    tags = tuple(tuple(rng.sample(sorted(side), len(side))) for side in (base, *sides))
    return tags, tuple(merged)
