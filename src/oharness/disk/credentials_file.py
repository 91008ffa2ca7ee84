"""credentials.json: the tokens of who is signed in, readable by nobody else. Never logged, never in an error.

`token_store` decides whether they lie here or in the system's keyring.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from oharness.disk.atomic import Anything, ensure_directory, remove_files, storage_errors
from oharness.disk.filesystem import PRIVATE_DIRECTORY, PRIVATE_FILE, FileSystem
from oharness.disk.home import Home
from oharness.disk.json_files import read_object, write_object

_VERSION = 1


@dataclass(frozen=True, slots=True)
class Credentials:
    """Who is signed in where. `cloud` is the address given at sign-in, `sync_url` the service that it names.

    `token_url` and `refresh_token` are empty for a token that was given by hand and cannot be refreshed.
    `expires_at_ms` is when the access token runs out by this machine's own clock, 0 where nobody said.
    `refresh_attempt` names an exchange of the refresh token whose answer has not come yet.
    """

    cloud: str
    sync_url: str
    user_id: str
    access_token: str = field(repr=False)
    refresh_token: str = field(default="", repr=False)
    token_url: str = ""
    expires_at_ms: int = 0
    refresh_attempt: str = field(default="", repr=False)

    @property
    def is_used_up(self) -> bool:
        """Whether the Cloud said that nothing is to be had for the refresh token: only a new sign-in helps."""
        return bool(self.token_url) and not self.refresh_token


def read_credentials(files: FileSystem, home: Home) -> Credentials | None:
    """Who is signed in; None when nobody is, or the file says nothing usable.

    Raises: BrokenFile; StorageFailed.
    """
    return credentials_in(read_object(files, home.credentials_file) or {})


def write_credentials(files: FileSystem, home: Home, credentials: Credentials) -> None:
    """Keeps them, in place of those of whoever was signed in before; nobody else can read the file at any moment.

    Raises: StorageFailed; the tokens that were there before still are.
    """
    ensure_directory(files, home.root, PRIVATE_DIRECTORY)
    with storage_errors(home.credentials_file):
        if files.exists(home.credentials_file):  # its mode is passed on to what replaces it
            files.set_mode(home.credentials_file, PRIVATE_FILE)
    write_object(files, home.credentials_file, credentials_object(credentials))


def forget_credentials(files: FileSystem, home: Home) -> bool:
    """Signs out on this machine; whether anybody was signed in.

    Raises: StorageFailed.
    """
    if not files.exists(home.credentials_file):
        return False
    remove_files(files, [(home.credentials_file, Anything())])
    return True


def credentials_object(credentials: Credentials) -> dict[str, Any]:
    """Credentials as they are kept."""
    return {
        "version": _VERSION,
        "cloud": credentials.cloud,
        "syncUrl": credentials.sync_url,
        "tokenUrl": credentials.token_url,
        "userId": credentials.user_id,
        "accessToken": credentials.access_token,
        "refreshToken": credentials.refresh_token,
        "expiresAt": credentials.expires_at_ms,
        "refreshAttempt": credentials.refresh_attempt,
    }


def credentials_in(content: Mapping[str, Any]) -> Credentials | None:
    """The credentials that were kept; None where they are not whole."""
    texts = {key: value for key, value in content.items() if isinstance(value, str)}
    if not all(texts.get(key) for key in ("cloud", "syncUrl", "userId", "accessToken")):
        return None
    expires = content.get("expiresAt")
    return Credentials(
        cloud=texts["cloud"],
        sync_url=texts["syncUrl"],
        user_id=texts["userId"],
        access_token=texts["accessToken"],
        refresh_token=texts.get("refreshToken", ""),
        token_url=texts.get("tokenUrl", ""),
        expires_at_ms=expires if isinstance(expires, int) and not isinstance(expires, bool) else 0,
        refresh_attempt=texts.get("refreshAttempt", ""),
    )
