"""What a run looks like as it goes on, in plain lines; with the `chat` extra `markdown_view` draws it instead."""

from collections.abc import Iterable, Mapping
from typing import Any, Protocol, assert_never

from oharness.cli.approval import call_text
from oharness.cli.columns import one_line, printable, shortened
from oharness.cli.output import Ink, Output
from oharness.harness.descriptors import Notice
from oharness.harness.events import (
    Compacted,
    Compacting,
    ReplyStored,
    RunEvent,
    RunFinished,
    SubagentEvent,
    ToolFinished,
    ToolStarted,
    UserMessageStored,
)
from oharness.harness.messages import own_text
from oharness.harness.model import TextDelta
from oharness.language.catalogue import Catalogue, msg
from oharness.language.sentences import notice_sentence


class RunView(Protocol):
    """Shows the events of runs, one run after the other."""

    def begin(self) -> None:
        """A message was sent; nothing has come back yet."""
        ...

    def show(self, event: RunEvent) -> None:
        """One more event."""
        ...

    def lines(self, lines: Iterable[str]) -> None:
        """Lines beside the answer; what is being drawn stays whole."""
        ...

    def end(self) -> None:
        """The run is over, however it ended; may be called twice."""
        ...


class PlainView:
    """Text as it comes, for pipes, files and terminals without the `chat` extra."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._ink = output.ink
        self._open = False
        self._streamed = False

    def begin(self) -> None:
        self._streamed = False

    def show(self, event: RunEvent) -> None:
        match event:
            case TextDelta(text):
                self._output.text(printable(text))
                self._streamed = True
                self._open = not text.endswith("\n")
            case ReplyStored(message):
                if not self._streamed:
                    self._output.text(printable(own_text(message)))
                    self._open = bool(own_text(message))
                self._streamed = False
                self._close_line()
            case _:
                self.lines(beside_the_answer(event, self._output.words, self._ink, self._output.cells))

    def lines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._close_line()
            self._output.text(line + "\n")

    def end(self) -> None:
        self._close_line()

    def _close_line(self) -> None:
        if self._open:
            self._output.text("\n")
            self._open = False


_GROUNDS: Mapping[str, str] = {
    "person": msg("you said no"),
    "mode": msg("in this mode nothing is changed"),
    "rule": msg("a rule in the settings forbids it"),
    "nobody": msg("nobody is here to be asked"),
}


def beside_the_answer(event: RunEvent, words: Catalogue, ink: Ink, cells: int) -> list[str]:
    """The lines for everything that is no part of the answer itself."""
    match event:
        case Notice("saved" | "saved-earlier" as key, fields):
            told = [ink.faint("· ") + ink.name(one_line(notice_sentence(key, fields, words)))]
            return told + [_note_line(note, ink, cells) for note in fields.get("notes", ())]
        case Notice(key, fields):
            return [ink.faint("· ") + ink.name(one_line(notice_sentence(key, fields, words)))]
        case ToolStarted():
            return [ink.faint("· " + call_text(event.tool, event.arguments, cells - 4))]
        case ToolFinished():
            return _tool_lines(event, words, ink, cells)
        case Compacting(dropped):
            said = words.plural(
                "shortening the conversation: {count} message", "shortening the conversation: {count} messages", dropped
            )
            return [ink.faint("· " + said)]
        case Compacted(summarised=False):
            return [ink.warning("! ") + words.text(msg("The summary failed; the oldest messages were left out."))]
        case SubagentEvent(event=inner):
            return [] if isinstance(inner, TextDelta) else ["  " + line for line in _inside(inner, words, ink, cells)]
        case UserMessageStored() | ReplyStored() | TextDelta() | Compacted() | RunFinished():
            return []
        case _:
            assert_never(event)


def _note_line(note: Mapping[str, Any], ink: Ink, cells: int) -> str:
    return ink.faint("  " + shortened(one_line(f"[{note.get('id')}] {note.get('summary')}"), cells - 4))


def _inside(event: RunEvent, words: Catalogue, ink: Ink, cells: int) -> list[str]:
    return beside_the_answer(event, words, ink, cells - 2)


def _tool_lines(event: ToolFinished, words: Catalogue, ink: Ink, cells: int) -> list[str]:
    first = one_line(next((line for line in event.result.text.splitlines() if line.strip()), ""))
    if not event.allowed:
        refused = words.text(msg("{tool} was not allowed"), tool=one_line(event.tool))
        if ground := _GROUNDS.get(str(event.result.data.get("decidedBy"))):
            first = words.text(ground)  # the text itself is written for the model, in English
        return [ink.bad("× ") + shortened(f"{refused}: {first}" if first else refused, cells - 4)]
    if event.result.is_error:
        failed = words.text(msg("{tool} failed"), tool=one_line(event.tool))
        return [ink.bad("× ") + shortened(f"{failed}: {first}" if first else failed, cells - 4)]
    return [ink.faint("  " + shortened(first, cells - 4))] if first else []
