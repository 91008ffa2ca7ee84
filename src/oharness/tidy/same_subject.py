"""Which notes of one scope are about the same subject: two to six whose summaries and tags mostly overlap.

`SubjectIndex` keeps what it knows of each note, so that after an edit only that note is compared again. The groups
depend on the notes alone, not on the order in which they came.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from oharness.notes.entry import NoteEntry
from oharness.notes.note import UNKNOWN_TIME
from oharness.recall.stems import stem_set
from oharness.tidy.values import Values, differ, values_of

LEAST_OVERLAP = 0.5
MOST_IN_A_GROUP = 6
_LEAST_WORDS = 2
_TOO_USUAL = 200
"""A word that so many notes with the same values share says of none of them what it is about."""


@dataclass(frozen=True, slots=True)
class Subject:
    """The notes of one group, the oldest first, and the words that all of them share."""

    notes: tuple[str, ...]
    shared: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Head:
    """What one note is compared by. Notes with the same key need no comparing."""

    text: tuple[str, tuple[str, ...]]
    stems: frozenset[str]
    values: Values

    @property
    def key(self) -> "_Key":
        return self.stems, self.values.names, self.values.wide


_Key = tuple[frozenset[str], frozenset[str], str]


@dataclass(slots=True)
class _Bucket:
    """The notes that have the same hard values, by key; `edges` are the keys near to each key, and how near."""

    members: dict[_Key, dict[str, int]] = field(default_factory=dict)
    values: dict[_Key, Values] = field(default_factory=dict)
    places: dict[str, set[_Key]] = field(default_factory=lambda: defaultdict(set))
    edges: dict[_Key, dict[_Key, float]] = field(default_factory=dict)
    subjects: list[Subject] | None = None


class SubjectIndex:
    """The groups of one scope, kept in step with its notes."""

    def __init__(self) -> None:
        self._heads: dict[str, _Head] = {}
        self._seen: dict[str, NoteEntry] = {}
        self._buckets: dict[frozenset[str], _Bucket] = {}

    def subjects(self, entries: Iterable[NoteEntry]) -> list[Subject]:
        """The groups of these notes, ordered by their first notes."""
        seen, self._seen = self._seen, {entry.id: entry for entry in entries}
        for note_id in seen.keys() - self._seen.keys():
            self._remove(note_id)
        for note_id, entry in self._seen.items():
            if seen.get(note_id) is not entry:
                self._look_at(entry)
        found: list[Subject] = []
        for bucket in self._buckets.values():
            if bucket.subjects is None:
                bucket.subjects = _subjects(bucket)
            found += bucket.subjects
        return sorted(found, key=lambda subject: subject.notes)

    def _look_at(self, entry: NoteEntry) -> None:
        known = self._heads.get(entry.id)
        if known is None or known.text != (entry.summary, entry.tags):
            self._remove(entry.id)
            self._add(entry)
        else:
            self._note_age(entry)

    def _add(self, entry: NoteEntry) -> None:
        head = _head(entry)
        self._heads[entry.id] = head
        bucket = self._buckets.setdefault(head.values.hard, _Bucket())
        bucket.subjects = None
        if head.key not in bucket.members:
            _put(bucket, head)
        bucket.members[head.key][entry.id] = entry.created_at

    def _note_age(self, entry: NoteEntry) -> None:
        head = self._heads[entry.id]
        bucket = self._buckets[head.values.hard]
        members = bucket.members[head.key]
        if members[entry.id] != entry.created_at:
            members[entry.id] = entry.created_at
            bucket.subjects = None

    def _remove(self, note_id: str) -> None:
        head = self._heads.pop(note_id, None)
        if head is None:
            return
        bucket = self._buckets[head.values.hard]
        bucket.subjects = None
        members = bucket.members[head.key]
        del members[note_id]
        if not members:
            _take(bucket, head.key)
        if not bucket.members:
            del self._buckets[head.values.hard]


def _head(entry: NoteEntry) -> _Head:
    stems = stem_set(" ".join([entry.summary, *entry.tags]))
    return _Head((entry.summary, entry.tags), stems, values_of(entry.summary, entry.tags))


def _put(bucket: _Bucket, head: _Head) -> None:
    key = head.key
    edges: dict[_Key, float] = {}
    if len(head.stems) >= _LEAST_WORDS:
        for other in _candidates(bucket, head.stems):
            if len(other[0]) < _LEAST_WORDS:
                continue
            near = _overlap(head.stems, other[0])
            if near >= LEAST_OVERLAP and not differ(head.values, bucket.values[other]):
                edges[other] = near
                bucket.edges[other][key] = near
    bucket.members[key] = {}
    bucket.values[key] = head.values
    bucket.edges[key] = edges
    for stem in head.stems:
        bucket.places[stem].add(key)


def _take(bucket: _Bucket, key: _Key) -> None:
    for other in bucket.edges.pop(key):
        del bucket.edges[other][key]
    del bucket.members[key], bucket.values[key]
    for stem in key[0]:
        bucket.places[stem].discard(key)
        if not bucket.places[stem]:
            del bucket.places[stem]


def _candidates(bucket: _Bucket, stems: frozenset[str]) -> set[_Key]:
    """The keys that share one of the rarest words: who shares none of so many of them shares less than half."""
    by_rarity = sorted(stems, key=lambda stem: (len(bucket.places.get(stem, ())), stem))
    least_shared = (len(stems) + 1) // 2
    found: set[_Key] = set()
    for stem in by_rarity[: len(stems) - least_shared + 1]:
        places = bucket.places.get(stem, ())
        if len(places) <= _TOO_USUAL:
            found.update(places)
    return found


def _overlap(some: frozenset[str], others: frozenset[str]) -> float:
    """The Jaccard index."""
    both = len(some & others)
    return both / (len(some) + len(others) - both)


def _subjects(bucket: _Bucket) -> list[Subject]:
    found: list[Subject] = []
    for keys in _clusters(bucket):
        members = [member for key in keys for member in bucket.members[key].items()]
        notes = [note_id for note_id, _ in sorted(members, key=_age)]
        shared = frozenset.intersection(*(key[0] for key in keys))
        for start in range(0, len(notes), MOST_IN_A_GROUP):
            some = notes[start : start + MOST_IN_A_GROUP]
            if len(some) > 1:
                found.append(Subject(tuple(some), _spoken(shared)))
    return found


def _age(member: tuple[str, int]) -> tuple[bool, int, str]:
    note_id, created_at = member
    return created_at == UNKNOWN_TIME, created_at, note_id


def _spoken(stems: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(stem.partition(":")[2] or stem.removeprefix("=") for stem in stems))


def _clusters(bucket: _Bucket) -> list[list[_Key]]:
    """Keys of which each is near to each other of its cluster, the nearest put together first."""
    alone = [key for key, edges in bucket.edges.items() if not edges and len(bucket.members[key]) > 1 and key[0]]
    linked = [key for key, edges in bucket.edges.items() if edges]
    names = {key: min(bucket.members[key]) for key in linked}
    of: dict[_Key, list[_Key]] = {key: [key] for key in linked}
    sizes = {key: len(bucket.members[key]) for key in linked}
    edges = [
        (-near, names[one], names[other], one, other)
        for one in linked
        for other, near in bucket.edges[one].items()
        if names[one] < names[other]
    ]
    for _, _, _, one, other in sorted(edges, key=lambda edge: edge[:3]):
        left, right = of[one], of[other]
        if left is right or sum(sizes[key] for key in (*left, *right)) > MOST_IN_A_GROUP:
            continue
        if all(b in bucket.edges[a] for a in left for b in right):
            left += right
            for key in right:
                of[key] = left
    distinct = {id(cluster): cluster for cluster in of.values()}
    together = [one for one in distinct.values() if len(one) > 1 or sizes[one[0]] > 1]
    return [*together, *([key] for key in alone)]
