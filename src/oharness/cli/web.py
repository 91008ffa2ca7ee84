"""`oharness web`: the pages in the browser, on this machine alone."""

import asyncio
import contextlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator

import click

from oharness.cli.exit_codes import DONE
from oharness.cli.extras import needing_extra
from oharness.cli.grammar import Command, pass_invocation
from oharness.cli.interrupts import until_ended
from oharness.cli.invocation import Invocation
from oharness.cli.logs import set_up_logs
from oharness.language.catalogue import msg

_LOOK_AGAIN_S = 0.5


@click.command(
    "web",
    cls=Command,
    help=msg(
        "Open the chat, its history and the notes in the browser. Only this machine can reach them: the address that "
        "is printed lets one browser in, once. Ctrl-C ends it."
    ),
    examples=(
        ("oharness web", ""),
        ("oharness web --no-open --port 4400", msg("print the address, open no browser")),
    ),
    next_step=msg("Enter in this terminal prints another address, for another browser."),
)
@click.option("--port", type=click.IntRange(0, 65535), metavar="N", help=msg("Listen here instead of on 4310."))
@click.option("--no-open", is_flag=True, help=msg("Open no browser."))
@pass_invocation
def web(call: Invocation, port: int | None, no_open: bool) -> int:
    with needing_extra("web", "web"):
        from oharness.wiring.web import DEFAULT_PORT
    set_up_logs(call.environment)
    asyncio.run(until_ended(_serve(call, DEFAULT_PORT if port is None else port, opens=not no_open)))
    return DONE


async def _serve(call: Invocation, port: int, *, opens: bool) -> None:
    from oharness.wiring.web import serve_web

    output = call.output
    async with serve_web(call.opened(), port) as served:
        address = served.address()
        if output.json_only:
            output.document({"url": served.url, "address": address})
        else:
            say = call.words.text
            output.text(say(msg("oHarness is open at {address}"), address=output.ink.name(address)) + "\n")
            output.note(say(msg("The address works once. Enter prints another one, Ctrl-C ends oHarness.")))
        if opens and not output.json_only:
            await asyncio.to_thread(open_browser, served.address())
        with enter_prints_others(call, lambda: [served.address()]):
            await asyncio.get_running_loop().create_future()


def open_browser(address: str) -> None:
    """A machine without a browser is no fault: the address is printed."""
    import webbrowser

    with contextlib.suppress(webbrowser.Error, OSError):
        webbrowser.open(address)


@contextlib.contextmanager
def enter_prints_others(call: Invocation, addresses: Callable[[], Iterable[str]]) -> Iterator[None]:
    """While this is open, Enter in the terminal prints new addresses, since each works once.

    Started with `&`, what is typed belongs to the shell: a program that reads it all the same is stopped by the system.
    """
    loop = asyncio.get_running_loop()
    looks_again: list[asyncio.TimerHandle] = []

    def watch() -> None:
        looks_again.clear()
        if _has_the_terminal():
            loop.add_reader(sys.stdin, read)
        else:
            looks_again.append(loop.call_later(_LOOK_AGAIN_S, watch))

    def read() -> None:
        try:
            is_ours = _has_the_terminal()
            typed = sys.stdin.readline() if is_ours else ""
        except OSError:  # the terminal was closed
            is_ours, typed = True, ""
        if typed:
            call.output.text("".join(f"{address}\n" for address in addresses()))
            return
        loop.remove_reader(sys.stdin)
        if not is_ours:
            watch()

    with contextlib.suppress(NotImplementedError, OSError, ValueError):  # Windows, or no terminal
        if sys.stdin.isatty() and not call.output.json_only:
            watch()
    try:
        yield
    finally:
        for later in looks_again:
            later.cancel()
        with contextlib.suppress(NotImplementedError, OSError, ValueError):
            loop.remove_reader(sys.stdin)


def _has_the_terminal() -> bool:
    """Whether what is typed there is for this program; so it is where no shell shares the terminal."""
    if sys.platform == "win32":
        return True
    try:
        return os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()
    except OSError:
        return True
