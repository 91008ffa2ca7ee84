"""What a program that was killed left half written in the home goes away by itself."""

import os
from pathlib import Path
from typing import Any

import pytest

from oharness.core.scopes import USER_SCOPE
from oharness.disk.filesystem import FileSystem
from oharness.disk.home import Home
from oharness.disk.sync_state import SyncState
from oharness.memory.scopes import USER_REPLICA

pytestmark = pytest.mark.memory
World = Any


def left_behind(folder: Path, age_s: int, now_ms: int) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / FileSystem().temporary_name()
    path.write_text("half of it")
    os.utime(path, (now_ms / 1000 - age_s,) * 2)
    return path


def test_what_was_left_half_written_in_the_home_is_swept(world: World) -> None:
    now = world.clock.now_ms()
    folders = [world.home, world.home / "memory-backups", world.home / "memory-usage"]
    old = [left_behind(folder, 90_000, now) for folder in folders]
    young = left_behind(world.home, 1, now)
    other = world.home / "notes-of-mine.tmp"
    other.write_text("not ours")
    os.utime(other, (1, 1))
    world.open()
    assert not any(path.exists() for path in old)
    assert young.exists()
    assert other.exists()


def test_what_a_killed_pass_left_is_swept_by_the_next(tmp_path: Path) -> None:
    state = SyncState(FileSystem(), Home(tmp_path), USER_SCOPE, USER_REPLICA)
    now = FileSystem().file_time_ns() // 1_000_000
    old, young = left_behind(state.folder, 90_000, now), left_behind(state.folder, 1, now)
    state.lock(0).release()
    assert not old.exists()
    assert young.exists()
