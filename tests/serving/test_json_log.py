"""Log lines of a service."""

import json
import logging
import sys

import pytest

from oharness.serving.json_log import JsonLines

pytestmark = pytest.mark.sync


def record(name: str, message: str, *arguments: object) -> logging.LogRecord:
    return logging.LogRecord(name, logging.INFO, "x.py", 1, message, arguments, None)


def test_a_line_is_one_json_object_with_its_fields() -> None:
    line = record("oharness.gateway", "request")
    line.fields = {"endpoint": "token", "status": 200}
    told = json.loads(JsonLines().format(line))
    assert (told["event"], told["endpoint"], told["status"]) == ("request", "token", 200)


def test_an_exception_is_told_by_class_and_place_and_not_by_its_text() -> None:
    line = record("oharness.gateway", "internal error")
    try:
        raise ValueError("ann@example.com")
    except ValueError:
        line.exc_info = sys.exc_info()
    text = JsonLines().format(line)
    assert "ann@" not in text
    assert json.loads(text)["exception"] == "ValueError"
