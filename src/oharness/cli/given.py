"""Text that a command is given by a file or by standard input."""

from pathlib import Path
from typing import TextIO

from oharness.cli.usage import NothingToRead, UnreadableInput

STDIN = "-"


def text_from(place: str, name: str, stdin: TextIO) -> str:
    """The text of a file, or of standard input for `-`; `name` is the option that asked for it.

    Raises: NothingToRead when standard input is a terminal, UnreadableInput.
    """
    return _from_stdin(name, stdin) if place == STDIN else _from_file(place, name)


def _from_stdin(name: str, stdin: TextIO) -> str:
    if stdin.isatty():
        raise NothingToRead(name)
    binary = getattr(stdin, "buffer", None)
    if binary is None:
        return stdin.read()
    return _decoded(binary.read(), name, STDIN)


def _from_file(path: str, name: str) -> str:
    try:
        data = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise UnreadableInput(name, path, getattr(error, "strerror", None) or str(error)) from error
    return _decoded(data, name, path)


def _decoded(data: bytes, name: str, path: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableInput(name, path, "not-utf8") from error
