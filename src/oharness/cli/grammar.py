"""How the command line is parsed: commands that are imported when called, options that may stand anywhere.

Every command takes the global options too, so that `oharness --json memory list` and `oharness memory list --json`
are the same. Help pages are drawn by `oharness.cli.help`.
"""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, cast

import click

from oharness.cli.commands import ROOT
from oharness.cli.exit_codes import DONE, WRONG_USAGE
from oharness.cli.help import GLOBAL_OPTIONS, page, root_page
from oharness.cli.invocation import Invocation
from oharness.language.catalogue import msg

Examples = Sequence[tuple[str, str]]


class Command(click.Command):
    """A command whose help shows examples and the next step."""

    def __init__(self, name: str | None, *, examples: Examples = (), next_step: str = "", **options: Any) -> None:
        settings = {"allow_extra_args": True, **options.pop("context_settings", {})}
        super().__init__(name, context_settings=settings, **options)
        self.examples = examples
        self.next_step = next_step

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        return [*super().get_params(ctx), *_global_options()]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        rest = super().parse_args(ctx, args)
        if rest and not ctx.resilient_parsing:
            from oharness.cli.usage import TooManyArguments

            raise TooManyArguments(" ".join(rest))
        return rest

    def get_help(self, ctx: click.Context) -> str:
        call = invocation_of(ctx)
        return call.help_text(
            page(
                call.words,
                call.output.cells,
                usage=" ".join([ctx.command_path, *self.collect_usage_pieces(ctx)]),
                purpose=self.help or "",
                sections=[(msg("Options"), _option_rows(self, ctx))],
                examples=self.examples,
                next_step=self.next_step,
            )
        )


class Group(click.Group):
    """A group of commands with one line each."""

    command_class = Command

    def __init__(self, name: str | None, *, examples: Examples = (), next_step: str = "", **options: Any) -> None:
        options.setdefault("callback", click.pass_context(_needs_a_command))
        super().__init__(name, invoke_without_command=True, no_args_is_help=False, **options)
        self.examples = examples
        self.next_step = next_step

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        return [*super().get_params(ctx), *_global_options()]

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        found = self.get_command(ctx, name)
        if found is None:
            from difflib import get_close_matches

            from oharness.cli.usage import UnknownCommand

            raise UnknownCommand(name, ", ".join(get_close_matches(name, self.list_commands(ctx))), ctx.command_path)
        return name, found, args[1:]

    def get_help(self, ctx: click.Context) -> str:
        call = invocation_of(ctx)
        rows = [
            (name, _first_sentence(call.words.text(command.help or "")))
            for name, command in self.commands.items()
            if not command.hidden
        ]
        return call.help_text(
            page(
                call.words,
                call.output.cells,
                usage=f"{ctx.command_path} COMMAND …",
                purpose=self.help or "",
                sections=[(msg("Commands"), rows)],
                examples=self.examples,
                next_step=self.next_step,
            )
        )


class Root(Group):
    """`oharness` itself: imports a command's module when that command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(ROOT)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in ROOT:
            return None
        module, _, attribute = ROOT[cmd_name][1].partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def get_help(self, ctx: click.Context) -> str:
        call = invocation_of(ctx)
        return call.help_text(root_page(call.words, call.output.cells))


pass_invocation = click.make_pass_decorator(Invocation)
"""Gives a command its `Invocation` as the first argument."""


def invocation_of(ctx: click.Context) -> Invocation:
    """The call that a context belongs to."""
    return cast(Invocation, ctx.find_object(Invocation))


def _needs_a_command(ctx: click.Context) -> int:
    """Without a command, a group shows its page to a person and says what is missing to a program."""
    if ctx.invoked_subcommand is not None:
        return DONE
    output = invocation_of(ctx).output
    if output.json_only:
        from oharness.cli.usage import MissingCommand

        raise MissingCommand(ctx.command_path)
    output.note(ctx.get_help())
    return WRONG_USAGE


def _global_options() -> list[click.Parameter]:
    told = dict(GLOBAL_OPTIONS)
    common: Mapping[str, Any] = {"expose_value": False, "hidden": True, "callback": _keep}
    return [
        click.Option(["--project"], metavar="DIR", help=told["--project DIR"], **common),
        click.Option(["--home"], metavar="DIR", help=told["--home DIR"], **common),
        click.Option(["--json"], is_flag=True, help=told["--json"], **common),
    ]


def _keep(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    if value and param.name in ("project", "home"):
        setattr(invocation_of(ctx), param.name, value)


def _option_rows(command: click.Command, ctx: click.Context) -> list[tuple[str, str]]:
    rows = []
    for param in command.get_params(ctx):
        if isinstance(param, click.Option) and not param.hidden and (record := param.get_help_record(ctx)):
            told = msg("Print this page.") if "--help" in param.opts else param.help
            rows.append((record[0], told or ""))
    return rows


def _first_sentence(text: str) -> str:
    return text.split(". ")[0].split("。")[0].rstrip(".")
