"""Notes that were neither recalled nor edited for a long time."""

from oharness.core.clock import Millis
from oharness.core.scopes import ScopeKind
from oharness.notes.entry import NoteEntry
from oharness.tidy.findings import Finding, FindingKind, finding

DAY_MS = 86_400_000
_MS_IN_NS = 1_000_000


def unused(
    scope: ScopeKind, entry: NoteEntry, last_recalled: Millis | None, now: Millis, unused_days: int
) -> Finding | None:
    """The finding about one note, or None when it was recalled or edited lately.

    A note that does not say when it was edited was edited when its file was.
    """
    edited = entry.updated_at or entry.created_at or entry.stamp.mtime_ns // _MS_IN_NS
    days = (now - max(edited, last_recalled or 0)) // DAY_MS
    return finding(FindingKind.UNUSED, scope, (entry.id,), (str(days),)) if days >= unused_days else None
