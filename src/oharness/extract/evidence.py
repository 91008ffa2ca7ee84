"""Whether what a note says was said: its numbers, addresses and most of its words stand in the material.

A small model invents, and a hostile one repeats what it was told to; neither can be seen from the answer alone.
"""

import re
import unicodedata
from collections.abc import Iterable

from oharness.recall.stems import LANGUAGES, forms, function_words
from oharness.recall.words import words_of

LEAST_SHARE = 0.4
"""How many of a note's telling words have to stand in the material; the others are the model's own wording."""

LEAST_SHARE_OF_BODY = 0.25
"""The same for a body alone, in which more is the model's own wording."""

_DATE = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_DIGITS = re.compile(r"\d+")
_ADDRESS = re.compile(
    r"(?:https?://|www\.)([A-Za-z0-9.-]+)|(?<![\w.+-])[\w.+-]{1,64}@([A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)"
)
_LONE_DIGITS = 1


class Material:
    """Everything that a note may be made from: what was said, and for an update the note as it was."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._text = "\n".join(map(_folded, texts))
        self._digits = frozenset(_DIGITS.findall(self._text))
        self._stems = _stems(self._text)

    def unsaid_values(self, text: str) -> tuple[str, ...]:
        """The numbers and addresses of a text that stand nowhere in the material. Dates may have been worked out."""
        folded = _folded(text)
        hosts = [match[1] or match[2] for match in _ADDRESS.finditer(folded)]
        unsaid = [host for host in hosts if host.strip(".-") not in self._text]
        numbers = _DIGITS.findall(_DATE.sub(" ", folded))
        return (*unsaid, *(one for one in numbers if len(one) > _LONE_DIGITS and one not in self._digits))

    def share_said(self, text: str) -> float:
        """How many of a text's telling words stand in the material, in whatever form, from 0 to 1."""
        telling = [found for found in map(_stems, _telling(text)) if found]
        held = sum(bool(found & self._stems) for found in telling)
        return held / len(telling) if telling else 0.0


def telling_words(text: str) -> int:
    """How many different words of a text say something."""
    return len(_telling(text))


def _telling(text: str) -> set[str]:
    holding = frozenset().union(*map(function_words, LANGUAGES))
    return {word.folded for word in words_of(text) if word.folded not in holding}


def _stems(text: str) -> frozenset[str]:
    return frozenset(form for word in words_of(text) for form in forms(word, LANGUAGES))


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
