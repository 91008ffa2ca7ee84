"""Reading and rewriting JSON files that people may edit: broken ones are reported and never overwritten."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from oharness.core.errors import Failed
from oharness.core.jsontext import KeyTwice, parse_json, pretty_json
from oharness.disk.atomic import storage_errors, write_file
from oharness.disk.filesystem import PRIVATE_FILE, FileSystem


@dataclass(eq=False)
class BrokenFile(Failed):
    """A settings or state file that cannot be understood; it is left as it is.

    `reason` is one that the catalogue has words for; line and column count from 1.
    """

    path: str
    line: int
    column: int
    reason: str


def read_object(files: FileSystem, path: Path) -> dict[str, Any] | None:
    """The JSON object in a file, or None when there is no file.

    Raises: BrokenFile; StorageFailed.
    """
    with storage_errors(path):
        try:
            data = files.read(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
    return parse_object(data, path)


def parse_object(data: bytes, path: Path) -> dict[str, Any]:
    """The JSON object in the bytes of a file; a BOM is passed over.

    Raises: BrokenFile.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line, column = _position(data[: error.start].decode("utf-8", "replace"))
        raise BrokenFile(str(path), line, column, "not-utf8") from error
    try:
        value = parse_json(text)
    except json.JSONDecodeError as error:
        reason = "duplicate-key" if isinstance(error, KeyTwice) else "not-json"
        raise BrokenFile(str(path), error.lineno, error.colno, reason) from error
    except (ValueError, RecursionError) as error:
        reason = "too-deep" if isinstance(error, RecursionError) else "not-json"
        raise BrokenFile(str(path), 1, 1, reason) from error
    if not isinstance(value, dict):
        raise BrokenFile(str(path), 1, 1, "not-an-object")
    return value


def write_object(files: FileSystem, path: Path, value: Mapping[str, Any], mode: int = PRIVATE_FILE) -> None:
    """Replaces the file by the object as people may read it, whole or not at all.

    Raises: StorageFailed.
    """
    write_file(files, path, pretty_json(value), mode)


def _position(text: str) -> tuple[int, int]:
    return text.count("\n") + 1, len(text) - (text.rfind("\n") + 1) + 1
