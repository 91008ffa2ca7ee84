"""The JSON answers of `oharness sync`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from oharness.cli.exit_codes import error_code
from oharness.core.scopes import ScopeKind
from oharness.language.catalogue import Catalogue
from oharness.language.sentences import error_sentence

if TYPE_CHECKING:
    from oharness.notes.note import Note
    from oharness.reconcile.conflict import Conflict
    from oharness.sync.resolve import Resolved
    from oharness.sync.status import ScopeStatus, SyncStatus
    from oharness.wiring.sync import ScopeOutcome


def now_document(outcomes: "Sequence[ScopeOutcome]", words: Catalogue) -> dict[str, Any]:
    """What `sync now` did."""
    return {"scopes": [_outcome(one, words) for one in outcomes]}


def status_document(status: "SyncStatus") -> dict[str, Any]:
    """What `sync status`, `on` and `off` answer."""
    plan = status.plan
    limits = None
    if plan is not None and plan.max_notes is not None:
        limits = {"maxNotes": plan.max_notes, "maxBodyBytes": plan.max_body_bytes}
    return {
        "enabled": status.enabled,
        "lastSynced": status.last_synced,
        "scopes": [_scope(one) for one in status.scopes],
        "plan": plan.name if plan else None,
        "limits": limits,
    }


def conflicts_document(status: "SyncStatus") -> dict[str, Any]:
    """The open conflicts with their three versions; null where a side has none."""
    return {
        "conflicts": [
            _conflict(conflict, str(scope.scope.kind)) for scope in status.scopes for conflict in scope.conflicts
        ]
    }


def resolved_document(done: "Resolved", scope: ScopeKind, kept: str, left: "SyncStatus") -> dict[str, Any]:
    """What `sync resolve` did, and the conflicts that are still open."""
    resolved = {
        "id": done.id,
        "scope": str(scope),
        "kept": kept,
        "beside": done.beside,
        "backups": list(done.backups),
    }
    return conflicts_document(left) | {"resolved": resolved}


def _scope(one: "ScopeStatus") -> dict[str, Any]:
    return {
        "scope": str(one.scope.kind),
        "enabled": one.enabled,
        "lastSynced": one.last_synced,
        "error": _what_is_wrong(one),
        "conflicts": len(one.conflicts),
    }


def _what_is_wrong(one: "ScopeStatus") -> str | None:
    if one.elsewhere is not None:
        return error_code(type(one.elsewhere).__name__)
    return str(one.paused.reason) if one.paused else error_code(one.error) or None


def _conflict(conflict: "Conflict", scope: str) -> dict[str, Any]:
    return {
        "id": conflict.id,
        "scope": scope,
        "reason": ", ".join(str(reason) for reason in conflict.reasons),
        "base": _version(conflict.base),
        "mine": _version(conflict.mine),
        "cloud": _version(conflict.cloud.note if conflict.cloud else None),
    }


def _version(note: "Note | None") -> dict[str, Any] | None:
    if note is None:
        return None
    return {
        "summary": note.summary,
        "type": note.type,
        "tags": list(note.tags),
        "body": note.body,
        "createdAt": note.created_at,
        "updatedAt": note.updated_at,
    }


def _outcome(one: "ScopeOutcome", words: Catalogue) -> dict[str, Any]:
    report = one.report
    document: dict[str, Any] = {
        "scope": str(one.directory.scope.kind),
        "status": str(report.status) if report else "failed",
        "pulled": {"added": [], "changed": [], "removed": []},
        "pushed": [],
        "deleted": [],
        "merged": [],
        "conflicts": [],
        "heldBack": [],
        "requests": 0,
        "version": 0,
        "error": error_sentence(one.error, words) if one.error is not None else None,
        "paused": None,
        "cloudReset": False,
    }
    if report is None:
        return document
    paused = report.paused
    return document | {
        "pulled": {
            "added": sorted(report.added),
            "changed": sorted(report.changed),
            "removed": sorted(report.removed),
        },
        "pushed": sorted(report.pushed),
        "deleted": sorted(report.deleted),
        "merged": sorted(report.merged),
        "conflicts": sorted(report.conflicts),
        "heldBack": [{"id": note_id, "reason": str(why)} for note_id, why in sorted(report.held_back.items())],
        "requests": report.requests,
        "version": report.version,
        "paused": {"reason": str(paused.reason), "notes": list(paused.note_ids)} if paused else None,
        "cloudReset": report.cloud_was_reset,
    }
