"""Which layer decides, what a repository's own file may not do, and what a broken file says."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oharness.config.layers import (
    BrokenSettings,
    LayeredSettings,
    SettingsFault,
    SettingsFile,
    WarningKind,
    layered_settings,
    parse_settings,
)
from oharness.config.schema import SETTINGS, default_settings
from tests.json_values import json_of

pytestmark = pytest.mark.memory


def layers(user: Any = None, project: Any = None, environment: dict[str, str] | None = None) -> LayeredSettings:
    return layered_settings(
        user=None if user is None else SettingsFile("user.json", user),
        project=None if project is None else SettingsFile("project.json", project),
        environment=environment,
    )


def nested(key: str, value: Any) -> dict[str, Any]:
    for part in reversed(key.split(".")):
        value = {part: value}
    return dict(value)


def test_without_files_everything_has_its_default() -> None:
    assert layers() == LayeredSettings(default_settings(), ())


def test_the_defaults_are_those_of_the_specification() -> None:
    memory = default_settings().memory
    assert (memory.max_notes, memory.max_note_bytes, memory.index_chars) == (5000, 131072, 4000)
    assert (memory.recall.enabled, memory.recall.per_turn) == (True, 3)
    assert (memory.recall.budget_chars, memory.recall.min_score) == (2000, 1.2)
    assert (memory.auto_extract.on_compaction, memory.auto_extract.on_stop) == (False, False)
    assert memory.auto_extract.min_user_turns == 3
    assert (memory.consolidate.auto, memory.consolidate.cooldown_hours) == ("subscribers", 24)
    assert (memory.consolidate.max_merges, memory.consolidate.unused_days) == (3, 90)
    assert (memory.dir, memory.sync.check_seconds) == ("MEMORY", 60)
    assert default_settings().permissions.mode == "ask"
    assert default_settings().model == "offline"


def test_the_project_beats_the_user_and_the_environment_beats_both() -> None:
    user = {"model": "a:1", "smallModel": "a:2", "memory": {"maxNotes": 10, "indexChars": 11}}
    project = {"memory": {"maxNotes": 20}}
    found = layers(user, project, {"OHARNESS_SMALL_MODEL": "c:2"})
    assert (found.settings.model, found.settings.small_model) == ("a:1", "c:2")
    assert (found.settings.memory.max_notes, found.settings.memory.index_chars) == (20, 11)
    assert found.warnings == ()


def test_variables_of_other_programs_only_stand_in_for_a_missing_setting() -> None:
    environment = {"OPENAI_BASE_URL": "http://localhost:1/v1", "OPENAI_API_KEY": "from-outside"}
    assert layers(environment=environment).settings.openai.base_url == "http://localhost:1/v1"
    own = layers({"openai": {"baseUrl": "http://localhost:2/v1", "apiKey": "mine"}}, environment=environment)
    assert own.settings.openai.base_url == "http://localhost:2/v1"
    assert own.settings.openai.api_key == "mine"


def test_an_empty_variable_sets_nothing() -> None:
    assert layers({"model": "a:1"}, environment={"OHARNESS_MODEL": ""}).settings.model == "a:1"


def test_the_older_memory_dir_still_counts_and_the_newer_key_wins() -> None:
    assert layers(project={"memoryDir": "docs/notes"}).settings.memory.dir == "docs/notes"
    both = {"memoryDir": "old", "memory": {"dir": "new"}}
    assert layers(project=both).settings.memory.dir == "new"


def test_a_key_may_be_spelled_with_its_dots() -> None:
    found = layers({"memory.recall.perTurn": 5, "memory": {"autoExtract.onStop": True}})
    assert found.settings.memory.recall.per_turn == 5
    assert found.settings.memory.auto_extract.on_stop


def test_unknown_keys_are_no_error() -> None:
    assert layers({"theme": "dark", "memory": {"future": [1]}}, {"x": None}) == layers()


@pytest.mark.parametrize(
    ("key", "raw", "expected"),
    [
        ("memory.maxNotes", "many", "integer 1..1000000"),
        ("memory.maxNotes", 0, "integer 1..1000000"),
        ("memory.maxNotes", 1.5, "integer 1..1000000"),
        ("memory.maxNotes", True, "integer 1..1000000"),
        ("memory.maxNotes", 10**30, "integer 1..1000000"),
        ("memory.recall.minScore", -1, "number 0..1000"),
        ("memory.recall.minScore", float("inf"), "number 0..1000"),
        ("memory.recall.enabled", "false", "true | false"),
        ("memory.recall.enabled", 0, "true | false"),
        ("memory.consolidate.auto", "always", 'false | "subscribers" | true'),
        ("memory.consolidate.auto", 1, 'false | "subscribers" | true'),
        ("permissionMode", "yolo", '"plan" | "ask" | "acceptEdits" | "bypass"'),
        ("permissions.deny", "bash", '["…"]'),
        ("permissions.deny", [1], '["…"]'),
        ("openai.baseUrl", "ftp://x", '"https://…"'),
        ("model", 3, '"…"'),
        ("model", "a\nb", '"…"'),
        ("model", "\ud800", '"…"'),
        ("memory.dir", "x" * 3000, '"…"'),
        ("memory.recall", 5, "{…}"),
        ("memory", ["a"], "{…}"),
    ],
)
def test_a_wrong_value_is_passed_over_and_named(key: str, raw: Any, expected: str) -> None:
    found = layers(nested(key, raw))
    assert found.settings == default_settings()
    (warning,) = found.warnings
    assert (warning.file, warning.key, warning.kind) == ("user.json", key, WarningKind.WRONG_VALUE)
    assert warning.expected == expected


def test_a_wrong_value_of_the_project_leaves_the_users_own() -> None:
    found = layers({"memory": {"maxNotes": 10}}, {"memory": {"maxNotes": "all"}})
    assert found.settings.memory.max_notes == 10
    assert [warning.file for warning in found.warnings] == ["project.json"]


def test_one_wrong_value_does_not_hide_the_others() -> None:
    found = layers({"memory": {"maxNotes": "all", "indexChars": 5}})
    assert found.settings.memory.index_chars == 5


def test_a_whole_number_may_be_written_with_a_point() -> None:
    assert layers({"memory": {"maxNotes": 50.0}}).settings.memory.max_notes == 50


def test_null_means_not_set() -> None:
    assert layers({"model": None, "memory": None}) == layers()


@pytest.mark.parametrize(
    ("key", "user", "project"),
    [
        ("memory.autoExtract.onStop", False, True),
        ("memory.autoExtract.onCompaction", None, True),
        ("memory.autoExtract.minUserTurns", 5, 1),
        ("memory.consolidate.auto", False, True),
        ("memory.consolidate.auto", False, "subscribers"),
        ("memory.consolidate.auto", "subscribers", True),
        ("memory.consolidate.cooldownHours", 24, 0),
        ("memory.consolidate.maxMerges", 3, 50),
        ("memory.sync.checkSeconds", 60, 1),
        ("permissionMode", "ask", "bypass"),
        ("permissionMode", "plan", "acceptEdits"),
        ("permissions.allow", ["read"], ["run"]),
        ("model", None, "openrouter:evil/model"),
        ("model", "huggingface:org/model", "huggingface:https://evil.example/v1"),
        ("smallModel", "anthropic:small", "anthropic:dear"),
        ("openai.baseUrl", "https://mine.example/v1", "https://evil.example/v1"),
        ("openai.baseUrl", None, "https://evil.example/v1"),
        ("openai.apiKey", "mine", "theirs"),
    ],
)
def test_a_repository_cannot_make_things_freer(key: str, user: Any, project: Any) -> None:
    mine = layers(nested(key, user))
    found = layers(nested(key, user), nested(key, project))
    assert found.settings == mine.settings
    assert [(warning.key, warning.kind) for warning in found.warnings] == [(key, WarningKind.NOT_FOR_PROJECTS)]


@pytest.mark.parametrize(
    ("key", "user", "project"),
    [
        ("memory.autoExtract.onStop", True, False),
        ("memory.autoExtract.onCompaction", True, False),
        ("memory.autoExtract.minUserTurns", 3, 9),
        ("memory.consolidate.auto", True, False),
        ("memory.consolidate.auto", "subscribers", False),
        ("memory.consolidate.auto", True, "subscribers"),
        ("permissionMode", "bypass", "plan"),
        ("permissions.deny", None, ["run"]),
        ("permissions.ask", None, ["remember"]),
    ],
)
def test_a_repository_may_make_things_more_careful(key: str, user: Any, project: Any) -> None:
    found = layers(nested(key, user), nested(key, project))
    assert found.warnings == ()
    assert found.settings == layers(nested(key, project)).settings
    assert found.settings != layers(nested(key, user)).settings


def test_a_repository_adds_rules_and_removes_none() -> None:
    found = layers(
        {"permissions": {"allow": ["read"], "deny": ["run"], "ask": ["write"]}},
        {"permissions": {"allow": [], "deny": ["edit", "run"], "ask": []}},
    )
    assert found.settings.permissions.allow == ("read",)
    assert found.settings.permissions.deny == ("run", "edit")
    assert found.settings.permissions.ask == ("write",)
    assert found.warnings == ()


def test_a_warning_never_holds_the_value() -> None:
    found = layers({"openai": {"apiKey": ["s3cr3t-value"]}}, {"openai": {"apiKey": "s3cr3t-value"}})
    assert len(found.warnings) == 2
    assert "s3cr3t" not in repr(found.warnings)


def test_settings_in_a_log_do_not_show_the_key() -> None:
    assert "s3cr3t" not in repr(layers({"openai": {"apiKey": "s3cr3t"}}).settings)


@pytest.mark.parametrize("data", [b"", b" \n", b"{}", b"\xef\xbb\xbf{}", b"\xef\xbb\xbf"])
def test_an_empty_file_sets_nothing(data: bytes) -> None:
    assert parse_settings(data, "c.json") == {}


@pytest.mark.parametrize(
    ("data", "fault", "line", "column"),
    [
        (b'{"a": 1,}', SettingsFault.NOT_JSON, 1, 9),
        (b'{\n  "a": 1\n  "b": 2\n}', SettingsFault.NOT_JSON, 3, 3),
        (b"{", SettingsFault.NOT_JSON, 1, 2),
        (b'{\n  // why\n  "a": 1\n}', SettingsFault.COMMENT, 2, 3),
        (b'{"a": 1} // why', SettingsFault.COMMENT, 1, 10),
        (b'{"a": /* why */ 1}', SettingsFault.COMMENT, 1, 7),
        (b"# why\n{}", SettingsFault.COMMENT, 1, 1),
        (b'{"a": 1, "a": 2}', SettingsFault.DUPLICATE_KEY, 1, 10),
        (b'{"b": {"a": "a:"},\n "a": ["{", {"x\\"": 1,\n "x\\u0022": 2}]}', SettingsFault.DUPLICATE_KEY, 3, 2),
        (b'{"NaN": "NaN",\n"a": NaN}', SettingsFault.NOT_JSON, 2, 6),
        (b'{"a": [-Infinity]}', SettingsFault.NOT_JSON, 1, 8),
        (b"[]", SettingsFault.NOT_AN_OBJECT, 1, 1),
        (b"\n{\xc3\xa9\xff", SettingsFault.NOT_UTF8, 2, 3),
        (b'{"a":' + b"[" * 50_000, SettingsFault.TOO_DEEP, 0, 0),
    ],
)
def test_a_broken_file_says_where(data: bytes, fault: SettingsFault, line: int, column: int) -> None:
    with pytest.raises(BrokenSettings) as caught:
        parse_settings(data, "home/config.json")
    error = caught.value
    assert (error.path, error.fault, error.line, error.column) == ("home/config.json", fault, line, column)


json_values = json_of(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    st.text(max_size=5),
)


@given(
    st.lists(st.tuples(st.sampled_from([row.key for row in SETTINGS]), json_values), max_size=4),
    st.lists(st.tuples(st.sampled_from([row.key for row in SETTINGS]), json_values), max_size=4),
)
@settings(derandomize=True, max_examples=200, deadline=None)
def test_no_files_content_stops_the_program_or_loosens_it(
    user: list[tuple[str, Any]], project: list[tuple[str, Any]]
) -> None:
    mine, found = layers(dict(user)), layers(dict(user), dict(project))
    assert found.settings.openai == mine.settings.openai
    assert found.settings.permissions.allow == mine.settings.permissions.allow
    assert set(found.settings.permissions.deny) >= set(mine.settings.permissions.deny)
    assert mine.settings.memory.auto_extract.on_stop or not found.settings.memory.auto_extract.on_stop
    json.dumps([warning.expected for warning in found.warnings])
