"""The settings as the user's and the project's config files say them. Broken files are left as they are."""

from collections.abc import Mapping
from pathlib import Path

from oharness.config.layers import LayeredSettings, SettingsFile, layered_settings, parse_settings
from oharness.disk.atomic import storage_errors
from oharness.disk.filesystem import FileSystem
from oharness.disk.home import Home
from oharness.disk.project import Project


def load_settings(
    files: FileSystem, home: Home, project: Project | None, environ: Mapping[str, str]
) -> LayeredSettings:
    """The settings that hold in a project (or outside any), with warnings for what was passed over.

    Raises: BrokenSettings with the file's path, line and column; StorageFailed.
    """
    user = read_settings(files, home.config_file)
    own = read_settings(files, project.config_file) if project else None
    return layered_settings(user, own, environ)


def read_settings(files: FileSystem, path: Path) -> SettingsFile | None:
    """What one file sets; None when there is no file.

    Raises: BrokenSettings; StorageFailed.
    """
    with storage_errors(path):
        try:
            data = files.read(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
    return SettingsFile(str(path), parse_settings(data, str(path)))
