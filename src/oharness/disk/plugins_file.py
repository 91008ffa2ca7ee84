"""plugins.json: which plugins run with which config, and where each scope's notes sync to."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from oharness.core.scopes import Scope
from oharness.disk.atomic import ensure_directory
from oharness.disk.filesystem import PRIVATE_DIRECTORY, FileSystem
from oharness.disk.folder_lock import FolderLock
from oharness.disk.home import Home
from oharness.disk.json_files import BrokenFile, read_object, write_object

MEMORY_PLUGIN = "memory"


@dataclass(frozen=True, slots=True)
class RuntimePlugin:
    """One entry of `runtimePlugins`; `entry` is all of it, keys unknown here included."""

    id: str
    enabled: bool
    config: Mapping[str, Any]
    entry: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SyncTarget:
    """The account and Cloud that a scope is pinned to, and whether it syncs."""

    user_id: str
    origin: str
    enabled: bool


def runtime_plugins(files: FileSystem, home: Home) -> list[RuntimePlugin]:
    """The entries in their order; of several with one id the first counts, as for the harness.

    Raises: BrokenFile; StorageFailed.
    """
    content = read_object(files, home.plugins_file) or {}
    plugins: dict[str, RuntimePlugin] = {}
    for entry in _entries(content, home):
        plugins.setdefault(entry["id"], _plugin(entry))
    return list(plugins.values())


def sync_target(files: FileSystem, home: Home, scope: Scope) -> SyncTarget | None:
    """Where a scope syncs to; None before its first sync.

    Raises: BrokenFile; StorageFailed.
    """
    plugins = {plugin.id: plugin for plugin in runtime_plugins(files, home)}
    memory = plugins.get(MEMORY_PLUGIN)
    targets = memory.config.get("syncTargets") if memory else None
    raw = targets.get(scope.digest) if isinstance(targets, dict) else None
    return _target(raw) if isinstance(raw, dict) else None


def set_sync_target(files: FileSystem, home: Home, scope: Scope, target: SyncTarget) -> None:
    """Records where a scope syncs to; everything else in the file stays.

    Raises: BrokenFile; StorageFailed; FolderBusy.
    """

    def change(content: dict[str, Any]) -> None:
        config = _section(_entry_of(content, MEMORY_PLUGIN, home), "config")
        before = _section(config, "syncTargets").get(scope.digest)
        kept = before if isinstance(before, dict) else {}
        config["syncTargets"][scope.digest] = {
            **kept,
            "userId": target.user_id,
            "origin": target.origin,
            "enabled": target.enabled,
        }

    change_plugins_file(files, home, change)


def switch_sync_targets(files: FileSystem, home: Home, scopes: Iterable[Scope], *, on: bool) -> None:
    """Turns the switch of every scope that the file knows, and of `scopes`; pins stay.

    Raises: BrokenFile; StorageFailed; FolderBusy.
    """

    def change(content: dict[str, Any]) -> None:
        targets = _section(_section(_entry_of(content, MEMORY_PLUGIN, home), "config"), "syncTargets")
        for scope in scopes:
            _section(targets, scope.digest)
        for target in targets.values():
            if isinstance(target, dict):
                target.setdefault("userId", "")
                target.setdefault("origin", "")
                target["enabled"] = on

    change_plugins_file(files, home, change)


def change_plugins_file(files: FileSystem, home: Home, change: Callable[[dict[str, Any]], None]) -> None:
    """Lets `change` edit the file's object in place and writes it back; processes take turns.

    Raises: BrokenFile; StorageFailed; FolderBusy.
    """
    ensure_directory(files, home.root, PRIVATE_DIRECTORY)
    with FolderLock(files, home.plugins_file, home.locks).held():
        content = read_object(files, home.plugins_file) or {}
        change(content)
        write_object(files, home.plugins_file, content)


def _entries(content: Mapping[str, Any], home: Home) -> list[dict[str, Any]]:
    listed = content.get("runtimePlugins", [])
    if not isinstance(listed, list):
        raise BrokenFile(str(home.plugins_file), 1, 1, "plugins-not-listed")
    return [entry for entry in listed if isinstance(entry, dict) and isinstance(entry.get("id"), str)]


def _plugin(entry: Mapping[str, Any]) -> RuntimePlugin:
    config = entry.get("config")
    return RuntimePlugin(
        id=str(entry["id"]),
        enabled=entry.get("enabled") is not False,
        config=config if isinstance(config, dict) else {},
        entry=entry,
    )


def _target(raw: Mapping[str, Any]) -> SyncTarget:
    return SyncTarget(str(raw.get("userId", "")), str(raw.get("origin", "")), raw.get("enabled") is not False)


def _entry_of(content: dict[str, Any], plugin_id: str, home: Home) -> dict[str, Any]:
    matching = [entry for entry in _entries(content, home) if entry["id"] == plugin_id]
    if matching:
        return matching[0]
    entry: dict[str, Any] = {"id": plugin_id}
    content.setdefault("runtimePlugins", []).append(entry)
    return entry


def _section(parent: dict[str, Any], key: str) -> dict[str, Any]:
    section = parent.get(key)
    if not isinstance(section, dict):
        section = parent[key] = {}
    return section
