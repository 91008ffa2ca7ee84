"""Written conversations of people at work in four languages: what of each should be kept, and what must not be."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from oharness.core.clock import Millis
from oharness.extract.conversation import Speaker, Turn
from oharness.notes.note import Note

FOLDER = Path(__file__).parent / "conversations"
_WHEN = Millis(1_789_000_000_000)


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation.

    `keep` are the facts worth a note, each by words that a note of it has; `must_not` are words that no saved note may
    have. `good` and `poor` are recorded answers of models of those kinds.
    """

    id: str
    language: str
    notes: tuple[Note, ...]
    turns: tuple[Turn, ...]
    keep: tuple[tuple[str, ...], ...]
    must_not: tuple[str, ...]
    good: str
    poor: str


def conversations() -> list[Conversation]:
    """All of them, by language."""
    files = sorted(FOLDER.glob("*.json"))
    return [_conversation(raw, file.stem) for file in files for raw in json.loads(file.read_text(encoding="utf-8"))]


def _conversation(raw: Mapping[str, Any], language: str) -> Conversation:
    return Conversation(
        id=raw["id"],
        language=language,
        notes=tuple(_note(one) for one in raw["notes"]),
        turns=tuple(Turn(Speaker(who), text, _WHEN) for who, text in raw["turns"]),
        keep=tuple(tuple(word.casefold() for word in words) for words in raw["keep"]),
        must_not=tuple(word.casefold() for word in raw["mustNot"]),
        good=_answer(raw["good"], raw.get("goodUpdates", [])),
        poor=_answer(raw["poor"], []),
    )


def _note(raw: Mapping[str, Any]) -> Note:
    return Note(raw["id"], raw["summary"], raw["body"], raw["type"], tuple(raw["tags"]), _WHEN, _WHEN)


def _answer(notes: Sequence[Any], updates: Sequence[Any]) -> str:
    return json.dumps({"notes": notes, "updates": updates}, ensure_ascii=False)
