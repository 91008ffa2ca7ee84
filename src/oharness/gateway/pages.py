"""The pages: signing up and in, approving a device's code, the account, teams, leaving.

A handler gives a `Shown` page or a `Sent` browser; what it raises is told on the page that the form came from.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias
from urllib.parse import urlencode

from oharness.core.errors import NotFound, OharnessError, Refused, WrongUsage
from oharness.gateway.accounts import Account, AccountExists, Standing
from oharness.gateway.attempts import (
    INVITATION_OF_ACCOUNT,
    SIGN_UP_FROM_ADDRESS,
    USER_CODE_FROM_ADDRESS,
    USER_CODE_OF_ACCOUNT,
)
from oharness.gateway.callers import caller_group
from oharness.gateway.cloud import Cloud
from oharness.gateway.deletion import Done, Stopped, Subject
from oharness.gateway.deletion_runs import DeletionRuns
from oharness.gateway.device_codes import CodeState, NoSuchUserCode, WaitingDevice
from oharness.gateway.passwords import MIN_CHARS
from oharness.gateway.plans import claims_of
from oharness.gateway.teams import Role, Roster
from oharness.gateway.visits import Visit
from oharness.language.catalogue import msg
from oharness.language.sentences import error_sentence

Form = Mapping[str, str]
_LOCAL_PATH = re.compile(r"/(?:device(?:\?user_code=[A-Za-z0-9%-]{1,30})?|account|teams)")
_ID = re.compile(r"[A-Za-z0-9_]{1,64}")
_HOME = "/account"

DONE: Mapping[str, str] = {
    "signed-up": msg("If this e-mail address was free, your account is ready. Sign in with it."),
    "signed-out": msg("You are signed out."),
    "password": msg("Your password is changed. Sign in with the new one."),
    "device": msg("The device is signed out. It keeps its notes; they no longer sync."),
    "team-left": msg("You are no longer on that team."),
    "member-removed": msg("That person is no longer on the team."),
    "owner-added": msg("That person can now manage the team."),
    "joined": msg("You are on the team. Your devices know it within fifteen minutes."),
    "withdrawn": msg("That invitation no longer works."),
}
"""What a page says after something was done, by the word in its address."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A page."""

    template: str
    fields: Mapping[str, Any]
    status: int = 200


@dataclass(frozen=True, slots=True)
class Sent:
    """A browser that is sent elsewhere; `cookie` is a new one, or None to leave it."""

    to: str
    cookie: str | None = None


@dataclass(frozen=True, slots=True)
class Download:
    """A file for the person to keep."""

    name: str
    document: Mapping[str, Any]


Answer: TypeAlias = Shown | Sent | Download


class NotSignedIn(Exception):
    """The page is for people who are signed in."""


class IsLeaving(Exception):
    """The account is being deleted; nothing else can be done with it."""


class Pages:
    """One method for each page and form; all but the first few need somebody signed in."""

    def __init__(self, cloud: Cloud, deletion_runs: DeletionRuns) -> None:
        self._cloud = cloud
        self._deletion_runs = deletion_runs

    # --- signing up, in and out

    async def front(self, visit: Visit) -> Answer:
        """Where somebody starts."""
        return Sent(_HOME if visit.account else "/sign-in")

    async def sign_in_page(self, visit: Visit) -> Answer:
        """The form to sign in with."""
        if visit.account is not None:
            return Sent(_next_of(visit))
        return Shown("sign_in.html", self._entry_fields(visit))

    async def sign_in(self, visit: Visit, form: Form) -> Answer:
        """Signs a browser in."""
        email = form.get("email", "")
        try:
            account = await self._cloud.accounts.signed_in(email, form.get("password", ""), caller_group(visit.request))
        except (Refused, WrongUsage) as error:
            self._cloud.metrics.count("sign_in_failures")
            return self._again("sign_in.html", visit, error, self._entry_fields(visit, form))
        self._cloud.metrics.count("sign_ins")
        return Sent(_next_of(visit, form), await self._cloud.sessions.begin(account))

    async def sign_up_page(self, visit: Visit) -> Answer:
        """The form to make an account with."""
        if visit.account is not None:
            return Sent(_next_of(visit))
        return Shown("sign_up.html", self._entry_fields(visit))

    async def sign_up(self, visit: Visit, form: Form) -> Answer:
        """Makes an account; an address that is taken gets the same answer after the same work."""
        fields = self._entry_fields(visit, form)
        if not self._cloud.settings.sign_up:
            return Shown("sign_up.html", fields, 403)
        try:
            await self._cloud.attempts.count(SIGN_UP_FROM_ADDRESS, caller_group(visit.request))
            await self._cloud.accounts.add(form.get("email", ""), form.get("password", ""))
            self._cloud.metrics.count("sign_ups")
        except AccountExists:
            pass
        except (Refused, WrongUsage) as error:
            return self._again("sign_up.html", visit, error, fields)
        return Sent("/sign-in?" + urlencode({"done": "signed-up", "next": _next_of(visit, form)}))

    async def sign_out(self, visit: Visit, form: Form) -> Answer:
        """Signs this browser out."""
        await self._cloud.sessions.end(visit.cookie)
        return Sent("/sign-in?done=signed-out", self._cloud.sessions.new_cookie())

    # --- signing in a device

    async def device_page(self, visit: Visit) -> Answer:
        """Asks for a code; one that came with the link is shown to be compared."""
        code = visit.request.query_params.get("user_code", "")
        account = self._signed_in(visit, _device_path(code))
        if not code:
            return Shown("device.html", {"user_code": ""})
        return await self._compare(visit, account, code)

    async def device_code(self, visit: Visit, form: Form) -> Answer:
        """The code that a person typed, to be compared with the device's."""
        return await self._compare(visit, self._signed_in(visit), form.get("user_code", ""))

    async def device_answer(self, visit: Visit, form: Form) -> Answer:
        """Approves or denies the device."""
        account, code = self._signed_in(visit), form.get("user_code", "")
        answer = CodeState.APPROVED if form.get("answer") == "approve" else CodeState.DENIED
        try:
            waiting = await self._guessed(visit, account, code)
            await self._cloud.device_codes.answer(code, account, answer)
        except (NotFound, Refused) as error:
            return self._again("device.html", visit, error, {"user_code": code})
        if answer is CodeState.APPROVED:
            self._cloud.metrics.count("devices_approved")
        return Shown("device_done.html", {"approved": answer is CodeState.APPROVED, "device": waiting})

    async def _compare(self, visit: Visit, account: Account, code: str) -> Answer:
        try:
            waiting = await self._guessed(visit, account, code)
        except (NotFound, Refused) as error:
            return self._again("device.html", visit, error, {"user_code": code[:30]})
        return Shown("device_compare.html", {"device": waiting})

    async def _guessed(self, visit: Visit, account: Account, code: str) -> WaitingDevice:
        """The device of a code; only codes that are nobody's count as guesses."""
        group = caller_group(visit.request)
        await self._cloud.attempts.count(USER_CODE_FROM_ADDRESS, group)
        await self._cloud.attempts.count(USER_CODE_OF_ACCOUNT, account.id)
        waiting = await self._cloud.device_codes.waiting(code)
        await self._cloud.attempts.forgive(USER_CODE_FROM_ADDRESS, group)
        await self._cloud.attempts.forgive(USER_CODE_OF_ACCOUNT, account.id)
        return waiting

    # --- the account

    async def account_page(self, visit: Visit) -> Answer:
        """The account, its devices, its password."""
        return Shown("account.html", await self._account_fields(self._signed_in(visit)))

    async def device_sign_out(self, visit: Visit, form: Form) -> Answer:
        """Signs a device out."""
        account = self._signed_in(visit)
        try:
            await self._cloud.devices.sign_out(account, form.get("device", ""))
        except NotFound as error:
            return self._again("account.html", visit, error, await self._account_fields(account))
        return Sent("/account?done=device")

    async def password(self, visit: Visit, form: Form) -> Answer:
        """Changes the password; on request every device is signed out too."""
        account = self._signed_in(visit)
        try:
            await self._cloud.accounts.change_password(
                account, form.get("password", ""), form.get("new_password", ""), caller_group(visit.request)
            )
        except (Refused, WrongUsage) as error:
            return self._again("account.html", visit, error, await self._account_fields(account))
        if form.get("devices") == "sign-out":
            await self._cloud.devices.sign_out_all(account)
        return Sent("/sign-in?done=password", self._cloud.sessions.new_cookie())

    async def export(self, visit: Visit) -> Answer:
        """What the gateway keeps of the account."""
        account = self._signed_in(visit)
        devices = await self._cloud.devices.of(account)
        teams = await self._cloud.teams.of(account)
        document = {
            "userId": account.id,
            "email": account.email,
            "plan": account.plan,
            "createdAt": account.created_ms,
            "devices": [
                {"name": one.label, "signedInAt": one.created_ms, "lastUsedAt": one.used_ms} for one in devices
            ],
            "teams": [{"id": one.id, "name": one.name, "role": one.role, "plan": one.plan} for one in teams],
        }
        return Download("oharness-account.json", document)

    async def _account_fields(self, account: Account) -> dict[str, Any]:
        async with self._cloud.database.transaction() as connection:
            claims = await claims_of(connection, account)
        devices = await self._cloud.devices.of(account)
        return {
            "paid": claims.paid,
            "devices": [one for one in devices if one.ended_why is None],
            "misused": [one for one in devices if one.ended_why is not None],
            "minimum": MIN_CHARS,
        }

    # --- teams

    async def teams_page(self, visit: Visit) -> Answer:
        """The teams of the account."""
        return Shown("teams.html", await self._teams_fields(self._signed_in(visit)))

    async def team_new(self, visit: Visit, form: Form) -> Answer:
        """Makes a team."""
        account = self._signed_in(visit)
        try:
            team_id = await self._cloud.teams.add(form.get("name", ""), account)
        except (Refused, WrongUsage) as error:
            return self._again("teams.html", visit, error, await self._teams_fields(account))
        return Sent(f"/teams/{team_id}")

    async def team_join(self, visit: Visit, form: Form) -> Answer:
        """Joins the team of an invitation code."""
        account = self._signed_in(visit)
        try:
            await self._cloud.attempts.count(INVITATION_OF_ACCOUNT, account.id)
            team_id = await self._cloud.teams.accept(account, form.get("code", ""))
            await self._cloud.attempts.forget(INVITATION_OF_ACCOUNT, account.id)
        except (NotFound, Refused) as error:
            return self._again("teams.html", visit, error, await self._teams_fields(account))
        return Sent(f"/teams/{team_id}?done=joined")

    async def team_page(self, visit: Visit) -> Answer:
        """One team."""
        return Shown("team.html", await self._team_fields(visit))

    async def team_invite(self, visit: Visit, form: Form) -> Answer:
        """Makes an invitation code and shows it, this once."""
        account, email = self._signed_in(visit), form.get("email", "")
        try:
            code = await self._cloud.teams.invite(_team_id(visit), account, email)
        except (Refused, WrongUsage) as error:
            return self._again("team.html", visit, error, await self._team_fields(visit))
        return Shown("team.html", {**await self._team_fields(visit), "new_code": code, "invited": email.strip()})

    async def team_withdraw(self, visit: Visit, form: Form) -> Answer:
        """Takes an invitation back."""
        await self._cloud.teams.withdraw(_team_id(visit), self._signed_in(visit), form.get("invitation", ""))
        return Sent(f"/teams/{_team_id(visit)}?done=withdrawn")

    async def team_member(self, visit: Visit, form: Form) -> Answer:
        """Removes somebody from the team, or lets them manage it too."""
        account, member = self._signed_in(visit), form.get("member", "")
        try:
            if form.get("change") == "owner":
                await self._cloud.teams.make_owner(_team_id(visit), account, member)
                return Sent(f"/teams/{_team_id(visit)}?done=owner-added")
            await self._cloud.teams.remove(_team_id(visit), account, member)
        except Refused as error:
            return self._again("team.html", visit, error, await self._team_fields(visit))
        return Sent(
            f"/teams/{_team_id(visit)}?done=member-removed" if member != account.id else "/teams?done=team-left"
        )

    async def team_leave(self, visit: Visit, form: Form) -> Answer:
        """Leaves the team."""
        try:
            await self._cloud.teams.leave(_team_id(visit), self._signed_in(visit))
        except Refused as error:
            return self._again("team.html", visit, error, await self._team_fields(visit))
        return Sent("/teams?done=team-left")

    async def team_delete_page(self, visit: Visit) -> Answer:
        """Says what deleting the team does, and asks for the password."""
        team = await self._cloud.teams.check_owner(_team_id(visit), self._signed_in(visit))
        return Shown("delete_team.html", {"team": team})

    async def team_delete(self, visit: Visit, form: Form) -> Answer:
        """Deletes the team."""
        account = self._signed_in(visit)
        team = await self._cloud.teams.check_owner(_team_id(visit), account)
        try:
            await self._cloud.accounts.confirm_password(account, form.get("password", ""), caller_group(visit.request))
            subject = await self._cloud.deletions.begin_team(team.id)
        except (Refused, OharnessError) as error:
            return self._again("delete_team.html", visit, error, {"team": team})
        return await self._deleted((subject,), "team")

    async def _teams_fields(self, account: Account) -> dict[str, Any]:
        return {"teams": await self._cloud.teams.of(account)}

    async def _team_fields(self, visit: Visit) -> dict[str, Any]:
        roster: Roster = await self._cloud.teams.roster(_team_id(visit), self._signed_in(visit))
        owns = roster.team.role is Role.OWNER
        return {"roster": roster, "team": roster.team, "owns": owns, "new_code": None, "invited": ""}

    # --- leaving

    async def delete_page(self, visit: Visit) -> Answer:
        """Says what deleting the account does, and asks for the password."""
        return Shown("delete_account.html", await self._delete_fields(self._signed_in(visit)))

    async def delete(self, visit: Visit, form: Form) -> Answer:
        """Deletes the account."""
        account = self._signed_in(visit)
        try:
            await self._cloud.accounts.confirm_password(account, form.get("password", ""), caller_group(visit.request))
            begun = await self._cloud.deletions.begin_account(account.id)
        except OharnessError as error:
            return self._again("delete_account.html", visit, error, await self._delete_fields(account))
        return await self._deleted((*begun.teams, begun.subject), "account")

    async def leaving_page(self, visit: Visit) -> Answer:
        """What somebody sees whose account is being deleted."""
        if visit.account is None or visit.account.standing is not Standing.LEAVING:
            return Sent(_HOME)
        return Shown("leaving.html", {})

    async def leaving(self, visit: Visit, form: Form) -> Answer:
        """Goes on with a deletion that stopped."""
        if visit.account is None or visit.account.standing is not Standing.LEAVING:
            return Sent(_HOME)
        begun = await self._cloud.deletions.begin_account(visit.account.id)
        return await self._deleted((begun.subject,), "account")

    async def _delete_fields(self, account: Account) -> dict[str, Any]:
        teams = await self._cloud.teams.of(account)
        active = [team for team in teams if team.standing is Standing.ACTIVE]
        return {
            "alone": [team for team in active if team.members == 1],
            "handed_over": [team for team in active if team.members > 1 and team.role is Role.OWNER],
        }

    async def _deleted(self, subjects: tuple[Subject, ...], what: str) -> Answer:
        outcomes = await self._deletion_runs.carry_on(subjects)
        own = None if outcomes is None else outcomes[-1]
        stopped = [outcome for outcome in outcomes or () if isinstance(outcome, Stopped)]
        objects = sum(outcome.objects for outcome in outcomes or () if isinstance(outcome, Done))
        fields = {
            "what": what,
            "objects": objects,
            "finished": outcomes is not None and not stopped,
            "rows_are_gone": isinstance(own, Done) or (isinstance(own, Stopped) and own.rows_are_gone),
            "takes_long": outcomes is None,
            "signs_out": what == "account",
        }
        return Shown("deleted.html", fields, 200 if fields["finished"] else 202)

    # --- what handlers have in common

    def _signed_in(self, visit: Visit, back_to: str = "") -> Account:
        if visit.account is None:
            raise NotSignedIn(back_to or visit.request.url.path)
        if visit.account.standing is Standing.LEAVING:
            raise IsLeaving
        return visit.account

    def _entry_fields(self, visit: Visit, form: Form | None = None) -> dict[str, Any]:
        return {
            "email": (form or {}).get("email", "")[:320],
            "next": _next_of(visit, form),
            "minimum": MIN_CHARS,
            "sign_up_open": self._cloud.settings.sign_up,
        }

    def _again(self, template: str, visit: Visit, error: OharnessError, fields: Mapping[str, Any]) -> Shown:
        """The page that the form came from, with what was wrong."""
        problem = error_sentence(error, visit.words)
        return Shown(template, {**fields, "problem": problem, "error": error}, status_of(error))


def status_of(error: OharnessError) -> int:
    """The HTTP status that goes with an error on a page."""
    if hasattr(error, "retry_after_s"):
        return 429
    match error:
        case WrongUsage():
            return 400
        case NotFound() | NoSuchUserCode():
            return 404
        case Refused():
            return 403
        case _:
            return 503


def _next_of(visit: Visit, form: Form | None = None) -> str:
    """Where to go after signing in: one of our own pages, whatever was asked for."""
    asked = (form or {}).get("next") or visit.request.query_params.get("next", "")
    return asked if _LOCAL_PATH.fullmatch(asked) else _HOME


def _device_path(code: str) -> str:
    return f"/device?{urlencode({'user_code': code})}" if code else "/device"


def _team_id(visit: Visit) -> str:
    given = str(visit.request.path_params["team"])
    return given if _ID.fullmatch(given) else ""
