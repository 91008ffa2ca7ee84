"""Every error, notice and model fault has a sentence, and says it in four languages."""

import ast
import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from scripts.words import faults, gathered

import oharness
from oharness.config.layers import BrokenSettings, SettingsFault
from oharness.core.errors import NotFound, OharnessError, StorageFailed
from oharness.harness.model import ModelFailed, ModelFault
from oharness.language.catalogue import ENGLISH, LANGUAGES, Catalogue
from oharness.language.sentences import ERRORS, MODEL_FAULTS, REASONS, error_sentence, notice_sentence
from oharness.memory.credential_gate import CredentialFound
from oharness.notes.valid import NotPlainText

FAMILIES = {"OharnessError", "Failed", "WrongUsage", "NotFound", "Refused", "WaitsForPerson"}


def every_error(kind: type[OharnessError] = OharnessError) -> Iterator[type[OharnessError]]:
    for below in kind.__subclasses__():
        if below.__module__.startswith("oharness."):
            yield below
            yield from every_error(below)


@pytest.fixture(scope="module")
def all_errors() -> set[str]:
    for module in pkgutil.walk_packages(oharness.__path__, "oharness."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    return {kind.__name__ for kind in every_error()}


def test_every_error_has_a_sentence(all_errors: set[str]) -> None:
    assert sorted(all_errors - set(ERRORS)) == []


def test_no_sentence_is_left_of_an_error_that_is_gone(all_errors: set[str]) -> None:
    assert sorted(set(ERRORS) - all_errors - FAMILIES) == []


def test_every_model_fault_has_a_sentence() -> None:
    assert set(MODEL_FAULTS) == {fault.value for fault in ModelFault}


@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != ENGLISH])
def test_a_catalogue_has_every_sentence_with_the_same_fields_and_nothing_else(language: str) -> None:
    assert faults(language) == []


def test_sentences_speak_only_of_fields_that_the_error_carries(all_errors: set[str]) -> None:
    for kind in every_error():
        carried = set(getattr(kind, "__dataclass_fields__", {}))
        carried |= {"place"} if {"line", "column"} <= carried else set()
        named = {part.split("}")[0] for part in ERRORS[kind.__name__].split("{")[1:]}
        assert named <= carried, kind.__name__


def test_the_sentence_is_filled_with_the_data_of_the_error() -> None:
    told = error_sentence(StorageFailed("/notes/a.md", "No space left on device"), Catalogue())
    assert "/notes/a.md" in told
    assert "No space left on device" in told


def test_a_place_in_a_file_is_said_where_there_is_one() -> None:
    assert "(line 3, column 7)" in error_sentence(BrokenSettings("c.json", SettingsFault.NOT_JSON, 3, 7), Catalogue())
    assert "line" not in error_sentence(BrokenSettings("c.json", SettingsFault.NOT_JSON), Catalogue())


def test_a_notice_says_reason_and_place_in_the_same_language() -> None:
    fields = {"path": "/h/projects.json", "reason": "not-json", "line": 2, "column": 14}
    told = notice_sentence("project-not-enrolled", fields, Catalogue("fr"))
    assert "/h/projects.json" in told
    assert "ce n'est pas du JSON (ligne 2, colonne 14)" in told.replace("’", "'")


def test_every_reason_that_our_own_files_are_unusable_for_has_words() -> None:
    calls = [
        call
        for path in Path(oharness.__path__[0]).rglob("*.py")
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id in {"BrokenFile", "StorageFailed"}
    ]
    reasons = [one.value for call in calls for one in call.args if isinstance(one, ast.Constant)]
    spoken = [one for one in reasons if isinstance(one, str)]
    assert len(spoken) >= 8
    assert [one for one in spoken if one not in REASONS] == []


def test_the_part_of_a_note_is_said_in_the_same_language() -> None:
    found = CredentialFound("a", "body", 3, "github-token")
    assert error_sentence(found, Catalogue()).startswith("In line 3 of the body stands ")
    assert error_sentence(found, Catalogue("zh_CN")).startswith("正文的第 3 行")
    assert "partie « corps »" in error_sentence(NotPlainText("a", "body"), Catalogue("fr"))
    assert "parte “tags”" in error_sentence(NotPlainText("a", "tags"), Catalogue("pt_BR"))


def test_a_model_fault_says_its_own_sentence_with_the_providers_word_behind_it() -> None:
    told = error_sentence(ModelFailed(ModelFault.UNAUTHORIZED, "openai:gpt", "invalid key"), Catalogue())
    assert told.startswith("The provider of openai:gpt did not accept the key.")
    assert told.endswith("(invalid key)")


def test_an_error_without_a_sentence_says_that_of_its_family() -> None:
    @dataclass(eq=False)
    class SomePluginsOwn(NotFound):
        what: str

    assert error_sentence(SomePluginsOwn("x"), Catalogue()) == "That does not exist."


def test_notices_say_the_words_of_the_specification() -> None:
    assert notice_sentence("recalled", {"count": 1}, Catalogue()) == "recalled 1 memories"
    assert notice_sentence("saved", {"count": 2}, Catalogue()) == "saved 2 memories from this conversation"
    assert notice_sentence("recalled", {"count": 2}, Catalogue("zh_CN")) == "召回了 2 条记忆"
    assert notice_sentence("saved", {"count": 2}, Catalogue("zh_CN")) == "从这段对话保存了 2 条记忆"


def test_a_notice_of_a_foreign_plugin_is_shown_as_it_is() -> None:
    assert notice_sentence("tide-turned", {"height": 3}, Catalogue("fr")) == "tide-turned height=3"


def test_everything_gathered_is_english_text() -> None:
    assert all(message and "\n" not in str(message).strip() for message in gathered())


def test_every_sentence_in_the_code_is_found_for_the_catalogues() -> None:
    """Also one within an f-string, which the gathering of words does not look into."""
    known = {sentence for one in gathered() for sentence in ([one] if isinstance(one, str) else one)}
    missed = [
        f"{path.name}:{call.lineno} {sentence}"
        for path in Path(oharness.__path__[0]).rglob("*.py")
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in {"msg", "plural"}
        for sentence in (one.value for one in call.args if isinstance(one, ast.Constant))
        if isinstance(sentence, str) and sentence not in known
    ]
    assert missed == []
