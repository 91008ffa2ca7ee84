"""What has to hold of every manifest that is stored, from the bytes alone."""

import json
from collections.abc import Container
from dataclasses import dataclass, field
from typing import Any

from oharness.testing.world.trace import Trace


class CloudBroken(AssertionError):
    """A manifest was stored that must not be."""


@dataclass(slots=True)
class CloudWatch:
    """`objects` are the keys that the store has; `applied` are the commits that changed something in this epoch.

    `faults` is what was wrong so far.
    """

    trace: Trace
    objects: Container[str] = ()
    last: dict[str, dict[str, Any]] = field(default_factory=dict)
    revisions: set[tuple[str, str]] = field(default_factory=set)
    applied: set[tuple[str, str]] = field(default_factory=set)
    faults: list[str] = field(default_factory=list)

    def set_back(self) -> None:
        """The storage is another one now: what was before counts no more."""
        self.last.clear()
        self.revisions.clear()
        self.applied.clear()

    def manifest_written(self, key: str, value: bytes) -> None:
        """Raises CloudBroken when the manifest is not a good successor of the last one, and keeps why."""
        try:
            self._check(key, value)
        except CloudBroken as broken:  # the service makes a 500 of it
            self.faults.append(str(broken))
            raise

    def _check(self, key: str, value: bytes) -> None:
        manifest = json.loads(value)
        before = self.last.get(key, {"epoch": manifest["epoch"], "version": 0})
        self._check_version(before, manifest)
        for kind in ("notes", "tombstones"):
            for note_id, entry in manifest[kind].items():
                if entry != before.get(kind, {}).get(note_id):
                    self._check_entry(key, kind, note_id, entry, before, manifest)
        self._check_commits(before, manifest)
        self.last[key] = manifest
        self.trace.say("store", f"  manifest {manifest['version']} of {len(manifest['notes'])} notes")

    def _check_version(self, before: dict[str, Any], manifest: dict[str, Any]) -> None:
        if manifest["epoch"] == before["epoch"] and manifest["version"] <= before["version"]:
            raise CloudBroken(f"version {manifest['version']} follows {before['version']} in one epoch")
        if manifest.get("horizon", 0) < before.get("horizon", 0):
            raise CloudBroken("the horizon went back")

    def _check_entry(
        self, key: str, kind: str, note_id: str, entry: Any, before: dict[str, Any], manifest: dict[str, Any]
    ) -> None:
        revision = entry["revision"]
        if not before["version"] < entry["seq"] <= manifest["version"]:
            raise CloudBroken(f"{note_id} changed in {manifest['version']} and says {entry['seq']}")
        if (note_id, revision) in self.revisions:
            raise CloudBroken(f"revision {revision} of {note_id} was applied twice")
        self.revisions.add((note_id, revision))
        body = f"{key.removesuffix('manifest.json')}objects/{note_id}/{revision}.md"
        if kind == "notes" and body not in self.objects:
            raise CloudBroken(f"{note_id} is listed and its body is not there")

    def _check_commits(self, before: dict[str, Any], manifest: dict[str, Any]) -> None:
        for device, entry in manifest["devices"].items():
            commit = device, entry["commitId"]
            if entry != before.get("devices", {}).get(device):
                if commit in self.applied:
                    raise CloudBroken(f"commit {commit} was applied twice")
                self.applied.add(commit)
