"""Notes as the practice assistant sees them: in attached blocks and in the results of the `memory` tool. Pure."""

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from oharness.harness.messages import AttachedBlock, Message, ToolResultBlock
from oharness.plugins.chat_model.offline_grammar import content_words

_FIT = 0.5
_STEM_LENGTH = 5
_NOTE = re.compile(r"<note\b([^>]*)>(.*?)</note>", re.DOTALL | re.IGNORECASE)
_ID = re.compile(r"""\bid\s*=\s*["']?([A-Za-z0-9][A-Za-z0-9_-]*)""")
_LISTED = re.compile(r"^\s*[-*]?\s*\[([A-Za-z0-9][A-Za-z0-9_-]*)\]\s*(.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class QuotedNote:
    """A note as far as it was shown; `text` is its summary, with the body after it where there is one."""

    id: str
    text: str

    @property
    def summary(self) -> str:
        return self.text.split("\n", 1)[0].strip()


def attached_notes(message: Message) -> tuple[QuotedNote, ...]:
    """The notes in the recalled-memory blocks of a message; what is listed there by summary alone is left out."""
    blocks = [block.text for block in message.blocks if isinstance(block, AttachedBlock)]
    return tuple(note for block in blocks if "<recalled-memory" in block for note in _notes_in(block))


def found_notes(result: ToolResultBlock) -> tuple[QuotedNote, ...]:
    """The notes that a search by the `memory` tool lists: from its data, else from its text."""
    listed = result.data.get("results", result.data.get("notes"))
    if isinstance(listed, Sequence) and not isinstance(listed, str):
        return tuple(note for one in listed if (note := _from_data(one)))
    return tuple(QuotedNote(note_id, text.strip()) for note_id, text in _LISTED.findall(result.text))


def fitting(notes: Sequence[QuotedNote], words: str) -> tuple[QuotedNote, ...]:
    """Those notes that hold at least half of what the words are about, ignoring endings; in the order given."""
    wanted = content_words(words)
    return tuple(note for note in notes if wanted and _share(wanted, content_words(note.text)) >= _FIT)


def _notes_in(block: str) -> Iterator[QuotedNote]:
    for attributes, inner in _NOTE.findall(block):
        if named := _ID.search(attributes):
            yield QuotedNote(named[1], html.unescape(inner).strip())


def _from_data(value: Any) -> QuotedNote | None:
    if not isinstance(value, Mapping) or not isinstance(value.get("id"), str):
        return None
    return QuotedNote(value["id"], str(value.get("summary", "")).strip())


def _share(wanted: frozenset[str], present: frozenset[str]) -> float:
    return sum(any(_alike(word, other) for other in present) for word in wanted) / len(wanted)


def _alike(one: str, other: str) -> bool:
    if one == other:
        return True
    length = min(len(one), len(other))
    return length >= _STEM_LENGTH - 1 and one[: min(length, _STEM_LENGTH)] == other[: min(length, _STEM_LENGTH)]
