"""Tidying of a real memory: findings, dismissals, drafts, merges, and the way back."""

import asyncio
import json
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from oharness.config.schema import default_settings
from oharness.core.errors import OharnessError
from oharness.core.scopes import Scope, ScopeKind
from oharness.disk.backups import BackupReason
from oharness.disk.filesystem import FileSystem
from oharness.memory.credential_gate import CredentialFound
from oharness.memory.forget import forget
from oharness.memory.remember import RememberRequest, remember
from oharness.memory.scopes import Memory
from oharness.memory.service import NoteNotFound
from oharness.memory.tidying import (
    Committed,
    FactsMissing,
    Merged,
    NoSuchFinding,
    NotOneScope,
    PlannedMerge,
    Tidying,
    apply_merge,
)
from oharness.notes.batch import NoteBatch, NotesChanged
from oharness.notes.frontmatter import parse_note
from oharness.notes.limits import NoteTooLarge
from oharness.testing.faults import Crashed, FaultyFileSystem, counted
from oharness.tidy.findings import Finding, FindingKind
from oharness.tidy.merge_draft import DraftUnusable, MergeDraft
from oharness.tidy.merge_plan import TooFewToMerge
from tests.tidy.conftest import bodies_of_notes

pytestmark = pytest.mark.memory
World = Any
OLD = 1_700_000_000_000
LATER = 1_750_000_000_000


def put_two(world: World) -> None:
    """Two notes of one subject, and one that links to the newer."""
    world.put("old-1aa", summary="Deploys run on Thursdays", body="At 14:30.", tags=("deploy",), created_at=OLD)
    world.put("new-2bb", summary="We deploy on Thursdays", body="With `make ship`.", tags=("ship",), created_at=LATER)
    world.put("other-3cc", summary="How the office smells", body="See [[new-2bb]], `[[new-2bb]]` is code.")


def planned(tidying: Tidying, *ids: str, body: str | None = None, **options: Any) -> PlannedMerge:
    originals = tidying.originals(ids)
    joined = tidying.joined(originals)
    return tidying.plan(originals, MergeDraft(joined.summary, joined.body if body is None else body), **options)


def merge(tidying: Tidying, *ids: str, **options: Any) -> Merged:
    return asyncio.run(apply_merge(tidying, planned(tidying, *ids, **options)))


def texts(world: World) -> Mapping[str, str]:
    return {path.stem: path.read_text() for path in sorted(world.notes.glob("*.md"))}


def bodies(world: World) -> Mapping[str, str]:
    return {path.stem: parse_note(path.read_bytes(), path.name).body for path in sorted(world.notes.glob("*.md"))}


def kinds(tidying: Tidying) -> list[tuple[FindingKind, tuple[str, ...]]]:
    return [(one.kind, one.notes) for one in tidying.findings()]


def one_of(tidying: Tidying, kind: FindingKind) -> Finding:
    return next(one for one in tidying.findings() if one.kind is kind)


class TestFindings:
    def test_all_five_kinds_are_found_with_the_notes_they_are_about(self, world: World) -> None:
        put_two(world)
        world.put("links-4dd", summary="Links around", body="[[nowhere-1xx]] but `[[page]]` is code")
        world.put("paths-5ee", summary="Where the parser is", body="In `src/parser.py`, not in src/gone.py")
        world.put("long-6ff", summary="Everything about everything", body="word " * 1601)
        world.put("stale-7gg", summary="Nobody asked", updated_at=OLD)
        (world.root / "src").mkdir()
        (world.root / "src" / "parser.py").write_text("")
        found = {one.kind: (one.notes, one.details) for one in Tidying(world.open()).findings()}
        assert found[FindingKind.SAME_SUBJECT][0] == ("old-1aa", "new-2bb")
        assert found[FindingKind.BROKEN_LINK] == (("links-4dd",), ("nowhere-1xx",))
        assert found[FindingKind.MISSING_FILE] == (("paths-5ee",), ("src/gone.py",))
        assert found[FindingKind.TOO_LONG] == (("long-6ff",), ("8005",))
        assert found[FindingKind.UNUSED][0] == ("stale-7gg",)

    def test_reviewing_writes_nothing_at_all(self, world: World) -> None:
        put_two(world)
        memory = world.read()
        before = {path: path.read_bytes() for path in world.root.rglob("*") if path.is_file()}
        assert Tidying(memory).findings()
        assert {path: path.read_bytes() for path in world.root.rglob("*") if path.is_file()} == before
        assert not world.home.exists()

    def test_a_dismissal_holds_in_the_next_process_until_a_note_is_edited_by_hand(self, world: World) -> None:
        put_two(world)
        tidying = Tidying(world.open())
        tidying.dismiss(one_of(tidying, FindingKind.SAME_SUBJECT).id)
        assert kinds(Tidying(world.open())) == []
        assert kinds(Tidying(world.read())) == []
        world.put("new-2bb", summary="We deploy on Thursdays", body="edited", created_at=LATER)
        assert kinds(tidying) == [(FindingKind.SAME_SUBJECT, ("old-1aa", "new-2bb"))]

    def test_dismissing_what_is_not_there_is_an_error(self, world: World) -> None:
        with pytest.raises(NoSuchFinding):
            Tidying(world.open()).dismiss("same-subject-0000000000")

    def test_recalling_a_note_makes_it_used_again(self, world: World) -> None:
        world.put("stale-7gg", summary="Nobody asked", updated_at=OLD)
        memory = world.open()
        tidying = Tidying(memory)
        assert kinds(tidying) == [(FindingKind.UNUSED, ("stale-7gg",))]
        assert memory.project is not None
        memory.project.usage.count_recalls(["stale-7gg"])
        assert kinds(tidying) == []

    def test_the_number_of_days_is_a_setting(self, world: World) -> None:
        world.put("stale-7gg", summary="Nobody asked", updated_at=OLD)
        consolidate = replace(default_settings().memory.consolidate, unused_days=36_500)
        assert kinds(Tidying(world.open(consolidate=consolidate))) == []


class TestMerging:
    def test_the_oldest_stays_the_other_goes_links_follow_and_all_is_backed_up(self, world: World) -> None:
        put_two(world)
        memory = world.open()
        done = merge(Tidying(memory), "new-2bb", "old-1aa")
        assert (done.kept, done.deleted, done.relinked, done.missing) == ("old-1aa", ("new-2bb",), ("other-3cc",), ())
        assert set(texts(world)) == {"old-1aa", "other-3cc"}
        assert "[[old-1aa]], `[[new-2bb]]` is code." in texts(world)["other-3cc"]
        kept = parse_note((world.notes / "old-1aa.md").read_bytes(), "old-1aa.md")
        assert (kept.created_at, kept.tags) == (OLD, ("deploy", "ship"))
        assert kept.body == "At 14:30.\n\n## We deploy on Thursdays\n\nWith `make ship`."
        reasons = {backup.note_id: backup.reason for backup in memory.backups.latest()}
        assert reasons == dict.fromkeys(("old-1aa", "new-2bb", "other-3cc"), BackupReason.MERGE)
        assert kinds(Tidying(memory)) == []

    def test_undoing_a_merge_brings_everything_back_as_it_was(self, world: World) -> None:
        put_two(world)
        before = bodies(world)
        tidying = Tidying(world.open())
        done = merge(tidying, "new-2bb", "old-1aa")
        tidying.undo_merge(done.backups)
        assert bodies(world) == before
        assert kinds(tidying) == [(FindingKind.SAME_SUBJECT, ("old-1aa", "new-2bb"))]

    def test_a_merge_planned_from_notes_that_changed_since_is_refused(self, world: World) -> None:
        put_two(world)
        tidying = Tidying(world.open())
        seen = tidying.originals(["old-1aa", "new-2bb"]).hashes
        ready = planned(tidying, "old-1aa", "new-2bb")
        world.put("new-2bb", summary="We deploy on Thursdays", body="An edit by hand.", created_at=LATER)
        before = texts(world)
        with pytest.raises(NotesChanged):
            asyncio.run(apply_merge(tidying, ready))
        with pytest.raises(NotesChanged):
            planned(tidying, "old-1aa", "new-2bb", seen=seen)
        assert texts(world) == before
        assert tidying.memory.backups.latest() == []

    def test_a_link_that_somebody_wrote_since_refuses_the_merge_of_that_note_alone(self, world: World) -> None:
        put_two(world)
        tidying = Tidying(world.open())
        ready = planned(tidying, "old-1aa", "new-2bb")
        world.put("other-3cc", summary="How the office smells", body="No link any more.")
        with pytest.raises(NotesChanged) as refused:
            asyncio.run(apply_merge(tidying, ready))
        assert refused.value.note_ids == ("other-3cc",)

    def test_a_text_that_lacks_facts_is_refused_until_the_loss_is_accepted(self, world: World) -> None:
        put_two(world)
        tidying = Tidying(world.open())
        before = texts(world)
        with pytest.raises(FactsMissing) as refused:
            merge(tidying, "old-1aa", "new-2bb", body="With `make ship`.")
        assert refused.value.missing == ("14:30",)
        assert texts(world) == before
        done = merge(tidying, "old-1aa", "new-2bb", body="With `make ship`.", accept_loss=True)
        assert [fact.text for fact in done.missing] == ["14:30"]

    def test_a_body_over_the_announced_limit_is_refused(self, world: World) -> None:
        put_two(world)
        memory = world.open()
        assert Tidying(memory, lambda scope: 40).originals(["old-1aa", "new-2bb"]).kept == "old-1aa"
        with pytest.raises(NoteTooLarge):
            merge(Tidying(memory, lambda scope: 40), "old-1aa", "new-2bb")
        with pytest.raises(NoteTooLarge):
            merge(Tidying(world.open(max_note_bytes=1024)), "old-1aa", "new-2bb", body="x" * 1025, accept_loss=True)
        assert set(texts(world)) == {"old-1aa", "new-2bb", "other-3cc"}

    def test_notes_of_two_scopes_or_one_note_or_none_are_no_merge(self, world: World) -> None:
        put_two(world)
        memory = world.open()
        remember(memory, RememberRequest(summary="Mine", id="mine-1zz", scope=ScopeKind.USER))
        tidying = Tidying(memory)
        with pytest.raises(NotOneScope):
            tidying.originals(["old-1aa", "mine-1zz"])
        with pytest.raises(TooFewToMerge):
            tidying.originals(["old-1aa", "old-1aa"])
        with pytest.raises(NoteNotFound):
            tidying.originals(["old-1aa", "gone-9zz"])

    def test_a_credential_that_somebody_typed_into_a_file_is_neither_merged_nor_shown_to_a_model(
        self, world: World
    ) -> None:
        put_two(world)
        secret = "ghp_" + "a1B2" * 9
        world.put("new-2bb", summary="We deploy on Thursdays", body=f"token {secret}", created_at=LATER)
        tidying = Tidying(world.open())
        originals = tidying.originals(["old-1aa", "new-2bb"])
        with pytest.raises(CredentialFound):
            tidying.question(originals)
        with pytest.raises(CredentialFound):
            merge(tidying, "old-1aa", "new-2bb")
        with pytest.raises(CredentialFound):
            merge(tidying, "old-1aa", "other-3cc", body=f"At 14:30 {secret}", accept_loss=True)
        assert set(texts(world)) == {"old-1aa", "new-2bb", "other-3cc"}

    def test_two_dated_status_notes_are_never_one_subject_and_merging_them_keeps_both_records(
        self, world: World
    ) -> None:
        world.put("s-1", summary="Status 2026-03-04", body="Queue at 40.", created_at=OLD)
        world.put("s-2", summary="Status 2026-03-11", body="Queue at 7.", created_at=LATER)
        tidying = Tidying(world.open())
        assert kinds(tidying) == []
        with pytest.raises(FactsMissing) as refused:
            merge(tidying, "s-1", "s-2", body="Queue at 7.")
        assert set(refused.value.missing) == {"40"} | {"2026-03-11"}
        merge(tidying, "s-1", "s-2")
        assert "Status 2026-03-11" in bodies(world)["s-1"]

    def test_with_sync_on_the_cloud_is_asked_first_and_a_refusal_changes_nothing(self, world: World) -> None:
        put_two(world)
        tidying = Tidying(world.open())
        before = texts(world)
        asked: list[tuple[Scope, NoteBatch]] = []

        async def refuse(scope: Scope, batch: NoteBatch) -> Committed | None:
            asked.append((scope, batch))
            raise NotesChanged(("new-2bb",))

        ready = planned(tidying, "old-1aa", "new-2bb")
        with pytest.raises(NotesChanged):
            asyncio.run(apply_merge(tidying, ready, refuse))
        assert asked == [(ready.scope, ready.plan.batch)]
        assert texts(world) == before
        assert tidying.memory.backups.latest() == []

    def test_a_models_draft_is_checked_as_anybodys(self, world: World) -> None:
        put_two(world)
        tidying = Tidying(world.open())
        originals = tidying.originals(["old-1aa", "new-2bb"])
        good = json.dumps({"summary": "Deploys run on Thursdays", "body": "At 14:30, we deploy with `make ship`."})
        draft = tidying.answered(originals, good)
        assert (draft.missing, draft.tags, draft.limit_bytes) == ((), ("deploy", "ship"), 131_072)
        lossy = json.dumps({"summary": "Deploys on Thursdays", "body": "We deploy."})
        assert [fact.text for fact in tidying.answered(originals, lossy).missing] == ["14:30", "make ship"]
        with pytest.raises(DraftUnusable):
            tidying.answered(originals, "Sure! Here it is.")
        with pytest.raises(NoteTooLarge):
            tidying.answered(originals, json.dumps({"summary": "S", "body": "x" * 200_000}))


class TestCrashes:
    """A merge that dies at any operation: old or new, everything in the backups, and finished by the next run."""

    def fresh(self, world: World) -> None:
        for folder in (world.root, world.home):
            shutil.rmtree(folder, ignore_errors=True)
        world.root.mkdir()
        put_two(world)

    def test_after_a_crash_at_every_operation_the_next_run_finds_all_old_or_all_new(self, world: World) -> None:
        self.fresh(world)
        old = bodies(world)
        merge(Tidying(world.open()), "old-1aa", "new-2bb")
        new = bodies(world)
        seen = set()
        for number in range(400):
            self.fresh(world)
            switch = Switch()
            files = FaultyFileSystem(switch)
            tidying = Tidying(world.open(files))
            ready = planned(tidying, "old-1aa", "new-2bb")
            switch.fault = counted(number, Crashed())
            files.operations.clear()
            with suppress(Crashed, OharnessError):
                tidying.merge_here(ready)
            halfway = bodies(world)
            assert set(halfway) >= {"old-1aa", "other-3cc"}
            saved = {backup.note_id for backup in world.open(FileSystem()).backups.latest()}
            found = bodies(world)
            assert found in (old, new), number
            assert found == old or saved == {"old-1aa", "new-2bb", "other-3cc"}
            seen.add(found == new)
            if len(files.operations) <= number:
                break
        else:
            raise AssertionError("the merge never came to its end")
        assert seen == {True, False}

    def test_what_somebody_edited_after_the_crash_stays_as_it_is(self, world: World) -> None:
        for victim in ("old-1aa", "new-2bb", "other-3cc"):
            for number in range(15, 80, 9):
                self.fresh(world)
                switch = Switch()
                files = FaultyFileSystem(switch)
                tidying = Tidying(world.open(files))
                ready = planned(tidying, "old-1aa", "new-2bb")
                switch.fault = counted(number, Crashed())
                with suppress(Crashed, OharnessError):
                    tidying.merge_here(ready)
                if victim not in bodies(world):
                    continue
                world.put(victim, summary="Edited by hand", body="Edited by hand.", created_at=OLD)
                after = world.open()
                assert bodies(world)[victim] == "Edited by hand."
                self.nothing_is_lost(world, after, victim)

    def nothing_is_lost(self, world: World, memory: Memory, edited: str) -> None:
        """What the person replaced by hand is theirs to lose."""
        everywhere = "\n".join([*texts(world).values(), *(b.data.decode() for b in memory.backups.latest())])
        for note_id, text in (("old-1aa", "At 14:30."), ("new-2bb", "With `make ship`.")):
            assert note_id == edited or text in everywhere

    def test_a_full_disk_refuses_the_merge_and_the_next_one_goes_through(self, world: World) -> None:
        self.fresh(world)
        switch = Switch()
        tidying = Tidying(world.open(FaultyFileSystem(switch)))
        ready = planned(tidying, "old-1aa", "new-2bb")

        def full(operation: str, path: Path) -> None:
            if operation == "write":
                raise OSError(28, "No space left on device", str(path))

        switch.fault = full
        with pytest.raises(OharnessError):
            tidying.merge_here(ready)
        switch.fault = None
        assert merge(Tidying(world.open()), "old-1aa", "new-2bb").kept == "old-1aa"


class Switch:
    """No fault until one is set."""

    fault: Any = None

    def __call__(self, operation: str, path: Path) -> None:
        if self.fault is not None:
            self.fault(operation, path)


@seed(20261130)
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts_of=st.lists(bodies_of_notes(), min_size=2, max_size=4))
def test_merging_all_texts_joined_together_loses_no_fact_and_no_line(world: World, texts_of: list[str]) -> None:
    shutil.rmtree(world.notes, ignore_errors=True)
    for number, body in enumerate(texts_of):
        world.put(f"n{number}", summary=f"About the thing {number}", body=body, created_at=OLD + number)
    memory = world.open()
    tidying = Tidying(memory)
    before = [line for body in bodies(world).values() for line in body.split("\n") if line.strip()]
    ids = list(bodies(world))
    done = merge(tidying, *ids)
    after = bodies(world)
    assert done.missing == ()
    assert list(after) == ["n0"]
    kept = after["n0"]
    links = {f"[[n{number}]]" for number in range(1, len(ids))}
    assert all(line in kept for line in before if not any(link in line for link in links))
    tidying.undo_merge(done.backups)
    assert sorted(bodies(world)) == sorted(ids)
    memory.close()


def test_forgetting_a_note_of_a_finding_takes_the_finding_away(world: World) -> None:
    put_two(world)
    memory = world.open()
    tidying = Tidying(memory)
    assert tidying.findings()
    forget(memory, "new-2bb", None)
    assert kinds(tidying) == [(FindingKind.BROKEN_LINK, ("other-3cc",))]
