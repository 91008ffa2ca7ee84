"""Which moment a frontmatter value means, when it means one."""

import re
from datetime import UTC, datetime
from typing import Any

from oharness.core.clock import Millis

EARLIEST_TIME = Millis(100_000_000_000)
"""1973-03-03: anything smaller counts seconds, so every time that is accepted stays as it is when read again."""

LATEST_TIME = Millis(253_402_300_799_999)
"""The last millisecond of the year 9999, beyond which calendars of most languages give up."""

_DIGITS = re.compile(r"[0-9]{9,15}")


def is_time(value: int) -> bool:
    """Whether a number can be milliseconds since the epoch as notes hold them."""
    return EARLIEST_TIME <= value <= LATEST_TIME


def read_time(raw: Any) -> Millis | None:
    """The moment meant by a number (milliseconds or seconds) or an ISO 8601 text, else None.

    A text without an offset is UTC. Zero, negative numbers and years beyond 9999 mean no moment.
    """
    if type(raw) is int and EARLIEST_TIME <= raw <= LATEST_TIME:  # as nearly always
        return Millis(raw)
    if isinstance(raw, str):
        return _from_text(raw.strip())
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        return None
    return _from_number(raw)


def _from_number(number: float) -> Millis | None:
    if not EARLIEST_TIME / 1000 <= number <= LATEST_TIME:
        return None
    return _checked(round(number * 1000) if number < EARLIEST_TIME else int(number))


def _from_text(text: str) -> Millis | None:
    if _DIGITS.fullmatch(text):
        return _from_number(int(text))
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return _checked(round(moment.timestamp() * 1000))
    except (ValueError, OverflowError):
        return None


def _checked(value: int) -> Millis | None:
    return Millis(value) if is_time(value) else None
