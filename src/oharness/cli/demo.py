"""`oharness demo`: a Cloud and two devices on this machine, to see notes travel."""

import asyncio
import shutil
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from oharness.cli.columns import printable
from oharness.cli.exit_codes import DONE
from oharness.cli.extras import needing_extra
from oharness.cli.grammar import Command, pass_invocation
from oharness.cli.interrupts import until_ended
from oharness.cli.invocation import Invocation
from oharness.cli.logs import set_up_logs
from oharness.cli.web import enter_prints_others, open_browser
from oharness.language.catalogue import msg

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Mapping

    from oharness.demo.stage import Device, Stage, Travelled

    Play = Callable[[Mapping[str, str], Callable[[Stage], None], Callable[[Travelled], None]], Awaitable[None]]

_SENTENCES = {
    "up": msg("{device}: {note} goes up"),
    "down": msg("{device}: {note} arrives"),
    "deleted": msg("{device}: {note} is deleted in the cloud"),
    "removed": msg("{device}: {note} is removed"),
    "merged": msg("{device}: both edits of {note} are merged"),
    "conflict": msg("{device}: {note} is in conflict and waits for a decision"),
}


@click.command(
    "demo",
    cls=Command,
    help=msg(
        "Start a Cloud and two devices of one person on this machine, in a folder that is thrown away at the end. "
        "Your own notes and settings are not touched. Ctrl-C ends all of it."
    ),
    examples=(("oharness demo", ""), ("oharness demo --no-open", msg("print the addresses, open no browser"))),
    next_step=msg("Enter in this terminal prints the addresses again, for another browser."),
)
@click.option("--no-open", is_flag=True, help=msg("Open no browser."))
@pass_invocation
def demo(call: Invocation, no_open: bool) -> int:
    with needing_extra("demo", "server,gateway,web"):
        from oharness.demo.stage import play

    set_up_logs(call.environment)  # a request that is broken off at the end is no news
    asyncio.run(until_ended(_play(call, play, opens=not no_open)))
    if not call.output.json_only:
        call.output.note(call.words.text(msg("Everything is stopped and removed.")))
    return DONE


async def _play(call: Invocation, play: "Play", *, opens: bool) -> None:
    shown: set[tuple[str, str]] = set()

    opened: list[Device] = []

    def show(stage: "Stage") -> None:
        opened.extend(stage.devices)
        if call.output.json_only:
            call.output.json_line(_document(stage))
            return
        call.output.text("".join(f"{line}\n" for line in _lines(call, stage)))
        if opens:
            for device in stage.devices:
                # a browser that keeps its thread must not keep the demo
                threading.Thread(target=open_browser, args=(device.address(),), daemon=True).start()

    def tell(travelled: "Travelled") -> None:
        _tell(call, travelled, shown)

    if not call.output.json_only:
        call.output.note(call.words.text(msg("Starting the Cloud and two devices …")))
    with enter_prints_others(call, lambda: (f"{device.name}  {device.address()}" for device in opened)):
        await play(call.environment, show, tell)


def _tell(call: Invocation, travelled: "Travelled", shown: set[tuple[str, str]]) -> None:
    """One line for each move; a conflict once, however often a pass meets it."""
    if travelled.error is not None:
        from oharness.language.sentences import error_sentence

        call.output.warning(f"{travelled.device}: {error_sentence(travelled.error, call.words)}")
        return
    if call.output.json_only:
        return
    key = (travelled.device, travelled.note_id)
    if travelled.move == "conflict":
        if key in shown:
            return
        shown.add(key)
    else:
        shown.discard(key)
    sentence = _SENTENCES[travelled.move]
    device = call.output.ink.strong(travelled.device)
    note = call.output.ink.name(printable(travelled.note_id))
    call.output.text(call.words.text(sentence, device=device, note=note) + "\n")


def _document(stage: "Stage") -> dict[str, Any]:
    return {
        "folder": str(stage.folder),
        "cloud": stage.cloud_url,
        "sync": stage.sync_url,
        "devices": [
            {
                "name": one.name,
                "home": str(one.home),
                "project": str(one.project),
                "url": one.pages.url,
                "address": one.address(),
            }
            for one in stage.devices
        ],
    }


def _lines(call: Invocation, stage: "Stage") -> "Iterator[str]":
    from oharness.demo.stage import CHECK_SECONDS

    say, ink = call.words.text, call.output.ink
    program = _program()
    yield say(msg("One person, two devices, and a Cloud of their own. Open both:"))
    yield ""
    width = max(len(device.name) for device in stage.devices)
    for device in stage.devices:
        yield f"  {ink.strong(device.name.ljust(width))}  {ink.name(device.address())}"
    for device in stage.devices:
        if not device.has_its_port:
            sentence = msg("Port {port} is taken by another program, so the {device} is at {url}.")
            yield say(sentence, port=device.wished, device=device.name, url=device.pages.url)
    yield ""
    yield say(msg("What to try:"))
    yield "  1. " + say(msg("Write a note on one: it is on the other a few seconds later."))
    yield "  2. " + say(msg("Edit one line of a note on both before they have checked, and answer the conflict."))
    yield "  3. " + say(msg("Ask in the chat when we deploy: the note is recalled."))
    yield ""
    yield say(msg("The same in two terminals, with `oharness memory list`, `oharness sync status` and `oharness`:"))
    for device in stage.devices:
        yield from _commands(device, program)
    yield ""
    yield say(
        msg("Both check every {seconds} s. Enter prints new addresses, Ctrl-C ends everything."), seconds=CHECK_SECONDS
    )
    yield ""


def _commands(device: "Device", program: str) -> "Iterator[str]":
    yield f"  cd {device.project}; export OHARNESS_HOME={device.home} OHARNESS_KEYRING=off"
    if program:
        yield f"  alias oharness='{program}'"


def _program() -> str:
    """What has to be typed instead of `oharness` in a terminal that does not know the word; else nothing."""
    if shutil.which("oharness"):
        return ""
    beside = Path(sys.executable).with_name("oharness")
    return str(beside) if beside.exists() else f"{sys.executable} -m oharness.cli.main"
