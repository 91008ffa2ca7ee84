"""cloud.json: the address of the Cloud. It holds no secrets."""

from oharness.disk.atomic import ensure_directory
from oharness.disk.filesystem import PRIVATE_DIRECTORY, FileSystem
from oharness.disk.home import Home
from oharness.disk.json_files import read_object, write_object


def read_cloud_url(files: FileSystem, home: Home) -> str | None:
    """The Cloud's address; None when none was set.

    Raises: BrokenFile; StorageFailed.
    """
    url = (read_object(files, home.cloud_file) or {}).get("url")
    return url if isinstance(url, str) and url else None


def write_cloud_url(files: FileSystem, home: Home, url: str) -> None:
    """Sets the Cloud's address; other keys stay.

    Raises: BrokenFile; StorageFailed.
    """
    content = read_object(files, home.cloud_file) or {}
    ensure_directory(files, home.root, PRIVATE_DIRECTORY)
    write_object(files, home.cloud_file, {**content, "url": url})
