"""chat-history: what was typed in the chat of this home, readable by its owner alone."""

import os
from pathlib import Path

from oharness.disk.filesystem import PRIVATE_DIRECTORY, PRIVATE_FILE
from oharness.disk.home import Home


def chat_history(home: Home) -> Path | None:
    """The file for the chat's history, made private before anything is in it; None where it cannot be written."""
    path = home.root / "chat-history"
    try:
        home.root.mkdir(PRIVATE_DIRECTORY, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, PRIVATE_FILE))
    except OSError:
        return None
    return path
