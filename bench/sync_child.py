"""A process of the sync bench that has everything loaded: it syncs once for every line that it is given.

    python -m bench.sync_child oharness HOME PROJECT URL TOKEN ACCOUNT
    python -m bench.sync_child vdirsyncer CONFIG

Prints a line when it is ready, and one after each pass.
"""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

Pass = Callable[[], object]


def main() -> None:
    kind, *rest = sys.argv[1:]
    answers = _standard_output_kept_apart()
    sync = oharness_pass(*rest) if kind == "oharness" else vdirsyncer_pass(*rest)
    print("ready", file=answers, flush=True)
    for _ in sys.stdin:
        sync()
        print("done", file=answers, flush=True)


def oharness_pass(home: str, project: str, url: str, token: str, account: str) -> Pass:
    """One pass over the project's directory, over a connection that is open already."""
    import asyncio

    from bench.sync_ours import open_directory
    from oharness.sync.account import FixedToken
    from oharness.sync.http_transport import HttpTransport
    from oharness.sync.one_pass import one_pass
    from oharness.system import SystemClock

    directory = open_directory(Path(home), Path(project))
    transport = HttpTransport(url, FixedToken(token), SystemClock())
    loop = asyncio.Runner()
    loop.run(transport.identity())

    def sync() -> None:
        report = loop.run(one_pass(directory, transport, account))
        if report.paused or report.conflicts or report.held_back:
            raise SystemExit(f"a pass did not go through: {report}")

    return sync


def vdirsyncer_pass(config: str) -> Pass:
    from vdirsyncer.cli import app

    return lambda: app.main(["--verbosity", "ERROR", "-c", config, "sync"], standalone_mode=False)


def _standard_output_kept_apart() -> TextIO:
    """What was standard output, for answers; what anything else prints there goes nowhere."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return answers


if __name__ == "__main__":
    main()
