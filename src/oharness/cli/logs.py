"""Where log lines go: nowhere, since people are told in sentences; to stderr with OHARNESS_DEBUG."""

import logging
from collections.abc import Mapping


def set_up_logs(environment: Mapping[str, str]) -> None:
    """For this process; may be called more than once."""
    root = logging.getLogger()
    if environment.get("OHARNESS_DEBUG"):
        logging.basicConfig(level=logging.DEBUG)
    elif not root.handlers:
        root.addHandler(logging.NullHandler())
