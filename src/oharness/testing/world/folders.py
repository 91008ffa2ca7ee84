"""What happens to whole directories: taken away and brought back, checked out by git, cloned a second time."""

from pathlib import Path

from oharness.core.scopes import ScopeKind
from oharness.testing.world.ledger import text_of
from oharness.testing.world.machine import Replica, Repository
from oharness.testing.world.people import put_file, remove_file
from oharness.testing.world.world import World

MOST_SAVED = 6


def has_git(replica: Replica, place: Path) -> None:
    """Puts a directory under git; HEAD lies below `place`, a real folder."""
    root = place / replica.name
    (root / ".git").mkdir(parents=True)
    replica.repository = Repository(root)
    replica.repository.move_head(0)


def commits(world: World, replica: Replica) -> None:
    """The notes as they are become a commit."""
    if replica.repository is not None and not replica.is_away and len(replica.repository.commits) < MOST_SAVED:
        world.trace.event("commits to git", replica.name)
        replica.repository.commits.append(replica.files())
        replica.repository.move_head(len(replica.repository.commits))


def checks_out(world: World, replica: Replica) -> None:
    """Another commit's notes come in place of the present ones."""
    repository = replica.repository
    if repository is None or not repository.commits or replica.is_away:
        return
    number = world.chance.randrange(len(repository.commits))
    world.trace.event("fault: git checkout", replica.name, str(number))
    repository.move_head(number + 1)
    wanted = repository.commits[number]
    for note_id, data in replica.files().items():
        if note_id not in wanted:
            remove_file(world, replica, note_id, "  git removes")
        elif data != wanted[note_id]:
            put_file(world, replica, note_id, wanted[note_id], "  git changes")
    for note_id in sorted(wanted.keys() - replica.files().keys()):
        put_file(world, replica, note_id, wanted[note_id], "  git adds")


def is_cloned(world: World, replica: Replica) -> None:
    """A second clone of the project on the same machine, with some of the notes, or none."""
    machine = replica.machine
    if world.scope.kind is ScopeKind.USER or len(machine.replicas) > 1 or replica.is_away:
        return
    files = replica.files()
    if replica.repository is not None and replica.repository.commits:
        files = world.chance.choice(replica.repository.commits)
    world.trace.event("fault: second clone", machine.name, " ".join(files))
    clone = world.replica(machine, f"{replica.id}-2")
    for note_id, data in files.items():
        if world.chance.random() < 0.8:
            machine.disk.put(clone.path(note_id), data)
            world.cloned_ids.add(note_id)
    machine.disk.flush_everything()


def goes_away(world: World, replica: Replica) -> None:
    """The notes directory is renamed, or comes back."""
    disk, away = replica.machine.disk, replica.folder.with_name("MEMORY-away")
    if replica.is_away:
        world.trace.event("directory comes back", replica.name)
        comes_back(world, replica)
    elif replica.files() and disk.find(away) is None:
        world.trace.event("fault: directory gone", replica.name)
        for note in replica.notes().values():
            world.ledger.vanished(text_of(note), replica.name)
        disk.move(replica.folder, away)
        replica.is_away = True


def comes_back(world: World, replica: Replica) -> None:
    """The directory is where it was, unless another one is there by now: then its notes are gone for good."""
    away = replica.folder.with_name("MEMORY-away")
    if replica.machine.disk.find(replica.folder) is None and replica.machine.disk.find(away) is not None:
        replica.machine.disk.move(away, replica.folder)
        for note in replica.notes().values():
            world.ledger.restored(note.id)
    replica.is_away = False
