"""Which words meet: lists of pairs per language, and identifiers, pairs of characters, widths and accents."""

import unicodedata

import pytest

from oharness.recall.stems import forms
from oharness.recall.words import fold, words_of
from tests.recall.word_pairs import MUST_MEET, MUST_NOT_MEET

pytestmark = pytest.mark.memory
LANGUAGES = tuple(MUST_MEET)
LEAST_PAIRS = 30


def keys(text: str, language: str) -> frozenset[str]:
    """What a text is found under in a collection of this language; English is always among them."""
    languages = tuple(dict.fromkeys(["en" if language == "zh" else language, "en"]))
    return frozenset(key for word in words_of(text) for key in forms(word, languages))


def meet(pair: str, language: str) -> bool:
    one, other = pair.split("/")
    return not keys(one, language).isdisjoint(keys(other, language))


def folded(text: str) -> list[str]:
    return [word.folded for word in words_of(text)]


def share_met(pairs: str, language: str) -> float:
    listed = pairs.split()
    assert len(listed) >= LEAST_PAIRS
    return sum(meet(pair, language) for pair in listed) / len(listed)


@pytest.mark.parametrize("language", LANGUAGES)
def test_C34_forms_of_one_word_meet(language: str) -> None:
    assert share_met(MUST_MEET[language], language) >= 0.83


@pytest.mark.parametrize("language", LANGUAGES)
def test_C34_words_that_only_look_alike_stay_apart(language: str) -> None:
    assert share_met(MUST_NOT_MEET[language], language) <= 0.25


def test_C34_over_all_languages_nine_of_ten_pairs_do_what_they_must() -> None:
    right = [meet(pair, language) for language in LANGUAGES for pair in MUST_MEET[language].split()]
    right += [not meet(pair, language) for language in LANGUAGES for pair in MUST_NOT_MEET[language].split()]
    assert sum(right) / len(right) >= 0.9


@pytest.mark.parametrize(
    ("language", "pair"),
    [
        ("en", "city/cities"),
        ("en", "run/running"),
        ("en", "compare/comparison"),
        ("pt", "ação/ações"),
        ("fr", "cheval/chevaux"),
        ("ru", "новости/новость"),
    ],
)
def test_C34_the_pairs_that_broke_others(language: str, pair: str) -> None:
    assert meet(pair, language)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("人工智能技术", ["人工", "工智", "智能", "能技", "技术"]),
        ("猫", ["猫"]),
        ("rerank精排模型", ["rerank", "精排", "排模", "模型"]),
        ("サーバー設定", ["サー", "ーバ", "バー", "ー設", "設定"]),
        ("v2升级", ["v2", "升级"]),
    ],
)
def test_C29_text_without_spaces_becomes_overlapping_pairs(text: str, words: list[str]) -> None:
    assert folded(text) == [fold(word) for word in words]


@pytest.mark.parametrize("text", ["Настройки", "καλημέρα", "السلام", "सेटिंग्स", "இலக்கணம்", "שלום", "ܫܠܡܐ", "Ωμέγα"])
def test_C31_a_word_of_any_script_with_spaces_stays_one_word(text: str) -> None:
    assert len(folded(f"{text}, {text}")) == 2


def test_C31_thai_vowels_and_tone_marks_stay_with_their_letters() -> None:
    assert all(not unicodedata.combining(word[0]) for word in folded("การตั้งค่า"))
    assert not set(folded("การตั้งค่า")).isdisjoint(folded("ตั้งค่า"))


@pytest.mark.parametrize("text", ["résumé", "学점인정", "한국어 설정", "ﬁle", "Å", "ガイド", "Ελληνικά", "й"])
def test_A13_every_unicode_form_is_the_same_words(text: str) -> None:
    forms_of = {tuple(folded(unicodedata.normalize(form, text))) for form in ("NFC", "NFD", "NFKC", "NFKD")}
    assert len(forms_of) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ＡＰＩ　ｋｅｙ", "api key"),
        ("ｶﾀｶﾅ", "カタカナ"),
        ("ação", "acao"),
        ("ŽLUŤOUČKÝ", "zlutoucky"),
        ("Straße", "STRASSE"),
        ("İstanbul", "istanbul"),
        ("１２３", "123"),
        ("naïve café", "naive cafe"),
    ],
)
def test_width_case_and_accents_fold(one: str, other: str) -> None:
    assert folded(one) == folded(other)


@pytest.mark.parametrize(
    ("identifier", "words"),
    [
        ("getUserName", ["get", "user", "name"]),
        ("HTTPServerError", ["http", "server", "error"]),
        ("max_retry_count", ["max", "retry", "count"]),
        ("kebab-case-name", ["kebab", "case", "name"]),
        ("src/pages/pricing-cards.tsx", ["src", "pages", "pricing", "cards"]),
        (r"C:\Temp\report.xlsx", ["c", "temp", "report"]),
        ("v1.4.10", ["1.4.10"]),
        ("3.11", ["3.11"]),
        ("2.0.0-rc.1", ["2.0.0-rc.1"]),
        ("C++", ["c++"]),
        ("F#", ["f#"]),
        ("node.js", ["node"]),
        ("don't", ["dont"]),
        ("the user's", ["the", "user"]),
        ("l’équipe", ["l", "equipe"]),
        ("ORDER_ID", ["order", "id"]),
    ],
)
def test_identifiers_and_paths_fall_into_their_words(identifier: str, words: list[str]) -> None:
    assert folded(identifier) == words


@pytest.mark.parametrize("name", ["gmail-filters.js", "README.md", "vitest.config.ts", "a/b/styles.css"])
def test_C37_a_file_extension_is_no_word(name: str) -> None:
    assert not {"js", "md", "ts", "css"} & set(folded(name))


def test_parts_of_an_identifier_know_their_whole() -> None:
    assert {word.whole for word in words_of("getUserName get_user_name")} == {"getusername"}
    assert {word.whole for word in words_of("plain words")} == {""}


@pytest.mark.parametrize("text", ["", "   ", "!?…", "🎉🎉", "\x00\x01", "\ud800", "_" * 50, "." * 1000, "a" * 10_000])
def test_no_text_is_an_error(text: str) -> None:
    assert isinstance(folded(text), list)


def test_colours_of_a_terminal_are_no_part_of_words() -> None:
    assert folded("\x1b[31mdeploy\x1b[0m \x1b[1;38;5;9mfailed\x1b[m") == ["deploy", "failed"]
    assert folded("\x1b[31mdéploie\x1b[0m") == folded("déploie")
