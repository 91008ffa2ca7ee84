"""The command `oharness` and its global options."""

import click

from oharness.cli.exit_codes import DONE
from oharness.cli.grammar import Root, invocation_of


@click.pass_context
def _bare(ctx: click.Context) -> int:
    if ctx.invoked_subcommand is not None:
        return DONE
    from oharness.cli.chat import chat

    return int(ctx.invoke(chat))


def _version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if not wanted or ctx.resilient_parsing:
        return
    from importlib.metadata import version

    output = invocation_of(ctx).output
    number = version("oharness")
    output.answer({"version": number}, lambda: [f"oharness {number}"])
    ctx.exit()


oharness = Root(
    "oharness",
    callback=_bare,
    context_settings={"help_option_names": ["-h", "--help"]},
    params=[
        click.Option(
            ["--version"], is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Print the version."
        )
    ],
)
