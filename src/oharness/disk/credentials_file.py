"""credentials.json: the tokens of who is signed in, readable by nobody else. Never logged, never in an error."""

from dataclasses import dataclass, field
from typing import Any

from oharness.disk.atomic import Anything, ensure_directory, remove_files
from oharness.disk.filesystem import PRIVATE_DIRECTORY, FileSystem
from oharness.disk.home import Home
from oharness.disk.json_files import read_object, write_object

_VERSION = 1


@dataclass(frozen=True, slots=True)
class Credentials:
    """Who is signed in where. `cloud` is the address given at sign-in, `sync_url` the service that it names.

    `token_url` and `refresh_token` are empty for a token that was given by hand and cannot be refreshed.
    """

    cloud: str
    sync_url: str
    user_id: str
    access_token: str = field(repr=False)
    refresh_token: str = field(default="", repr=False)
    token_url: str = ""


def read_credentials(files: FileSystem, home: Home) -> Credentials | None:
    """Who is signed in; None when nobody is, or the file says nothing usable.

    Raises: BrokenFile; StorageFailed.
    """
    content = read_object(files, home.credentials_file) or {}
    texts = {key: value for key, value in content.items() if isinstance(value, str)}
    if not all(texts.get(key) for key in ("cloud", "syncUrl", "userId", "accessToken")):
        return None
    return Credentials(
        cloud=texts["cloud"],
        sync_url=texts["syncUrl"],
        user_id=texts["userId"],
        access_token=texts["accessToken"],
        refresh_token=texts.get("refreshToken", ""),
        token_url=texts.get("tokenUrl", ""),
    )


def write_credentials(files: FileSystem, home: Home, credentials: Credentials) -> None:
    """Keeps them, in place of those of whoever was signed in before; a file with open permissions is not reused.

    Raises: StorageFailed.
    """
    forget_credentials(files, home)
    content: dict[str, Any] = {
        "version": _VERSION,
        "cloud": credentials.cloud,
        "syncUrl": credentials.sync_url,
        "tokenUrl": credentials.token_url,
        "userId": credentials.user_id,
        "accessToken": credentials.access_token,
        "refreshToken": credentials.refresh_token,
    }
    ensure_directory(files, home.root, PRIVATE_DIRECTORY)
    write_object(files, home.credentials_file, content)


def forget_credentials(files: FileSystem, home: Home) -> bool:
    """Signs out on this machine; whether anybody was signed in.

    Raises: StorageFailed.
    """
    if not files.exists(home.credentials_file):
        return False
    remove_files(files, [(home.credentials_file, Anything())])
    return True
