"""Bodies too long to be one note."""

from oharness.core.scopes import ScopeKind
from oharness.tidy.findings import Finding, FindingKind, finding

LONGEST_BODY = 8000
"""Characters of a body; beyond them it is listed."""


def too_long(scope: ScopeKind, note_id: str, characters: int) -> Finding | None:
    """The finding about one note, or None when its body is not too long."""
    if characters <= LONGEST_BODY:
        return None
    return finding(FindingKind.TOO_LONG, scope, (note_id,), (str(characters),))
