"""Text that a command is given by a file or by standard input."""

from pathlib import Path
from typing import TextIO

from oharness.cli.usage import NothingToRead, UnreadableInput

STDIN = "-"


def text_from(place: str, name: str, stdin: TextIO, errors: str = "strict") -> str:
    """The text of a file, or of standard input for `-`; `name` is the option that asked for it.

    `errors` says what becomes of bytes that are no UTF-8, in the words of `bytes.decode`.

    Raises: NothingToRead when standard input is a terminal, UnreadableInput.
    """
    return _decoded(_from_stdin(name, stdin) if place == STDIN else _from_file(place, name), name, place, errors)


def _from_stdin(name: str, stdin: TextIO) -> bytes | str:
    if stdin.isatty():
        raise NothingToRead(name)
    binary = getattr(stdin, "buffer", None)
    if binary is None:
        return stdin.read()
    data: bytes = binary.read()
    return data


def _from_file(path: str, name: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise UnreadableInput(name, path, getattr(error, "strerror", None) or str(error)) from error


def _decoded(data: bytes | str, name: str, path: str, errors: str) -> str:
    if isinstance(data, str):
        return data
    try:
        return data.decode("utf-8-sig", errors)
    except UnicodeDecodeError as error:
        raise UnreadableInput(name, path, "not-utf8") from error
