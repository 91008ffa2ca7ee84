"""Where a text holds what was searched for, so that a list can mark it, and the piece of a body that shows it. Pure."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from oharness.recall.stems import LANGUAGES, forms, function_words, language_of
from oharness.recall.words import Word, runs_of, words_of

Marks = list[list[int]]
"""Beginnings and ends, in order, none touching another."""

_RUN = re.compile(r"[^\W_]+")
_MOST_CHARS = 2000
_MOST_BODY_CHARS = 20_000
_BEFORE_CHARS = 40
_EXCERPT_CHARS = 160
_MARKUP = re.compile(r"^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+|```.*$)|\*\*|`", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A piece of a body on one line, and where it holds what was sought."""

    text: str
    marks: Marks


class Sought:
    """The words of a search. A word of a text is one of them in any form, or holds the letters of one."""

    def __init__(self, query: str) -> None:
        usual = function_words(language_of(runs_of(query)))
        words = list(words_of(query))
        telling = [word for word in words if word.folded not in usual] or words
        self._keys = _keys(telling)
        self._run_of_body = _runs_that_may_be(telling)
        typed = {part for part in query.casefold().split() if part not in usual and _is_worth_marking(part)}
        self._letters = sorted({*typed, *(word.folded for word in telling if word.is_pair)}, key=len, reverse=True)
        self._known: dict[str, bool] = {}

    def marks(self, text: str) -> Marks:
        """Where the text holds something of it; nowhere behind the first 2,000 characters."""
        return self._marks(text[:_MOST_CHARS], _RUN)

    def excerpt(self, body: str) -> Excerpt | None:
        """The piece of a body that holds most of it, as text without Markdown; None where the body holds nothing."""
        text = " ".join(_MARKUP.sub("", body[:_MOST_BODY_CHARS]).split())
        marks = self._marks(text, self._run_of_body)
        if not marks:
            return None
        start, end = _window(text, marks)
        before, after = "…" if start else "", "…" if end < len(text) else ""
        shift = len(before) - start
        shown = [[first + shift, min(last, end) + shift] for first, last in marks if start <= first < end]
        return Excerpt(f"{before}{text[start:end]}{after}", shown)

    def _marks(self, text: str, runs: re.Pattern[str]) -> Marks:
        found = [run.span() for run in runs.finditer(text) if self._is_sought(run[0])]
        lowered = text.lower()
        if len(lowered) == len(text):  # else places in one are no places in the other
            found += [each.span() for letters in self._letters for each in re.finditer(re.escape(letters), lowered)]
        return _joined(sorted(found))

    def _is_sought(self, run: str) -> bool:
        known = self._known.get(run)
        if known is None:  # asked of every word of a long text: each is stemmed once
            known = self._known[run] = bool(self._keys & _keys(words_of(run)))
        return known


def _window(text: str, marks: Marks) -> tuple[int, int]:
    """The first stretch with the most marks in it, between two words where there are spaces."""
    room = _EXCERPT_CHARS - _BEFORE_CHARS
    first = max(marks, key=lambda mark: sum(mark[0] <= other[0] < mark[0] + room for other in marks))[0]
    start = max(0, min(first - _BEFORE_CHARS, len(text) - _EXCERPT_CHARS))
    if start and (space := text.find(" ", start, first)) >= 0:
        start = space + 1
    end = min(len(text), start + _EXCERPT_CHARS)
    if end < len(text) and (space := text.rfind(" ", first + 1, end)) > end - _BEFORE_CHARS:
        end = space
    return start, end


def _runs_that_may_be(words: Iterable[Word]) -> re.Pattern[str]:
    """Words of a long text that begin as one of these does, accents aside: no form of a word begins otherwise."""
    initials = "".join(
        sorted({word.folded[0] for word in words if word.folded[0].isascii() and word.folded[0].isalnum()})
    )
    begins = rf"[{initials}]|" if initials else ""
    return re.compile(rf"(?<![^\W_])(?:{begins}[^\W_\x00-\x7f])[^\W_]*", re.IGNORECASE)


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
