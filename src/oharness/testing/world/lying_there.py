"""What lies on the disks of a world, read without the code that wrote it."""

import json
from collections.abc import Mapping
from functools import lru_cache

from oharness.testing.world.ledger import Text, text_of
from oharness.testing.world.machine import Machine, Replica, note_in


def text_in(note_id: str, data: bytes | None) -> Text | None:
    """The text in a file's bytes; None when there is no note in them."""
    note = note_in(note_id, data) if data is not None else None
    return text_of(note) if note else None


def conflicts_on(replica: Replica) -> dict[str, dict[str, object]]:
    """The open conflicts of a directory, as their files have them."""
    folder = replica.machine.home.sync_directory(replica.scope, replica.id) / "conflicts"
    found = replica.machine.disk.contents(folder)
    return {path.stem: json.loads(data) for path, data in found.items() if path.suffix == ".json" and data}


def backups_on(machine: Machine) -> set[Text]:
    """What the backups of a machine say."""
    found = (
        _backed_up(data)
        for path, data in machine.disk.contents(machine.home.backups).items()
        if path.suffix == ".json" and not path.name.startswith(".")
    )
    return {text for text in found if text is not None}


def cloud_text(note_id: str, conflict: Mapping[str, object]) -> Text | None:
    """The cloud's side of an open conflict; None where the note is gone there."""
    cloud = conflict.get("cloud")
    return text_in(note_id, str(cloud["note"]).encode()) if isinstance(cloud, dict) else None


@lru_cache(maxsize=4096)
def _backed_up(data: bytes) -> Text | None:
    backup = json.loads(data)
    return text_in(backup["id"], str(backup["note"]).encode())
