"""oHarness: the memory of an AI agent harness. Public names are in `oharness.api`; the main two also here."""

from typing import Any


def __getattr__(name: str) -> Any:
    """`oharness.Harness` and `oharness.AgentOptions`, loaded when they are first asked for: start-up stays quick."""
    if name not in ("AgentOptions", "Harness"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module("oharness.api"), name)
