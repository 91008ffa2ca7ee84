"""The parts of the Memory page and what its buttons do. Answers are plain values; sentences are the host's part."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from oharness.core.errors import NotFound, OharnessError
from oharness.core.scopes import ScopeKind
from oharness.language.catalogue import msg
from oharness.memory.everywhere import after_a_pass, forget_everywhere
from oharness.memory.restoring import restore_backup
from oharness.memory.scopes import Memory
from oharness.memory.service import NoteNotFound
from oharness.notes.hashing import content_hash
from oharness.notes.links import linked_ids
from oharness.notes.note import Note
from oharness.plugins.memory.background import BackgroundSync
from oharness.plugins.memory.page import asked, backups, conflicts, editing, forgetting, notes, problems, trying
from oharness.plugins.memory.page.asked import Document, Fields
from oharness.plugins.memory.page.editing import Draft, Moved
from oharness.plugins.memory.page.live import Live
from oharness.plugins.memory.page.shelf import Shelves
from oharness.plugins.memory.page.syncing import Syncing, brought, first_error
from oharness.plugins.memory.page.tidying import TidyPlace
from oharness.plugins.memory.tidying_desk import TidyingDesk
from oharness.reconcile.guards import Choice
from oharness.sync.mending import NoFileToMend, mend
from oharness.sync.resolve import NoSuchConflict
from oharness.sync.transport import SignedOut, TooFrequent

VIEWS = ("notes", "tidy", "sync", "conflicts", "backups", "problems")


@dataclass(eq=False)
class NoTidying(NotFound):
    """Tidying is not there on this page."""


class MemoryPage:
    """The page over one open memory. Looks at files in threads, so that nobody else in the process waits."""

    def __init__(
        self,
        memory: Memory,
        background: BackgroundSync | None,
        desk: Callable[[], TidyingDesk] | None = None,
    ) -> None:
        self.memory = memory
        self.tidy = TidyPlace(desk) if desk is not None else None
        self.shelves = Shelves(memory)
        self.syncing = Syncing(memory, background)
        self.live = Live(memory, background, self.shelves)
        self._parts: Mapping[str, Callable[[Fields], Document]] = {
            "page": self._page,
            "tabs": self._tabs,
            "since": self._since,
            "list": self._list,
            "more": self._list,
            "note": self._note,
            "edit": self._edit,
            "new": self._new,
            "preview": self._preview,
            "standing": self._standing,
            "moved": self._moved,
            "syncbar": self._sync,
            "sync": self._sync,
            "conflicts": self._conflicts,
            "unchanged": self._unchanged,
            "traces": self._traces,
            "backups": lambda _: backups.backups_document(memory),
            "backup": lambda query: backups.backup_document(memory, asked.text(query, "backup")),
            "tidy": self._tidy,
            "problems": lambda _: problems.problems_document(memory, self.syncing, self.shelves.shelf()),
        }

    def warm(self) -> None:
        """Looks at the notes before anybody asks. Blocking."""
        with suppress(OharnessError):  # whoever opens the page is told
            self.shelves.shelf()

    async def data(self, query: Fields) -> Document:
        """What a part of the page shows; the whole page for an unknown one.

        Raises: what the part raises.
        """
        part = self._parts.get(asked.text(query, "part"), self._page)
        return await asyncio.to_thread(part, query)

    async def act(self, name: str, fields: Fields) -> Document:
        """Does what a button says.

        Raises: what the action raises; nothing is done then.
        """
        match name:
            case "sync-now":
                return await self._sync_now()
            case "switch":
                await self.syncing.turn(on=asked.is_yes(fields, "on"))
                self.live.tell()
                return {"part": "syncbar", "query": {}}
            case "confirm":
                return await self._confirm(fields)
            case "draft":
                return {"part": "merge", "data": await self._tidy_place.draft(fields, self.shelves.shelf())}
            case "merge":
                return await self._merge(fields)
            case "forget-everywhere":
                return await self._forget_everywhere(fields)
        actions: Mapping[str, Callable[[Fields], Document]] = {
            "create": self._create,
            "save": self._save,
            "delete": self._delete,
            "restore": self._restore,
            "try": self._try,
            "preview": lambda fields: {"part": "preview", "data": self._preview(fields)},
            "resolve": self._resolve,
            "mend": self._mend,
            "dismiss": self._dismiss,
            "unmerge": self._unmerge,
        }
        return await asyncio.to_thread(actions[name], fields)

    # --- parts

    def _page(self, query: Fields) -> Document:
        if asked.text(query, "note") and not asked.text(query, "in"):  # a link that names the scope of the note
            query = {**query, "in": asked.text(query, "scope"), "scope": ""}
        view = self._view(query)
        document: Document = {"view": view, "tabs": self._tabs(query), "sync": self._sync(query)}
        document["revision"] = self.shelves.revision
        if view != "notes":
            return document | {"shown": self._parts[view](query)}
        document |= {"list": self._list(query), "open": "", "shown": None, "problem": None}
        opens = "new" if asked.is_yes(query, "new") else "edit" if asked.is_yes(query, "edit") else "note"
        if opens == "new" or asked.text(query, "note"):
            try:
                named = {**query, "id": asked.text(query, "note"), "scope": asked.text(query, "in")}
                document |= {"open": opens, "shown": self._parts[opens](named)}
            except OharnessError as problem:
                document["problem"] = problem
        return document

    def _tabs(self, query: Fields) -> Document:
        shelf = self.shelves.shelf()
        if self.tidy and self.tidy.count is None and asked.is_yes(query, "count"):
            with suppress(OharnessError):  # the place of what there is to tidy says why
                self._tidy(query)
        conflicts_open = 0
        with suppress(OharnessError):  # the place of the conflicts says why
            conflicts_open = sum(len(one.state.conflicts()) for one in self.syncing.directories)
        return {
            "view": self._view(query),
            "notes": len(shelf.notes),
            "conflicts": conflicts_open,
            "problems": len(shelf.problems) + len(self.memory.warnings()),
            "hasTidy": self.tidy is not None,
            "tidy": self.tidy.count if self.tidy else None,
        }

    def _view(self, query: Fields) -> str:
        view = asked.text(query, "view")
        is_there = view in VIEWS and (view != "tidy" or self.tidy is not None)
        return view if is_there else VIEWS[0]

    def _since(self, query: Fields) -> Document:
        """Whether something changed between the drawing of a page and the moment it began to be told."""
        self.shelves.shelf()
        return {"changed": asked.text(query, "revision") != str(self.shelves.revision)}

    def _list(self, query: Fields) -> Document:
        return notes.list_document(self.memory, self.shelves.shelf(), query)

    def _note(self, query: Fields) -> Document:
        document = self._read(query)
        service = self.memory.service(ScopeKind(document["scope"]))
        return document | backups.versions_document(self.memory, service, document["id"], document["summary"])

    def _read(self, query: Fields) -> Document:
        note_id, scope = asked.text(query, "id"), asked.scope(query)
        document = notes.note_document(self.memory, self.shelves.shelf(), note_id, scope)
        directory = self.syncing.directory(ScopeKind(document["scope"]))
        return document | {
            "conflict": directory is not None and note_id in directory.state.conflicts(),
            "duplicateOf": asked.text(query, "duplicateOf"),
        }

    def _edit(self, query: Fields) -> Document:
        return self._read(query) | self._choices()

    def _new(self, query: Fields) -> Document:
        return self._choices() | {
            "summary": asked.text(query, "summary"),
            "id": asked.text(query, "id"),
        }

    def _preview(self, fields: Fields) -> Document:
        """A body as it would read, with the links that it has."""
        body = Draft.of(fields).body[: self.memory.settings.max_note_bytes]
        return {"body": body, "links": notes.link_documents(self.shelves.shelf(), linked_ids(body))}

    def _choices(self) -> Document:
        return {
            "scopes": [str(service.kind) for service in self.memory.services()],
            "mostBytes": self.memory.settings.max_note_bytes,
        }

    def _standing(self, query: Fields) -> Document:
        """Whether the note in the editor is still what the editor was opened with."""
        note_id, scope, seen = asked.text(query, "id"), asked.scope(query), asked.text(query, "hash")
        try:
            now = notes.note_document(self.memory, self.shelves.shelf(), note_id, scope)["hash"]
        except NoteNotFound:
            now = ""
        return {
            "id": note_id,
            "scope": str(scope or ""),
            "hash": seen,
            "changed": bool(now) and now != seen,
            "gone": not now,
        }

    def _moved(self, query: Fields) -> Document:
        """Shown in answer to `save` alone; asked for by itself it is the editor's note."""
        return self._edit(query)

    def _sync(self, query: Fields) -> Document:
        return self.syncing.document(self.shelves.shelf())

    def _traces(self, query: Fields) -> Document:
        scope = asked.scope(query) or ScopeKind.PROJECT
        return forgetting.traces_document(self.memory, asked.text(query, "id"), scope)

    def _conflicts(self, query: Fields) -> Document:
        document = conflicts.conflicts_document(self.syncing) | {"conflict": None}
        if note_id := asked.text(query, "note"):
            scope = asked.scope(query, "in") or ScopeKind.PROJECT
            with suppress(NoSuchConflict):  # it was answered: the others are shown
                document["conflict"] = conflicts.conflict_document(self.syncing, scope, note_id)
        return document

    def _tidy(self, query: Fields) -> Document:
        return self._tidy_place.document(self.shelves.shelf())

    @property
    def _tidy_place(self) -> TidyPlace:
        if self.tidy is None:
            raise NoTidying
        return self.tidy

    def _unchanged(self, query: Fields) -> Document:
        """Whether a conflict is still about the versions that somebody looks at."""
        note_id, scope = asked.text(query, "id"), asked.scope(query) or ScopeKind.PROJECT
        try:
            seen = conflicts.conflict_document(self.syncing, scope, note_id)["seen"]
        except NoSuchConflict:
            seen = ""
        return {
            "id": note_id,
            "scope": str(scope),
            "gone": not seen,
            "changed": bool(seen) and seen != asked.text(query, "seen"),
        }

    # --- actions

    def _create(self, fields: Fields) -> Document:
        draft, note_id = Draft.of(fields), asked.text(fields, "id")
        saved = editing.create(self.memory, draft, note_id)
        if isinstance(saved, Moved):
            return {"part": "moved", "data": self._moved_document(note_id, draft.scope, draft, saved.theirs)}
        query = {"note": saved.id, "in": str(saved.scope), "duplicateOf": saved.duplicate_of or None}
        return {"toast": {"text": msg("Saved."), "fields": {}}, "go": {"page": "memory", "query": query}}

    def _save(self, fields: Fields) -> Document:
        note_id, scope = asked.text(fields, "id"), asked.scope(fields) or ScopeKind.PROJECT
        draft = Draft.of(fields)
        saved = editing.save(self.memory, note_id, scope, asked.text(fields, "hash"), draft)
        if isinstance(saved, Moved):
            return {"part": "moved", "data": self._moved_document(note_id, scope, draft, saved.theirs)}
        said = {"toast": {"text": msg("Saved."), "fields": {}}}
        if saved.scope is not scope:
            return said | {"go": {"page": "memory", "query": {"note": saved.id, "in": str(saved.scope)}}}
        return said | {"part": "note", "query": {"id": saved.id, "scope": str(saved.scope)}}

    def _moved_document(self, note_id: str, scope: ScopeKind, draft: Draft, theirs: Note | None) -> Document:
        return self._choices() | {
            "id": note_id,
            "scope": str(scope),
            "mine": {
                "summary": draft.summary,
                "type": draft.type,
                "tags": draft.tags,
                "body": draft.body,
                "to": str(draft.scope),
            },
            "theirs": notes.version_document(theirs) if theirs else None,
            "hash": content_hash(theirs) if theirs else "",
        }

    def _delete(self, fields: Fields) -> Document:
        note_id, scope = asked.text(fields, "id"), asked.scope(fields) or ScopeKind.PROJECT
        gone = editing.delete(self.memory, note_id, scope, asked.text(fields, "hash"))
        if isinstance(gone, Moved):
            said = {
                "text": msg("{id} was changed meanwhile and is still there. Look at it again."),
                "fields": {"id": note_id},
            }
            return {"part": "note", "query": {"id": note_id, "scope": str(scope)}, "toast": said}
        return {
            "part": "gone",
            "data": {"id": note_id, "scope": str(scope)},
            "toast": {"text": msg("Deleted {id}."), "fields": {"id": note_id}},
            "undo": {"action": "restore", "fields": {"backup": gone.backup}},
        }

    def _restore(self, fields: Fields) -> Document:
        done = restore_backup(self.memory, asked.text(fields, "backup"))
        self.shelves.make_unseen()
        self.live.tell()
        return {
            "toast": {"text": msg("Restored {id}."), "fields": {"id": done.id}},
            "go": {"page": "memory", "query": {"note": done.id, "in": str(done.scope)}},
        }

    def _try(self, fields: Fields) -> Document:
        draft = Draft.of(fields) if "summary" in fields else None
        tried = trying.tried_document(
            self.memory, asked.text(fields, "message")[:4000], draft, asked.text(fields, "id")
        )
        return {"part": "tried", "data": tried}

    def _resolve(self, fields: Fields) -> Document:
        done = conflicts.answer(self.memory, self.syncing, fields)
        self.shelves.make_unseen()
        self.live.tell()
        said = {"text": msg("Resolved {id}."), "fields": {"id": done.id}}
        if done.beside:
            said = {
                "text": msg("Resolved {id}. The cloud's version is now the note {beside}."),
                "fields": {"id": done.id, "beside": done.beside},
            }
        return {"toast": said, "go": {"page": "memory", "query": {"view": "conflicts"}}}

    def _dismiss(self, fields: Fields) -> Document:
        self._tidy_place.dismiss(asked.text(fields, "finding"))
        said = {"text": msg("Dismissed until one of its notes is edited."), "fields": {}}
        return {"part": "tidy", "query": {}, "toast": said}

    async def _merge(self, fields: Fields) -> Document:
        done = await self._tidy_place.merge(fields, self.shelves.shelf())
        if isinstance(done, dict):
            return {"part": "merge", "data": done}
        self.shelves.make_unseen()
        self.live.tell()
        return {
            "part": "merged",
            "data": {
                "kept": done.kept,
                "scope": str(done.scope),
                "deleted": list(done.deleted),
                "relinked": notes.link_documents(self.shelves.shelf(), done.relinked, done.scope),
                "left": list(done.left),
                "backups": list(done.backups),
            },
            "toast": {"text": msg("Merged into {id}."), "fields": {"id": done.kept}},
            "undo": {"action": "unmerge", "fields": {"backups": " ".join(done.backups)}},
        }

    def _unmerge(self, fields: Fields) -> Document:
        kept = self._tidy_place.undo(asked.text(fields, "backups").split())
        self.shelves.make_unseen()
        self.live.tell()
        said = {"text": msg("The merge is undone."), "fields": {}}
        return {"go": {"page": "memory", "query": {"note": kept}}, "toast": said}

    async def _forget_everywhere(self, fields: Fields) -> Document:
        note_id, scope = asked.text(fields, "id"), asked.scope(fields) or ScopeKind.PROJECT
        receipt = await asyncio.to_thread(forget_everywhere, self.memory, note_id, scope)
        if forgetting.waits_for_the_cloud(receipt) and await self.syncing.brought_in_step(scope):
            receipt = await asyncio.to_thread(after_a_pass, self.memory, receipt)
        self.shelves.make_unseen()
        self.live.tell()
        return {"part": "forgotten", "data": forgetting.receipt_document(receipt)}

    def _mend(self, fields: Fields) -> Document:
        directory = self.syncing.directory(asked.scope(fields) or ScopeKind.PROJECT)
        if directory is None:
            raise NoFileToMend(asked.text(fields, "id"))
        done = mend(directory, asked.text(fields, "id"))
        self.shelves.make_unseen()
        self.live.tell()
        return {
            "part": "problems",
            "query": {},
            "toast": {"text": msg("{id} says again what was last synced."), "fields": {"id": done.id}},
            "undo": None,
        }

    async def _sync_now(self) -> Document:
        self.live.tell()
        try:
            outcomes = await self.syncing.now()
        except TooFrequent:
            return {"part": "syncbar", "query": {}}  # which says so
        self.shelves.make_unseen()
        self.live.tell()
        error = first_error(outcomes)
        if error is not None and not isinstance(error, TooFrequent):
            raise error
        count = brought(outcomes)
        said: Document = {"text": msg("Everything is in step."), "fields": {}}
        if count:
            said = {
                "text": msg("Everything is in step again. Notes that changed: {count}."),
                "fields": {"count": count},
            }
        return {"part": "syncbar", "query": {}, "toast": said}

    async def _confirm(self, fields: Fields) -> Document:
        scope, choice = asked.scope(fields) or ScopeKind.PROJECT, Choice(asked.text(fields, "choice"))
        stopped_by = await self.syncing.confirm(scope, choice)
        self.shelves.make_unseen()
        self.live.tell()
        match stopped_by:
            case None:
                said = msg("Done.")
            case SignedOut():
                said = msg("Your answer is kept. Sync follows it once you have signed in.")
            case _:
                said = msg("Your answer is kept. Sync follows it as soon as it gets through.")
        return {"part": "sync", "query": {}, "toast": {"text": said, "fields": {}}}
