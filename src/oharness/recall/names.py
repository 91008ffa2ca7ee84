"""The names in what somebody said: words with a large letter where the language writes small ones.

Nearly every note about a person, a client or a project may hold the name, so that it tells little of which note is
meant; but a message that says it is about them, and one that says another name is not.
"""

import math
import re
from collections.abc import Iterator, Mapping
from itertools import chain

from oharness.recall.stems import language_of
from oharness.recall.words import runs_of, words_of_run

_CASED = "A-Za-z\u00c0-\u024f\u0370-\u052f\u1e00-\u1fff"
_WORD = re.compile(rf"[{_CASED}]+(?:['\u2019-][{_CASED}]+)*")
_OF_OTHER_SCRIPTS = re.compile(rf"[^\W\d_{_CASED}]+")
_STARTS_A_SENTENCE = re.compile(r"(?:^|[.!?:;\u2026\u3002\uff01\uff1f\n\"\u201c\u00ab\u00bf\u00a1(*#>])\W*\Z")
_ONE_NAME = re.compile(r"[ \u00a0]")
_LARGE_NOUNS = frozenset({"de"})
_LOOK_BACK = 8


def names_in(said: str) -> Mapping[str, float]:
    """The folded words of names, each with its part of the name: 1 for a name of one word, `1/√n` for one of n.

    None where large letters say nothing: in German, where nouns have them, and where most words do, as in a title.
    The first word of a sentence is not taken for one.
    """
    if said.islower():
        return {}
    written = list(_WORD.finditer(said))
    small = sum(match.group()[0].islower() for match in written) + len(_OF_OTHER_SCRIPTS.findall(said))
    if len(written) > 2 * small:
        return {}
    names = list(_runs_of_large_words(said, written))
    if not names or language_of(runs_of(said)) in _LARGE_NOUNS:
        return {}
    parts: dict[str, float] = {}
    for name in names:
        words = list(dict.fromkeys(word.folded for word in chain.from_iterable(map(words_of_run, name))))
        parts.update(dict.fromkeys(words, 1 / math.sqrt(len(words))))
    return parts


def _runs_of_large_words(said: str, written: list[re.Match[str]]) -> Iterator[list[str]]:
    name: list[str] = []
    end = 0
    for match in written:
        large = match.group()[0].isupper() and len(match.group()) > 1
        if name and not (large and _ONE_NAME.fullmatch(said[end : match.start()])):
            yield name
            name = []
        if large and (name or not _STARTS_A_SENTENCE.search(said[max(0, match.start() - _LOOK_BACK) : match.start()])):
            name.append(match.group())
        end = match.end()
    if name:
        yield name
