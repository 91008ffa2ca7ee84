"""projects.json: the projects of this home with where they were last seen and used."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from oharness.core.clock import Millis
from oharness.disk.filesystem import FileSystem
from oharness.disk.folder_lock import FolderLock
from oharness.disk.home import Home
from oharness.disk.json_files import read_object, write_object

VERSION = 1


@dataclass(frozen=True, slots=True)
class KnownProject:
    """One folder of a project; `device` is the random id of that folder's notes on this machine."""

    id: str
    path: Path
    name: str
    last_used: Millis
    device: str


def known_projects(files: FileSystem, home: Home) -> list[KnownProject]:
    """Every folder ever registered with this home, most recently used first; some may be gone.

    Raises: BrokenFile; StorageFailed.
    """
    content = read_object(files, home.projects_file) or {}
    listed = content.get("projects")
    entries = [_known(raw) for raw in listed if isinstance(raw, dict)] if isinstance(listed, list) else []
    return sorted((entry for entry in entries if entry is not None), key=lambda entry: -entry.last_used)


def change_known_projects(
    files: FileSystem, home: Home, change: Callable[[list[KnownProject]], list[KnownProject]]
) -> None:
    """Rewrites the list under a lock between processes; an unchanged list writes nothing.

    Raises: BrokenFile; StorageFailed; FolderBusy.
    """
    with FolderLock(files, home.projects_file, home.locks).held():
        before = known_projects(files, home)
        after = change(before)
        if after != before:
            content = read_object(files, home.projects_file) or {}
            listed = [_listed(entry) for entry in sorted(after, key=lambda entry: -entry.last_used)]
            write_object(files, home.projects_file, {**content, "version": VERSION, "projects": listed})


def _known(raw: dict[str, Any]) -> KnownProject | None:
    project_id, path, device = raw.get("id"), raw.get("path"), raw.get("device")
    if not (isinstance(project_id, str) and isinstance(path, str) and path):
        return None
    used = raw.get("lastUsed")
    return KnownProject(
        id=project_id,
        path=Path(path),
        name=str(raw.get("name") or Path(path).name),
        last_used=Millis(used if isinstance(used, int) else 0),
        device=device if isinstance(device, str) else "",
    )


def _listed(entry: KnownProject) -> dict[str, Any]:
    return {
        "id": entry.id,
        "path": str(entry.path),
        "name": entry.name,
        "lastUsed": entry.last_used,
        "device": entry.device,
    }
