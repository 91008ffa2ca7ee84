"""The chat in a real terminal (a pseudo-terminal): what a person sees and presses."""

import os
import re
import select
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.plugins,
    pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are of Unix"),
]

_CODES = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07]*\x07|\x1b[()][AB0]|\x1b[=>]|\r")
_SECONDS = 30.0


class Terminal:
    """A process behind a pseudo-terminal; `seen` is everything it wrote, without control codes."""

    def __init__(self, *arguments: str, **variables: str) -> None:
        import pty
        import termios

        self.seen = ""
        self._raw = b""
        self._at = 0
        self.pid, self._fd = pty.fork()
        if self.pid == 0:
            environment = {**os.environ, "TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1", **variables}
            termios.tcsetwinsize(0, (30, 100))
            os.execve(sys.executable, [sys.executable, "-m", "oharness.cli.main", *arguments], environment)

    def press(self, keys: str) -> None:
        os.write(self._fd, keys.encode())

    def become(self, columns: int) -> None:
        """Another width, as when its window is pulled smaller."""
        import termios

        termios.tcsetwinsize(self._fd, (30, columns))

    def type(self, keys: str) -> None:
        """Presses keys at the prompt of the chat, which has to be there first."""
        self.wait_for(">")
        self.press(keys)

    def wait_for(self, text: str) -> str:
        """Everything since the last wait, up to where the text appears."""
        until = time.monotonic() + _SECONDS
        while (at := self.seen.find(text, self._at)) < 0:
            assert time.monotonic() < until, f"{text!r} did not appear in:\n{self.seen[self._at :]}"
            self._read()
        begun, self._at = self._at, at + len(text)
        return self.seen[begun : self._at]

    def wait_for_the_end(self) -> int:
        """The exit code."""
        until = time.monotonic() + _SECONDS
        while time.monotonic() < until:
            self._read()
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.pid = 0
                return os.waitstatus_to_exitcode(status)
        raise AssertionError(f"it did not end:\n{self.seen}")

    def close(self) -> None:
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self._fd)

    def _read(self) -> None:
        ready, _, _ = select.select([self._fd], [], [], 0.1)
        if ready:
            try:
                self._raw += os.read(self._fd, 65536)
            except OSError:  # the other end is closed
                return
            self.seen = _CODES.sub("", self._raw.decode("utf-8", "replace"))


@pytest.fixture
def chat(project: Path) -> Iterator[Terminal]:
    terminal = Terminal("chat")
    yield terminal
    terminal.close()


def test_a_note_is_written_recalled_and_forgotten_only_after_a_yes(chat: Terminal, project: Path) -> None:
    assert "not a language model" in chat.wait_for("/help")
    chat.type("remember that we deploy on Thursdays\r")
    chat.wait_for("Remembered as")
    (note,) = (project / "MEMORY").glob("*.md")
    chat.type("/new\r")
    chat.wait_for("A new conversation.")
    chat.type("when do we deploy?\r")
    assert "recalled 1 memories" in chat.wait_for("The notes say")
    chat.type(f"forget {note.stem}\r")
    assert "-We deploy on Thursdays" in chat.wait_for("Allow it?")
    chat.press("\r")
    chat.wait_for("Allow it?")
    chat.press("keep it please\r")
    assert "keep it please" in chat.wait_for("Nothing was deleted")
    assert note.exists()
    chat.type(f"forget {note.stem}\r")
    chat.wait_for("Allow it?")
    chat.press("y\r")
    chat.wait_for("is deleted")
    assert not note.exists()
    chat.type("\x04")
    assert chat.wait_for_the_end() == 0


def test_ctrl_c_at_a_question_stops_the_run_and_twice_at_the_prompt_leaves(chat: Terminal, project: Path) -> None:
    chat.wait_for("/help")
    chat.type("remember that we deploy on Thursdays\r")
    chat.wait_for("Remembered as")
    (note,) = (project / "MEMORY").glob("*.md")
    chat.type(f"forget {note.stem}\r")
    chat.wait_for("Allow it?")
    chat.press("\x03")
    chat.wait_for("Stopped.")
    assert note.exists()
    chat.type("when do we deploy?\r")
    chat.wait_for("Thursdays")
    chat.type("\x03")
    chat.wait_for("leaves.")
    chat.type("\x03")
    assert chat.wait_for_the_end() == 0


def test_several_lines_are_one_message(chat: Terminal) -> None:
    chat.wait_for("/help")
    chat.type("\x1b[200~remember that the server\nis called heron\x1b[201~\r")
    assert "heron" in chat.wait_for("Remembered as")
    chat.type("/exit\r")
    assert chat.wait_for_the_end() == 0


def test_what_comes_after_a_terminal_became_narrow_fits_it(chat: Terminal, project: Path) -> None:
    chat.wait_for("/help")
    chat.become(40)
    chat.type("remember that the staging server is called heron and is wiped every Sunday\r")
    chat.wait_for("I am")
    answer = chat.wait_for("Remembered as")
    assert max(len(line) for line in ("I am" + answer).split("\n")[:4]) <= 40, answer
    chat.type("/exit\r")
    assert chat.wait_for_the_end() == 0


def test_without_the_extra_a_terminal_says_what_to_install(project: Path, tmp_path: Path) -> None:
    (tmp_path / "without" / "prompt_toolkit").mkdir(parents=True)
    (tmp_path / "without" / "prompt_toolkit" / "__init__.py").write_text("raise ImportError('not here')")
    terminal = Terminal("chat", PYTHONPATH=str(tmp_path / "without"))
    try:
        terminal.wait_for("pip install 'oharness[chat]'")
        assert terminal.wait_for_the_end() == 1
    finally:
        terminal.close()


def test_one_message_in_a_terminal_asks_there(project: Path) -> None:
    (project / "MEMORY" / "some-a1b.md").write_text('---\n{"id":"some-a1b","summary":"Something"}\n---\n')
    terminal = Terminal("run", "forget some-a1b")
    try:
        terminal.wait_for("Allow it?")
        terminal.press("y\n")
        assert terminal.wait_for_the_end() == 0
        assert not (project / "MEMORY" / "some-a1b.md").exists()
    finally:
        terminal.close()
