"""How text fits a terminal: its width in cells, padding, wrapping, and no control codes from foreign text."""

from collections.abc import Iterable, Iterator

_INDENT = "  "
_GAP = "  "


def printable(text: str) -> str:
    r"""Text that cannot steer a terminal: control characters other than newline and tab become `\x1b` and the like."""
    if text.isprintable():
        return text
    return "".join(char if char in "\n\t" or not _steers(char) else _escaped(char) for char in text)


def one_line(text: str) -> str:
    """Text without line breaks or control characters, for one row of a list."""
    return printable(" ".join(text.split()))


def width(text: str) -> int:
    """How many cells a text takes: our own colours none, Chinese, Japanese, Korean and most emoji two each."""
    if "\x1b" in text:
        text = _uncoloured(text)
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)


def padded(text: str, cells: int) -> str:
    """Text filled with spaces to a width."""
    return text + " " * max(0, cells - width(text))


def shortened(text: str, cells: int) -> str:
    """Text that takes at most `cells`, with an ellipsis where something was cut."""
    if width(text) <= cells:
        return text
    kept = ""
    for char in text:
        if width(kept + char) > cells - 1:
            break
        kept += char
    return kept.rstrip() + "…"


def table(rows: Iterable[tuple[str, ...]], *, indent: str = _INDENT) -> list[str]:
    """Rows as aligned lines; the last column is left as long as it is."""
    listed = [tuple(row) for row in rows]
    if not listed:
        return []
    last = max(len(row) for row in listed) - 1
    cells = [max((width(row[at]) for row in listed if at < len(row) - 1), default=0) for at in range(last)]
    return [indent + _GAP.join([*map(padded, row[:-1], cells), row[-1]]).rstrip() for row in listed]


def wrapped(text: str, cells: int, *, indent: str = "") -> list[str]:
    """A paragraph broken into lines of at most `cells`; CJK text breaks between any two characters."""
    lines: list[str] = []
    line = ""
    for piece in _pieces(text):
        if line and width(line + piece.rstrip()) > cells - len(indent):
            lines.append(indent + line.rstrip())
            line = piece.lstrip()
        else:
            line += piece
    return [*lines, indent + line.rstrip()] if line.strip() else lines


def definitions(rows: Iterable[tuple[str, str]], cells: int, *, indent: str = _INDENT) -> list[str]:
    """Names and what they mean, the meanings in one wrapped column."""
    listed = list(rows)
    left = min(max((width(name) for name, _ in listed), default=0), 30)
    hang = indent + " " * left + _GAP
    lines: list[str] = []
    for name, meaning in listed:
        told = wrapped(meaning, max(cells, len(hang) + 20), indent=hang) or [""]
        if width(name) > left:
            lines += [indent + name, *told]
        else:
            lines += [indent + padded(name, left) + _GAP + told[0].removeprefix(hang), *told[1:]]
    return [line.rstrip() for line in lines]


def _uncoloured(text: str) -> str:
    first, *rest = text.split("\x1b[")
    return first + "".join(part.partition("m")[2] for part in rest)


def _pieces(text: str) -> Iterator[str]:
    """What may stand at the end of a line: words with the space behind them, single wide characters."""
    piece = ""
    for char in text:
        if width(char) == 2:
            if piece and not _clings(char):
                yield piece
                piece = ""
            piece += char
        elif char == " ":
            yield piece + char
            piece = ""
        else:
            if piece and width(piece[-1]) == 2 and char not in ",.;:!?)]":
                yield piece
                piece = ""
            piece += char
    if piece:
        yield piece


def _clings(char: str) -> bool:
    return char in "，。、；：！？）」』】》”’"


def _steers(char: str) -> bool:
    code = ord(char)
    return code < 0x20 or 0x7F <= code < 0xA0 or 0x202A <= code <= 0x202E or 0x2066 <= code <= 0x2069


def _escaped(char: str) -> str:
    return f"\\x{ord(char):02x}" if ord(char) < 0x100 else f"\\u{ord(char):04x}"
