"""What can be known with a look or two, before anything that reads notes or settings is imported.

Listing nothing, and a page of help, should cost next to nothing. The answers are sure, or say that they are not:
whatever is unusual (settings, links, a worktree, an unreadable folder) is left to the proper way.
"""

# pathlib costs more to import than all of these looks
# ruff: noqa: PTH100, PTH109, PTH110, PTH111, PTH112, PTH113, PTH114, PTH117, PTH118, PTH120, PTH123, PTH202, PTH208

import os
from collections.abc import Mapping
from typing import NamedTuple

_LARGEST_MARKER = 1 << 16
_ID_CHARACTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")


class NoNotes(NamedTuple):
    """There is no file that is a note, and none that looks like one."""

    in_project: bool


def no_notes(variables: Mapping[str, str], home: str | None = None) -> NoNotes | None:
    """What is certain of the current folder and a home without notes and settings; None for every other case."""
    try:
        place = _place(variables, home)
        if not os.path.isabs(place) or os.path.lexists(os.path.join(place, "config.json")):
            return None
        root = _project_root(os.path.realpath(os.getcwd()))
        folders = [os.path.join(place, "memory", "user")]
        if root:
            if os.path.lexists(os.path.join(root, ".oharness", "config.json")):
                return None
            folders.append(os.path.join(root, "MEMORY"))
        return NoNotes(in_project=bool(root)) if all(map(_holds_no_note, folders)) else None
    except (OSError, ValueError, RecursionError, _Unusual):
        return None


def language_setting(variables: Mapping[str, str], home: str | None = None) -> str:
    """The language that the user's own settings name; empty where they name none or cannot be read."""
    try:
        path = os.path.join(_place(variables, home), "config.json")
        if not os.path.exists(path):
            return ""
        import json

        with open(path, encoding="utf-8-sig") as file:
            settings = json.load(file)
    except (OSError, ValueError, RecursionError):
        return ""
    language = settings.get("language") if isinstance(settings, dict) else None
    return language if isinstance(language, str) else ""


def _place(variables: Mapping[str, str], home: str | None) -> str:
    return home or variables.get("OHARNESS_HOME") or os.path.join(os.path.expanduser("~"), ".oharness")


class _Unusual(Exception):
    """The proper way has to be gone."""


def _project_root(folder: str) -> str:
    """The nearest registered folder or git root; empty outside any."""
    while True:
        marker = os.path.join(folder, ".oharness", "project.json")
        if os.path.lexists(marker):
            _check_marker(marker)
            return folder
        git = os.path.join(folder, ".git")
        above = os.path.dirname(folder)
        if os.path.lexists(git):
            if os.path.islink(git) or not os.path.isdir(git) or above == folder or _is_users_own(folder):
                raise _Unusual
            return folder
        if above == folder:
            return ""
        folder = above


def _check_marker(path: str) -> None:
    import json

    if os.path.islink(os.path.dirname(path)):
        raise _Unusual
    if not os.path.isfile(path) or os.path.getsize(path) > _LARGEST_MARKER:
        raise _Unusual
    with open(path, encoding="utf-8") as file:
        marker = json.load(file)
    project_id = marker.get("id") if isinstance(marker, dict) else None
    if not isinstance(project_id, str) or not project_id[:1].isalnum() or not set(project_id) <= _ID_CHARACTERS:
        raise _Unusual


def _is_users_own(folder: str) -> bool:
    return os.path.realpath(os.path.expanduser("~")) == folder


def _holds_no_note(folder: str) -> bool:
    if os.path.realpath(folder) != os.path.abspath(folder):
        raise _Unusual
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return True
    return not any(name[-3:].lower() == ".md" and not name.startswith(".") for name in names)
