"""Finding files and lines below a folder, within limits.

Also a program of its own that needs nothing but the standard library: `search` runs it as a process, since a
regular expression that never ends can only be stopped by ending its process.

    python tree_search.py < {"root", "start", "pattern", "literal", "ignoreCase", "files", "limit"}

prints one JSON object a line for each hit ({"path", "line", "text"}) and a last one ({"files", "skipped", "more"}).
"""

import json
import os
import re
import stat
import sys
from collections.abc import Callable, Iterator
from typing import Any

SKIPPED_FOLDERS = frozenset(
    (".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", "venv", ".tox", ".mypy_cache", ".ruff_cache")
)
LARGEST_BYTES = 5_000_000
MOST_FILES = 100_000
_LINE_CHARS = 400


def walk(root: str, start: str) -> Iterator[str]:
    """Paths of plain files below `start`, relative to `root` with slashes, in order; links are not followed."""
    count = 0
    for folder, folders, files in os.walk(start):
        folders[:] = sorted(name for name in folders if name not in SKIPPED_FOLDERS)
        for name in sorted(files):
            path = os.path.join(folder, name)  # noqa: PTH118 (no Path objects in a loop over a whole tree)
            if os.path.islink(path):  # noqa: PTH114
                continue
            count += 1
            if count > MOST_FILES:
                return
            yield os.path.relpath(path, root).replace(os.sep, "/")


def glob_test(pattern: str) -> Callable[[str], bool]:
    """Whether a path fits a pattern of `*`, `?` and `**`; a pattern without a slash is for the name alone."""
    anywhere = "/" not in pattern
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", pattern.lstrip("/"))
    meaning = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    wanted = re.compile("".join(meaning.get(part) or re.escape(part) for part in parts), re.DOTALL)

    def fits(path: str) -> bool:
        return wanted.fullmatch(path.rsplit("/", 1)[-1] if anywhere else path) is not None

    return fits


def lines_of(path: str) -> list[str] | None:
    """The lines of a text file; None for one that is binary, too large or cannot be read."""
    try:
        status = os.stat(path)  # noqa: PTH116
        if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST_BYTES:
            return None
        with open(path, "rb") as file:  # noqa: PTH123
            data = file.read(LARGEST_BYTES)
    except OSError:
        return None
    return None if b"\0" in data else data.decode("utf-8", "replace").split("\n")


def search(order: dict[str, Any], tell: Callable[[dict[str, Any]], None]) -> None:
    """Carries out the order; each hit and the closing object are told as they come."""
    text = re.escape(order["pattern"]) if order["literal"] else order["pattern"]
    wanted = re.compile(text, re.IGNORECASE if order["ignoreCase"] else 0)
    fits = glob_test(order["files"]) if order["files"] else lambda path: True
    searched = skipped = hits = 0
    start = order["start"]
    paths = walk(order["root"], start) if os.path.isdir(start) else [os.path.relpath(start, order["root"])]  # noqa: PTH112
    for path in paths:
        if not fits(path):
            continue
        lines = lines_of(os.path.join(order["root"], path))  # noqa: PTH118
        if lines is None:
            skipped += 1
            continue
        searched += 1
        for number, line in enumerate(lines, 1):
            if wanted.search(line):
                if hits == order["limit"]:
                    tell({"files": searched, "skipped": skipped, "more": True})
                    return
                hits += 1
                tell({"path": path, "line": number, "text": line.rstrip("\r")[:_LINE_CHARS]})
    tell({"files": searched, "skipped": skipped, "more": False})


def main() -> None:
    """The program."""

    def tell(value: dict[str, Any]) -> None:
        sys.stdout.write(json.dumps(value) + "\n")
        sys.stdout.flush()

    search(json.loads(sys.stdin.buffer.read()), tell)


if __name__ == "__main__":
    main()
