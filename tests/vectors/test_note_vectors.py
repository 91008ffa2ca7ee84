"""The vectors of the note format, run against our code."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from oharness.core.clock import Millis
from oharness.core.jsontext import canonical_json
from oharness.notes.frontmatter import note_text, parse_note
from oharness.notes.hashing import content_hash
from oharness.notes.ids import case_collision, is_note_id, slug
from oharness.notes.links import (
    fill_placeholders,
    linked_ids,
    resolve_link,
    rewrite_links,
    strip_links,
)
from oharness.notes.note import Note
from oharness.notes.problems import NotANote, ProblemReason
from oharness.notes.tags import clean_tags
from oharness.notes.valid import problem_of
from tests.vectors.content_hash_vectors import body_of, vectors

pytestmark = pytest.mark.memory

FOLDER = Path(__file__).parents[2] / "docs" / "protocol" / "vectors"


def load(name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return content


def cases(name: str, part: str = "cases") -> list[Any]:
    return [pytest.param(case, id=case.get("name", str(n))) for n, case in enumerate(load(name)[part])]


def note_of(wire: dict[str, Any], body: str) -> Note:
    return Note(
        id=wire["id"],
        summary=wire["summary"],
        body=body,
        type=wire.get("type"),
        tags=tuple(wire["tags"]),
        created_at=Millis(wire.get("createdAt", 0)),
        updated_at=Millis(wire.get("updatedAt", 0)),
        extra=wire.get("extra", {}),
    )


def test_the_hash_vectors_are_what_the_independent_script_computes() -> None:
    stored = load("content-hash")
    assert stored == vectors()
    assert len(stored["cases"]) >= 40


@pytest.mark.parametrize("case", cases("content-hash"))
def test_content_hash(case: dict[str, Any]) -> None:
    assert content_hash(note_of(case["note"], body_of(case))) == case["hash"]


def test_what_differs_on_purpose_has_different_hashes() -> None:
    hashes = {case["name"]: case["hash"] for case in load("content-hash")["cases"]}
    assert hashes["composed accents"] != hashes["decomposed accents"]
    assert hashes["composed Hangul"] != hashes["decomposed Hangul"]
    assert hashes["plain"] == hashes["times do not count"] == hashes["body behind a BOM"]
    assert hashes["plain"] == hashes["empty extra"] == hashes["body with many final newlines"]
    assert hashes["two tags"] == hashes["two tags in the other order"]
    assert hashes["body of two lines, LF"] == hashes["body of two lines, CRLF"]
    assert hashes["plain"] != hashes["type user"]


def test_the_canonical_json_of_plain_values_is_sorted_compact_json() -> None:
    value = {"b": [1, "é\u2028", None, True], "a": {"y": -3, "x": ""}}
    assert canonical_json(value).decode() == json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False
    )


def read_case(case: dict[str, Any]) -> Note:
    data = base64.b64decode(case["base64"]) if "base64" in case else case["text"].encode()
    return parse_note(
        data,
        case["fileName"],
        file_time=Millis(case.get("fileTime", 0)),
        now=Millis(case["now"]) if "now" in case else None,
        max_body_bytes=case.get("maxBodyBytes"),
    )


@pytest.mark.parametrize("case", [case for case in cases("frontmatter") if "note" in case.values[0]])
def test_frontmatter_that_reads(case: dict[str, Any]) -> None:
    note = read_case(case)
    assert note == note_of(case["note"], case["note"]["body"])
    assert list(note.extra) == list(case["note"].get("extra", {}))
    assert note_text(note) == case["written"]
    assert parse_note(case["written"].encode(), case["fileName"]) == note
    assert problem_of(note) is None


@pytest.mark.parametrize("case", [case for case in cases("frontmatter") if "reason" in case.values[0]])
def test_files_that_are_no_notes(case: dict[str, Any]) -> None:
    with pytest.raises(NotANote) as caught:
        read_case(case)
    error = caught.value
    expected = (ProblemReason(case["reason"]), case.get("line", 0), case.get("column", 0))
    assert (error.reason, error.line, error.column) == expected
    assert error.file_name == case["fileName"]


def test_every_vector_of_frontmatter_reads_or_refuses() -> None:
    assert all(("note" in case) != ("reason" in case) for case in load("frontmatter")["cases"])


def test_ids() -> None:
    content = load("ids")
    assert [text for text in content["valid"] if not is_note_id(text)] == []
    assert [text for text in content["invalid"] if is_note_id(text)] == []


@pytest.mark.parametrize("case", cases("ids", "collisions"))
def test_collisions(case: dict[str, Any]) -> None:
    _, other = case_collision([case["id"]], case["existing"]) or ("", None)
    assert other == case["collidesWith"]


@pytest.mark.parametrize("case", cases("ids", "speaking"))
def test_the_speaking_part_of_an_id(case: dict[str, Any]) -> None:
    assert slug(case["summary"], case["type"]) == case["speaking"]


@pytest.mark.parametrize("case", cases("tags"))
def test_tags(case: dict[str, Any]) -> None:
    assert list(clean_tags(case["raw"])) == case["tags"]
    assert list(clean_tags(case["tags"])) == case["tags"]


@pytest.mark.parametrize("case", cases("links"))
def test_links(case: dict[str, Any]) -> None:
    assert list(linked_ids(case["body"])) == case["links"]


@pytest.mark.parametrize("case", cases("links", "rewriting"))
def test_rewriting(case: dict[str, Any]) -> None:
    assert rewrite_links(case["body"], case["newIds"]) == case["result"]


@pytest.mark.parametrize("case", cases("links", "stripping"))
def test_stripping(case: dict[str, Any]) -> None:
    assert strip_links(case["body"], case["allowed"]) == case["result"]


@pytest.mark.parametrize("case", cases("links", "placeholders"))
def test_placeholders(case: dict[str, Any]) -> None:
    ids = {int(number): note_id for number, note_id in case["ids"].items()}
    assert fill_placeholders(case["body"], ids) == case["result"]


@pytest.mark.parametrize("case", cases("links", "resolving"))
def test_resolving(case: dict[str, Any]) -> None:
    assert resolve_link(case["link"], case["project"], case["user"]) == case["scope"]
