"""A new user's first notes and messages, in two languages: what is attached is what was wanted."""

import json
from pathlib import Path
from typing import Any

import pytest

from oharness.memory.recall import recall_for_message

pytestmark = pytest.mark.memory
World = Any
SET = Path(__file__).parents[1] / "recall" / "sets" / "en-de"


def rows(kind: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (SET / f"{kind}.jsonl").read_text(encoding="utf-8").split("\n") if line]


def test_for_nine_of_ten_messages_exactly_what_was_wanted_is_attached(world: World, write: Any) -> None:
    memory = world.open()
    for note in rows("notes"):
        write(memory, id=note["id"], summary=note["summary"], tags=note["tags"], body=note["body"])
    other = []
    for row in rows("messages"):
        got = {one.note.id for one in recall_for_message(memory, row["message"]).attached}
        wanted = set(row["relevant"])
        if not wanted <= got <= wanted | set(row.get("fine", [])):
            other.append((row["message"], sorted(got)))
    assert len(other) <= len(rows("messages")) // 10, other
