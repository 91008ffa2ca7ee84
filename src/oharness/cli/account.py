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
    from oharness.sync.account import SignedIn, SignInPlace
    from oharness.sync.device_login import DeviceCodes


@click.command(
    "login",
    cls=Command,
    help=msg(
        "Sign in to a Cloud: you approve a code in your browser, on this machine or another. Your notes and those of "
        "the projects you use are then kept in step with it; `oharness sync off` stops that."
    ),
    examples=(
        ("oharness login --cloud https://cloud.example", ""),
        ("oharness login --cloud http://127.0.0.1:4321 --token -", msg("a token for a sync service, from a pipe")),
    ),
    next_step=msg("`oharness sync now` brings everything in step at once."),
)
@click.option(
    "--cloud", metavar="URL", help=msg("The address of the Cloud or of the sync service; else the one of last time.")
)
@click.option(
    "--token", metavar="T", help=msg("An access token instead of the browser; `-` reads it from standard input.")
)
@click.option("--no-open", is_flag=True, help=msg("Only print the address; open no browser."))
@pass_invocation
def login(call: Invocation, cloud: str | None, token: str | None, no_open: bool) -> None:
    import asyncio

    from oharness.sync.account import sign_in_with_token
    from oharness.wiring.sync import sign_in_place

    given = None if token is None else _as_token(text_from(token, "--token", call.stdin) if token == STDIN else token)
    place = sign_in_place(call.opened())
    address = cloud or _last_cloud(call)
    if given is None:
        done = asyncio.run(_with_browser(call, place, address, may_open=not no_open))
    else:
        done = asyncio.run(sign_in_with_token(place, address, given))
    _answer(call, done.credentials, done.identity)
    _say_what_stands_in_the_way(call, done.credentials)


@click.command(
    "logout",
    cls=Command,
    help=msg("Sign out on this machine. Notes stay where they are, here and in the cloud, and local work goes on."),
    examples=(("oharness logout", ""),),
    next_step=msg("`oharness login` signs in again."),
)
@pass_invocation
def logout(call: Invocation) -> None:
    import asyncio

    from oharness.sync.account import sign_out
    from oharness.wiring.sync import sign_in_place

    before = asyncio.run(sign_out(sign_in_place(call.opened())))
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

    from oharness.sync.account import ask_who
    from oharness.wiring.sync import sign_in_place, signed_in

    credentials = signed_in(call.opened())
    _answer(call, credentials, asyncio.run(ask_who(sign_in_place(call.opened()), credentials)))


def _as_token(given: str) -> str:
    """What was given, if it can stand in a header at all.

    Raises: UnusableValue.
    """
    from oharness.cli.usage import UnusableValue

    token = given.strip()
    if not token or not all("!" <= character <= "~" for character in token):
        raise UnusableValue("--token", "xxxxx.yyyyy.zzzzz")
    return token


def _last_cloud(call: Invocation) -> str:
    from oharness.cli.usage import MissingValue
    from oharness.disk.cloud_file import read_cloud_url

    here = call.opened()
    address = read_cloud_url(here.files, here.home)
    if address is None:
        raise MissingValue("--cloud")
    return address


async def _with_browser(call: Invocation, place: "SignInPlace", address: str, *, may_open: bool) -> "SignedIn":
    from platform import node

    from oharness.sync.account import find_cloud, keep_sign_in
    from oharness.sync.device_login import ask_for_codes, wait_for_approval

    places = await find_cloud(address)
    codes = await ask_for_codes(place.forms, places, node())
    _show(call, codes)
    if may_open and _has_a_browser(call):
        await _open_browser(codes.address_with_code)
    granted = await wait_for_approval(place.forms, places, codes, place.clock)
    return await keep_sign_in(place, places, granted)


def _show(call: Invocation, codes: "DeviceCodes") -> None:
    """Beside the answer, so that a program that reads the answer does not have to."""
    say, output = call.words.text, call.output
    output.note(say(msg("Open this page, sign in there, and approve the code {code}:"), code=codes.user_code))
    output.note(f"  {codes.address_with_code}")
    output.note(say(msg("Waiting for your approval. Ctrl-C stops.")))


def _has_a_browser(call: Invocation) -> bool:
    """Whether a window can open where the person sits: nobody is sent a browser in a terminal."""
    import sys

    if call.output.json_only or not call.output.err_is_a_terminal:
        return False
    if sys.platform in ("win32", "darwin"):
        return not call.environment.get("SSH_CONNECTION")
    return bool(call.environment.get("DISPLAY") or call.environment.get("WAYLAND_DISPLAY"))


async def _open_browser(address: str) -> None:
    """As well as it goes: the address is on the screen."""
    import asyncio
    import webbrowser
    from contextlib import suppress

    with suppress(webbrowser.Error, OSError):
        await asyncio.to_thread(webbrowser.open, address)


def _say_what_stands_in_the_way(call: Invocation, credentials: "Credentials") -> None:
    """Signing in switches sync on by itself, unless somebody switched it off or the notes belong elsewhere."""
    from oharness.core.scopes import USER_SCOPE
    from oharness.disk.plugins_file import sync_target

    here = call.opened()
    target = sync_target(here.files, here.home, USER_SCOPE)
    if target is None:
        return
    if not target.enabled:
        call.output.warning(call.words.text(msg("Sync is off. `oharness sync on` switches it on.")))
    elif target.user_id and (target.user_id, target.origin) != (credentials.user_id, credentials.cloud):
        told = msg(
            "Your own notes belong to the account {account} at {origin}, so they do not sync with this one. Nothing "
            "was changed; signing in there again goes on."
        )
        account, origin = printable(target.user_id), printable(target.origin)
        call.output.warning(call.words.text(told, account=account, origin=origin))


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
