"""Keys typed while an answer is drawn are not written into it, and are not lost."""

import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")


def test_keys_are_not_echoed_until_it_is_on_again_and_reach_the_reader() -> None:
    import os
    import pty
    import termios

    from oharness.cli.terminal_echo import TerminalEcho

    person, terminal = pty.openpty()
    try:
        before = termios.tcgetattr(terminal)
        echo = TerminalEcho(terminal)
        echo.off()
        echo.off()
        os.write(person, b"typed ahead\n")
        assert os.read(terminal, 100) == b"typed ahead\n"
        os.set_blocking(person, False)
        with pytest.raises(BlockingIOError):
            os.read(person, 100)
        echo.on()
        echo.on()
        assert termios.tcgetattr(terminal) == before
    finally:
        os.close(person)
        os.close(terminal)


def test_without_a_terminal_nothing_is_done() -> None:
    from oharness.cli.terminal_echo import TerminalEcho

    echo = TerminalEcho(None)
    echo.off()
    echo.on()
