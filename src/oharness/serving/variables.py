"""A service's settings as a table of environment variables: one row each, read once at the start.

The table also writes the page for operators (`scripts/variables_pages.py`). Reads no environment itself.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from oharness.core.errors import WrongUsage


@dataclass(eq=False)
class SettingUnusable(WrongUsage):
    """`variable` holds something that is not `expected`; its value may be a secret and is not kept."""

    variable: str
    expected: str


@dataclass(frozen=True, slots=True)
class Setting:
    """One variable; `field` is where it goes in the service's settings. `read` raises ValueError."""

    variable: str
    field: str
    default: str
    help: str
    read: Callable[[str], Any]
    expected: str


def read_table(table: Iterable[Setting], environment: Mapping[str, str]) -> dict[str, Any]:
    """The value of each field; empty variables count as not set.

    Raises: SettingUnusable.
    """
    return {row.field: _read(row, environment.get(row.variable, "").strip()) for row in table}


def optional_text(text: str) -> str | None:
    """The text; None where nothing was set."""
    return text or None


def number_between(low: int, high: int) -> Callable[[str], int]:
    """Reads a whole number within both bounds.

    Raises: ValueError.
    """

    def read(text: str) -> int:
        number = int(text) if text.isascii() and text.isdigit() and len(text) < 16 else -1
        if not low <= number <= high:
            raise ValueError(text)
        return number

    return read


def _read(row: Setting, text: str) -> Any:
    try:
        return row.read(text or row.default)
    except ValueError as error:
        raise SettingUnusable(row.variable, row.expected) from error
