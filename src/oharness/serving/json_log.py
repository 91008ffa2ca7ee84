"""Log lines as JSON on standard error: what happened and to which kind of request, never notes, tokens or names."""

import json
import logging
import sys
import traceback
from typing import Any

OURS = "oharness."
"""What the names of our own loggers begin with: their messages are constant event names."""


class JsonLines(logging.Formatter):
    """One JSON object per record; `fields` of a record become keys.

    Of an exception only its class and the places in our code are written: its text may quote what was sent.
    """

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": self.formatTime(record, "%Y-%m-%dT%H:%M:%S%z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.msg if record.name.startswith(OURS) else record.getMessage(),
        }
        fields = getattr(record, "fields", None)
        if isinstance(fields, dict):
            line |= fields
        if record.exc_info and record.exc_info[1] is not None:
            line["exception"] = type(record.exc_info[1]).__name__
            line["where"] = [f"{frame.name}:{frame.lineno}" for frame in traceback.extract_tb(record.exc_info[2])][-12:]
        return json.dumps(line, ensure_ascii=False)


def log_to_stderr() -> None:
    """Sends every log line of this process, and every warning of a library, to standard error as JSON."""
    logging.captureWarnings(capture=True)
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.INFO)
    for noisy in ("httpx2", "httpcore2", "uvicorn.access"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
