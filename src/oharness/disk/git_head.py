"""Where git's HEAD stands for a folder, read from git's own small files: a checkout takes files away on purpose."""

import contextlib
import re
from pathlib import Path

_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_MOST_BYTES = 4096


def head_commit(root: Path) -> str | None:
    """The commit that is checked out at a checkout's top folder; None where there is none, or none that is known.

    A branch without a commit is None as well. Nothing is written, and the git program is not asked.
    """
    git_dir = _git_directory(root)
    if git_dir is None:
        return None
    head = _small_text(git_dir / "HEAD")
    if not head.startswith("ref:"):
        return _commit_in(head)
    name = head.removeprefix("ref:").strip()
    common = _common_directory(git_dir)
    for folder in (git_dir, common):
        commit = _commit_in(_small_text(folder / name)) if _is_reference(name) else None
        if commit:
            return commit
    return _packed(common, name)


def _git_directory(root: Path) -> Path | None:
    marker = root / ".git"
    if marker.is_dir():
        return marker
    text = _small_text(marker)
    return (root / text.removeprefix("gitdir:").strip()).resolve() if text.startswith("gitdir:") else None


def _common_directory(git_dir: Path) -> Path:
    named = _small_text(git_dir / "commondir")
    return (git_dir / named).resolve() if named else git_dir


def _packed(common: Path, name: str) -> str | None:
    with contextlib.suppress(OSError, UnicodeDecodeError):
        for line in (common / "packed-refs").read_text(encoding="utf-8").splitlines():
            commit, _, reference = line.partition(" ")
            if reference == name:
                return _commit_in(commit)
    return None


def _is_reference(name: str) -> bool:
    return name.startswith("refs/") and ".." not in name.split("/")


def _commit_in(text: str) -> str | None:
    return text if _COMMIT.fullmatch(text) else None


def _small_text(path: Path) -> str:
    try:
        if not path.is_file():  # a pipe or a device would never end
            return ""
        with path.open("rb") as file:
            return file.read(_MOST_BYTES).decode("utf-8", "surrogateescape").strip()
    except OSError:
        return ""
