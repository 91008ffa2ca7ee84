"""`oharness web` as a program of its own."""

import json
import os
import re
import select
import shlex
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx2
import pytest

PROGRAM = [sys.executable, "-m", "oharness.cli.main"]


def started(home: Path, project: Path, *options: str) -> "subprocess.Popen[str]":
    """The program, with its answers to read."""
    project.mkdir(exist_ok=True)
    command = [*PROGRAM, "--home", str(home), "--project", str(project), "web", "--no-open", *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ))


def test_it_prints_an_address_that_works_and_leaves_nothing_running(home: Path, tmp_path: Path) -> None:
    with started(home, tmp_path / "shop", "--port", "0") as program:
        assert program.stdout is not None
        line = program.stdout.readline()
        address = line.split()[-1]
        assert address.startswith("http://127.0.0.1:")
        with httpx2.Client(follow_redirects=True) as client:
            assert "<title>Chat · shop</title>" in client.get(address).text
        program.send_signal(signal.SIGINT)
        _, errors = program.communicate(timeout=20)
    assert program.returncode == 0
    assert "Traceback" not in errors
    port = int(address.split(":")[2].split("/")[0])
    with socket.socket() as free:
        free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        free.bind(("127.0.0.1", port))


def test_ctrl_c_ends_it_while_a_page_is_open(home: Path, tmp_path: Path) -> None:
    with started(home, tmp_path / "shop", "--port", "0", "--json") as program:
        assert program.stdout is not None
        document = json.loads("".join(iter(program.stdout.readline, "}\n")) + "}")
        with httpx2.Client(follow_redirects=True) as client:
            key = str(client.get(document["address"]).url).split("/")[4]
            with client.stream("GET", f"{document['url']}/p/{key}/events?page=chat") as events:
                assert next(events.iter_text()).startswith("retry")
                program.send_signal(signal.SIGTERM)
                _, errors = program.communicate(timeout=20)
    assert program.returncode == 0
    assert "Traceback" not in errors


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_port_that_is_taken_is_said_with_what_to_do(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    monkeypatch.setenv("OHARNESS_LANGUAGE", language)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        with started(home, tmp_path / "shop", "--port", port) as program:
            _, errors = program.communicate(timeout=20)
    assert program.returncode == 1
    assert port in errors
    assert "oharness web --port" in errors


@pytest.mark.skipif(sys.platform == "win32", reason="a terminal of Unix")
def test_enter_prints_another_address(home: Path, tmp_path: Path) -> None:
    import pty

    (tmp_path / "shop").mkdir()
    ours, its = pty.openpty()
    command = [sys.executable, "-m", "oharness.cli.main", "--home", str(home), "--project", str(tmp_path / "shop")]
    with subprocess.Popen(
        [*command, "web", "--no-open", "--port", "0"], stdin=its, stdout=subprocess.PIPE, text=True
    ) as program:
        assert program.stdout is not None
        first = program.stdout.readline().split()[-1]
        os.write(ours, b"\n")
        second = program.stdout.readline().strip()
        program.terminate()
    os.close(ours)
    os.close(its)
    assert second.startswith(first.partition("token=")[0])
    assert second != first


@pytest.mark.skipif(sys.platform == "win32", reason="job control of Unix")
def test_in_the_background_it_leaves_the_shell_what_is_typed(home: Path, tmp_path: Path) -> None:
    import pty

    (tmp_path / "shop").mkdir()
    web = [*PROGRAM, "--home", str(home), "--project", str(tmp_path / "shop"), "web", "--no-open", "--port", "0"]
    pid, shell = pty.fork()
    if pid == 0:
        os.execve("/bin/sh", ["sh", "-i"], {**os.environ, "PS1": "$ ", "ENV": ""})
    try:
        told = _told(shell, shlex.join(web) + " & echo started\n", "Ctrl-C ends oHarness.")
        address = re.findall(r"http://\S+/open\S+", re.sub(r"\x1b\[\d*m", " ", told))[-1]
        _told(shell, "echo began $((6 * 6)); sleep 2; echo still $((6 * 7))\n", "began 36")
        _told(shell, "\n\n", "still 42")  # typed while nobody reads, so that whoever is in the background sees it
        with httpx2.Client(follow_redirects=True) as client:
            assert client.get(address, timeout=20).status_code == 200
        assert "/open?" in _told(shell, "fg\n", "web --no-open") + _told(shell, "\n", "/open?")
        _told(shell, "\x03", "$ ")
        _told(shell, "echo left $((6 * 9))\n", "left 54")
    finally:
        os.kill(pid, signal.SIGHUP)
        os.close(shell)
        os.waitpid(pid, 0)


def _told(terminal: int, typed: str, until: str) -> str:
    """What a terminal shows after something was typed, up to a text."""
    os.write(terminal, typed.encode())
    shown, end = "", time.monotonic() + 60
    while until not in re.sub(r"[\r\n]+|\x1b\[\?\d+[hl]", "", shown):
        assert time.monotonic() < end, shown
        if select.select([terminal], [], [], 0.2)[0]:
            shown += os.read(terminal, 65536).decode("utf-8", "replace")
    return shown
