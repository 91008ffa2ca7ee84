"""`oharness demo`: notes travel between the pages of two devices, and ending it leaves no process and no folder."""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest

pytestmark = [pytest.mark.sync, pytest.mark.skipif(sys.platform == "win32", reason="signals")]


def wait_for(happened: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)


def is_answered(url: str) -> bool:
    try:
        return httpx2.get(f"{url}/healthz", timeout=60).status_code < 500
    except httpx2.TransportError:
        return False


class Demo:
    """The real program, and where everything in it is."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, process.communicate()[1]
        self.stage: dict[str, Any] = json.loads(line)
        self.laptop, self.desk = self.stage["devices"]
        self.err = ""

    def urls(self) -> list[str]:
        return [self.stage["cloud"], self.stage["sync"], self.laptop["url"], self.desk["url"]]

    def note(self, device: dict[str, Any], note_id: str) -> Path:
        return Path(device["project"]) / "MEMORY" / f"{note_id}.md"

    @contextlib.contextmanager
    def visit(self, device: dict[str, Any]) -> Iterator[tuple[httpx2.Client, str]]:
        """A browser that opened the address that was printed, and the page that it landed on."""
        origin = device["url"]
        with httpx2.Client(base_url=origin, follow_redirects=True, headers={"origin": origin}, timeout=60) as visitor:
            page = visitor.get(device["address"])
            assert page.status_code == 200, page.text
            yield visitor, page.url.path

    def end(self, how: signal.Signals) -> None:
        self.process.send_signal(how)
        out, self.err = self.process.communicate(timeout=120)
        assert (self.process.returncode, out) == (0, ""), self.err
        assert "Traceback" not in self.err


@contextlib.contextmanager
def demo(folder: Path) -> Iterator[Demo]:
    command = [sys.executable, "-m", "oharness.cli.main", "demo", "--no-open", "--json"]
    with subprocess.Popen(
        command,
        env=os.environ | {"TMPDIR": str(folder)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield Demo(process)
        finally:
            process.kill()


def nothing_is_left(folder: Path, played: Demo) -> None:
    assert not any(is_answered(url) for url in played.urls())
    assert list(folder.glob("oharness-demo-*")) == []
    assert not any(_group_of(process) == played.process.pid for process in Path("/proc").glob("[0-9]*"))


def _group_of(process: Path) -> int:
    try:
        return int((process / "stat").read_text().rpartition(")")[2].split()[2])
    except (OSError, ValueError, IndexError):
        return 0


@pytest.mark.parametrize("ends_with", [signal.SIGINT, signal.SIGTERM])
def test_what_is_written_on_one_page_is_seen_on_the_other_and_nothing_is_left(
    tmp_path: Path, ends_with: signal.Signals
) -> None:
    with demo(tmp_path) as played:
        wait_for(played.note(played.desk, "deploy-day").exists)
        with played.visit(played.laptop) as (laptop, on_laptop), played.visit(played.desk) as (desk, on_desk):
            assert on_laptop.endswith("/memory")
            assert "We deploy on Tuesdays" in desk.get(on_desk).text
            fields = {"scope": "project", "summary": "Coffee is on the third floor", "body": "Beside the printer."}
            answer = laptop.post(f"{on_laptop}/do/create", data=fields)
            assert answer.status_code < 300, answer.text
            wait_for(lambda: "Coffee is on the third floor" in desk.get(on_desk).text)
        assert all(is_answered(url) for url in played.urls())
        played.end(ends_with)
        nothing_is_left(tmp_path, played)


def test_an_answer_that_is_not_over_when_the_demo_ends_is_no_news_and_keeps_nothing(tmp_path: Path) -> None:
    with demo(tmp_path) as played:
        token = json.loads((Path(played.laptop["home"]) / "credentials.json").read_text())["accessToken"]
        place = urlsplit(played.stage["sync"])
        with socket.create_connection((place.hostname or "", place.port or 0)) as slow:
            head = (
                "POST /v1/memory/commit HTTP/1.1",
                f"Host: {place.netloc}",
                f"Authorization: Bearer {token}",
                "OHarness-Protocol: 2",
                "Content-Type: application/json",
                "Content-Length: 100",
                "",
                "{",
            )
            slow.sendall("\r\n".join(head).encode())
            wait_for(played.note(played.desk, "deploy-day").exists)
            played.end(signal.SIGTERM)
        assert played.err == ""
        nothing_is_left(tmp_path, played)


def test_a_port_that_is_taken_is_said_and_the_next_one_is_used(tmp_path: Path) -> None:
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):  # somebody else has it already, which is as good
            stack.enter_context(socket.create_server(("127.0.0.1", 4310)))
        with subprocess.Popen(
            [sys.executable, "-m", "oharness.cli.main", "demo", "--no-open"],
            env=os.environ | {"TMPDIR": str(tmp_path), "OHARNESS_LANGUAGE": "en"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as process:
            try:
                assert process.stdout is not None
                lines: list[str] = []
                while not lines or "Ctrl-C" not in lines[-1]:
                    lines.append(process.stdout.readline())
                    assert lines[-1], lines
                process.send_signal(signal.SIGINT)
                process.communicate(timeout=120)
                assert process.returncode == 0
            finally:
                process.kill()
    text = "".join(lines)
    said = re.search(r"Port 4310 is taken by another program, so the laptop is at (http://127\.0\.0\.1:(\d+))\.", text)
    assert said is not None, text
    assert said[1] + "/" in text
