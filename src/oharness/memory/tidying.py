"""Tidying for page and commands: what a review finds, dismissing it, drafts of a merge, their check, and merging.

All functions block, but for `apply_merge`, which may have to commit to the cloud first: how that is done is a function
that whoever puts the program together passes in, since the memory knows no sync.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from oharness.core.errors import NotFound, Refused, WrongUsage
from oharness.core.scopes import Scope, ScopeKind
from oharness.disk.dismissals import Dismissals
from oharness.disk.merge_journal import MergeJournal
from oharness.disk.note_dir import NoteFile
from oharness.memory.credential_gate import refuse_credentials
from oharness.memory.finding import find_note
from oharness.memory.known_entries import KnownEntries, NoteIds
from oharness.memory.merging import merge_here
from oharness.memory.project_files import ProjectFiles
from oharness.memory.restoring import Restored, restore_backup
from oharness.memory.scopes import Memory
from oharness.memory.service import MemoryService
from oharness.notes.batch import NoteBatch, NotesChanged
from oharness.notes.entry import NoteEntry
from oharness.notes.hashing import content_hash
from oharness.notes.limits import NoteTooLarge, body_bytes
from oharness.notes.note import Note
from oharness.tidy.body_facts import BodyFacts, body_facts
from oharness.tidy.dismissals import dismissal_of
from oharness.tidy.findings import Finding
from oharness.tidy.merge_check import MergeCheck, MissingFact
from oharness.tidy.merge_draft import (
    DRAFT_SCHEMA,
    INSTRUCTIONS,
    MergeDraft,
    draft_from_reply,
    draft_question,
    joined_draft,
)
from oharness.tidy.merge_plan import MergePlan, TooFewToMerge, merge_plan, merged_tags, oldest_first
from oharness.tidy.review import Review, ScopeLook


@dataclass(eq=False)
class NoSuchFinding(NotFound):
    """No finding has that id now."""

    finding_id: str


@dataclass(eq=False)
class NotOneScope(WrongUsage):
    """The notes to merge are not all in one scope."""

    note_ids: tuple[str, ...]


@dataclass(eq=False)
class FactsMissing(Refused):
    """The merged text lacks facts of the originals (`missing`, as written there), and nobody accepted that."""

    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Originals:
    """The notes of a merge as they are now, the oldest first, and the content hash of each."""

    scope: Scope
    notes: tuple[Note, ...]
    hashes: Mapping[str, str]

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(note.id for note in self.notes)

    @property
    def kept(self) -> str:
        """The id of the oldest, which stays."""
        return self.notes[0].id


@dataclass(frozen=True, slots=True)
class Checked:
    """A draft held against its originals. `fully_covered` is what a merge that nobody looks at needs.

    `uncovered` are sentences that it lacks in substance, where no fact is missing.

    `bytes` of the body are allowed up to `limit_bytes`, what this machine and the sync service take as far as known.
    """

    summary: str
    body: str
    tags: tuple[str, ...]
    type: str | None
    missing: tuple[MissingFact, ...]
    fully_covered: bool
    bytes: int
    limit_bytes: int
    uncovered: tuple[MissingFact, ...] = ()


@dataclass(frozen=True, slots=True)
class DraftQuestion:
    """What a small model is asked for a draft; its answer goes to `draft_from_reply`."""

    system: str
    text: str
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PlannedMerge:
    """A merge that is ready to be applied."""

    scope: Scope
    plan: MergePlan
    missing: tuple[MissingFact, ...]


@dataclass(frozen=True, slots=True)
class Merged:
    """What a merge did. `undo_merge` with `backups` takes all of it back; `left` were edited at the same moment."""

    scope: ScopeKind
    kept: str
    deleted: tuple[str, ...]
    relinked: tuple[str, ...]
    backups: tuple[str, ...]
    missing: tuple[MissingFact, ...]
    left: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Committed:
    """What was written here after the cloud had accepted a batch."""

    backups: tuple[str, ...]
    left: tuple[str, ...] = ()


Committer = Callable[[Scope, NoteBatch], Awaitable[Committed | None]]
"""Commits a batch to the cloud and then writes it here; gives None, with nothing done, where the scope does not sync.

Raises what refuses the merge: another device changed a note, the service cannot be reached, the body is too large.
"""

ServiceLimit = Callable[[Scope], int | None]
"""The largest body that the sync service takes, as last announced; None when that is not known."""


async def never_commit(scope: Scope, batch: NoteBatch) -> None:
    """The committer of a machine that does not sync."""


def _no_limit(scope: Scope) -> int | None:
    return None


class Tidying:
    """Tidying of an open memory. Keeps what it found out, so that the next review looks only at what changed."""

    def __init__(self, memory: Memory, service_limit: ServiceLimit = _no_limit) -> None:
        self.memory = memory
        self._service_limit = service_limit
        self._review = Review()
        self._known = {service.kind: KnownEntries(service) for service in memory.services()}

    # --- the review

    def findings(self) -> list[Finding]:
        """What there is to tidy, after a look at the files, without what was dismissed.

        Raises: StorageFailed, DirectoryRedirected, BrokenFile.
        """
        self.memory.refresh()
        return self.review()

    def review(self) -> list[Finding]:
        """The same as of the last look at the files.

        Raises: StorageFailed, BrokenFile.
        """
        memory = self.memory
        looks = [self._look(service) for service in memory.services()]
        return self._review.findings(looks, memory.around.clock.now_ms(), memory.settings.consolidate.unused_days)

    def finding(self, finding_id: str) -> Finding:
        """One of them.

        Raises: NoSuchFinding, and as `findings`.
        """
        found = next((one for one in self.findings() if one.id == finding_id), None)
        if found is None:
            raise NoSuchFinding(finding_id)
        return found

    def dismiss(self, finding_id: str) -> Finding:
        """Hides a finding until one of its notes is edited.

        Raises: NoSuchFinding; StorageFailed, BrokenFile, FolderBusy.
        """
        found = self.finding(finding_id)
        service = self.memory.service(found.scope)
        hashes = {entry.id: entry.hash for entry in service.entries()}
        self._dismissals(service).keep(dismissal_of(found, hashes), hashes)
        return found

    # --- drafts and their check

    def originals(self, note_ids: Sequence[str], scope: ScopeKind | None = None) -> Originals:
        """The notes of these ids, all in one scope: the given one, else the project's before the user's.

        Raises: TooFewToMerge, NotOneScope, NoteNotFound, NotANote, StorageFailed.
        """
        ids = tuple(dict.fromkeys(note_ids))
        if len(ids) < 2:
            raise TooFewToMerge
        service = self._scope_of(ids, scope)
        service.refresh()
        notes = tuple(oldest_first(service.get(note_id) for note_id in ids))
        return Originals(service.scope, notes, {note.id: content_hash(note) for note in notes})

    def joined(self, originals: Originals, summary: str | None = None) -> Checked:
        """The draft that joins every original together, with the oldest's summary unless one is given."""
        return self.check(originals, joined_draft(originals.notes, summary))

    def question(self, originals: Originals) -> DraftQuestion:
        """What to ask a small model for a draft.

        Raises: CredentialFound when one of the notes holds what no model may see.
        """
        for note in originals.notes:
            refuse_credentials(note)
        return DraftQuestion(INSTRUCTIONS, draft_question(originals.notes), DRAFT_SCHEMA)

    def answered(self, originals: Originals, reply: str) -> Checked:
        """The draft in a model's answer.

        Raises: DraftUnusable, CredentialFound; NoteTooLarge when it is over the limit.
        """
        checked = self.check(originals, draft_from_reply(reply, originals.notes))
        if checked.bytes > checked.limit_bytes:
            raise NoteTooLarge(originals.kept, checked.bytes, checked.limit_bytes)
        return checked

    def check(self, originals: Originals, draft: MergeDraft) -> Checked:
        """A draft of anybody's held against the originals: what it lacks, and whether it fits."""
        oldest, *rest = originals.notes
        tags = merged_tags(originals.notes)
        check = MergeCheck(originals.notes, {note.id: oldest.id for note in rest})
        missing = check.missing(draft.summary, draft.body, tags)
        is_whole = not missing and check.is_fully_covered(draft.summary, draft.body, tags)
        return Checked(
            summary=draft.summary,
            body=draft.body,
            tags=tags,
            type=oldest.type,
            missing=missing,
            fully_covered=is_whole,
            bytes=body_bytes(draft.body),
            limit_bytes=self._limit(originals.scope),
            uncovered=() if missing or is_whole else check.uncovered(draft.summary, draft.body, tags),
        )

    # --- merging

    def plan(
        self,
        originals: Originals,
        draft: MergeDraft,
        *,
        accept_loss: bool = False,
        seen: Mapping[str, str] | None = None,
    ) -> PlannedMerge:
        """The merge of these notes with the draft as their text.

        `seen` are the hashes of the notes that the draft was made from, where that was earlier.
        Raises: NotesChanged; FactsMissing unless the loss is accepted; CredentialFound; as `merge_plan`.
        """
        changed = [n for n in originals.ids if seen is not None and seen.get(n) != originals.hashes[n]]
        if changed:
            raise NotesChanged(tuple(changed))
        checked = self.check(originals, draft)
        if checked.missing and not accept_loss:
            raise FactsMissing(tuple(one.text for one in checked.missing))
        plan = merge_plan(
            originals.notes,
            self._linking(originals),
            draft.summary,
            draft.body,
            self.memory.around.clock.now_ms(),
            self._limit(originals.scope),
        )
        refuse_credentials(plan.kept)
        return PlannedMerge(originals.scope, plan, checked.missing)

    def undo_merge(self, backups: Iterable[str]) -> tuple[Restored, ...]:
        """Takes a merge back: each of its backups goes back to where it came from, what is there now is backed up.

        Raises: as `restore_backup`; what was restored before stays restored, and undoing again does the rest.
        """
        return tuple(restore_backup(self.memory, name) for name in backups)

    def merge_here(self, planned: PlannedMerge) -> Merged:
        """Carries out a merge as an ordinary local edit.

        Raises: NotesChanged, BackupFailed with nothing done; StorageFailed, FolderBusy, BrokenFile.
        """
        service = self._service(planned.scope)
        backups = merge_here(service, planned.plan.batch, self.memory.backups, self._journal(service))
        return _merged(planned, backups)

    def take_in(self, planned: PlannedMerge, committed: Committed) -> Merged:
        """What a merge did that was committed to the cloud first and written here by sync.

        Raises: StorageFailed, DirectoryRedirected.
        """
        service = self._service(planned.scope)
        service.refresh()
        for listener in list(service.listeners):
            listener()
        return _merged(planned, committed.backups, committed.left)

    # --- inside

    def _look(self, service: MemoryService) -> ScopeLook:
        exists = None
        if service.kind is ScopeKind.PROJECT and self.memory.root is not None:
            exists = ProjectFiles(self.memory.around.files, self.memory.root, service.folder.path).exists
        entries = self._known[service.kind].now()
        return ScopeLook(
            scope=service.kind,
            entries=entries,
            ids=NoteIds(service, entries),
            last_recalled={note_id: usage.last_recalled for note_id, usage in service.usage.counts().items()},
            dismissals=self._dismissals(service).all(),
            read_facts=lambda entry: _facts(service, entry),
            exists=exists,
        )

    def _scope_of(self, ids: Sequence[str], scope: ScopeKind | None) -> MemoryService:
        services = [self.memory.service(scope)] if scope is not None else self.memory.services()
        for service in services:
            if all(note_id in service.ids() for note_id in ids):
                return service
        for note_id in ids:
            find_note(self.memory, note_id, scope)
        raise NotOneScope(tuple(ids))

    def _service(self, scope: Scope) -> MemoryService:
        return self.memory.service(scope.kind)

    def _linking(self, originals: Originals) -> list[Note]:
        """The other notes of the scope with a link to one of those that go; the not loaded ones are read to see."""
        service = self._service(originals.scope)
        going = set(originals.ids[1:])
        loaded = {entry.id: entry for entry in service.entries()}
        wanted = [n for n, entry in loaded.items() if going.intersection(entry.links)]
        wanted += [note_id for note_id in service.ids() if note_id not in loaded]
        found = (service.read(note_id) for note_id in wanted if note_id not in originals.hashes)
        return [one.note for one in found if isinstance(one, NoteFile)]

    def _limit(self, scope: Scope) -> int:
        announced = self._service_limit(scope)
        own = self.memory.settings.max_note_bytes
        return own if announced is None else min(own, announced)

    def _dismissals(self, service: MemoryService) -> Dismissals:
        return Dismissals(self.memory.around.files, self.memory.around.home, service.scope)

    def _journal(self, service: MemoryService) -> MergeJournal:
        return MergeJournal(self.memory.around.files, self.memory.around.home, service.folder.path)


async def apply_merge(tidying: Tidying, planned: PlannedMerge, commit: Committer = never_commit) -> Merged:
    """Carries out a merge: in the cloud first where the scope syncs, else here.

    Raises: what the committer raises, with nothing done; as `Tidying.merge_here`.
    """
    committed = await commit(planned.scope, planned.plan.batch)
    if committed is None:
        return await asyncio.to_thread(tidying.merge_here, planned)
    return await asyncio.to_thread(tidying.take_in, planned, committed)


def _merged(planned: PlannedMerge, backups: tuple[str, ...], left: tuple[str, ...] = ()) -> Merged:
    plan = planned.plan
    return Merged(planned.scope.kind, plan.kept.id, plan.deleted, plan.relinked, backups, planned.missing, left)


def _facts(service: MemoryService, entry: NoteEntry) -> BodyFacts | None:
    """The facts of the version that the entry is of; a file that changed since is read after the next look."""
    found = service.folder.read(entry.stamp.name)
    if not isinstance(found, NoteFile) or (found.stamp.mtime_ns, found.stamp.size) != entry.stamp[1:3]:
        return None
    return body_facts(found.note.body)
