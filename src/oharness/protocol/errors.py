"""Which errors the service answers, with which status, and how a client reads them (P-5)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any

import msgspec

from oharness.core.errors import Failed, WrongUsage
from oharness.core.jsontext import parse_json

MAX_RETRY_AFTER_S = 3600.0
DEFAULT_RETRY_AFTER_S = 60.0
_NO_DETAILS: Mapping[str, Any] = MappingProxyType({})


class ErrorCode(StrEnum):
    """Every `error.code`."""

    INVALID_REQUEST = "invalid_request"
    UNAUTHORIZED = "unauthorized"
    FORBIDDEN = "forbidden"
    ACCOUNT_CHANGED = "account_changed"
    NOT_FOUND = "not_found"
    METHOD_NOT_ALLOWED = "method_not_allowed"
    MANIFEST_CHANGED = "manifest_changed"
    EPOCH_CHANGED = "epoch_changed"
    FEED_MOVED = "feed_moved"
    ACCOUNT_ERASED = "account_erased"
    TEAM_ERASED = "team_erased"
    REQUEST_TOO_LARGE = "request_too_large"
    TOO_MANY_CHANGES = "too_many_changes"
    UNSUPPORTED_MEDIA_TYPE = "unsupported_media_type"
    UPGRADE_REQUIRED = "upgrade_required"
    RATE_LIMITED = "rate_limited"
    INTERNAL = "internal"
    BUSY = "busy"
    STORAGE_UNAVAILABLE = "storage_unavailable"
    NOT_CONFIGURED = "not_configured"
    # the refusals of single changes (P-32), as errors only when a strict commit meets one (P-33)
    INVALID_NOTE = "invalid_note"
    HASH_MISMATCH = "hash_mismatch"
    NOTE_TOO_LARGE = "note_too_large"
    TOO_MANY_NOTES = "too_many_notes"
    PLAN_NOTES = "plan_notes"
    PLAN_NOTE_BYTES = "plan_note_bytes"
    ID_CASE_COLLISION = "id_case_collision"


STATUS_OF: Mapping[ErrorCode, int] = MappingProxyType(
    {
        ErrorCode.INVALID_REQUEST: 400,
        ErrorCode.UNAUTHORIZED: 401,
        ErrorCode.FORBIDDEN: 403,
        ErrorCode.ACCOUNT_CHANGED: 403,
        ErrorCode.NOT_FOUND: 404,
        ErrorCode.METHOD_NOT_ALLOWED: 405,
        ErrorCode.MANIFEST_CHANGED: 409,
        ErrorCode.EPOCH_CHANGED: 409,
        ErrorCode.FEED_MOVED: 409,
        ErrorCode.ACCOUNT_ERASED: 410,
        ErrorCode.TEAM_ERASED: 410,
        ErrorCode.REQUEST_TOO_LARGE: 413,
        ErrorCode.TOO_MANY_CHANGES: 413,
        ErrorCode.UNSUPPORTED_MEDIA_TYPE: 415,
        ErrorCode.UPGRADE_REQUIRED: 426,
        ErrorCode.RATE_LIMITED: 429,
        ErrorCode.INTERNAL: 500,
        ErrorCode.BUSY: 503,
        ErrorCode.STORAGE_UNAVAILABLE: 503,
        ErrorCode.NOT_CONFIGURED: 503,
        ErrorCode.INVALID_NOTE: 422,
        ErrorCode.HASH_MISMATCH: 422,
        ErrorCode.NOTE_TOO_LARGE: 422,
        ErrorCode.TOO_MANY_NOTES: 422,
        ErrorCode.PLAN_NOTES: 422,
        ErrorCode.PLAN_NOTE_BYTES: 422,
        ErrorCode.ID_CASE_COLLISION: 422,
    }
)

_CODE_WITHOUT_BODY: Mapping[int, ErrorCode] = MappingProxyType(
    {
        400: ErrorCode.INVALID_REQUEST,
        401: ErrorCode.UNAUTHORIZED,
        403: ErrorCode.FORBIDDEN,
        404: ErrorCode.NOT_FOUND,
        405: ErrorCode.METHOD_NOT_ALLOWED,
        413: ErrorCode.REQUEST_TOO_LARGE,
        415: ErrorCode.UNSUPPORTED_MEDIA_TYPE,
        426: ErrorCode.UPGRADE_REQUIRED,
        429: ErrorCode.RATE_LIMITED,
        503: ErrorCode.BUSY,
    }
)


@dataclass(eq=False)
class InvalidRequest(WrongUsage):
    """A request that breaks the rules of the wire; `reason` names the place."""

    reason: str


@dataclass(eq=False)
class ProtocolBroken(Failed):
    """The service answered something that is no answer; `reason` names the place."""

    reason: str


@dataclass(frozen=True, slots=True)
class ErrorAnswer:
    """An answer that is an error.

    `code` is empty when neither the body nor the status names one. Units: `retry_after` in seconds.
    """

    status: int
    code: ErrorCode | None
    message: str = ""
    retry_after: float | None = None
    details: Mapping[str, Any] = field(default_factory=dict, hash=False)


def error_answer(
    code: ErrorCode,
    message: str,
    *,
    retry_after: float | None = None,
    details: Mapping[str, Any] = _NO_DETAILS,
) -> ErrorAnswer:
    """The answer for a code, with the status that belongs to it."""
    return ErrorAnswer(STATUS_OF[code], code, message, retry_after, details)


def encode_error(answer: ErrorAnswer) -> bytes:
    """The body of an error answer."""
    error: dict[str, Any] = {"code": answer.code or ErrorCode.INTERNAL, "message": answer.message}
    if answer.retry_after is not None:
        error["retryAfter"] = answer.retry_after
    if answer.details:
        error["details"] = dict(answer.details)
    return msgspec.json.encode({"error": error})


def decode_error(status: int, body: bytes, retry_after_header: str | None, now_ms: int) -> ErrorAnswer:
    """What an error answer means, whatever is in it: a proxy's HTML page, an unknown code, nothing at all.

    Raises: nothing.
    """
    error = _error_object(body)
    retry_after = retry_after_seconds(retry_after_header, now_ms)
    if retry_after is None:
        retry_after = _number_of_seconds(error.get("retryAfter"))
    message = error.get("message")
    details = error.get("details")
    return ErrorAnswer(
        status=status,
        code=_known_code(error.get("code")) or _CODE_WITHOUT_BODY.get(status),
        message=message[:500] if isinstance(message, str) else "",
        retry_after=retry_after,
        details=details if isinstance(details, dict) else _NO_DETAILS,
    )


def retry_after_seconds(header: str | None, now_ms: int) -> float | None:
    """The seconds a `Retry-After` header asks for, from 0 to an hour; None for what is neither number nor date."""
    if header is None:
        return None
    text = header.strip()
    if text.isascii() and text.replace(".", "", 1).isdigit():
        return min(float(text), MAX_RETRY_AFTER_S)
    from email.utils import parsedate_to_datetime  # loads much; few answers carry a date

    try:
        seconds = parsedate_to_datetime(text).timestamp() - now_ms / 1000
    except (ValueError, OverflowError, TypeError, IndexError):
        return None
    return min(max(seconds, 0.0), MAX_RETRY_AFTER_S)


def _error_object(body: bytes) -> dict[str, Any]:
    try:
        value = parse_json(body[:65_536].decode())
    except (ValueError, RecursionError):
        return {}
    error = value.get("error") if isinstance(value, dict) else None
    return error if isinstance(error, dict) else {}


def _known_code(value: object) -> ErrorCode | None:
    try:
        return ErrorCode(value) if isinstance(value, str) else None
    except ValueError:
        return None


def _number_of_seconds(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
        return None
    return min(float(value), MAX_RETRY_AFTER_S) if value < 1e9 else MAX_RETRY_AFTER_S
