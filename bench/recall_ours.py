"""The product's own recall, as the bench asks it: its index, its score and its choice, nothing made again here."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bench.recall_corpora import BenchNote
from oharness.core.clock import Millis
from oharness.core.scopes import ScopeKind
from oharness.disk.recall_index import RecallIndex
from oharness.notes.entry import FileStamp, NoteEntry
from oharness.recall.choose import RecallLimits, attached, choose
from oharness.recall.score import Candidate, Source, candidates, fitting

if TYPE_CHECKING:
    from bench.recall_engines import Hit

DEFAULTS = RecallLimits(per_turn=3, budget_chars=2000, min_score=1.2)
_LONG_AGO = 1_789_000_000_000


class Ours:
    """The recall index of one collection, in memory or in a file."""

    name = "oHarness"

    def __init__(self, path: Path | None = None) -> None:
        self._path = path

    def build(self, notes: Sequence[BenchNote], language: str) -> None:
        """Takes in a whole collection; the language is for the index to find."""
        self.open(language)
        self._index.update(((_entry(note), note.body) for note in notes), [], [])

    def open(self, language: str) -> None:
        self._index = RecallIndex.open(self._path)

    def change(self, note: BenchNote) -> None:
        self._index.update([(_entry(note), note.body)], [], [])

    def candidates(self, message: str) -> list[Candidate]:
        """All that shares a word with the message, so that other thresholds can be tried."""
        with self._index.reading():
            return candidates(message, [Source(ScopeKind.PROJECT, self._index, {})])

    def hits(self, message: str) -> "list[Hit]":
        from bench.recall_engines import Hit

        return [Hit(one.entry.id, one.score, one.in_head) for one in self.candidates(message)]

    def first(self, message: str, count: int) -> list[str]:
        """What is attached at the shipped defaults, asked as recall asks."""
        with self._index.reading():
            found = fitting(message, [Source(ScopeKind.PROJECT, self._index, {})], DEFAULTS.min_score)
        return attached_ids(found, DEFAULTS)[:count]

    def close(self) -> None:
        self._index.close()


def attached_ids(found: Sequence[Candidate], limits: RecallLimits) -> list[str]:
    """The notes that the product's choice attaches."""
    return [one.entry.id for one in attached(choose(found, limits, ()))]


def _entry(note: BenchNote) -> NoteEntry:
    size = len(note.body.encode())
    stamp = FileStamp(f"{note.id}.md", _LONG_AGO * 1_000_000, size, 1)
    moment = Millis(_LONG_AGO)
    return NoteEntry(stamp, note.id, note.summary, None, note.tags, moment, moment, "", size, ())
