from typing import Any

import pytest

from oharness.core.scopes import ScopeKind
from oharness.memory.recall import count_recalled, explain_recall, recall_for_message
from oharness.recall.attachment import from_metadata
from oharness.recall.choose import Reason
from oharness.testing.faults import FaultyFileSystem

pytestmark = pytest.mark.memory
World = Any

ABOUT_DEPLOYS = "When do we deploy on Thursdays?"


def test_a_fitting_note_goes_with_the_message_and_its_metadata(world: World) -> None:
    world.put(
        "deploys", summary="We deploy on Thursdays", body="Never before a holiday. [[holidays]]", tags=("release",)
    )
    world.put("holidays", summary="The office calendar")
    memory = world.open()
    found = recall_for_message(memory, ABOUT_DEPLOYS)
    assert [one.note.id for one in found.attached] == ["deploys"]
    assert [one.id for one in found.linked] == ["holidays"]
    assert "Never before a holiday." in found.block
    [kept] = from_metadata(found.metadata)
    entry = memory.project.entry("deploys")
    assert (kept.scope, kept.id, kept.hash) == (ScopeKind.PROJECT, "deploys", entry.hash)


def test_nothing_fitting_attaches_nothing(world: World) -> None:
    world.put("deploys", summary="We deploy on Thursdays")
    found = recall_for_message(world.open(), "thanks, that was it")
    assert (found.block, found.metadata, found.notices) == ("", {}, ())


def test_a_note_attached_already_stays_out(world: World) -> None:
    world.put("deploys", summary="We deploy on Thursdays")
    memory = world.open()
    assert recall_for_message(memory, ABOUT_DEPLOYS, {(ScopeKind.PROJECT, "deploys")}).attached == ()
    assert recall_for_message(memory, ABOUT_DEPLOYS, {(ScopeKind.USER, "deploys")}).attached != ()


def test_a_note_dropped_in_by_hand_is_recalled_by_the_next_message(world: World) -> None:
    memory = world.open()
    path = world.put("deploys", summary="We deploy on Thursdays")
    assert recall_for_message(memory, ABOUT_DEPLOYS).attached != ()
    path.unlink()
    assert recall_for_message(memory, ABOUT_DEPLOYS).attached == ()


def test_a_credential_typed_in_by_hand_is_not_shown_to_the_model(world: World) -> None:
    world.put("deploys", summary="We deploy on Thursdays", body="the password is Tr0ub4dor&3")
    world.put("other", summary="Who may deploy on Thursdays: Ann", body="[[secret]]")
    world.put("secret", summary="postgres://u:hunter2@db/x")
    found = recall_for_message(world.open(), ABOUT_DEPLOYS)
    assert [one.note.id for one in found.attached] == ["other"]
    assert "Tr0ub4dor" not in found.block
    assert "hunter2" not in found.block
    [notice] = found.notices
    assert (notice.key, notice.fields["id"]) == ("credential-not-recalled", "deploys")


def test_counting_is_a_step_of_its_own(world: World) -> None:
    world.put("deploys", summary="We deploy on Thursdays")
    memory = world.open()
    found = recall_for_message(memory, ABOUT_DEPLOYS)
    assert memory.project.uses() == {}
    count_recalled(memory, found)
    count_recalled(memory, found)
    assert memory.project.uses() == {"deploys": 2}
    assert memory.user.uses() == {}


def test_recall_that_fails_never_stops_a_message(world: World) -> None:
    world.put("deploys", summary="We deploy on Thursdays")
    broken = False

    def fail(operation: str, path: object) -> None:
        if broken and operation == "list":
            raise OSError(5, "Input/output error")

    memory = world.open(FaultyFileSystem(fail))
    broken = True
    found = recall_for_message(memory, ABOUT_DEPLOYS)
    assert found.block == ""
    assert [notice.key for notice in found.notices] == ["recall-failed"]


def test_a_count_that_cannot_be_written_is_passed_over(world: World) -> None:
    world.put("deploys", summary="We deploy on Thursdays")
    memory = world.open()
    found = recall_for_message(memory, ABOUT_DEPLOYS)
    (world.home / "memory-usage").write_text("a file in the way")
    count_recalled(memory, found)
    assert memory.project.uses() == {}


def test_every_candidate_is_explained(world: World) -> None:
    world.put("deploys", summary="We deploy on Thursdays")
    world.put("body", summary="Something else", body="deploy")
    explained = explain_recall(world.open(), ABOUT_DEPLOYS)
    assert {one.candidate.entry.id: one.reason for one in explained.verdicts} == {"deploys": "", "body": "body-only"}
    assert explained.min_score == 1.2


def test_why_says_that_a_note_with_a_credential_is_withheld(world: World) -> None:
    world.put("deploys", summary="We deploy on Thursdays", body="the password is Tr0ub4dor&3")
    world.put("other", summary="Who may deploy on Thursdays: Ann")
    explained = explain_recall(world.open(), ABOUT_DEPLOYS)
    assert {one.candidate.entry.id: one.reason for one in explained.verdicts} == {
        "deploys": Reason.CREDENTIAL,
        "other": Reason.ATTACHED,
    }


def test_a_withheld_note_leaves_its_place_to_the_next(world: World) -> None:
    for number in range(4):
        world.put(
            f"kafka-{number}", summary=f"Kafka consumer rebalancing {number}", updated_at=1_788_000_000_000 + number
        )
    world.put("kafka-3", summary="Kafka consumer rebalancing 3", body="the password is Tr0ub4dor&3")
    memory = world.open()
    found = recall_for_message(memory, "kafka consumer rebalancing")
    explained = explain_recall(memory, "kafka consumer rebalancing")
    attached = [one.candidate.entry.id for one in explained.verdicts if one.attached]
    assert [one.note.id for one in found.attached] == attached
    assert sorted(attached) == ["kafka-0", "kafka-1", "kafka-2"]
