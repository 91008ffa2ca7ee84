"""What every test gets: a home of its own, and the promise that the real one was not touched."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(autouse=True, scope="session")
def _ctrl_c_reaches_programs() -> None:
    """Programs that tests start inherit an ignored Ctrl-C from a shell that runs the tests in the background."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh OHARNESS_HOME, not yet created; no variable of the developer's own reaches a test."""
    place = tmp_path / "home"
    for name in (
        "OHARNESS_MODEL",
        "OHARNESS_SMALL_MODEL",
        "OHARNESS_LANGUAGE",
        "OPENAI_API_KEY",
        "OPENAI_BASE_URL",
    ):
        monkeypatch.delenv(name, raising=False)
    for name in ("ANTHROPIC_API_KEY", "LC_ALL", "LC_MESSAGES", "LANGUAGE", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("OHARNESS_HOME", str(place))
    monkeypatch.setenv("OHARNESS_KEYRING", "off")
    return place


@pytest.fixture(autouse=True, scope="session")
def _real_home_untouched() -> Iterator[None]:
    real = Path.home() / ".oharness"
    before = _stamps(real)
    yield
    assert _stamps(real) == before, "a test wrote below the real home"


def _stamps(folder: Path) -> dict[str, int]:
    return {str(path): path.lstat().st_mtime_ns for path in folder.rglob("*")} if folder.is_dir() else {}
