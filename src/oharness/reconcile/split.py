"""A plan's cloud changes in parts that fit the announced quota. No I/O."""

from collections.abc import Iterable, Iterator
from itertools import chain

from oharness.core.jsontext import one_line_json
from oharness.reconcile.work import CloudChange, DeleteNote, PutNote

PART_BYTES = 8 * 1024 * 1024
"""A part stays far below the 96 MiB of a request, so that a broken connection costs little."""

_AROUND_A_NOTE = 600
"""Ids, hashes and keys of one change on the wire, generously."""


def split_changes(
    deletes: Iterable[DeleteNote],
    puts: Iterable[PutNote],
    max_changes: int,
    part_bytes: int = PART_BYTES,
) -> Iterator[tuple[CloudChange, ...]]:
    """The changes in parts of at most `max_changes`, deletions before everything else.

    A part stays below `part_bytes` unless one change alone is larger. Takes from `puts` no more than the next part
    needs, so that they can be read from disk on the way.
    Source: P-36, deletes first, since only applied ones free room.
    """
    part: list[CloudChange] = []
    size = 0
    for change in chain[CloudChange](deletes, puts):
        bytes_more = change_bytes(change)
        if part and (len(part) >= max_changes or size + bytes_more > part_bytes):
            yield tuple(part)
            part, size = [], 0
        part.append(change)
        size += bytes_more
    if part:
        yield tuple(part)


def change_bytes(change: CloudChange) -> int:
    """About how many bytes a change takes on the wire, rather more than fewer."""
    if isinstance(change, DeleteNote):
        return _AROUND_A_NOTE
    note = change.note
    texts = [note.summary, note.body, list(note.tags), dict(note.extra)]
    return _AROUND_A_NOTE + len(one_line_json(texts).encode())
