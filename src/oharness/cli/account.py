"""`oharness login`, `logout` and `whoami`: who is signed in to which Cloud on this machine."""

from typing import TYPE_CHECKING, Any

import click

from oharness.cli.columns import printable, table
from oharness.cli.given import STDIN, text_from
from oharness.cli.grammar import Command, pass_invocation
from oharness.cli.invocation import Invocation
from oharness.language.catalogue import msg

if TYPE_CHECKING:
    from oharness.disk.credentials_file import Credentials
    from oharness.protocol.identity import IdentityAnswer


@click.command(
    "login",
    cls=Command,
    help=msg(
        "Sign in to a Cloud, or to a sync service itself, with an access token. Your notes and those of the projects "
        "you use are then kept in step with it; `oharness sync off` stops that."
    ),
    examples=(
        ("oharness login --cloud http://127.0.0.1:4321 --token -", msg("the token is read from standard input")),
        ("oharness login --cloud https://cloud.example --token T", ""),
    ),
    next_step=msg("`oharness sync now` brings everything in step at once."),
)
@click.option("--cloud", metavar="URL", required=True, help=msg("The address of the Cloud or of the sync service."))
@click.option("--token", metavar="T", required=True, help=msg("The access token; `-` reads it from standard input."))
@pass_invocation
def login(call: Invocation, cloud: str, token: str) -> None:
    import asyncio

    from oharness.sync.account import sign_in_with_token

    given = text_from(token, "--token", call.stdin) if token == STDIN else token
    here = call.opened()
    done = asyncio.run(sign_in_with_token(here.files, here.home, here.clock, cloud, given.strip()))
    _answer(call, done.credentials, done.identity)


@click.command(
    "logout",
    cls=Command,
    help=msg("Sign out on this machine. Notes stay where they are, here and in the cloud, and local work goes on."),
    examples=(("oharness logout", ""),),
    next_step=msg("`oharness login` signs in again."),
)
@pass_invocation
def logout(call: Invocation) -> None:
    from oharness.disk.credentials_file import read_credentials
    from oharness.sync.account import sign_out

    here = call.opened()
    before = read_credentials(here.files, here.home)
    sign_out(here.files, here.home)
    told = msg("Signed out.") if before else msg("Nobody was signed in.")
    document: dict[str, Any] = {
        "userId": before.user_id if before else None,
        "plan": None,
        "teams": [],
        "origin": before.cloud if before else None,
    }
    call.output.answer(document, lambda: [call.words.text(told)])


@click.command(
    "whoami",
    cls=Command,
    help=msg("Say who is signed in, as the service sees it."),
    examples=(("oharness whoami --json", ""),),
)
@pass_invocation
def whoami(call: Invocation) -> None:
    import asyncio

    from oharness.disk.credentials_file import read_credentials
    from oharness.sync.account import ask_who
    from oharness.sync.transport import SignedOut

    here = call.opened()
    credentials = read_credentials(here.files, here.home)
    if credentials is None:
        raise SignedOut("")
    _answer(call, credentials, asyncio.run(ask_who(here.files, here.home, here.clock, credentials)))


def _answer(call: Invocation, credentials: "Credentials", identity: "IdentityAnswer") -> None:
    standing = identity.standing
    document: dict[str, Any] = {
        "userId": standing.user_id,
        "plan": standing.plan.name,
        "teams": [{"id": team.id, "plan": team.plan} for team in identity.teams],
        "origin": credentials.cloud,
    }
    teams = ", ".join(printable(team.id) for team in identity.teams)
    rows = [
        (call.words.text(msg("account")), printable(standing.user_id)),
        (call.words.text(msg("plan")), printable(standing.plan.name)),
        *([(call.words.text(msg("teams")), teams)] if teams else []),
        (call.words.text(msg("cloud")), printable(credentials.cloud)),
    ]
    call.output.answer(document, lambda: table(rows, indent=""))
