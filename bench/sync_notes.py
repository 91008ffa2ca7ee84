"""Made-up notes for the sync bench, of about 1 KB, as Markdown files and as calendar entries.

Each note carries a mark that says how often it was edited, so that the bench can look whether what arrived on the
second device is what the first one sent.
"""

import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from oharness.core.clock import Millis
from oharness.notes.frontmatter import note_file_name, note_text
from oharness.notes.note import Note

BEGUN_MS = 1_789_000_000_000
_BODY_CHARS = 780
_MARK = re.compile(r"mark-\d+-\d+")
_VOWELS, _CONSONANTS = "aeiou", "bcdfghjklmnprstvwz"


@dataclass(frozen=True, slots=True)
class MadeUpNote:
    """A note of the bench: its number, its words, and how often it was edited."""

    number: int
    lines: tuple[str, ...]
    edits: int = 0

    @property
    def id(self) -> str:
        return f"note-{self.number:05}"

    @property
    def summary(self) -> str:
        return f"Decision {self.number} on {self.lines[0][:48]}"

    @property
    def mark(self) -> str:
        return f"mark-{self.number}-{self.edits}"

    def edited(self) -> "MadeUpNote":
        return replace(self, edits=self.edits + 1)


Form = Callable[[MadeUpNote], tuple[str, bytes]]
"""A note as the name and the bytes of a file."""


def make_notes(count: int) -> list[MadeUpNote]:
    """The same notes every time, out of a vocabulary in which few words are frequent."""
    chance = random.Random(7)
    words = [_word(chance) for _ in range(2500)]
    return [MadeUpNote(number, _lines(chance, words)) for number in range(count)]


def as_markdown(note: MadeUpNote) -> tuple[str, bytes]:
    body = "\n".join((note.mark, *note.lines))
    times = (Millis(BEGUN_MS + note.number), Millis(BEGUN_MS + note.number + 1000 * note.edits))
    kept = Note(note.id, note.summary, body, "project", tuple(note.lines[0].split()[:2]), *times)
    return note_file_name(note.id), note_text(kept).encode()


def as_journal_entry(note: MadeUpNote) -> tuple[str, bytes]:
    """The note as an iCalendar journal entry, which is what calendar services call a note."""
    text = "\\n".join((note.mark, *note.lines))
    lines = ("BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//sync bench//EN", "BEGIN:VJOURNAL", f"UID:{note.id}")
    entry = ("DTSTAMP:20260910T000000Z", f"SUMMARY:{note.summary}", f"DESCRIPTION:{text}")
    folded = [part for line in (*lines, *entry, "END:VJOURNAL", "END:VCALENDAR") for part in _folded(line)]
    return f"{note.id}.ics", ("\r\n".join(folded) + "\r\n").encode()


def write_notes(folder: Path, notes: Iterable[MadeUpNote], form: Form) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for note in notes:
        name, data = form(note)
        (folder / name).write_bytes(data)


def edit_some(notes: list[MadeUpNote], count: int, turn: int) -> list[MadeUpNote]:
    """Edits notes in the list, others in every turn, and gives the edited ones."""
    step = max(len(notes) // count, 1)
    places = [(at * step + turn) % len(notes) for at in range(count)]
    for place in places:
        notes[place] = notes[place].edited()
    return [notes[place] for place in places]


def marks_in(folder: Path) -> set[str]:
    """The marks of all notes in a folder, whatever their form."""
    texts = (path.read_bytes().decode().replace("\r\n ", "") for path in _files(folder))
    return {mark for text in texts for mark in _MARK.findall(text)}


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))


def _word(chance: random.Random) -> str:
    pairs = (chance.choice(_CONSONANTS) + chance.choice(_VOWELS) for _ in range(chance.randint(1, 4)))
    return "".join(pairs) + chance.choice(("", "n", "s", "r"))


def _lines(chance: random.Random, words: Sequence[str]) -> tuple[str, ...]:
    lines: list[str] = []
    while sum(map(len, lines)) < _BODY_CHARS:
        places = (int(len(words) * chance.random() ** 2.5) for _ in range(chance.randint(8, 14)))
        lines.append(" ".join(words[place] for place in places))
    return tuple(lines)


def _folded(line: str) -> Iterator[str]:
    yield line[:74]
    for at in range(74, len(line), 73):
        yield " " + line[at : at + 73]
