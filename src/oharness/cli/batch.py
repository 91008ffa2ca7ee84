"""Messages from JSON lines."""

import json
from collections.abc import Iterator
from typing import Any

from oharness.language.catalogue import Catalogue, msg


def messages_in(text: str) -> Iterator[str | None]:
    """The `message` of each line, in order; None for a line that holds none. Empty lines are passed over."""
    for line in text.split("\n"):
        if line.strip():
            yield _message(line)


def error_line(words: Catalogue) -> dict[str, Any]:
    """The answer to a line that holds no message."""
    told = words.text(msg('This line is no JSON object with a text at "message".'))
    return {"error": {"code": "no-message", "message": told, "data": {}}}


def _message(line: str) -> str | None:
    try:
        line.encode()  # not where it was read from bytes that are no text
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    message = value.get("message") if isinstance(value, dict) else None
    return message if isinstance(message, str) else None
