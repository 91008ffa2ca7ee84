"""What ends a program that runs until it is ended."""

import asyncio
import os
import signal
import sys

import pytest

from oharness.cli.interrupts import until_ended

pytestmark = [
    pytest.mark.plugins,
    pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix"),
]


@pytest.mark.parametrize(
    ("sent", "is_ignored", "ends"),
    [
        (signal.SIGHUP, False, True),
        (signal.SIGHUP, True, False),
        (signal.SIGTERM, False, True),
        (signal.SIGINT, True, True),
    ],
)
def test_a_closed_terminal_ends_it_unless_it_was_started_with_nohup(
    sent: signal.Signals, is_ignored: bool, ends: bool
) -> None:
    went_on: list[bool] = []

    async def work() -> None:
        os.kill(os.getpid(), sent)
        for _ in range(100):
            await asyncio.sleep(0)
        went_on.append(True)

    was = signal.signal(sent, signal.SIG_IGN if is_ignored else signal.SIG_DFL)
    try:
        asyncio.run(until_ended(work()))
    finally:
        signal.signal(sent, was)
    assert went_on == ([] if ends else [True])
