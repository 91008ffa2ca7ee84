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
        if not fence and line.strip():
            if blank_before and line.endswith("\n") and _begins_a_block(line):
                cut = at
            blank_before = False
        elif not fence:
            blank_before = True
        fence = _fence_after(line, fence)
        at += len(line)
    return text[:cut], text[cut:]


def tail(text: str, lines: int) -> str:
    """The last lines of a text that is longer than a screen; inside a code fence they stay code."""
    whole = text.split("\n")
    if len(whole) <= lines:
        return text
    fence, opening = "", ""
    for line in whole[:-lines]:
        before, fence = fence, _fence_after(line, fence)
        if fence and not before:
            opening = line
    return "\n".join([*([opening] if fence else []), *whole[-lines:]])


def _fence_after(line: str, fence: str) -> str:
    """The code fence that is open behind a line, given the one before it; empty outside of code."""
    if fence:
        closes = line.strip().startswith(fence) and not line.strip().strip(fence[0])
        return "" if closes else fence
    opened = _FENCE.match(line)
    return opened.group(1) if opened else ""


def _begins_a_block(line: str) -> bool:
    return not line[0].isspace() and not _ITEM.match(line)
