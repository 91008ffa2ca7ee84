"""The words of a text that tell what it is about, each with the keys an index is asked for.

What only holds a sentence together tells nothing. All that a word needs beside the notes themselves is worked out
once and kept, since people use the same words again.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from oharness.recall.index import beginning_key, spelling_bit
from oharness.recall.postings import Sought
from oharness.recall.stems import forms, function_words, is_function_character, is_function_pair
from oharness.recall.usual.shares import shares
from oharness.recall.words import Word, runs_of, words_of_run


class Telling(NamedTuple):
    """A word that tells something, and what it is looked for under.

    `bit` is its spelling in a mark, `share` how usual it is before any note is known. `opens` says that every key that
    begins as the first one does is meant too: a character of a script without spaces that stands alone.
    """

    word: str
    sought: Sought
    bit: int
    share: float
    opens: bool


_MOST_KNOWN_RUNS = 16_384
_Words = dict[tuple[str, bool], Telling]
"""Words by what makes one the same as another: its letters, and whether it bends."""


def telling_words(text: str, languages: tuple[str, ...]) -> list[Telling]:
    """The telling words of a text as notes in these languages would hold them, each once, in their order."""
    known = _known_runs(languages)
    found: _Words = {}
    runs = runs_of(text)
    for run in runs:
        words = known.get(run)
        if words is None:
            words = known[run] = _telling(words_of_run(run), languages)
        found.update(words)
    if len(known) > _MOST_KNOWN_RUNS:
        known.clear()
    if not text.isascii():
        found.update(_telling(_single_characters(chain.from_iterable(map(words_of_run, runs))), languages))
    return list(found.values())


@lru_cache(maxsize=4)
def _known_runs(languages: tuple[str, ...]) -> dict[str, _Words]:
    """What was worked out already; a plain dictionary, since a cache that keeps an order touches more memory."""
    return {}


def _telling(words: Iterable[Word], languages: tuple[str, ...]) -> _Words:
    return {(word.text, word.bends): _known_of(word, languages) for word in words if not _only_holds(word, languages)}


def _only_holds(word: Word, languages: tuple[str, ...]) -> bool:
    """Whether a word only holds sentences together."""
    if not word.bends:
        return word.is_pair and is_function_pair(word)
    return any([word.folded in function_words(language) for language in languages])


def _known_of(word: Word, languages: tuple[str, ...]) -> Telling:
    folded = word.folded
    keys = forms(word, languages)
    if word.whole:
        keys = (*keys, f"={word.whole}")
    if word.bends:
        keys = (*keys, f"={folded}")
    opens = word.is_pair and len(folded) == 1
    sought = Sought(keys, beginning_key(word))
    return Telling(folded, sought, spelling_bit(folded), _share(word, languages), opens)


def _share(word: Word, languages: tuple[str, ...]) -> float:
    if word.is_pair:
        return shares("zh").get(word.folded, 0.0)
    return max([shares(language).get(word.folded, 0.0) for language in languages])


def _single_characters(words: Iterable[Word]) -> Iterator[Word]:
    """Characters that stand alone among those that hold a sentence together: `我的猫` is about `猫`."""
    run = ""
    for word in chain(words, [None]):
        pair = word.folded if word is not None and word.is_pair else ""
        if len(pair) == 2 and run.endswith(pair[0]):
            run += pair[1]
            continue
        spaced = "".join(" " if is_function_character(char) else char for char in run)
        yield from (Word(char, char, bends=False) for char in spaced.split() if len(char) == 1)
        run = pair if len(pair) == 2 else ""
