from collections.abc import Sequence

import pytest

from oharness.core.scopes import ScopeKind
from oharness.notes.entry import NoteEntry
from oharness.recall.choose import NoteKey, Reason, RecallLimits, attached, choose, linked_notes
from oharness.recall.score import candidates
from oharness.testing.note_store import NoteStore, entry_of

pytestmark = pytest.mark.memory
LIMITS = RecallLimits(per_turn=3, budget_chars=2000, min_score=1.2)


def recalled(
    store: NoteStore, message: str, already: Sequence[NoteKey] = (), limits: RecallLimits = LIMITS
) -> list[str]:
    return [one.entry.id for one in attached(choose(candidates(message, [store.source()]), limits, already))]


@pytest.fixture
def team(store: NoteStore) -> NoteStore:
    store.put("port", "Staging server listens on port 8081", ["staging", "deploy"])
    store.put("style", "Pricing cards use fills, not borders", ["design"])
    store.put("tests", "Run the integration tests with make integration", ["testing"], "The cafeteria closes at nine.")
    return store


def test_a_message_about_a_note_gets_it(team: NoteStore) -> None:
    assert recalled(team, "which port does the staging server use?") == ["port"]


@pytest.mark.parametrize("message", ["hi", "thanks", "continue", "QQQQ nothing here", "what time is it?", ""])
def test_small_talk_gets_nothing(team: NoteStore, message: str) -> None:
    assert recalled(team, message) == []


def test_a_body_alone_is_never_enough(team: NoteStore) -> None:
    assert recalled(team, "when does the cafeteria close, at nine?") == []


def test_a_note_attached_before_is_not_attached_again(team: NoteStore) -> None:
    assert recalled(team, "staging server port", [(ScopeKind.PROJECT, "port")]) == []


def test_no_more_than_per_turn(store: NoteStore) -> None:
    for number in range(6):
        store.put(f"n{number}", f"Kafka consumer group rebalancing, part {number}")
    verdicts = choose(candidates("kafka consumer group rebalancing", [store.source()]), LIMITS, ())
    assert [verdict.reason for verdict in verdicts].count(Reason.ATTACHED) == 3
    assert [verdict.reason for verdict in verdicts].count(Reason.PER_TURN) == 3


def test_links_are_followed_once_and_never_to_an_attached_note(store: NoteStore) -> None:
    store.put_entry(entry_of("a", "Kafka consumer groups", links=["b", "c", "missing"]))
    store.put_entry(entry_of("b", "Kafka consumer lag", links=["c", "d"]))
    store.put_entry(entry_of("c", "Retention is seven days", links=["d"]))
    store.put_entry(entry_of("d", "Disks are rented"))
    found = attached(choose(candidates("kafka consumer", [store.source()]), LIMITS, ()))

    def resolve(scope: ScopeKind, link: str) -> tuple[ScopeKind, NoteEntry] | None:
        entry = store.index.entry(link)
        return (scope, entry) if entry else None

    assert [one.entry.id for one in found] == ["a", "b"]
    assert [entry.id for _, entry in linked_notes(found, resolve)] == ["c", "d"]
