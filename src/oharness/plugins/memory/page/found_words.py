"""Where a text holds what was searched for, so that a list can mark it. Pure."""

import re
from collections.abc import Iterable

from oharness.recall.stems import LANGUAGES, forms, function_words, language_of
from oharness.recall.words import Word, runs_of, words_of

Marks = list[list[int]]
"""Beginnings and ends, in order, none touching another."""

_RUN = re.compile(r"[^\W_]+")
_MOST_CHARS = 2000


class Sought:
    """The words of a search. A word of a text is one of them in any form, or holds the letters of one."""

    def __init__(self, query: str) -> None:
        usual = function_words(language_of(runs_of(query)))
        words = list(words_of(query))
        telling = [word for word in words if word.folded not in usual] or words
        self._keys = _keys(telling)
        typed = {part for part in query.casefold().split() if part not in usual and _is_worth_marking(part)}
        self._letters = sorted({*typed, *(word.folded for word in telling if word.is_pair)}, key=len, reverse=True)

    def marks(self, text: str) -> Marks:
        """Where the text holds something of it; nowhere behind the first 2,000 characters."""
        text = text[:_MOST_CHARS]
        found = [run.span() for run in _RUN.finditer(text) if self._keys & _keys(words_of(run[0]))]
        lowered = text.lower()
        if len(lowered) == len(text):  # else places in one are no places in the other
            found += [each.span() for letters in self._letters for each in re.finditer(re.escape(letters), lowered)]
        return _joined(sorted(found))


def _keys(words: Iterable[Word]) -> set[str]:
    return {key for word in words if not word.is_pair for key in forms(word, LANGUAGES)}


def _is_worth_marking(part: str) -> bool:
    """One letter stands everywhere; one character of Chinese is a word."""
    return len(part) > 1 or part > "\u2e7f"


def _joined(spans: list[tuple[int, int]]) -> Marks:
    joined: Marks = []
    for start, end in spans:
        if joined and start <= joined[-1][1]:
            joined[-1][1] = max(end, joined[-1][1])
        else:
            joined.append([start, end])
    return joined
