"""Who is signed in to which Cloud: signing in, signing out, and the token for each request."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from oharness.core.clock import Clock
from oharness.core.errors import Failed
from oharness.core.jsontext import parse_json
from oharness.core.randomness import Randomness
from oharness.disk.cloud_file import write_cloud_url
from oharness.disk.credentials_file import Credentials
from oharness.disk.filesystem import FileSystem
from oharness.disk.home import Home
from oharness.disk.json_files import BrokenFile
from oharness.disk.token_store import KeyringFailed, TokenStore
from oharness.protocol.errors import ProtocolBroken
from oharness.protocol.identity import IdentityAnswer
from oharness.sync.cloud_forms import REFRESH_GRANT, USUAL_FORMS, CloudForms, FormRefused, Granted
from oharness.sync.http_transport import HttpTransport, Tokens, checked_origin
from oharness.sync.in_thread import in_thread
from oharness.sync.patience import within
from oharness.sync.transport import ServiceUnreachable, no_answer

if TYPE_CHECKING:
    import httpx2

WELL_KNOWN = "/.well-known/oharness"
_MAX_DOCUMENT_BYTES = 65_536
_WHOLE_SECONDS = 40.0
_LOCK_WAIT_SECONDS = 60.0
_EXCHANGED_BEFORE_MS = 30_000
_REVOKE_SECONDS = 5.0
_ENDS_THE_SIGN_IN = ("invalid_grant", "invalid_client", "unauthorized_client")


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
    """The tokens of whoever is signed in; another process may exchange or remove them at any time.

    They are exchanged a little before they run out, by this machine's own clock alone, so that it may be wrong; and
    when the service refuses one. Whoever exchanges them holds a lock, and looks first whether another process has.
    """

    def __init__(
        self, store: TokenStore, clock: Clock, randomness: Randomness, forms: CloudForms = USUAL_FORMS
    ) -> None:
        self._store = store
        self._clock = clock
        self._randomness = randomness
        self._forms = forms
        self._seen: tuple[object, ...] | None = None
        self._known: Credentials | None = None

    async def access_token(self) -> str | None:
        known = await in_thread(self._present)
        if known is None or known.is_used_up:
            return None
        if known.refresh_token and 0 < known.expires_at_ms <= self._clock.now_ms() + _EXCHANGED_BEFORE_MS:
            try:
                return await self.refreshed(known.access_token)
            except ServiceUnreachable:  # this machine's clock may be wrong, and the token good
                return known.access_token
        return known.access_token

    async def refreshed(self, refused: str) -> str | None:
        """A token that is not the refused one: another process's, or a new one.

        Raises: ServiceUnreachable; ProtocolBroken; SignInBusy, StorageFailed, BrokenFile, KeyringFailed.
        """
        lock = await in_thread(self._store.lock, _LOCK_WAIT_SECONDS)
        try:
            kept = await in_thread(self._store.read)
            if kept is None or kept.is_used_up:
                self._remember(kept)
                return None
            if kept.access_token != refused:
                self._remember(kept)
                return kept.access_token
            if not (kept.refresh_token and kept.token_url):
                return None
            newer = await self._exchanged(kept)
            await in_thread(self._store.replace, newer)
            self._remember(newer)
            return newer.access_token if newer.refresh_token else None
        finally:
            lock.release()

    async def _exchanged(self, kept: Credentials) -> Credentials:
        """The credentials with new tokens; without a refresh token when the Cloud does not take it any more.

        The attempt is kept under a name before it is sent: after a lost answer the same attempt gets the same answer,
        and the Cloud does not take this machine for a thief.
        """
        if not kept.refresh_attempt:
            kept = replace(kept, refresh_attempt=self._randomness.uuid())
            await in_thread(self._store.replace, kept)
        try:
            granted = await self._forms.tokens(
                kept.token_url,
                grant_type=REFRESH_GRANT,
                refresh_token=kept.refresh_token,
                attempt=kept.refresh_attempt,
            )
        except FormRefused as refused:
            if refused.error not in _ENDS_THE_SIGN_IN:
                raise ServiceUnreachable(kept.token_url, f"{refused.error}: {refused.message}") from refused
            return replace(kept, refresh_token="", refresh_attempt="")
        return replace(
            kept,
            access_token=granted.access_token,
            refresh_token=granted.refresh_token or kept.refresh_token,
            expires_at_ms=_runs_out(granted, self._clock),
            refresh_attempt="",
        )

    def _present(self) -> Credentials | None:
        """What is kept; read again only when a file says that it may be something else."""
        stamp = self._store.stamp()
        if stamp != self._seen:
            self._known = self._store.read()
            self._seen = stamp
        return self._known

    def _remember(self, credentials: Credentials | None) -> None:
        """Without a stamp: the next look reads what is there by then."""
        self._known, self._seen = credentials, None


async def find_cloud(address: str, client: "httpx2.AsyncClient | None" = None) -> CloudPlaces:
    """What the Cloud at an address names; one that answers 404 is taken for a sync service (decisions 9).

    Raises: InsecureAddress, ServiceUnreachable, NotACloud.
    """
    import httpx2  # slow to import

    cloud = checked_origin(address)
    try:
        async with (
            within(_WHOLE_SECONDS, cloud),
            client or httpx2.AsyncClient(timeout=httpx2.Timeout(20.0)) as asking,
            asking.stream("GET", cloud + WELL_KNOWN, follow_redirects=False) as response,
        ):
            status, text = response.status_code, await _document(response, cloud)
    except (httpx2.TransportError, httpx2.DecodingError, httpx2.InvalidURL) as error:
        raise no_answer(cloud, error) from error
    if status == 404:
        return CloudPlaces(cloud, cloud)
    if status != 200:
        raise NotACloud(cloud, f"status {status}")
    return _places(cloud, text)


@dataclass(frozen=True, slots=True)
class SignInPlace:
    """Where a sign-in is kept: the home and its tokens."""

    files: FileSystem
    home: Home
    store: TokenStore
    clock: Clock
    randomness: Randomness
    forms: CloudForms = USUAL_FORMS

    def tokens(self) -> KeptTokens:
        """The tokens for requests."""
        return KeptTokens(self.store, self.clock, self.randomness, self.forms)


async def sign_in_with_token(place: SignInPlace, address: str, token: str) -> SignedIn:
    """Asks the service whose token it is, and keeps it.

    Raises: InsecureAddress, ServiceUnreachable, ServiceRefused, SignedOut (the token is not accepted), NotACloud,
    ProtocolBroken, BrokenFile, StorageFailed; nobody is then signed in who was not before.
    """
    places = await find_cloud(address)
    return await keep_sign_in(place, places, Granted(token, "", 0))


async def keep_sign_in(place: SignInPlace, places: CloudPlaces, granted: Granted) -> SignedIn:
    """Asks the service whose tokens these are, and keeps them in place of those of whoever was signed in before.

    Raises: as `sign_in_with_token`.
    """
    identity = await _identity(places.sync_url, FixedToken(granted.access_token), place.clock)
    credentials = Credentials(
        cloud=places.cloud,
        sync_url=places.sync_url,
        user_id=identity.standing.user_id,
        access_token=granted.access_token,
        refresh_token=granted.refresh_token,
        token_url=places.token_url if granted.refresh_token else "",
        expires_at_ms=_runs_out(granted, place.clock),
    )
    before = await in_thread(_taken_over, place, credentials)
    if before is not None:
        await revoke(place.forms, before)
    return SignedIn(credentials, identity)


async def ask_who(place: SignInPlace, credentials: Credentials) -> IdentityAnswer:
    """Who the service takes the kept token for, and on which plan.

    Raises: InsecureAddress, ServiceUnreachable, ServiceRefused, SignedOut, ProtocolBroken; BrokenFile, StorageFailed.
    """
    return await _identity(credentials.sync_url, place.tokens(), place.clock)


async def sign_out(place: SignInPlace) -> Credentials | None:
    """Forgets the tokens of this machine, and who was signed in; notes, pins and the switch stay as they are.

    The Cloud is told when it can be reached within a few seconds.
    Raises: StorageFailed, BrokenFile, KeyringFailed, SignInBusy.
    """
    before = await in_thread(_forgotten, place.store)
    if before is not None:
        await revoke(place.forms, before)
    return before


async def revoke(forms: CloudForms, credentials: Credentials) -> None:
    """Tells the Cloud that a device's tokens are not used any more, as well as that goes."""
    if not credentials.refresh_token or not credentials.token_url.endswith("/token"):
        return
    address = credentials.token_url.removesuffix("token") + "revoke"
    with suppress(FormRefused, ServiceUnreachable, ProtocolBroken, TimeoutError):
        async with asyncio.timeout(_REVOKE_SECONDS):
            await forms.send(address, token=credentials.refresh_token)


async def _identity(sync_url: str, tokens: Tokens, clock: Clock) -> IdentityAnswer:
    transport = HttpTransport(sync_url, tokens, clock)
    try:
        return await transport.identity()
    finally:
        await transport.close()


def _taken_over(place: SignInPlace, credentials: Credentials) -> Credentials | None:
    """Keeps the credentials; gives those that were there before. Nobody exchanges tokens meanwhile."""
    lock = place.store.lock(_LOCK_WAIT_SECONDS)
    try:
        before = _known(place.store)
        write_cloud_url(place.files, place.home, credentials.cloud)
        place.store.write(credentials)
        return before
    finally:
        lock.release()


def _forgotten(store: TokenStore) -> Credentials | None:
    """Forgets the credentials, and gives them. Nobody exchanges tokens meanwhile, so that none come back."""
    if not store.has_traces():
        return None
    lock = store.lock(_LOCK_WAIT_SECONDS)
    try:
        before = _known(store)
        store.forget()
        return before
    finally:
        lock.release()


def _known(store: TokenStore) -> Credentials | None:
    """Who is signed in, as far as that can be read: broken tokens are no reason not to replace or forget them."""
    try:
        return store.read()
    except (BrokenFile, KeyringFailed):
        return None


def _runs_out(granted: Granted, clock: Clock) -> int:
    return clock.now_ms() + granted.expires_in_s * 1000 if granted.expires_in_s else 0


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
