"""The values in a note's summary and tags: what two notes of one subject have in common, or else are not one.

Numbers, versions and dates (every word with a digit), colours, days, whether it says that something is not so, and
names: listed ones, and words that are written with a capital where their place does not ask for one.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from oharness.recall.stems import LANGUAGES, function_words, stem
from oharness.recall.usual.shares import shares
from oharness.recall.words import fold, words_of, words_of_run
from oharness.tidy.negation import says_no
from oharness.tidy.telling_words import HAN_VALUES, VALUES, value_in_one_form

_HAN_VALUE = re.compile(HAN_VALUES)
_WIDE = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff]")
_SPOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_SENTENCE_END = re.compile(r"[.!?:;—–]\s*[\"'“«(\[]?$|^\W*$")
_DENIES = "!"
_MOST_CAPITALS = 0.6
_LOOKED_BACK = 6
_LONGEST_SUBSTITUTE = 4
_LEAST_FRAME = 4


@dataclass(frozen=True, slots=True)
class Values:
    """`hard` have to be the same in both notes; each of `names` has to be among the other's `words`, bent or not."""

    hard: frozenset[str]
    names: frozenset[str]
    words: frozenset[str]
    wide: str


def values_of(summary: str, tags: Iterable[str]) -> Values:
    """The values of one note."""
    text = " ".join([summary, *tags])
    words = list(words_of(text))
    folded = {word.folded for word in words}
    forms = map(value_in_one_form, folded)
    hard = {one for one in forms if one in VALUES or any(char.isdigit() for char in one)}
    hard |= {word.folded for word in words if not word.bends and not word.is_pair}
    wide = fold(summary) if _WIDE.search(summary) else ""
    if wide or _WIDE.search(text):
        hard |= set(_HAN_VALUE.findall(fold(text)))
    if says_no(summary):
        hard.add(_DENIES)
    return Values(frozenset(hard), _names(summary), frozenset(folded), wide)


def differ(some: Values, others: Values) -> bool:
    """Whether two notes speak of different values."""
    return (
        some.hard != others.hard
        or _is_unknown(some.names, others.words)
        or _is_unknown(others.names, some.words)
        or _is_substituted(some.wide, others.wide)
    )


def _is_unknown(names: frozenset[str], words: frozenset[str]) -> bool:
    return any(name not in words and not _is_bent(name, words) for name in names)


def _is_bent(name: str, words: frozenset[str]) -> bool:
    return any(stem(name, one) == stem(word, one) for one in LANGUAGES[:3] for word in words if word[0] == name[0])


def _names(summary: str) -> frozenset[str]:
    """The words that a capital makes names; none where nearly all words have one, as in a title."""
    spoken = list(_SPOKEN.finditer(summary))
    capital = [one for one in spoken if one.group()[0].isupper()]
    if len(spoken) > 3 and len(capital) > _MOST_CAPITALS * len(spoken):
        capital = [one for one in capital if not one.group().istitle()]
    found: set[str] = set()
    for one in capital:
        word = one.group()
        begins = _SENTENCE_END.search(summary[max(0, one.start() - _LOOKED_BACK) : one.start()]) is not None
        if begins and word.istitle() and _is_usual(word):
            continue
        found.update(part.folded for part in words_of_run(word) if not _is_function(part.folded))
    return frozenset(found)


def _is_usual(word: str) -> bool:
    """Whether a word at the beginning of a sentence may be one like any other: usual, or bent as verbs are."""
    folded = fold(word)
    return any(folded in shares(one) or _stem_is_usual(folded, one) for one in LANGUAGES[:3]) or _is_function(folded)


def _stem_is_usual(folded: str, language: str) -> bool:
    return stem(folded, language) in _usual_stems(language)


@lru_cache(maxsize=8)
def _usual_stems(language: str) -> frozenset[str]:
    return frozenset(stem(word, language) for word in shares(language))


def _is_function(folded: str) -> bool:
    return any(folded in function_words(language) for language in LANGUAGES[:3])


def _is_substituted(some: str, others: str) -> bool:
    """Whether two Chinese sentences are the same but for a few characters that one has where the other has others."""
    if not some or not others or some == others:
        return False
    shorter = min(len(some), len(others))
    start = next((at for at in range(shorter) if some[at] != others[at]), shorter)
    rest = shorter - start
    end = next((at for at in range(rest) if some[-1 - at] != others[-1 - at]), rest)
    left, right = some[start : len(some) - end], others[start : len(others) - end]
    is_short = 0 < len(left) <= _LONGEST_SUBSTITUTE and 0 < len(right) <= _LONGEST_SUBSTITUTE
    return is_short and start + end >= _LEAST_FRAME
