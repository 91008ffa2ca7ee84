"""The list of notes and one note as the page shows them. Blocking."""

from collections.abc import Iterable

from oharness.core.errors import OharnessError
from oharness.core.scopes import ScopeKind
from oharness.disk.note_dir import NoteFile
from oharness.memory.finding import find_note
from oharness.memory.scopes import Memory
from oharness.memory.service import MemoryService
from oharness.memory.sources import searched
from oharness.notes.hashing import content_hash
from oharness.notes.limits import body_bytes
from oharness.notes.links import linked_ids
from oharness.notes.note import Note
from oharness.plugins.memory.page import asked
from oharness.plugins.memory.page.asked import Document, Fields
from oharness.plugins.memory.page.found_words import Sought
from oharness.plugins.memory.page.shelf import ORDERS, Shelf, Shelved
from oharness.recall.score import candidates

PAGE_SIZE = 50
MOST_AT_ONCE = 200
MOST_FOUND = 100
_MOST_TAGS = 6
_LONGEST_QUERY = 1000
_TAG_CHARS = 40
NO_TYPE = "none"
BEST = "best"


def list_document(memory: Memory, shelf: Shelf, fields: Fields) -> Document:
    """One page of the notes that are asked for by `q`, `scope`, `type`, `sort` and `offset`."""
    query = asked.text(fields, "q").strip()[:_LONGEST_QUERY]
    scope, note_type = asked.scope(fields), asked.text(fields, "type")
    order = asked.text(fields, "sort")
    if query:
        found = _found(memory, shelf, query)
        if order in ORDERS:
            keys = {one.key for one in found}
            found = [one for one in shelf.sorted_by(order) if one.key in keys]
    else:
        found = shelf.sorted_by(order)
    wanted = [one for one in found if _is_wanted(one, scope, note_type)]
    offset = asked.number(fields, "offset", 0, 10**6)
    limit = asked.number(fields, "limit", PAGE_SIZE, MOST_AT_ONCE) or PAGE_SIZE
    shown = wanted[offset : offset + limit]
    sought = Sought(query) if query else None
    return {
        "notes": [_found_document(memory, one, sought) if sought else row_document(one) for one in shown],
        "total": len(wanted),
        "all": len(shelf.notes),
        "offset": offset,
        "next": offset + limit if offset + limit < len(wanted) else None,
        "q": query,
        "scope": str(scope or ""),
        "type": note_type,
        "sort": order if order in ORDERS else (BEST if query else ORDERS[0]),
    }


def row_document(one: Shelved) -> Document:
    """A note in a list; of very many tags only some."""
    entry = one.entry
    return {
        "id": entry.id,
        "scope": str(one.scope),
        "summary": entry.summary,
        "type": entry.type,
        "tags": [tag[:_TAG_CHARS] for tag in entry.tags[:_MOST_TAGS]],
        "marks": [],
        "tagMarks": [],
        "excerpt": None,
        "moreTags": max(0, len(entry.tags) - _MOST_TAGS),
        "createdAt": entry.created_at,
        "updatedAt": entry.updated_at,
        "bytes": entry.body_bytes,
        "hash": entry.hash,
    }


def _found_document(memory: Memory, one: Shelved, sought: Sought) -> Document:
    """A note that was searched for: where its summary and tags, and which piece of its body, hold what was sought."""
    row, excerpt = row_document(one), sought.excerpt(_body(memory, one))
    return {
        **row,
        "marks": sought.marks(row["summary"]),
        "tagMarks": [sought.marks(tag) for tag in row["tags"]],
        "excerpt": {"text": excerpt.text, "marks": excerpt.marks} if excerpt else None,
    }


def _body(memory: Memory, one: Shelved) -> str:
    """Empty where the file cannot be read any more: the next look at the folder says so."""
    try:
        file = memory.service(one.scope).folder.read(one.entry.stamp.name)
    except OharnessError:
        return ""
    return file.note.body if isinstance(file, NoteFile) else ""


def note_document(memory: Memory, shelf: Shelf, note_id: str, scope: ScopeKind | None) -> Document:
    """One note as its file says now, with its links both ways.

    Raises: as `find_note`.
    """
    service, file = find_note(memory, note_id, scope)
    note, links = file.note, linked_ids(file.note.body)
    return {
        **version_document(note),
        "id": note.id,
        "scope": str(service.kind),
        "hash": content_hash(note),
        "bytes": body_bytes(note.body),
        "path": str(service.folder.note_path(note.id)),
        "uses": _uses(service, note.id),
        "links": link_documents(shelf, links),
        "linkedFrom": [row_document(one) for one in shelf.linking_to((service.kind, note.id))],
    }


def version_document(note: Note) -> Document:
    """What a version of a note says."""
    return {
        "summary": note.summary,
        "type": note.type,
        "tags": list(note.tags),
        "body": note.body,
        "createdAt": note.created_at,
        "updatedAt": note.updated_at,
    }


def link_documents(shelf: Shelf, note_ids: Iterable[str], scope: ScopeKind | None = None) -> list[Document]:
    """Ids with the scope and the summary of the notes they mean; both are None where there is no such note."""
    found = []
    for note_id in note_ids:
        one = shelf.notes.get((scope, note_id)) if scope else shelf.meant_by(note_id)
        found.append(
            {
                "id": note_id,
                "scope": str(one.scope) if one else None,
                "summary": one.entry.summary if one else None,
            }
        )
    return found


def _found(memory: Memory, shelf: Shelf, query: str) -> list[Shelved]:
    """What `memory search` finds, then notes whose id, summary or tags hold the letters: words are typed one by one."""
    scored = searched(memory, lambda sources: candidates(query, sources, MOST_FOUND))
    keys = [(one.scope, one.entry.id) for one in scored]
    known = [shelf.notes[key] for key in keys if key in shelf.notes]
    if len(known) >= MOST_FOUND:
        return known
    letters, taken = query.casefold().split(), set(keys)
    others = (
        one for one in shelf.sorted_by(ORDERS[0]) if one.key not in taken and all(part in one.head for part in letters)
    )
    return [*known, *others]


def _is_wanted(one: Shelved, scope: ScopeKind | None, note_type: str) -> bool:
    if scope is not None and one.scope is not scope:
        return False
    if not note_type:
        return True
    return one.entry.type is None if note_type == NO_TYPE else one.entry.type == note_type


def _uses(service: MemoryService, note_id: str) -> int:
    return service.uses().get(note_id, 0)
