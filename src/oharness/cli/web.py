"""`oharness web`: the pages in the browser, on this machine alone."""

import asyncio
import contextlib
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
    """While this is open, Enter in the terminal prints new addresses, since each works once."""
    loop = asyncio.get_running_loop()
    watches = False

    def read() -> None:
        if not sys.stdin.readline():
            loop.remove_reader(sys.stdin)
            return
        call.output.text("".join(f"{address}\n" for address in addresses()))

    with contextlib.suppress(NotImplementedError, OSError, ValueError):  # Windows, or no terminal
        if sys.stdin.isatty() and not call.output.json_only:
            loop.add_reader(sys.stdin, read)
            watches = True
    try:
        yield
    finally:
        if watches:
            loop.remove_reader(sys.stdin)
