"""What can be wrong with a command line, and how the parser's complaints become our errors."""

from dataclasses import dataclass

import click

from oharness.core.errors import OharnessError, WrongUsage


@dataclass(eq=False)
class UnknownCommand(WrongUsage):
    """There is no command of this name in `group`; `close` are names that look like it."""

    name: str
    close: str
    group: str


@dataclass(eq=False)
class MissingCommand(WrongUsage):
    """A group of commands was named and none of them."""

    group: str


@dataclass(eq=False)
class UnknownOption(WrongUsage):
    """There is no option of this name; `close` are names that look like it."""

    name: str
    close: str


@dataclass(eq=False)
class MissingValue(WrongUsage):
    """An argument, or an option that has to be there, is not."""

    name: str


@dataclass(eq=False)
class NobodyToAsk(WrongUsage):
    """What cannot be undone was asked for where nobody can be asked whether it is meant."""


@dataclass(eq=False)
class UnusableValue(WrongUsage):
    """What was given for `name` cannot be used; `expected` says what can."""

    name: str
    expected: str


@dataclass(eq=False)
class TooManyArguments(WrongUsage):
    """There was more on the line than the command takes."""

    rest: str


@dataclass(eq=False)
class NotUnderstood(WrongUsage):
    """The parser's own words, for what none of the others says."""

    detail: str


@dataclass(eq=False)
class NothingToRead(WrongUsage):
    """`name` was to be read from standard input, which is a terminal or empty."""

    name: str


@dataclass(eq=False)
class GivenTwice(WrongUsage):
    """The same thing was given in several ways, `names`."""

    names: str


@dataclass(eq=False)
class UnreadableInput(WrongUsage):
    """The file given for `name` cannot be read as text."""

    name: str
    path: str
    reason: str


def as_our_error(error: click.ClickException) -> OharnessError:
    """The parser's complaint as one of the errors above."""
    match error:
        case click.NoSuchOption():
            return UnknownOption(error.option_name, ", ".join(error.possibilities or ()))
        case click.MissingParameter():
            return MissingValue(_name(error))
        case click.BadParameter():
            return UnusableValue(_name(error), _expected(error))
        case click.BadOptionUsage():
            return MissingValue(error.option_name)
        case _:
            return NotUnderstood(error.format_message())


def _name(error: click.BadParameter) -> str:
    param = error.param
    if isinstance(param, click.Option):
        return param.opts[-1]
    return (param.human_readable_name if param else "") or str(error.param_hint or "?")


def _expected(error: click.BadParameter) -> str:
    kind = error.param.type if error.param else None
    if isinstance(kind, click.Choice):
        return ", ".join(str(choice) for choice in kind.choices)
    if isinstance(kind, click.IntRange):
        return f"{kind.min}…{kind.max}" if kind.max is not None else f"{kind.min}…"
    return error.message
