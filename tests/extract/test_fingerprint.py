"""A forgotten note is known again in other words, without a word of it being kept."""

import pytest

from oharness.extract.fingerprint import fingerprint_of, says_what_was_forgotten, sentence_tells

pytestmark = pytest.mark.memory
SALT = b"a salt of this machine"

SAME = [
    ("The staging server listens on port 8081", "Staging server: it listens on port 8081"),
    ("Ann prefers short answers without lists", "Ann prefers answers that are short, without lists"),
    ("测试服务器监听端口 8081", "测试服务器监听的端口是 8081"),
    ("A Ana prefere respostas curtas e sem listas", "Ana prefere respostas curtas, sem listas"),
    ("Anne préfère les réponses courtes sans listes", "Anne préfère des réponses courtes, sans liste"),
]
OTHER = [
    ("The staging server listens on port 8081", "The staging server listens on port 8082"),
    ("The staging server listens on port 8081", "The staging server is wiped on Sundays"),
    ("Ann prefers short answers without lists", "Bob prefers dark mode in the editor"),
    ("测试服务器监听端口 8081", "测试服务器监听端口 8099"),
    ("A Ana prefere respostas curtas", "O Bruno trabalha em Lisboa"),
    ("Anne préfère les réponses courtes", "Le serveur de Paris redémarre le lundi"),
]


@pytest.mark.parametrize(("forgotten", "again"), SAME)
def test_the_same_in_other_words_is_known_again(forgotten: str, again: str) -> None:
    known = fingerprint_of(forgotten, (), "", SALT)
    assert says_what_was_forgotten(again, (), "", known, SALT)
    assert says_what_was_forgotten(forgotten, ("tag",), "A body that says more.", known, SALT)


@pytest.mark.parametrize(("forgotten", "other"), OTHER)
def test_another_value_or_subject_is_news(forgotten: str, other: str) -> None:
    assert not says_what_was_forgotten(other, (), "", fingerprint_of(forgotten, (), "", SALT), SALT)


def test_a_number_stands_for_many_words_and_means_nothing_under_another_salt() -> None:
    known = fingerprint_of(SAME[0][0], ("staging",), "The proxy takes 8080.", SALT)
    assert all(0 <= number < 4096 for number in known.whole)
    assert fingerprint_of(SAME[0][0], ("staging",), "The proxy takes 8080.", b"another salt") != known


def test_a_sentence_that_tells_it_is_found_and_others_are_not() -> None:
    known = fingerprint_of(SAME[0][0], (), "", SALT)
    assert sentence_tells("I think the staging server still listens on port 8081, right?", known, SALT)
    assert not sentence_tells("The server of the shop has a port.", known, SALT)
