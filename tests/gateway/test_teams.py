"""Teams: made, joined with a code that was passed on, left, managed."""

import pytest

from oharness.gateway.teams import INVITATION_S, MAX_NAME_CHARS
from oharness.testing.clock import FakeClock
from oharness.testing.gateway import Browser, Gateway, words_of

pytestmark = pytest.mark.sync


async def made_team(owner: Browser, name: str = "Builders") -> str:
    await owner.get("/teams")
    return (await owner.send("/teams", name=name)).url.path


async def invitation(owner: Browser, team: str, email: str) -> str:
    page = words_of(await owner.send(f"{team}/invite", email=email))
    return page.partition("is not shown again. ")[2].split()[0]


async def people(gateway: Gateway, *names: str) -> list[Browser]:
    browsers = []
    for name in names:
        browsers.append(gateway.browser())
        await browsers[-1].sign_up(f"{name}@example.com")
    return browsers


async def test_somebody_joins_with_the_code_that_was_passed_on(gateway: Gateway) -> None:
    ann, bob = await people(gateway, "ann", "bob")
    team = await made_team(ann)
    code = await invitation(ann, team, " BOB@example.com ")
    joined = await bob.send("/teams/join", code=code)
    assert joined.url.path == team
    assert "You are on the team" in words_of(joined)
    page = words_of(await ann.get(team))
    assert "bob@example.com" in page
    assert "invited, until" not in page
    device = await gateway.signed_in_device(bob)
    assert [one["id"] for one in (await gateway.claims(device.access_token))["ent"]["teams"]] == [team.split("/")[-1]]


async def test_a_code_works_once_for_its_address_and_for_a_week(gateway: Gateway, clock: FakeClock) -> None:
    ann, bob, eve = await people(gateway, "ann", "bob", "eve")
    team = await made_team(ann)
    code = await invitation(ann, team, "bob@example.com")
    assert (await eve.send("/teams/join", code=code)).status_code == 404
    assert (await bob.send("/teams/join", code=code)).status_code == 200
    assert (await bob.send("/teams/join", code=code)).status_code == 404
    late = await invitation(ann, team, "eve@example.com")
    clock.advance(INVITATION_S)
    await eve.sign_in("eve@example.com")
    assert (await eve.send("/teams/join", code=late)).status_code == 404


async def test_inviting_says_nothing_about_whether_there_is_an_account(on_sqlite: Gateway) -> None:
    ann, _ = await people(on_sqlite, "ann", "bob")
    team = await made_team(ann)
    known = words_of(await ann.send(f"{team}/invite", email="bob@example.com"))
    unknown = words_of(await ann.send(f"{team}/invite", email="zoe@example.com"))
    assert known.partition("again.")[0].replace("bob", "zoe") == unknown.partition("again.")[0]


async def test_an_invitation_can_be_withdrawn_and_a_new_one_replaces_it(on_sqlite: Gateway) -> None:
    ann, bob = await people(on_sqlite, "ann", "bob")
    team = await made_team(ann)
    first = await invitation(ann, team, "bob@example.com")
    second = await invitation(ann, team, "bob@example.com")
    assert (await bob.send("/teams/join", code=first)).status_code == 404
    page = await ann.get(team)
    invited = page.text.partition('name="invitation" value="')[2].partition('"')[0]
    await ann.send(f"{team}/withdraw", invitation=invited)
    assert (await bob.send("/teams/join", code=second)).status_code == 404


async def test_only_those_who_manage_a_team_change_it_and_others_see_it_only_when_on_it(on_sqlite: Gateway) -> None:
    ann, bob, eve = await people(on_sqlite, "ann", "bob", "eve")
    team = await made_team(ann)
    await bob.send("/teams/join", code=await invitation(ann, team, "bob@example.com"))
    ann_id = (await on_sqlite.cloud.accounts.named("ann@example.com")).id
    for browser, status in ((bob, 403), (eve, 404)):
        assert (await browser.send(f"{team}/invite", email="x@example.com")).status_code == status
        assert (await browser.send(f"{team}/member", member=ann_id, change="remove")).status_code == status
        assert (await browser.send(f"{team}/withdraw", invitation="i_1")).status_code == status
        assert (await browser.get(f"{team}/delete")).status_code == status
    assert (await eve.get(team)).status_code == 404
    assert (await bob.get(team)).status_code == 200


async def test_the_last_who_manages_a_team_cannot_leave_it(gateway: Gateway) -> None:
    ann, bob = await people(gateway, "ann", "bob")
    team = await made_team(ann)
    await bob.send("/teams/join", code=await invitation(ann, team, "bob@example.com"))
    refused = await ann.send(f"{team}/leave")
    assert refused.status_code == 403
    assert "Nobody else manages this team" in words_of(refused)
    bob_id = (await gateway.cloud.accounts.named("bob@example.com")).id
    assert "can now manage" in words_of(await ann.send(f"{team}/member", member=bob_id, change="owner"))
    assert (await ann.send(f"{team}/leave")).url.path == "/teams"
    assert (await ann.get(team)).status_code == 404
    assert (await bob.send(f"{team}/leave")).status_code == 403


async def test_somebody_who_was_removed_is_on_the_team_no_more(gateway: Gateway) -> None:
    ann, bob = await people(gateway, "ann", "bob")
    team = await made_team(ann)
    await bob.send("/teams/join", code=await invitation(ann, team, "bob@example.com"))
    bob_id = (await gateway.cloud.accounts.named("bob@example.com")).id
    await ann.send(f"{team}/member", member=bob_id, change="remove")
    assert (await bob.get(team)).status_code == 404


@pytest.mark.parametrize("name", ["", "   ", "x" * (MAX_NAME_CHARS + 1), "a\x07b"])
async def test_a_name_that_cannot_be_shown_is_refused(on_sqlite: Gateway, name: str) -> None:
    (ann,) = await people(on_sqlite, "ann")
    await ann.get("/teams")
    assert (await ann.send("/teams", name=name)).status_code == 400


@pytest.mark.parametrize("name", ["%00", "%FF", "t_none", "x" * 300, "..%2f.."])
async def test_an_address_that_names_no_team_shows_none(gateway: Gateway, name: str) -> None:
    (ann,) = await people(gateway, "ann")
    assert (await ann.get(f"/teams/{name}")).status_code == 404


async def test_guessing_invitation_codes_is_stopped(on_sqlite: Gateway) -> None:
    (ann,) = await people(on_sqlite, "ann")
    await ann.get("/teams")
    for _ in range(10):
        assert (await ann.send("/teams/join", code="0" * 32)).status_code == 404
    assert (await ann.send("/teams/join", code="0" * 32)).status_code == 429
