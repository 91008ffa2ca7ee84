"""Made-up notes of 200 words and messages about them, out of English as it is spoken and many rare words."""

import random
from collections.abc import Sequence
from itertools import accumulate

from bench.recall_corpora import BenchNote
from oharness.recall.usual.shares import shares

WORDS = 200
_SUMMARY_WORDS = 10
_TAGS = 3
_RARE_WORDS = 30_000
_SHARE_OF_RARE = 0.35
_VOWELS, _CONSONANTS = "aeiou", "bcdfghjklmnprstvwz"


class Talk:
    """Words drawn as often as they are used: usual ones by their shares, rare ones by their rank."""

    def __init__(self, seed: int = 7) -> None:
        self._chance = random.Random(seed)
        usual = shares("en")
        self._usual = list(usual)
        self._usual_weights = list(accumulate(usual.values()))
        self._rare = list(dict.fromkeys(self._made_up() for _ in range(_RARE_WORDS)))
        self._rare_weights = list(accumulate(1 / (rank + 20) for rank in range(len(self._rare))))

    def note(self, number: int) -> BenchNote:
        words = [self._word() for _ in range(WORDS - _TAGS)]
        tags = tuple(dict.fromkeys(self._rare_word() for _ in range(_TAGS)))
        summary, body = " ".join(words[:_SUMMARY_WORDS]), " ".join(words[_SUMMARY_WORDS:])
        return BenchNote(f"note-{number:05}", summary, tags, body)

    def message(self, notes: Sequence[BenchNote]) -> str:
        """Ten words: some of a note's summary, tags and body among others; every third is about nothing there is."""
        words = [self._word() for _ in range(6)]
        if self._chance.random() < 2 / 3:
            note = self._chance.choice(notes)
            words += [*self._chance.sample(note.summary.split(), 3), self._chance.choice(note.tags)]
        else:
            words += [self._word() for _ in range(4)]
        self._chance.shuffle(words)
        return " ".join(words)

    def _word(self) -> str:
        return self._rare_word() if self._chance.random() < _SHARE_OF_RARE else self._usual_word()

    def _usual_word(self) -> str:
        return self._chance.choices(self._usual, cum_weights=self._usual_weights)[0]

    def _rare_word(self) -> str:
        return self._chance.choices(self._rare, cum_weights=self._rare_weights)[0]

    def _made_up(self) -> str:
        syllables = self._chance.randint(2, 4)
        return "".join(self._chance.choice(_CONSONANTS) + self._chance.choice(_VOWELS) for _ in range(syllables))
