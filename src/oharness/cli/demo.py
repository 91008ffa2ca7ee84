"""`oharness demo`: a Cloud and two devices on this machine, to see notes travel."""

import asyncio
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from oharness.cli.columns import printable
from oharness.cli.exit_codes import DONE
from oharness.cli.extras import needing_extra
from oharness.cli.grammar import Command, pass_invocation
from oharness.cli.interrupts import until_ended
from oharness.cli.invocation import Invocation
from oharness.language.catalogue import msg

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oharness.demo.stage import Device, Stage, Travelled

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
    examples=(("oharness demo", ""),),
)
@pass_invocation
def demo(call: Invocation) -> int:
    with needing_extra("demo", "server,gateway"):
        from oharness.demo.stage import play

    shown: set[tuple[str, str]] = set()

    def show(stage: "Stage") -> None:
        if call.output.json_only:
            call.output.json_line(_document(stage))
        else:
            call.output.text("".join(f"{line}\n" for line in _lines(call, stage)))

    def tell(travelled: "Travelled") -> None:
        _tell(call, travelled, shown)

    if not call.output.json_only:
        call.output.note(call.words.text(msg("Starting the Cloud and two devices …")))
    asyncio.run(until_ended(play(call.environment, show, tell)))
    if not call.output.json_only:
        call.output.note(call.words.text(msg("Everything is stopped and removed.")))
    return DONE


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
        "devices": [{"name": one.name, "home": str(one.home), "project": str(one.project)} for one in stage.devices],
    }


def _lines(call: Invocation, stage: "Stage") -> "Iterator[str]":
    say, ink = call.words.text, call.output.ink
    program = _program()
    yield say(
        msg("A Cloud at {cloud}, its sync service at {sync}, and two devices:"),
        cloud=stage.cloud_url,
        sync=stage.sync_url,
    )
    for device in stage.devices:
        yield ""
        yield ink.strong(say(msg("Terminal of the {device}:"), device=device.name))
        yield from _commands(device, program)
    yield ""
    yield say(msg("Write a note in one terminal: it is in the other a few seconds later."))
    yield '  oharness memory remember --summary "Coffee is on the third floor"'
    yield "  oharness memory list"
    yield say(msg("Edit the same line of a note in both, for example with an editor, and answer the conflict:"))
    yield "  oharness sync conflicts"
    yield "  oharness sync resolve deploy-day --keep both"
    yield say(msg("Or talk to the agent in both: `oharness`. Ctrl-C here ends everything."))
    yield ""


def _commands(device: "Device", program: str) -> "Iterator[str]":
    yield f"  export OHARNESS_HOME={device.home} OHARNESS_KEYRING=off"
    yield f"  cd {device.project}"
    if program:
        yield f"  alias oharness='{program}'"


def _program() -> str:
    """What has to be typed instead of `oharness` in a terminal that does not know the word; else nothing."""
    if shutil.which("oharness"):
        return ""
    beside = Path(sys.executable).with_name("oharness")
    return str(beside) if beside.exists() else f"{sys.executable} -m oharness.cli.main"
