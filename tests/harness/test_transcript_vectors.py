"""The rules of docs/protocol/session-format.md, case by case."""

import json
from pathlib import Path
from typing import Any, assert_never

import pytest

from oharness.harness.messages import (
    AttachedBlock,
    Block,
    Message,
    TextBlock,
    ToolCallBlock,
    ToolResultBlock,
)
from oharness.harness.sessions import list_sessions, read_session, resume_session

pytestmark = pytest.mark.plugins

VECTORS = Path(__file__).parents[2] / "docs" / "protocol" / "vectors" / "transcript.json"
CASES: list[dict[str, Any]] = json.loads(VECTORS.read_text(encoding="utf-8"))["cases"]


def in_short(block: Block) -> str:
    match block:
        case TextBlock(text):
            return text
        case AttachedBlock(source, text):
            return f"attached {source}: {text}"
        case ToolCallBlock():
            return f"call {block.call_id} {block.tool}"
        case ToolResultBlock():
            return f"{'error' if block.is_error else 'result'} {block.call_id} {block.tool}: {block.text}"
        case _:
            assert_never(block)


def sent(message: Message) -> dict[str, Any]:
    return {"role": str(message.role), "parts": [in_short(block) for block in message.blocks]}


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_a_transcript_is_read_as_the_vectors_say(case: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_bytes(case["file"].encode())
    session = resume_session(tmp_path, "s")
    assert [sent(message) for message in session.live] == case["sent"]
    assert session.damaged == case["damaged"]
    assert session.title == case["title"]
    session.close()
    assert read_session(tmp_path, "s").damaged == case["damaged"]
    assert list_sessions(tmp_path).sessions[0].title == case["title"]
