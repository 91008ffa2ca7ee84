"""How a person types in the chat: several lines, a history that lasts, pastes that send nothing. Needs `chat`."""

import asyncio
import signal
from collections.abc import Callable, Iterable
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import ANSI, AnyFormattedText
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.patch_stdout import patch_stdout

Names = Callable[[], Iterable[tuple[str, str]]]
"""Slash commands and what each does."""


class PrivateHistory(History):
    """What was typed, except for lines that begin with a space, as in a shell."""

    def __init__(self, kept: History) -> None:
        super().__init__()
        self._kept = kept

    def load_history_strings(self) -> Iterable[str]:
        return self._kept.load_history_strings()

    def store_string(self, string: str) -> None:
        if string.strip() and not string.startswith(" "):
            self._kept.store_string(string)


class SlashCompleter(Completer):
    """Names of commands after a slash at the beginning."""

    def __init__(self, names: Names) -> None:
        self._names = names

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        typed = document.text_before_cursor
        if not typed.startswith("/") or " " in typed or "\n" in typed:
            return
        for name, told in self._names():
            if name.startswith(typed[1:]):
                yield Completion("/" + name, start_position=-len(typed), display_meta=told)


class TerminalInput:
    """The prompt of the chat and the short questions in between."""

    def __init__(self, history_file: Path | None, names: Names, toolbar: Callable[[], AnyFormattedText]) -> None:
        kept: History = FileHistory(str(history_file)) if history_file is not None else InMemoryHistory()
        self._messages: PromptSession[str] = PromptSession(
            history=PrivateHistory(kept),
            completer=SlashCompleter(names),
            complete_while_typing=Condition(lambda: self._messages.default_buffer.text.startswith("/")),
            key_bindings=message_keys(),
            multiline=True,
            prompt_continuation=lambda width, line, wrapped: "… ".rjust(width),
            bottom_toolbar=toolbar,
            reserve_space_for_menu=4,
        )
        self._answers: PromptSession[str] = PromptSession(history=InMemoryHistory())

    async def message(self) -> str:
        """What the person sends.

        Raises: EOFError for Ctrl-D, KeyboardInterrupt for Ctrl-C.
        """
        with patch_stdout(raw=True):
            return await self._messages.prompt_async("> ")

    async def answer(self, question: str) -> str:
        """A short answer to a question; Ctrl-C cancels the run that asks.

        Raises: EOFError.
        """
        try:
            return await self._answers.prompt_async(ANSI(question), handle_sigint=False)
        except KeyboardInterrupt:
            signal.raise_signal(signal.SIGINT)
            await asyncio.Event().wait()
            raise


def message_keys() -> KeyBindings:
    """Enter sends; Alt-Enter, or Enter behind a backslash, begins a new line."""
    keys = KeyBindings()

    @keys.add("enter")
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if buffer.document.text_before_cursor.endswith("\\"):
            buffer.delete_before_cursor()
            buffer.insert_text("\n")
        elif buffer.complete_state is not None and buffer.complete_state.current_completion is not None:
            buffer.complete_state = None
        else:
            buffer.validate_and_handle()

    @keys.add("escape", "enter")
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    return keys
