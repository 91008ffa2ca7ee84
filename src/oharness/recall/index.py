"""What an index keeps of a note for scoring, and what scoring asks of an index; keeping it is `disk.recall_index`."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from oharness.notes.entry import NoteEntry
from oharness.recall.stems import LANGUAGES, forms, language_of
from oharness.recall.words import Word, words_of

IN_SUMMARY = 1
IN_TAGS = 2
IN_BODY = 4
IN_HEAD = IN_SUMMARY | IN_TAGS


@dataclass(frozen=True, slots=True)
class NoteTerms:
    """The keys of one note, each with the fields it stands in (`IN_SUMMARY`, `IN_TAGS`, `IN_BODY` added up)."""

    language: str
    fields: Mapping[str, int]


class NoteIndex(Protocol):
    """One collection of notes as scoring sees it; a note is a small number that stays the same while open."""

    def note_count(self) -> int:
        """How many notes there are."""
        ...

    def languages(self) -> tuple[str, ...]:
        """The languages its notes are written in, English always among them."""
        ...

    def places(self, key: str) -> Mapping[int, int]:
        """The notes that hold a key, each with the fields it stands in."""
        ...

    def entry_at(self, number: int) -> NoteEntry:
        """The note with that number."""
        ...


def note_terms(summary: str, tags: Iterable[str], body: str) -> NoteTerms:
    """The keys of a note: under its own language and English, its tags under every language."""
    summary_words = list(words_of(summary))
    body_words = list(words_of(body))
    language = language_of([*summary_words, *body_words])
    own = (language,) if language == "en" else (language, "en")
    fields: dict[str, int] = {}
    _add(fields, IN_SUMMARY, summary_words, own)
    _add(fields, IN_TAGS, [word for tag in tags for word in words_of(tag)], LANGUAGES)
    _add(fields, IN_BODY, body_words, own)
    return NoteTerms(language, fields)


def _add(fields: dict[str, int], field: int, words: list[Word], languages: tuple[str, ...]) -> None:
    for word in words:
        for key in forms(word, languages):
            fields[key] = fields.get(key, 0) | field
        if word.whole:
            fields[f"={word.whole}"] = fields.get(f"={word.whole}", 0) | field
