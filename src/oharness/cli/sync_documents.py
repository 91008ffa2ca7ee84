"""The JSON answers of `oharness sync`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from oharness.core.errors import OharnessError
from oharness.language.catalogue import Catalogue
from oharness.language.sentences import error_sentence

if TYPE_CHECKING:
    from oharness.disk.sync_shapes import Progress
    from oharness.sync.directory import Directory
    from oharness.wiring.sync import ScopeOutcome

NO_PULL: dict[str, list[str]] = {"added": [], "changed": [], "removed": []}


def now_document(outcomes: "Sequence[ScopeOutcome]", words: Catalogue) -> dict[str, Any]:
    """What `sync now` did."""
    return {"scopes": [_outcome(one, words) for one in outcomes]}


def status_document(states: "Sequence[ScopeState]", enabled: bool) -> dict[str, Any]:
    """What `sync status`, `on` and `off` answer: on only when it is on for all, the older of the times."""
    times = [one.progress.last_synced for one in states]
    known = next((one.progress for one in states if one.progress.plan), None)
    limits = None
    if known and known.max_notes is not None:
        limits = {"maxNotes": known.max_notes, "maxBodyBytes": known.max_body_bytes}
    return {
        "enabled": enabled,
        "lastSynced": None if not times or None in times else min(time for time in times if time is not None),
        "scopes": [one.document() for one in states],
        "plan": known.plan if known else None,
        "limits": limits,
    }


class ScopeState:
    """One scope as it stands: switch, last pass, open conflicts, the question it asks."""

    def __init__(self, directory: "Directory", *, enabled: bool) -> None:
        self.kind = directory.scope.kind
        self.enabled = enabled
        self.progress: Progress = directory.state.progress()
        self.paused = directory.state.guard().paused
        self.conflicts = sorted(directory.state.conflicts())

    def document(self) -> dict[str, Any]:
        """The scope in `sync status`."""
        return {
            "scope": str(self.kind),
            "enabled": self.enabled,
            "lastSynced": self.progress.last_synced,
            "error": str(self.paused.reason) if self.paused else self.progress.error or None,
            "conflicts": len(self.conflicts),
        }


def _outcome(one: "ScopeOutcome", words: Catalogue) -> dict[str, Any]:
    report = one.report
    document: dict[str, Any] = {
        "scope": str(one.directory.scope.kind),
        "status": str(report.status) if report else "failed",
        "pulled": NO_PULL,
        "pushed": [],
        "deleted": [],
        "merged": [],
        "conflicts": [],
        "heldBack": [],
        "requests": 0,
        "version": 0,
        "error": error_sentence(one.error, words) if isinstance(one.error, OharnessError) else None,
        "paused": None,
    }
    if report is None:
        return document
    held = [{"id": note_id, "reason": str(reason)} for note_id, reason in sorted(report.held_back.items())]
    paused = report.paused
    return document | {
        "pulled": {"added": report.added, "changed": report.changed, "removed": report.removed},
        "pushed": report.pushed,
        "deleted": report.deleted,
        "merged": report.merged,
        "conflicts": report.conflicts,
        "heldBack": held,
        "requests": report.requests,
        "version": report.version,
        "paused": {"reason": str(paused.reason), "notes": list(paused.note_ids)} if paused else None,
    }
