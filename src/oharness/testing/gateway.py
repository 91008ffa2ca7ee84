"""The real gateway in this process, on a database of its own, with browsers and devices that call it.

async with open_gateway(database_url, clock, randomness) as gateway:
    browser = gateway.browser()
    await browser.sign_up("ann@example.com")
    device = await gateway.signed_in_device(browser)
"""

import contextlib
import re
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from html import unescape
from typing import Any

import httpx2
import jwt

from oharness.core.clock import Clock
from oharness.core.randomness import Randomness
from oharness.gateway.app import GatewayApp
from oharness.gateway.cloud import Cloud, open_cloud
from oharness.gateway.erase_client import EraseClient
from oharness.gateway.oauth import (
    CLIENT_ID,
    DEVICE_AUTHORIZATION_PATH,
    DEVICE_GRANT,
    JWKS_PATH,
    REFRESH_GRANT,
    REVOKE_PATH,
    TOKEN_PATH,
)
from oharness.gateway.passwords import HashingCost
from oharness.gateway.settings import Settings
from oharness.protocol.claims import AUDIENCE
from oharness.testing.sync_server import ADMIN_KEY

ORIGIN = "http://127.0.0.1:4322"
PASSWORD = "a few good words"
CHEAP = HashingCost(time=1, memory_kib=8, parallelism=1)
_FORM_TOKEN = re.compile(r'name="form_token" value="([0-9a-f]+)"')


def gateway_settings(database_url: str, **changed: Any) -> Settings:
    """Settings of a gateway for tests."""
    values: dict[str, Any] = {
        "database_url": database_url,
        "sync_url": "http://127.0.0.1:4321",
        "sync_internal_url": "http://127.0.0.1:4321",
        "public_url": ORIGIN,
        "host": "127.0.0.1",
        "port": 4322,
        "admin_key": ADMIN_KEY,
        "sign_up": True,
        "proxies": "127.0.0.1",
    }
    return Settings(**(values | changed))


class Browser:
    """Somebody's browser: keeps cookies, sends the form token of the page it saw last."""

    def __init__(self, transport: httpx2.AsyncBaseTransport, **headers: str) -> None:
        self.http = httpx2.AsyncClient(transport=transport, base_url=ORIGIN, headers=headers)
        self.form_token = ""

    async def get(self, path: str, **headers: str) -> httpx2.Response:
        """A page, redirections followed."""
        return self._seen(await self.http.get(path, headers=headers, follow_redirects=True))

    async def send(self, path: str, *, follow: bool = True, **fields: str) -> httpx2.Response:
        """A form, with the token of the last page."""
        if not self.form_token:
            await self.get("/sign-in")
        data = {"form_token": self.form_token} | fields
        return self._seen(await self.http.post(path, data=data, follow_redirects=follow))

    async def sign_up(self, email: str, password: str = PASSWORD) -> None:
        """Makes an account and signs in to it."""
        await self.get("/sign-up")
        await self.send("/sign-up", email=email, password=password)
        answer = await self.sign_in(email, password)
        assert answer.url.path == "/account", answer.text

    async def sign_in(self, email: str, password: str = PASSWORD) -> httpx2.Response:
        """Signs in."""
        await self.get("/sign-in")
        return await self.send("/sign-in", email=email, password=password)

    async def approve(self, user_code: str, answer: str = "approve") -> httpx2.Response:
        """Answers a device's code."""
        await self.send("/device", user_code=user_code)
        return await self.send("/device/answer", user_code=user_code, answer=answer)

    def _seen(self, answer: httpx2.Response) -> httpx2.Response:
        if found := _FORM_TOKEN.search(answer.text):
            self.form_token = found[1]
        return answer


def words_of(answer: httpx2.Response) -> str:
    """What a page says, without its tags."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", answer.text)).split())


@dataclass
class DeviceClient:
    """A device that signs in and refreshes."""

    http: httpx2.AsyncClient
    codes: dict[str, Any] = field(default_factory=dict)
    refresh_token: str = ""
    access_token: str = ""

    async def ask(self, name: str = "laptop") -> Mapping[str, Any]:
        """Asks for codes."""
        answer = await self.post(DEVICE_AUTHORIZATION_PATH, device_name=name)
        assert answer.status_code == 200, answer.text
        self.codes = answer.json()
        return self.codes

    async def poll(self) -> str:
        """Asks for tokens; "" when it got them, else the error."""
        answer = await self.post(TOKEN_PATH, grant_type=DEVICE_GRANT, device_code=self.codes["device_code"])
        return self._taken(answer)

    async def refresh(self, token: str | None = None, attempt: str | None = None) -> str:
        """Exchanges its refresh token; "" when it got new ones, else the error."""
        return self._taken(await self.exchange(token or self.refresh_token, attempt))

    async def exchange(self, token: str, attempt: str | None = None) -> httpx2.Response:
        """Exchanges a refresh token and keeps nothing of the answer."""
        named = {} if attempt is None else {"attempt": attempt}
        return await self.post(TOKEN_PATH, grant_type=REFRESH_GRANT, refresh_token=token, **named)

    async def revoke(self) -> httpx2.Response:
        """Signs itself out."""
        return await self.post(REVOKE_PATH, token=self.refresh_token)

    async def post(self, path: str, **fields: str) -> httpx2.Response:
        """A form of this client."""
        return await self.http.post(path, data={"client_id": CLIENT_ID} | fields)

    def _taken(self, answer: httpx2.Response) -> str:
        body = answer.json()
        if answer.status_code != 200:
            return str(body["error"])
        self.refresh_token, self.access_token = body["refresh_token"], body["access_token"]
        return ""


class Gateway:
    """A gateway in this process."""

    def __init__(self, cloud: Cloud) -> None:
        self.cloud = cloud
        self.app = GatewayApp(cloud).app
        self.transport = httpx2.ASGITransport(app=self.app, client=("203.0.113.7", 1234))

    def browser(self, **headers: str) -> Browser:
        """A browser that was never here."""
        return Browser(self.transport, **headers)

    def from_elsewhere(self, address: str) -> Browser:
        """A browser at another address."""
        return Browser(httpx2.ASGITransport(app=self.app, client=(address, 1234)))

    def device(self) -> DeviceClient:
        """A device that is not signed in."""
        return DeviceClient(httpx2.AsyncClient(transport=self.transport, base_url=ORIGIN))

    async def signed_in_device(self, browser: Browser, name: str = "laptop") -> DeviceClient:
        """A device that somebody approved."""
        device = self.device()
        codes = await device.ask(name)
        await browser.approve(codes["user_code"])
        assert await device.poll() == ""
        return device

    async def claims(self, token: str) -> dict[str, Any]:
        """What an access token says, its signature checked against the published keys. Raises: KeyError."""
        async with httpx2.AsyncClient(transport=self.transport, base_url=ORIGIN) as http:
            document = (await http.get(JWKS_PATH)).json()
        key_id = jwt.get_unverified_header(token)["kid"]
        key = {key["kid"]: key for key in document["keys"]}[key_id]
        claims: dict[str, Any] = jwt.decode(
            token,
            jwt.PyJWK.from_dict(key).key,
            ["EdDSA"],
            audience=AUDIENCE,
            options={"verify_exp": False, "verify_iat": False},
        )
        return claims


@contextlib.asynccontextmanager
async def open_gateway(
    database_url: str,
    clock: Clock,
    randomness: Randomness,
    *,
    to_sync: httpx2.AsyncBaseTransport | None = None,
    **settings: Any,
) -> AsyncIterator[Gateway]:
    """A gateway on a database; `to_sync` carries what it asks the sync service."""
    known = gateway_settings(database_url, **settings)
    eraser = EraseClient(known.sync_internal_url, known.admin_key, to_sync)
    cloud = await open_cloud(known, clock, randomness, cost=CHEAP, eraser=eraser)
    try:
        yield Gateway(cloud)
    finally:
        await cloud.database.close()
