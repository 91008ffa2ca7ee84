"""Asks the sync service to erase an account or a team, with the key that only the gateway and it have."""

from typing import TYPE_CHECKING

from oharness.protocol.erase import (
    ERASE_PATH,
    EraseAnswer,
    EraseRequest,
    decode_erase_answer,
    encode_erase_request,
)
from oharness.protocol.errors import ProtocolBroken, decode_error

if TYPE_CHECKING:
    import httpx2

_CONNECT_S = 10.0
_ANSWER_S = 120.0
_MAX_ANSWER_BYTES = 65_536


class EraseFailed(Exception):
    """The sync service did not say that it erased; `reason` is for operators and names nobody."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class EraseClient:
    """One sync service. May be asked any number of times for the same."""

    def __init__(
        self, sync_url: str, admin_key: str | None, transport: "httpx2.AsyncBaseTransport | None" = None
    ) -> None:
        """`transport` is for tests that carry requests in some other way."""
        self._url = sync_url + ERASE_PATH
        self._admin_key = admin_key
        self._transport = transport

    @property
    def is_configured(self) -> bool:
        """Whether there is a key to erase with."""
        return self._admin_key is not None

    async def erase(self, request: EraseRequest) -> EraseAnswer:
        """What was erased.

        Raises: EraseFailed, after which nothing is known: the same is asked again later.
        """
        import httpx2  # slow to import

        headers = {"authorization": f"Bearer {self._admin_key or ''}", "content-type": "application/json"}
        timeout = httpx2.Timeout(_ANSWER_S, connect=_CONNECT_S)
        try:
            async with httpx2.AsyncClient(transport=self._transport, timeout=timeout, follow_redirects=False) as client:
                answer = await client.post(self._url, content=encode_erase_request(request), headers=headers)
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
            raise EraseFailed(f"not reached: {type(error).__name__}") from error
        if answer.status_code != 200:
            code = decode_error(answer.status_code, answer.content, None, 0).code
            raise EraseFailed(f"status {answer.status_code}" + (f", {code}" if code else ""))
        try:
            return decode_erase_answer(answer.content[:_MAX_ANSWER_BYTES])
        except ProtocolBroken as error:
            raise EraseFailed("not an answer of a sync service") from error
