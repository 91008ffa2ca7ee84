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
from oharness.tidy.negation import is_denied
from oharness.tidy.sentences_of import Sentence, sentences_of
from oharness.tidy.values import values_of

_KEPT_AROUND_A_VALUE = 1 / 3
_KEPT_OF_NEGATED = 0.75
_KEPT_OF_ANY = 1.0
_VALUES = (FactKind.NUMBER, FactKind.DATE, FactKind.VERSION)
_NAMES = (FactKind.PATH, FactKind.IDENTIFIER, FactKind.QUOTED, FactKind.LINK)
_KNOWN_OF_ADDED = 0.75
_KEPT_OF_ADDED_NO = 0.5
_LONGEST_HEADING = 3
_NEAR_TO_A_RIVAL = 0.5
_IN_FLOW = (*_VALUES, FactKind.PATH, FactKind.IDENTIFIER, FactKind.LINK)
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
    name_keys: frozenset[str] = frozenset()
    around: frozenset[str] = frozenset()
    """The words that say something besides its numbers, dates and versions."""
    around_names: frozenset[str] = frozenset()
    """The same besides its paths, identifiers, links and quoted strings."""
    title: str = ""
    """The summary of its note."""
    parts: tuple["_Read", ...] = ()
    """The sentences that were put together to this one."""

    @property
    def is_of_one_block(self) -> bool:
        """Whether it is two sentences that follow one another."""
        return bool(self.parts) and self.parts[0].block == self.parts[1].block

    @property
    def own_contexts(self) -> tuple[str, str]:
        return self.heading, self.title


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
        self._contexts = frozenset(one for read in self._read for one in (read.heading, read.title) if one)
        self._stems_of_contexts = {one: self._stems(one) for one in self._contexts}

    def missing(self, summary: str, body: str, tags: Iterable[str]) -> tuple[MissingFact, ...]:
        """What a merged note with this summary, body and tags lacks, each once, in the order of the originals."""
        merged = _Merged(self._sentences(summary, [*sentences_of(body), _tag_line(tags)]), summary, body, tags)
        found: dict[tuple[FactKind, str], MissingFact] = {}
        for sentence in self._read:
            headings = merged.headings_over(sentence)
            if any(not self._is_foreign(heading, sentence) for heading in headings):
                continue
            for fact in self._missing_of(sentence, merged):
                found.setdefault((fact.kind, fact.key), MissingFact(fact.kind, fact.text, sentence.note_id))
        return (*self._extra, *found.values())

    def is_fully_covered(self, summary: str, body: str, tags: Iterable[str]) -> bool:
        """Whether nobody has to look it over: every sentence is there in substance, and nothing that none says."""
        spoken = tuple(tags)
        if self.missing(summary, body, spoken):
            return False
        merged = _Merged(self._sentences(summary, [*sentences_of(body), _tag_line(spoken)]), summary, body, spoken)
        return all(self._is_covered(one, merged) for one in self._read) and not self._adds(summary, body)

    def uncovered(self, summary: str, body: str, tags: Iterable[str]) -> tuple[MissingFact, ...]:
        """The sentences of the originals that are not there in substance, whether they hold facts or not."""
        spoken = tuple(tags)
        merged = _Merged(self._sentences(summary, [*sentences_of(body), _tag_line(spoken)]), summary, body, spoken)
        gone = (one for one in self._read if not self._is_covered(one, merged))
        return tuple(MissingFact(FactKind.SENTENCE, one.text, one.note_id) for one in gone)

    def _adds(self, summary: str, body: str) -> bool:
        """Whether it says what no original says; headings of a few words are none of that."""
        keys = frozenset[str]().union(*(one.keys for one in self._read), self._new_ids.values())
        stems = frozenset[str]().union(*(one.stems for one in self._read))
        whole = {one.squeezed for one in self._read}
        for one in self._sentences(summary, sentences_of(body)):
            if one.squeezed in whole:
                continue
            if any(fact.key not in keys for fact in one.facts if fact.kind is not FactKind.QUOTED):
                return True
            if not one.negated and not one.facts and len(one.stems) <= _LONGEST_HEADING:
                continue
            if not _shares(one.stems, stems, _KNOWN_OF_ADDED):
                return True
            if one.negated and not any(
                other.negated and _shares(other.stems, one.stems, _KEPT_OF_ADDED_NO) for other in self._read
            ):
                return True
        return False

    def _is_covered(self, sentence: _Read, merged: "_Merged") -> bool:
        if any(not self._is_foreign(heading, sentence) for heading in merged.headings_over(sentence)):
            return True
        wanted = tuple(self._flow(sentence))
        return any(
            _flows_in(wanted, tuple(self._flow(window))) and not self._is_foreign(window.heading, sentence)
            for window in merged.saying_all_of(sentence)
        )

    def _is_foreign(self, heading: str, sentence: _Read) -> bool:
        """Whether what stands under this heading is said of what another original's heading or summary names."""
        if not heading or heading in (sentence.heading, sentence.title):
            return False
        stems = self._stems(heading)
        own = max(_share(stems, self._stems_of_contexts.get(one, frozenset())) for one in sentence.own_contexts)
        others = self._contexts.difference(sentence.own_contexts)
        return any(_share(stems, self._stems_of_contexts[one]) > own for one in others)

    def _missing_of(self, sentence: _Read, merged: "_Merged") -> Iterator[Fact]:
        for fact in sentence.facts:
            if not merged.has(fact) or self._is_elsewhere(fact, sentence, merged):
                yield fact
        if sentence.negated and not merged.says_no_to(sentence):
            yield Fact(FactKind.NEGATION, sentence.text, sentence.squeezed)

    def _is_elsewhere(self, fact: Fact, sentence: _Read, merged: "_Merged") -> bool:
        if fact.kind in _VALUES:
            return self._is_misplaced(fact, sentence, merged)
        return fact.kind in _NAMES and self._is_a_rivals(fact, sentence, merged)

    def _is_misplaced(self, fact: Fact, sentence: _Read, merged: "_Merged") -> bool:
        """Whether the value stands only among words that it had nothing to do with, or where another value belongs."""
        homes = merged.homes_of(fact)
        if not homes or not sentence.around or any(home.block == _TAGS for home in homes):
            return False
        if all(self._is_foreign(home.heading, sentence) for home in homes):
            return True
        rivals = [one for one in self._read if fact.key not in one.keys and one.value_keys][:_MOST_COMPARED]
        return not any(_is_home(fact, sentence, home, rivals) for home in homes)

    def _is_a_rivals(self, fact: Fact, sentence: _Read, merged: "_Merged") -> bool:
        """Whether the path, identifier, link or quoted string stands only where another original's belongs."""
        places = [home for home in merged.homes_of(fact) if not home.parts]
        if not places or not sentence.around_names or any(place.block == _TAGS for place in places):
            return False
        rivals = [one for one in self._read if fact.key not in one.keys and one.name_keys][:_MOST_COMPARED]
        return all(_is_of_a_rival(sentence, place, rivals) for place in places)

    def _sentences(self, summary: str, sentences: Iterable[Sentence], note_id: str = "") -> list[_Read]:
        every = [Sentence(summary, -1, ""), *sentences]
        return [self._read_one(one, note_id, summary) for one in every if one.text.strip()]

    def _read_one(self, sentence: Sentence, note_id: str, title: str) -> _Read:
        text = sentence.text
        facts = tuple(self._relinked(fact) for fact in facts_of(text, is_code=sentence.is_code))
        languages = {self._language, language_of(runs_of(text))}
        stems = self._stems(text)
        return _Read(
            text=text,
            squeezed=squeezed(text),
            facts=facts,
            stems=stems,
            negated=not sentence.is_code and is_denied(_spoken(text, facts), languages),
            block=sentence.block,
            heading=sentence.heading,
            note_id=note_id,
            keys=_keys(facts),
            value_keys=_keys(fact for fact in facts if fact.kind in _VALUES),
            name_keys=_keys(fact for fact in facts if fact.kind in _NAMES),
            around=self._stems_without(text, facts, stems, _VALUES),
            around_names=self._stems_without(text, facts, stems, _NAMES),
            title=title,
        )

    def _stems_without(
        self, text: str, facts: Iterable[Fact], stems: frozenset[str], kinds: tuple[FactKind, ...]
    ) -> frozenset[str]:
        gone = [fact.text for fact in facts if fact.kind in kinds]
        for one in gone:
            text = text.replace(one, " ")
        return self._stems(text) if gone else stems

    def _flow(self, sentence: _Read) -> Iterator[str]:
        """The facts by their keys, the other words by their stems. A quoted string is its words."""
        plain = unicodedata.normalize("NFKC", sentence.text)
        facts = (fact for fact in sentence.facts if fact.kind in _IN_FLOW)
        end = 0
        for start, length, key in sorted((plain.find(fact.text), -len(fact.text), fact.key) for fact in facts):
            if start < end:
                continue
            yield from self._ordered(plain[end:start])
            yield f"={_UNIT.sub('', key)}"
            end = start - length
        yield from self._ordered(plain[end:])

    def _ordered(self, text: str) -> Iterator[str]:
        holding = function_words(self._language) | function_words("en")
        for word in words_of(text):
            if not _says_nothing(word, holding):
                yield forms(word, (self._language,))[0]

    def _relinked(self, fact: Fact) -> Fact:
        is_link = fact.kind is FactKind.LINK and fact.text.startswith("[[")
        return Fact(fact.kind, fact.text, self._new_ids.get(fact.key, fact.key)) if is_link else fact

    def _stems(self, text: str) -> frozenset[str]:
        holding = function_words(self._language) | function_words("en")
        return frozenset(
            forms(word, (self._language,))[0] for word in words_of(text) if not _says_nothing(word, holding)
        )


_BOUND = re.compile(r"^[<>!=~≥≤]+|\+$")
_UNIT = re.compile(r"(?<=\d)[^\d.:-].*$")
"""A number without a unit is not lost where one was added to it."""


class _Merged:
    """The merged note, ready to be asked."""

    def __init__(self, sentences: list[_Read], summary: str, body: str, tags: Iterable[str]) -> None:
        self._text = squeezed(" ".join([summary, body, *tags]))
        self._folded = self._text.casefold()
        self._keys = frozenset[str]().union(*(one.keys for one in sentences))
        self._whole: dict[str, list[str]] = {}
        for one in sentences:
            self._whole.setdefault(one.squeezed, []).append(one.heading)
        self._sentences = sentences
        self.windows = list(_windows(sentences))
        self._homes: dict[str, list[_Read]] | None = None
        self._places: dict[str, list[int]] = {}
        for number, window in enumerate(self.windows):
            for stem in window.stems:
                self._places.setdefault(stem, []).append(number)

    def homes_of(self, fact: Fact) -> list[_Read]:
        """The places where the fact stands in a known spelling."""
        if self._homes is None:
            self._homes = {}
            for window in self.windows:
                for key in window.keys:
                    self._homes.setdefault(key, []).append(window)
        return self._homes.get(fact.key, [])

    def headings_over(self, sentence: _Read) -> list[str]:
        """The heading over each place where the sentence stands as it is; empty where there is none over it."""
        return self._whole.get(sentence.squeezed, [])

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
            window.negated and _shares(sentence.stems, window.stems, _KEPT_OF_NEGATED)
            for window in self._near_to(sentence.stems, _KEPT_OF_NEGATED)
        )

    def saying_all_of(self, sentence: _Read) -> Iterator[_Read]:
        """Each sentence, alone or with its heading, that says all of this one, and not the opposite."""
        with_its_facts = [self.homes_of(fact) for fact in sentence.facts if fact.kind is not FactKind.QUOTED]
        for window in min([self._near_to(sentence.stems, _KEPT_OF_ANY), *with_its_facts], key=len):
            if (
                not window.is_of_one_block
                and _holds_facts(window, sentence)
                and window.negated == sentence.negated
                and _shares(sentence.stems, window.stems, _KEPT_OF_ANY)
                and not values_of(sentence.text, ()).names - values_of(window.text, ()).words
            ):
                yield window

    def _near_to(self, stems: frozenset[str], least: float) -> list[_Read]:
        """Every window that may share so much of the stems: each holds one of the rarest of them."""
        needed = _least_of(stems, least)
        if needed == 0:
            return self.windows
        by_rarity = sorted(stems, key=lambda stem: (len(self._places.get(stem, ())), stem))
        numbers = {one for stem in by_rarity[: len(stems) - needed + 1] for one in self._places.get(stem, ())}
        return [self.windows[number] for number in sorted(numbers)]


def _flows_in(wanted: tuple[str, ...], present: tuple[str, ...]) -> bool:
    """Whether the words follow one another as wanted, with no fact of something else between them."""
    own = frozenset(wanted)
    for start in (at for at, one in enumerate(present) if wanted and one == wanted[0]):
        at = 0
        for one in present[start:]:
            if one == wanted[at]:
                at += 1
                if at == len(wanted):
                    return True
            elif one.startswith("=") and one not in own:
                break
    return not wanted


def _spoken(text: str, facts: Iterable[Fact]) -> str:
    """The words of a sentence alone: a name may hold a `no` that says nothing."""
    for fact in facts:
        if fact.kind not in _VALUES:
            text = text.replace(fact.text, " ")
    return text


def _bare(key: str) -> str:
    return _UNIT.sub("", _BOUND.sub("", key))


def _keys(facts: Iterable[Fact]) -> frozenset[str]:
    keys = {fact.key: fact for fact in facts}
    bare = (_bare(key) for key, fact in keys.items() if fact.kind is FactKind.NUMBER)
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
        name_keys=one.name_keys | other.name_keys,
        around=one.around | other.around,
        around_names=one.around_names | other.around_names,
        title=other.title,
        parts=(one, other),
    )


def _is_home(fact: Fact, sentence: _Read, home: _Read, rivals: list[_Read]) -> bool:
    """Whether a value of `sentence` is at home there: among words of its own, and not in a rival's place."""
    if not _shares(sentence.around, home.around, _KEPT_AROUND_A_VALUE) or _is_claimed(sentence, home, rivals):
        return False
    if not home.is_of_one_block:
        return True
    holders = [part for part in home.parts if fact.key in part.keys]
    return any(not _is_claimed(sentence, part, rivals) for part in holders)


def _is_claimed(sentence: _Read, home: _Read, rivals: Iterable[_Read]) -> bool:
    """Whether a rival, whose own values are not there, is nearer to the place."""
    own = _share(sentence.around, home.around)
    return any(_share(one.around, home.around) > own and not one.value_keys <= home.keys for one in rivals)


def _is_of_a_rival(sentence: _Read, place: _Read, rivals: Iterable[_Read]) -> bool:
    own = max(_share(sentence.around_names, place.around_names), _NEAR_TO_A_RIVAL)
    return any(_share(one.around_names, place.around_names) > own and not one.name_keys & place.keys for one in rivals)


def _share(some: frozenset[str], others: frozenset[str]) -> float:
    both = len(some & others)
    return both / max(len(some | others), 1)


def _shares(wanted: frozenset[str], present: frozenset[str], least: float) -> bool:
    return len(wanted & present) >= _least_of(wanted, least)


def _least_of(wanted: frozenset[str], least: float) -> int:
    return ceil(least * len(wanted) - 1e-9)


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
