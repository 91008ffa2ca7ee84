"""Knowing a forgotten note again without keeping what it said (docs/adr/0061-fingerprints-of-forgotten-notes.md).

Each telling word of the note becomes one of 4,096 numbers under a salt of this machine. A number stands for dozens of
words of any dictionary, so that the words cannot be read back; a note that says the same again has the same numbers.
"""

import hashlib
import hmac
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from oharness.recall.stems import stem_set

SHARE_OF_HEAD = 0.6
"""How much of a forgotten note's summary another has to say, and how much of that one's own, to be the same."""

_BUCKETS = 4096
_FEWEST_WORDS = 2
_SENTENCE_SHARE = 0.75
_SENTENCE_WORDS = 3


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Of one note: the numbers of its summary's words, and of all its words."""

    head: frozenset[int]
    whole: frozenset[int]


def fingerprint_of(summary: str, tags: Iterable[str], body: str, salt: bytes) -> Fingerprint:
    """The fingerprint of a note under a salt."""
    head = _numbers(stem_set(summary), salt)
    return Fingerprint(head, head | _numbers(stem_set(f"{' '.join(tags)}\n{body}"), salt))


def says_what_was_forgotten(summary: str, tags: Iterable[str], body: str, known: Fingerprint, salt: bytes) -> bool:
    """Whether a new note says what the forgotten one said; another number in its summary is something new."""
    found, figures = _marked(summary, tuple(tags), body, salt)
    if len(known.head) < _FEWEST_WORDS or len(found.head) < _FEWEST_WORDS:
        return bool(known.head) and found.head == known.head
    if not figures <= known.whole:
        return False
    said = len(known.head & found.whole) / len(known.head)
    own = len(found.head & known.whole) / len(found.head)
    return said >= SHARE_OF_HEAD and own >= SHARE_OF_HEAD


@lru_cache(maxsize=64)
def _marked(summary: str, tags: tuple[str, ...], body: str, salt: bytes) -> tuple[Fingerprint, frozenset[int]]:
    """A note's fingerprint and the numbers of the figures in its summary: asked again for each that is known."""
    return fingerprint_of(summary, tags, body, salt), _numbers(_figures(summary), salt)


def sentence_tells(sentence: str, known: Fingerprint, salt: bytes) -> bool:
    """Whether one sentence of any text says what the forgotten note's summary said, or little but a part of it."""
    if len(known.head) < _SENTENCE_WORDS:
        return False
    own = _numbers(stem_set(sentence), salt)
    shared = len(known.head & own)
    return shared >= _SENTENCE_WORDS and shared / min(len(known.head), len(own)) >= _SENTENCE_SHARE


def _figures(text: str) -> Iterable[str]:
    return [one for one in stem_set(text) if re.search(r"\d", one)]


def _numbers(stems: Iterable[str], salt: bytes) -> frozenset[int]:
    # a stem's language is a guess that a longer text may turn: the word counts, not the guess
    return frozenset(_number(stem.partition(":")[2] or stem, salt) for stem in stems)


def _number(word: str, salt: bytes) -> int:
    digest = hmac.new(salt, word.encode("utf-8", "surrogatepass"), hashlib.sha256).digest()
    return int.from_bytes(digest[:4], "big") % _BUCKETS
