"""Which file a path of the model means: always one inside the project, and never one that runs code by being there.

Follows links before it decides, so that a link cannot lead out.
"""

import unicodedata
from dataclasses import dataclass
from pathlib import Path

_GUARDED = (".git", ".oharness")
"""A write there could run code or loosen permissions: git hooks and settings, our own settings of the project."""


@dataclass(eq=False)
class NotPossible(Exception):
    """A tool cannot do what was asked; `text` tells the model why."""

    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Place:
    """A path inside the project: `path` without links, `name` as the model may write it again."""

    path: Path
    name: str


def place_in(root: Path, text: str) -> Place:
    """What a path, relative to the project's root or absolute, stands for; it need not exist.

    Raises: NotPossible.
    """
    try:
        real_root = root.resolve()
        path = (real_root / text).resolve()
    except (OSError, ValueError, RuntimeError) as error:
        raise NotPossible(f"{text!r} is not a usable path: {error}") from error
    if not path.is_relative_to(real_root):
        raise NotPossible(f"{text} is outside the project. Only paths inside {real_root} can be used.")
    return Place(path, path.relative_to(real_root).as_posix())


def place_to_change(root: Path, text: str) -> Place:
    """The same for a file that is to be written.

    Raises: NotPossible.
    """
    place = place_in(root, text)
    if place.path == root.resolve() or place.path.is_dir():
        raise NotPossible(f"{place.name} is a folder.")
    if _is_guarded(root.resolve(), place):
        raise NotPossible(f"{place.name} is not changed by this tool: git and oHarness keep their settings there.")
    return place


def _is_guarded(root: Path, place: Place) -> bool:
    """By name as a file system that ignores case may see it, and by identity for names it treats as the same."""
    parts = [_folded(part) for part in Path(place.name).parts]
    if ".git" in parts or parts[0] in _GUARDED:
        return True
    guarded = [root / name for name in _GUARDED if (root / name).exists()]
    existing = [parent for parent in place.path.parents if parent.is_relative_to(root) and parent.exists()]
    return any(one.samefile(other) for one in guarded for other in existing)


def _folded(part: str) -> str:
    shown = "".join(char for char in unicodedata.normalize("NFKC", part) if unicodedata.category(char) != "Cf")
    return shown.casefold().rstrip(" .")
