"""The bytes of a request's body: bounded before they are parsed, whatever they decompress to (P-1)."""

import asyncio
import zlib
from collections.abc import AsyncIterator, Mapping
from typing import Protocol

from oharness.protocol.errors import ErrorCode
from oharness.syncserver.refusal import RequestRefused, refused

MAX_BODY_BYTES = 96 * 1024 * 1024
BODY_SECONDS = 30.0
_STEP = 1 << 20


class _Decompressor(Protocol):
    """Gives at most so many bytes at a time, and says when it is through."""

    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    @property
    def unconsumed_tail(self) -> bytes: ...

    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


async def read_json_body(headers: Mapping[str, str], chunks: AsyncIterator[bytes]) -> bytes:
    """The whole body, decompressed.

    Raises: RequestRefused: 415 for another media type or encoding, 413 above 96 MiB, 400 for a body that is cut
    off, slow or not compressed as it says.
    """
    _check_media_type(headers.get("content-type", ""))
    encoding = headers.get("content-encoding", "identity").strip().lower()
    if encoding not in ("identity", "gzip", "x-gzip"):
        raise refused(ErrorCode.UNSUPPORTED_MEDIA_TYPE, "Bodies may be compressed with gzip only.")
    length = headers.get("content-length", "")
    if length.isascii() and length.isdigit() and (len(length) > 12 or int(length) > MAX_BODY_BYTES):
        raise _too_large()
    decompressor = None if encoding == "identity" else zlib.decompressobj(16 + zlib.MAX_WBITS)
    try:
        async with asyncio.timeout(BODY_SECONDS):
            return await _collect(chunks, decompressor)
    except TimeoutError:
        raise refused(ErrorCode.INVALID_REQUEST, "The body took too long to arrive.") from None
    except zlib.error:
        raise refused(ErrorCode.INVALID_REQUEST, "The body is not valid gzip.") from None


async def _collect(chunks: AsyncIterator[bytes], decompressor: _Decompressor | None) -> bytes:
    body = bytearray()
    async for chunk in chunks:
        if decompressor is None:
            body += chunk
        else:
            _inflate(chunk, decompressor, body)
        if len(body) > MAX_BODY_BYTES:
            raise _too_large()
    if decompressor is not None and not decompressor.eof:
        raise refused(ErrorCode.INVALID_REQUEST, "The compressed body is cut off.")
    return bytes(body)


def _inflate(chunk: bytes, decompressor: _Decompressor, body: bytearray) -> None:
    while chunk:
        was_over = decompressor.eof
        body += decompressor.decompress(chunk, _STEP)
        if was_over or decompressor.unused_data:
            raise refused(ErrorCode.INVALID_REQUEST, "Something follows the compressed body.")
        if len(body) > MAX_BODY_BYTES:
            raise _too_large()
        chunk = decompressor.unconsumed_tail


def _check_media_type(content_type: str) -> None:
    kind, _, parameters = content_type.partition(";")
    charset = parameters.replace(" ", "").replace('"', "").lower()
    if kind.strip().lower() != "application/json" or charset not in ("", "charset=utf-8"):
        raise refused(ErrorCode.UNSUPPORTED_MEDIA_TYPE, "The body must be application/json in UTF-8.")


def _too_large() -> RequestRefused:
    return refused(ErrorCode.REQUEST_TOO_LARGE, f"A request may hold at most {MAX_BODY_BYTES} bytes.")
