"""The words of a text that tell what it is about, each with the keys an index is asked for.

What only holds a sentence together tells nothing. What a usual word needs beside the notes themselves is worked out
once and kept, since it comes in every other message; a rare one would only fill memory.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from oharness.recall.index import beginning_key, spelling_bit
from oharness.recall.stems import forms, function_words, is_function_character, is_function_pair
from oharness.recall.usual.shares import shares
from oharness.recall.words import Word, runs_of, words_of_run

_MOST_USUAL_RUNS = 16_384


class Telling(NamedTuple):
    """A word that tells something, to be looked for in an index as `Sought` there.

    `spelled` is what makes it the same as another word of the text. `bit` is its spelling in a mark, `share` how usual
    it is before any note is known. `opens` says that every key that begins as the first one does is meant too: a
    character of a script without spaces that stands alone.
    """

    spelled: str
    word: str
    keys: tuple[str, ...]
    beginning: str
    bit: int
    share: float
    opens: bool


def telling_words(text: str, languages: tuple[str, ...]) -> list[Telling]:
    """The telling words of a text as notes in these languages would hold them, each once, in their order."""
    usual = _usual_runs(languages)
    runs = runs_of(text)
    found: dict[str, Telling] = {}
    for run in runs:
        words = usual.get(run)
        if words is None:
            words = _telling(words_of_run(run), languages)
            if all([word.share for word in words]):
                usual[run] = words
        for word in words:
            found[word.spelled] = word
    if not text.isascii():
        for word in _telling(_single_characters(chain.from_iterable(map(words_of_run, runs))), languages):
            found[word.spelled] = word
    if len(usual) > _MOST_USUAL_RUNS:
        usual.clear()
    return list(found.values())


@lru_cache(maxsize=4)
def _usual_runs(languages: tuple[str, ...]) -> dict[str, list[Telling]]:
    """What was worked out for usual words, by their runs."""
    return {}


def _telling(words: Iterable[Word], languages: tuple[str, ...]) -> list[Telling]:
    return [_known_of(word, languages) for word in words if not _only_holds(word, languages)]


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
    return Telling(
        word.text if word.bends else f"={word.text}",
        folded,
        keys,
        beginning_key(word),
        spelling_bit(folded),
        _share(word, languages),
        opens=word.is_pair and len(folded) == 1,
    )


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
