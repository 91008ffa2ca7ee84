"""Running commands: what they said, when they are stopped, and that nothing of them stays behind."""

import asyncio
import contextlib
import os
import shutil
import signal
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from oharness.harness.tools import ToolResult
from oharness.plugins.file_tools.processes import run_shell

pytestmark = [pytest.mark.plugins, pytest.mark.skipif(sys.platform == "win32", reason="written for a POSIX shell")]

Use = Callable[..., Awaitable[ToolResult]]


async def test_output_of_both_kinds_comes_back_from_the_projects_root(use: Use, project: Path) -> None:
    result = await use("run", command="pwd; echo oops >&2; printf '\\033[31mred\\033[0m'")
    assert result.text == f"{project}\noops\nred"
    assert (result.is_error, result.data) == (False, {"exitCode": 0})


async def test_a_failing_command_says_its_exit_code(use: Use) -> None:
    result = await use("run", command="echo before; exit 3")
    assert result.text == "before\n[exit code 3]"
    assert (result.is_error, result.data) == (True, {"exitCode": 3})
    assert (await use("run", command="true")).text == "(no output)"
    assert (await use("run", command="a\0b")).is_error


async def test_commands_have_no_input(use: Use) -> None:
    assert (await use("run", command='cat; read answer; echo "got <$answer>"')).text == "got <>"


async def test_what_takes_too_long_is_stopped_with_its_children(project: Path) -> None:
    finished = await run_shell("echo start; sleep 100 & echo $! > child; wait", project, 0.5, 1_000)
    assert (finished.exit_code, finished.output) == (None, b"start\n")
    await _gone(project / "child")


async def test_cancelling_ends_the_whole_group(project: Path) -> None:
    task = asyncio.create_task(run_shell("sleep 100 & echo $! > child; wait", project, 100, 1_000))
    await _written(project / "child")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await _gone(project / "child")


async def test_one_that_ignores_the_gentle_signal_is_ended_all_the_same(project: Path) -> None:
    command = "trap '' TERM; echo $$ > child; while true; do sleep 0.1; done"
    assert (await run_shell(command, project, 0.5, 1_000)).exit_code is None
    await _gone(project / "child")


async def test_what_was_left_in_the_background_is_ended_with_the_command(use: Use, project: Path) -> None:
    result = await use("run", command="sleep 100 & echo $! > child; echo done")
    assert result.text == "done"
    await _gone(project / "child")


@pytest.mark.skipif(shutil.which("setsid") is None, reason="needs setsid")
async def test_one_that_leaves_the_group_and_keeps_the_output_open_is_not_waited_for(project: Path) -> None:
    finished = await run_shell("setsid sh -c 'echo $$ > child; sleep 100' & sleep 0.2; echo done", project, 50, 1_000)
    assert finished.output == b"done\n"
    await _written(project / "child")
    os.killpg(int((project / "child").read_text()), signal.SIGKILL)


async def test_endless_output_is_bounded_by_its_first_and_last_bytes(project: Path) -> None:
    finished = await run_shell("echo first; yes | head -c 5000000; echo last", project, 30, 3_000)
    assert len(finished.output) < 3_100
    assert finished.output.startswith(b"first\n")
    assert finished.output.endswith(b"last\n")
    assert b"bytes left out" in finished.output
    assert finished.left_out == 5_000_011 - 3_000


async def _written(path: Path) -> None:
    await _until(lambda: path.exists() and path.read_text().endswith("\n"))


async def _gone(pid_file: Path) -> None:
    """Returns when the process whose id is in the file is no more, or only waits to be buried."""
    await _until(lambda: not _runs(int(pid_file.read_text())))


async def _until(reached: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not reached():  # noqa: ASYNC110 - another process cannot set an event
            await asyncio.sleep(0.01)


def _runs(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return not Path("/proc").is_dir()
