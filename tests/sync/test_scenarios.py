"""What went wrong in other sync tools, played here. Each test carries the number of its scenario."""

import errno
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from oharness.core.errors import StorageFailed
from oharness.core.scopes import project_scope
from oharness.notes.hashing import content_hash
from oharness.protocol.commit import CommitAnswer, CommitRequest
from oharness.protocol.snapshot import BodiesAnswer, BodiesRequest, ListingAnswer, ListingRequest
from oharness.protocol.values import NO_EPOCH
from oharness.reconcile.baseline import AgreedOn, Version, with_entries
from oharness.reconcile.guards import Choice, Paused, PauseReason
from oharness.sync.confirm import confirm_paused
from oharness.sync.desk import CountsDiffer
from oharness.sync.one_pass import one_pass
from oharness.sync.transport import ServiceUnreachable
from oharness.syncserver.objects.base import Found
from oharness.syncserver.objects.ram import RamObjects
from oharness.testing.clock import FakeClock
from oharness.testing.devices import Device, settle_all
from oharness.testing.faults import Crashed, FaultyFileSystem
from oharness.testing.randomness import SeededRandomness
from oharness.testing.sync_server import SyncServer

pytestmark = pytest.mark.sync
Machine = Callable[[str], Device]
DAY = 86_400


class Between:
    """A device's transport with something in between; methods of a test's own class replace the plain ones."""

    def __init__(self, device: Device) -> None:
        self.through = device.transport
        self.device = device

    def __getattr__(self, name: str) -> Any:
        return getattr(self.through, name)

    async def sync(self) -> Any:
        return await one_pass(self.device.directory, self, self.device.account)


async def filled(device: Device, count: int, prefix: str = "n") -> None:
    for number in range(count):
        device.write(f"{prefix}-{number:02}", f"text {number}")
    await device.sync()


# --- data loss, wipes


async def test_01_a_listing_that_is_short_once_deletes_nothing(device: Machine) -> None:
    a = device("a")
    await filled(a, 5)

    class ShortOnce(Between):
        async def listing(self, request: ListingRequest) -> ListingAnswer:
            answer = await self.through.listing(replace(request, epoch=None, since=None))
            return replace(answer, notes=answer.notes[:2])

    with pytest.raises(CountsDiffer):
        await ShortOnce(a).sync()
    assert len(a.bodies()) == 5
    assert (await a.sync()).changed_nothing
    assert len(a.bodies()) == 5


async def test_01_an_empty_manifest_that_is_seen_once_is_asked_for_again(device: Machine) -> None:
    a = device("a")
    await filled(a, 5)

    class EmptyOnce(Between):
        asked = 0

        async def listing(self, request: ListingRequest) -> ListingAnswer:
            answer = await self.through.listing(request)
            self.asked += 1
            if self.asked > 1:
                return answer
            check = replace(answer.check, count=0, xor="0" * 64)
            return replace(answer, epoch=NO_EPOCH, version=0, complete=True, notes=(), tombstones=(), check=check)

    report = await EmptyOnce(a).sync()
    assert report.changed_nothing
    assert not report.cloud_was_reset
    assert len(a.bodies()) == 5


async def test_02_a_wiped_cloud_empties_no_client_and_is_filled_again(tmp_path: Path, clock: FakeClock) -> None:
    old = SyncServer(clock, SeededRandomness("old"))
    a, b = Device(tmp_path / "a", old), Device(tmp_path / "b", old)
    await filled(a, 50)
    await b.sync()
    new = SyncServer(clock, SeededRandomness("new"))
    a2, b2 = Device(tmp_path / "a", new), Device(tmp_path / "b", new)
    b2.write("n-07", "edited before b noticed")
    report = await a2.sync()
    assert report.cloud_was_reset
    assert len(report.pushed) == 50
    await settle_all(a2, b2)
    assert len(a2.bodies()) == 50
    assert a2.bodies() == b2.bodies()
    assert a2.bodies()["n-07"] == "edited before b noticed"
    assert not a2.conflicts()


async def test_04_an_edit_made_all_day_beats_a_deletion_elsewhere(device: Machine) -> None:
    a, b = device("a"), device("b")
    await filled(a, 3)
    await b.sync()
    b.forget("n-01")
    await b.sync()
    a.write("n-01", "edited all day")
    await settle_all(a, b)
    assert a.bodies()["n-01"] == b.bodies()["n-01"] == "edited all day"


async def test_05_a_server_restored_from_an_old_copy_gets_the_newer_notes_again(
    tmp_path: Path, clock: FakeClock
) -> None:
    store = RamObjects(clock)
    server = SyncServer(clock, SeededRandomness("s"), store=store)
    a = Device(tmp_path / "a", server)
    await filled(a, 4)
    copy = await everything_in(store)
    a.write("n-00", "newer text")
    a.write("new-1", "made after the copy")
    await a.sync()
    a.forget("n-03")
    await a.sync()
    restored = RamObjects(clock)
    for key, data in copy.items():
        await restored.create(key, data)
    a2 = Device(tmp_path / "a", SyncServer(clock, SeededRandomness("s2"), store=restored))
    report = await a2.sync()
    assert report.cloud_was_reset
    await a2.settle()
    assert not a2.conflicts()
    assert a2.bodies()["n-00"] == "newer text"
    assert a2.bodies()["new-1"] == "made after the copy"
    b = Device(tmp_path / "b", a2.server)
    await b.sync()
    assert b.bodies() == a2.bodies()


async def everything_in(store: RamObjects) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    async for listed in store.list_under(""):
        reading = await store.read(listed.key)
        assert isinstance(reading, Found)
        found[listed.key] = reading.value
    return found


async def test_07_a_folder_that_is_gone_pauses_and_sends_no_deletion(device: Machine) -> None:
    a, b = device("a"), device("b")
    await filled(a, 5)
    await b.sync()
    a.folder_path.rename(a.folder_path.with_name("unplugged"))
    for _ in range(3):
        report = await a.sync()
        assert report.paused is not None
        assert report.paused.reason is PauseReason.FOLDER_GONE
    assert (await b.sync()).changed_nothing
    a.folder_path.with_name("unplugged").rename(a.folder_path)
    assert (await a.sync()).changed_nothing
    assert (await a.sync()).paused is None


async def test_07_a_folder_that_is_gone_is_filled_again_when_somebody_says_so(device: Machine) -> None:
    a = device("a")
    await filled(a, 5)
    for path in a.folder_path.iterdir():
        path.unlink()
    a.folder_path.rmdir()
    assert (await a.sync()).paused is not None
    confirm_paused(a.directory, Choice.RESTORE)
    report = await a.sync()
    assert len(report.added) == 5
    assert len(a.bodies()) == 5


async def test_07_all_files_gone_at_once_are_deleted_only_when_somebody_says_so(device: Machine) -> None:
    a, b = device("a"), device("b")
    await filled(a, 3)
    await b.sync()
    for path in a.folder_path.glob("*.md"):
        path.unlink()
    report = await a.sync()
    assert report.paused is not None
    assert report.paused.reason is PauseReason.ALL_MISSING
    confirm_paused(a.directory, Choice.DELETE)
    before = b.bodies()
    report = await a.sync()
    assert len(report.deleted) == 3
    assert {note_id: a.backed_up(note_id) for note_id in before} == {n: [body] for n, body in before.items()}
    await b.sync()
    assert b.bodies() == {}


async def test_few_files_deleted_by_hand_are_deleted_everywhere_on_the_second_pass(device: Machine) -> None:
    a, b = device("a"), device("b")
    await filled(a, 10)
    await b.sync()
    a.path("n-03").unlink()
    first = await a.sync()
    assert first.held_back == {"n-03": "missing"}
    second = await a.sync()
    assert second.deleted == ["n-03"]
    await b.sync()
    assert "n-03" not in b.bodies()
    assert b.backed_up("n-03") == ["text 3"]


async def test_08_a_checkout_that_takes_notes_away_sends_no_deletion(tmp_path: Path, server: SyncServer) -> None:
    a = Device(tmp_path / "a", server, scope=project_scope("shop"), replica="r1")
    root = a.project_root
    assert root is not None
    git(root, "init", "-q")
    git(root, "commit", "-q", "--allow-empty", "-m", "empty")
    git(root, "branch", "without")
    for number in range(30):
        a.write(f"n-{number:02}")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "notes")
    await a.settle()
    a.path("n-05").unlink()
    git(root, "commit", "-q", "-a", "-m", "one note less, from a branch")
    for _ in range(3):
        report = await a.sync()
        assert report.paused is not None
        assert report.paused.reason is PauseReason.HEAD_MOVED
    git(root, "checkout", "-q", "without")
    a.folder_path.mkdir(exist_ok=True)
    report = await a.sync()
    assert report.paused is not None
    assert len(report.paused.note_ids) == 30
    git(root, "checkout", "-q", "-")
    assert (await a.sync()).paused is not None
    confirm_paused(a.directory, Choice.RESTORE)
    report = await a.sync()
    assert report.added == ["n-05"]
    assert (await a.sync()).changed_nothing


@pytest.mark.parametrize("choice", Choice, ids=str)
async def test_08_notes_that_a_checkout_brings_back_or_sets_back_are_asked_about(
    tmp_path: Path, server: SyncServer, choice: Choice
) -> None:
    a, b = (Device(tmp_path / name, server, scope=project_scope("shop"), replica=name) for name in ("a", "b"))
    root = a.project_root
    assert root is not None
    git(root, "init", "-q")
    for note_id in ("deleted", "edited", "kept"):
        a.write(note_id, "old")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "old notes")
    git(root, "branch", "old")
    await settle_all(a, b)
    a.forget("deleted")
    a.write("edited", "new")
    git(root, "commit", "-q", "-a", "-m", "new notes")
    await settle_all(a, b)
    assert b.bodies() == {"edited": "new", "kept": "old"}

    git(root, "checkout", "-q", "old")
    report = await a.sync()

    assert report.paused == Paused(PauseReason.HEAD_MOVED, ("deleted", "edited"))
    await b.sync()
    assert b.bodies() == {"edited": "new", "kept": "old"}
    confirm_paused(a.directory, choice)
    await settle_all(a, b)
    edited = "old" if choice is Choice.MIX else "new"
    deleted = {} if choice is Choice.DELETE else {"deleted": "old"}
    assert a.bodies() == b.bodies() == deleted | {"edited": edited, "kept": "old"}
    assert "old" in [*a.backed_up("edited"), *a.bodies().values()]
    assert "new" in [*b.backed_up("edited"), *b.bodies().values()]


def git(folder: Path, *arguments: str) -> None:
    import subprocess

    who = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


async def test_11_a_conflict_is_never_resolved_by_overwriting(device: Machine) -> None:
    a, b = device("a"), device("b")
    a.write("n", "one")
    await settle_all(a, b)
    a.write("n", "A's")
    b.write("n", "B's")
    await a.sync()
    for _ in range(5):
        await b.sync()
        await a.sync()
    assert (a.bodies()["n"], b.bodies()["n"]) == ("A's", "B's")
    assert {"A's", "B's"} <= set(b.backed_up("n"))


async def test_12_files_that_a_power_cut_emptied_are_fetched_again(device: Machine) -> None:
    a, b = device("a"), device("b")
    await filled(a, 6)
    await b.sync()
    for name in ("n-00", "n-01", "n-02"):
        b.path(name).write_bytes(b"")
    report = await b.sync()
    assert sorted(report.changed) == ["n-00", "n-01", "n-02"]
    assert report.pushed == []
    assert b.bodies() == a.bodies()
    assert (await a.sync()).changed_nothing


async def test_13_on_a_full_disk_the_old_file_stays_and_the_baseline_does_not_move(
    tmp_path: Path, server: SyncServer
) -> None:
    full = False

    def fail(operation: str, path: Path) -> None:
        if full and operation == "write" and path.parent.name == "user":
            raise OSError(errno.ENOSPC, "No space left on device")

    a, b = Device(tmp_path / "a", server), Device(tmp_path / "b", server, files=FaultyFileSystem(fail))
    a.write("n", "one")
    await settle_all(a, b)
    a.write("n", "two")
    await a.sync()
    full = True
    with pytest.raises(StorageFailed):
        await b.sync()
    assert b.bodies() == {"n": "one"}
    full = False
    report = await b.sync()
    assert report.changed == ["n"]
    assert (await a.sync()).changed_nothing


async def test_14_a_second_pass_does_nothing_at_all(device: Machine) -> None:
    a, b = device("a"), device("b")
    await filled(a, 20)
    await b.sync()
    for _ in range(3):
        for machine in (a, b):
            report = await machine.sync()
            assert report.changed_nothing
            assert report.paused is None


async def test_17_weeks_without_sync_end_in_a_merge_or_a_conflict_and_never_in_an_overwrite(device: Machine) -> None:
    a, b = device("a"), device("b")
    a.write("apart", "one\ntwo\nthree")
    a.write("same", "one")
    await settle_all(a, b)
    a.write("apart", "ONE\ntwo\nthree")
    a.write("same", "A's")
    for week in range(3):
        b.write("apart", f"one\ntwo\nTHREE {week}")
        b.write("same", f"B's {week}")
        await b.sync()
    report = await a.sync()
    assert (report.merged, report.conflicts) == (["apart"], ["same"])
    assert a.bodies() == {"apart": "ONE\ntwo\nTHREE 2", "same": "A's"}


# --- resurrected deletions


async def test_18_deletions_whose_tombstones_expired_are_still_deletions(device: Machine, clock: FakeClock) -> None:
    a, b = device("a"), device("b")
    await filled(a, 200)
    await b.sync()
    for number in range(30):
        b.forget(f"n-{number:02}")
    await b.sync()
    clock.advance(100 * DAY)
    b.write("later")
    await b.sync()
    report = await a.sync()
    assert len(report.removed) == 30
    assert a.bodies() == b.bodies()
    assert a.backed_up("n-00") == ["text 0"]
    assert (await b.sync()).changed_nothing


async def test_18_many_of_them_ask_first(device: Machine, clock: FakeClock) -> None:
    a, b = device("a"), device("b")
    await filled(a, 50)
    await b.sync()
    for number in range(30):
        b.forget(f"n-{number:02}")
    await b.sync()
    report = await a.sync()
    assert report.paused is not None
    assert (report.paused.reason, len(report.paused.note_ids)) == (PauseReason.MANY_REMOVALS, 30)
    assert len(a.bodies()) == 50
    confirm_paused(a.directory, Choice.RESTORE)
    await a.sync()
    await b.sync()
    assert len(a.bodies()) == len(b.bodies()) == 50


async def test_20_an_old_copy_of_a_deleted_note_is_deleted_and_not_pushed_back(device: Machine) -> None:
    a, b = device("a"), device("b")
    await filled(a, 5)
    await b.sync()
    b.write("n-01", "a newer text")
    await b.sync()
    b.forget("n-01")
    b.forget("n-02")
    await b.sync()
    (a.directory.state.folder / "baseline.json").unlink()
    report = await a.sync()
    assert sorted(report.removed) == ["n-01", "n-02"]
    assert a.backed_up("n-01") == ["text 1"]
    await b.sync()
    assert sorted(b.bodies()) == ["n-00", "n-03", "n-04"]


async def test_22_a_note_deleted_while_another_pass_runs_stays_deleted(device: Machine) -> None:
    a, b = device("a"), device("b")
    await filled(a, 3)
    await b.sync()
    a.write("n-02", "edited so that b has something to pull")
    await a.sync()

    class DeletesMeanwhile(Between):
        async def listing(self, request: ListingRequest) -> ListingAnswer:
            answer = await self.through.listing(request)
            a.forget("n-01")
            await a.sync()
            return answer

    await DeletesMeanwhile(b).sync()
    for _ in range(2):
        await b.sync()
        await a.sync()
    assert sorted(a.bodies()) == sorted(b.bodies()) == ["n-00", "n-02"]


async def test_24_a_deletion_survives_a_crash_before_its_commit(tmp_path: Path, server: SyncServer) -> None:
    a = Device(tmp_path / "a", server)
    await filled(a, 3)
    a.forget("n-01")

    class CrashesBeforeCommit(Between):
        async def commit(self, request: CommitRequest, body: bytes) -> CommitAnswer:
            raise Crashed

    with pytest.raises(Crashed):
        await CrashesBeforeCommit(a).sync()
    again = Device(tmp_path / "a", server)
    report = await again.sync()
    assert sorted(again.bodies()) == ["n-00", "n-02"]
    assert (await again.sync()).changed_nothing
    assert report.version == 2


# --- duplicates, lost answers


async def test_25_a_lost_answer_is_asked_for_again_and_nothing_is_done_twice(device: Machine) -> None:
    a = device("a")
    a.write("n", "one")
    losses = 3

    class LosesAnswers(Between):
        async def commit(self, request: CommitRequest, body: bytes) -> CommitAnswer:
            nonlocal losses
            answer = await self.through.commit(request, body)
            if losses:
                losses -= 1
                raise ServiceUnreachable("https://sync.test", "lost")
            assert answer.replayed
            return answer

    for _ in range(3):
        with pytest.raises(ServiceUnreachable):
            await LosesAnswers(a).sync()
    report = await LosesAnswers(a).sync()
    assert report.pushed == ["n"]
    assert a.baseline().version == 1


async def test_31_a_pull_over_a_file_with_a_bom_leaves_one_frontmatter_block(device: Machine) -> None:
    a, b = device("a"), device("b")
    a.write("n", "one")
    await settle_all(a, b)
    b.path("n").write_bytes(b"\xef\xbb\xbf\n" + b.path("n").read_bytes())
    assert (await b.sync()).changed_nothing
    a.write("n", "two")
    await settle_all(a, b)
    assert b.path("n").read_text(encoding="utf-8").count("---\n") == 2
    assert b.bodies() == {"n": "two"}


async def test_34_a_corrupt_hash_in_the_baseline_heals_or_conflicts_and_is_never_silent(device: Machine) -> None:
    a, b = device("a"), device("b")
    await filled(a, 3)
    await b.sync()
    baseline = b.baseline()
    entry = baseline.entry("n-01")
    assert isinstance(entry.agreed, AgreedOn)
    corrupt = replace(entry, agreed=AgreedOn(Version("f" * 64, entry.agreed.version.revision)))
    b.directory.state.save_baseline(with_entries(baseline, {"n-01": corrupt}))
    await settle_all(b, a)
    assert a.bodies() == b.bodies()
    assert b.baseline().entry("n-01").agreed == entry.agreed


# --- clocks, names, bytes


async def test_38_clocks_that_are_wrong_decide_nothing(tmp_path: Path, server: SyncServer, clock: FakeClock) -> None:
    a, b = Device(tmp_path / "a", server), Device(tmp_path / "b", server)
    a.write("n", "one\ntwo\nthree")
    await settle_all(a, b)
    clock.set_wall_clock(clock.now_ms() + 3_600_000)
    a.write("n", "ONE\ntwo\nthree")
    clock.set_wall_clock(clock.now_ms() - 10 * 365 * DAY * 1000)
    b.write("n", "one\ntwo\nTHREE")
    clock.set_wall_clock(clock.now_ms() + 10 * 365 * DAY * 1000)
    await settle_all(a, b)
    assert a.bodies() == b.bodies() == {"n": "ONE\ntwo\nTHREE"}


async def test_39_an_edit_during_the_upload_is_still_an_edit(device: Machine) -> None:
    a, b = device("a"), device("b")
    a.write("n", "one")

    class EditsMeanwhile(Between):
        async def commit(self, request: CommitRequest, body: bytes) -> CommitAnswer:
            answer = await self.through.commit(request, body)
            if len(request.changes) == 1 and a.bodies()["n"] == "one":
                a.write("n", "two")
            return answer

    await EditsMeanwhile(a).sync()
    agreed = a.baseline().entry("n").agreed
    note = a.note("n")
    assert note is not None
    assert isinstance(agreed, AgreedOn)
    assert agreed.version.hash == content_hash(replace(note, body="one"))
    await settle_all(a, b)
    assert b.bodies() == {"n": "two"}


async def test_40_a_note_that_differs_in_letter_case_is_held_back(device: Machine) -> None:
    a, b = device("a"), device("b")
    a.write("n")
    await settle_all(a, b)
    a.write("Foo", "upper")
    await a.sync()
    b.write("foo", "lower")
    report = await b.sync()
    assert report.held_back == {"foo": "id_case_collision", "Foo": "id_case_collision"}
    assert b.bodies() == {"foo": "lower", "n": "text"}


async def test_40_a_change_of_letter_case_arrives_as_one_note(device: Machine) -> None:
    a, b = device("a"), device("b")
    await filled(a, 8)
    a.write("Foo", "text")
    await settle_all(a, b)
    a.path("Foo").unlink()
    a.write("foo", "text")
    await a.settle()
    await a.sync()
    await b.sync()
    assert [n for n in b.bodies() if n.lower() == "foo"] == ["foo"]
    assert [n for n in a.bodies() if n.lower() == "foo"] == ["foo"]


async def test_42_a_checkout_with_other_line_ends_uploads_nothing(device: Machine) -> None:
    a = device("a")
    await filled(a, 4)
    for path in a.folder_path.glob("*.md"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    report = await a.sync()
    assert report.changed_nothing
    assert b"\r\n" in a.path("n-00").read_bytes()


async def test_43_unknown_keys_survive_an_edit_elsewhere(device: Machine) -> None:
    a, b = device("a"), device("b")
    a.write("n", "one", extra={"x": {"deep": [1, None]}})
    await settle_all(a, b)
    b.write("n", "two")
    await settle_all(a, b)
    note = a.note("n")
    assert note is not None
    assert (note.body, note.extra) == ("two", {"x": {"deep": [1, None]}})


# --- scale, accounts, stores


async def test_44_a_first_sync_goes_on_where_it_was_interrupted(tmp_path: Path, clock: FakeClock) -> None:
    from oharness.protocol.quotas import Quota

    server = SyncServer(clock, SeededRandomness("s"), quota=Quota(max_response_bytes=20_000))
    a, b = Device(tmp_path / "a", server), Device(tmp_path / "b", server)
    for number in range(200):
        a.write(f"n-{number:03}", "x" * 400)
    await a.sync()
    fetched: list[str] = []

    class DiesAfterThreePages(Between):
        pages = 0

        async def bodies(self, request: BodiesRequest) -> BodiesAnswer:
            self.pages += 1
            if self.pages > 3:
                raise ServiceUnreachable("https://sync.test", "unplugged")
            answer = await self.through.bodies(request)
            fetched.extend(sent.id for sent in answer.notes)
            return answer

    with pytest.raises(ServiceUnreachable):
        await DiesAfterThreePages(b).sync()
    so_far = len(b.bodies())
    assert 0 < so_far < 200

    class Counts(Between):
        async def bodies(self, request: BodiesRequest) -> BodiesAnswer:
            answer = await self.through.bodies(request)
            fetched.extend(sent.id for sent in answer.notes)
            return answer

    await Counts(b).sync()
    assert b.bodies() == a.bodies()
    assert len(fetched) == len(set(fetched))


async def test_a_free_account_over_its_limit_keeps_every_note_and_is_told_why(tmp_path: Path, clock: FakeClock) -> None:
    from oharness.protocol.quotas import PlanLimits

    server = SyncServer(clock, SeededRandomness("s"), free_limits=PlanLimits(3, 1000))
    a = Device(tmp_path / "a", server, plan="free")
    for number in range(5):
        a.write(f"n-{number}")
    a.write("long", "x" * 2000)
    report = await a.sync()
    assert len(report.pushed) == 3
    assert sorted(report.held_back.values()) == ["plan_note_bytes", "plan_notes", "plan_notes"]
    assert len(a.bodies()) == 6
    quiet = await a.sync()
    assert (quiet.requests, quiet.pushed) == (1, [])
    assert quiet.held_back == report.held_back
    a.forget(report.pushed[0])
    assert len((await a.settle()).held_back) == 2
