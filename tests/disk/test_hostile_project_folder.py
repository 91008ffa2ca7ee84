"""What a repository from elsewhere may hold where our own small files lie: pipes, devices, links, deep nesting."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from oharness.core.errors import Failed
from oharness.disk.at_a_glance import no_notes
from oharness.disk.filesystem import FileSystem
from oharness.disk.git import Git, checkout_at
from oharness.disk.home import Home
from oharness.disk.project import project_at, register_project
from oharness.testing.clock import FakeClock
from oharness.testing.randomness import SeededRandomness

pytestmark = pytest.mark.memory
FILES = FileSystem()


def pipe(path: Path) -> None:
    os.mkfifo(path)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def nested(path: Path) -> None:
    path.write_text('{"id":' * 100_000)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "cloned"
    (folder / ".oharness").mkdir(parents=True)
    return folder


@pytest.mark.parametrize("make", [pipe, device, nested])
def test_a_marker_that_is_no_plain_file_is_told_of_at_once(
    root: Path, tmp_path: Path, make: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    make(root / ".oharness" / "project.json")
    monkeypatch.chdir(root)
    assert no_notes({}, str(tmp_path / "home")) is None
    with pytest.raises(Failed):
        project_at(FILES, root)


@pytest.mark.parametrize("make", [pipe, device])
def test_git_files_that_are_no_plain_files_make_no_repository(root: Path, make: Callable[[Path], None]) -> None:
    make(root / ".git")
    assert checkout_at(root) is None


def test_a_file_that_a_link_leads_to_is_not_copied_into_the_project(root: Path, tmp_path: Path) -> None:
    secret = tmp_path / "private-key"
    secret.write_text("SECRET")
    (root / ".oharness" / ".gitignore").symlink_to(secret)
    (root / ".oharness" / "device.json").symlink_to(secret)
    done = register_project(
        FILES, project_at(FILES, root), Home(tmp_path / "home"), Git({}), FakeClock(), SeededRandomness(1)
    )
    assert len(done.warnings) == 1
    assert done.device is None
    assert [path.name for path in root.rglob("*") if path.is_file() and not path.is_symlink()] == ["project.json"]


def test_no_program_that_a_repositorys_config_names_is_run(root: Path, tmp_path: Path) -> None:
    named, was_run = tmp_path / "named-program", tmp_path / "it-was-run"
    named.write_text(f"#!/bin/sh\ntouch '{was_run}'\n")
    named.chmod(0o755)
    (root / "MEMORY").mkdir()
    (root / "MEMORY" / "a.md").write_text("x")
    (root / ".gitattributes").write_text("* filter=own diff=own\n")
    environ = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull}

    def git(*arguments: str, given: str = "") -> str:
        done = subprocess.run(
            ["git", "-C", root, *arguments], input=given, env=environ, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    git("init", "--quiet")
    git("add", "MEMORY")
    by = "a <a@example.com> 1700000000 +0000"
    signature = "-----BEGIN PGP SIGNATURE-----\n \n aaaa\n -----END PGP SIGNATURE-----"
    signed = f"tree {git('write-tree')}\nauthor {by}\ncommitter {by}\ngpgsig {signature}\n\nmessage\n"
    git("reset", "--soft", git("hash-object", "-t", "commit", "-w", "--stdin", given=signed))
    for key in (
        "core.fsmonitor",
        "gpg.program",
        "core.pager",
        "diff.external",
        "filter.own.clean",
        "diff.own.textconv",
    ):
        git("config", key, str(named))
    git("config", "log.showSignature", "true")

    asked, checkout = Git(os.environ), checkout_at(root)
    assert checkout is not None
    assert asked.has_in_history(checkout, root / "MEMORY" / "a.md")
    assert asked.tracks(checkout, root / "MEMORY")
    assert not asked.ignores(checkout, root / "MEMORY" / "b.md")
    assert isinstance(asked.root_commit(checkout), str)
    assert not was_run.exists()
