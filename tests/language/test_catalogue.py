"""Which language is spoken, and that a missing word never stops anything."""

import pytest

from oharness.language.catalogue import ENGLISH, LANGUAGES, Catalogue, choose_language, language_named


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("zh_CN.UTF-8", "zh_CN"),
        ("zh-Hans", "zh_CN"),
        ("zh", "zh_CN"),
        ("zh_TW", "zh_CN"),
        ("pt-BR", "pt_BR"),
        ("pt_PT.ISO8859-1", "pt_BR"),
        ("FR", "fr"),
        ("fr_CA.UTF-8@euro", "fr"),
        ("en_GB.UTF-8", "en"),
        ("de_DE.UTF-8", None),
        ("C.UTF-8", None),
        ("POSIX", None),
        ("frisian", None),
        ("", None),
    ],
)
def test_a_locale_name_means_one_of_the_languages_or_none(name: str, code: str | None) -> None:
    assert language_named(name) == code


def test_the_variable_beats_the_setting_which_beats_the_locale() -> None:
    environment = {"OHARNESS_LANGUAGE": "pt_BR", "LC_ALL": "fr_FR.UTF-8"}
    assert choose_language("zh", environment) == "pt_BR"
    assert choose_language("zh", {"LC_ALL": "fr_FR.UTF-8"}) == "zh_CN"
    assert choose_language("", {"LC_ALL": "fr_FR.UTF-8"}) == "fr"


def test_an_unknown_or_automatic_setting_leaves_the_choice_to_the_locale() -> None:
    assert choose_language("klingon", {"LANG": "fr_FR.UTF-8"}) == "fr"
    assert choose_language("auto", {"LANG": "pt_BR.UTF-8"}) == "pt_BR"


def test_the_first_locale_variable_that_is_set_decides_even_for_an_unknown_language() -> None:
    assert choose_language("", {"LC_ALL": "de_DE.UTF-8", "LANG": "fr_FR.UTF-8"}) == ENGLISH
    assert choose_language("", {"LC_ALL": "", "LC_MESSAGES": "zh_CN.UTF-8", "LANG": "fr"}) == "zh_CN"
    assert choose_language("", {}) == ENGLISH


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_sentence_that_is_in_no_catalogue_comes_back_in_english(language: str) -> None:
    assert Catalogue(language).text("No catalogue holds {this}.", this="that") == "No catalogue holds that."
    assert Catalogue(language).plural("{count} odd thing", "{count} odd things", 2) == "2 odd things"


def test_a_field_that_is_missing_stays_visible_and_raises_nothing() -> None:
    assert Catalogue().text("{path} and {other}", path="here") == "here and {other}"


@pytest.mark.parametrize("sentence", ["{", "}", "{0}", "{a.b.c}", "{a[0]}", "{a!z}", "{a:d}", "%s"])
def test_a_sentence_that_cannot_be_filled_comes_back_as_it_is(sentence: str) -> None:
    assert sentence in (Catalogue().text(sentence, a="x"), sentence)


def test_braces_in_a_field_are_text() -> None:
    assert Catalogue().text("{name} is missing.", name="{home}") == "{home} is missing."


def test_an_empty_text_is_not_the_header_of_a_catalogue() -> None:
    assert Catalogue("fr").text("") == ""


def test_a_language_that_does_not_exist_is_english() -> None:
    assert Catalogue("xx").language == ENGLISH


def test_a_translated_sentence_is_filled_too() -> None:
    english = "{name} is missing."
    said = {language: Catalogue(language).text(english, name="--summary") for language in LANGUAGES}
    assert len(set(said.values())) == len(LANGUAGES)
    assert all("--summary" in sentence for sentence in said.values())
