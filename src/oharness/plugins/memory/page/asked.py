"""What a browser asked for, read from texts that may hold anything."""

from collections.abc import Mapping
from typing import Any

from oharness.core.scopes import ScopeKind

Fields = Mapping[str, Any]
Document = dict[str, Any]


def text(fields: Fields, name: str) -> str:
    """The text of a field, the last where there are several; empty where there is none."""
    value = fields.get(name, "")
    value = value[-1] if isinstance(value, list) and value else value
    return value if isinstance(value, str) else ""


def number(fields: Fields, name: str, default: int, most: int) -> int:
    """A number from 0 to `most`; the default where there is none."""
    value = fields.get(name)
    if isinstance(value, int):
        return max(0, min(value, most))
    given = text(fields, name)
    return min(int(given[:9]), most) if given.isascii() and given.isdigit() else default


def scope(fields: Fields, name: str = "scope") -> ScopeKind | None:
    """The scope that is named; None for both."""
    given = text(fields, name)
    return ScopeKind(given) if given in tuple(ScopeKind) else None


def is_yes(fields: Fields, name: str) -> bool:
    """Whether a box is ticked."""
    return fields.get(name) in (True, "true", "on", "yes", "1")
