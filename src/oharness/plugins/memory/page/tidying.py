"""The place for tidying: findings, drafts of a merge, their check, merging and taking it back."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from oharness.core.errors import Refused
from oharness.core.scopes import ScopeKind
from oharness.memory.tidying import Checked, FactsMissing, Merged, Originals
from oharness.plugins.memory.page import asked
from oharness.plugins.memory.page.asked import Document, Fields
from oharness.plugins.memory.page.notes import link_documents, version_document
from oharness.plugins.memory.page.shelf import Shelf
from oharness.plugins.memory.tidying_desk import TidyingDesk
from oharness.tidy.findings import Finding, FindingKind
from oharness.tidy.merge_draft import MergeDraft

MOST_LISTED = 100


@dataclass(eq=False)
class NothingToUndo(Refused):
    """No backups of a merge were named."""


@dataclass(slots=True, eq=False)
class TidyPlace:
    """Tidying as one page uses it. `count` is how many findings there were when somebody last looked."""

    desk: Callable[[], TidyingDesk]
    count: int | None = None

    def document(self, shelf: Shelf) -> Document:
        """The findings, by kind. Blocking.

        Raises: as `Tidying.findings`.
        """
        found = self.desk().tidying.findings()
        self.count = len(found)
        return {
            "findings": [_row(one, shelf) for one in _most_of_each(found)],
            "count": len(found),
            "hasModel": self.desk().has_model,
        }

    def dismiss(self, finding_id: str) -> None:
        """Hides a finding until one of its notes is edited. Blocking.

        Raises: as `Tidying.dismiss`.
        """
        self.desk().tidying.dismiss(finding_id)

    async def draft(self, fields: Fields, shelf: Shelf) -> Document:
        """The editor of a merge, with the draft that is asked for: the small model's, or every original joined.

        Raises: as `Tidying.originals`, `TidyingDesk.model_draft`.
        """
        desk = self.desk()
        originals = await asyncio.to_thread(self._originals, fields)
        if asked.text(fields, "draft") == "model":
            checked = await desk.model_draft(originals)
        else:
            checked = await asyncio.to_thread(desk.tidying.joined, originals)
        return _merge_document(originals, checked, asked.text(fields, "draft"), shelf)

    async def merge(self, fields: Fields, shelf: Shelf) -> Merged | Document:
        """Carries out the merge, or gives the editor again with what the text lacks.

        Raises: NotesChanged since the draft was made; as `Tidying.plan`, `TidyingDesk.merge`.
        """
        desk = self.desk()
        originals = await asyncio.to_thread(self._originals, fields)
        draft = MergeDraft(asked.text(fields, "summary"), asked.text(fields, "body").replace("\r\n", "\n"))
        accepts = asked.is_yes(fields, "accept")
        try:
            planned = await asyncio.to_thread(
                lambda: desk.tidying.plan(originals, draft, accept_loss=accepts, seen=_seen(fields))
            )
        except FactsMissing:
            checked = await asyncio.to_thread(desk.tidying.check, originals, draft)
            return _merge_document(originals, checked, "edited", shelf)
        return await desk.merge(planned)

    def undo(self, backups: Sequence[str]) -> str:
        """Takes a merge back, and gives the id of the note that was kept. Blocking.

        Raises: NothingToUndo; as `Tidying.undo_merge`.
        """
        if not backups:
            raise NothingToUndo
        return self.desk().tidying.undo_merge(backups)[0].id

    def _originals(self, fields: Fields) -> Originals:
        return self.desk().tidying.originals(asked.text(fields, "ids").split(), asked.scope(fields))


def _seen(fields: Fields) -> dict[str, str]:
    """The hashes that the draft was made from: `id=hash` with spaces in between."""
    pairs = (one.rpartition("=") for one in asked.text(fields, "seen").split())
    return {note_id: content for note_id, _, content in pairs}


def _most_of_each(found: Sequence[Finding]) -> list[Finding]:
    """So many of each kind, in the order of the kinds."""
    return [one for kind in FindingKind for one in [each for each in found if each.kind is kind][:MOST_LISTED]]


def _row(one: Finding, shelf: Shelf) -> Document:
    return {
        "id": one.id,
        "kind": str(one.kind),
        "scope": str(one.scope),
        "notes": link_documents(shelf, one.notes, ScopeKind(one.scope)),
        "details": list(one.details[:12]),
    }


def _merge_document(originals: Originals, checked: Checked, draft: str, shelf: Shelf) -> Document:
    return {
        "scope": str(originals.scope.kind),
        "ids": " ".join(originals.ids),
        "seen": " ".join(f"{note_id}={content}" for note_id, content in originals.hashes.items()),
        "kept": originals.kept,
        "draft": draft,
        "originals": [{"id": note.id, **version_document(note)} for note in originals.notes],
        "summary": checked.summary,
        "body": checked.body,
        "tags": list(checked.tags),
        "missing": [
            {
                "kind": str(one.kind),
                "text": one.text,
                "note": link_documents(shelf, [one.note_id], originals.scope.kind)[0],
            }
            for one in checked.missing
        ],
        "bytes": checked.bytes,
        "limitBytes": checked.limit_bytes,
    }
