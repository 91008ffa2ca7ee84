"""Typing in the chat: several lines, pasting, history."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from oharness.cli.terminal_input import TerminalInput


def kept_in(history_file: Path) -> str:
    return history_file.read_text() if history_file.exists() else ""


Typed = Callable[[str], Awaitable[str]]


@pytest.fixture
def history_file(tmp_path: Path) -> Path:
    return tmp_path / "history"


@pytest.fixture
async def typed(history_file: Path) -> AsyncIterator[Typed]:
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        terminal = TerminalInput(history_file, lambda: [("help", "what there is")], lambda: "")

        async def typed(text: str) -> str:
            keys.send_text(text)
            return await terminal.message()

        yield typed


async def test_enter_sends(typed: Typed) -> None:
    assert await typed("when do we deploy?\r") == "when do we deploy?"


async def test_alt_enter_and_a_backslash_begin_a_new_line(typed: Typed) -> None:
    assert await typed("one\x1b\rtwo\r") == "one\ntwo"
    assert await typed("one\\\rtwo\r") == "one\ntwo"


async def test_pasting_several_lines_sends_nothing_by_itself(typed: Typed) -> None:
    assert await typed("\x1b[200~first\nsecond\n\x1b[201~ and more\r") == "first\nsecond\n and more"


async def test_ctrl_d_leaves_and_ctrl_c_interrupts(typed: Typed) -> None:
    with pytest.raises(EOFError):
        await typed("\x04")
    with pytest.raises(KeyboardInterrupt):
        await typed("half a message\x03")


async def test_what_was_typed_is_there_the_next_time(typed: Typed, history_file: Path) -> None:
    await typed("the first\r")
    assert "the first" in kept_in(history_file)
    assert await typed("\x1b[A\r") == "the first"


async def test_a_line_that_begins_with_a_space_is_not_kept(typed: Typed, history_file: Path) -> None:
    await typed(" my secret\r")
    assert "secret" not in kept_in(history_file)
