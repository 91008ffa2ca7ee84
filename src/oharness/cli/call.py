"""Carries out one parsed command line, and says what went wrong in words and in a code."""

import os
import sys
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any

import click

from oharness.cli.exit_codes import DONE, FAILED, INTERRUPTED, error_code, exit_code
from oharness.cli.invocation import Invocation
from oharness.cli.root import oharness
from oharness.core.errors import OharnessError, StorageFailed, WrongUsage
from oharness.language.catalogue import msg

_BUG = msg(
    "Something went wrong inside oHarness ({detail}). Your notes are as they were before this step. "
    "Set OHARNESS_DEBUG=1 and try again to see where; please report it."
)


def call(given: Sequence[str], invocation: Invocation) -> int:
    """The exit code of a command line; every error has been told by then."""
    try:
        with oharness.make_context("oharness", list(given), obj=invocation) as context:
            result = oharness.invoke(context)
        return result if isinstance(result, int) else DONE
    except click.exceptions.Exit as finished:
        return finished.exit_code
    except (click.Abort, KeyboardInterrupt):
        return _stopped(invocation)
    except click.ClickException as error:
        from oharness.cli.usage import as_our_error

        return _told(as_our_error(error), invocation, _page_of(error))
    except OharnessError as error:
        return _told(error, invocation)
    except BrokenPipeError:
        raise
    except OSError as error:
        return _told(StorageFailed(str(error.filename or sys.stdout.name), error.strerror or str(error)), invocation)
    except Exception as error:  # noqa: BLE001  the last edge: a person gets a sentence, not a traceback
        return _confess(error, invocation)


def error_document(error: OharnessError, message: str) -> dict[str, Any]:
    """The JSON form of an error: a code that stays the same, a sentence, and what it is about."""
    data = {_camel(name): _plain(value) for name, value in vars(error).items() if not name.startswith("_")}
    return {"error": {"code": code_of(type(error)), "message": message, "data": data}}


def code_of(kind: type[BaseException]) -> str:
    """`NoteTooLarge` as `note-too-large`."""
    return error_code(kind.__name__)


def _told(error: OharnessError, invocation: Invocation, page: str = "") -> int:
    from oharness.language.sentences import error_sentence

    sentence = error_sentence(error, invocation.words)
    if invocation.output.json_only:
        invocation.output.document(error_document(error, sentence))
    else:
        invocation.output.error(sentence)
        if page and isinstance(error, WrongUsage):
            invocation.output.note(invocation.words.text(msg("`{page}` says how it is used."), page=page))
    return exit_code(error)


def _stopped(invocation: Invocation) -> int:
    if invocation.output.json_only:
        message = invocation.words.text(msg("Stopped."))
        invocation.output.document({"error": {"code": "interrupted", "message": message, "data": {}}})
    return INTERRUPTED


def _confess(error: Exception, invocation: Invocation) -> int:
    if invocation.environment.get("OHARNESS_DEBUG"):
        import traceback

        traceback.print_exception(error, file=sys.stderr)
    detail = f"{type(error).__name__}: {error}"
    sentence = invocation.words.text(_BUG, detail=detail)
    if invocation.output.json_only:
        invocation.output.document({"error": {"code": "internal-error", "message": sentence, "data": {}}})
    else:
        invocation.output.error(sentence)
    return FAILED


def _page_of(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    return f"{context.command_path} --help" if context else "oharness --help"


def _camel(name: str) -> str:
    head, *tail = name.split("_")
    return head + "".join(part.capitalize() for part in tail)


def _plain(value: Any) -> Any:
    match value:
        case None | bool() | int() | float() | str():
            return value.value if isinstance(value, Enum) else value
        case os.PathLike():
            return str(value)
        case Mapping():
            return {str(key): _plain(inner) for key, inner in value.items()}
        case list() | tuple() | set() | frozenset():
            return [_plain(inner) for inner in value]
        case _:
            return str(value)
