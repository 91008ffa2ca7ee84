"""Keeps credentials out of what is written, and out of what is shown to a model."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from oharness.core.errors import Refused
from oharness.core.jsontext import one_line_json
from oharness.core.scopes import ScopeKind
from oharness.notes.credentials import find_credentials
from oharness.notes.entry import NoteEntry
from oharness.notes.note import Note

_SHORTEST_INDEX_LINE = 8


@dataclass(eq=False)
class CredentialFound(Refused):
    """`part` of a note (id, summary, body, tags or extra keys) holds what looks like a `kind`, in this line from 1.

    Never carries the value itself.
    """

    note_id: str
    part: str
    line: int
    kind: str


def refuse_credentials(note: Note) -> None:
    """Returns when no part of the note holds a credential.

    Raises: CredentialFound.
    """
    found = first_credential(note)
    if found is not None:
        raise found


def first_credential(note: Note) -> CredentialFound | None:
    """Where the note holds what looks like a credential, for the first part that does."""
    for part, text in _parts(note):
        for finding in find_credentials(text):
            return CredentialFound("" if part == "id" else note.id, part, finding.line, finding.kind)
    return None


def head_is_clean(entry: NoteEntry) -> bool:
    """Whether a note's summary and tags can be shown to a model."""
    return not find_credentials(f"{entry.id}\n{entry.summary}\n{' '.join(entry.tags)}")


def without_credentials(
    entries: Iterable[tuple[ScopeKind, NoteEntry]], shown_chars: int
) -> list[tuple[ScopeKind, NoteEntry]]:
    """The entries without those whose own index line would show a credential.

    Only as many of the latest are looked at as so many characters of the index could show.
    """
    latest = sorted(entries, key=lambda one: (-one[1].updated_at, one[0], one[1].id))
    reach = shown_chars // _SHORTEST_INDEX_LINE + 1
    kept: list[tuple[ScopeKind, NoteEntry]] = []
    for one in latest:
        if len(kept) >= reach or head_is_clean(one[1]):
            kept.append(one)
    return kept


def _parts(note: Note) -> Iterator[tuple[str, str]]:
    yield "id", note.id
    yield "summary", note.summary
    yield "body", note.body
    yield "tags", " ".join(note.tags)
    if note.extra:
        yield "extra", one_line_json(dict(note.extra))
