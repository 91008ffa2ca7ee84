"""What a shown refresh token gets, as values: a model of an honest device, a thief and lost answers."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oharness.core.clock import Millis
from oharness.gateway.refresh import (
    LIFETIME_MS,
    Chain,
    EndChain,
    RefreshToken,
    Repeat,
    Rotate,
    Turned,
    Verdict,
    first_token,
    judge,
    read_token,
    token_hash,
)

pytestmark = pytest.mark.sync

SECRET = b"the secret of tests"
DEVICE = "d_" + "0" * 24
NOW = Millis(1_789_000_000_000)


class Service:
    """One chain, changed as the gateway changes its row."""

    def __init__(self) -> None:
        self.token = first_token(SECRET, DEVICE, "seed")
        self.chain = Chain(1, token_hash(self.token.text), None, Millis(NOW + LIFETIME_MS), ended=False)
        self.seeds = 0

    def show(self, text: str, attempt: str | None = None, now: Millis = NOW) -> Verdict:
        shown = read_token(SECRET, text)
        assert shown is not None
        self.seeds += 1
        verdict = judge(SECRET, shown, self.chain, attempt, f"seed {self.seeds}", now)
        match verdict:
            case Rotate(successor, attempt_hash):
                expires = Millis(now + LIFETIME_MS)
                self.chain = Chain(
                    successor.serial, token_hash(successor.text), attempt_hash, expires, self.chain.ended
                )
            case EndChain():
                self.chain = Chain(self.chain.serial, "", None, self.chain.expires_ms, ended=True)
            case Repeat() | Turned():
                pass
        return verdict


class Holder:
    """Somebody who holds a token and names each exchange, keeping the name until the answer came."""

    def __init__(self, name: str, token: RefreshToken) -> None:
        self.name = name
        self.text = token.text
        self.attempts = 0
        self.attempt: str | None = None

    def exchange(self, service: Service, *, answer_is_lost: bool) -> bool:
        """Whether it was given tokens, seen or lost."""
        if self.attempt is None:
            self.attempts += 1
            self.attempt = f"{self.name} {self.attempts}"
        match service.show(self.text, self.attempt):
            case Rotate(successor) | Repeat(successor):
                if not answer_is_lost:
                    self.text, self.attempt = successor.text, None
                return True
            case _:
                return False


@given(st.lists(st.booleans(), min_size=1, max_size=40))
@settings(derandomize=True, max_examples=200, deadline=None)
def test_lost_answers_never_sign_an_honest_device_out(lost: list[bool]) -> None:
    service = Service()
    device = Holder("honest", service.token)
    for answer_is_lost in lost:
        assert device.exchange(service, answer_is_lost=answer_is_lost)
    assert device.exchange(service, answer_is_lost=False)


@given(
    st.lists(st.booleans(), max_size=10),
    st.lists(st.tuples(st.sampled_from(["honest", "thief"]), st.booleans()), max_size=20),
)
@settings(derandomize=True, max_examples=400, deadline=None)
def test_of_two_who_hold_a_copy_never_both_get_tokens(before: list[bool], order: list[tuple[str, bool]]) -> None:
    service = Service()
    honest = Holder("honest", service.token)
    for answer_is_lost in before:
        honest.exchange(service, answer_is_lost=answer_is_lost)
    thief = Holder("thief", service.token)
    thief.text = honest.text  # the token alone: an attempt's name is never sent or stored before it is used
    got: dict[str, int] = {"honest": 0, "thief": 0}
    for who, answer_is_lost in order:
        holder = honest if who == "honest" else thief
        other = "thief" if who == "honest" else "honest"
        if holder.exchange(service, answer_is_lost=answer_is_lost):
            got[who] += 1
            assert got[other] == 0 or not service.chain.ended
            assert got[other] == 0, "both got tokens from copies of one token"
        elif got[other]:
            assert service.chain.ended, "a copy was shown and the chain went on"


@given(st.integers(2, 30), st.integers(1, 29), st.sampled_from([None, "another attempt"]))
@settings(derandomize=True, max_examples=200, deadline=None)
def test_every_token_that_was_replaced_ends_the_chain_however_old(length: int, age: int, attempt: str | None) -> None:
    service = Service()
    texts = [service.token.text]
    while len(texts) <= length:
        verdict = service.show(texts[-1], f"attempt {len(texts)}")
        assert isinstance(verdict, Rotate)
        texts.append(verdict.successor.text)
    shown = texts[-1 - min(age, length)]
    assert service.show(shown, attempt) == EndChain()
    assert service.show(texts[-1], "the newest") == Turned()


def test_an_attempt_can_be_repeated_only_until_its_token_is_used() -> None:
    service = Service()
    first = service.token.text
    verdict = service.show(first, "a")
    assert isinstance(verdict, Rotate)
    assert service.show(first, "a") == Repeat(verdict.successor)
    assert isinstance(service.show(verdict.successor.text, "b"), Rotate)
    assert service.show(first, "a") == EndChain()


def test_a_client_that_names_no_attempt_cannot_repeat() -> None:
    service = Service()
    first = service.token.text
    assert isinstance(service.show(first), Rotate)
    assert service.show(first) == EndChain()


def test_a_chain_expires_when_it_was_not_used_for_long() -> None:
    service = Service()
    assert service.show(service.token.text, now=Millis(NOW + LIFETIME_MS)) == Turned()
    assert isinstance(service.show(service.token.text, now=Millis(NOW + LIFETIME_MS - 1)), Rotate)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text + "x",
        lambda text: text[:-1],
        lambda text: text.replace(".1.", ".2.", 1),
        lambda text: text.replace(".1.", ".01.", 1),
        lambda text: text.replace("0", "1", 1),
        lambda text: text + "\n",
        lambda text: "",
        lambda text: text.swapcase(),
    ],
)
def test_what_this_gateway_did_not_make_is_no_token(change: object) -> None:
    text = first_token(SECRET, DEVICE, "seed").text
    assert read_token(SECRET, text) is not None
    assert read_token(SECRET, change(text)) is None  # type: ignore[operator]
    assert read_token(b"another secret", text) is None
