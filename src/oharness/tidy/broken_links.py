"""Links that name no note."""

from collections.abc import Container

from oharness.core.scopes import ScopeKind
from oharness.notes.entry import NoteEntry
from oharness.notes.links import resolve_link
from oharness.tidy.findings import Finding, FindingKind, finding


def broken_link(
    scope: ScopeKind, entry: NoteEntry, project_ids: Container[str], user_ids: Container[str]
) -> Finding | None:
    """The finding about one note, or None when each of its links names a note; links in code are none."""
    missing = [one for one in entry.links if resolve_link(one, project_ids, user_ids) is None]
    return finding(FindingKind.BROKEN_LINK, scope, (entry.id,), missing) if missing else None
