"""How usual a word is before any note is known: the share of short texts that hold it."""

from functools import lru_cache
from importlib import import_module

from oharness.recall.usual.small_talk import SMALL_TALK
from oharness.recall.usual.work_talk import WORK_TALK

TALKED_OF_AT_WORK = 0.02
"""The least share of a word of `work_talk`: one in fifty messages, whatever the project."""
SMALL_TALK_SHARE = 0.08
"""The least share of a word of `small_talk`."""


@lru_cache(maxsize=8)
def shares(language: str) -> dict[str, float]:
    """The share of texts of fifty words that hold each usual word of a language; rare words are not listed."""
    levels: dict[float, str] = import_module(f"oharness.recall.usual.{language}").SHARES
    found = {word: share for share, words in levels.items() for word in words.split()}
    for least, talk in ((TALKED_OF_AT_WORK, WORK_TALK), (SMALL_TALK_SHARE, SMALL_TALK)):
        for word in talk[language].split():
            found[word] = max(found.get(word, 0.0), least)
    return found
