"""Who is signed in to which Cloud: signing in with a token, signing out, and the token for each request."""

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oharness.core.clock import Clock
from oharness.core.errors import Failed
from oharness.core.jsontext import parse_json
from oharness.disk.cloud_file import write_cloud_url
from oharness.disk.credentials_file import (
    Credentials,
    forget_credentials,
    read_credentials,
    write_credentials,
)
from oharness.disk.filesystem import FileSystem
from oharness.disk.home import Home
from oharness.protocol.identity import IdentityAnswer
from oharness.sync.http_transport import HttpTransport, Tokens, checked_origin
from oharness.sync.transport import ServiceUnreachable

if TYPE_CHECKING:
    import httpx2

WELL_KNOWN = "/.well-known/oharness"
_MAX_DOCUMENT_BYTES = 65_536


@dataclass(eq=False)
class NotACloud(Failed):
    """The address answers, but neither as a Cloud nor as a sync service."""

    address: str
    reason: str


@dataclass(frozen=True, slots=True)
class CloudPlaces:
    """Where a Cloud's services are; only `sync_url` for an address that is a sync service itself."""

    cloud: str
    sync_url: str
    device_authorization_url: str = ""
    token_url: str = ""


@dataclass(frozen=True, slots=True)
class SignedIn:
    """Who is signed in, as the service says."""

    credentials: Credentials
    identity: IdentityAnswer


class FixedToken:
    """One token, not to be refreshed: for signing in with it."""

    def __init__(self, token: str) -> None:
        self._token = token

    async def access_token(self) -> str | None:
        return self._token

    async def refreshed(self, refused: str) -> str | None:
        return None


class KeptTokens:
    """The tokens that lie in the home; another process may have refreshed or removed them meanwhile."""

    def __init__(self, files: FileSystem, home: Home) -> None:
        self._files = files
        self._home = home

    async def access_token(self) -> str | None:
        credentials = await asyncio.to_thread(read_credentials, self._files, self._home)
        return credentials.access_token if credentials else None

    async def refreshed(self, refused: str) -> str | None:
        """What another process has put there since; a token given by hand cannot be refreshed."""
        present = await self.access_token()
        return present if present and present != refused else None


async def find_cloud(address: str, client: "httpx2.AsyncClient | None" = None) -> CloudPlaces:
    """What the Cloud at an address names; one that answers 404 is taken for a sync service (decisions 9).

    Raises: InsecureAddress, ServiceUnreachable, NotACloud.
    """
    import httpx2  # slow to import

    cloud = checked_origin(address)
    try:
        async with (
            client or httpx2.AsyncClient(timeout=httpx2.Timeout(20.0)) as asking,
            asking.stream("GET", cloud + WELL_KNOWN, follow_redirects=False) as response,
        ):
            status, text = response.status_code, await _document(response, cloud)
    except (httpx2.TransportError, httpx2.DecodingError, httpx2.InvalidURL) as error:
        raise ServiceUnreachable(cloud, f"{type(error).__name__}: {error}"[:300]) from error
    if status == 404:
        return CloudPlaces(cloud, cloud)
    if status != 200:
        raise NotACloud(cloud, f"status {status}")
    return _places(cloud, text)


async def sign_in_with_token(files: FileSystem, home: Home, clock: Clock, address: str, token: str) -> SignedIn:
    """Asks the service whose token it is, and keeps it.

    Raises: InsecureAddress, ServiceUnreachable, ServiceRefused, SignedOut (the token is not accepted), NotACloud,
    ProtocolBroken, BrokenFile, StorageFailed; nobody is then signed in who was not before.
    """
    places = await find_cloud(address)
    identity = await _identity(places.sync_url, FixedToken(token), clock)
    credentials = Credentials(places.cloud, places.sync_url, identity.standing.user_id, token)
    await asyncio.to_thread(_keep, files, home, credentials)
    return SignedIn(credentials, identity)


async def ask_who(files: FileSystem, home: Home, clock: Clock, credentials: Credentials) -> IdentityAnswer:
    """Who the service takes the kept token for, and on which plan.

    Raises: InsecureAddress, ServiceUnreachable, ServiceRefused, SignedOut, ProtocolBroken.
    """
    return await _identity(credentials.sync_url, KeptTokens(files, home), clock)


async def _identity(sync_url: str, tokens: Tokens, clock: Clock) -> IdentityAnswer:
    transport = HttpTransport(sync_url, tokens, clock)
    try:
        return await transport.identity()
    finally:
        await transport.close()


def sign_out(files: FileSystem, home: Home) -> bool:
    """Forgets the tokens of this machine; notes, pins and the switch stay as they are.

    Raises: StorageFailed.
    """
    return forget_credentials(files, home)


def _keep(files: FileSystem, home: Home, credentials: Credentials) -> None:
    write_cloud_url(files, home, credentials.cloud)
    write_credentials(files, home, credentials)


async def _document(response: "httpx2.Response", cloud: str) -> str:
    data = b""
    async for part in response.aiter_bytes():
        data += part
        if len(data) > _MAX_DOCUMENT_BYTES:
            raise NotACloud(cloud, "its answer is too long")
    return data.decode("utf-8", "replace")


def _places(cloud: str, text: str) -> CloudPlaces:
    try:
        document: Any = parse_json(text)
    except (ValueError, RecursionError):
        raise NotACloud(cloud, "its answer is not JSON") from None
    named = (
        {key: value for key, value in document.items() if isinstance(value, str)} if isinstance(document, dict) else {}
    )
    if not named.get("syncUrl"):
        raise NotACloud(cloud, "it names no sync service")
    device, token = named.get("deviceAuthorizationUrl", ""), named.get("tokenUrl", "")
    return CloudPlaces(
        cloud,
        checked_origin(named["syncUrl"]),
        checked_origin(device) if device else "",
        checked_origin(token) if token else "",
    )
