"""Which protocol versions there are, and how a request says which one it speaks (P-1, P-2, section 8)."""

from dataclasses import dataclass

PROTOCOL_HEADER = "OHarness-Protocol"
OLD = 1
CURRENT = 2


@dataclass(frozen=True, slots=True)
class ProtocolVersion:
    """One version: when it came and what it brought."""

    number: int
    since: str
    brought: str


VERSIONS = (
    ProtocolVersion(OLD, "2025-06", "project notes without a type; no epoch, device or commit id"),
    ProtocolVersion(CURRENT, "2026-01", "user scope, types, extra keys, epochs, replayed commits, bodies in pages"),
)


def spoken_version(header: str | None) -> int | None:
    """The version a header names: 1 without one (P-2), None for what no version of this product speaks."""
    if header is None:
        return OLD
    text = header.strip()
    if not (text.isascii() and text.isdigit() and len(text) <= 4):
        return None
    number = int(text)
    return number if number in (OLD, CURRENT) else None
