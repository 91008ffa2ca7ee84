"""What a token says of its holder, and which version a request speaks."""

from typing import Any

import pytest

from oharness.protocol.claims import ClaimsUnusable, TeamClaim, read_claims
from oharness.protocol.identity import IdentityAnswer, decode_identity_answer, encode_identity_answer
from oharness.protocol.quotas import Plan, PlanLimits, Quota, Standing
from oharness.protocol.versions import CURRENT, VERSIONS, spoken_version

pytestmark = pytest.mark.sync


def claims(**ent: Any) -> dict[str, Any]:
    return {"sub": "ann", "ent": ent}


def test_a_paid_plan_of_ones_own_or_of_any_team_is_paid() -> None:
    assert read_claims(claims(plan="paid")).paid
    assert read_claims(claims(plan="free", teams=[{"id": "a", "plan": "free"}, {"id": "b", "plan": "paid"}])).paid
    assert not read_claims(claims(plan="free", teams=[{"id": "a", "plan": "free"}])).paid


@pytest.mark.parametrize("plan", [None, "PAID", "paid ", "trial", 1, True, ["paid"]])
def test_any_other_plan_is_a_free_one(plan: Any) -> None:
    assert not read_claims(claims(plan=plan, teams=[{"id": "a", "plan": plan}])).paid


def test_a_token_of_another_issuer_is_a_free_account_without_teams() -> None:
    read = read_claims({"sub": "ann", "role": "authenticated"})
    assert (read.account, read.paid, read.teams) == ("ann", False, ())


def test_teams_are_those_that_are_listed() -> None:
    read = read_claims(claims(teams=[{"id": "a", "plan": "paid"}]))
    assert read.teams == (TeamClaim("a", "paid"),)
    assert read.is_on_team("a")
    assert not read.is_on_team("A")


@pytest.mark.parametrize(
    "broken",
    [
        {},
        {"sub": None},
        {"sub": ""},
        {"sub": 7},
        {"sub": "a" * 256},
        {"sub": "\ud800"},
        {"sub": "a", "ent": []},
        {"sub": "a", "ent": {"teams": {}}},
        {"sub": "a", "ent": {"teams": ["t"]}},
        {"sub": "a", "ent": {"teams": [{"plan": "paid"}]}},
        {"sub": "a", "ent": {"teams": [{"id": "t", "plan": "free"}] * 1001}},
    ],
)
def test_claims_without_an_account_or_of_another_form_are_unusable(broken: dict[str, Any]) -> None:
    with pytest.raises(ClaimsUnusable):
        read_claims(broken)


def test_a_request_without_the_header_is_of_the_old_protocol() -> None:
    assert [spoken_version(header) for header in (None, "1", "2", " 2 ")] == [1, 1, 2, 2]
    assert [spoken_version(header) for header in ("3", "0", "", "x", "-2", "２", "2.0")] == [None] * 7
    assert VERSIONS[-1].number == CURRENT


def test_an_identity_comes_out_as_it_went_in() -> None:
    standing = Standing("ann", Quota(), Plan("free", False, PlanLimits(200, 16_384)))
    answer = IdentityAnswer(standing, 2, (TeamClaim("t", "paid"),), 1_789_000_000_000)
    assert decode_identity_answer(encode_identity_answer(answer)) == answer
    old = IdentityAnswer(standing, 1, (), None)
    assert decode_identity_answer(encode_identity_answer(old)) == old
