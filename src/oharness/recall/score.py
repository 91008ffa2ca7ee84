"""How well notes fit a text, as a number that means the same in every collection; 1.2 is the bar for attaching."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from oharness.core.scopes import ScopeKind
from oharness.notes.entry import NoteEntry
from oharness.recall.index import IN_BODY, IN_SUMMARY, IN_TAGS, NoteIndex
from oharness.recall.stems import forms, is_function_word
from oharness.recall.words import Word, words_of

NO_USES: Mapping[str, int] = {}


@dataclass(frozen=True, slots=True)
class Source:
    """One collection to look in, and how often each of its notes was recalled."""

    scope: ScopeKind
    index: NoteIndex
    uses: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Match:
    """A word of the text that a note holds: the most telling field it stands in, and what it adds."""

    word: str
    field: str
    weight: float


@dataclass(frozen=True, slots=True)
class Candidate:
    """A note that shares words with the text. `in_head`: one of them stands in its summary or tags."""

    scope: ScopeKind
    entry: NoteEntry
    score: float
    rank: float
    in_head: bool
    matches: tuple[Match, ...]


@dataclass(frozen=True, slots=True)
class _Asked:
    word: Word
    information: float
    places: Mapping[int, int]


def candidates(text: str, sources: Sequence[Source]) -> list[Candidate]:
    """Every note that shares a word with the text, best first."""
    words = list(dict.fromkeys(word for word in words_of(text) if not is_function_word(word)))
    found = [candidate for source in sources for candidate in _in_source(words, source)]
    return sorted(found, key=lambda one: (-one.rank, -one.entry.updated_at, one.scope, one.entry.id))


def _in_source(words: Sequence[Word], source: Source) -> Iterator[Candidate]:
    asked = [_ask(word, source.index) for word in words]
    numbers = {number for one in asked for number in one.places}
    for number in numbers:
        yield _candidate(asked, number, source)


def _ask(word: Word, index: NoteIndex) -> _Asked:
    keys = [*forms(word, index.languages()), f"={word.folded}", *([f"={word.whole}"] if word.whole else [])]
    places: dict[int, int] = {}
    for key in dict.fromkeys(keys):
        for number, fields in index.places(key).items():
            places[number] = places.get(number, 0) | fields
    total = max(index.note_count(), 50)
    return _Asked(word, math.log((total + 1) / (len(places) + 0.5)), places)


_FIELD_SHARE = {"tags": 1.0, "summary": 1.0, "body": 0.4}


def _field(fields: int) -> str:
    return "tags" if fields & IN_TAGS else "summary" if fields & IN_SUMMARY else "body"


def _candidate(asked: Sequence[_Asked], number: int, source: Source) -> Candidate:
    matches = []
    matched_share = 0.0
    for one in asked:
        fields = one.places.get(number, 0)
        if fields:
            name = _field(fields)
            both = 0.1 if name != "body" and fields & IN_BODY else 0.0
            matches.append(Match(one.word.folded, name, one.information * (_FIELD_SHARE[name] + both)))
            matched_share += _FIELD_SHARE[name]
    information = sum(one.weight for one in matches)
    share = matched_share / max(len(asked), 1)
    score = math.sqrt(share * information)
    entry = source.index.entry_at(number)
    uses = source.uses.get(entry.id, 0)
    return Candidate(
        scope=source.scope,
        entry=entry,
        score=score,
        rank=score * (1 + 0.02 * min(math.log1p(uses), 5)),
        in_head=any(one.field != "body" for one in matches),
        matches=tuple(sorted(matches, key=lambda one: -one.weight)),
    )
