"""Where a text tells of one note, and the text without it: what forgetting everywhere takes out of conversations.

Taken out are the note's own lines, sentences that say what its summary or one of its lines says, and its id. All other
words stay.
"""

import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from oharness.core.jsontext import parse_json
from oharness.extract.fingerprint import Fingerprint, sentence_tells
from oharness.recall.attachment import defuse
from oharness.recall.stems import LANGUAGES, stem, stem_set
from oharness.recall.usual.shares import shares
from oharness.recall.words import fold

GONE = "(forgotten)"
"""Stands where words were taken out."""

_SENTENCE = re.compile(r"[^.!?。！？\n]*(?:[.!?。！？](?![\s]|$)[^.!?。！？\n]*)*(?:[.!?。！？]+|\n|$)")
_LONGEST_SENTENCE = 600
_SHORTEST_LINE = 8
_SHORTEST_WIDE_LINE = 4
_WIDE = re.compile("[\u3040-\u9fff\uac00-\ud7af]")
_WORD = re.compile(r"\w{3,}")
_SHARE = 0.75
_FEWEST_SHARED = 3
_OWN_SHARE = 0.75
_LONGEST_SAYING = 25
_BEGINNING = 4


@dataclass(frozen=True, slots=True)
class Version:
    """What one version of the note said."""

    summary: str
    body: str


class Sought:
    """One note, known by its id, its versions as far as they are still somewhere, and its fingerprints."""

    def __init__(
        self, note_id: str, versions: Iterable[Version], fingerprints: Sequence[tuple[Fingerprint, bytes]] = ()
    ) -> None:
        self.note_id = note_id
        self._fingerprints = fingerprints
        lines = {line for version in versions for line in _lines(version)}
        self._sayings = [stems for line in lines if len(stems := _words(line)) > 1]
        told = frozenset().union(*self._sayings, *(_words(line) for line in lines))
        self._beginnings = frozenset(stem[:_BEGINNING] for stem in told)
        self._unusual = frozenset(stem for stem in told if _is_unusual(stem))
        needles = sorted({*lines, *map(defuse, lines)}, key=lambda line: (-len(line), line))
        self.needles = tuple(needles)
        self._exact = _pattern(needles)
        self._id = re.compile(rf"(?<![A-Za-z0-9_-]){re.escape(note_id)}(?![A-Za-z0-9_-])")
        block = rf'<note id="{re.escape(note_id)}"[^>]*>.*?</note>'
        linked = rf"^- \[{re.escape(note_id)}\][^\n]*"
        self._attached = re.compile(f"{block}|{linked}", re.DOTALL | re.MULTILINE)

    def is_told_by(self, text: str) -> bool:
        """Whether anything would be taken out of the text."""
        return self.without(text) != text

    def holds_its_words(self, text: str) -> bool:
        """Whether a text tells of the note in words; its id alone tells nothing that must go."""
        return self._without_words(text) != text

    def without(self, text: str) -> str:
        """The text without what tells of the note."""
        return self._id.sub(GONE, self._without_words(text))

    def _without_words(self, text: str) -> str:
        if self.note_id in text:
            text = self._attached.sub(GONE, text)
        if self._exact is not None:
            text = self._exact.sub(GONE, text)
        return self._without_sentences(text)

    def _without_sentences(self, text: str) -> str:
        if not (self._fingerprints or self._may_share_words(text)):
            return text
        pieces = []
        for match in _SENTENCE.finditer(text):
            sentence = match.group()
            end = re.search(r"\s*$", sentence)
            tells = len(sentence) <= _LONGEST_SENTENCE and self._tells(sentence)
            pieces.append(GONE + (end.group() if end else "") if tells else sentence)
        return "".join(pieces)

    def _may_share_words(self, text: str) -> bool:
        """A quick look, since most texts of most conversations have nothing to do with the note."""
        folded = fold(text)
        found = (beginning in folded for beginning in self._beginnings)
        return sum(1 for one in found if one) > 1 or any(stem.strip("=") in folded for stem in self._unusual)

    def _tells(self, sentence: str) -> bool:
        if not _WORD.search(sentence) and not _WIDE.search(sentence):
            return False
        words = _words(sentence)
        if any(_shares_enough(saying, words) or self._repeats(saying, words) for saying in self._sayings):
            return True
        return any(sentence_tells(sentence, known, salt) for known, salt in self._fingerprints)

    def _repeats(self, saying: frozenset[str], words: frozenset[str]) -> bool:
        """Whether a sentence says nothing but a part of it: "it is 4711" gives the whole away."""
        shared = saying & words
        if len(saying) > _LONGEST_SAYING or len(shared) < _OWN_SHARE * len(words):
            return False
        return len(shared) >= _FEWEST_SHARED or (shared == words and bool(shared & self._unusual))


def cleaned(value: Any, sought: Sought) -> Any:
    """A JSON value with every text in it, but for keys, without what tells of the note."""
    match value:
        case str():
            return sought.without(value)
        case list():
            return [cleaned(one, sought) for one in value]
        case dict():
            return {key: cleaned(one, sought) for key, one in value.items()}
        case _:
            return value


def cleaned_record(value: Any, sought: Sought, calls: Container[str]) -> Any:
    """The same for a record of a transcript: nothing is left of calls about the note itself, nor of its attachment."""
    match value:
        case {"type": "call", "callId": str(call), "arguments": dict(arguments)} if call in calls:
            return {**value, "arguments": dict.fromkeys(arguments, GONE)}
        case {"type": "result", "callId": str(call)} if call in calls:
            return {**value, "text": GONE, "data": {}}
        case {"recalled": list(recalled)}:
            kept = [one for one in recalled if not (isinstance(one, dict) and one.get("id") == sought.note_id)]
            others = {key: cleaned_record(one, sought, calls) for key, one in value.items() if key != "recalled"}
            return {**others, "recalled": cleaned(kept, sought)}
        case list():
            return [cleaned_record(one, sought, calls) for one in value]
        case dict():
            return {key: cleaned_record(one, sought, calls) for key, one in value.items()}
        case _:
            return cleaned(value, sought)


def calls_about(records: Iterable[Any], note_id: str) -> frozenset[str]:
    """The calls of tools that wrote, read or deleted exactly this note."""
    blocks = [block for record in records if isinstance(record, dict) for block in _listed(record.get("blocks"))]
    return frozenset(str(block.get("callId")) for block in blocks if _names(block, note_id))


def _names(block: dict[str, Any], note_id: str) -> bool:
    about = block.get("arguments") if block.get("type") == "call" else block.get("data")
    return isinstance(about, dict) and about.get("id") == note_id


def _listed(raw: Any) -> list[dict[str, Any]]:
    return [one for one in raw if isinstance(one, dict)] if isinstance(raw, list) else []


def parsed(line: str) -> Any:
    """The JSON value on a line; None where there is none."""
    try:
        return parse_json(line)
    except (ValueError, RecursionError):
        return None


def _lines(version: Version) -> Iterable[str]:
    for line in (version.summary, *version.body.splitlines()):
        plain = line.strip().strip("#*_->` \t").strip()
        if len(plain) >= (_SHORTEST_WIDE_LINE if _WIDE.search(plain) else _SHORTEST_LINE):
            yield plain
            yield from (part for piece in re.split(r"(?<=[.!?。！？])\s+", plain) if len(part := piece.strip()) > 15)


def _pattern(needles: Sequence[str]) -> re.Pattern[str] | None:
    if not needles:
        return None
    return re.compile(
        "|".join(re.sub(r"(?:\\\s|\s)+", r"\\s+", re.escape(needle)) for needle in needles), re.IGNORECASE
    )


def _words(text: str) -> frozenset[str]:
    return frozenset(stem.partition(":")[2] or stem for stem in stem_set(text))


@lru_cache(maxsize=1)
def _usual_words() -> frozenset[str]:
    return frozenset(
        form for language in LANGUAGES for word in shares(language) for form in (word, stem(word, language))
    )


def _is_unusual(word: str) -> bool:
    return word.strip("=") not in _usual_words() and word not in _usual_words()


def _shares_enough(saying: frozenset[str], words: frozenset[str]) -> bool:
    shared = len(saying & words)
    return shared >= min(_FEWEST_SHARED, len(saying)) and shared >= _SHARE * len(saying)
