"""Plugins from outside: found by entry point or module, and never the end of the harness."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from oharness.harness.foreign_plugins import (
    ForeignPlugins,
    PluginSettings,
    RuntimePlugin,
    load_foreign_plugins,
    plugin_settings,
)
from oharness.harness.host import PluginHost

pytestmark = pytest.mark.plugins

BUILT_IN = ("model", "tools", "audit", "memory")

PLUGIN = """
class Good:
    id = "{id}"
    def register(self, registry):
        registry.provide("{id}", dict(registry.plugin_config))
good = Good()
def make():
    return Good()
class nest:
    inner = good
nothing = 3
def broken():
    raise RuntimeError("will not start")
"""


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "modules"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    for name in ("alpha_plugin", "beta_plugin"):
        (folder / f"{name}.py").write_text(PLUGIN.replace("{id}", name.removesuffix("_plugin")))
        monkeypatch.delitem(sys.modules, name, raising=False)
    (folder / "bad_plugin.py").write_text("import no_such_module_anywhere\n")
    return folder


def install(folder: Path, **points: str) -> None:
    """A distribution as pip would leave it, with entry points."""
    info = folder / "outside-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: outside\nVersion: 1.0\n")
    lines = [f"{name} = {target}" for name, target in points.items()]
    (info / "entry_points.txt").write_text("\n".join(["[oharness.plugins]", *lines, ""]))


def loaded(entries: list[Any]) -> ForeignPlugins:
    return load_foreign_plugins(plugin_settings({"runtimePlugins": entries}), BUILT_IN)


def ids(found: ForeignPlugins) -> list[str]:
    return [plugin.id for plugin in found.plugins]


@pytest.mark.parametrize("attribute", ["good", "Good", "make", "nest.inner"])
def test_a_plugin_is_loaded_by_module_and_attribute(modules: Path, attribute: str) -> None:
    found = loaded([{"id": "alpha", "module": f"alpha_plugin:{attribute}", "config": {"x": 1}}])
    assert (ids(found), found.warnings) == (["alpha"], ())


def test_a_loaded_plugin_gets_its_config(modules: Path) -> None:
    settings = plugin_settings({"runtimePlugins": [{"id": "alpha", "module": "alpha_plugin:good", "config": {"x": 1}}]})
    host = PluginHost((), load_foreign_plugins(settings, BUILT_IN).plugins, settings.configs())
    assert host.provided("alpha") == {"x": 1}


def test_installed_plugins_are_found_by_their_entry_point(modules: Path) -> None:
    install(modules, alpha="alpha_plugin:good", beta="beta_plugin:make")
    assert ids(loaded([])) == ["alpha", "beta"]
    assert ids(loaded([{"id": "alpha", "enabled": False}])) == ["beta"]
    assert ids(loaded([{"id": "alpha", "config": {"x": 1}}])) == ["alpha", "beta"]


def test_a_module_in_the_settings_goes_before_an_installed_plugin_of_that_id(modules: Path) -> None:
    install(modules, alpha="bad_plugin:x")
    found = loaded([{"id": "alpha", "module": "alpha_plugin:good"}])
    assert (ids(found), found.warnings) == (["alpha"], ())


def test_a_disabled_plugin_is_not_even_imported(modules: Path) -> None:
    assert loaded([{"id": "alpha", "module": "alpha_plugin:good", "enabled": False}]) == ForeignPlugins()
    assert "alpha_plugin" not in sys.modules


@pytest.mark.parametrize(
    ("entry", "error", "detail"),
    [
        ({"id": "x", "module": "no_such_module_anywhere:y"}, "ModuleNotFoundError", "no_such_module_anywhere"),
        ({"id": "x", "module": "bad_plugin:y"}, "ModuleNotFoundError", "no_such_module_anywhere"),
        ({"id": "x", "module": "alpha_plugin:absent"}, "AttributeError", "absent"),
        ({"id": "x", "module": "alpha_plugin"}, "NotAPlugin", "module:attribute"),
        ({"id": "x", "module": ":y"}, "NotAPlugin", "module:attribute"),
        ({"id": "x", "module": "alpha_plugin:nothing"}, "TypeError", "callable"),
        ({"id": "x", "module": "alpha_plugin:broken"}, "RuntimeError", "will not start"),
        ({"id": "x", "module": "alpha_plugin:good"}, "NotAPlugin", "'alpha'"),
        ({"id": "x", "module": "alpha_plugin:nest"}, "NotAPlugin", "no id"),
        ({"id": "x"}, "UnclearEntry", "not installed"),
        ({"id": "x", "module": 3}, "UnclearEntry", "module"),
        ({"id": "x", "config": []}, "UnclearEntry", "config"),
        ({"id": "x", "enabled": "no"}, "UnclearEntry", "true or false"),
        ({"id": "memory", "module": "alpha_plugin:good"}, "UnclearEntry", "built-in"),
        ({"id": "memory", "enabled": False, "module": "alpha_plugin:good"}, "UnclearEntry", "built-in"),
        ({"module": "alpha_plugin:good"}, "UnclearEntry", "no id"),
        ("alpha", "UnclearEntry", "no id"),
    ],
)
def test_a_plugin_that_cannot_be_loaded_is_a_warning_and_the_others_are_loaded(
    modules: Path, entry: Any, error: str, detail: str
) -> None:
    found = loaded([entry, {"id": "beta", "module": "beta_plugin:good"}])
    assert ids(found) == ["beta"]
    (warning,) = found.warnings
    assert warning.key == "plugin-left-out"
    assert warning.fields["error"] == error
    assert detail in warning.fields["detail"]


def test_an_installed_plugin_cannot_take_a_built_in_id(modules: Path) -> None:
    install(modules, memory="alpha_plugin:good")
    found = loaded([{"id": "memory", "enabled": False}])
    assert ids(found) == []
    assert [warning.fields["plugin"] for warning in found.warnings] == ["memory"]


def test_what_plugins_json_says_of_built_in_plugins_is_read() -> None:
    settings = plugin_settings(
        {"runtimePlugins": [{"id": "memory", "enabled": False}, {"id": "audit", "config": {"a": 1}}], "other": 1}
    )
    assert settings.entries == (RuntimePlugin("memory", False), RuntimePlugin("audit", True, "", {"a": 1}))
    assert [settings.is_enabled(name) for name in BUILT_IN] == [True, True, True, False]
    assert settings.configs() == {"audit": {"a": 1}}


def test_a_second_entry_of_one_plugin_is_ignored_and_told_of() -> None:
    settings = plugin_settings({"runtimePlugins": [{"id": "memory", "enabled": False}, {"id": "memory"}]})
    assert not settings.is_enabled("memory")
    assert len(settings.warnings) == 1


def test_a_list_that_is_none_is_told_of() -> None:
    assert len(plugin_settings({"runtimePlugins": {"id": "x"}}).warnings) == 1
    assert plugin_settings({}) == PluginSettings()


def test_entry_points_are_looked_up_only_when_plugins_are_loaded() -> None:
    program = (
        "import sys, oharness.harness.foreign_plugins, oharness.harness.agent, oharness.harness.sessions\n"
        "print([name for name in ('importlib.metadata', 'filelock', 'httpx2', 'rich') if name in sys.modules])"
    )
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert answer.stdout == "[]\n"


def test_a_plugin_that_ends_the_program_is_left_out(modules: Path) -> None:
    (modules / "exit_plugin.py").write_text("raise SystemExit(7)\n")
    (warning,) = loaded([{"id": "x", "module": "exit_plugin:y"}]).warnings
    assert warning.fields["detail"] == "loading it ended with SystemExit"


def test_a_plugin_that_never_finishes_loading_is_left_out(modules: Path) -> None:
    (modules / "hung_plugin.py").write_text("import threading\ngo = threading.Event()\ngo.wait()\n")
    settings = plugin_settings({"runtimePlugins": [{"id": "x", "module": "hung_plugin:y"}]})
    (warning,) = load_foreign_plugins(settings, BUILT_IN, load_seconds=0.2).warnings
    sys.modules["hung_plugin"].go.set()
    assert warning.fields["detail"] == "it was not loaded within 0.2 s"


def test_what_a_plugin_prints_while_it_is_loaded_is_no_answer(
    modules: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (modules / "noisy_plugin.py").write_text("print('noise')\nfrom alpha_plugin import good\n")
    assert ids(loaded([{"id": "alpha", "module": "noisy_plugin:good"}])) == ["alpha"]
    assert capsys.readouterr() == ("", "noise\n")
