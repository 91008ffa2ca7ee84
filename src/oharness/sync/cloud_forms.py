"""Forms sent to a Cloud's sign-in endpoints, and what comes back: tokens, or an error as RFC 6749 writes it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from oharness.core.errors import Failed
from oharness.core.jsontext import parse_json
from oharness.protocol.errors import ProtocolBroken
from oharness.sync.patience import within
from oharness.sync.transport import ServiceUnreachable, no_answer

if TYPE_CHECKING:
    import httpx2

CLIENT_ID = "oharness"
REFRESH_GRANT = "refresh_token"
DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
_MAX_ANSWER_BYTES = 65_536
_SECONDS = 20.0
_WHOLE_SECONDS = 40.0
_LONGEST_TOKEN = 16_384


@dataclass(eq=False)
class FormRefused(Failed):
    """The Cloud turned a form down; `error` is its code (`invalid_grant`, `slow_down`, …)."""

    address: str
    error: str
    message: str


@dataclass(frozen=True, slots=True)
class Granted:
    """Tokens as they were given. `refresh_token` is empty where the Cloud gives none, `expires_in_s` 0 where unsaid."""

    access_token: str = field(repr=False)
    refresh_token: str = field(repr=False)
    expires_in_s: int


def usual_client() -> "httpx2.AsyncClient":
    """A client for one form."""
    import httpx2  # slow to import

    return httpx2.AsyncClient(timeout=httpx2.Timeout(_SECONDS), follow_redirects=False)


@dataclass(frozen=True, slots=True)
class CloudForms:
    """Sends forms; `open_client` is for tests that carry them in some other way."""

    open_client: Callable[[], "httpx2.AsyncClient"] = usual_client

    async def send(self, address: str, **fields: str) -> Mapping[str, Any]:
        """The JSON object that answers a form.

        Raises: FormRefused; ServiceUnreachable, also where the Cloud is in trouble; ProtocolBroken.
        """
        import httpx2

        try:
            async with (
                within(_WHOLE_SECONDS, address),
                self.open_client() as client,
                client.stream("POST", address, data={"client_id": CLIENT_ID, **fields}) as response,
            ):
                status, body = response.status_code, await _body(response)
        except (httpx2.TransportError, httpx2.DecodingError, httpx2.InvalidURL) as error:
            raise no_answer(address, error) from error
        content = _object(body)
        if status == 200:
            return content
        code = content.get("error")
        if 400 <= status < 500 and isinstance(code, str):
            raise FormRefused(address, code[:100], str(content.get("error_description", ""))[:300])
        raise ServiceUnreachable(address, f"status {status}")

    async def tokens(self, address: str, **fields: str) -> Granted:
        """The tokens that answer a form.

        Raises: as `send`.
        """
        answer = await self.send(address, **fields)
        access, refresh = answer.get("access_token"), answer.get("refresh_token", "")
        if not _is_token(access) or not (refresh == "" or _is_token(refresh)):
            raise ProtocolBroken(f"{address} gave no token")
        lasts = answer.get("expires_in", 0)
        seconds = lasts if isinstance(lasts, int) and not isinstance(lasts, bool) and lasts > 0 else 0
        return Granted(str(access), str(refresh), seconds)


USUAL_FORMS = CloudForms()


async def _body(response: "httpx2.Response") -> bytes:
    body = b""
    async for part in response.aiter_bytes():
        body += part
        if len(body) > _MAX_ANSWER_BYTES:
            raise ProtocolBroken("the answer to a form is too long")
    return body


def _object(body: bytes) -> Mapping[str, Any]:
    try:
        value = parse_json(body.decode())
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _is_token(value: object) -> bool:
    """A text that can stand in a header."""
    return isinstance(value, str) and 0 < len(value) <= _LONGEST_TOKEN and value.isascii() and value.isprintable()
