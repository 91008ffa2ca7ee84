"""How well notes fit a text, as a number that means the same in every collection; 1.2 is the bar for attaching.

Each word of the text tells `-ln(rate)`, where the rate is the share of notes one would expect to hold it: as many
as others in the collection do, and as many as texts of any kind do. A note's score is the length of its shadow on
the text: the squares of what the shared words tell, over the root of the squares of all. A note that says all
of a short message scores high, one that shares a usual word with a long one next to nothing, and a single rare word
decides no more in a collection of 5,000 notes than in one of three. Experiments: docs/adr/0010.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import accumulate, chain
from typing import NamedTuple

from oharness.core.scopes import ScopeKind
from oharness.notes.entry import NoteEntry
from oharness.recall.index import NoteIndex, beginning_key, spelling_bit
from oharness.recall.message import said_in
from oharness.recall.postings import IN_SUMMARY, IN_TAGS, LONG_BODY, Postings
from oharness.recall.stems import forms, function_words, is_function_character, is_function_pair
from oharness.recall.usual.shares import shares
from oharness.recall.words import Word, words_of

_SCALE = 0.309
_NOTES_OF_DOUBT = 30
_FEWEST_NOTES = 100
_RAREST = 0.003
_IN_TAGS = 1.2
_IN_SUMMARY = 1.0
_IN_BODY = 0.8
_OTHER_SPELLING = 0.8
_SAME_BEGINNING = 0.5
_OF_A_MACHINE = 0.6
_MOST_KEYS_OF_A_CHARACTER = 200
_WORTH_READING_ALL = 8
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


@dataclass(frozen=True, slots=True)
class _Asked:
    """A word of the text with its weight and, for each source, its postings.

    `alike` are those of words in summaries and tags that only begin as it does, which take `alike_factor` of it.
    """

    word: str
    bit: int
    told: float
    weight: float
    places: tuple[tuple[Postings, ...], ...]
    alike: tuple[Postings | None, ...]
    alike_factor: float


class _Found(NamedTuple):
    """A note of one source; they sort with the greatest share first, and the same notes always sort the same."""

    minus_share: float
    at: int
    number: int


_Factors = dict[int, float]
"""Notes by their numbers, and how much of a word's weight each of them takes."""


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
    per_weight = strength / math.sqrt(sum(one.weight for one in asked))
    held: list[dict[int, _Factors]] = [{} for _ in sources]
    found: list[_Found] = []
    for at, source in enumerate(sources):
        found += _in_source(asked, at, source.index.long_bodies(), per_weight, min_score, most, held[at])
    best = nsmallest(most, found)
    built = (_candidate(asked, one, sources[one.at], per_weight, held[one.at]) for one in best)
    kept = [one for one in built if one is not None]
    return sorted(kept, key=lambda one: (-one.rank, -one.entry.updated_at, one.scope, one.entry.id))


def _ask(text: str, sources: Sequence[Source]) -> list[_Asked]:
    """The telling words of the text, the most telling first."""
    languages = tuple(dict.fromkeys(chain.from_iterable(source.index.languages() for source in sources)))
    words = _telling_words(text, languages)
    keys = {word: _keys(word, languages, sources) for word in words}
    beginnings = {word: beginning_key(word) for word in words}
    wanted = list(dict.fromkeys(filter(None, chain(chain.from_iterable(keys.values()), beginnings.values()))))
    held = [source.index.postings_of(wanted) for source in sources]
    notes = sum(source.index.note_count() for source in sources)
    asked = []
    for word in words:
        places = tuple(tuple(each[key] for key in keys[word] if key in each) for each in held)
        count = sum(max((one.count for one in of_source), default=0) for of_source in places)
        told = _information(count, notes, _share(word, languages))
        alike = tuple(each.get(beginnings[word]) for each in held)
        alike_told = _information(sum(one.count for one in alike if one), notes, 0.0)
        if told > 0:
            factor = _SAME_BEGINNING * min(1.0, (alike_told / told) ** 2)
            asked.append(_Asked(word.folded, spelling_bit(word.folded), told, told * told, places, alike, factor))
    return sorted(asked, key=lambda one: -one.weight)


def _telling_words(text: str, languages: tuple[str, ...]) -> list[Word]:
    words = list(words_of(text))
    single = _single_characters(words)
    kept = [word for word in chain(words, single) if not (word.is_pair and is_function_pair(word))]
    return list({(word.text, word.bends): word for word in kept if not _holds_together(word, languages)}.values())


def _holds_together(word: Word, languages: tuple[str, ...]) -> bool:
    return word.bends and any(word.folded in function_words(language) for language in languages)


def _single_characters(words: Sequence[Word]) -> Iterator[Word]:
    """Characters that stand alone among those that hold a sentence together: `我的猫` is about `猫`."""
    run = ""
    for word in [*words, None]:
        pair = word.folded if word is not None and word.is_pair else ""
        if len(pair) == 2 and run.endswith(pair[0]):
            run += pair[1]
            continue
        spaced = "".join(" " if is_function_character(char) else char for char in run)
        yield from (Word(char, char, bends=False) for char in spaced.split() if len(char) == 1)
        run = pair if len(pair) == 2 else ""


def _keys(word: Word, languages: tuple[str, ...], sources: Sequence[Source]) -> tuple[str, ...]:
    found = forms(word, languages)
    if word.whole:
        found = (*found, f"={word.whole}")
    if word.bends:
        found = (*found, f"={word.folded}")
    elif word.is_pair and len(word.folded) == 1:
        longer = chain.from_iterable(source.index.keys_from(found[0]) for source in sources)
        found = (*found, *list(dict.fromkeys(longer))[:_MOST_KEYS_OF_A_CHARACTER])
    return tuple(dict.fromkeys(found))


def _share(word: Word, languages: tuple[str, ...]) -> float:
    if word.is_pair:
        return shares("zh").get(word.folded, 0.0)
    return max(shares(language).get(word.folded, 0.0) for language in languages)


def _information(count: int, notes: int, share: float) -> float:
    """What a word tells: nothing when every text holds it, at most `-ln(_RAREST)`.

    One note that holds it is no sign that others do, so that it counts from the second one on. A collection of a few
    notes says little of how usual a word is: a second note on the same matter must not hide both.
    """
    rate = max(count - 1, 0) / max(notes + _NOTES_OF_DOUBT, _FEWEST_NOTES) + share + _RAREST
    return -math.log(min(rate, 1.0))


def _in_source(
    asked: Sequence[_Asked],
    at: int,
    long_bodies: Mapping[int, int],
    per_weight: float,
    min_score: float,
    most: int,
    held: dict[int, _Factors],
) -> list[_Found]:
    """The notes of one source that reach the score and may be among the best; fills `held` on the way.

    Only words without which the score cannot be reached bring notes in; the others are looked up for those alone.
    """
    least = min_score / per_weight * _ROUNDED
    bounds = [one.weight * _most(one, at) for one in asked]
    left = list(accumulate(reversed(bounds), initial=0.0))[::-1]
    needed = next((position for position in range(len(asked) + 1) if left[position] < least), len(asked))
    for position in range(needed):
        held[position] = _factors(asked[position], at, long_bodies)
    shares: dict[int, float] = {}
    if min_score > 0:
        sums: dict[int, float] = {}
        for position, one in enumerate(asked):
            if position >= needed:
                sums = {number: reached for number, reached in sums.items() if reached + left[position] >= least}
                held[position] = _factors_of(sums, one, at, long_bodies)
            _add(sums, one.weight, held[position])
        shares = {number: 0.0 for number, reached in sums.items() if per_weight * reached >= min_score}
        for position, one in enumerate(asked):
            factors = held[position]
            for number in factors.keys() & shares.keys():
                shares[number] += one.told * factors[number]
    else:
        for position, one in enumerate(asked):
            _add(shares, one.told, held[position])
    told = sum(one.told for one in asked)
    worst = sorted(shares.values())[-most] if len(shares) > most else 0.0
    return [_Found(-share / told, at, number) for number, share in shares.items() if share >= worst]


def _add(sums: dict[int, float], weight: float, factors: _Factors) -> None:
    known = sums.get
    for number, factor in factors.items():
        sums[number] = known(number, 0.0) + weight * factor


def _most(one: _Asked, at: int) -> float:
    return _IN_TAGS if one.places[at] else one.alike_factor if one.alike[at] else 0.0


def _factors(one: _Asked, at: int, long_bodies: Mapping[int, int]) -> _Factors:
    """Every note that holds the word."""
    found: _Factors = {}
    for postings in one.places[at]:
        marks = postings.marks()
        usual = {mark: _mark_factor(mark, one.bit, 0) for mark in set(marks.values())}
        factors = {number: usual[mark] for number, mark in marks.items()}
        for number in factors.keys() & long_bodies.keys():
            factors[number] = _mark_factor(marks[number], one.bit, long_bodies[number])
        found = _greater(found, factors)
    if alike := one.alike[at]:
        found = _greater(found, dict.fromkeys(alike.marks(), one.alike_factor))
    return found


def _greater(some: _Factors, others: _Factors) -> _Factors:
    if not some:
        return others
    both = some | others
    for number in some.keys() & others.keys():
        both[number] = max(some[number], others[number])
    return both


def _factors_of(numbers: Collection[int], one: _Asked, at: int, long_bodies: Mapping[int, int]) -> _Factors:
    """Those of the notes that hold the word."""
    if _WORTH_READING_ALL * len(numbers) > sum(postings.count for postings in one.places[at]):
        factors = _factors(one, at, long_bodies)
        return {number: factors[number] for number in numbers if number in factors}
    return {number: factor for number in numbers if (factor := _factor(one, at, number, long_bodies))}


def _factor(one: _Asked, at: int, number: int, long_bodies: Mapping[int, int]) -> float:
    alike = one.alike[at]
    best = one.alike_factor if alike and alike.mark(number) is not None else 0.0
    for postings in one.places[at]:
        mark = postings.mark(number)
        if mark is not None:
            best = max(best, _mark_factor(mark, one.bit, long_bodies.get(number, 0)))
    return best


def _mark_factor(mark: int, bit: int, body_words: int) -> float:
    """A very long body holds nearly every word, so that one of its words says less."""
    if mark & IN_TAGS:
        factor = _IN_TAGS
    elif mark & IN_SUMMARY:
        factor = _IN_SUMMARY
    else:
        factor = _IN_BODY * math.sqrt(LONG_BODY / body_words) if body_words else _IN_BODY
    return factor if mark & bit else factor * _OTHER_SPELLING


def _candidate(
    asked: Sequence[_Asked], found: _Found, source: Source, per_weight: float, held: Mapping[int, _Factors]
) -> Candidate | None:
    entry = source.index.entry_at(found.number)
    if entry is None:  # gone since its words were looked up
        return None
    matches = []
    reached = 0.0
    for position, one in enumerate(asked):
        factor = held[position].get(found.number, 0.0)
        if factor:
            reached += one.weight * factor
            matches.append(Match(one.word, _field(one, found.at, found.number), per_weight * one.weight * factor))
    uses = source.uses.get(entry.id, 0)
    return Candidate(
        scope=source.scope,
        entry=entry,
        score=per_weight * reached,
        rank=-found.minus_share * (1 + min(_NUDGE * math.log2(1 + uses), _MOST_NUDGE)),
        in_head=any(match.field != "body" for match in matches),
        matches=tuple(sorted(matches, key=lambda match: -match.weight)),
    )


def _field(one: _Asked, at: int, number: int) -> str:
    """The most telling field: tags, summary, or body."""
    fields = 0
    for postings in one.places[at]:
        fields |= postings.mark(number) or 0
    if alike := one.alike[at]:
        fields |= alike.mark(number) or 0
    return "tags" if fields & IN_TAGS else "summary" if fields & IN_SUMMARY else "body"
