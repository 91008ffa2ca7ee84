"""What this product asks of git: the checkout a folder belongs to, its root commit, what is ignored.

Links between checkouts are read from git's own small files; only the root commit and ignore rules need the
program, which may be missing. Nothing here writes, fetches or runs what a repository's config names.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from oharness.disk.filesystem import FileSystem

if TYPE_CHECKING:
    import subprocess

_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_TIMEOUT_S = 30.0
_NOTHING_OF_ITS_OWN = ("-c", "core.fsmonitor=false", "-c", "log.showSignature=false")
"""Against the programs that git would run for what is asked here when the repository's own config names them."""


class NoRootReason(StrEnum):
    """Why a repository has no known root commit."""

    GIT_MISSING = "git-missing"
    SHALLOW = "shallow"
    NO_COMMIT = "no-commit"


@dataclass(frozen=True, slots=True)
class NoRoot:
    """The repository has no root commit that every clone would agree on."""

    reason: NoRootReason


@dataclass(frozen=True, slots=True)
class Checkout:
    """A folder with files of a repository; checkouts of one repository have one `common` directory."""

    root: Path
    common: Path
    is_linked: bool


@dataclass(frozen=True, slots=True)
class Git:
    """The git program as the given environment finds it."""

    environ: Mapping[str, str]

    def root_commit(self, checkout: Checkout) -> str | NoRoot:
        """The commit that first parents lead to from the repository's own HEAD, the same in every worktree."""
        if (checkout.common / "shallow").exists():
            return NoRoot(NoRootReason.SHALLOW)
        arguments = (f"--git-dir={checkout.common}", "--no-replace-objects", "rev-list", "--first-parent")
        answer = self._run(*arguments, "--max-parents=0", "HEAD")
        if answer is None:
            return NoRoot(NoRootReason.GIT_MISSING)
        commit = answer.stdout.strip()
        if answer.returncode or not _COMMIT.fullmatch(commit):
            return NoRoot(NoRootReason.NO_COMMIT)
        return commit

    def ignores(self, checkout: Checkout, path: Path) -> bool:
        """Whether the repository's ignore rules keep `path` out of it; False when git cannot be asked."""
        answer = self._run("-C", str(checkout.root), "check-ignore", "--quiet", str(path))
        return answer is not None and answer.returncode == 0

    def tracks(self, checkout: Checkout, path: Path) -> bool:
        """Whether the repository has files at or below `path`; False when git cannot be asked."""
        answer = self._run("-C", str(checkout.root), "ls-files", "--", str(path))
        return answer is not None and answer.returncode == 0 and bool(answer.stdout)

    def has_in_history(self, checkout: Checkout, path: Path) -> bool:
        """Whether any commit of any branch holds a file at `path`; False when git cannot be asked."""
        answer = self._run("-C", str(checkout.root), "log", "--all", "--max-count=1", "--format=%H", "--", str(path))
        return answer is not None and answer.returncode == 0 and bool(answer.stdout.strip())

    def _run(self, *arguments: str) -> "subprocess.CompletedProcess[str] | None":
        import shutil
        import subprocess

        program = shutil.which("git", path=self.environ.get("PATH", ""))
        if program is None:
            return None
        # GIT_DIR and its kin (set inside hooks) would answer for another repository.
        environ = {name: value for name, value in self.environ.items() if not name.startswith("GIT_")}
        environ |= {"GIT_ALLOW_PROTOCOL": "none", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
        try:
            return subprocess.run(
                [program, *_NOTHING_OF_ITS_OWN, *arguments],
                env=environ,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                timeout=_TIMEOUT_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return None


def checkout_at(root: Path) -> Checkout | None:
    """The checkout whose top folder this is; None when it is none."""
    marker = root / ".git"
    if marker.is_dir():
        return Checkout(root, marker, is_linked=False)
    git_dir = _named_in(marker, "gitdir:", root)
    if git_dir is None:
        return None
    common = _named_in(git_dir / "commondir", "", git_dir)
    if common is None:  # a submodule or a separated git directory: a repository of its own
        return Checkout(root, git_dir, is_linked=False)
    return Checkout(root, common, is_linked=True)


def checkout_around(path: Path) -> Checkout | None:
    """The checkout that `path` lies in, at whatever depth."""
    found = (checkout_at(folder) for folder in (path, *path.parents))
    return next((checkout for checkout in found if checkout is not None), None)


def sibling_roots(checkout: Checkout) -> list[Path]:
    """The top folders of the repository's other checkouts, the main one first; some may be gone."""
    roots = [checkout.common.parent] if checkout.common.name == ".git" else []
    for pointer in sorted((checkout.common / "worktrees").glob("*/gitdir")):
        marker = _named_in(pointer, "", pointer.parent)
        if marker is not None:
            roots.append(marker.parent)
    return [root for root in roots if root != checkout.root]


def _named_in(file: Path, prefix: str, relative_to: Path) -> Path | None:
    try:  # a pipe or a device in a repository's place is none of git's own small files
        text = FileSystem().read(file).decode("utf-8", "surrogateescape").strip()
    except OSError:
        return None
    if not text.startswith(prefix) or not text[len(prefix) :].strip():
        return None
    return (relative_to / text[len(prefix) :].strip()).resolve()
