"""Plugins from outside: installed ones by their entry point, others by `module:attribute` in plugins.json.

Importing a plugin runs its code, so nothing here reads a file of the project: plugins.json lies in the user's home,
and installing a package was the user's own act. A plugin that cannot be loaded is a warning, never an end.
"""

import contextlib
import importlib
import logging
import sys
import threading
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from oharness.harness.descriptors import Notice, Plugin
from oharness.harness.host import left_out
from oharness.harness.messages import NO_DATA

GROUP = "oharness.plugins"
"""The entry-point group of installed plugins; an entry point is named after the plugin's id."""

LOAD_SECONDS = 10.0
"""As long as a plugin may take to be imported; a hook may take no longer either."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RuntimePlugin:
    """One entry of `runtimePlugins`. `module` is `module:attribute`, empty for built-in and installed plugins."""

    plugin_id: str
    enabled: bool = True
    module: str = ""
    config: Mapping[str, Any] = field(default_factory=lambda: NO_DATA, hash=False)


@dataclass(frozen=True, slots=True)
class PluginSettings:
    """What plugins.json says of plugins, and the notices of entries that say nothing clear."""

    entries: tuple[RuntimePlugin, ...] = ()
    warnings: tuple[Notice, ...] = ()

    def is_enabled(self, plugin_id: str) -> bool:
        """Every plugin is, unless an entry says otherwise."""
        return all(entry.enabled for entry in self.entries if entry.plugin_id == plugin_id)

    def configs(self) -> dict[str, Mapping[str, Any]]:
        """The `config` of each plugin that has one."""
        return {entry.plugin_id: entry.config for entry in self.entries if entry.config}


@dataclass(frozen=True, slots=True)
class ForeignPlugins:
    """The plugins that could be loaded, and a notice for each that could not."""

    plugins: tuple[Plugin, ...] = ()
    warnings: tuple[Notice, ...] = ()


@dataclass(eq=False)
class NotAPlugin(Exception):
    """What stands at a plugin's place is none: `reason` says why, in words for whoever wrote it."""

    reason: str

    def __str__(self) -> str:
        return self.reason


def plugin_settings(plugins_json: Mapping[str, Any]) -> PluginSettings:
    """The entries of a parsed plugins.json. An entry that cannot be understood is left out and told of."""
    listed = plugins_json.get("runtimePlugins", [])
    if not isinstance(listed, list):
        return PluginSettings(warnings=(_unclear("runtimePlugins", "it must be a list"),))
    entries: list[RuntimePlugin] = []
    warnings: list[Notice] = []
    for item in listed:
        entry = _entry(item, warnings)
        if entry is None:
            continue
        if any(entry.plugin_id == other.plugin_id for other in entries):
            warnings.append(_unclear(entry.plugin_id, "it has a second entry, which is ignored"))
        else:
            entries.append(entry)
    return PluginSettings(tuple(entries), tuple(warnings))


def load_foreign_plugins(
    settings: PluginSettings, built_in_ids: Collection[str], load_seconds: float = LOAD_SECONDS
) -> ForeignPlugins:
    """Every enabled plugin from outside: those named in plugins.json, then the other installed ones.

    A built-in plugin's id is its own even while it is disabled.
    """
    plugins: list[Plugin] = []
    warnings: list[Notice] = list(settings.warnings)
    for plugin_id, load in _candidates(settings, built_in_ids, warnings):
        try:
            plugins.append(_loaded_in_time(load, plugin_id, load_seconds))
        except Exception as error:  # noqa: BLE001 (a foreign plugin's own code takes no harness down)
            _log.warning("plugin %s could not be loaded", plugin_id, exc_info=True)
            warnings.append(left_out(plugin_id, error))
    return ForeignPlugins(tuple(plugins), tuple(warnings))


_Load = Callable[[], object]


def _loaded_in_time(load: _Load, plugin_id: str, seconds: float) -> Plugin:
    """The plugin, unless its code ends the program, does not end at all, or raises what no plugin should.

    What it prints goes to stderr: stdout belongs to the answers.
    """
    outcome: list[Plugin | BaseException] = []

    def work() -> None:
        try:
            outcome.append(_plugin_at(load(), plugin_id))
        except BaseException as error:  # noqa: BLE001 (handed over to whoever waits)
            outcome.append(error)

    thread = threading.Thread(target=work, name=f"load {plugin_id}", daemon=True)
    with contextlib.redirect_stdout(sys.stderr):
        thread.start()
        thread.join(seconds)
    if not outcome:
        raise NotAPlugin(f"it was not loaded within {seconds:g} s")
    match outcome[0]:
        case Exception() as error:
            raise error
        case BaseException() as error:
            raise NotAPlugin(f"loading it ended with {type(error).__name__}") from error
        case plugin:
            return plugin


def _candidates(
    settings: PluginSettings, built_in_ids: Collection[str], warnings: list[Notice]
) -> Iterable[tuple[str, _Load]]:
    installed = _installed()
    for entry in settings.entries:
        if entry.plugin_id in built_in_ids:
            if entry.module:
                warnings.append(_unclear(entry.plugin_id, "a built-in plugin has this id"))
        elif entry.enabled and entry.module:
            yield entry.plugin_id, _importer(entry.module)
        elif entry.enabled and entry.plugin_id not in installed:
            warnings.append(_unclear(entry.plugin_id, "it is not installed and names no module"))
    named = {entry.plugin_id for entry in settings.entries if entry.module or not entry.enabled}
    for plugin_id, load in installed.items():
        if plugin_id in built_in_ids:
            warnings.append(_unclear(plugin_id, "a built-in plugin has this id"))
        elif plugin_id not in named:
            yield plugin_id, load


def _installed() -> dict[str, _Load]:
    from importlib.metadata import entry_points  # slow to import, and only a harness needs it

    return {point.name: point.load for point in sorted(entry_points(group=GROUP), key=lambda point: point.name)}


def _importer(path: str) -> _Load:
    def load() -> object:
        module, _, attribute = path.partition(":")
        if not module or not attribute:
            raise NotAPlugin(f"{path!r} is not of the form module:attribute")
        found: object = importlib.import_module(module)
        for name in attribute.split("."):
            found = getattr(found, name)
        return found

    return load


def _plugin_at(found: Any, plugin_id: str) -> Plugin:
    """A plugin, or what a function or class without arguments makes of itself."""
    plugin = found() if isinstance(found, type) or not hasattr(found, "register") else found
    if not callable(getattr(plugin, "register", None)) or not isinstance(getattr(plugin, "id", None), str):
        raise NotAPlugin("it has no id, or no function register")
    if plugin.id != plugin_id:
        raise NotAPlugin(f"it calls itself {plugin.id!r}")
    checked: Plugin = plugin
    return checked


def _entry(item: Any, warnings: list[Notice]) -> RuntimePlugin | None:
    """What can be understood of an entry. One that says anything but true or false of `enabled` is taken for off."""
    plugin_id = item.get("id") if isinstance(item, dict) else None
    if not isinstance(plugin_id, str) or not plugin_id:
        warnings.append(_unclear("?", "an entry has no id"))
        return None
    enabled, module, config = item.get("enabled", True), item.get("module", ""), item.get("config", {})
    if not isinstance(enabled, bool):
        warnings.append(_unclear(plugin_id, "enabled must be true or false"))
    if not isinstance(module, str) or not isinstance(config, dict):
        warnings.append(_unclear(plugin_id, "module must be a text and config an object"))
        return RuntimePlugin(plugin_id, enabled=False)
    return RuntimePlugin(plugin_id, enabled is True, module, config)


def _unclear(plugin_id: str, detail: str) -> Notice:
    return Notice("plugin-left-out", {"plugin": plugin_id, "error": "UnclearEntry", "detail": detail})
