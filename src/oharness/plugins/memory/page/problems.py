"""Files that cannot be notes, and what else people should know of their memory. Blocking."""

from oharness.memory.scopes import Memory
from oharness.plugins.memory.page.asked import Document
from oharness.plugins.memory.page.shelf import Shelf

MOST_LISTED = 100


def problems_document(memory: Memory, shelf: Shelf) -> Document:
    """The problem files with their reasons, and the warnings."""
    return {
        "problems": [
            {"path": str(one.path), "name": one.path.name, "scope": str(one.scope), "reason": str(one.reason)}
            for one in shelf.problems[:MOST_LISTED]
        ],
        "count": len(shelf.problems),
        "warnings": [
            {"key": warning.key, "fields": {name: str(value) for name, value in warning.fields.items()}}
            for warning in memory.warnings()
        ],
    }
