"""Which value each setting has: defaults, then the user's file, then the project's, then the environment.

A project's file comes with a repository and may be hostile: it can make things more careful, not freer.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, assert_never

from oharness.config.schema import (
    SETTINGS,
    ProjectMay,
    Setting,
    Settings,
    accepted,
    default_values,
    expected_form,
    rank,
    settings_from,
)
from oharness.core.errors import Failed
from oharness.core.jsontext import KeyTwice, parse_json

# Variables made for this program beat every file; those of other programs only stand in for a missing setting.
_OWN_VARIABLES = {"OHARNESS_MODEL": "model", "OHARNESS_SMALL_MODEL": "smallModel", "OHARNESS_LANGUAGE": "language"}
_SHARED_VARIABLES = {"OPENAI_BASE_URL": "openai.baseUrl", "OPENAI_API_KEY": "openai.apiKey"}


class SettingsFault(StrEnum):
    """What makes a settings file unreadable."""

    NOT_UTF8 = "not-utf8"
    COMMENT = "comment"
    NOT_JSON = "not-json"
    DUPLICATE_KEY = "duplicate-key"
    NOT_AN_OBJECT = "not-an-object"
    TOO_DEEP = "too-deep"


@dataclass(eq=False)
class BrokenSettings(Failed):
    """The file at `path` is not used and not overwritten; `line` and `column` are 0 where unknown."""

    path: str
    fault: SettingsFault
    line: int = 0
    column: int = 0


class WarningKind(StrEnum):
    """Why a value that was set does not count."""

    WRONG_VALUE = "wrong-value"
    NOT_FOR_PROJECTS = "not-for-projects"


@dataclass(frozen=True, slots=True)
class SettingWarning:
    """A value in `file` that does not count; the next weaker layer's does. Never holds the value itself."""

    file: str
    key: str
    kind: WarningKind
    expected: str


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """What one settings file says, with the name that warnings give it."""

    name: str
    content: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class LayeredSettings:
    """The settings that hold, and what was passed over on the way."""

    settings: Settings
    warnings: tuple[SettingWarning, ...]


def parse_settings(data: bytes, path: str) -> dict[str, Any]:
    """The JSON object of a settings file; an empty file sets nothing, a BOM is passed over.

    Raises: BrokenSettings.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8-sig", "replace").split("\n")
        raise BrokenSettings(path, SettingsFault.NOT_UTF8, len(before), len(before[-1]) + 1) from error
    if not text.strip():
        return {}
    content = _parsed(text, path)
    if not isinstance(content, dict):
        raise BrokenSettings(path, SettingsFault.NOT_AN_OBJECT, 1, 1)
    return content


def layered_settings(
    user: SettingsFile | None = None,
    project: SettingsFile | None = None,
    environment: Mapping[str, str] | None = None,
) -> LayeredSettings:
    """The settings out of all layers; unknown keys are passed over, wrong values give a warning."""
    variables = environment or {}
    values = default_values() | _from_variables(_SHARED_VARIABLES, variables)
    warnings: list[SettingWarning] = []
    for row, value in _set_values(user, warnings):
        values[row.key] = value
    for row, value in _set_values(project, warnings):
        allowed = _project_value(row, values[row.key], value)
        if allowed is None and project is not None:
            warnings.append(_warning(project, row, WarningKind.NOT_FOR_PROJECTS))
        else:
            values[row.key] = allowed
    values |= _from_variables(_OWN_VARIABLES, variables)
    return LayeredSettings(settings_from(values), tuple(warnings))


def _parsed(text: str, path: str) -> Any:
    try:
        return parse_json(text)
    except KeyTwice as error:
        raise BrokenSettings(path, SettingsFault.DUPLICATE_KEY, error.lineno, error.colno) from error
    except json.JSONDecodeError as error:
        at_comment = text[error.pos : error.pos + 1] in ("/", "#")
        fault = SettingsFault.COMMENT if at_comment else SettingsFault.NOT_JSON
        raise BrokenSettings(path, fault, error.lineno, error.colno) from error
    except ValueError as error:
        raise BrokenSettings(path, SettingsFault.NOT_JSON) from error
    except RecursionError:
        raise BrokenSettings(path, SettingsFault.TOO_DEEP) from None


def _set_values(file: SettingsFile | None, warnings: list[SettingWarning]) -> Iterator[tuple[Setting, Any]]:
    """The rows that a file sets to a usable value; what is not usable is added to the warnings."""
    if file is None:
        return
    warnings.extend(_broken_sections(file))
    for row in SETTINGS:
        found = [raw for key in (row.key, *row.older_keys) for raw in _at(file.content, key)]
        if not found or found[0] is None:
            continue
        value = accepted(row.accepts, found[0])
        if value is None:
            warnings.append(_warning(file, row, WarningKind.WRONG_VALUE))
        else:
            yield row, value


def _broken_sections(file: SettingsFile) -> Iterator[SettingWarning]:
    parts = [row.key.split(".") for row in SETTINGS]
    sections = {".".join(keys[:depth]) for keys in parts for depth in range(1, len(keys))}
    for section in sorted(sections):
        for raw in _at(file.content, section):
            if raw is not None and not isinstance(raw, Mapping):
                yield SettingWarning(file.name, section, WarningKind.WRONG_VALUE, "{…}")


def _at(content: Any, key: str) -> Iterator[Any]:
    """What stands at a dotted key, nested or spelled with its dots."""
    if not isinstance(content, Mapping):
        return
    if key in content:
        yield content[key]
    first, dot, rest = key.partition(".")
    if dot and first in content:
        yield from _at(content[first], rest)


def _project_value(row: Setting, before: Any, value: Any) -> Any | None:
    match row.project_may:
        case ProjectMay.SET:
            return value
        case ProjectMay.LOWER:
            return value if rank(row.accepts, value) <= rank(row.accepts, before) else None
        case ProjectMay.RAISE:
            return value if rank(row.accepts, value) >= rank(row.accepts, before) else None
        case ProjectMay.ADD:
            return tuple(dict.fromkeys((*before, *value)))
        case ProjectMay.NOTHING:
            return before if not value or value == before else None
        case _:
            assert_never(row.project_may)


def _from_variables(names: Mapping[str, str], variables: Mapping[str, str]) -> dict[str, Any]:
    rows = {row.key: row for row in SETTINGS}
    found: dict[str, Any] = {}
    for name, key in names.items():
        value = accepted(rows[key].accepts, variables.get(name, ""))
        if value:
            found[key] = value
    return found


def _warning(file: SettingsFile, row: Setting, kind: WarningKind) -> SettingWarning:
    return SettingWarning(file.name, row.key, kind, expected_form(row.accepts))
