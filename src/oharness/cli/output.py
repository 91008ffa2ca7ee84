"""What the program says and where: answers to stdout, everything else to stderr; one JSON document with `--json`."""

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TextIO

from oharness.cli.columns import printable
from oharness.language.catalogue import Catalogue

_WIDEST = 100
_USUAL = 80


class Ink:
    """Colours of a terminal, or none."""

    def __init__(self, *, coloured: bool) -> None:
        self._coloured = coloured

    def strong(self, text: str) -> str:
        """What the eye should find first."""
        return self._dressed("1", text)

    def faint(self, text: str) -> str:
        """What is there when one looks for it."""
        return self._dressed("2", text)

    def bad(self, text: str) -> str:
        """Errors, and what was taken away."""
        return self._dressed("31", text)

    def good(self, text: str) -> str:
        """Success, and what was added."""
        return self._dressed("32", text)

    def warning(self, text: str) -> str:
        """What asks for attention without being an error."""
        return self._dressed("33", text)

    def name(self, text: str) -> str:
        """Ids and names that can be typed again."""
        return self._dressed("36", text)

    def _dressed(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self._coloured and text else text


class Output:
    """The two streams of one call, in one language."""

    def __init__(
        self, out: TextIO, err: TextIO, words: Catalogue, environment: Mapping[str, str], *, json_only: bool
    ) -> None:
        self.words = words
        self.json_only = json_only
        self.is_a_terminal = out.isatty()
        self.ink = Ink(coloured=not json_only and is_coloured(out, environment))
        self._err_ink = Ink(coloured=is_coloured(err, environment))
        self._out = out
        self._err = err

    @property
    def cells(self) -> int:
        """How wide lines may be, right now: a terminal may become another width while a conversation goes on."""
        return cells_of(self._out)

    def answer(self, document: Mapping[str, Any], told: Callable[[], Iterable[str]]) -> None:
        """The answer of a command: the document with `--json`, else what `told` gives, line by line."""
        if self.json_only:
            self.document(document)
        else:
            self.lines(told())

    def document(self, value: Mapping[str, Any]) -> None:
        """One JSON document on stdout."""
        self._out.write(as_json(value, self._out, indent=2) + "\n")

    def json_line(self, value: Mapping[str, Any]) -> None:
        """One JSON value on a line of its own, flushed, for whoever reads along."""
        self._out.write(as_json(value, self._out, indent=None) + "\n")
        self._out.flush()

    def lines(self, lines: Iterable[str]) -> None:
        """Lines for a person on stdout."""
        for line in lines:
            self._out.write(line + "\n")

    def text(self, text: str) -> None:
        """A piece of text for a person on stdout, as it is and at once."""
        self._out.write(text)
        self._out.flush()

    def note(self, text: str) -> None:
        """Something beside the answer, on stderr."""
        self._err.write(printable(text) + "\n")

    @property
    def err_is_a_terminal(self) -> bool:
        """Whether somebody watches stderr."""
        return self._err.isatty()

    def status_line(self, text: str) -> None:
        """A line on stderr that the next one is written over; an empty one clears it. For terminals only."""
        self._err.write(f"\r\x1b[2K{printable(text)}")
        self._err.flush()

    def warning(self, text: str) -> None:
        """Something that asks for attention, on stderr."""
        self._err.write(self._err_ink.warning("! ") + printable(text) + "\n")

    def error(self, text: str) -> None:
        """Why it could not be done, on stderr."""
        self._err.write(self._err_ink.bad("oharness: ") + printable(text) + "\n")


def as_json(value: Mapping[str, Any], stream: TextIO, *, indent: int | None) -> str:
    """JSON that the stream can carry: ASCII alone where it is not UTF-8."""
    import json

    utf8 = (stream.encoding or "utf-8").lower().replace("-", "") in ("utf8", "utf_8")
    separators = None if indent else (",", ":")
    return json.dumps(value, ensure_ascii=not utf8, indent=indent, separators=separators, allow_nan=False)


def cells_of(stream: TextIO) -> int:
    """How wide the terminal behind a stream is, within what is pleasant to read; 80 where there is none."""
    try:
        return max(20, min(os.get_terminal_size(stream.fileno()).columns, _WIDEST))
    except (OSError, ValueError, AttributeError):
        return _USUAL


def is_coloured(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Whether colours are wanted: only on a terminal that knows them, and not against NO_COLOR."""
    if environment.get("NO_COLOR") or environment.get("TERM") == "dumb":
        return False
    return stream.isatty()


def day(millis: int) -> str:
    """A time as a local date, or `-` for one that is not known."""
    return _moment(millis, "%Y-%m-%d")


def minute(millis: int) -> str:
    """A time as a local date with hour and minute, or `-` for one that is not known."""
    return _moment(millis, "%Y-%m-%d %H:%M")


def _moment(millis: int, form: str) -> str:
    from datetime import UTC, datetime

    if millis <= 0:
        return "-"
    try:
        return datetime.fromtimestamp(millis / 1000, UTC).astimezone().strftime(form)
    except (OverflowError, ValueError, OSError):
        return "-"
