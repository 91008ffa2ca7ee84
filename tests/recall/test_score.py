"""What a score promises: it means the same in every collection, and what lifts it is what was written."""

import pytest

from oharness.recall.score import Candidate, Source, candidates, fitting
from oharness.testing.note_store import NoteStore

pytestmark = pytest.mark.memory
MESSAGE = "which port does the staging server use?"
FILLERS = (
    "Invoices are numbered without gaps",
    "Feature branches are rebased before review",
    "Timestamps are stored in UTC",
    "Exports use semicolons",
    "Cookies stay lax because of the partner redirect",
)


def scores(source: Source, message: str = MESSAGE) -> dict[str, float]:
    return {one.entry.id: one.score for one in candidates(message, [source])}


def ranked(store: NoteStore, message: str, uses: dict[str, int] | None = None) -> list[str]:
    return [one.entry.id for one in candidates(message, [store.source(uses)])]


def with_others(count: int) -> NoteStore:
    store = NoteStore()
    store.put("port", "Staging server listens on port 8081", ["deploy"])
    for number in range(count):
        store.put(f"n{number}", f"{FILLERS[number % len(FILLERS)]}, rule {number}", ["rules"])
    return store


def test_a_note_scores_the_same_alone_and_among_a_thousand() -> None:
    found = []
    for count in (0, 3, 30, 1000):
        store = with_others(count)
        found.append(scores(store.source())["port"])
        store.index.close()
    assert min(found) > 1.2
    assert max(found) - min(found) < 0.15 * max(found)


def test_another_note_on_the_same_matter_does_not_hide_a_note_in_a_small_collection(store: NoteStore) -> None:
    store.put("days", "We deploy on Thursdays")
    store.put("how", "Deploys go through the pipeline")
    assert scores(store.source(), "when do we deploy?")["days"] > 1.2
    for number, filler in enumerate(FILLERS):
        store.put(f"n{number}", filler)
    assert scores(store.source(), "when do we deploy?")["days"] > 1.2


def test_every_weight_is_above_zero_with_one_note_and_when_all_notes_hold_the_word(store: NoteStore) -> None:
    store.put("one", "Zebra crossings are painted in May")
    [only] = candidates("zebra crossings", [store.source()])
    assert all(match.weight > 0 for match in only.matches)
    for number in range(20):
        store.put(f"n{number}", f"Zebra crossing number {number}")
    for one in candidates("zebra crossings", [store.source()]):
        assert one.score > 0
        assert all(match.weight > 0 for match in one.matches)


def test_a_word_that_many_notes_hold_tells_less(store: NoteStore) -> None:
    store.put("rare", "Heron migration")
    for number in range(30):
        store.put(f"usual-{number}", f"Database migration {number}")
    found = scores(store.source(), "heron database")
    assert found["rare"] > found["usual-0"]


def test_a_tag_weighs_more_than_a_summary_and_a_summary_more_than_a_body(store: NoteStore) -> None:
    store.put("body", "About birds", body="A heron stands here.")
    store.put("summary", "A heron stands here")
    store.put("tags", "About birds", ["heron"])
    assert ranked(store, "heron") == ["tags", "summary", "body"]


def test_the_spelling_of_the_message_goes_before_another_form_of_the_word(store: NoteStore) -> None:
    store.put("form", "Deploying is a matter of minutes")
    store.put("exact", "Deploys are a matter of minutes")
    assert ranked(store, "deploys") == ["exact", "form"]
    assert ranked(store, "deploying") == ["form", "exact"]


def test_being_recalled_often_orders_equals_and_changes_no_score(store: NoteStore) -> None:
    store.put("a", "Kafka consumer lag, first")
    store.put("b", "Kafka consumer lag, other")
    before = scores(store.source())
    assert ranked(store, "kafka consumer lag", {"b": 50}) == ["b", "a"]
    assert ranked(store, "kafka consumer lag", {"a": 50}) == ["a", "b"]
    assert scores(store.source({"b": 1_000_000})) == before


def test_what_fits_is_what_reaches_the_score_among_all_candidates() -> None:
    store = with_others(300)
    message = "the staging server port and the invoice numbers, branches rebased in UTC"

    def reach(found: list[Candidate]) -> list[tuple[str, float]]:
        return [(one.entry.id, round(one.score, 9)) for one in found if one.score >= 0.3]

    assert reach(fitting(message, [store.source()], 0.3)) == reach(candidates(message, [store.source()]))
    store.index.close()


def test_what_was_pasted_counts_less_than_what_was_said(store: NoteStore) -> None:
    store.put("retries", "Retries of the payment gateway wait thirty seconds")
    said = scores(store.source(), "payment gateway retries")["retries"]
    pasted = "```\nERROR payment gateway retries\n```"
    assert scores(store.source(), pasted)["retries"] < said
    asked = "what does this mean?\n```\nERROR payment gateway retries\n```"
    assert "retries" not in scores(store.source(), asked)


@pytest.mark.parametrize("message", ["me dá a lista pra eu ver", "ela tá lá", "já viu, né?", "cê foi pras aulas?"])
def test_how_portuguese_is_spoken_holds_sentences_together_too(store: NoteStore, message: str) -> None:
    store.put("praia", "A casa de praia é nossa no carnaval", ["praia", "pra", "ta", "ne", "ce"])
    assert "praia" not in scores(store.source(), message)


@pytest.mark.parametrize(
    ("tag", "message"),
    [("inner", "what is the difference between a left join and an inner join"), ("outer", "leave the outer loop here")],
)
def test_a_word_that_is_said_of_any_code_finds_nothing_alone(store: NoteStore, tag: str, message: str) -> None:
    store.put("bike", "The blue bike has 28-inch tyres", ["tube", tag])
    assert scores(store.source(), message).get("bike", 0.0) < 1.2
