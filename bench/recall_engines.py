"""What the recall bench compares: ours, SQLite's FTS5, bm25s, tantivy and rank-bm25, all asked in the same way.

The others are helped where their users would help them: they are told the language, get its stop words and stemmer
(FTS5 has one for English only), text without spaces comes to them as overlapping pairs, and summaries and tags weigh
twice as much as bodies.
"""

import json
import re
import sqlite3
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

import bm25s
import bm25s.stopwords
import numpy
import rank_bm25
import Stemmer
import tantivy

from bench.recall_corpora import BenchNote
from bench.recall_ours import Ours

HEAD_WEIGHT = 2
_STOP_WORDS = {"en": "EN_PLUS", "fr": "FRENCH", "es": "SPANISH", "pt": "PORTUGUESE", "zh": "CHINESE"}
_ALGORITHMS = {"en": "english", "fr": "french", "es": "spanish", "pt": "portuguese"}
_WORD = re.compile(r"\w+")
_PAIRED = re.compile("[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7ff]+")
_MOST_HITS = 50
_MOST_IN_HEAD = 1000


@dataclass(frozen=True, slots=True)
class Hit:
    """A note found: how well it fits, and whether a word of the message stands in its summary or tags."""

    id: str
    score: float
    in_head: bool


class Engine(Protocol):
    """One of those compared, over one collection of notes."""

    @property
    def name(self) -> str: ...

    def build(self, notes: Sequence[BenchNote], language: str) -> None:
        """Takes in a whole collection."""
        ...

    def change(self, note: BenchNote) -> None:
        """Takes in a note in place of the one with its id."""
        ...

    def hits(self, message: str) -> list[Hit]:
        """The notes that share a word with a message, best first."""
        ...

    def first(self, message: str, count: int) -> list[str]:
        """The ids of the best notes, asked as fast as can be: what is timed."""
        ...


def engines() -> list[Engine]:
    """All of them, ours first."""
    return [Ours(), Fts5(), Bm25s(), Tantivy(), RankBm25()]


@lru_cache(maxsize=8)
def stop_words(language: str) -> frozenset[str]:
    words = getattr(import_module("bm25s.stopwords"), f"STOPWORDS_{_STOP_WORDS.get(language, 'EN_PLUS')}")
    return frozenset(fold(word) for word in words)


def fold(text: str) -> str:
    """Lower case, full-width forms folded, accents kept: the stemmers want them."""
    return unicodedata.normalize("NFKC", text).lower()


def plain_words(text: str) -> list[str]:
    """The words of a text; a stretch without spaces becomes overlapping pairs."""
    return _WORD.findall(_PAIRED.sub(lambda match: f" {' '.join(_pairs(match.group()))} ", fold(text)))


def _pairs(stretch: str) -> list[str]:
    return [first + second for first, second in pairwise(stretch)] or [stretch]


def asked_words(message: str, language: str) -> list[str]:
    """The words of a message without stop words."""
    dropped = stop_words(language)
    return list(dict.fromkeys(word for word in plain_words(message) if word not in dropped))


class _Stems:
    """Words as their stems in a told language."""

    def __init__(self, language: str) -> None:
        algorithm = _ALGORITHMS.get(language)
        self._stemmer = Stemmer.Stemmer(algorithm) if algorithm else None
        self._dropped = stop_words(language)

    def of(self, text: str) -> list[str]:
        words = [word for word in plain_words(text) if word not in self._dropped]
        return [self._stemmer.stemWord(word) for word in words] if self._stemmer else words


class Fts5:
    """SQLite's full-text search with its porter stemmer, in memory."""

    name = "FTS5"

    def __init__(self, path: str = ":memory:") -> None:
        self._path = path

    def build(self, notes: Sequence[BenchNote], language: str) -> None:
        self.open(language)
        self._database.execute(
            "CREATE VIRTUAL TABLE note USING fts5"
            "(id UNINDEXED, summary, tags, body, tokenize = 'porter unicode61 remove_diacritics 2')"
        )
        self._database.execute("CREATE TABLE place (id TEXT PRIMARY KEY, num INTEGER) WITHOUT ROWID")
        self._database.execute("BEGIN")
        for number, note in enumerate(notes):
            self._insert(number, note)
        self._database.execute("COMMIT")

    def open(self, language: str) -> None:
        self._language = language
        self._database = sqlite3.connect(self._path, isolation_level=None)
        self._database.execute("PRAGMA synchronous = OFF")

    def change(self, note: BenchNote) -> None:
        [(number,)] = self._database.execute("SELECT num FROM place WHERE id = ?", (note.id,))
        self._database.execute("BEGIN")
        self._database.execute("DELETE FROM note WHERE rowid = ?", (number,))
        self._insert(number, note)
        self._database.execute("COMMIT")

    def hits(self, message: str) -> list[Hit]:
        words = self._asked(message)
        if not words:
            return []
        gate = {row[0] for row in self._ask("SELECT id FROM note WHERE note MATCH ?", f"{{summary tags}}: ({words})")}
        return [Hit(row[0], -row[1], row[0] in gate) for row in self._ask(self._question(_MOST_HITS), words)]

    def first(self, message: str, count: int) -> list[str]:
        words = self._asked(message)
        return [row[0] for row in self._ask(self._question(count), words)] if words else []

    def close(self) -> None:
        self._database.close()

    def _insert(self, number: int, note: BenchNote) -> None:
        texts = (" ".join(plain_words(text)) for text in (note.summary, " ".join(note.tags), note.body))
        self._database.execute(
            "INSERT INTO note (rowid, id, summary, tags, body) VALUES (?, ?, ?, ?, ?)", (number, note.id, *texts)
        )
        self._database.execute("INSERT OR REPLACE INTO place VALUES (?, ?)", (note.id, number))

    def _asked(self, message: str) -> str:
        return " OR ".join(f'"{word}"' for word in asked_words(message, self._language))

    def _ask(self, question: str, words: str) -> Iterable[tuple[Any, ...]]:
        return self._database.execute(question, (words,))

    def _question(self, count: int) -> str:
        rank = f"bm25(note, 0, {HEAD_WEIGHT}, {HEAD_WEIGHT}, 1)"
        return f"SELECT id, {rank} AS rank FROM note WHERE note MATCH ? ORDER BY rank LIMIT {count}"


@dataclass
class _InMemory:
    """What the two engines that hold a list of words for each note have in common."""

    _notes: list[BenchNote] = field(default_factory=list)
    _words: list[list[str]] = field(default_factory=list)
    _heads: list[frozenset[str]] = field(default_factory=list)
    _language: str = "en"

    def build(self, notes: Sequence[BenchNote], language: str) -> None:
        self._language = language
        self._stems = _Stems(language)
        self._notes = list(notes)
        self._numbers = {note.id: number for number, note in enumerate(notes)}
        heads = [self._stems.of(" ".join([note.summary, *note.tags])) for note in notes]
        self._heads = [frozenset(head) for head in heads]
        self._words = [head * HEAD_WEIGHT + self._stems.of(note.body) for head, note in zip(heads, notes, strict=True)]
        self._index()

    def change(self, note: BenchNote) -> None:
        """Neither can take in one note: the words of all are counted again."""
        number = self._numbers[note.id]
        self._notes[number] = note
        head = self._stems.of(" ".join([note.summary, *note.tags]))
        self._heads[number] = frozenset(head)
        self._words[number] = head * HEAD_WEIGHT + self._stems.of(note.body)
        self._index()

    def hits(self, message: str) -> list[Hit]:
        asked = list(dict.fromkeys(self._stems.of(message)))
        if not asked:
            return []
        scores = self._scores(asked)
        best = numpy.argsort(-scores, kind="stable")[:_MOST_HITS]
        return [
            Hit(self._notes[at].id, float(scores[at]), not self._heads[at].isdisjoint(asked))
            for at in best
            if scores[at] > 0
        ]

    def first(self, message: str, count: int) -> list[str]:
        asked = list(dict.fromkeys(self._stems.of(message)))
        if not asked:
            return []
        scores = self._scores(asked)
        count = min(count, len(scores) - 1)
        best = numpy.argpartition(-scores, count)[:count]
        return [self._notes[at].id for at in sorted(best, key=lambda at: -scores[at]) if scores[at] > 0]

    def _index(self) -> None:
        raise NotImplementedError

    def _scores(self, asked: list[str]) -> Any:
        raise NotImplementedError


class Bm25s(_InMemory):
    """bm25s: scores counted beforehand, in sparse arrays."""

    name = "bm25s"

    def save(self, folder: Path) -> None:
        self._scorer.save(folder, corpus=None)
        (folder / "ids.json").write_text(json.dumps([note.id for note in self._notes]), encoding="utf-8")

    def load(self, folder: Path, language: str) -> None:
        """What was saved, to be asked only."""
        self._stems = _Stems(language)
        self._scorer = bm25s.BM25.load(folder, load_corpus=False)
        ids = json.loads((folder / "ids.json").read_text(encoding="utf-8"))
        self._notes = [BenchNote(note_id, "", (), "") for note_id in ids]

    def _index(self) -> None:
        self._scorer = bm25s.BM25()
        self._scorer.index(self._words, show_progress=False)

    def _scores(self, asked: list[str]) -> Any:
        known = [word for word in asked if word in self._scorer.vocab_dict]
        return self._scorer.get_scores(known) if known else numpy.zeros(len(self._notes))


class RankBm25(_InMemory):
    """rank-bm25: plain Python over numpy."""

    name = "rank-bm25"

    def _index(self) -> None:
        self._scorer = rank_bm25.BM25Okapi(self._words)

    def _scores(self, asked: list[str]) -> Any:
        return self._scorer.get_scores(asked)


class Tantivy:
    """tantivy, in memory or in a folder."""

    name = "tantivy"

    def __init__(self, folder: str | None = None) -> None:
        self._folder = folder

    def build(self, notes: Sequence[BenchNote], language: str) -> None:
        self.open(language)
        writer = self._index.writer(heap_size=100_000_000, num_threads=1)
        for note in notes:
            writer.add_document(self._document(note))
        writer.commit()
        writer.wait_merging_threads()
        self._index.reload()
        self._searcher = self._index.searcher()

    def open(self, language: str) -> None:
        self._language = language
        builder = tantivy.SchemaBuilder()
        builder.add_text_field("id", stored=True, tokenizer_name="raw")
        for name in ("head", "text"):
            builder.add_text_field(name, stored=False, tokenizer_name="words")
        self._index = tantivy.Index(builder.build(), path=self._folder)
        analyzer = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple()).filter(tantivy.Filter.lowercase())
        if language in _ALGORITHMS:
            analyzer = analyzer.filter(tantivy.Filter.stemmer(_ALGORITHMS[language]))
        self._index.register_tokenizer("words", analyzer.build())
        self._searcher = self._index.searcher()

    def change(self, note: BenchNote) -> None:
        writer = self._index.writer(heap_size=30_000_000, num_threads=1)
        writer.delete_documents("id", note.id)
        writer.add_document(self._document(note))
        writer.commit()
        self._index.reload()
        self._searcher = self._index.searcher()

    def hits(self, message: str) -> list[Hit]:
        words = " ".join(asked_words(message, self._language))
        if not words:
            return []
        gate = {note_id for note_id, _ in self._search(words, "head", _MOST_IN_HEAD)}
        found = self._search(words, "text", _MOST_HITS)
        return [Hit(note_id, score, note_id in gate) for note_id, score in found]

    def first(self, message: str, count: int) -> list[str]:
        words = " ".join(asked_words(message, self._language))
        return [found[0] for found in self._search(words, "text", count)] if words else []

    def _search(self, words: str, field: str, count: int) -> list[tuple[str, float]]:
        query = self._index.parse_query(words, [field])
        hits = self._searcher.search(query, count).hits
        return [(self._searcher.doc(address)["id"][0], score) for score, address in hits]

    def _document(self, note: BenchNote) -> Any:
        head = plain_words(" ".join([note.summary, *note.tags]))
        text = head * HEAD_WEIGHT + plain_words(note.body)
        return tantivy.Document(id=note.id, head=" ".join(head), text=" ".join(text))
