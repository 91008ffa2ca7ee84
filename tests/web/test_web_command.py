"""`oharness web` as a program of its own."""

import json
import os
import signal
import socket
import subprocess
import sys
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
