"""`docs/protocol/vectors/commit-outcomes.json` against the service's judgement."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from oharness.core.clock import Millis
from oharness.core.scopes import USER_SCOPE
from oharness.notes.hashing import content_hash
from oharness.notes.note import Note
from oharness.protocol.commit import (
    Change,
    ChangeResult,
    CommitRequest,
    Delete,
    Put,
    ResultShape,
)
from oharness.protocol.errors import ErrorCode
from oharness.protocol.quotas import PlanLimits, Quota
from oharness.protocol.values import Epoch, Revision
from oharness.syncserver.judgement import (
    Circumstances,
    CommitRefused,
    Judged,
    Replayed,
    first_refusal,
    judge,
)
from oharness.syncserver.manifest import DeviceEntry, Manifest, NoteEntry, TombstoneEntry, Writer
from oharness.syncserver.quotas import Allowance

pytestmark = pytest.mark.sync

VECTORS = Path(__file__).parents[2] / "docs/protocol/vectors/commit-outcomes.json"
CASES: list[dict[str, Any]] = json.loads(VECTORS.read_text(encoding="utf-8"))["cases"]
UNLIMITED = 10**9


def body_of(content: str) -> str:
    letter, _, times = content.partition("*")
    return letter * int(times or 1)


def note_of(note_id: str, content: str) -> Note:
    return Note(id=note_id, summary="S", body=body_of(content))


def hash_of(note_id: str, content: str) -> str:
    return content_hash(note_of(note_id, content))


def commit_uuid(name: str) -> str:
    digest = hashlib.sha256(name.encode()).hexdigest()
    return f"{digest[:8]}-{digest[8:12]}-4{digest[13:16]}-8{digest[17:20]}-{digest[20:32]}"


def revision_of(name: str | None) -> Revision | None:
    """`c1-0` is the revision of a change of commit c1; anything else stands for itself."""
    if name is None or not name.startswith("c"):
        return None if name is None else Revision(name)
    commit, _, rest = name.partition("-")
    return Revision(f"{commit_uuid(commit).replace('-', '')}-{rest}")


def revision(name: str) -> Revision:
    made = revision_of(name)
    assert made is not None
    return made


def manifest_of(scope: dict[str, Any]) -> Manifest:
    return Manifest(
        format=2,
        epoch=scope["epoch"],
        version=scope["version"],
        nonce="n",
        written_by=Writer("", ""),
        horizon=0,
        devices={name: device_of(entry) for name, entry in scope.get("devices", {}).items()},
        notes={
            note_id: NoteEntry(
                hash=hash_of(note_id, entry["content"]),
                revision=revision(entry["revision"]),
                seq=entry["seq"],
                bytes=len(body_of(entry["content"])),
                updated_at=0,
                recent=tuple(revision(name) for name in entry.get("recent", ())),
            )
            for note_id, entry in scope["notes"].items()
        },
        tombstones={
            note_id: TombstoneEntry(
                seq=entry["seq"],
                revision=revision(entry["revision"]),
                hash=hash_of(note_id, entry["content"]),
                prev=tuple(hash_of(note_id, content) for content in entry["prev"]),
                deleted_at=0,
                recent=tuple(revision(name) for name in entry.get("recent", ())),
            )
            for note_id, entry in scope["tombstones"].items()
        },
    )


def device_of(entry: dict[str, Any]) -> DeviceEntry:
    results = tuple(
        ResultShape(
            id=result["id"],
            status=result["status"],
            hash="0" * 64,
            revision=revision(result["revision"]),
            seq=result["seq"],
        )
        for result in entry["results"]
    )
    return DeviceEntry(commit_uuid(entry["commitId"]), entry["version"], entry["version"] - 1, results, 0)


def change_of(change: dict[str, Any]) -> Change:
    note_id, base_revision = change["id"], revision_of(change["baseRevision"])
    base = None if change["base"] is None else hash_of(note_id, change["base"])
    if change["op"] == "delete":
        return Delete(note_id, base_revision, base, purge=change.get("purge", False))
    note = note_of(change.get("noteId", note_id), change["content"])
    sent_hash = hash_of(note_id, change.get("hashOf", change["content"]))
    return Put(note_id, base_revision, base, sent_hash, note, fresh=change.get("fresh", False))


def commit_of(commit: dict[str, Any]) -> CommitRequest:
    return CommitRequest(
        scope=USER_SCOPE,
        epoch=Epoch(commit["epoch"]),
        device="d1",
        commit_id=commit_uuid(commit.get("commitId", "c9")),
        changes=tuple(change_of(change) for change in commit["changes"]),
        strict=commit.get("strict", False),
        version=commit.get("atVersion"),
    )


def allowance_of(limits: dict[str, int]) -> Allowance:
    quota = Quota(
        max_notes=limits.get("maxNotes", 5000),
        max_changes=limits.get("maxChanges", 500),
        max_body_bytes=limits.get("maxBodyBytes", 131_072),
    )
    plan = PlanLimits(limits.get("planMaxNotes", UNLIMITED), limits.get("planMaxBodyBytes", UNLIMITED))
    return Allowance(quota, plan if any(name.startswith("plan") for name in limits) else None)


def judged(case: dict[str, Any]) -> tuple[Manifest, CommitRequest, Replayed | Judged | CommitRefused]:
    manifest, commit = manifest_of(case["scope"]), commit_of(case["commit"])
    circumstances = Circumstances(
        allowance=allowance_of(case.get("limits", {})),
        now=Millis(1_789_000_000_000),
        new_epoch="a new epoch",
        old_epoch="f1-none",
        refusal_of=lambda position: first_refusal(commit.changes[position]),
    )
    return manifest, commit, judge(manifest, commit, circumstances)


def check_result(result: ChangeResult, expected: dict[str, Any]) -> None:
    assert (result.id, result.status) == (expected["id"], expected["status"])
    assert result.code == (ErrorCode(expected["code"]) if "code" in expected else None)
    if "revision" in expected:
        assert result.revision == revision_of(expected["revision"])
    if "current" in expected:
        shown = None if result.current is None else result.current.revision
        assert shown == revision_of(expected["current"])


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_a_commit_becomes_what_the_vector_says(case: dict[str, Any]) -> None:
    before, commit, verdict = judged(case)
    if "error" in case:
        assert isinstance(verdict, CommitRefused)
        assert verdict.code == case["error"]
        return
    assert not isinstance(verdict, CommitRefused)
    for result, expected in zip(verdict.results, case["results"], strict=True):
        check_result(result, expected)
    assert isinstance(verdict, Replayed) == case["commit"].get("replayed", False)
    after = verdict.manifest if isinstance(verdict, Judged) else before
    assert after.version == case["version"]
    assert {i: e.hash for i, e in after.notes.items()} == {i: hash_of(i, c) for i, c in case["live"].items()}
    assert sorted(after.tombstones) == case["deleted"]
    if after is not before:
        assert after.devices["d1"].commit_id == commit.commit_id


def test_names_are_used_once() -> None:
    names = [case["name"] for case in CASES]
    assert len(names) == len(set(names)) >= 60
