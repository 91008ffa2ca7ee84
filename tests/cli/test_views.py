"""What a run looks like, in plain lines and drawn as Markdown."""

import io
from collections.abc import Callable

import pytest
from rich.console import Console

from oharness.cli.markdown_view import MarkdownView
from oharness.cli.output import Ink, Output
from oharness.cli.run_view import PlainView, RunView
from oharness.core.clock import Millis
from oharness.harness.descriptors import Notice
from oharness.harness.events import ReplyStored, RunEvent, RunFinished, SubagentEvent, ToolFinished, ToolStarted
from oharness.harness.messages import Message, Role, TextBlock
from oharness.harness.model import TextDelta
from oharness.harness.tools import ToolResult
from oharness.language.catalogue import Catalogue

PLAIN = Ink(coloured=False)
Shown = Callable[..., str]


def reply(text: str) -> ReplyStored:
    return ReplyStored(Message(Role.ASSISTANT, (TextBlock(text),), Millis(1)))


def shown_plainly(*events: RunEvent) -> str:
    stream = io.StringIO()
    view = PlainView(Output(stream, stream, Catalogue(), {}, json_only=False))
    return _shown(view, stream, events)


def shown_as_markdown(*events: RunEvent, height: int = 20) -> str:
    stream = io.StringIO()
    console = Console(file=stream, width=60, height=height, force_terminal=False)
    return _shown(MarkdownView(console, Catalogue(), PLAIN, lambda: 60), stream, events)


def _shown(view: RunView, stream: io.StringIO, events: tuple[RunEvent, ...]) -> str:
    view.begin()
    for event in events:
        view.show(event)
    view.end()
    view.end()
    return stream.getvalue()


@pytest.mark.parametrize("shown", [shown_plainly, shown_as_markdown])
class TestBothViews:
    def test_an_answer_appears_once_whether_it_was_streamed_or_not(self, shown: Shown) -> None:
        streamed = shown(TextDelta("We deploy "), TextDelta("on Thursdays."), reply("We deploy on Thursdays."))
        assert streamed.count("We deploy on Thursdays.") == 1
        assert shown(reply("We deploy on Thursdays.")).count("Thursdays") == 1

    def test_an_interrupted_answer_stays(self, shown: Shown) -> None:
        assert "half an answer" in shown(TextDelta("half an answer"))

    def test_what_was_recalled_is_said_in_the_words_of_the_specification(self, shown: Shown) -> None:
        assert "recalled 1 memories\n" in shown(Notice("recalled", {"count": 1}), reply("x"))

    def test_what_was_saved_is_named(self, shown: Shown) -> None:
        notes = [{"scope": "project", "id": "port-a1b", "summary": "Staging listens on \x1b[2J8081", "created": True}]
        said = shown(Notice("saved", {"count": 1, "notes": notes}), reply("x"))
        assert "saved 1 memories from this conversation" in said
        assert "[port-a1b] Staging listens on" in said
        assert "\x1b[2J" not in said

    def test_tools_are_shown_with_their_outcome(self, shown: Shown) -> None:
        said = shown(
            ToolStarted("c1", "tools", "read", {"path": "a.py"}),
            ToolFinished("c1", "tools", "read", True, ToolResult("\n12 lines\nmore")),
            ToolFinished("c2", "tools", "write", False, ToolResult("nobody is here to be asked")),
            ToolFinished("c3", "tools", "run", True, ToolResult("exit 1", is_error=True)),
            reply("done"),
        )
        assert "read(path=a.py)" in said
        assert "12 lines" in said
        assert "more" not in said
        assert "write was not allowed: nobody is here to be asked" in said
        assert "run failed: exit 1" in said

    def test_what_happens_in_a_subagent_is_shown_without_its_words(self, shown: Shown) -> None:
        said = shown(
            SubagentEvent("c1", ToolStarted("c2", "tools", "read", {"path": "b.py"})),
            SubagentEvent("c1", TextDelta("inner words")),
            SubagentEvent("c1", RunFinished("inner words")),
        )
        assert "read(path=b.py)" in said
        assert "inner words" not in said

    def test_a_model_cannot_steer_the_terminal(self, shown: Shown) -> None:
        said = shown(TextDelta("a\x1b[2Jb"), reply("a\x1b[2Jb"), Notice("odd", {"what": "\x1b]0;x\x07"}))
        assert "\x1b" not in said

    def test_nothing_is_lost_of_a_long_answer_of_many_blocks(self, shown: Shown) -> None:
        text = "\n\n".join(f"Paragraph {number} with words." for number in range(60)) + "\n"
        pieces = [TextDelta(text[at : at + 7]) for at in range(0, len(text), 7)]
        said = shown(*pieces, reply(text))
        assert [said.count(f"Paragraph {number} with") for number in range(60)] == [1] * 60


def test_markdown_is_drawn_and_addresses_are_not_hidden() -> None:
    said = shown_as_markdown(TextDelta("# Title\n\n- one\n- two\n\n[here](https://x.example/a)\n"), reply("x"))
    assert "Title" in said
    assert "#" not in said
    assert "• one" in said
    assert "https://x.example/a" in said


def test_a_code_block_longer_than_the_screen_is_drawn_whole_at_the_end() -> None:
    text = "```\n" + "\n".join(f"line {number}" for number in range(50)) + "\n```\n"
    said = shown_as_markdown(*(TextDelta(line + "\n") for line in text.split("\n")), reply(text), height=10)
    assert "line 0" in said
    assert "line 49" in said


def test_an_answer_fits_a_terminal_that_became_another_width() -> None:
    stream, cells = io.StringIO(), [60]
    view = MarkdownView(Console(file=stream, force_terminal=False), Catalogue(), PLAIN, lambda: cells[0])
    for width in (60, 25):
        cells[0] = width
        view.begin()
        view.show(reply("word " * 30))
        view.lines(["line " * 30])
        view.end()
        shown = stream.getvalue()
        stream.truncate(0)
        stream.seek(0)
        assert width - 8 < max(len(line.rstrip()) for line in shown.splitlines()) <= width
