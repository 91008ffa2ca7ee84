import json
import multiprocessing
import threading
from pathlib import Path

import pytest

from oharness.config.layers import BrokenSettings
from oharness.core.clock import Millis
from oharness.core.errors import StorageFailed
from oharness.core.scopes import USER_SCOPE, project_scope
from oharness.disk.cloud_file import read_cloud_url, write_cloud_url
from oharness.disk.config_files import load_settings
from oharness.disk.deletion_intents import DeletionIntent, DeletionIntents
from oharness.disk.filesystem import FileSystem
from oharness.disk.home import Home, home_at
from oharness.disk.json_files import BrokenFile
from oharness.disk.plugins_file import SyncTarget, runtime_plugins, set_sync_target, sync_target
from oharness.disk.project import Project
from oharness.disk.usage import Usage, UsageFile
from oharness.system import SystemClock
from oharness.testing.clock import FakeClock
from oharness.testing.faults import FaultyFileSystem, read_only_below

pytestmark = pytest.mark.memory
FILES = FileSystem()
SHOP = project_scope("shop-id")
TARGET = SyncTarget("ann", "https://cloud.example", enabled=False)


def test_the_home_is_what_is_configured_else_in_the_user_s_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ann = Path("/home/ann")
    assert home_at(None, ann).root == home_at("", ann).root == ann / ".oharness"
    assert home_at("~/notes", ann).root == ann / "notes"
    assert home_at("~", ann).root == ann
    assert home_at("rel", ann).root == tmp_path / "rel"
    assert home_at("/srv/x", ann).user_notes == Path("/srv/x/memory/user")
    assert not (tmp_path / "rel").exists()


def test_recalls_are_counted_with_the_last_time(home: Path) -> None:
    clock = FakeClock()
    usage = UsageFile(FILES, Home(home), SHOP, clock)
    assert usage.counts() == {}
    assert not home.exists()
    usage.count_recalls(["a", "b"])
    clock.advance(5)
    UsageFile(FILES, Home(home), SHOP, clock).count_recalls(["a"])
    assert usage.counts() == {"a": Usage(2, clock.now_ms()), "b": Usage(1, FakeClock().now_ms())}
    assert UsageFile(FILES, Home(home), USER_SCOPE, clock).counts() == {}
    assert usage.forget("a") == 2
    assert usage.forget("a") == 0
    assert list(usage.counts()) == ["b"]


def test_a_damaged_count_file_is_set_aside(home: Path) -> None:
    usage = UsageFile(FILES, Home(home), SHOP, FakeClock())
    usage.count_recalls(["a"])
    path = Home(home).usage_file(SHOP)
    path.write_text("{broken")
    assert usage.counts() == {}
    usage.count_recalls(["b"])
    assert list(usage.counts()) == ["b"]
    assert [aside.read_text() for aside in path.parent.glob("*.damaged-*")] == ["{broken"]


def _count(home: Path) -> None:
    usage = UsageFile(FileSystem(), Home(home), SHOP, SystemClock())
    for _ in range(20):
        usage.count_recalls(["a"])


def test_processes_and_threads_that_count_at_once_lose_nothing(home: Path) -> None:
    workers: list[multiprocessing.process.BaseProcess | threading.Thread] = [
        multiprocessing.get_context("spawn").Process(target=_count, args=(home,)) for _ in range(2)
    ]
    workers += [threading.Thread(target=_count, args=(home,)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert UsageFile(FILES, Home(home), SHOP, FakeClock()).counts()["a"].count == 80


def test_a_home_that_cannot_be_written_fails_with_its_path(home: Path) -> None:
    usage = UsageFile(FaultyFileSystem(read_only_below(home)), Home(home), SHOP, FakeClock())
    with pytest.raises(StorageFailed) as caught:
        usage.count_recalls(["a"])
    assert caught.value.path.startswith(str(home))


def test_settings_come_from_both_files(home: Path, tmp_path: Path) -> None:
    project = Project(tmp_path / "shop", None, is_registered=False)
    assert load_settings(FILES, Home(home), project, {}).settings.memory.max_notes == 5000
    project.state_folder.mkdir(parents=True)
    home.mkdir()
    project.config_file.write_text('{"memory": {"dir": "docs/memory"}}')
    Home(home).config_file.write_text('{"memory": {"maxNotes": 100}, "mine": 1}')
    settings = load_settings(FILES, Home(home), project, {}).settings
    assert (settings.memory.max_notes, settings.memory.dir) == (100, "docs/memory")


def test_a_broken_settings_file_is_reported_and_left_as_it_is(home: Path) -> None:
    home.mkdir()
    Home(home).config_file.write_text('{"memory": {},\n  // why\n}')
    with pytest.raises(BrokenSettings) as caught:
        load_settings(FILES, Home(home), None, {})
    assert (caught.value.path, caught.value.line) == (str(Home(home).config_file), 2)
    assert "// why" in Home(home).config_file.read_text()


def test_a_sync_target_is_kept_where_the_specification_says_and_nothing_else_is_lost(home: Path) -> None:
    home.mkdir()
    Home(home).plugins_file.write_text(
        '{"theme": "dark", "runtimePlugins": [{"id": "other", "module": "m:plugin", "x": 1}, "junk",'
        ' {"id": "memory", "enabled": true, "config": {"deep": [1], "syncTargets": {"zz": {"userId": "b"}}}}]}'
    )
    set_sync_target(FILES, Home(home), SHOP, TARGET)
    content = json.loads(Home(home).plugins_file.read_text())
    assert content["theme"] == "dark"
    assert content["runtimePlugins"][:2] == [{"id": "other", "module": "m:plugin", "x": 1}, "junk"]
    memory = content["runtimePlugins"][2]["config"]
    assert memory["deep"] == [1]
    assert memory["syncTargets"] == {
        "zz": {"userId": "b"},
        SHOP.digest: {"userId": "ann", "origin": "https://cloud.example", "enabled": False},
    }
    assert sync_target(FILES, Home(home), SHOP) == TARGET
    assert sync_target(FILES, Home(home), USER_SCOPE) is None
    assert [(plugin.id, plugin.enabled) for plugin in runtime_plugins(FILES, Home(home))] == [
        ("other", True),
        ("memory", True),
    ]


def test_a_sync_target_can_be_the_first_thing_in_the_home(home: Path) -> None:
    assert runtime_plugins(FILES, Home(home)) == []
    set_sync_target(FILES, Home(home), SHOP, TARGET)
    assert sync_target(FILES, Home(home), SHOP) == TARGET
    assert Home(home).plugins_file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("text", ["{", "[]", '{"runtimePlugins": {}}', '{"a": 1, "a": 2}', "\xff", "[" * 100_000])
def test_a_broken_plugins_file_is_never_overwritten(home: Path, text: str) -> None:
    home.mkdir()
    Home(home).plugins_file.write_text(text, encoding="latin-1")
    before = Home(home).plugins_file.read_bytes()
    with pytest.raises(BrokenFile) as caught:
        set_sync_target(FILES, Home(home), SHOP, TARGET)
    assert caught.value.path == str(Home(home).plugins_file)
    assert Home(home).plugins_file.read_bytes() == before


def test_the_cloud_s_address_is_kept_beside_unknown_keys(home: Path) -> None:
    assert read_cloud_url(FILES, Home(home)) is None
    home.mkdir()
    Home(home).cloud_file.write_text('{"note": "mine"}')
    write_cloud_url(FILES, Home(home), "https://cloud.example")
    assert read_cloud_url(FILES, Home(home)) == "https://cloud.example"
    assert json.loads(Home(home).cloud_file.read_text())["note"] == "mine"


def test_deletion_intents_are_kept_per_directory_until_they_are_dropped(home: Path) -> None:
    intents = DeletionIntents(FILES, Home(home), SHOP, "device-1")
    intents.drop(["a"])
    assert intents.all() == []
    assert not home.exists()
    first, second = DeletionIntent("a", "hash-a", Millis(1)), DeletionIntent("b", "hash-b", Millis(2), "r-2")
    intents.record([first])
    intents.record([second])
    assert intents.all() == [first, second]
    assert DeletionIntents(FILES, Home(home), SHOP, "device-2").all() == []
    again = DeletionIntent("a", "hash-a2", Millis(3))
    intents.record([again])
    assert intents.all() == [second, again]
    intents.drop(["b", "nothing"])
    assert intents.all() == [again]
