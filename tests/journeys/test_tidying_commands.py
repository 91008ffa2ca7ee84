"""Two homes and a real service: a merge goes to the cloud first, and another device's edit refuses it."""

from pathlib import Path

import pytest

from tests.journeys.test_sync_commands import Machine, Service, machines, service

__all__ = ["machines", "service"]
pytestmark = pytest.mark.sync


def two_of_one_subject(laptop: Machine, desk: Machine) -> None:
    laptop("memory", "remember", "--id", "dep-1", "--summary", "Deploys run on Thursdays", "--body", "At 14:30.")
    laptop("memory", "remember", "--id", "dep-2", "--summary", "We deploy on Thursdays", "--body", "With make ship.")
    laptop("memory", "remember", "--id", "off-1", "--summary", "Where the office is", "--body", "See [[dep-2]].")
    laptop.sync()
    desk.sync()


def notes_of(machine: Machine) -> dict[str, str]:
    folder: Path = machine.project / "MEMORY"
    return {path.stem: path.read_text().split("---\n")[2].strip() for path in sorted(folder.glob("*.md"))}


def test_a_merge_is_in_the_cloud_before_it_is_here_and_reaches_the_other_machine(
    machines: tuple[Machine, Machine],
) -> None:
    laptop, desk = machines
    two_of_one_subject(laptop, desk)
    merged = laptop("memory", "merge", "dep-1", "dep-2")
    assert (merged["kept"], merged["deleted"], merged["relinked"]) == ("dep-1", ["dep-2"], ["off-1"])
    assert len(merged["backups"]) == 3
    assert laptop.sync()["project"]["pushed"] == []
    desk.sync()
    assert notes_of(desk) == notes_of(laptop)
    assert set(notes_of(laptop)) == {"dep-1", "off-1"}
    for backup in merged["backups"]:
        laptop("memory", "restore", backup)
    laptop.sync()
    desk.sync()
    assert notes_of(desk) == notes_of(laptop)
    assert set(notes_of(desk)) == {"dep-1", "dep-2", "off-1"}


def test_another_devices_edit_refuses_the_merge_and_nothing_is_lost(machines: tuple[Machine, Machine]) -> None:
    laptop, desk = machines
    two_of_one_subject(laptop, desk)
    desk("memory", "remember", "--id", "dep-2", "--body", "With make ship, by Anna.")
    desk.sync()
    refused = laptop("memory", "merge", "dep-1", "dep-2", code=4)
    assert refused["error"]["code"] == "notes-changed"
    assert notes_of(laptop) == notes_of(desk)
    assert notes_of(laptop)["dep-2"] == "With make ship, by Anna."
    assert laptop("memory", "merge", "dep-1", "dep-2")["deleted"] == ["dep-2"]
    assert "by Anna" in notes_of(laptop)["dep-1"]


def test_without_the_service_a_merge_is_refused_and_with_sync_off_it_is_local(
    machines: tuple[Machine, Machine], service: Service
) -> None:
    laptop, desk = machines
    two_of_one_subject(laptop, desk)
    before = notes_of(laptop)
    service.stop()
    assert "error" in laptop("memory", "merge", "dep-1", "dep-2", code=1)
    assert notes_of(laptop) == before
    laptop("sync", "off")
    assert laptop("memory", "merge", "dep-1", "dep-2")["kept"] == "dep-1"
    assert set(notes_of(laptop)) == {"dep-1", "off-1"}
