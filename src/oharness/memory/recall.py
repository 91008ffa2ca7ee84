"""Notes for one message. Recall failing never stops a message: what goes wrong comes back as a notice."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from oharness.core.errors import OharnessError
from oharness.disk.note_dir import NoteFile
from oharness.memory.credential_gate import first_credential, head_is_clean
from oharness.memory.notices import MemoryNotice, credential_not_recalled, recall_failed
from oharness.memory.scopes import Memory
from oharness.memory.sources import resolve, searching
from oharness.notes.hashing import content_hash
from oharness.notes.note import Note
from oharness.recall.attachment import AttachedNote, LinkedNote, Recalled, render_block, to_metadata
from oharness.recall.choose import NoteKey, RecallLimits, Verdict, attached, choose, linked_notes
from oharness.recall.score import Candidate, candidates


@dataclass(frozen=True, slots=True)
class MessageRecall:
    """What goes with a message: the block (empty when nothing fits), its notes, and what to tell people."""

    block: str = ""
    attached: tuple[AttachedNote, ...] = ()
    linked: tuple[LinkedNote, ...] = ()
    notices: tuple[MemoryNotice, ...] = ()

    @property
    def metadata(self) -> dict[str, Any]:
        """What the message's metadata keeps, so that a note is attached once; empty without notes."""
        if not self.attached:
            return {}
        return to_metadata(Recalled(one.scope, one.note.id, one.hash, one.score) for one in self.attached)


@dataclass(frozen=True, slots=True)
class Explanation:
    """Every candidate for a message, best first, and what became of it."""

    verdicts: tuple[Verdict, ...]
    min_score: float


def recall_for_message(memory: Memory, message: str, already_attached: Collection[NoteKey] = ()) -> MessageRecall:
    """The notes that fit a message, after a look at the files; counts nothing. Never raises.

    `already_attached` are the notes that messages still in the transcript carry.
    """
    try:
        memory.refresh()
        return _recalled(memory, message, already_attached)
    # "Recall failing never stops a message from being sent."
    except Exception as error:  # noqa: BLE001
        return MessageRecall(notices=(recall_failed(error),))


def count_recalled(memory: Memory, recalled: MessageRecall) -> None:
    """Counts the attached notes on this machine; a count that cannot be written is not worth a word."""
    for service in memory.services():
        ids = [one.note.id for one in recalled.attached if one.scope is service.kind]
        try:
            service.usage.count_recalls(ids)
        except OharnessError:
            continue


def explain_recall(memory: Memory, message: str, already_attached: Collection[NoteKey] = ()) -> Explanation:
    """Why each note that shares a word with the message would or would not go with it.

    Raises: StorageFailed; DirectoryRedirected.
    """
    memory.refresh()
    with searching(memory) as sources:
        found = candidates(message, sources)
    return Explanation(tuple(choose(found, _limits(memory), already_attached)), memory.settings.recall.min_score)


def _recalled(memory: Memory, message: str, already_attached: Collection[NoteKey]) -> MessageRecall:
    with searching(memory) as sources:
        found = candidates(message, sources)
    notices: list[MemoryNotice] = []
    while True:
        chosen = attached(choose(found, _limits(memory), already_attached))
        notes = {_key(one): _readable(memory, one, notices) for one in chosen}
        unusable = {key for key, note in notes.items() if note is None}
        if not unusable:
            break
        found = [one for one in found if _key(one) not in unusable]
    shown = tuple(
        AttachedNote(one.scope, note, content_hash(note), one.score) for one in chosen if (note := notes[_key(one)])
    )
    linked = tuple(
        LinkedNote(scope, entry.id, entry.summary)
        for scope, entry in linked_notes(chosen, lambda scope, note_id: resolve(memory, note_id))
        if head_is_clean(entry)
    )
    block = render_block(shown, linked, memory.settings.recall.budget_chars)
    return MessageRecall(block, shown, linked, tuple(notices))


def _readable(memory: Memory, one: Candidate, notices: list[MemoryNotice]) -> Note | None:
    """The note as its file says now, unless it is gone, damaged, or holds a credential typed in by hand."""
    service = memory.service(one.scope)
    file = service.folder.read(one.entry.stamp.name)
    if not isinstance(file, NoteFile):
        return None
    credential = first_credential(file.note)
    if credential is None:
        return file.note
    notices.append(credential_not_recalled(one.scope, file.note.id, credential.kind))
    return None


def _limits(memory: Memory) -> RecallLimits:
    recall = memory.settings.recall
    return RecallLimits(recall.per_turn, recall.budget_chars, recall.min_score)


def _key(one: Candidate) -> NoteKey:
    return one.scope, one.entry.id
