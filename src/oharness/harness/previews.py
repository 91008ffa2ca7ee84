"""What a person is shown before a tool changes something: a diff, whose lines frontends colour, or plain text. Pure."""

from collections.abc import Sequence
from enum import StrEnum


class LineKind(StrEnum):
    """What a line of a preview says; all of a text that is no diff is plain."""

    PLAIN = ""
    FILE = "file"
    HUNK = "hunk"
    ADDED = "added"
    REMOVED = "removed"


_MARKS = {"@": LineKind.HUNK, "+": LineKind.ADDED, "-": LineKind.REMOVED}


def line_kinds(lines: Sequence[str]) -> list[LineKind]:
    """The kind of each line of a preview."""
    is_diff = any(line.startswith("@@") for line in lines) or all(line[:1] in ("", "+", "-") for line in lines)
    return [_kind(line) if is_diff else LineKind.PLAIN for line in lines]


def _kind(line: str) -> LineKind:
    return LineKind.FILE if line.startswith(("+++", "---")) else _MARKS.get(line[:1], LineKind.PLAIN)
