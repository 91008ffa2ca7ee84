"""Files that cannot be notes, and what else people should know of their memory. Blocking."""

from oharness.core.errors import OharnessError
from oharness.core.scopes import ScopeKind
from oharness.memory.reading import Problem
from oharness.memory.scopes import Memory
from oharness.notes.ids import is_note_id
from oharness.plugins.memory.page.asked import Document
from oharness.plugins.memory.page.shelf import Shelf
from oharness.plugins.memory.page.syncing import Syncing
from oharness.reconcile.baseline import AgreedOn

MOST_LISTED = 100


def problems_document(memory: Memory, syncing: Syncing, shelf: Shelf) -> Document:
    """The problem files with their reasons, and the warnings. `mendable` is the id of a note that was once in sync."""
    return {
        "problems": [
            {
                "path": str(one.path),
                "name": one.path.name,
                "scope": str(one.scope),
                "reason": str(one.reason),
                "mendable": _mendable(syncing, one),
            }
            for one in shelf.problems[:MOST_LISTED]
        ],
        "count": len(shelf.problems),
        "warnings": [
            {"key": warning.key, "fields": {name: str(value) for name, value in warning.fields.items()}}
            for warning in memory.warnings()
        ],
    }


def _mendable(syncing: Syncing, problem: Problem) -> str:
    """The note's id where a version last synced could take the place of the file."""
    note_id, directory = problem.path.stem, syncing.directory(ScopeKind(problem.scope))
    if directory is None or problem.path.suffix != ".md" or not is_note_id(note_id):
        return ""
    try:
        baseline = directory.state.baseline()
        is_known = note_id in directory.state.conflicts()
    except OharnessError:
        return ""
    is_known = is_known or (baseline is not None and isinstance(baseline.entry(note_id).agreed, AgreedOn))
    return note_id if is_known else ""
