"""What becomes of a commit, given the manifest: every rule of P-30 to P-36 that needs no store. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import msgspec

from oharness.core.clock import Millis
from oharness.notes.hashing import content_hash
from oharness.notes.ids import is_note_id
from oharness.notes.limits import body_bytes
from oharness.notes.valid import LONGEST_SUMMARY, problem_of
from oharness.protocol.commit import (
    Change,
    ChangeResult,
    ChangeStatus,
    CommitRequest,
    CurrentEntry,
    Delete,
    Put,
    read_result,
    result_shape,
)
from oharness.protocol.errors import ErrorCode
from oharness.protocol.strict_json import NotThisShape
from oharness.protocol.values import Revision
from oharness.syncserver.manifest import (
    MAX_PREV,
    MAX_RECENT,
    DeviceEntry,
    Manifest,
    ManifestUnreadable,
    NoteEntry,
    TombstoneEntry,
    Writer,
    listed_note,
    listed_tombstone,
    same_epoch,
)
from oharness.syncserver.quotas import Allowance, refused_count, refused_size
from oharness.syncserver.tombstones import drop_old_tombstones, drop_silent_devices


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What a judgement depends on besides manifest and commit.

    `revision_suffixes` names positions whose first object key was taken (P-35). A device of "" is an old client's
    and is not recorded.
    """

    allowance: Allowance
    now: Millis
    new_epoch: str
    old_epoch: str
    refusal_of: Callable[[int], ErrorCode | None]
    revision_suffixes: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Replayed:
    """The commit was applied before; its results as they were."""

    previous_version: int
    version: int
    results: tuple[ChangeResult, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """One result per change; `manifest` is the one to write, or the same object when nothing changed."""

    manifest: Manifest
    previous_version: int
    results: tuple[ChangeResult, ...]


@dataclass(frozen=True, slots=True)
class CommitRefused:
    """Nothing of the commit is applied."""

    code: ErrorCode
    note_id: str | None = None


Verdict: TypeAlias = Replayed | Judged | CommitRefused


def judge(manifest: Manifest, commit: CommitRequest, circumstances: Circumstances) -> Verdict:
    """What becomes of the commit: a known one first, then epoch and size, then change by change.

    Raises: ManifestUnreadable for recorded results that are none.
    """
    known = manifest.devices.get(commit.device)
    if known is not None and known.commit_id == commit.commit_id:
        return Replayed(known.previous_version, known.version, _kept_results(known))
    if not same_epoch(manifest, commit.epoch, circumstances.old_epoch):
        return CommitRefused(ErrorCode.EPOCH_CHANGED)
    if len(commit.changes) > circumstances.allowance.quota.max_changes:
        return CommitRefused(ErrorCode.TOO_MANY_CHANGES)
    if commit.strict and commit.version != manifest.version:
        return CommitRefused(ErrorCode.MANIFEST_CHANGED)
    draft = _Draft(manifest, commit, circumstances)
    results = draft.judge_all()
    if commit.strict and (refused := _strict_refusal(results)) is not None:
        return refused
    if not draft.changed:
        return Judged(manifest, manifest.version, results)
    return Judged(draft.finished(results), manifest.version, results)


def first_refusal(change: Change) -> ErrorCode | None:
    """Why a change can never be accepted, whatever the manifest says."""
    if not is_note_id(change.id):
        return ErrorCode.INVALID_NOTE
    if isinstance(change, Delete):
        return None
    if change.note.id != change.id or len(change.note.summary) > LONGEST_SUMMARY:
        return ErrorCode.INVALID_NOTE
    if problem_of(change.note) is not None:
        return ErrorCode.INVALID_NOTE
    return None if content_hash(change.note) == change.hash else ErrorCode.HASH_MISMATCH


def revision_stem(commit_id: str, position: int) -> str:
    """What the revision of a change begins with, so that a repeated commit finds its own (P-31, P-35)."""
    return f"{commit_id.replace('-', '')}-{position}"


def revision_of(commit_id: str, position: int, suffixes: Mapping[int, str]) -> Revision:
    """The revision that a change gives its note."""
    stem = revision_stem(commit_id, position)
    suffix = suffixes.get(position)
    return Revision(stem if suffix is None else f"{stem}-{suffix}")


def tidied(manifest: Manifest, now: Millis, window_days: int, nonce: str, format_: int) -> Manifest:
    """The manifest as it is written: old tombstones and silent devices dropped, with a nonce of its own (P-40)."""
    kept = drop_old_tombstones(manifest.tombstones, manifest.horizon, now, window_days)
    return msgspec.structs.replace(
        manifest,
        format=format_,
        tombstones=kept.tombstones,
        horizon=kept.horizon,
        devices=drop_silent_devices(manifest.devices, now),
        nonce=nonce,
    )


def _kept_results(entry: DeviceEntry) -> tuple[ChangeResult, ...]:
    try:
        return tuple(read_result(result) for result in entry.results)
    except NotThisShape as error:
        raise ManifestUnreadable(str(error)) from error


def _strict_refusal(results: tuple[ChangeResult, ...]) -> CommitRefused | None:
    for result in results:
        if result.status is ChangeStatus.REFUSED and result.code is not None:
            return CommitRefused(result.code, result.id)
    if all(result.status in (ChangeStatus.APPLIED, ChangeStatus.UNCHANGED) for result in results):
        return None
    return CommitRefused(ErrorCode.MANIFEST_CHANGED)


class _Draft:
    """One commit on its way into a manifest: deletes first, so that they free room and names (P-36)."""

    def __init__(self, manifest: Manifest, commit: CommitRequest, circumstances: Circumstances) -> None:
        self._before = manifest
        self._commit = commit
        self._circumstances = circumstances
        self._notes = dict(manifest.notes)
        self._tombstones = dict(manifest.tombstones)
        self._names: dict[str, str] | None = None
        self._seq = manifest.version + 1
        self.changed = False

    def judge_all(self) -> tuple[ChangeResult, ...]:
        results: dict[int, ChangeResult] = {}
        for wanted in (Delete, Put):
            for position, change in enumerate(self._commit.changes):
                if isinstance(change, wanted):
                    results[position] = self._judge_one(position, change)
        return tuple(results[position] for position in range(len(self._commit.changes)))

    def finished(self, results: tuple[ChangeResult, ...]) -> Manifest:
        before, commit = self._before, self._commit
        devices = dict(before.devices)
        if commit.device:
            devices[commit.device] = DeviceEntry(
                commit_id=commit.commit_id,
                version=self._seq,
                previous_version=before.version,
                results=tuple(result_shape(result) for result in results),
                at=self._circumstances.now,
            )
        return msgspec.structs.replace(
            before,
            epoch=before.epoch or self._circumstances.new_epoch,
            version=self._seq,
            written_by=Writer(commit.device, commit.commit_id),
            devices=devices,
            notes=self._notes,
            tombstones=self._tombstones,
        )

    def _judge_one(self, position: int, change: Change) -> ChangeResult:
        refusal = self._circumstances.refusal_of(position)
        if refusal is not None:
            return self._refused(change.id, refusal)
        earlier = self._earlier_sending(position, change.id)
        if earlier is not None:
            return earlier
        match change:
            case Put():
                return self._put(position, change)
            case Delete():
                return self._delete(position, change)

    def _put(self, position: int, put: Put) -> ChangeResult:
        live, tombstone = self._notes.get(put.id), self._tombstones.get(put.id)
        if live is not None and live.hash == put.hash:
            return _result(put.id, ChangeStatus.UNCHANGED, live)
        if tombstone is not None and put.base is None and not put.fresh and _knows(tombstone, put.hash):
            return self._not_applied(put.id, ChangeStatus.STALE_DELETED)
        present = live or tombstone
        if (present.revision if present else None) != put.base_revision:
            return self._not_applied(put.id, ChangeStatus.MISMATCH)
        size = body_bytes(put.note.body)
        refusal = self._growth_refusal(put.id, size, live)
        if refusal is not None:
            return self._refused(put.id, refusal)
        revision = self._revision(position)
        entry = NoteEntry(
            hash=put.hash,
            revision=revision,
            seq=self._seq,
            bytes=size,
            updated_at=put.note.updated_at,
            prev=_with_latest(present.prev, present.hash) if present else (),
            recent=_with_newest(present, revision),
        )
        self._keep(put.id, entry)
        return _result(put.id, ChangeStatus.APPLIED, entry)

    def _delete(self, position: int, delete: Delete) -> ChangeResult:
        live = self._notes.get(delete.id)
        if live is None:
            return _result(delete.id, ChangeStatus.UNCHANGED, self._tombstones.get(delete.id))
        if live.revision != delete.base_revision:
            return self._not_applied(delete.id, ChangeStatus.MISMATCH)
        revision = self._revision(position)
        tombstone = TombstoneEntry(
            seq=self._seq,
            revision=revision,
            hash=live.hash,
            prev=live.prev,
            deleted_at=self._circumstances.now,
            recent=_with_newest(live, revision),
        )
        self._bury(delete.id, tombstone)
        return _result(delete.id, ChangeStatus.APPLIED, tombstone)

    def _earlier_sending(self, position: int, note_id: str) -> ChangeResult | None:
        """A change whose revision the entry remembers was applied by an earlier sending of this commit."""
        present = self._notes.get(note_id) or self._tombstones.get(note_id)
        if present is None or not present.recent:
            return None
        stem = revision_stem(self._commit.commit_id, position)
        for revision in present.recent:
            if revision == stem or revision.startswith(stem + "-"):
                if revision == present.revision:
                    return _result(note_id, ChangeStatus.APPLIED, present)
                superseded = self._not_applied(note_id, ChangeStatus.SUPERSEDED)
                return replace(superseded, revision=Revision(revision))
        return None

    def _growth_refusal(self, note_id: str, size: int, live: NoteEntry | None) -> ErrorCode | None:
        allowance = self._circumstances.allowance
        if live is not None:
            return refused_size(size, live.bytes, allowance)
        if self._live_names().get(note_id.lower(), note_id) != note_id:
            return ErrorCode.ID_CASE_COLLISION
        return refused_size(size, 0, allowance) or refused_count(
            len(self._notes) + 1, len(self._before.notes), allowance
        )

    def _live_names(self) -> dict[str, str]:
        if self._names is None:
            self._names = {note_id.lower(): note_id for note_id in self._notes}
        return self._names

    def _keep(self, note_id: str, entry: NoteEntry) -> None:
        self._tombstones.pop(note_id, None)
        self._notes[note_id] = entry
        if self._names is not None:
            self._names[note_id.lower()] = note_id
        self.changed = True

    def _bury(self, note_id: str, tombstone: TombstoneEntry) -> None:
        del self._notes[note_id]
        self._tombstones[note_id] = tombstone
        self._names = None
        self.changed = True

    def _revision(self, position: int) -> Revision:
        return revision_of(self._commit.commit_id, position, self._circumstances.revision_suffixes)

    def _not_applied(self, note_id: str, status: ChangeStatus) -> ChangeResult:
        return ChangeResult(note_id, status, current=self._current(note_id))

    def _refused(self, note_id: str, code: ErrorCode) -> ChangeResult:
        return ChangeResult(note_id, ChangeStatus.REFUSED, current=self._current(note_id), code=code)

    def _current(self, note_id: str) -> CurrentEntry | None:
        live, tombstone = self._notes.get(note_id), self._tombstones.get(note_id)
        if live is not None:
            return listed_note(note_id, live)
        return None if tombstone is None else listed_tombstone(note_id, tombstone)


def _result(note_id: str, status: ChangeStatus, entry: NoteEntry | TombstoneEntry | None) -> ChangeResult:
    if entry is None:
        return ChangeResult(note_id, status)
    return ChangeResult(note_id, status, entry.hash, Revision(entry.revision), entry.seq)


def _knows(tombstone: TombstoneEntry, content: str) -> bool:
    return content == tombstone.hash or content in tombstone.prev


def _with_newest(present: NoteEntry | TombstoneEntry | None, revision: Revision) -> tuple[str, ...]:
    before = present.recent if present else ()
    return (*before, revision)[-MAX_RECENT:]


def _with_latest(prev: tuple[str, ...], latest: str) -> tuple[str, ...]:
    return (*(one for one in prev if one != latest), latest)[-MAX_PREV:]
