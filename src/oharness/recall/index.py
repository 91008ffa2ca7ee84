"""What an index keeps of a note for scoring, and what scoring asks of an index; keeping it is `disk.recall_index`."""

from binascii import crc32
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Protocol

from oharness.notes.entry import NoteEntry
from oharness.recall.postings import FIELD_BITS, IN_SUMMARY, IN_TAGS, SPELLINGS, Held, Sought
from oharness.recall.stems import LANGUAGES, forms, function_words, language_of
from oharness.recall.words import Word, runs_of, words_of_run

_BEGINNING = 5
_RUNS_THAT_TELL = 300


@dataclass(frozen=True, slots=True)
class NoteTerms:
    """The keys of one note with their marks, as `recall.postings` explains them."""

    language: str
    body_words: int
    marks: Mapping[str, int]


class NoteIndex(Protocol):
    """One collection of notes as scoring sees it; a note is a small number that stays the same in one view."""

    def note_count(self) -> int:
        """How many notes there are."""
        ...

    def languages(self) -> tuple[str, ...]:
        """The languages its notes are written in, English always among them."""
        ...

    def held(self, words: Sequence[Sought]) -> list[Held]:
        """The notes that hold each word."""
        ...

    def keys_from(self, beginning: str) -> list[str]:
        """The keys that begin so."""
        ...

    def long_bodies(self) -> Mapping[int, int]:
        """The notes whose bodies are longer than `LONG_BODY` words, and how many words they have."""
        ...

    def entry_at(self, number: int) -> NoteEntry | None:
        """The note with that number."""
        ...


def beginning_key(word: Word) -> str:
    """The key of the words that begin as this one does (`config`, `configuration`); empty for short ones."""
    return f"^{word.folded[:_BEGINNING]}" if word.bends and len(word.folded) >= _BEGINNING else ""


def spelling_bit(folded: str) -> int:
    """The bit of a mark that stands for one spelling; different spellings seldom share one."""
    return 1 << (FIELD_BITS + crc32(folded.encode("utf-8", "surrogatepass")) % SPELLINGS)


def note_terms(summary: str, tags: Iterable[str], body: str) -> NoteTerms:
    """The keys of a note: under its own language and English, its tags under every language."""
    summary_runs = runs_of(summary)
    body_runs = runs_of(body)
    language = language_of(chain(summary_runs, body_runs[:_RUNS_THAT_TELL]))
    own = (language,) if language == "en" else (language, "en")
    marks: dict[str, int] = {}
    in_body = list(map(_keys_in_body(language), body_runs))
    for key, spelling in dict.fromkeys(chain.from_iterable(in_body)):
        marks[key] = marks.get(key, 0) | spelling
    for run in summary_runs:
        for key, spelling in _keys_of_head_run(run, own):
            marks[key] = marks.get(key, 0) | spelling | IN_SUMMARY
    for run in chain.from_iterable(map(runs_of, tags)):
        for key, spelling in _keys_of_head_run(run, LANGUAGES):
            marks[key] = marks.get(key, 0) | spelling | IN_TAGS
    return NoteTerms(language, sum(map(len, in_body)), marks)


@lru_cache(maxsize=16384)
def _keys_of_head_run(run: str, languages: tuple[str, ...]) -> tuple[tuple[str, int], ...]:
    words = words_of_run(run)
    beginnings = ((key, spelling_bit(word.folded)) for word in words if (key := beginning_key(word)))
    return tuple(dict.fromkeys([*_keys_of_words(words, languages), *beginnings]))


@lru_cache(maxsize=8)
def _keys_in_body(language: str) -> Callable[[str], tuple[tuple[str, int], ...]]:
    """What gives the keys of a run in a body of that language."""
    holding = function_words(language)

    @lru_cache(maxsize=65536)
    def keys_of(run: str) -> tuple[tuple[str, int], ...]:
        return _keys_of_words([word for word in words_of_run(run) if word.folded not in holding], (language,))

    return keys_of


def _keys_of_words(words: Sequence[Word], languages: tuple[str, ...]) -> tuple[tuple[str, int], ...]:
    found: dict[tuple[str, int], None] = {}
    for word in words:
        bit = spelling_bit(word.folded)
        for key in forms(word, languages):
            found[key, bit] = None
        if word.whole:
            found[f"={word.whole}", spelling_bit(word.whole)] = None
    if words and words[-1].is_pair:  # its last character begins no pair, yet is looked for by its beginning
        last = words[-1].folded[-1]
        found[f"={last}", spelling_bit(last)] = None
    return tuple(found)
