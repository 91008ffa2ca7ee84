"""Which part of an answer that is still being written is finished, so that it need not be drawn again. Pure."""

import re

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])\s")


def split_finished(text: str) -> tuple[str, str]:
    """The blocks that no later word can change, and the rest.

    A cut falls on a blank line outside code fences, before a line that begins a new block: neither indented nor an
    item of a list that may go on.
    """
    cut = 0
    at = 0
    fence = ""
    blank_before = False
    for line in text.splitlines(keepends=True):
        if fence:
            if line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        elif not line.strip():
            blank_before = True
        else:
            if blank_before and line.endswith("\n") and _begins_a_block(line):
                cut = at
            blank_before = False
            if opened := _FENCE.match(line):
                fence = opened.group(1)
        at += len(line)
    return text[:cut], text[cut:]


def tail(text: str, lines: int) -> str:
    """The last lines of a text that is longer than a screen."""
    kept = text.split("\n")
    return text if len(kept) <= lines else "\n".join(kept[-lines:])


def _begins_a_block(line: str) -> bool:
    return not line[0].isspace() and not _ITEM.match(line)
