"""A damaged note file is replaced by the synced version when a person asks, and never without a backup."""

from collections.abc import Callable

import pytest

from oharness.sync.mending import CannotBeSetAside, NoFileToMend, NotDamaged, NothingToMendWith, mend
from oharness.testing.devices import Device, settle_all

pytestmark = pytest.mark.sync
Machine = Callable[[str], Device]

BROKEN = b"---\n{half a not"


async def test_a_damaged_file_is_replaced_by_the_synced_version_when_asked(device: Machine) -> None:
    a, b = device("a"), device("b")
    a.write("n", "text")
    await settle_all(a, b)
    a.path("n").write_bytes(BROKEN)
    assert (await a.sync()).held_back == {"n": "unreadable"}
    assert a.path("n").read_bytes() == BROKEN
    done = mend(a.directory, "n")
    assert a.bodies() == {"n": "text"}
    assert a.directory.backups.get(done.backup).data == BROKEN
    assert (await a.sync()).changed_nothing
    assert b.bodies() == {"n": "text"}


async def test_what_others_wrote_meanwhile_comes_after_it(device: Machine) -> None:
    a, b = device("a"), device("b")
    a.write("n", "text")
    await settle_all(a, b)
    a.path("n").write_bytes(BROKEN)
    b.write("n", "newer")
    await b.sync()
    await a.sync()
    mend(a.directory, "n")
    await settle_all(a, b)
    assert a.bodies() == b.bodies() == {"n": "newer"}


async def test_a_note_in_conflict_becomes_this_machines_version_again(device: Machine) -> None:
    a, b = device("a"), device("b")
    a.write("n", "one")
    await settle_all(a, b)
    a.write("n", "A's")
    b.write("n", "B's")
    await a.sync()
    assert (await b.sync()).conflicts == ["n"]
    b.path("n").write_bytes(BROKEN)
    await b.sync()
    mend(b.directory, "n")
    assert b.bodies() == {"n": "B's"}
    assert (await b.sync()).conflicts == ["n"]


async def test_what_cannot_be_mended_is_left_alone_and_said(device: Machine) -> None:
    a = device("a")
    a.write("good")
    await a.sync()
    a.path("never-synced").write_bytes(BROKEN)
    a.path("good").rename(a.path("moved"))
    a.path("good").symlink_to(a.path("moved"))
    before = a.path("never-synced").read_bytes()
    with pytest.raises(CannotBeSetAside):
        mend(a.directory, "good")
    with pytest.raises(NothingToMendWith):
        mend(a.directory, "never-synced")
    with pytest.raises(NoFileToMend):
        mend(a.directory, "nowhere")
    a.path("good").unlink()
    a.path("moved").rename(a.path("good"))
    with pytest.raises(NotDamaged):
        mend(a.directory, "good")
    assert a.path("never-synced").read_bytes() == before
    assert a.backed_up("never-synced") == []
