"""What people do: write, edit, delete, restore, answer; through the product, and behind its back with an editor."""

from dataclasses import replace
from enum import StrEnum

from oharness.core.clock import Millis
from oharness.core.scopes import ScopeKind
from oharness.memory.forget import forget
from oharness.memory.remember import RememberRequest, remember
from oharness.memory.restoring import list_backups, restore_backup
from oharness.notes.frontmatter import note_text
from oharness.notes.note import Note
from oharness.reconcile.guards import ANSWERS, Choice
from oharness.sync.confirm import confirm_paused
from oharness.sync.mending import mend
from oharness.sync.resolve import keep_both, keep_mine, merge_by_hand, take_cloud
from oharness.testing.world.ledger import text_of
from oharness.testing.world.lying_there import text_in
from oharness.testing.world.machine import Replica
from oharness.testing.world.world import World

LINES = 7
_FEW_WORDS = ("red", "green", "blue")
_TAGS = ("alpha", "beta", "gamma")


# --- through the product


def writes_a_note(world: World, replica: Replica) -> None:
    """A new note, under an id that others may choose too."""
    note_id = some_id(world)
    process = world.process(replica)
    if replica.is_away or note_id in replica.files():
        edits_a_note(world, replica)
        return
    body = "\n".join(f"line {number} of {note_id}" for number in range(LINES))
    if world.chance.random() < 0.7:
        body += f"\n{word(world)}"
    world.trace.event("writes a note", replica.name, note_id)
    request = RememberRequest(summary=f"About {note_id}", body=body, scope=_kind(world), id=note_id)
    with world.acts(replica):
        remember(process.memory, request)


def edits_a_note(world: World, replica: Replica) -> None:
    """One or two lines of a note, or something of its head."""
    note = _some_note(world, replica)
    if note is None:
        return
    process = world.process(replica)
    after = edited(world, note)
    world.trace.event("edits a note", replica.name, f"{note.id} to {text_of(after)[1]}")
    request = RememberRequest(after.summary, after.body, after.type, _kind(world), list(after.tags), note.id)
    with world.acts(replica):
        remember(process.memory, request)


def deletes_a_note(world: World, replica: Replica) -> None:
    """Forgets a note."""
    note = _some_note(world, replica)
    if note is None:
        return
    process = world.process(replica)
    world.trace.event("deletes a note", replica.name, note.id)
    with world.acts(replica):
        forget(process.memory, note.id, _kind(world))


def restores_a_backup(world: World, replica: Replica) -> None:
    """One of the latest backups of this machine."""
    process = world.process(replica)
    if replica.is_away:
        return
    with world.acts(replica):
        listed = [one for one in list_backups(process.memory, 12) if one.restorable]
        ours = [one.backup for one in listed if one.backup.directory == replica.folder]
        if not ours:
            return
        backup = world.chance.choice(ours)
        world.trace.event("restores a backup", replica.name, f"{backup.note_id} {backup.reason}")
        restore_backup(process.memory, backup.name)


def answers_a_conflict(world: World, replica: Replica) -> None:
    """One of the four answers to one of the open conflicts."""
    process = world.process(replica)
    with world.acts(replica):
        conflicts = process.directory.state.conflicts()
        if conflicts:
            note_id = world.chance.choice(sorted(conflicts))
            if replica.files().get(note_id) and note_id not in replica.notes():
                mends_a_file(world, replica, note_id)
            answer = world.chance.choice(list(Answered))
            world.trace.event(f"answers a conflict: {answer}", replica.name, note_id)
            answer_conflict(world, replica, note_id, answer)


def mends_a_file(world: World, replica: Replica, note_id: str) -> None:
    """Asks for the last good version in the place of a broken file."""
    world.trace.event("mends a file", replica.name, note_id)
    mend(world.process(replica).directory, note_id)


class Answered(StrEnum):
    """The four answers."""

    MINE = "mine"
    CLOUD = "cloud"
    BOTH = "both"
    HAND = "hand"


def answer_conflict(world: World, replica: Replica, note_id: str, answer: Answered) -> None:
    """Answers one conflict. What was seen and chosen counts from the moment somebody says it, done or not."""
    directory = world.process(replica).directory
    conflict = directory.state.conflicts()[note_id]
    present = text_in(note_id, replica.files().get(note_id)) or text_of(conflict.mine)
    cloud = text_of(conflict.cloud.note) if conflict.cloud else None
    seen = {present, text_of(conflict.mine)} | ({cloud} if cloud else set())
    world.ledger.restored(note_id)  # whoever chooses a text wants the note to be there
    match answer:
        case Answered.MINE:
            world.ledger.chose(present, seen)
            keep_mine(directory, note_id)
        case Answered.CLOUD:
            if cloud is not None:
                world.ledger.chose(cloud, seen)
            else:  # taking what the cloud has not is a deletion
                world.ledger.vanished(present, replica.name)
            world.takes_the_clouds = True
            take_cloud(directory, note_id)
        case Answered.BOTH:
            world.set_beside = cloud
            if cloud is not None:
                world.ledger.came_after[cloud].add(present)
            keep_both(directory, note_id)
        case Answered.HAND:
            by_hand = replace(conflict.mine, body=f"merged by hand {word(world)}")
            world.ledger.may_become(seen, text_of(by_hand))
            merge_by_hand(directory, note_id, f"{by_hand.body}\n".encode())


def answers_a_pause(world: World, replica: Replica) -> None:
    """What `sync confirm` asks for."""
    process = world.process(replica)
    with world.acts(replica):
        paused = process.directory.state.guard().paused
        if paused is None or not ANSWERS[paused.reason]:
            return
        choice = world.chance.choice(sorted(ANSWERS[paused.reason]))
        world.trace.event(f"answers a pause: {paused.reason} {choice}", replica.name, " ".join(paused.note_ids))
        confirm_paused(process.directory, choice)
        for note_id in paused.note_ids:
            note_answered(world, replica, note_id, choice)


def note_answered(world: World, replica: Replica, note_id: str, choice: Choice) -> None:
    """To delete may take whatever the note says anywhere; anything else may bring it back."""
    if choice is not Choice.DELETE:
        world.ledger.restored(note_id)
    for text in [text for text in world.ledger.writings if text[0] == note_id]:
        world.ledger.vanished(text, replica.name)


# --- behind its back


def edits_a_file(world: World, replica: Replica) -> None:
    """An editor saves a note file in place: another text, a new note, other line ends, or nonsense."""
    note = _some_note(world, replica)
    draw = world.chance.random()
    if note is None or draw < 0.2:
        note_id = some_id(world)
        if replica.is_away or note_id in replica.files():
            return
        now = Millis(replica.machine.clock.now_ms())
        fresh = Note(note_id, f"About {note_id}", f"by hand {word(world)}", created_at=now, updated_at=now)
        put_file(world, replica, note_id, note_text(fresh).encode(), "writes a file")
    elif draw < 0.75:
        put_file(world, replica, note.id, note_text(edited(world, note)).encode(), "edits a file")
    elif draw < 0.82:
        data = note_text(note).replace("\n", "\r\n").encode()
        put_file(world, replica, note.id, data, "saves a file with CRLF")
    elif draw < 0.88:
        put_file(world, replica, note.id, b"\xef\xbb\xbf" + note_text(note).encode(), "saves a file with a BOM")
    elif draw < 0.94:
        put_file(world, replica, note.id, world.chance.choice((b"", bytes(40))), "fault: zero-length file")
    else:
        put_file(world, replica, note.id, b"---\n{broken\n", "fault: broken file")


def removes_a_file(world: World, replica: Replica) -> None:
    """A note file is deleted behind oHarness's back."""
    note = _some_note(world, replica)
    if note is not None:
        remove_file(world, replica, note.id, "removes a file")


def removes_many_files(world: World, replica: Replica) -> None:
    """All note files, or nearly all, are deleted."""
    notes = sorted(replica.notes())
    for note_id in notes[: max(1, len(notes) - world.chance.choice((0, 1)))]:
        remove_file(world, replica, note_id, "removes many files")


def remove_file(world: World, replica: Replica, note_id: str, kind: str) -> None:
    """Another program removes a note file."""
    before = text_in(note_id, replica.files().get(note_id))
    world.trace.event(kind, replica.name, note_id)
    if before is not None:
        world.ledger.vanished(before, replica.name)
    replica.machine.disk.take_away(replica.path(note_id))


def put_file(world: World, replica: Replica, note_id: str, data: bytes, kind: str) -> None:
    """Another program saves a note file; what was in it was seen."""
    note_id = replica.id_on_disk(note_id)
    before = text_in(note_id, replica.files().get(note_id))
    after = text_in(note_id, data)
    world.trace.event(kind, replica.name, f"{note_id} to {after[1] if after else '-'}")
    if after is not None:
        world.ledger.wrote(before, after)
        world.stood_here(replica, after)
    elif before is not None:
        world.ledger.vanished(before, replica.name)
    replica.machine.disk.put(replica.path(note_id), data)
    if world.chance.random() < 0.6:
        replica.machine.disk.flush_everything()


# --- words


def some_id(world: World) -> str:
    """One of a few, so that machines meet; now and then in another letter case."""
    letter = "N" if world.chance.random() < 0.02 else "n"
    return f"{letter}{world.chance.randint(1, 9)}"


def _kind(world: World) -> ScopeKind:
    return world.scope.kind


def word(world: World) -> str:
    """Mostly a word that nobody wrote before; sometimes one that others may write as well."""
    if world.chance.random() < 0.25:
        return world.chance.choice(_FEW_WORDS)
    world.ledger.words += 1
    return f"word{world.ledger.words}"


def _some_note(world: World, replica: Replica) -> Note | None:
    notes = replica.notes()
    return notes[world.chance.choice(sorted(notes))] if notes else None


def edited(world: World, note: Note) -> Note:
    draw = world.chance.random()
    if draw < 0.08:
        return replace(note, summary=f"About {note.id}, {word(world)}")
    if draw < 0.16:
        kept = [tag for tag in note.tags if world.chance.random() < 0.6]
        return replace(note, tags=tuple(dict.fromkeys([*kept, world.chance.choice(_TAGS)])))
    if draw < 0.20:
        return replace(note, type=world.chance.choice(("project", "feedback")))
    lines = note.body.split("\n")
    for _ in range(world.chance.choice((1, 1, 2))):
        place = world.chance.randrange(len(lines))
        what = world.chance.random()
        if what < 0.7:
            lines[place] = f"line {place}: {word(world)}"
        elif what < 0.9:
            lines.insert(place, f"new line: {word(world)}")
        elif len(lines) > 3:
            del lines[place]
    return replace(note, body="\n".join(lines))
