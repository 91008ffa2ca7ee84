"""The Memory page with sample notes, in a throw-away home where nobody is signed in: `scripts/memory_ui_demo.py`.

Reads no settings, no sign-in and no keys of whoever starts it, asks nothing of any other machine, and leaves nothing
behind. Ctrl-C ends it.
"""

import argparse
import asyncio
import contextlib
import os
import signal
import tempfile
import webbrowser
from pathlib import Path

from oharness.testing.memory_samples import fill, many
from oharness.wiring.coordination import Coordinators
from oharness.wiring.environment import open_environment
from oharness.wiring.web import PortTaken, serve_web

PORT = 4319


async def main(port: int, notes: int, language: str, *, opens: bool) -> None:
    """Shows the page until it is interrupted."""
    shows = asyncio.current_task()
    assert shows is not None
    with contextlib.suppress(NotImplementedError):  # ended either way, it leaves nothing behind
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, shows.cancel)
    with tempfile.TemporaryDirectory(prefix="oharness-memory-") as folder:
        here = Path(folder)
        project, home = here / "website", here / "home"
        project.mkdir()
        variables = {"PATH": os.environ.get("PATH", ""), "OHARNESS_KEYRING": "off", "OHARNESS_MODEL": "offline"}
        if language:
            variables["OHARNESS_LANGUAGE"] = language
        environment = open_environment(variables, project, home)
        await asyncio.to_thread(fill, environment)
        if notes:
            await asyncio.to_thread(many, environment, notes)
        async with serve_web(environment, port, Coordinators()) as site:
            address = site.address("memory")
            print(f"The Memory page, with notes of its own and nobody signed in:\n\n  {address}\n")
            print("The address opens once. Ctrl-C ends this and removes everything.", flush=True)
            if opens:
                webbrowser.open(address)
            await asyncio.get_running_loop().create_future()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--port", type=int, default=PORT, help=f"default: {PORT}")
    parser.add_argument("--no-open", action="store_true", help="only print the address")
    parser.add_argument("--notes", type=int, default=0, metavar="N", help="so many notes more, to see a long list")
    parser.add_argument("--language", default="", help="en, zh, pt or fr; default: the browser's")
    given = parser.parse_args()
    try:
        asyncio.run(main(given.port, given.notes, given.language, opens=not given.no_open))
    except PortTaken as taken:
        raise SystemExit(f"Port {taken.port} is taken; --port N chooses another.") from taken
    except (KeyboardInterrupt, asyncio.CancelledError):
        pass
