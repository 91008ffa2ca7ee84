"""Which relative paths are there in a project, asked of the disk once for each folder."""

from pathlib import Path

from oharness.disk.filesystem import FileSystem


class ProjectFiles:
    """The files below a project's root, or beside its notes, at one moment."""

    def __init__(self, files: FileSystem, root: Path, notes: Path) -> None:
        self._files = files
        self._places = (root, notes)
        self._names: dict[str, frozenset[str]] = {}

    def exists(self, path: str) -> bool:
        """Whether there is a file or folder of this relative path."""
        folder, _, name = path.rpartition("/")
        if folder not in self._names:
            self._names[folder] = frozenset().union(*(self._names_in(place / folder) for place in self._places))
        return name in self._names[folder]

    def _names_in(self, folder: Path) -> list[str]:
        try:
            return self._files.list_names(folder)
        except (OSError, ValueError):
            return []
