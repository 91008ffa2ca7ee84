"""What an index keeps of a note for scoring, and what scoring asks of an index; keeping it is `disk.recall_index`."""

from array import array
from binascii import crc32
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from oharness.notes.entry import NoteEntry
from oharness.recall.stems import LANGUAGES, forms, function_words, language_of
from oharness.recall.words import Word, runs_of, words_of_run

IN_SUMMARY = 1
IN_TAGS = 2
FIELD_BITS = 2
_SPELLINGS = 14
_BEGINNING = 5


@dataclass(frozen=True, slots=True)
class NoteTerms:
    """The keys of one note.

    `head` holds those of its summary and tags, `body` those of its body; the values are marks: fields in the lowest
    bits (`IN_SUMMARY`, `IN_TAGS`; none in `body`), above them a bit for each spelling the key stands for here.
    """

    language: str
    body_words: int
    head: Mapping[str, int]
    body: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Postings:
    """The notes that hold one key: ascending numbers, and beside each its mark as in `NoteTerms`."""

    count: int
    head_numbers: "array[int]"
    head_marks: "array[int]"
    body_numbers: "array[int]"
    body_marks: "array[int]"


class NoteIndex(Protocol):
    """One collection of notes as scoring sees it; a note is a small number that stays the same in one view."""

    def note_count(self) -> int:
        """How many notes there are."""
        ...

    def languages(self) -> tuple[str, ...]:
        """The languages its notes are written in, English always among them."""
        ...

    def postings_of(self, keys: Iterable[str]) -> Mapping[str, Postings]:
        """The notes of each key that any note holds."""
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


LONG_BODY = 400


def beginning_key(word: Word) -> str:
    """The key of the words that begin as this one does (`config`, `configuration`); empty for short ones."""
    return f"^{word.folded[:_BEGINNING]}" if word.bends and len(word.folded) >= _BEGINNING else ""


def spelling_bit(folded: str) -> int:
    """The bit of a mark that stands for one spelling; different spellings seldom share one."""
    return 1 << (FIELD_BITS + crc32(folded.encode("utf-8", "surrogatepass")) % _SPELLINGS)


def note_terms(summary: str, tags: Iterable[str], body: str) -> NoteTerms:
    """The keys of a note: under its own language and English, its tags under every language."""
    summary_runs = list(runs_of(summary))
    body_runs = list(runs_of(body))
    language = language_of(word for run in [*summary_runs, *body_runs[:300]] for word in words_of_run(run))
    own = (language,) if language == "en" else (language, "en")
    head: dict[str, int] = {}
    for run in summary_runs:
        _add(head, _keys_of_head_run(run, own), IN_SUMMARY)
    for tag in tags:
        for run in runs_of(tag):
            _add(head, _keys_of_head_run(run, LANGUAGES), IN_TAGS)
    text: dict[str, int] = {}
    length = 0
    for run in body_runs:
        keys = _keys_of_body_run(run, own)
        length += len(keys)
        _add(text, keys, 0)
    return NoteTerms(language, length, head, text)


def _add(found: dict[str, int], keys: tuple[tuple[str, int], ...], field: int) -> None:
    for key, spelling in keys:
        found[key] = found.get(key, 0) | field | spelling


@lru_cache(maxsize=16384)
def _keys_of_head_run(run: str, languages: tuple[str, ...]) -> tuple[tuple[str, int], ...]:
    words = words_of_run(run)
    beginnings = ((key, spelling_bit(word.folded)) for word in words if (key := beginning_key(word)))
    return tuple(dict.fromkeys([*_keys_of_words(words, languages), *beginnings]))


@lru_cache(maxsize=32768)
def _keys_of_body_run(run: str, languages: tuple[str, ...]) -> tuple[tuple[str, int], ...]:
    holding = function_words(languages[0])
    return _keys_of_words(tuple(word for word in words_of_run(run) if word.folded not in holding), languages[:1])


def _keys_of_words(words: tuple[Word, ...], languages: tuple[str, ...]) -> tuple[tuple[str, int], ...]:
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
