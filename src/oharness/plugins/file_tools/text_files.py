"""Reading, replacing and editing text files of the project, as the model sees them. Plain blocking functions."""

import difflib
from dataclasses import dataclass
from pathlib import Path

from oharness.core.errors import StorageFailed
from oharness.disk.atomic import Absent, Expected, Holding, PlannedWrite, digest_of, ensure_directory, write_files
from oharness.disk.filesystem import SHARED_DIRECTORY, SHARED_FILE, FileSystem
from oharness.plugins.file_tools.places import NotPossible, Place

LARGEST_BYTES = 20_000_000
DEFAULT_LINES = 2_000
_LINE_CHARS = 2_000
_SHOWN_CHARS = 50_000
_DIFF_LINES = 400
_COMPARED_LINES = 20_000
_PLACES_NAMED = 10


@dataclass(frozen=True, slots=True)
class Content:
    """What a file holds now: None when there is none; `text` is None for what is not UTF-8 text."""

    data: bytes | None

    @property
    def expected(self) -> Expected:
        """What must still be true when the file is replaced."""
        return Absent() if self.data is None else Holding(digest_of(self.data))

    @property
    def text(self) -> str | None:
        if self.data is None or b"\0" in self.data:
            return None
        try:
            return self.data.decode()
        except UnicodeDecodeError:
            return None


def content_of(place: Place) -> Content:
    """What stands there now, whole.

    Raises: NotPossible for a folder, a device, a file beyond 20 MB, or one that the system does not let us read.
    """
    if place.path.is_dir():
        raise NotPossible(f"{place.name} is a folder; `list` shows what is in it.")
    try:
        read = FileSystem().read_plain(place.path, LARGEST_BYTES)
    except FileNotFoundError:
        return Content(None)
    except OSError as error:
        raise NotPossible(f"{place.name} cannot be read: {error.strerror or error}.") from error
    if len(read.data) > LARGEST_BYTES:
        raise NotPossible(f"{place.name} is larger than {LARGEST_BYTES // 1_000_000} MB; search it instead.")
    return Content(read.data)


def text_in(place: Place, content: Content) -> str:
    """The text of a file that was read.

    Raises: NotPossible where there is no file, or no text in it.
    """
    if content.data is None:
        raise NotPossible(f"There is no file {place.name}.")
    if content.text is None:
        raise NotPossible(f"{place.name} is not text ({len(content.data)} bytes).")
    return content.text


def numbered(text: str, first: int, count: int) -> str:
    """Lines from number `first` on, each after its number and a tab; what is left out is said at the end."""
    lines = text.removeprefix("\ufeff").split("\n")
    if lines[-1] == "":
        lines.pop()
    if not lines:
        return "(the file is empty)"
    if first > len(lines):
        raise NotPossible(f"The file has only {len(lines)} lines.")
    shown: list[str] = []
    room = _SHOWN_CHARS
    for number, line in enumerate(lines[first - 1 : first - 1 + count], first):
        row = f"{number:>6}\t{_cut(line.rstrip(chr(13)))}"
        room -= len(row) + 1
        if room < 0:
            break
        shown.append(row)
    last = first - 1 + len(shown)
    if (first, last) != (1, len(lines)):
        more = f"; go on with offset {last + 1}" if last < len(lines) else ""
        shown.append(f"[lines {first} to {last} of {len(lines)}{more}]")
    return "\n".join(shown)


def _cut(line: str) -> str:
    left_out = len(line) - _LINE_CHARS
    return line if left_out <= 0 else f"{line[:_LINE_CHARS]}… [{left_out} more characters]"


def edited(text: str, old: str, new: str, name: str) -> str:
    """The text with its only occurrence of `old` replaced; line ends of the file are kept.

    Raises: NotPossible where `old` does not occur exactly once.
    """
    if "\r\n" in text and "\r" not in old:
        old, new = old.replace("\n", "\r\n"), new.replace("\n", "\r\n")
    if not old:
        raise NotPossible("`old` is empty; use `write` for a new file.")
    if old == new:
        raise NotPossible("`old` and `new` are the same.")
    places = _places(text, old)
    if not places:
        raise NotPossible(f"`old` does not occur in {name}.{_hint(text, old)} Read the file and copy it exactly.")
    if len(places) > 1:
        lines = ", ".join(str(text.count("\n", 0, place) + 1) for place in places[:_PLACES_NAMED])
        raise NotPossible(
            f"`old` occurs {len(places)} times in {name} (lines {lines}). Add lines around it until it is unique."
        )
    return text[: places[0]] + new + text[places[0] + len(old) :]


def _places(text: str, old: str) -> list[int]:
    places: list[int] = []
    place = text.find(old)
    while place >= 0:
        places.append(place)
        place = text.find(old, place + 1)
    return places


def _hint(text: str, old: str) -> str:
    return " It does with other white space." if " ".join(old.split()) in " ".join(text.split()) else ""


def replace_file(place: Place, content: Content, text: str) -> None:
    """Writes the text whole or not at all, and only over what `content` says was there.

    Raises: NotPossible.
    """
    files = FileSystem()
    try:
        ensure_directory(files, place.path.parent, SHARED_DIRECTORY)
        data = text.encode("utf-8", "surrogatepass")
        data.decode()
        changed = write_files(files, [PlannedWrite(place.path, data, content.expected, SHARED_FILE)])
    except UnicodeError as error:
        raise NotPossible("The text has characters that UTF-8 cannot hold.") from error
    except StorageFailed as error:
        raise NotPossible(f"{place.name} cannot be written: {error.reason}.") from error
    if changed:
        raise NotPossible(f"{place.name} was changed by somebody else just now; read it again.")


def difference(old: str, new: str, name: str) -> str:
    """A unified diff, shortened when it is long."""
    before, after = ([line.rstrip("\r") for line in side.split("\n")] for side in (old, new))
    if max(len(before), len(after)) > _COMPARED_LINES:
        return _where_different(before, after, name)
    rows = list(difflib.unified_diff(before, after, f"a/{name}", f"b/{name}", lineterm=""))
    if len(rows) > _DIFF_LINES:
        rows = [*rows[:_DIFF_LINES], f"[{len(rows) - _DIFF_LINES} more lines of difference]"]
    return "\n".join(rows)


def _where_different(before: list[str], after: list[str], name: str) -> str:
    """The same for a file so long that comparing it line by line would take minutes."""
    same = _same_at_start(before, after)
    same_end = _same_at_start(before[same:][::-1], after[same:][::-1])
    old, new = len(before) - same - same_end, len(after) - same - same_end
    return f"{name}: from line {same + 1} on, {new} lines in place of {old}" if old or new else ""


def _same_at_start(one: list[str], other: list[str]) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (line, twin) in pairs if line != twin), min(len(one), len(other)))


def folder_listing(place: Place) -> list[str]:
    """Names in a folder, folders first and marked with a slash, files with their size; links with where they lead.

    Raises: NotPossible.
    """
    if not place.path.is_dir():
        raise NotPossible(f"{place.name} is {'no folder' if place.path.exists() else 'not there'}.")
    try:
        entries = sorted(place.path.iterdir(), key=lambda entry: (not entry.is_dir(), entry.name))
        return [_entry(entry) for entry in entries]
    except OSError as error:
        raise NotPossible(f"{place.name} cannot be read: {error.strerror or error}.") from error


def _entry(entry: Path) -> str:
    if entry.is_symlink():
        return f"{entry.name} -> {entry.readlink()}"
    return f"{entry.name}/" if entry.is_dir() else f"{entry.name}  {entry.stat().st_size} bytes"
