"""The relative paths that a text names, as far as a text can be trusted to mean a path by them.

A path has a slash. With an ending that files have (`src/app.py`) it counts wherever it stands; without one
(`src/app`, `docs/`) only in a code span, and only when its first folder is there: `and/or` and `text/plain` are none.
Addresses, absolute paths, patterns and paths that leave the project are not meant.
"""

import re
from collections.abc import Iterator

from oharness.recall.words import EXTENSIONS

_RUN = re.compile(r"[^\s`\"'|,;()\[\]“”‘’«»「」『』（），。；：、]+")
_SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_PLAIN = re.compile(r"(?:\.[/\\])?[\w.@+~-]+(?:[/\\][\w.@+~-]+)*[/\\]?")
_WIDE = re.compile(r"[^\u0000-\u024f]+")
_POSITION = re.compile(r"(?::\d+(?:[-:]\d+)*|#[\w-]*)$")
_DIFF_HEAD = re.compile(r"(?:diff --git|\+\+\+|---) ")
_NOT_RELATIVE = ("/", "\\", "~", "-", "www.")
_MOST = 200
_LONGEST = 400


def named_paths(text: str) -> tuple[str, ...]:
    """The paths of a text, each once, with slashes; one that ends in a slash, or has no ending, names a folder."""
    if "/" not in text and "\\" not in text:
        return ()
    found: dict[str, None] = {}
    for line in text.split("\n"):
        if not _has_slash(line) or _DIFF_HEAD.match(line):
            continue
        for raw, is_code in _candidates(line):
            path = _path(raw, is_code=is_code)
            if path is not None:
                found[path] = None
        if len(found) >= _MOST:
            break
    return tuple(found)


def has_ending(path: str) -> bool:
    """Whether the last part of a path ends as files do."""
    name, dot, ending = path.rpartition("/")[2].rpartition(".")
    return bool(name and dot) and ending.lower() in EXTENSIONS


def _candidates(line: str) -> Iterator[tuple[str, bool]]:
    for span in _SPAN.finditer(line):
        yield from ((run.group(), True) for run in _RUN.finditer(line, span.start(1), span.end(1)))
    for run in _RUN.finditer(line):
        if _has_slash(run.group()):
            yield from ((piece, False) for piece in _WIDE.split(run.group()))


def _has_slash(text: str) -> bool:
    return "/" in text or "\\" in text


def _path(raw: str, *, is_code: bool) -> str | None:
    if (
        not _has_slash(raw)
        or len(raw) > _LONGEST
        or raw.startswith(_NOT_RELATIVE)
        or "://" in raw
        or "@" in raw.partition("/")[0]
    ):
        return None
    raw = _POSITION.sub("", raw.rstrip(".:!?"))
    if not _PLAIN.fullmatch(raw) or re.match(r"[A-Za-z]:", raw):
        return None
    path = raw.replace("\\", "/").removeprefix("./")
    parts = path.strip("/").split("/")
    if any(not part.strip(".") for part in parts):  # `..` leaves the project, `...` leaves something out
        return None
    if has_ending(path):
        return None if "\\" in raw and len(parts) < 2 else path
    is_host = "." in parts[0] and not parts[0].startswith(".")
    return path if is_code and not is_host and "\\" not in raw else None
