"""How well notes fit a text, as a number that means the same in every collection; 1.2 is the bar for attaching.

Each word of the text tells `-ln(rate)`, where the rate is the share of notes one would expect to hold it: as many
as others in the collection do, and as many as texts of any kind do. A note's score is the length of its shadow on
the text: the squares of what the shared words tell, over the root of the squares of all. A note that says all
of a short message scores high, one that shares a usual word with a long one next to nothing, and a single rare word
decides no more in a collection of 5,000 notes than in one of three. Experiments: docs/adr/0010.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import NamedTuple

from oharness.core.scopes import ScopeKind
from oharness.notes.entry import NoteEntry
from oharness.recall.index import NoteIndex
from oharness.recall.message import said_in
from oharness.recall.names import names_in
from oharness.recall.postings import IN_HEAD, IN_SUMMARY, IN_TAGS, LONG_BODY, Held
from oharness.recall.telling import Telling, telling_words

_SCALE = 0.309
_NOTES_OF_DOUBT = 30
_FEWEST_NOTES = 100
_RAREST = 0.003
_LEAST_OF_A_NAME = 3.4
"""In a note's tags a name reaches the bar alone, and does not where the message says anything else."""
_USUAL_AS_A_WORD = 0.002
_MORE_OF_A_STRANGER = 0.5
_NOTES_WITHOUT_STRANGERS = 50
_IN_TAGS = 1.2
_IN_SUMMARY = 1.0
_IN_BODY = 0.8
_OTHER_SPELLING = 0.8
_SAME_SPELLING_IN = (_IN_BODY, _IN_SUMMARY, _IN_TAGS, _IN_TAGS)
_OTHER_SPELLING_IN = tuple(factor * _OTHER_SPELLING for factor in _SAME_SPELLING_IN)
"""What a word takes of its weight by the bits of the fields where it stands."""
_SAME_BEGINNING = 0.5
_OF_A_MACHINE = 0.6
_MOST_KEYS_OF_A_CHARACTER = 200
_ROUNDED = 1 - 1e-12
_NUDGE = 0.01
_MOST_NUDGE = 0.05
MOST_CANDIDATES = 200


@dataclass(frozen=True, slots=True)
class Source:
    """One collection to look in, and how often each of its notes was recalled."""

    scope: ScopeKind
    index: NoteIndex
    uses: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Match:
    """A word of the text that a note holds: the most telling field it stands in, and what it adds to the score."""

    word: str
    field: str
    weight: float


@dataclass(frozen=True, slots=True)
class Candidate:
    """A note that shares words with the text. `in_head`: one of them stands in its summary or tags.

    `score` decides whether it is attached. `rank` orders: the share of what the text tells that the note holds, nudged
    by how often it was recalled; it lifts nothing over a bar.
    """

    scope: ScopeKind
    entry: NoteEntry
    score: float
    rank: float
    in_head: bool
    matches: tuple[Match, ...]


class _Asked(NamedTuple):
    """A word of the text with its weight, and the notes of each source that hold it.

    `alike_factor` is what notes take of the weight that only hold a word that begins as it does, `in_body` what those
    take that hold it in the body alone. `against`: what the word says against notes that do not hold it.
    """

    word: str
    bit: int
    told: float
    weight: float
    held: list[Held]
    alike_factor: float
    in_body: float
    against: float


class _Holding(NamedTuple):
    """How a note holds a word: the part of its weight that it takes, and the bits of the fields where it stands."""

    one: _Asked
    factor: float
    fields: int


class _Found(NamedTuple):
    """A note of one source; they sort with the greatest share first, and the same notes always sort the same."""

    minus_share: float
    at: int
    number: int
    held: list[_Holding]


_Sums = dict[int, float]
"""Notes by their numbers, with what the words looked at so far add up to."""


def candidates(text: str, sources: Sequence[Source], most: int = MOST_CANDIDATES) -> list[Candidate]:
    """The notes that share a word with the text, best first, at most so many."""
    return _best(text, sources, 0.0, most)


def fitting(text: str, sources: Sequence[Source], min_score: float) -> list[Candidate]:
    """The notes that reach a score, best first; the same as in `candidates`, found faster."""
    return _best(text, sources, min_score, MOST_CANDIDATES)


def _best(text: str, sources: Sequence[Source], min_score: float, most: int) -> list[Candidate]:
    said = said_in(text)
    asked = _ask(said.text, sources)
    if not asked:
        return []
    strength = _SCALE * (_OF_A_MACHINE if said.by_machine else 1.0)
    per_weight = strength / math.sqrt(sum([one.against for one in asked]))
    told = sum([one.told for one in asked])
    found: list[_Found] = []
    for at, source in enumerate(sources):
        long_bodies = source.index.long_bodies()
        if min_score > 0:
            sums = _reaching(asked, at, long_bodies, min_score / per_weight * _ROUNDED)
            numbers = [number for number, reached in sums.items() if per_weight * reached >= min_score]
        else:
            numbers = _with_most(_shares(asked, at, long_bodies), most)
        for number in numbers:
            held = _holdings(asked, at, number, long_bodies.get(number, 0))
            found.append(_Found(-sum([one.told * factor for one, factor, _ in held]) / told, at, number, held))
    built = [_candidate(one, sources[one.at], per_weight) for one in sorted(found)[:most]]
    kept = [one for one in built if one is not None]
    return sorted(kept, key=lambda one: (-one.rank, -one.entry.updated_at, one.scope, one.entry.id))


def _ask(text: str, sources: Sequence[Source]) -> list[_Asked]:
    """The telling words of the text, the most telling first."""
    languages = tuple(dict.fromkeys(chain.from_iterable([source.index.languages() for source in sources])))
    words = telling_words(text, languages)
    words = [_with_longer(word, sources) if word.opens else word for word in words]
    notes = sum([source.index.note_count() for source in sources])
    names = names_in(text)
    asked = []
    for word, *held in zip(words, *[source.index.held(words) for source in sources], strict=True):
        told = _information(sum([one.notes for one in held]), notes, word.share)
        if told > 0:
            alike = sum([one.alike.count for one in held if one.alike])
            factor = _SAME_BEGINNING * min(1.0, (_information(alike, notes, 0.0) / told) ** 2) if alike else 0.0
            one = _Asked(word.word, word.bit, told, told * told, held, factor, _IN_BODY, told * told)
            part = names.get(word.word, 0.0) if word.share < _USUAL_AS_A_WORD else 0.0
            asked.append(_as_name(one, part, notes) if part else one)
    return sorted(asked, key=_minus_weight)


def _minus_weight(one: _Asked) -> float:
    return -one.weight


def _as_name(one: _Asked, part: float, notes: int) -> _Asked:
    """A word of a name: however many notes hold it, it tells that the message is about whom or what they are about.

    A stranger's name, in a collection that is no longer small, says that it is about none of them.
    """
    if not any(held.notes or held.alike for held in one.held):
        return one._replace(against=one.weight * (1 + _MORE_OF_A_STRANGER * notes / (notes + _NOTES_WITHOUT_STRANGERS)))
    told = max(one.told, _LEAST_OF_A_NAME * part)
    weight = told * told
    return one._replace(told=told, weight=weight, in_body=_IN_BODY * one.told / told, against=weight)


def _with_longer(word: Telling, sources: Sequence[Source]) -> Telling:
    longer = chain.from_iterable([source.index.keys_from(word.keys[0]) for source in sources])
    keys = [*word.keys, *list(dict.fromkeys(longer))[:_MOST_KEYS_OF_A_CHARACTER]]
    return word._replace(keys=tuple(dict.fromkeys(keys)))


def _information(count: int, notes: int, share: float) -> float:
    """What a word tells: nothing when every text holds it, at most `-ln(_RAREST)`.

    One note that holds it is no sign that others do, so that it counts from the second one on. A collection of a few
    notes says little of how usual a word is: a second note on the same matter must not hide both.
    """
    rate = max(count - 1, 0) / max(notes + _NOTES_OF_DOUBT, _FEWEST_NOTES) + share + _RAREST
    return -math.log(min(rate, 1.0))


def _reaching(asked: Sequence[_Asked], at: int, long_bodies: Mapping[int, int], least: float) -> _Sums:
    """The notes of one source that may reach a sum of weights, with theirs.

    Only words without which it cannot be reached bring notes in; the others are looked up for those alone.
    """
    bounds = [one.weight * _most(one, at) for one in asked]
    left = list(accumulate(reversed(bounds), initial=0.0))[::-1]
    sums: _Sums = {}
    for one, still in zip(asked, left, strict=False):
        if still >= least:
            sums = _added(sums, _weights(one, at, long_bodies, one.weight))
            continue
        sums = {number: reached for number, reached in sums.items() if reached + still >= least}
        if not sums:
            break
        for number, factor in _factors_among(sums, one, at, long_bodies).items():
            sums[number] += one.weight * factor
    return sums


def _shares(asked: Sequence[_Asked], at: int, long_bodies: Mapping[int, int]) -> _Sums:
    """All notes of one source that share a word with the text, with what of it they hold."""
    shares: _Sums = {}
    for one in asked:
        shares = _added(shares, _weights(one, at, long_bodies, one.told))
    return shares


def _with_most(shares: _Sums, most: int) -> list[int]:
    if len(shares) <= most:
        return list(shares)
    worst = sorted(shares.values())[-most]
    return [number for number, share in shares.items() if share >= worst]


def _added(some: _Sums, others: _Sums) -> _Sums:
    if not some:
        return others
    both = some | others
    for number in some.keys() & others.keys():
        both[number] = some[number] + others[number]
    return both


def _most(one: _Asked, at: int) -> float:
    """No note of the source takes a greater part of the word's weight."""
    _, places, alike = one.held[at]
    most = one.alike_factor if alike else 0.0
    for postings in places:
        most = max(most, _factor(postings.every, one))
    return most


def _weights(one: _Asked, at: int, long_bodies: Mapping[int, int], unit: float) -> _Sums:
    """Every note that holds the word, with how much of `unit` it takes."""
    _, places, alike = one.held[at]
    found: _Sums = {}
    for postings in places:
        numbers, marks = postings.numbers_and_marks()
        taken = {mark: unit * _factor(mark, one) for mark in set(marks)}
        weights = dict(zip(numbers, map(taken.__getitem__, marks), strict=True))
        for number in weights.keys() & long_bodies.keys() if long_bodies else ():
            weights[number] = unit * _factor(postings.mark(number), one, long_bodies[number])
        found = _greater(found, weights)
    if alike:
        found = _greater(found, dict.fromkeys(alike.numbers_and_marks()[0], unit * one.alike_factor))
    return found


def _greater(some: _Sums, others: _Sums) -> _Sums:
    if not some:
        return others
    both = some | others
    for number in some.keys() & others.keys():
        both[number] = max(some[number], others[number])
    return both


def _factors_among(notes: _Sums, one: _Asked, at: int, long_bodies: Mapping[int, int]) -> _Sums:
    """Those of the notes that hold the word, with the part of its weight that they take."""
    _, places, alike = one.held[at]
    found: _Sums = {}
    for postings in places:
        for number, mark in postings.marks_among(notes).items():
            factor = _factor(mark, one, long_bodies.get(number, 0))
            found[number] = max(found.get(number, 0.0), factor)
    if alike:
        for number in alike.marks_among(notes):
            found[number] = max(found.get(number, 0.0), one.alike_factor)
    return found


def _holdings(asked: Sequence[_Asked], at: int, number: int, body_words: int) -> list[_Holding]:
    """How one note holds each word that it holds."""
    held = []
    for one in asked:
        _, places, alike = one.held[at]
        factor, fields = 0.0, 0
        for postings in places:
            if mark := postings.mark(number):
                factor = max(factor, _factor(mark, one, body_words))
                fields |= mark
        if alike and (mark := alike.mark(number)):
            factor = max(factor, one.alike_factor)
            fields |= mark
        if factor:
            held.append(_Holding(one, factor, fields))
    return held


def _factor(mark: int, one: _Asked, body_words: int = 0) -> float:
    """The part of a word's weight that its mark takes, given how long the body is where that is a long one.

    A very long body holds nearly every word, so that one of its words says less.
    """
    if mark & IN_HEAD:
        return (_SAME_SPELLING_IN if mark & one.bit else _OTHER_SPELLING_IN)[mark & IN_HEAD]
    factor = one.in_body * math.sqrt(LONG_BODY / body_words) if body_words else one.in_body
    return factor if mark & one.bit else factor * _OTHER_SPELLING


def _candidate(found: _Found, source: Source, per_weight: float) -> Candidate | None:
    entry = source.index.entry_at(found.number)
    if entry is None:  # gone since its words were looked up
        return None
    matches = [Match(one.word, _field(fields), per_weight * one.weight * factor) for one, factor, fields in found.held]
    uses = source.uses.get(entry.id, 0)
    return Candidate(
        scope=source.scope,
        entry=entry,
        score=per_weight * sum([one.weight * factor for one, factor, _ in found.held]),
        rank=-found.minus_share * (1 + min(_NUDGE * math.log2(1 + uses), _MOST_NUDGE)),
        in_head=any([match.field != "body" for match in matches]),
        matches=tuple(sorted(matches, key=lambda match: -match.weight)),
    )


def _field(fields: int) -> str:
    """The most telling field: tags, summary, or body."""
    return "tags" if fields & IN_TAGS else "summary" if fields & IN_SUMMARY else "body"
