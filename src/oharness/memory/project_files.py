"""Which relative paths are there in a project, asked of the disk once for each folder."""

from pathlib import Path

from oharness.disk.filesystem import FileSystem


class ProjectFiles:
    """The files below a project's root, or beside its notes, at one moment."""

    def __init__(self, files: FileSystem, root: Path, notes: Path) -> None:
        self._files = files
        self._places = (root, notes)
        self._names: dict[Path, frozenset[str]] = {}

    def exists(self, path: str) -> bool:
        """Whether there is a file or folder of this relative path."""
        return any(self._is_in(place, path) for place in self._places)

    def _is_in(self, place: Path, path: str) -> bool:
        folder, _, name = path.rpartition("/")
        return name in self._names_in(place / folder)

    def _names_in(self, folder: Path) -> frozenset[str]:
        if folder not in self._names:
            try:
                self._names[folder] = frozenset(self._files.list_names(folder))
            except (OSError, ValueError):
                self._names[folder] = frozenset()
        return self._names[folder]
