"""What has to hold of a world, judged from note files, backups, conflict files and the store, never from baselines.

Each check gives sentences; none means that it holds. `conflict_faults` is asked when a conflict opens, the others
when a world has come to rest.
"""

from collections.abc import Iterator, Mapping

from oharness.testing.world.ledger import Text, text_of
from oharness.testing.world.lying_there import backups_on, cloud_text, conflicts_on, text_in
from oharness.testing.world.machine import Replica
from oharness.testing.world.world import World

LIMITS = frozenset({"plan_notes", "plan_note_bytes", "too_many_notes", "note_too_large"})


# --- at the moment when a conflict opens


def conflict_faults(world: World, replica: Replica, note_id: str) -> Iterator[str]:
    """A conflict needs two changes, and both texts lie in backups."""
    conflict = conflicts_on(replica).get(note_id)
    if conflict is None:
        yield f"{replica.name} reports a conflict about {note_id} and keeps none"
        return
    mine, cloud = text_in(note_id, str(conflict["mine"]).encode()), cloud_text(note_id, conflict)
    for text in (mine, cloud):
        if text is not None and text not in backups_on(replica.machine):
            yield f"{note_id} on {replica.name}: {text[1]} is in conflict and in no backup"
    if mine is None or cloud is None or note_id not in replica.in_sync:
        return
    if mine == cloud:
        yield f"{note_id} on {replica.name}: a conflict, and both sides say {mine[1]}"
    if world.ledger.leads_plainly_to(mine, cloud):
        yield f"{note_id} on {replica.name}: a conflict, and only the cloud changed ({mine[1]} to {cloud[1]})"
    if world.ledger.leads_plainly_to(cloud, mine):
        yield f"{note_id} on {replica.name}: a conflict, and only this machine changed ({cloud[1]} to {mine[1]})"


# --- at rest


def faults_at_rest(world: World, held: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """Everything that is wrong; `held` are the notes held back on each directory, with the reasons."""
    for replica in world.replicas:
        yield from _differences(world, replica, held[replica.name])
        yield from _bad_reasons(world, replica, held[replica.name])
    yield from _lost_texts(world)
    yield from _undone_deletions(world)
    yield from _missing_bodies(world)


def _differences(world: World, replica: Replica, held: Mapping[str, str]) -> Iterator[str]:
    """Directory and cloud say the same, but for listed conflicts and notes held back."""
    cloud = {note_id: text_of(note) for note_id, note in world.cloud.notes().items()}
    files = replica.files()
    waiting = {*conflicts_on(replica), *held}
    for note_id in sorted({*cloud, *files} - waiting):
        here = text_in(note_id, files.get(note_id))
        if here != cloud.get(note_id):
            yield f"{note_id}: {replica.name} says {_name(here)}, the cloud {_name(cloud.get(note_id))}"


def _bad_reasons(world: World, replica: Replica, held: Mapping[str, str]) -> Iterator[str]:
    """A note is held back for a reason that is there to be seen."""
    files = replica.files()
    ids = {*files, *world.cloud.notes()}
    for note_id, reason in sorted(held.items()):
        is_note = text_in(note_id, files.get(note_id)) is not None
        twin = any(other != note_id and other.lower() == note_id.lower() for other in ids)
        good = (
            (reason in ("unreadable", "damaged") and not is_note)
            or (reason == "id_case_collision" and twin)
            or (reason in LIMITS and is_note and world.has_limits)
        )
        if not good:
            yield f"{note_id} is held back on {replica.name} as {reason}"


def _lost_texts(world: World) -> Iterator[str]:
    """Every text somebody saved is live, in a conflict, or was replaced or deleted by somebody who saw it."""
    ledger = world.ledger
    kept = world.texts_somewhere() | ledger.excused
    kept |= ledger.deleted_texts()
    backups: set[Text] = set()
    for replica in world.replicas:
        for note_id, conflict in conflicts_on(replica).items():
            texts = (text_in(note_id, str(conflict["mine"]).encode()), cloud_text(note_id, conflict))
            kept |= {text for text in texts if text}
    for machine in world.machines:
        backups |= backups_on(machine)
    for text in sorted(ledger.by_people):
        if not ledger.leads_to(text, kept):
            where = "only in a backup" if text in backups else "nowhere at all"
            yield f"{text[0]}: what {text[1]} said is {where}, and nobody who saw it chose so"


def _undone_deletions(world: World) -> Iterator[str]:
    """A deleted note is back only where somebody wrote beside the deletion or asked for it."""
    ledger = world.ledger
    expired = world.cloud.manifest().get("horizon", 0) > 0
    live = {note_id: text_of(note) for note_id, note in world.cloud.notes().items()}
    for deletion in ledger.firm:
        note_id = deletion.text[0]
        text = live.get(note_id)
        if text is None or ledger.brought_back.get(note_id, 0) > deletion.number:
            continue
        has_an_old_copy = note_id in world.cloned_ids or world.has_old_device
        if (expired and has_an_old_copy) or ledger.was_written_twice(text):
            continue
        if ledger.leads_to(text, {deletion.text}):
            yield f"{note_id} was deleted on {deletion.device} and is back as {text[1]}, which nobody wanted"


def _missing_bodies(world: World) -> Iterator[str]:
    """Every listed object exists and says what its hash says."""
    listed = world.cloud.manifest().get("notes", {})
    try:
        notes = world.cloud.notes()
    except KeyError as error:
        yield f"the manifest names {error} and it is not there"
        return
    if len(notes) != len(listed):
        yield "some listed notes cannot be read"


def _name(text: Text | None) -> str:
    return text[1] if text else "nothing"
