"""HEAD is read as git itself names it, in every kind of checkout."""

import subprocess
from pathlib import Path

import pytest

from oharness.disk.git import Git, checkout_at
from oharness.disk.git_head import head_commit

pytestmark = pytest.mark.sync

WHO = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")


def git(folder: Path, *arguments: str) -> str:
    answer = subprocess.run(["git", *WHO, *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return answer.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    (root / "MEMORY").mkdir(parents=True)
    git(root, "init", "-q")
    (root / "MEMORY" / "a.md").write_text("a")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "first")
    return root


def test_head_is_the_commit_of_the_branch(repository: Path) -> None:
    assert head_commit(repository) == git(repository, "rev-parse", "HEAD")


def test_head_is_found_in_packed_references(repository: Path) -> None:
    git(repository, "pack-refs", "--all")
    assert head_commit(repository) == git(repository, "rev-parse", "HEAD")


def test_a_detached_head_is_its_commit(repository: Path) -> None:
    git(repository, "checkout", "-q", "--detach")
    assert head_commit(repository) == git(repository, "rev-parse", "HEAD")


def test_a_worktree_has_a_head_of_its_own(repository: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    git(repository, "worktree", "add", "-q", "-b", "b", str(other))
    git(other, "commit", "-q", "--allow-empty", "-m", "second")
    assert head_commit(other) == git(other, "rev-parse", "HEAD")
    assert head_commit(repository) != head_commit(other)


def test_without_a_repository_or_a_commit_there_is_no_head(tmp_path: Path) -> None:
    assert head_commit(tmp_path) is None
    git(tmp_path, "init", "-q")
    assert head_commit(tmp_path) is None


@pytest.mark.parametrize("head", ["", "ref: refs/../../etc/passwd", "ref: /etc/passwd", "nonsense", "\0" * 9])
def test_a_head_that_says_nothing_is_none(repository: Path, head: str) -> None:
    (repository / ".git" / "HEAD").write_text(head)
    assert head_commit(repository) is None


def test_git_is_asked_whether_it_has_files_of_a_folder(repository: Path) -> None:
    program, checkout = Git({"PATH": "/usr/bin:/bin"}), checkout_at(repository)
    assert checkout is not None
    assert program.tracks(checkout, repository / "MEMORY")
    assert not program.tracks(checkout, repository / "ARTIFACTS")
    assert not Git({"PATH": ""}).tracks(checkout, repository / "MEMORY")
