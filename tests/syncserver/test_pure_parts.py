"""Keys, windows, limits and manifests as values: the parts of the service that decide without a store."""

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oharness.core.scopes import USER_SCOPE, project_scope
from oharness.protocol.errors import ErrorCode
from oharness.protocol.quotas import PlanLimits, Quota
from oharness.protocol.values import Epoch
from oharness.syncserver.keys import (
    erased_team_key,
    erased_user_key,
    feed_prefix_of,
    is_manifest_key,
    manifest_key,
    marked_segment,
    object_key,
    objects_prefix,
    scope_of_object,
    segment,
    team_feed_prefix,
    user_feed_prefix,
)
from oharness.syncserver.manifest import (
    DAY_MS,
    NO_MANIFEST,
    DeviceEntry,
    Manifest,
    ManifestUnreadable,
    NoteEntry,
    TombstoneEntry,
    Writer,
    check_of,
    decode_manifest,
    encode_manifest,
    is_changed,
    list_changes,
)
from oharness.syncserver.manifest_format1 import decode_any_manifest, encode_any_manifest, old_epoch
from oharness.syncserver.metrics import Metrics
from oharness.syncserver.quotas import Allowance, refused_count, refused_size
from oharness.syncserver.tombstones import drop_old_tombstones, drop_silent_devices

pytestmark = pytest.mark.sync

SAFE = set(string.ascii_letters + string.digits + "_-")
HASH = "a" * 64
NOW = 1_789_000_000_000


# --- keys


@settings(derandomize=True, max_examples=400)
@given(st.text(min_size=1, max_size=300))
def test_a_segment_is_one_safe_name(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        return
    made = segment(text)
    assert 0 < len(made) <= 200
    assert set(made) <= SAFE | set("%.")
    assert made not in (".", "..")
    assert not made.startswith(".")


@settings(derandomize=True, max_examples=400)
@given(st.text(min_size=1, max_size=60), st.text(min_size=1, max_size=60))
def test_two_names_never_share_a_segment(one: str, other: str) -> None:
    try:
        one.encode(), other.encode()
    except UnicodeEncodeError:
        return
    assert (segment(one) == segment(other)) == (one == other)


def test_long_names_that_begin_alike_are_apart() -> None:
    names = ["ä" * 100, "ä" * 100 + "x", "ä" * 101, "a" * 201, "a" * 202]
    assert len({segment(name) for name in names}) == len(names)
    assert segment("a" * 200) == "a" * 200


def test_everything_but_the_plain_characters_is_encoded() -> None:
    assert segment("a.b~c d/é") == "a%2Eb%7Ec%20d%2F%C3%A9"
    assert segment("Az09_-") == "Az09_-"
    assert segment("..") == "%2E%2E"


def test_keys_are_laid_out_as_the_protocol_says() -> None:
    assert manifest_key("ann", USER_SCOPE) == "users/ann/memory/manifest.json"
    assert manifest_key("a@b", project_scope("p.1")) == "users/a%40b/projects/p%2E1/memory/manifest.json"
    assert object_key(objects_prefix("ann", USER_SCOPE), "n-1", "r-2") == "users/ann/memory/objects/n-1/r-2.md"
    assert erased_user_key("ann") == "erased/users/ann.json"
    assert erased_team_key("t") == "erased/teams/t.json"
    assert marked_segment("erased/users/a%40b.json") == "a%40b"


def test_an_account_that_looks_like_a_team_has_feeds_of_its_own() -> None:
    assert user_feed_prefix("team-x") == "feed/team%2Dx/"
    assert team_feed_prefix("x") == "feed/team-x/"
    assert feed_prefix_of(segment("ann")) == user_feed_prefix("ann") == "feed/ann/"


def test_kinds_of_keys_are_told_apart() -> None:
    assert is_manifest_key("users/a/projects/p/memory/manifest.json")
    assert not is_manifest_key("users/a/memory/objects/manifest/manifest.json")
    assert scope_of_object("users/a/memory/objects/n/r.md") == "users/a/memory/"
    assert scope_of_object("users/a/memory/objects/n/x/r.md") is None
    assert scope_of_object("users/a/memory/objects/%unreadable/r.pack") is None
    assert scope_of_object("users/a/memory/manifest.json") is None


# --- windows


def tombstone(seq: int, days_ago: float) -> TombstoneEntry:
    return TombstoneEntry(seq, "r", HASH, (), NOW - round(days_ago * DAY_MS))


def test_tombstones_older_than_the_window_go_and_raise_the_horizon() -> None:
    stones = {"a": tombstone(5, 91), "b": tombstone(9, 90), "c": tombstone(3, 1), "d": tombstone(7, 200)}
    kept = drop_old_tombstones(stones, 2, NOW, 90)
    assert set(kept.tombstones) == {"b", "c"}
    assert kept.horizon == 7


def test_the_horizon_never_sinks() -> None:
    kept = drop_old_tombstones({"a": tombstone(5, 91)}, 30, NOW, 90)
    assert kept.horizon == 30
    same = {"a": tombstone(5, 1)}
    assert drop_old_tombstones(same, 30, NOW, 90).tombstones is same


def device(at_days_ago: float) -> DeviceEntry:
    return DeviceEntry("c", 1, 0, (), NOW - round(at_days_ago * DAY_MS))


def test_silent_devices_are_forgotten_and_the_latest_fifty_kept() -> None:
    devices = {f"d{number}": device(number) for number in range(100)}
    kept = drop_silent_devices(devices, NOW)
    assert set(kept) == {f"d{number}" for number in range(50)}
    assert set(drop_silent_devices({"a": device(89), "b": device(91)}, NOW)) == {"a"}
    few = {"a": device(1)}
    assert drop_silent_devices(few, NOW) is few


# --- limits


ALLOWANCE = Allowance(Quota(max_notes=10, max_body_bytes=100), PlanLimits(5, 50))


@pytest.mark.parametrize(
    ("count", "present", "code"),
    [
        (5, 0, None),
        (6, 0, ErrorCode.PLAN_NOTES),
        (6, 6, None),
        (7, 6, ErrorCode.PLAN_NOTES),
        (11, 10, ErrorCode.TOO_MANY_NOTES),
        (20, 20, None),
        (21, 20, ErrorCode.TOO_MANY_NOTES),
    ],
)
def test_a_count_is_refused_only_when_it_grows_beyond_limit_and_present(
    count: int, present: int, code: ErrorCode | None
) -> None:
    assert refused_count(count, present, ALLOWANCE) == code


@pytest.mark.parametrize(
    ("size", "present", "code"),
    [
        (50, 0, None),
        (51, 0, ErrorCode.PLAN_NOTE_BYTES),
        (51, 60, None),
        (101, 0, ErrorCode.NOTE_TOO_LARGE),
        (101, 101, None),
        (102, 101, ErrorCode.NOTE_TOO_LARGE),
    ],
)
def test_a_size_is_refused_only_when_it_grows_beyond_limit_and_present(
    size: int, present: int, code: ErrorCode | None
) -> None:
    assert refused_size(size, present, ALLOWANCE) == code


def test_a_paid_plan_knows_only_the_quota() -> None:
    paid = Allowance(Quota(max_notes=10, max_body_bytes=100), None)
    assert (refused_count(10, 0, paid), refused_size(100, 0, paid)) == (None, None)
    assert refused_count(11, 0, paid) == ErrorCode.TOO_MANY_NOTES


# --- manifests


def a_manifest(**changed: object) -> Manifest:
    fields: dict[str, object] = {
        "format": 2,
        "epoch": "e",
        "version": 9,
        "nonce": "n",
        "written_by": Writer("d", "c"),
        "horizon": 3,
        "devices": {"d": DeviceEntry("c", 9, 8, (), NOW)},
        "notes": {"a": NoteEntry(HASH, "r1", 4, 10, NOW), "b": NoteEntry("b" * 64, "r2", 9, 1, NOW, (HASH,), ("r2",))},
        "tombstones": {"c": TombstoneEntry(7, "r3", HASH, (), NOW)},
    }
    return Manifest(**(fields | changed))  # type: ignore[arg-type]


def test_a_manifest_comes_out_as_it_went_in() -> None:
    assert decode_manifest(encode_manifest(a_manifest())) == a_manifest()
    assert decode_any_manifest(encode_any_manifest(a_manifest()), "k") == a_manifest()


@pytest.mark.parametrize(
    "data", [b"", b"null", b"[]", b"{}", b"\xff", b'{"format":7}', encode_manifest(a_manifest())[:-1]]
)
def test_what_is_no_manifest_cannot_be_read(data: bytes) -> None:
    with pytest.raises(ManifestUnreadable):
        decode_any_manifest(data, "k")


def test_a_manifest_of_format_1_has_an_epoch_of_its_key_and_keeps_its_format() -> None:
    old = a_manifest(format=1, horizon=0, devices={}, nonce="", written_by=Writer("", ""))
    again = decode_any_manifest(encode_any_manifest(old), "the key")
    assert (again.epoch, again.version, again.format) == (old_epoch("the key"), 9, 1)
    assert {note_id: entry.hash for note_id, entry in again.notes.items()} == {"a": HASH, "b": "b" * 64}
    assert again.tombstones["c"].hash == HASH
    assert old_epoch("the key") != old_epoch("another key")


@pytest.mark.parametrize(
    ("epoch", "since", "complete", "notes", "tombstones"),
    [
        ("e", 9, False, [], []),
        ("e", 8, False, ["b"], []),
        ("e", 6, False, ["b"], ["c"]),
        ("e", 3, False, ["a", "b"], ["c"]),
        ("e", 2, True, ["a", "b"], ["c"]),
        ("e", 10, True, ["a", "b"], ["c"]),
        ("x", 9, True, ["a", "b"], ["c"]),
        (None, 9, True, ["a", "b"], ["c"]),
        ("e", None, True, ["a", "b"], ["c"]),
    ],
)
def test_a_listing_is_what_changed_or_everything(
    epoch: str | None, since: int | None, complete: bool, notes: list[str], tombstones: list[str]
) -> None:
    listing = list_changes(a_manifest(), None if epoch is None else Epoch(epoch), since, "f1-x")
    assert listing.complete == complete
    assert [one.id for one in listing.notes] == notes
    assert [one.id for one in listing.tombstones] == tombstones


def test_a_scope_is_unchanged_only_at_the_same_epoch_and_version() -> None:
    assert not is_changed(a_manifest(), Epoch("e"), 9, "f1-x")
    assert is_changed(a_manifest(), Epoch("e"), 8, "f1-x")
    assert is_changed(a_manifest(), Epoch("x"), 9, "f1-x")
    assert is_changed(a_manifest(), Epoch(""), 9, "f1-x")
    assert not is_changed(a_manifest(epoch="f1-x"), Epoch(""), 9, "f1-x")
    assert not is_changed(NO_MANIFEST, Epoch(""), 0, "f1-x")


def test_the_check_does_not_depend_on_order_and_sees_every_change() -> None:
    notes = dict(a_manifest().notes)
    turned = dict(reversed(notes.items()))
    assert check_of(a_manifest()) == check_of(a_manifest(notes=turned))
    other = notes | {"a": NoteEntry("c" * 64, "r1", 4, 10, NOW)}
    assert check_of(a_manifest(notes=other)) != check_of(a_manifest())
    assert check_of(NO_MANIFEST).xor == "0" * 64


# --- metrics


def test_metrics_are_text_with_a_help_line_for_each() -> None:
    metrics = Metrics()
    metrics.count("manifest_writes", 3)
    metrics.request("commit", 200, 0.02)
    metrics.request("commit", 503, 7.0)
    lines = metrics.text().splitlines()
    assert "oharness_sync_manifest_writes_total 3" in lines
    assert 'oharness_sync_requests_total{endpoint="commit",status="503"} 1' in lines
    assert 'oharness_sync_request_seconds_bucket{endpoint="commit",le="0.025"} 1' in lines
    assert 'oharness_sync_request_seconds_bucket{endpoint="commit",le="+Inf"} 2' in lines
    assert 'oharness_sync_request_seconds_count{endpoint="commit"} 2' in lines
    names = {line.split("{")[0].split()[0] for line in lines if not line.startswith("#")}
    helped = {line.split()[2] for line in lines if line.startswith("# HELP")}
    assert {name.removesuffix("_bucket").removesuffix("_sum").removesuffix("_count") for name in names} <= helped
