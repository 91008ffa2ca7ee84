"""Notes for one message. Recall failing never stops a message: what goes wrong comes back as a notice."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from oharness.core.errors import OharnessError
from oharness.disk.note_dir import NoteFile
from oharness.memory.credential_gate import first_credential, head_is_clean
from oharness.memory.notices import MemoryNotice, credential_not_recalled, recall_failed
from oharness.memory.scopes import Memory
from oharness.memory.sources import resolve, searched
from oharness.notes.hashing import content_hash
from oharness.notes.note import Note
from oharness.recall.attachment import AttachedNote, LinkedNote, Recalled, render_block, to_metadata
from oharness.recall.choose import NoteKey, Reason, RecallLimits, Verdict, attached, choose, linked_notes
from oharness.recall.score import Candidate, candidates, fitting

NOTHING_UNSAVED: Mapping[NoteKey, Note] = MappingProxyType({})


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


def recall_for_message(
    memory: Memory, message: str, already_attached: Collection[NoteKey] = (), *, just_looked: bool = False
) -> MessageRecall:
    """The notes that fit a message, after a look at the files; counts nothing. Never raises.

    `already_attached` are the notes that messages still in the transcript carry. `just_looked` says that the files
    were looked at for this same message, as opening the memory does: a look costs more than the recall.
    """
    try:
        if not just_looked:
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


def explain_recall(
    memory: Memory, message: str, already_attached: Collection[NoteKey] = (), *, just_looked: bool = False
) -> Explanation:
    """Why each note that shares a word with the message would or would not go with it; those that would are read.

    Raises: StorageFailed; DirectoryRedirected.
    """
    if not just_looked:
        memory.refresh()
    found = searched(memory, lambda sources: candidates(message, sources))
    return Explanation(verdicts_on(memory, found, already_attached), memory.settings.recall.min_score)


def verdicts_on(
    memory: Memory,
    found: Sequence[Candidate],
    already_attached: Collection[NoteKey] = (),
    unsaved: Mapping[NoteKey, Note] = NOTHING_UNSAVED,
) -> tuple[Verdict, ...]:
    """What becomes of each candidate for a message. `unsaved` are notes that say something else than their files.

    Raises: StorageFailed.
    """
    return _chosen(memory, found, already_attached, unsaved).verdicts


def _recalled(memory: Memory, message: str, already_attached: Collection[NoteKey]) -> MessageRecall:
    found = searched(memory, lambda sources: fitting(message, sources, memory.settings.recall.min_score))
    chosen = _chosen(memory, found, already_attached)
    notes = attached(chosen.verdicts)
    shown = tuple(_shown(one, chosen.notes[_key(one)]) for one in notes)
    linked = tuple(
        LinkedNote(scope, entry.id, entry.summary)
        for scope, entry in linked_notes(notes, lambda scope, note_id: resolve(memory, note_id))
        if head_is_clean(entry)
    )
    block = render_block(shown, linked, memory.settings.recall.budget_chars)
    return MessageRecall(block, shown, linked, chosen.notices)


@dataclass(frozen=True, slots=True)
class _Chosen:
    """The verdicts, the attached notes as their files say now, and what to tell about those that are withheld."""

    verdicts: tuple[Verdict, ...]
    notes: Mapping[NoteKey, Note]
    notices: tuple[MemoryNotice, ...]


def _chosen(
    memory: Memory,
    found: Sequence[Candidate],
    already_attached: Collection[NoteKey],
    unsaved: Mapping[NoteKey, Note] = NOTHING_UNSAVED,
) -> _Chosen:
    """A verdict for each candidate; where one must not be shown, the next takes its place."""
    notes: dict[NoteKey, Note] = {}
    withheld: dict[NoteKey, Reason] = {}
    notices: list[MemoryNotice] = []
    while True:
        verdicts = choose(found, _limits(memory), already_attached, withheld)
        unread = [one for one in attached(verdicts) if _key(one) not in notes]
        if not unread:
            return _Chosen(tuple(verdicts), notes, tuple(notices))
        for one in unread:
            note = unsaved.get(_key(one)) or _read(memory, one)
            if note is None:
                withheld[_key(one)] = Reason.UNREADABLE
            elif credential := first_credential(note):
                withheld[_key(one)] = Reason.CREDENTIAL
                notices.append(credential_not_recalled(one.scope, note.id, credential.kind))
            else:
                notes[_key(one)] = note


def _read(memory: Memory, one: Candidate) -> Note | None:
    file = memory.service(one.scope).folder.read(one.entry.stamp.name)
    return file.note if isinstance(file, NoteFile) else None


def _shown(one: Candidate, note: Note) -> AttachedNote:
    return AttachedNote(one.scope, note, content_hash(note), one.score)


def _limits(memory: Memory) -> RecallLimits:
    recall = memory.settings.recall
    return RecallLimits(recall.per_turn, recall.budget_chars, recall.min_score)


def _key(one: Candidate) -> NoteKey:
    return one.scope, one.entry.id
