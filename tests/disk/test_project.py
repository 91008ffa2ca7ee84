import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from oharness.core.errors import StorageFailed
from oharness.disk.filesystem import FileSystem
from oharness.disk.git import Git, NoRootReason, checkout_around, checkout_at
from oharness.disk.home import Home
from oharness.disk.json_files import BrokenFile
from oharness.disk.project import (
    IdSource,
    NoSuchProjectFolder,
    OutsideProject,
    Project,
    Registration,
    find_project,
    identify,
    notes_directory,
    project_at,
    register_project,
)
from oharness.disk.projects_file import known_projects
from oharness.testing.clock import FakeClock
from oharness.testing.faults import FaultyFileSystem, read_only_below
from oharness.testing.randomness import SeededRandomness

pytestmark = pytest.mark.memory
FILES = FileSystem()
GIT = Git({"PATH": os.environ["PATH"]})
NO_GIT = Git({"PATH": ""})
QUIET = {
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Ann",
    "GIT_AUTHOR_EMAIL": "ann@example.org",
    "GIT_COMMITTER_NAME": "Ann",
    "GIT_COMMITTER_EMAIL": "ann@example.org",
}


def git(folder: Path, *arguments: str) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    command = [
        "git",
        "-c",
        "init.defaultBranch=main",
        "-c",
        "protocol.file.allow=always",
        "-C",
        str(folder),
        *arguments,
    ]
    return subprocess.run(command, env=QUIET, check=True, capture_output=True, text=True).stdout.strip()


def repository(folder: Path, commits: int = 2) -> str:
    git(folder, "init", "-q")
    for number in range(commits):
        git(folder, "commit", "-q", "--allow-empty", "-m", f"{folder.name} {number}")
    return git(folder, "rev-list", "--max-parents=0", "HEAD") if commits else ""


Register = Callable[..., Registration]


@pytest.fixture
def register(home: Path) -> Register:
    randomness = SeededRandomness(1)

    def registered(
        folder: Path, git: Git = GIT, files: FileSystem = FILES, at: Path = home, clock: FakeClock | None = None
    ) -> Registration:
        project = project_at(FILES, folder)
        return register_project(files, project, Home(at), git, clock or FakeClock(), randomness)

    return registered


def test_a_repository_gets_its_root_commit_as_id_and_the_standard_folders(tmp_path: Path, register: Register) -> None:
    root_commit = repository(tmp_path / "shop")
    registration = register(tmp_path / "shop")
    assert registration.identity.id == registration.marker.id == root_commit
    assert registration.identity.source is IdSource.GIT_ROOT
    assert registration.warnings == ()
    written = json.loads((tmp_path / "shop/.oharness/project.json").read_text())
    assert written == {"id": root_commit, "name": "shop", "createdAt": FakeClock().now_ms()}
    assert sorted(path.name for path in (tmp_path / "shop").iterdir()) == [".git", ".oharness", "ARTIFACTS", "MEMORY"]
    assert (tmp_path / "shop/.oharness/.gitignore").read_text() == "device.json\n"
    assert "device.json" not in git(tmp_path / "shop", "status", "--porcelain", "-uall")


def test_another_folder_gets_a_random_id_that_is_kept(tmp_path: Path, register: Register) -> None:
    (tmp_path / "plain").mkdir()
    first, second = register(tmp_path / "plain"), register(tmp_path / "plain")
    assert first.identity.source is IdSource.RANDOM
    assert second.identity.source is IdSource.EXISTING
    assert first.marker == second.marker
    assert first.device == second.device
    assert (first.is_new_replica, second.is_new_replica) == (True, False)


def test_of_several_roots_the_one_behind_first_parents_counts(tmp_path: Path, register: Register) -> None:
    first = repository(tmp_path / "shop")
    git(tmp_path / "shop", "checkout", "-q", "--orphan", "other")
    git(tmp_path / "shop", "commit", "-q", "--allow-empty", "-m", "a second root")
    git(tmp_path / "shop", "checkout", "-q", "main")
    git(tmp_path / "shop", "merge", "-q", "--allow-unrelated-histories", "-m", "joined", "other")
    assert len(git(tmp_path / "shop", "rev-list", "--max-parents=0", "HEAD").split()) == 2
    assert register(tmp_path / "shop").marker.id == first


def test_a_shallow_clone_has_no_known_root(tmp_path: Path, register: Register) -> None:
    root_commit = repository(tmp_path / "shop", commits=3)
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{tmp_path}/shop", "shallow")
    registration = register(tmp_path / "shallow")
    assert registration.identity.source is IdSource.RANDOM
    assert registration.identity.no_root is NoRootReason.SHALLOW
    assert registration.marker.id != root_commit


def test_a_repository_without_commits_gets_a_random_id_and_keeps_it(tmp_path: Path, register: Register) -> None:
    repository(tmp_path / "shop", commits=0)
    first = register(tmp_path / "shop")
    assert first.identity.no_root is NoRootReason.NO_COMMIT
    git(tmp_path / "shop", "commit", "-q", "--allow-empty", "-m", "first")
    assert register(tmp_path / "shop").marker.id == first.marker.id


def test_missing_git_is_said_and_hinders_nothing(tmp_path: Path, register: Register) -> None:
    repository(tmp_path / "shop")
    registration = register(tmp_path / "shop", NO_GIT)
    assert registration.identity.no_root is NoRootReason.GIT_MISSING
    assert registration.identity.source is IdSource.RANDOM
    assert (tmp_path / "shop/MEMORY").is_dir()


def test_git_variables_of_a_hook_do_not_mislead(tmp_path: Path, register: Register) -> None:
    root_commit = repository(tmp_path / "shop")
    repository(tmp_path / "other")
    misleading = Git({"PATH": os.environ["PATH"], "GIT_DIR": str(tmp_path / "other/.git")})
    assert register(tmp_path / "shop", misleading).marker.id == root_commit


@pytest.mark.parametrize("main_is_registered_first", [True, False])
def test_worktrees_share_the_id_and_keep_their_own_notes(
    tmp_path: Path, register: Register, main_is_registered_first: bool
) -> None:
    root_commit = repository(tmp_path / "shop")
    git(tmp_path / "shop", "worktree", "add", "-q", "../wt", "-b", "b")
    git(tmp_path / "wt", "checkout", "-q", "--orphan", "pages")
    git(tmp_path / "wt", "commit", "-q", "--allow-empty", "-m", "another root")
    order = [tmp_path / "shop", tmp_path / "wt"]
    first, second = [register(folder) for folder in (order if main_is_registered_first else order[::-1])]
    assert first.marker.id == second.marker.id == root_commit
    assert first.device != second.device
    assert notes_directory(FILES, tmp_path / "wt", None) == tmp_path / "wt/MEMORY"
    checkout = checkout_at(tmp_path / "wt")
    assert checkout is not None
    assert checkout.is_linked


def test_a_worktree_takes_a_random_id_that_another_worktree_has(tmp_path: Path, register: Register) -> None:
    repository(tmp_path / "shop")
    registered = register(tmp_path / "shop", NO_GIT)
    git(tmp_path / "shop", "worktree", "add", "-q", "../wt", "-b", "b")
    unregistered = project_at(FILES, tmp_path / "wt")
    assert unregistered.marker is not None
    assert unregistered.marker.id == registered.marker.id
    assert not unregistered.is_registered
    assert register(tmp_path / "wt", NO_GIT).marker.id == registered.marker.id


def test_a_submodule_is_a_project_of_its_own(tmp_path: Path, register: Register) -> None:
    library = repository(tmp_path / "library")
    repository(tmp_path / "shop")
    git(tmp_path / "shop", "submodule", "--quiet", "add", str(tmp_path / "library"), "lib")
    assert register(tmp_path / "shop/lib").marker.id == library
    assert register(tmp_path / "shop").marker.id != library


def test_a_linked_folder_is_the_same_project(tmp_path: Path, register: Register) -> None:
    repository(tmp_path / "store")
    (tmp_path / "shop").symlink_to(tmp_path / "store")
    through_link, direct = register(tmp_path / "shop"), register(tmp_path / "store")
    assert through_link.project == direct.project
    assert through_link.device == direct.device
    found = find_project(FILES, tmp_path / "shop", Path("/nobody"))
    assert found is not None
    assert found.root == tmp_path / "store"


def test_a_project_is_found_from_any_folder_below_its_marker(tmp_path: Path, register: Register) -> None:
    (tmp_path / "store/src/deep").mkdir(parents=True)
    register(tmp_path / "store")
    (tmp_path / "elsewhere/store").mkdir(parents=True)
    found = find_project(FILES, tmp_path / "store/src/deep", tmp_path)
    assert found is not None
    assert found.root == tmp_path / "store"
    assert find_project(FILES, tmp_path / "elsewhere/store", tmp_path) is None
    assert find_project(FILES, Path("/"), Path("/root")) is None


def test_the_nearest_of_marker_and_git_root_counts(tmp_path: Path, register: Register) -> None:
    repository(tmp_path / "all")
    (tmp_path / "all/part/src").mkdir(parents=True)
    register(tmp_path / "all/part")
    inner = find_project(FILES, tmp_path / "all/part/src", tmp_path)
    outer = find_project(FILES, tmp_path / "all", tmp_path)
    assert (inner and inner.root, outer and outer.root) == (tmp_path / "all/part", tmp_path / "all")
    assert outer is not None
    assert not outer.is_registered


def test_the_user_s_own_directory_is_no_project_by_accident(tmp_path: Path, register: Register) -> None:
    repository(tmp_path / "ann")
    (tmp_path / "ann/Downloads").mkdir()
    assert find_project(FILES, tmp_path / "ann/Downloads", tmp_path / "ann") is None
    register(tmp_path / "ann")
    assert find_project(FILES, tmp_path / "ann/Downloads", tmp_path / "ann") is not None


def test_finding_and_naming_a_project_writes_nothing(tmp_path: Path, home: Path) -> None:
    root_commit = repository(tmp_path / "shop")
    before = sorted((tmp_path / "shop").rglob("*"))
    project = find_project(FILES, tmp_path / "shop", tmp_path)
    assert project is not None
    assert identify(FILES, project, GIT, SeededRandomness()).id == root_commit
    assert sorted((tmp_path / "shop").rglob("*")) == before
    assert not home.exists()


def test_a_renamed_folder_keeps_its_device_and_its_entry(tmp_path: Path, register: Register, home: Path) -> None:
    repository(tmp_path / "shop")
    before = register(tmp_path / "shop")
    (tmp_path / "shop").rename(tmp_path / "store")
    after = register(tmp_path / "store")
    assert after.device == before.device
    assert after.renamed_from == tmp_path / "shop"
    assert [entry.path for entry in known_projects(FILES, Home(home))] == [tmp_path / "store"]


def test_a_copied_folder_is_a_new_replica_and_the_original_stays_what_it_was(
    tmp_path: Path, register: Register
) -> None:
    (tmp_path / "shop").mkdir()
    original = register(tmp_path / "shop")
    shutil.copytree(tmp_path / "shop", tmp_path / "copy")
    copy = register(tmp_path / "copy")
    assert copy.marker.id == original.marker.id
    assert copy.device not in (original.device, None)
    assert copy.is_new_replica
    assert register(tmp_path / "shop").device == original.device
    assert register(tmp_path / "copy").device == copy.device


def test_a_second_clone_shares_the_id_and_is_a_replica_of_its_own(tmp_path: Path, register: Register) -> None:
    repository(tmp_path / "shop")
    git(tmp_path, "clone", "-q", "shop", "clone")
    first, second = register(tmp_path / "shop"), register(tmp_path / "clone")
    assert first.marker.id == second.marker.id
    assert first.device != second.device


def test_a_folder_that_was_replaced_by_a_fresh_clone_is_a_new_replica(tmp_path: Path, register: Register) -> None:
    repository(tmp_path / "origin")
    git(tmp_path, "clone", "-q", "origin", "shop")
    first = register(tmp_path / "shop")
    shutil.rmtree(tmp_path / "shop")
    git(tmp_path, "clone", "-q", "origin", "shop")
    second = register(tmp_path / "shop")
    assert second.is_new_replica
    assert second.device != first.device


def test_two_homes_on_one_folder_do_not_take_each_other_s_device(tmp_path: Path, register: Register) -> None:
    (tmp_path / "shop").mkdir()
    first = register(tmp_path / "shop")
    second = register(tmp_path / "shop", at=tmp_path / "home2")
    assert first.device != second.device
    assert register(tmp_path / "shop").device == first.device


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ('{"id": "a",\n "name": }', 2, 10),
        ("[1, 2]", 1, 1),
        ('{"id": "../../x", "name": "shop"}', 1, 1),
        ('{"name": "shop"}', 1, 1),
        ('{"id": "a"} // a comment', 1, 13),
    ],
)
def test_a_broken_project_file_is_reported_and_left_as_it_is(
    tmp_path: Path, home: Path, text: str, line: int, column: int
) -> None:
    path = tmp_path / "shop/.oharness/project.json"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    with pytest.raises(BrokenFile) as caught:
        project_at(FILES, tmp_path / "shop")
    assert (caught.value.path, caught.value.line, caught.value.column) == (str(path), line, column)
    project = Project(tmp_path / "shop", None, is_registered=False)
    with pytest.raises(BrokenFile):
        register_project(FILES, project, Home(home), GIT, FakeClock(), SeededRandomness())
    assert path.read_text() == text


def test_a_home_that_cannot_be_written_is_a_warning_and_the_project_works(
    tmp_path: Path, register: Register, home: Path
) -> None:
    (tmp_path / "shop").mkdir()
    registration = register(tmp_path / "shop", files=FaultyFileSystem(read_only_below(home)))
    assert [type(warning) for warning in registration.warnings] == [StorageFailed]
    assert registration.device is None
    assert (tmp_path / "shop/MEMORY").is_dir()


def test_a_home_below_proc_is_a_warning_too(tmp_path: Path, register: Register) -> None:
    (tmp_path / "shop").mkdir()
    assert register(tmp_path / "shop", at=Path("/proc/oharness")).warnings


def test_a_broken_registry_is_a_warning_and_left_as_it_is(tmp_path: Path, register: Register, home: Path) -> None:
    (tmp_path / "shop").mkdir()
    home.mkdir()
    (home / "projects.json").write_text("{broken")
    registration = register(tmp_path / "shop")
    assert [type(warning) for warning in registration.warnings] == [BrokenFile]
    assert (home / "projects.json").read_text() == "{broken"


def test_a_project_that_cannot_be_written_is_an_error_with_the_path(tmp_path: Path, register: Register) -> None:
    (tmp_path / "shop").mkdir()
    with pytest.raises(StorageFailed) as caught:
        register(tmp_path / "shop", files=FaultyFileSystem(read_only_below(tmp_path / "shop")))
    assert caught.value.path == str(tmp_path / "shop/.oharness")


def test_a_missing_folder_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NoSuchProjectFolder):
        project_at(FILES, tmp_path / "nowhere")


def test_the_notes_directory_must_lie_inside_the_project(tmp_path: Path) -> None:
    root = tmp_path / "shop"
    (root / "docs").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    (root / "out").symlink_to(tmp_path / "outside")
    (root / "in").symlink_to(root / "docs")
    (root / "ring").symlink_to(root / "ring")
    assert notes_directory(FILES, root, "docs/notes") == root / "docs/notes"
    assert notes_directory(FILES, root, "in/notes") == root / "docs/notes"
    for configured in ("../outside", "/etc", str(tmp_path / "outside"), "out", "out/notes", "ring", "a\0b"):
        with pytest.raises(OutsideProject):
            notes_directory(FILES, root, configured)


def test_memory_itself_may_not_lead_outside(tmp_path: Path, register: Register) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "shop/MEMORY").symlink_to(tmp_path / "outside")
    register(tmp_path / "shop")
    with pytest.raises(OutsideProject):
        notes_directory(FILES, tmp_path / "shop", None)


def test_a_state_folder_that_leads_outside_is_not_written_to(tmp_path: Path, register: Register) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "shop/.oharness").symlink_to(tmp_path / "outside")
    with pytest.raises(OutsideProject):
        register(tmp_path / "shop")
    assert list((tmp_path / "outside").iterdir()) == []


def test_an_own_gitignore_is_added_to(tmp_path: Path, register: Register) -> None:
    (tmp_path / "shop/.oharness").mkdir(parents=True)
    (tmp_path / "shop/.oharness/.gitignore").write_text("scratch")
    register(tmp_path / "shop")
    register(tmp_path / "shop")
    assert (tmp_path / "shop/.oharness/.gitignore").read_text() == "scratch\ndevice.json\n"


def test_the_list_of_projects_has_the_latest_first_and_is_not_rewritten_every_second(
    tmp_path: Path, register: Register, home: Path
) -> None:
    clock = FakeClock()
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        register(tmp_path / name, clock=clock)
        clock.advance(10)
    stamp = (home / "projects.json").stat().st_mtime_ns
    register(tmp_path / "a", clock=clock)
    assert (home / "projects.json").stat().st_mtime_ns == stamp
    clock.advance(60)
    register(tmp_path / "a", clock=clock)
    assert [entry.name for entry in known_projects(FILES, Home(home))] == ["a", "b"]


def test_what_git_ignores_is_known(tmp_path: Path) -> None:
    repository(tmp_path / "shop")
    (tmp_path / "shop/MEMORY").mkdir()
    checkout = checkout_around(tmp_path / "shop/MEMORY")
    assert checkout is not None
    assert not GIT.ignores(checkout, tmp_path / "shop/MEMORY/a.md")
    (tmp_path / "shop/.gitignore").write_text("/MEMORY/\n")
    assert GIT.ignores(checkout, tmp_path / "shop/MEMORY/a.md")
    assert not NO_GIT.ignores(checkout, tmp_path / "shop/MEMORY/a.md")
