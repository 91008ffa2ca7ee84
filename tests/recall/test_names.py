"""Names in a message: whom and what it is about, however many notes hold the name."""

import math

import pytest

from oharness.recall.choose import RecallLimits, attached, choose
from oharness.recall.names import names_in
from oharness.recall.score import candidates
from oharness.testing.note_store import NoteStore

pytestmark = pytest.mark.memory
DEFAULTS = RecallLimits(per_turn=3, budget_chars=2000, min_score=1.2)


def recalled(store: NoteStore, message: str) -> list[str]:
    return [one.entry.id for one in attached(choose(candidates(message, [store.source()]), DEFAULTS, ()))]


def scores(store: NoteStore, message: str) -> dict[str, float]:
    return {one.entry.id: one.score for one in candidates(message, [store.source()])}


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ("what does Jolene drink?", {"jolene"}),
        ("is Álvaro's flat in São Paulo?", {"alvaro", "sao", "paulo"}),
        ("用 Docker 部署到服务器", {"docker"}),
        ("用Docker部署到服务器", {"docker"}),
        ("когда Ольга в отпуске?", {"ольга"}),
        ("does it run on AWS or on GitHub?", {"aws", "git", "hub"}),
    ],
)
def test_a_word_with_a_large_letter_in_mid_sentence_is_a_name(said: str, names: set[str]) -> None:
    assert set(names_in(said)) == names


@pytest.mark.parametrize(
    "said",
    [
        "Where is it? Please look. Nobody knows:\nMaybe there",
        "- Fix the header\n* Sort the list\n> Quoted text",
        "WHY DOES NOBODY ANSWER THE PHONE",
        "Fix The Login Page And Ship",
        "Wo liegt der Schlüssel für den Server im Keller?",
        "and so do I",
        "明天下午三点开会",
        "",
    ],
)
def test_where_a_large_letter_says_nothing_there_is_no_name(said: str) -> None:
    assert not names_in(said)


def test_the_words_of_one_name_share_what_it_tells() -> None:
    assert names_in("ask Nadia Okafor about it") == pytest.approx(
        {"nadia": 1 / math.sqrt(2), "okafor": 1 / math.sqrt(2)}
    )
    assert names_in("ask Nadia, Okafor and us about it") == {"nadia": 1.0, "okafor": 1.0}


def about_marta(store: NoteStore, others: int) -> None:
    store.put("tea", "Marta drinks green tea, never coffee", ["marta", "tea"], "")
    for number in range(others):
        store.put(f"other-{number}", f"Marta decided matter{number} in the topic{number} meeting", ["marta"], "")


def test_a_name_that_every_note_holds_still_helps_to_find_the_one_that_is_meant(store: NoteStore) -> None:
    about_marta(store, 200)
    asked = "which tea should I buy for the visit of Marta next week"
    assert scores(store, asked)["tea"] > 1.2 * scores(store, asked.replace("Marta", "someone"))["tea"]


def test_a_name_that_every_note_holds_attaches_nothing_to_a_message_about_something_else(store: NoteStore) -> None:
    about_marta(store, 200)
    for message in ("thanks, Marta!", "please tell Marta that the release is out", "Marta and I are waiting for it"):
        assert not recalled(store, message), message


def test_a_name_is_worth_more_in_summary_and_tags_than_in_the_body(store: NoteStore) -> None:
    about_marta(store, 200)
    store.put("elsewhere", "Biscuits are kept above the sink", [], "Marta put them there, beside the tea.")
    found = scores(store, "which biscuits go with the tea for Marta")
    body_only = scores(store, "which biscuits go with the tea for someone")
    assert found["elsewhere"] < body_only["elsewhere"] * 1.05


def test_a_message_about_a_stranger_fits_less_than_one_that_names_nobody(store: NoteStore) -> None:
    about_marta(store, 200)
    named, nobody = (scores(store, f"which tea does {who} like")["tea"] for who in ("Olaf", "olaf"))
    assert named < nobody
