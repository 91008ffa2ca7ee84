"""Programs that a tool starts: their output within limits, and no process left when they are over.

Cancelling, a timeout and the program's own end all end its whole process group.
"""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from oharness.harness.to_the_end import to_the_end

_GENTLE_SECONDS = 2.0
_NEW_GROUP: int = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
"""Windows' way to a process group of its own; elsewhere a session of its own is one."""


@dataclass(frozen=True, slots=True)
class Finished:
    """How a program ended: `exit_code` is None when its time was up; `left_out` bytes of output are missing."""

    exit_code: int | None
    output: bytes
    left_out: int = 0


@dataclass(slots=True)
class _Output:
    """The first and the last bytes of a stream that may be endless."""

    head_limit: int
    tail_limit: int
    head: bytearray = field(default_factory=bytearray)
    tail: bytearray = field(default_factory=bytearray)
    total: int = 0

    def add(self, data: bytes) -> None:
        self.total += len(data)
        room = self.head_limit - len(self.head)
        self.head += data[:room]
        if self.tail_limit:
            self.tail += data[room:]
            del self.tail[: -self.tail_limit]

    def finished(self, exit_code: int | None) -> Finished:
        left_out = self.total - len(self.head) - len(self.tail)
        middle = f"\n[… {left_out} bytes left out …]\n".encode() if left_out else b""
        return Finished(exit_code, bytes(self.head) + middle + bytes(self.tail), left_out)


class _Watch(asyncio.SubprocessProtocol):
    """Keeps a program's output, and knows when it has ended and when nobody can write any more."""

    def __init__(self, output: _Output) -> None:
        self.output = output
        self.ended = asyncio.Event()
        self.silent = asyncio.Event()

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        self.output.add(data)

    def process_exited(self) -> None:
        self.ended.set()

    def connection_lost(self, exc: Exception | None) -> None:
        self.silent.set()


async def run_shell(command: str, folder: Path, seconds: float, output_bytes: int) -> Finished:
    """Runs a command line in the system's shell, without input; both its outputs are one.

    Raises: OSError when there is no shell.
    """
    transport, watch = await asyncio.get_running_loop().subprocess_shell(
        lambda: _Watch(_Output(output_bytes * 2 // 3, output_bytes // 3)),
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        creationflags=_NEW_GROUP,
    )
    return await _finished(transport, watch, seconds)


async def run_program(words: Sequence[str], given: bytes, seconds: float, output_bytes: int) -> Finished:
    """Runs a program with `given` on its standard input; of its output the first `output_bytes` are kept.

    Raises: OSError when it cannot be started.
    """
    transport, watch = await asyncio.get_running_loop().subprocess_exec(
        lambda: _Watch(_Output(output_bytes, 0)),
        *words,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        creationflags=_NEW_GROUP,
    )
    if isinstance(pipe := transport.get_pipe_transport(0), asyncio.WriteTransport):
        pipe.write(given)
        pipe.close()
    return await _finished(transport, watch, seconds)


async def _finished(transport: asyncio.SubprocessTransport, watch: _Watch, seconds: float) -> Finished:
    try:
        async with asyncio.timeout(seconds):
            await watch.ended.wait()
        exit_code = transport.get_returncode()
    except TimeoutError:
        exit_code = None
    finally:
        await to_the_end(_end(transport, watch))
    return watch.output.finished(exit_code)


async def _end(transport: asyncio.SubprocessTransport, watch: _Watch) -> None:
    """Ends whatever of the group still runs, gently and after two seconds for good, and takes what it still wrote.

    A program that left the group and keeps the output open is not waited for.
    """
    if not watch.ended.is_set():
        _signal_group(transport.get_pid(), gentle=True)
        await _within(_GENTLE_SECONDS, watch.ended)
    _signal_group(transport.get_pid(), gentle=False)
    await watch.ended.wait()
    await _within(_GENTLE_SECONDS, watch.silent)
    transport.close()


async def _within(seconds: float, event: asyncio.Event) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()


def _signal_group(pid: int, *, gentle: bool) -> None:
    if sys.platform == "win32":
        words = ["taskkill", "/T", "/PID", str(pid), *([] if gentle else ["/F"])]
        subprocess.run(words, capture_output=True, check=False)
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGTERM if gentle else signal.SIGKILL)
