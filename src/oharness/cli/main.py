"""The program: from the words on the command line to an exit code.

Nothing but the help is imported before it is known that more is needed.
"""

import contextlib
import os
import sys
from collections.abc import Sequence
from typing import TextIO

_WITH_VALUE = ("--project", "--home")
_INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command line (`sys.argv` unless given) and gives the exit code; never raises."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    _open_what_is_closed()
    _say_anything(sys.stdout, "backslashreplace")
    _say_anything(sys.stderr, "backslashreplace")
    _say_anything(sys.stdin, "replace")
    try:
        plain_help = asks_for_root_help(given) and "--json" not in given
        code = _root_help() if plain_help else _called(given)
        sys.stdout.flush()
    except BrokenPipeError:
        _leave_quietly()
        return 1
    except OSError as error:  # what should take the answer, a full disk perhaps, takes no more
        _leave_quietly()
        with contextlib.suppress(OSError):
            sys.stderr.write(f"oharness: {error.strerror or error}\n")
        return 1
    except KeyboardInterrupt:
        return _INTERRUPTED
    return code


def asks_for_root_help(given: Sequence[str]) -> bool:
    """Whether this is `oharness --help` and nothing that needs the parser."""
    rest = list(given)
    while rest:
        word = rest.pop(0)
        if word in ("--help", "-h"):
            return True
        if word in _WITH_VALUE and rest:
            rest.pop(0)
        elif not word.startswith(tuple(f"{option}=" for option in _WITH_VALUE)):
            return False
    return False


def _root_help() -> int:
    from oharness.cli.help import root_page
    from oharness.cli.output import cells_of
    from oharness.disk.at_a_glance import language_setting
    from oharness.language.catalogue import Catalogue, choose_language

    words = Catalogue(choose_language(language_setting(os.environ), os.environ))
    sys.stdout.write(root_page(words, cells_of(sys.stdout)) + "\n")
    return 0


def _called(given: Sequence[str]) -> int:
    if "_OHARNESS_COMPLETE" in os.environ:
        from oharness.cli.root import oharness

        oharness.main(list(given), prog_name="oharness")
    from oharness.cli.call import call
    from oharness.cli.invocation import Invocation

    ours = given[: given.index("--")] if "--" in given else given
    invocation = Invocation(os.environ, sys.stdin, sys.stdout, sys.stderr, json_only="--json" in ours)
    return call(given, invocation)


def _open_what_is_closed() -> None:
    """A process may be started without one of its streams; nothing is read from it, and words to it are lost."""
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: PTH123, SIM115  stays open like the one it stands for
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115


def _say_anything(stream: TextIO, errors: str) -> None:
    """A character that a terminal cannot show or send is replaced instead of ending the program."""
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors=errors)


def _leave_quietly() -> None:
    """Whoever read our output has enough: nothing more may be flushed into the closed pipe at exit."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        return


if __name__ == "__main__":
    sys.exit(main())
