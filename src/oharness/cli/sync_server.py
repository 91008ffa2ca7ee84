"""`oharness sync-server`: runs the sync service, or cleans up its storage."""

import click

from oharness.cli.exit_codes import DONE
from oharness.cli.extras import needing_extra
from oharness.cli.grammar import Group, invocation_of, pass_invocation
from oharness.cli.invocation import Invocation
from oharness.language.catalogue import msg


def _serve_unless_told_otherwise(context: click.Context, protocol: int) -> int:
    if context.invoked_subcommand is None:
        _serve(invocation_of(context), protocol)
    return DONE


sync_server = Group(
    "sync-server",
    help=msg(
        "Run the sync service. It is set up by variables OHARNESS_SYNC_…: where the notes are stored, whose tokens "
        "it trusts, and its limits. Without a storage it starts and says what is missing."
    ),
    examples=(
        (
            "OHARNESS_SYNC_STORAGE_URL=file:///srv/notes OHARNESS_SYNC_JWT_SECRET=… oharness sync-server",
            msg("notes in a folder, tokens signed with a shared secret"),
        ),
        ("oharness sync-server gc", msg("remove bodies that nothing names any more")),
    ),
    next_step=msg("`oharness login --cloud http://127.0.0.1:4321 --token …` on each machine."),
    callback=click.pass_context(_serve_unless_told_otherwise),
    params=[
        click.Option(
            ["--protocol"],
            type=click.Choice(["1", "2"]),
            default="2",
            metavar="N",
            help=msg("1 serves the old protocol only, for tests of upgrading."),
        )
    ],
)


@sync_server.command(
    "gc",
    help=msg("Remove bodies that no manifest names and that are older than 48 hours, and what erased accounts left."),
    examples=(("oharness sync-server gc", ""),),
)
@pass_invocation
def gc(call: Invocation) -> None:
    import json
    import os

    with needing_extra("sync-server", "server"):
        from oharness.syncserver.__main__ import run_gc
        from oharness.syncserver.settings import read_settings

        report = run_gc(read_settings(os.environ))
    document = json.loads(report.as_json())
    call.output.answer(document, lambda: [f"{name}: {value}" for name, value in document.items()])


def _serve(call: Invocation, protocol: int) -> None:
    import os

    with needing_extra("sync-server", "server"):
        from oharness.syncserver.__main__ import serve
        from oharness.syncserver.settings import read_settings

        serve(read_settings(os.environ), only_old_protocol=int(protocol) == 1)
