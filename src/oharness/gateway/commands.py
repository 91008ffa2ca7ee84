"""`oharness gateway`: serves; `oharness gateway admin …`: works on the database. Mounted by the command line.

`gateway` is the group with plain click classes; `gateway_group` makes the same from other classes, so that a command
line can draw its own help pages. Answers go to `answer` of the context object's `output`, where there is one.
"""

import json
import os
import sys
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial
from typing import Any, Protocol

import click

from oharness.language.catalogue import msg

AdminFunction = Callable[..., Awaitable[Mapping[str, Any]]]
_MOST_MINUTES = 30 * 24 * 60


class Answers(Protocol):
    """Where an answer goes: one JSON document, or lines for a person."""

    def answer(self, document: Mapping[str, Any], told: Callable[[], Iterable[str]]) -> None: ...


class PlainCommand(click.Command):
    """A command that takes `--json` by itself; its answer is JSON either way."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        return [*super().get_params(ctx), click.Option(["--json"], is_flag=True, expose_value=False, hidden=True)]


class PlainGroup(click.Group):
    """A group of plain commands; alone it says which there are."""

    command_class = PlainCommand

    def __init__(self, name: str | None, **options: Any) -> None:
        options.setdefault("callback", click.pass_context(_needs_a_command))
        super().__init__(name, invoke_without_command=True, no_args_is_help=False, **options)


def gateway_group(group_class: type[click.Group]) -> click.Group:
    """The group `gateway` with its subgroup `admin`, made from a class of groups and its class of commands."""
    command_class = group_class.command_class or click.Command
    admin = group_class(
        "admin",
        help=msg("Accounts, teams and plans of the Cloud, on its database directly; the gateway may be running."),
        commands={
            "user": group_class("user", help=msg("Accounts."), commands=_users(command_class)),
            "team": group_class("team", help=msg("Teams."), commands=_teams(command_class)),
            "token": _command(
                command_class,
                "token",
                msg("Print an access token of an account."),
                "access_token",
                click.Argument(["email"]),
                click.Option(
                    ["--minutes"],
                    type=click.IntRange(1, _MOST_MINUTES),
                    default=15,
                    help=msg("How long it is valid; else 15."),
                ),
            ),
            "deletions": group_class(
                "deletions",
                help=msg("Deletions that stopped."),
                commands=_named(
                    _command(
                        command_class,
                        "resume",
                        msg("Go on with every deletion that stopped, and say which are still open."),
                        "deletions_resume",
                    )
                ),
            ),
            "keys": group_class(
                "keys",
                help=msg("Keys that sign access tokens."),
                commands=_named(
                    _command(
                        command_class,
                        "replace",
                        msg("Replace every key at once; access tokens that are out stop working."),
                        "keys_replace",
                    )
                ),
            ),
        },
    )
    return group_class(
        "gateway",
        callback=click.pass_context(_serve_unless_asked_for_more),
        help=msg("The Cloud's accounts and sign-in; without a command it serves until it is told to stop."),
        commands={"admin": admin},
    )


def _users(command_class: type[click.Command]) -> dict[str, click.Command]:
    email = click.Argument(["email"])
    return _named(
        _command(
            command_class,
            "add",
            msg("Add an account. Without --password-stdin nobody can sign in to it on the page."),
            "user_add",
            email,
            click.Option(
                ["password", "--password-stdin"],
                is_flag=True,
                callback=_password_of_stdin,
                help=msg("Read the password from standard input, one line."),
            ),
        ),
        _command(
            command_class,
            "plan",
            msg("Put an account on a plan."),
            "user_plan",
            email,
            click.Argument(["plan"], type=_PLAN),
        ),
        _command(
            command_class, "delete", msg("Delete an account and everything that it synced."), "user_delete", email
        ),
    )


def _teams(command_class: type[click.Command]) -> dict[str, click.Command]:
    team_id = click.Argument(["team_id"], metavar="ID")
    return _named(
        _command(
            command_class,
            "add",
            msg("Add a team."),
            "team_add",
            click.Argument(["name"]),
            click.Option(["--owner"], required=True, metavar="EMAIL", help=msg("The account that owns it.")),
        ),
        _command(
            command_class,
            "plan",
            msg("Put a team on a plan."),
            "team_plan",
            team_id,
            click.Argument(["plan"], type=_PLAN),
        ),
        _command(command_class, "delete", msg("Delete a team and its shared session history."), "team_delete", team_id),
    )


_PLAN = click.Choice(["free", "paid"])


def _named(*commands: click.Command) -> dict[str, click.Command]:
    return {command.name or "": command for command in commands}


def _command(
    command_class: type[click.Command], name: str, help_: str, function: str, *params: click.Parameter
) -> click.Command:
    callback = click.pass_context(partial(_answer, function))
    return command_class(name, help=help_, callback=callback, params=list(params))


def _lines(document: Mapping[str, Any]) -> list[str]:
    """A token stands alone, so that it can be piped on."""
    if list(document) == ["accessToken"]:
        return [str(document["accessToken"])]
    return [f"{name}: {_shown(value)}" for name, value in document.items()]


def _answer(function: str, ctx: click.Context, /, **given: Any) -> None:
    import asyncio

    document = asyncio.run(_on_the_database(function, environment_of(ctx), given))
    output: Answers = getattr(ctx.obj, "output", None) or _Stdout()
    output.answer(document, lambda: _lines(document))


async def _on_the_database(
    function: str, environment: Mapping[str, str], given: Mapping[str, Any]
) -> Mapping[str, Any]:
    from oharness.gateway import admin
    from oharness.gateway.__main__ import opened_cloud
    from oharness.gateway.settings import read_settings

    call: AdminFunction = getattr(admin, function)
    async with opened_cloud(read_settings(environment)) as cloud:
        return await call(cloud, **given)


def environment_of(ctx: click.Context) -> Mapping[str, str]:
    """The variables that count, with the home that was given on the command line."""
    environment: Mapping[str, str] = getattr(ctx.obj, "environment", None) or os.environ
    home = getattr(ctx.obj, "home", None)
    return {**environment, "OHARNESS_HOME": home} if home else environment


def _serve_unless_asked_for_more(ctx: click.Context) -> None:
    if ctx.invoked_subcommand is None:
        from oharness.gateway.__main__ import serve
        from oharness.gateway.settings import read_settings

        serve(read_settings(environment_of(ctx)))


def _needs_a_command(ctx: click.Context) -> None:
    if ctx.invoked_subcommand is None:
        ctx.fail(f"one of: {', '.join(ctx.command.to_info_dict(ctx)['commands'])}")


def _password_of_stdin(ctx: click.Context, param: click.Parameter, value: bool) -> str | None:
    if not value or ctx.resilient_parsing:
        return None
    stdin = getattr(ctx.obj, "stdin", None) or sys.stdin
    line: str = stdin.readline()
    return line.rstrip("\r\n")


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


class _Stdout:
    """One JSON document on standard output."""

    def answer(self, document: Mapping[str, Any], told: Callable[[], Iterable[str]]) -> None:
        click.echo(json.dumps(document, ensure_ascii=False, indent=2))


gateway = gateway_group(PlainGroup)
