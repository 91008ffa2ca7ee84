"""Every row of `docs/protocol/vectors/reconcile.json` is decided as it says."""

import json
import re
from pathlib import Path
from typing import Any, assert_never

import pytest

from oharness.reconcile.baseline import (
    NOT_IN_CLOUD,
    NOTHING_AGREED,
    PURGED_FROM_CLOUD,
    Agreed,
    AgreedBeforeReset,
    AgreedOn,
    DeletedInCloud,
    InCloud,
    Version,
)
from oharness.reconcile.decide import (
    DAMAGED,
    NOT_HERE,
    NOT_LOADED,
    UNREADABLE,
    Adopt,
    BrokenInCloud,
    CloudSide,
    Decision,
    DeletedHere,
    DeleteHere,
    DeleteInCloud,
    Download,
    Forget,
    Here,
    HoldBack,
    HoldConflict,
    LocalSide,
    Merge,
    Nothing,
    OpenConflict,
    Refetch,
    RestoreCopy,
    StillInConflict,
    Upload,
    Vanished,
    decide,
)

pytestmark = pytest.mark.sync

VECTORS = Path(__file__).parents[2] / "docs" / "protocol" / "vectors" / "reconcile.json"
CASES: list[dict[str, Any]] = json.loads(VECTORS.read_text(encoding="utf-8"))["cases"]


def _version(text: str) -> Version:
    content, revision = text.split("@")
    return Version(content, revision)


def _agreed(text: str) -> Agreed:
    if text == "none":
        return NOTHING_AGREED
    reset = text.startswith("before reset")
    versions = tuple(_version(word) for word in re.findall(r"\w@\w", text))
    return AgreedBeforeReset(versions) if reset else AgreedOn(versions[0], versions[1:])


def _local(text: str) -> LocalSide:
    simple: dict[str, LocalSide] = {
        "absent": NOT_HERE,
        "damaged": DAMAGED,
        "unreadable": UNREADABLE,
        "not loaded": NOT_LOADED,
    }
    if text in simple:
        return simple[text]
    if not text.startswith("deleted"):
        return Here(text[0], text.endswith("on purpose"))
    content, _, revision = text.split()[-1].partition("@")
    return DeletedHere(content, revision or None, purge="purge" in text)


def _cloud(text: str) -> CloudSide:
    if text == "absent":
        return NOT_IN_CLOUD
    if text == "purged":
        return PURGED_FROM_CLOUD
    *kind, named = re.sub(r" after .*", "", text).split()
    version = _version(named)
    if kind == ["tombstone"]:
        before = tuple(text.partition(" after ")[2].split())
        return DeletedInCloud(version.hash, version.revision, int(version.revision), before)
    live = InCloud(version.hash, version.revision, int(version.revision), 1)
    return BrokenInCloud(live) if kind == ["broken"] else live


def _conflict(text: str | None) -> OpenConflict | None:
    if text is None:
        return None
    mine, cloud = text.split(" against ")
    return OpenConflict(mine, None if cloud == "purged" else _version(cloud).revision)


def _words(decision: Decision) -> str:
    match decision:
        case Nothing():
            return "nothing"
        case Adopt(version):
            return f"adopt {version.revision}"
        case Forget():
            return "forget"
        case Upload(base, fresh):
            return f"upload {'fresh ' if fresh else ''}on {base.revision if base else '-'}"
        case Download():
            return "download"
        case Refetch():
            return "refetch"
        case RestoreCopy():
            return "restore copy"
        case Merge(base):
            return f"merge {base.revision}"
        case HoldConflict(reason):
            return f"conflict {reason}"
        case StillInConflict():
            return "still in conflict"
        case DeleteHere(ground):
            return f"delete here {ground}"
        case DeleteInCloud(base, purge):
            return f"delete in cloud {'purge ' if purge else ''}{base.revision}"
        case Vanished(version):
            return f"vanished {version.revision}"
        case HoldBack(reason):
            return f"hold {reason}"
        case _:
            assert_never(decision)


def _row(case: dict[str, Any]) -> tuple[str, str, str, str]:
    return case["base"], case["local"], case["cloud"], case.get("conflict", "")


@pytest.mark.parametrize("case", CASES, ids=lambda case: " | ".join(_row(case)))
def test_a_row_of_the_table_is_decided_as_it_says(case: dict[str, Any]) -> None:
    decision = decide(
        _agreed(case["base"]), _local(case["local"]), _cloud(case["cloud"]), _conflict(case.get("conflict"))
    )
    assert _words(decision) == case["decision"]


def test_no_combination_is_missing_and_none_stands_twice() -> None:
    rows = [_row(case) for case in CASES]
    assert len(set(rows)) == len(rows)
    plain = {row[:3] for row in rows}
    bases = ["none", "A@1", "before reset A@1", "before reset"]
    locals_ = ["absent", "A", "B", "B on purpose", "deleted A@1", "deleted B@1", "deleted C"]
    locals_ += ["damaged", "unreadable", "not loaded"]
    clouds = ["absent", "purged", "A@1", "A@2", "B@2", "C@2", "tombstone A@2", "tombstone C@3 after B"]
    clouds += ["broken C@2"]
    assert not {(base, local, cloud) for base in bases for local in locals_ for cloud in clouds} - plain


def test_no_row_without_an_intent_deletes_in_the_cloud() -> None:
    for case in CASES:
        if case["decision"].startswith("delete in cloud"):
            assert case["local"].startswith("deleted")


def test_no_row_uploads_a_file_that_is_no_note() -> None:
    for case in CASES:
        if case["local"] in ("damaged", "unreadable", "not loaded"):
            assert not case["decision"].startswith(("upload", "merge", "conflict", "delete in cloud"))
