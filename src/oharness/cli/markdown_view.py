"""A terminal where answers are drawn as Markdown while they are written. Needs the `chat` extra."""

from collections.abc import Callable, Iterable

from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.markdown import Heading, Markdown
from rich.spinner import Spinner
from rich.text import Text

from oharness.cli.columns import printable
from oharness.cli.markdown_stream import split_finished, tail
from oharness.cli.output import Ink
from oharness.cli.run_view import beside_the_answer
from oharness.cli.terminal_echo import echo_of_stdin
from oharness.harness.events import ReplyStored, RunEvent, RunFinished
from oharness.harness.messages import own_text
from oharness.harness.model import TextDelta
from oharness.language.catalogue import Catalogue, msg


class MarkdownView:
    """Answers drawn as Markdown while they are written; only the unfinished part is drawn again.

    `cells` says how wide it may draw, asked anew as things happen.
    """

    def __init__(self, console: Console, words: Catalogue, ink: Ink, cells: Callable[[], int]) -> None:
        self._console = console
        self._cells = cells
        self._words = words
        self._ink = ink
        self._live: Live | None = None
        self._echo = echo_of_stdin()
        self._rest = ""
        self._streamed = False

    def begin(self) -> None:
        self._streamed = False
        self._rest = ""
        self._start_drawing()

    def show(self, event: RunEvent) -> None:
        self._console.width = self._cells()
        match event:
            case TextDelta(text):
                self._streamed = True
                self._take(printable(text))
            case ReplyStored(message):
                if not self._streamed:
                    self._rest = printable(own_text(message))
                self._streamed = False
                self._settle()
                self._start_drawing()
            case RunFinished():
                self.end()
                self.lines(beside_the_answer(event, self._words, self._ink, self._console.width))
            case _:
                self.lines(beside_the_answer(event, self._words, self._ink, self._console.width))
                self._start_drawing()

    def lines(self, lines: Iterable[str]) -> None:
        self._console.width = self._cells()
        for line in lines:
            self._console.print(Text.from_ansi(line), overflow="fold")

    def end(self) -> None:
        self._settle()
        self._stop_drawing()

    def pause(self) -> None:
        """Leaves the screen to a question; drawing goes on with the next event that needs it."""
        self._settle()
        self._stop_drawing()

    def _take(self, text: str) -> None:
        finished, self._rest = split_finished(self._rest + text)
        if finished.strip():
            self._console.print(Answer(finished))
            self._console.print()
        self._start_drawing()
        if self._live is not None:
            height = max(4, self._console.height - 4)
            self._live.update(Answer(tail(self._rest, height)) if self._rest.strip() else self._waiting())

    def _settle(self) -> None:
        """Draws what is left for good."""
        rest, self._rest = self._rest, ""
        if self._live is not None:
            self._live.update(self._waiting())
        if rest.strip():
            self._console.print(Answer(rest))

    def _start_drawing(self) -> None:
        if self._live is None:
            self._echo.off()  # a key, Ctrl-C too, would move what is drawn over again
            self._live = Live(self._waiting(), console=self._console, transient=True, refresh_per_second=12)
            self._live.start()

    def _stop_drawing(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None
            self._echo.on()

    def _waiting(self) -> Spinner:
        return Spinner("dots", text=self._words.text(msg("working … (Ctrl-C stops)")), style="dim")


class _LeftHeading(Heading):
    """Headings on the left: a conversation needs no title pages."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        self.text.justify = "left"
        yield self.text


class Answer(Markdown):
    """Markdown in the colours of the terminal; addresses are shown, not hidden behind their names."""

    elements = {**Markdown.elements, "heading_open": _LeftHeading}  # noqa: RUF012  as its base class does

    def __init__(self, text: str) -> None:
        super().__init__(text, code_theme="ansi_dark", hyperlinks=False)
