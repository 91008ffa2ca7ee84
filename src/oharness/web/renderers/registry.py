"""Which renderers there are, and the functions that theirs add to the templates."""

from collections.abc import Callable, Mapping
from typing import Any

from oharness.web.renderers.memory.drawing import FUNCTIONS as MEMORY

RENDERERS = ("chat", "history", "memory", "standard")
"""The names that a page descriptor may give as its `renderer`."""

FUNCTIONS: Mapping[str, Callable[..., Any]] = {**MEMORY}
"""What templates may call beside what `oharness.web.drawing` gives them."""
