"""Real processes: a conversation on each of two machines, the gateway and the sync service between them."""

import asyncio
import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import httpx2
import pytest

pytestmark = pytest.mark.sync

PROGRAM = [sys.executable, "-m", "oharness.cli.main"]
WRITE_DELAY_S = 3.0
CHECK_S = 2
BAR_S = 5.0
FOR_A_BUSY_MACHINE_S = 10.0
"""The bars are five seconds; tests of a machine that does other things besides allow this much more."""
EMAIL = "ann@example.com"


class Service:
    """A service of the product as a process."""

    def __init__(self, arguments: Sequence[str], **variables: str) -> None:
        own = {name: value for name, value in os.environ.items() if not name.startswith("OHARNESS_")}
        self._environment = own | variables
        self._command = [*PROGRAM, *arguments]
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, url: str) -> None:
        self._process = subprocess.Popen(self._command, env=self._environment, stderr=subprocess.DEVNULL)
        wait_for(lambda: _is_ready(url), 60)

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


def _is_ready(url: str) -> bool:
    with contextlib.suppress(httpx2.TransportError):
        return httpx2.get(f"{url}/healthz").status_code == 200
    return False


def wait_for(happened: Callable[[], bool], seconds: float) -> float:
    """How long it took until something happened; an error when it took longer than that."""
    began = time.monotonic()
    while not happened():
        assert time.monotonic() - began < seconds, "it did not happen in time"
        time.sleep(0.05)
    return time.monotonic() - began


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port


class Cloud:
    """Gateway and sync service, as `docs/user/self-hosting.md` starts them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.storage = root / "storage"
        self.storage.mkdir(parents=True)
        gateway_port, sync_port = free_port(), free_port()
        self.url, self.sync_url = f"http://127.0.0.1:{gateway_port}", f"http://127.0.0.1:{sync_port}"
        self.variables = {
            "OHARNESS_HOME": str(root / "gateway"),
            "OHARNESS_CLOUD_PORT": str(gateway_port),
            "OHARNESS_CLOUD_SYNC_URL": self.sync_url,
            "OHARNESS_SYNC_ADMIN_KEY": "an admin key for tests",
        }
        self.gateway = Service(["gateway"], **self.variables)
        self.sync = Service(
            ["sync-server"],
            OHARNESS_SYNC_PORT=str(sync_port),
            OHARNESS_SYNC_STORAGE_URL=self.storage.as_uri(),
            OHARNESS_SYNC_JWKS_URL=f"{self.url}/.well-known/jwks.json",
            OHARNESS_SYNC_ISSUER=self.url,
            OHARNESS_SYNC_ADMIN_KEY="an admin key for tests",
        )

    def start(self) -> None:
        self.gateway.start(self.url)
        self.sync.start(self.sync_url)

    def stop(self) -> None:
        self.sync.stop()
        self.gateway.stop()

    def add_account(self) -> None:
        """The operator adds somebody."""
        subprocess.run(
            [*PROGRAM, "gateway", "admin", "user", "add", EMAIL, "--json"],
            env=os.environ | self.variables,
            check=True,
            capture_output=True,
        )

    def approve(self, user_code: str) -> None:
        """Somebody approves a code in a browser."""
        from oharness.gateway.__main__ import opened_cloud
        from oharness.gateway.device_codes import CodeState
        from oharness.gateway.settings import read_settings

        async def approved() -> None:
            async with opened_cloud(read_settings(self.variables)) as cloud:
                account = await cloud.accounts.named(EMAIL)
                await cloud.device_codes.answer(user_code, account, CodeState.APPROVED)

        asyncio.run(approved())

    def holds(self, note_id: str) -> bool:
        return any(note_id in str(path) for path in self.storage.rglob("*.md"))


class Machine:
    """One home with a project, used by real processes."""

    def __init__(self, root: Path) -> None:
        self.home = root / "home"
        self.project = root / "shop"
        self.project.mkdir(parents=True)
        self.home.mkdir()
        settings = {"memory": {"sync": {"checkSeconds": CHECK_S}}}
        (self.home / "config.json").write_text(json.dumps(settings))
        self.chats: list[subprocess.Popen[str]] = []

    def command(self, *arguments: str) -> list[str]:
        return [*PROGRAM, "--home", str(self.home), "--project", str(self.project), *arguments]

    def __call__(self, *arguments: str) -> str:
        done = subprocess.run(self.command(*arguments), capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def sign_in(self, cloud: Cloud) -> None:
        """The whole sign-in: the code is read from the screen and approved elsewhere."""
        login = subprocess.Popen(
            self.command("login", "--cloud", cloud.url, "--no-open", "--json"),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert login.stderr is not None
        told = login.stderr.readline()
        cloud.approve(told.split(" code ")[1].split(":")[0])
        out, err = login.communicate(timeout=60)
        assert login.returncode == 0, told + err
        assert json.loads(out)["origin"] == cloud.url

    def chat(self) -> subprocess.Popen[str]:
        """A conversation that stays open; every line of its input is a message."""
        chat = subprocess.Popen(
            self.command("chat"), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        self.chats.append(chat)
        return chat

    def say(self, chat: subprocess.Popen[str], message: str) -> None:
        assert chat.stdin is not None
        chat.stdin.write(message + "\n")
        chat.stdin.flush()

    def end(self) -> None:
        for chat in self.chats:
            if chat.stdin is not None and not chat.stdin.closed:
                chat.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                chat.wait(30)
            chat.kill()
            chat.wait()
            if chat.stderr is not None:
                chat.stderr.close()

    def notes(self) -> set[str]:
        return {path.stem for path in (self.project / "MEMORY").glob("*.md")}

    def write(self, note_id: str, body: str) -> None:
        """Somebody saves a note in an editor."""
        front = {"id": note_id, "summary": f"About {note_id}", "tags": [], "createdAt": 1, "updatedAt": 1}
        (self.project / "MEMORY" / f"{note_id}.md").write_text(f"---\n{json.dumps(front)}\n---\n{body}\n")


@pytest.fixture(scope="module")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cloud]:
    running = Cloud(tmp_path_factory.mktemp("cloud"))
    running.start()
    running.add_account()
    yield running
    running.stop()


@pytest.fixture
def machines(tmp_path: Path, cloud: Cloud) -> Iterator[tuple[Machine, Machine]]:
    laptop, desk = Machine(tmp_path / "laptop"), Machine(tmp_path / "desk")
    laptop("project", "init")
    shutil.copytree(laptop.project, desk.project, dirs_exist_ok=True)
    (desk.project / ".oharness" / "device.json").unlink(missing_ok=True)
    for machine in (laptop, desk):
        machine.sign_in(cloud)
    yield laptop, desk
    laptop.end()
    desk.end()


def test_what_is_written_in_one_conversation_is_soon_in_the_other(
    cloud: Cloud, machines: tuple[Machine, Machine]
) -> None:
    laptop, desk = machines
    here, there = laptop.chat(), desk.chat()
    laptop.say(here, "hello")
    desk.say(there, "hello")
    before = laptop.notes()
    laptop.say(here, "remember that we deploy on Fridays at noon")
    wait_for(lambda: laptop.notes() > before, 60)
    (note_id,) = laptop.notes() - before
    up = wait_for(lambda: cloud.holds(note_id), BAR_S + FOR_A_BUSY_MACHINE_S)
    down = wait_for(lambda: note_id in desk.notes(), CHECK_S + BAR_S + FOR_A_BUSY_MACHINE_S)
    print(f"in the cloud after {up:.1f} s, on the other machine {down:.1f} s later")

    laptop.write("by-hand", "saved in an editor")
    wait_for(lambda: cloud.holds("by-hand"), BAR_S + FOR_A_BUSY_MACHINE_S)
    wait_for(lambda: "by-hand" in desk.notes(), CHECK_S * 5 + BAR_S + FOR_A_BUSY_MACHINE_S)


def test_a_run_that_wrote_a_note_leaves_it_in_the_cloud(cloud: Cloud, machines: tuple[Machine, Machine]) -> None:
    laptop, desk = machines
    laptop("run", "remember that the staging server is called heron")
    (note_id,) = laptop.notes()
    assert cloud.holds(note_id)
    desk("sync", "now")
    assert note_id in desk.notes()


def test_off_in_one_process_holds_for_a_conversation_that_is_open(
    cloud: Cloud, machines: tuple[Machine, Machine]
) -> None:
    laptop, _ = machines
    chat = laptop.chat()
    laptop.say(chat, "hello")
    laptop.write("before-off", "text")
    wait_for(lambda: cloud.holds("before-off"), 60)
    laptop("sync", "off")
    time.sleep(2)
    laptop.write("while-off", "text")
    time.sleep(WRITE_DELAY_S + 3)
    assert not cloud.holds("while-off")
    laptop("sync", "on")
    wait_for(lambda: cloud.holds("while-off"), 30)


def test_signing_in_reaches_a_conversation_that_is_open(cloud: Cloud, tmp_path: Path) -> None:
    machine = Machine(tmp_path / "tablet")
    machine("project", "init")
    try:
        chat = machine.chat()
        machine.say(chat, "remember that the tablet was there first")
        wait_for(lambda: bool(machine.notes()), 60)
        (note_id,) = machine.notes()
        machine.sign_in(cloud)
        wait_for(lambda: cloud.holds(note_id), 30)
        assert json.loads(machine("whoami", "--json"))["plan"] == "free"
        signed_out = json.loads(machine("logout", "--json"))
        assert signed_out["origin"] == cloud.url
        assert machine.notes() == {note_id}
    finally:
        machine.end()


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_while_waiting_for_approval_changes_nothing(cloud: Cloud, tmp_path: Path) -> None:
    machine = Machine(tmp_path / "phone")
    with subprocess.Popen(
        machine.command("login", "--cloud", cloud.url, "--no-open"), stderr=subprocess.PIPE, text=True
    ) as login:
        try:
            assert login.stderr is not None
            login.stderr.readline()
            login.send_signal(signal.SIGINT)
            login.communicate(timeout=30)
        finally:
            login.kill()
    assert login.returncode == 130
    assert not (machine.home / "credentials.json").exists()
