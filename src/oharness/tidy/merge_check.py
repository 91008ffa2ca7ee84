"""The merge check: what of the originals is not in the merged note. No model is asked; all of it is by form.

Every link, quoted string, date, version, path, identifier, number and negated sentence of the originals is looked for.
A number, date or version counts as missing, too, when it stands in the merged note only where another original's value
belongs. Nobody looks over a background merge, so `is_fully_covered` asks for more: every sentence of the originals,
with its facts, its names, all words that say something and its "not", has to stand together in the merged note.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from oharness.notes.note import Note
from oharness.recall.stems import forms, function_words, is_function_pair, language_of
from oharness.recall.words import Word, runs_of, words_of
from oharness.tidy.merge_facts import Fact, FactKind, facts_of, squeezed
from oharness.tidy.negation import is_negated
from oharness.tidy.sentences_of import Sentence, sentences_of
from oharness.tidy.values import values_of

_KEPT_AROUND_A_VALUE = 1 / 3
_KEPT_OF_NEGATED = 0.75
_KEPT_OF_ANY = 1.0
_VALUES = (FactKind.NUMBER, FactKind.DATE, FactKind.VERSION)
_MOST_COMPARED = 400
_TAGS = -2


@dataclass(frozen=True, slots=True)
class MissingFact:
    """A fact of the note `note_id` that the merged note lacks, as it is written there."""

    kind: FactKind
    text: str
    note_id: str


@dataclass(frozen=True, slots=True)
class _Read:
    """One sentence with what it is compared by."""

    text: str
    squeezed: str
    facts: tuple[Fact, ...]
    stems: frozenset[str]
    negated: bool
    block: int
    heading: str
    note_id: str = ""
    keys: frozenset[str] = frozenset()
    value_keys: frozenset[str] = frozenset()


class MergeCheck:
    """The originals, read once, to hold any number of drafts against."""

    def __init__(self, originals: Sequence[Note], new_ids: Mapping[str, str]) -> None:
        """`new_ids` says which kept note a link to a deleted one will lead to."""
        self._new_ids = new_ids
        texts = [f"{note.summary}\n{note.body}" for note in originals]
        self._language = language_of([run for text in texts for run in runs_of(text)])
        self._read = [
            one for note in originals for one in self._sentences(note.summary, sentences_of(note.body), note.id)
        ]
        self._extra = list(_lost_extra(originals))

    def missing(self, summary: str, body: str, tags: Iterable[str]) -> tuple[MissingFact, ...]:
        """What a merged note with this summary, body and tags lacks, each once, in the order of the originals."""
        merged = _Merged(self._sentences(summary, [*sentences_of(body), _tag_line(tags)]), summary, body, tags)
        found: dict[tuple[FactKind, str], MissingFact] = {}
        for sentence in self._read:
            if merged.has_word_for_word(sentence):
                continue
            for fact in self._missing_of(sentence, merged):
                found.setdefault((fact.kind, fact.key), MissingFact(fact.kind, fact.text, sentence.note_id))
        return (*self._extra, *found.values())

    def is_fully_covered(self, summary: str, body: str, tags: Iterable[str]) -> bool:
        """Whether nobody has to look it over: nothing is missing, and every sentence is there in substance."""
        spoken = tuple(tags)
        if self.missing(summary, body, spoken):
            return False
        merged = _Merged(self._sentences(summary, [*sentences_of(body), _tag_line(spoken)]), summary, body, spoken)
        return all(merged.has_word_for_word(one) or merged.covers(one) for one in self._read)

    def _missing_of(self, sentence: _Read, merged: "_Merged") -> Iterator[Fact]:
        for fact in sentence.facts:
            if not merged.has(fact) or (fact.kind in _VALUES and self._is_misplaced(fact, sentence, merged)):
                yield fact
        if sentence.negated and not merged.says_no_to(sentence):
            yield Fact(FactKind.NEGATION, sentence.text, sentence.squeezed)

    def _is_misplaced(self, fact: Fact, sentence: _Read, merged: "_Merged") -> bool:
        """Whether the value stands only among words that it had nothing to do with, or where another value belongs."""
        homes = merged.homes_of(fact)
        if not homes or not sentence.stems or any(home.block == _TAGS for home in homes):
            return False
        rivals = [one for one in self._read if fact.key not in one.keys and one.value_keys][:_MOST_COMPARED]
        return not any(_is_home(sentence, home, rivals) for home in homes)

    def _sentences(self, summary: str, sentences: Iterable[Sentence], note_id: str = "") -> list[_Read]:
        every = [Sentence(summary, -1, ""), *sentences]
        return [self._read_one(one, note_id) for one in every if one.text.strip()]

    def _read_one(self, sentence: Sentence, note_id: str) -> _Read:
        text = sentence.text
        facts = tuple(self._relinked(fact) for fact in facts_of(text, is_code=sentence.is_code))
        languages = {self._language, language_of(runs_of(text))}
        return _Read(
            text=text,
            squeezed=squeezed(text),
            facts=facts,
            stems=self._stems(text),
            negated=not sentence.is_code and is_negated(_spoken(text, facts), languages),
            block=sentence.block,
            heading=sentence.heading,
            note_id=note_id,
            keys=_keys(facts),
            value_keys=_keys(fact for fact in facts if fact.kind in _VALUES),
        )

    def _relinked(self, fact: Fact) -> Fact:
        is_link = fact.kind is FactKind.LINK and fact.text.startswith("[[")
        return Fact(fact.kind, fact.text, self._new_ids.get(fact.key, fact.key)) if is_link else fact

    def _stems(self, text: str) -> frozenset[str]:
        holding = function_words(self._language) | function_words("en")
        return frozenset(
            forms(word, (self._language,))[0] for word in words_of(text) if not _says_nothing(word, holding)
        )


_UNIT = re.compile(r"(?<=\d)[^\d.:-].*$")
"""A number without a unit is not lost where one was added to it."""


class _Merged:
    """The merged note, ready to be asked."""

    def __init__(self, sentences: list[_Read], summary: str, body: str, tags: Iterable[str]) -> None:
        self._text = squeezed(" ".join([summary, body, *tags]))
        self._folded = self._text.casefold()
        self._keys = frozenset[str]().union(*(one.keys for one in sentences))
        self._whole = {one.squeezed for one in sentences}
        self._sentences = sentences
        self.windows = list(_windows(sentences))
        self._homes: dict[str, list[_Read]] | None = None

    def homes_of(self, fact: Fact) -> list[_Read]:
        """The places where the fact stands in a known spelling."""
        if self._homes is None:
            self._homes = {}
            for window in self.windows:
                for key in window.keys:
                    self._homes.setdefault(key, []).append(window)
        return self._homes.get(fact.key, [])

    def has_word_for_word(self, sentence: _Read) -> bool:
        """Whether the sentence stands there as it is."""
        return sentence.squeezed in self._whole

    def has(self, fact: Fact) -> bool:
        """Whether the fact stands anywhere, in the same or another spelling."""
        if fact.key in self._keys:
            return True
        if fact.kind is FactKind.NUMBER:
            return False
        wanted = fact.key if fact.kind is FactKind.QUOTED else squeezed(fact.text)
        text = self._text if fact.kind is not FactKind.LINK else self._folded
        return _stands_in(wanted if fact.kind is not FactKind.LINK else wanted.casefold(), text)

    def says_no_to(self, sentence: _Read) -> bool:
        """Whether a negated sentence says what this one does."""
        return any(
            window.negated and _shares(sentence.stems, window.stems, _KEPT_OF_NEGATED) for window in self.windows
        )

    def covers(self, sentence: _Read) -> bool:
        """Whether one place says all of this sentence, and not the opposite."""
        return any(
            _holds_facts(window, sentence)
            and window.negated == sentence.negated
            and _shares(sentence.stems, window.stems, _KEPT_OF_ANY)
            and not values_of(sentence.text, ()).names - values_of(window.text, ()).words
            for window in self.windows
        )


def _spoken(text: str, facts: Iterable[Fact]) -> str:
    """The words of a sentence alone: a name may hold a `no` that says nothing."""
    for fact in facts:
        if fact.kind not in _VALUES:
            text = text.replace(fact.text, " ")
    return text


def _keys(facts: Iterable[Fact]) -> frozenset[str]:
    keys = {fact.key: fact for fact in facts}
    bare = (_UNIT.sub("", key) for key, fact in keys.items() if fact.kind is FactKind.NUMBER)
    return frozenset([*keys, *bare])


def _holds_facts(window: _Read, sentence: _Read) -> bool:
    return all(
        fact.key in window.keys or (fact.kind is FactKind.QUOTED and _stands_in(fact.key, window.squeezed))
        for fact in sentence.facts
    )


def _windows(sentences: list[_Read]) -> Iterator[_Read]:
    """Each sentence, each two that follow one another in a block, and each with its heading."""
    headings = {one.text: one for one in reversed(sentences)}
    for index, one in enumerate(sentences):
        yield one
        if one.heading in headings:
            yield _together(headings[one.heading], one)
        if index + 1 < len(sentences) and sentences[index + 1].block == one.block:
            yield _together(one, sentences[index + 1])


def _together(one: _Read, other: _Read) -> _Read:
    return _Read(
        text=f"{one.text} {other.text}",
        squeezed=f"{one.squeezed} {other.squeezed}",
        facts=(*one.facts, *other.facts),
        stems=one.stems | other.stems,
        negated=one.negated or other.negated,
        block=other.block,
        heading=other.heading,
        keys=one.keys | other.keys,
        value_keys=one.value_keys | other.value_keys,
    )


def _is_home(sentence: _Read, home: _Read, rivals: Iterable[_Read]) -> bool:
    """Whether a value of `sentence` is at home there: among words of its own, and not in a rival's place."""
    own = _nearness(sentence, home)
    if not _shares(sentence.stems, home.stems, _KEPT_AROUND_A_VALUE):
        return False
    return not any(_nearness(rival, home) > own and not rival.value_keys <= home.keys for rival in rivals)


def _nearness(one: _Read, other: _Read) -> float:
    both = len(one.stems & other.stems)
    return both / max(len(one.stems | other.stems), 1)


def _shares(wanted: frozenset[str], present: frozenset[str], least: float) -> bool:
    return len(wanted & present) >= ceil(least * len(wanted) - 1e-9)


def _stands_in(wanted: str, text: str) -> bool:
    """Whether it stands there on its own, not as a piece of a longer word."""
    at = text.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        if not (_joins(text[at - 1 : at], wanted[:1]) or _joins(wanted[-1:], text[end : end + 1])):
            return True
        at = text.find(wanted, at + 1)
    return False


def _joins(left: str, right: str) -> bool:
    return bool(left and right) and all(char.isascii() and (char.isalnum() or char == "_") for char in (left, right))


def _says_nothing(word: Word, holding: frozenset[str]) -> bool:
    if word.is_pair:
        return is_function_pair(word)
    return word.folded in holding or any(char.isdigit() for char in word.folded)


def _tag_line(tags: Iterable[str]) -> Sentence:
    return Sentence(" ".join(tags), _TAGS, "")


def _lost_extra(originals: Sequence[Note]) -> Iterator[MissingFact]:
    """Values for a key of other programs that an older note has otherwise."""
    kept: dict[str, object] = {}
    for note in originals:
        for key, value in note.extra.items():
            if kept.setdefault(key, value) != value:
                text = unicodedata.normalize("NFC", f"{key}: {value}")
                yield MissingFact(FactKind.IDENTIFIER, text, note.id)
