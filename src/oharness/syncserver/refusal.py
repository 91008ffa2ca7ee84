"""How a handler says no: one exception that carries the answer."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from oharness.core.errors import OharnessError
from oharness.protocol.errors import ErrorAnswer, ErrorCode, error_answer


@dataclass(eq=False)
class RequestRefused(OharnessError):
    """The request ends with this answer."""

    answer: ErrorAnswer


def refused(
    code: ErrorCode,
    message: str,
    *,
    retry_after: float | None = None,
    details: Mapping[str, Any] | None = None,
) -> RequestRefused:
    """The exception for a code, to be raised."""
    return RequestRefused(error_answer(code, message, retry_after=retry_after, details=details or {}))
