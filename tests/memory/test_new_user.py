"""New users' first notes and messages, in two languages each: what is attached is what was wanted."""

import json
from pathlib import Path
from typing import Any

import pytest

from oharness.memory.recall import recall_for_message

pytestmark = pytest.mark.memory
World = Any
SETS = Path(__file__).parents[1] / "recall" / "sets"
USERS = ("en-de", "en-pt", "en-zh")


def rows(user: str, kind: str) -> list[dict[str, Any]]:
    return [
        json.loads(line) for line in (SETS / user / f"{kind}.jsonl").read_text(encoding="utf-8").split("\n") if line
    ]


def test_for_nine_of_ten_messages_exactly_what_was_wanted_is_attached(world: World, write: Any, tmp_path: Path) -> None:
    other = []
    for user in USERS:
        (tmp_path / user).mkdir()
        memory = world.open(root=tmp_path / user)
        for note in rows(user, "notes"):
            write(memory, id=note["id"], summary=note["summary"], tags=note["tags"], body=note["body"])
        for row in rows(user, "messages"):
            got = {one.note.id for one in recall_for_message(memory, row["message"]).attached}
            wanted = set(row["relevant"])
            if not wanted <= got <= wanted | set(row.get("fine", [])):
                other.append((row["message"], sorted(got)))
    assert len(other) <= sum(len(rows(user, "messages")) for user in USERS) // 10, other
