"""Which project a folder belongs to, how it gets its id, and which notes directory it has.

Finding writes nothing. Registering writes `.oharness/project.json` once, and it is then kept: the id is the
root commit of a git repository, else random; worktrees of a repository take the id that another of them has.
Each folder (a second clone, a copy, a worktree) has notes of its own and a device id of its own; only a
folder whose recorded place is gone keeps the device id it carries, since it was renamed.
"""

import hashlib
import os
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from oharness.core.clock import Clock, Millis
from oharness.core.errors import NotFound, OharnessError, Refused, StorageFailed
from oharness.core.jsontext import pretty_json
from oharness.core.randomness import Randomness
from oharness.core.scopes import is_project_id
from oharness.disk.atomic import create_file, ensure_directory, reason_of, write_file
from oharness.disk.filesystem import SHARED_DIRECTORY, SHARED_FILE, FileSystem
from oharness.disk.folder_lock import FolderBusy
from oharness.disk.git import Checkout, Git, NoRoot, NoRootReason, checkout_at, sibling_roots
from oharness.disk.home import Home
from oharness.disk.json_files import BrokenFile, parse_object, read_object
from oharness.disk.projects_file import KnownProject, change_known_projects, known_projects

STATE_FOLDER = ".oharness"
DEFAULT_NOTES_FOLDER = "MEMORY"
ARTIFACTS_FOLDER = "ARTIFACTS"
_IGNORED = "device.json"
_LARGEST_OWN_FILE = 1 << 20
_DEVICE_VERSION = 1
_USE_IS_RECENT_MS = 60_000


@dataclass(eq=False)
class NoSuchProjectFolder(NotFound):
    """The folder that should be a project is not there."""

    path: str


@dataclass(eq=False)
class OutsideProject(Refused):
    """`path` (the notes directory or `.oharness`) really lies at `real_path`, outside the project `root`."""

    path: str
    real_path: str
    root: str


class IdSource(StrEnum):
    """Where a project's id came from, as `project init` says it."""

    GIT_ROOT = "git-root"
    RANDOM = "random"
    EXISTING = "existing"


@dataclass(frozen=True, slots=True)
class Marker:
    """What `.oharness/project.json` says."""

    id: str
    name: str
    created_at: Millis


@dataclass(frozen=True, slots=True)
class Project:
    """A project folder, its real path. `marker` is None before it is registered, unless a worktree has one."""

    root: Path
    marker: Marker | None
    is_registered: bool

    @property
    def name(self) -> str:
        return self.marker.name if self.marker else _default_name(self.root)

    @property
    def state_folder(self) -> Path:
        return self.root / STATE_FOLDER

    @property
    def marker_file(self) -> Path:
        return self.state_folder / "project.json"

    @property
    def config_file(self) -> Path:
        return self.state_folder / "config.json"

    @property
    def device_file(self) -> Path:
        return self.state_folder / "device.json"


@dataclass(frozen=True, slots=True)
class Identity:
    """The id a folder has or would get; `no_root` says why a git repository's is random."""

    id: str
    source: IdSource
    no_root: NoRootReason | None = None


@dataclass(frozen=True, slots=True)
class Registration:
    """A registered project. Without a `device` its notes cannot sync; `warnings` say why."""

    project: Project
    marker: Marker
    identity: Identity
    device: str | None
    renamed_from: Path | None = None
    is_new_replica: bool = False
    warnings: tuple[OharnessError, ...] = ()


def find_project(files: FileSystem, start: Path, user_directory: Path) -> Project | None:
    """The nearest registered folder or git root from `start` upward, links resolved.

    The user's own directory and `/` count only when they were registered on purpose.
    Raises: BrokenFile; StorageFailed.
    """
    folder = files.real_path(start)
    not_by_accident = {files.real_path(user_directory), Path(folder.anchor)}
    for candidate in (folder, *folder.parents):
        if files.exists(candidate / STATE_FOLDER / "project.json"):
            return project_at(files, candidate)
        if candidate not in not_by_accident and checkout_at(candidate) is not None:
            return project_at(files, candidate)
    return None


def project_at(files: FileSystem, root: Path) -> Project:
    """The project of exactly this folder, whether registered or not.

    Raises: NoSuchProjectFolder; BrokenFile; StorageFailed.
    """
    real = files.real_path(root)
    if not files.is_directory(real):
        raise NoSuchProjectFolder(str(root))
    own = _read_marker(files, real)
    if own is not None:
        return Project(real, own, is_registered=True)
    return Project(real, _marker_of_siblings(files, checkout_at(real)), is_registered=False)


def identify(files: FileSystem, project: Project, git: Git, randomness: Randomness) -> Identity:
    """The id the project has, or the one it would get now. Writes nothing."""
    if project.marker is not None:
        return Identity(project.marker.id, IdSource.EXISTING)
    checkout = checkout_at(project.root)
    if checkout is None:
        return Identity(randomness.uuid(), IdSource.RANDOM)
    commit = git.root_commit(checkout)
    if isinstance(commit, NoRoot):
        return Identity(randomness.uuid(), IdSource.RANDOM, commit.reason)
    return Identity(commit, IdSource.GIT_ROOT)


def register_project(
    files: FileSystem, project: Project, home: Home, git: Git, clock: Clock, randomness: Randomness
) -> Registration:
    """Makes the folder a registered project of this home and says what it is now; may be repeated.

    What cannot be written under the home is a warning: the project's notes work without it.
    Raises: OutsideProject; BrokenFile; StorageFailed when the project folder cannot be written.
    """
    _check_inside(files, project.state_folder, project.root)
    identity = identify(files, project, git, randomness)
    marker = _marker_written(files, project, identity, clock.now_ms())
    if marker.id != identity.id:  # another process was faster
        identity = Identity(marker.id, IdSource.EXISTING)
    project = Project(project.root, marker, is_registered=True)
    # Notes that are gone from a folder known here must be seen to be gone, and not to be an empty folder.
    known = _is_known(files, home, project.root)
    for name in (ARTIFACTS_FOLDER,) if known else (DEFAULT_NOTES_FOLDER, ARTIFACTS_FOLDER):
        if not files.exists(project.root / name):
            ensure_directory(files, project.root / name, SHARED_DIRECTORY)
    registration = Registration(project, marker, identity, device=None)
    try:
        return _enrolled(files, registration, home, clock.now_ms(), randomness)
    except (StorageFailed, BrokenFile, FolderBusy) as error:
        return replace(registration, warnings=(error,))


def _is_known(files: FileSystem, home: Home, root: Path) -> bool:
    try:
        return any(one.path == root for one in known_projects(files, home))
    except (StorageFailed, BrokenFile):
        return False


def notes_directory(files: FileSystem, root: Path, configured: str | None) -> Path:
    """The real path of a project's notes directory: `memory.dir`, else `MEMORY/`; it need not exist.

    Raises: OutsideProject when it, or what it links to, is not inside the project.
    """
    path = root / (configured or DEFAULT_NOTES_FOLDER)
    return _check_inside(files, path, root)


def _check_inside(files: FileSystem, path: Path, root: Path) -> Path:
    try:
        real = files.real_path(path)
    except (OSError, RuntimeError, ValueError) as error:  # a ring of links, a NUL in the setting
        raise OutsideProject(str(path), str(error), str(root)) from error
    if not real.is_relative_to(root):
        raise OutsideProject(str(path), str(real), str(root))
    return real


def _default_name(root: Path) -> str:
    return root.name or "project"


def _read_marker(files: FileSystem, root: Path) -> Marker | None:
    path = root / STATE_FOLDER / "project.json"
    content = read_object(files, path)
    if content is None:
        return None
    project_id, name, created = content.get("id"), content.get("name"), content.get("createdAt")
    if not isinstance(project_id, str) or not is_project_id(project_id):
        raise BrokenFile(str(path), 1, 1, "no-project-id")
    return Marker(
        id=project_id,
        name=name if isinstance(name, str) and name else _default_name(root),
        created_at=Millis(created if isinstance(created, int) else 0),
    )


def _marker_of_siblings(files: FileSystem, checkout: Checkout | None) -> Marker | None:
    """The marker of another checkout of the same repository, under this folder's name."""
    if checkout is None:
        return None
    for root in sibling_roots(checkout):
        try:
            marker = _read_marker(files, root)
        except (BrokenFile, StorageFailed):
            continue
        if marker is not None:
            return replace(marker, name=_default_name(checkout.root))
    return None


def _marker_written(files: FileSystem, project: Project, identity: Identity, now_ms: Millis) -> Marker:
    if project.is_registered and project.marker is not None:
        return project.marker
    marker = Marker(identity.id, _default_name(project.root), now_ms)
    content = {"id": marker.id, "name": marker.name, "createdAt": marker.created_at}
    ensure_directory(files, project.state_folder, SHARED_DIRECTORY)
    if create_file(files, project.marker_file, pretty_json(content), SHARED_FILE):
        return marker
    present = _read_marker(files, project.root)
    if present is None:
        raise StorageFailed(str(project.marker_file), "comes-and-goes")
    return present


def _enrolled(
    files: FileSystem, registration: Registration, home: Home, now_ms: Millis, randomness: Randomness
) -> Registration:
    project, marker = registration.project, registration.marker
    result = registration

    def change(known: list[KnownProject]) -> list[KnownProject]:
        nonlocal result
        carried = _device_in(files, project.device_file, home)
        recorded = next((entry for entry in known if carried and entry.device == carried), None)
        if recorded is None or _is_elsewhere(files, recorded, project.root, home):
            device = randomness.uuid()
            _keep_out_of_git(files, project.state_folder)
            _write_device(files, project.device_file, home, device)
            recorded = KnownProject(marker.id, project.root, project.name, now_ms, device)
            result = replace(registration, device=device, is_new_replica=True)
        else:
            moved_from = recorded.path if recorded.path != project.root else None
            result = replace(registration, device=recorded.device, renamed_from=moved_from)
        is_recent = recorded.path == project.root and 0 <= now_ms - recorded.last_used < _USE_IS_RECENT_MS
        used = recorded.last_used if is_recent else now_ms
        entry = KnownProject(marker.id, project.root, project.name, used, recorded.device)
        others = [item for item in known if item.device != entry.device and item.path != entry.path]
        return sorted([*others, entry], key=lambda item: -item.last_used)

    change_known_projects(files, home, change)
    return result


def _is_elsewhere(files: FileSystem, recorded: KnownProject, root: Path, home: Home) -> bool:
    """Whether the folder that the device id was made for is still at another place, so that this is a copy."""
    if recorded.path == root:
        return False
    device_file = recorded.path / STATE_FOLDER / "device.json"
    return _device_in(files, device_file, home) == recorded.device


def _device_in(files: FileSystem, path: Path, home: Home) -> str | None:
    devices = _devices(files, path)
    device = devices.get(_home_key(home))
    return device if isinstance(device, str) and device else None


def _devices(files: FileSystem, path: Path) -> dict[str, Any]:
    """Device ids by home; a damaged file is as good as none, since a new id is always safe."""
    try:
        content = parse_object(files.read_plain(path, _LARGEST_OWN_FILE).data, path)
    except (BrokenFile, OSError):
        return {}
    devices = content.get("devices")
    return devices if isinstance(devices, dict) else {}


def _write_device(files: FileSystem, path: Path, home: Home, device: str) -> None:
    devices = {**_devices(files, path), _home_key(home): device}
    content = {"version": _DEVICE_VERSION, "devices": devices}
    write_file(files, path, pretty_json(content), SHARED_FILE)


def _home_key(home: Home) -> str:
    """Two homes on one machine keep device ids apart, as their baselines are."""
    return hashlib.sha256(os.fsencode(os.path.realpath(home.root))).hexdigest()[:16]


def _keep_out_of_git(files: FileSystem, state_folder: Path) -> None:
    path = state_folder / ".gitignore"
    ensure_directory(files, state_folder, SHARED_DIRECTORY)
    try:  # never through a link: what it leads to would be copied into the repository
        text = files.read_plain(path, _LARGEST_OWN_FILE).data.decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        text = ""
    except OSError as error:
        raise StorageFailed(str(path), reason_of(error)) from error
    if len(text) > _LARGEST_OWN_FILE:
        raise StorageFailed(str(path), "too-large")
    if _IGNORED not in text.split():
        separator = "\n" if text and not text.endswith("\n") else ""
        write_file(files, path, f"{text}{separator}{_IGNORED}\n".encode("utf-8", "surrogateescape"), SHARED_FILE)
