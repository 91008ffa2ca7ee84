"""The baseline keeps what is agreed apart from what was seen, and notices when the cloud was reset."""

import hashlib
from collections.abc import Mapping
from dataclasses import replace

import pytest

from oharness.reconcile.baseline import (
    NOT_IN_CLOUD,
    NOTHING_AGREED,
    PURGED_FROM_CLOUD,
    AgreedBeforeReset,
    AgreedOn,
    Baseline,
    Check,
    DeletedInCloud,
    Entry,
    InCloud,
    Listing,
    Version,
    after_listing,
    after_reset,
    agree,
    forget,
    inherited,
    known_versions,
    latest_seen,
    live_check,
    was_reset,
    with_entries,
)

pytestmark = pytest.mark.sync

EMPTY = Baseline("device-1")


def live(content: str, seq: int) -> InCloud:
    return InCloud(content, f"r{seq}", seq, 10)


def synced(content: str, seq: int) -> Entry:
    return Entry(AgreedOn(Version(content, f"r{seq}")), live(content, seq))


def check_of(entries: Mapping[str, Entry]) -> Check:
    return live_check((name, entry.seen.hash) for name, entry in entries.items() if isinstance(entry.seen, InCloud))


def listing(
    version: int,
    notes: dict[str, InCloud] | None = None,
    tombstones: dict[str, DeletedInCloud] | None = None,
    *,
    epoch: str = "e1",
    complete: bool = False,
    horizon: int = 0,
) -> Listing:
    return Listing(epoch, version, complete, horizon, notes or {}, tombstones or {})


def at_version(version: int, **entries: Entry) -> Baseline:
    return replace(with_entries(EMPTY, entries), epoch="e1", version=version)


def test_a_listing_changes_what_is_seen_and_not_what_is_agreed() -> None:
    before = at_version(3, a=synced("A", 1), b=synced("B", 3))
    after = after_listing(before, listing(5, {"a": live("A2", 4)}, {"b": DeletedInCloud("B", "r5", 5)}))
    assert after.version == 5
    assert after.entry("a") == Entry(AgreedOn(Version("A", "r1")), live("A2", 4))
    assert after.entry("b") == Entry(AgreedOn(Version("B", "r3")), DeletedInCloud("B", "r5", 5))


def test_an_incremental_listing_says_nothing_about_what_it_does_not_name() -> None:
    before = at_version(3, a=synced("A", 1))
    assert after_listing(before, listing(9, horizon=2)).entry("a") == before.entry("a")


def test_absence_from_a_complete_listing_is_no_deletion_while_the_baseline_is_recent_enough() -> None:
    before = at_version(7, a=synced("A", 1))
    assert after_listing(before, listing(9, complete=True, horizon=7)).entry("a").seen == NOT_IN_CLOUD


def test_absence_from_a_complete_listing_is_a_deletion_once_the_horizon_passed_the_baseline() -> None:
    before = at_version(6, a=synced("A", 1))
    after = after_listing(before, listing(9, complete=True, horizon=7))
    assert after.entry("a") == Entry(AgreedOn(Version("A", "r1")), PURGED_FROM_CLOUD)
    assert after_listing(after, listing(9, complete=True, horizon=7)).entry("a").seen == PURGED_FROM_CLOUD


def test_absence_in_another_epoch_is_no_deletion() -> None:
    before = at_version(6, a=synced("A", 1))
    other = listing(9, complete=True, horizon=7, epoch="e2")
    assert after_listing(before, other).entry("a").seen == NOT_IN_CLOUD


def test_a_tombstone_that_expires_before_its_deletion_was_carried_out_stays_a_deletion() -> None:
    waiting = Entry(AgreedOn(Version("A", "r1")), DeletedInCloud("A", "r5", 5))
    for answer in (listing(9, horizon=5), listing(9, horizon=5, complete=True)):
        assert after_listing(at_version(6, a=waiting), answer).entry("a").seen == PURGED_FROM_CLOUD


def test_tombstones_up_to_the_horizon_are_let_go() -> None:
    done = Entry(NOTHING_AGREED, DeletedInCloud("A", "r5", 5))
    newer = Entry(NOTHING_AGREED, DeletedInCloud("B", "r6", 6))
    after = after_listing(at_version(6, a=done, b=newer), listing(9, horizon=5))
    assert dict(after.entries) == {"b": newer}


@pytest.mark.parametrize(
    ("answer", "reset"),
    [
        (listing(3), False),
        (listing(4, {"a": live("A", 4)}), False),
        (listing(3, epoch="e2"), True),
        (listing(0, epoch=""), True),
        (listing(2), True),
        (listing(3, {"a": live("Z", 1)}), True),
        (listing(3, {}, {"a": DeletedInCloud("A", "r1", 1)}), True),
        (listing(3, {"new": live("N", 1)}), False),
        (listing(3, {"a": live("A", 2)}, complete=True), False),
        (listing(5, {"a": InCloud("Z", "another", 2, 1)}, complete=True), True),
        (listing(5, {"a": live("Z", 3)}, complete=True), True),
        (listing(5, {"a": live("Z", 5)}, complete=True), False),
        (listing(5, {"mine": InCloud("Z", "another", 4, 1)}, complete=True), True),
    ],
)
def test_another_epoch_or_anything_older_than_the_baseline_is_a_reset(answer: Listing, reset: bool) -> None:
    assert was_reset(at_version(3, a=synced("A", 2), mine=synced("M", 4)), answer) is reset


def test_the_latest_seen_is_what_came_with_the_baselines_version_or_after_it() -> None:
    here = at_version(3, a=synced("A", 2), b=synced("B", 3))
    assert latest_seen(here) == ("b", "r3")
    assert latest_seen(with_entries(here, {"c": Entry(NOTHING_AGREED, DeletedInCloud("C", "r5", 5))})) == ("c", "r5")
    assert latest_seen(at_version(3, a=synced("A", 2))) is None
    assert latest_seen(EMPTY) is None
    assert latest_seen(replace(here, epoch="")) is None


def test_a_baseline_without_an_epoch_matches_any() -> None:
    assert not was_reset(EMPTY, listing(0, epoch=""))
    assert not was_reset(replace(at_version(3, a=synced("A", 2)), epoch=""), listing(3, epoch="from-a-path"))


def test_after_a_reset_nothing_is_agreed_or_seen_and_what_is_held_stays_known() -> None:
    before = at_version(3, a=synced("A", 2), gone=Entry(NOTHING_AGREED, live("G", 1)))
    after = after_reset(before, {"a", "never-synced"})
    assert (after.epoch, after.version, after.check) == ("", 0, Check())
    assert dict(after.entries) == {
        "a": Entry(AgreedBeforeReset((Version("A", "r2"),))),
        "never-synced": Entry(AgreedBeforeReset()),
    }


def test_a_new_replica_inherits_what_it_holds_unchanged_and_nothing_else() -> None:
    other = at_version(9, a=synced("A", 1), b=synced("B", 2), c=synced("C", 3))
    new = inherited("device-2", other, {"a": "A", "b": "edited", "d": "D"})
    assert (new.device, new.epoch, new.version) == ("device-2", "e1", 0)
    assert dict(new.entries) == {"a": Entry(AgreedOn(Version("A", "r1")))}
    assert inherited("device-3", other, {}).epoch == ""


def test_a_new_replica_that_lies_behind_inherits_the_older_version_that_it_holds() -> None:
    moved_on = agree(synced("A", 1), Version("A2", "r2"))
    new = inherited("device-2", at_version(9, a=moved_on), {"a": "A"})
    assert dict(new.entries) == {"a": Entry(AgreedOn(Version("A", "r1")))}


def test_agreeing_remembers_what_was_agreed_before() -> None:
    entry = synced("A", 1)
    for seq in range(2, 12):
        entry = agree(entry, Version(f"A{seq}", f"r{seq}"))
    assert [version.revision for version in known_versions(entry.agreed)] == [f"r{n}" for n in range(11, 2, -1)]


def test_agreeing_on_the_same_revision_again_does_not_remember_it_twice() -> None:
    entry = agree(synced("A", 1), Version("A", "r1"))
    assert entry == synced("A", 1)


def test_forgetting_keeps_what_was_seen() -> None:
    assert forget(synced("A", 1)) == Entry(NOTHING_AGREED, live("A", 1))


def test_the_check_counts_live_notes_seen_and_combines_their_hashes() -> None:
    baseline = at_version(3, a=synced("A", 1), b=Entry(NOTHING_AGREED, live("B", 2)))
    baseline = with_entries(baseline, {"c": Entry(NOTHING_AGREED, DeletedInCloud("C", "r3", 3))})
    digests = [int(hashlib.sha256(text.encode()).hexdigest(), 16) for text in ("a A", "b B")]
    assert baseline.check == Check(2, digests[0] ^ digests[1])
    assert baseline.check.hex == f"{digests[0] ^ digests[1]:064x}"
    assert check_of(baseline.entries) == baseline.check


def test_the_check_follows_every_change_of_an_entry() -> None:
    baseline = at_version(3, a=synced("A", 1))
    steps: list[Entry] = [
        synced("A2", 2),
        Entry(AgreedOn(Version("A", "r1")), live("A3", 3)),
        Entry(NOTHING_AGREED, DeletedInCloud("A3", "r4", 4)),
        synced("A", 5),
        Entry(),
    ]
    for entry in steps:
        baseline = with_entries(baseline, {"a": entry})
        assert baseline.check == check_of(baseline.entries)
    assert baseline.check == Check()
    assert not baseline.entries


def test_a_note_in_conflict_is_no_difference_to_the_cloud() -> None:
    agreed = after_listing(at_version(1, a=synced("A", 1)), listing(2, {"a": live("A2", 2)}))
    assert agreed.check == check_of({"a": synced("A2", 2)})
