"""Keys from a JWKS document: which are used, how often they are fetched, and what an outage means."""

import base64
import hmac
import json
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

from oharness.protocol.errors import ErrorCode
from oharness.syncserver.auth import (
    EitherSource,
    PublishedKeys,
    SharedSecret,
    Verifier,
    parse_key_document,
)
from oharness.syncserver.refusal import RequestRefused
from oharness.testing.clock import FakeClock

pytestmark = pytest.mark.sync

SECRET = "a secret of more than thirty-two bytes"
KEYS: dict[str, Any] = {
    "EdDSA": ed25519.Ed25519PrivateKey.generate(),
    "ES256": ec.generate_private_key(ec.SECP256R1()),
    "RS256": rsa.generate_private_key(65537, 2048),
}


def public(algorithm: str, key: Any = None, **more: Any) -> dict[str, Any]:
    key = KEYS[algorithm] if key is None else key
    make: Any = {"EdDSA": OKPAlgorithm, "ES256": ECAlgorithm, "RS256": RSAAlgorithm}[algorithm]
    return dict(json.loads(make.to_jwk(key.public_key()))) | {"kid": algorithm} | more


class KeyServer:
    """A JWKS document that can change, break, and count how often it was asked for."""

    def __init__(self, *keys: dict[str, Any]) -> None:
        self.keys = list(keys)
        self.asked = 0
        self.is_down = False

    async def fetch(self) -> bytes:
        self.asked += 1
        if self.is_down:
            raise OSError("down")
        return json.dumps({"keys": self.keys}).encode()


def token(clock: FakeClock, algorithm: str, key: Any = None, kid: str | None = None, **claims: Any) -> str:
    now = clock.now_ms() // 1000
    payload = {"iss": "i", "aud": "oharness-sync", "sub": "ann", "iat": now, "exp": now + 60} | claims
    headers = None if kid is None else {"kid": kid}
    return jwt.encode(payload, KEYS[algorithm] if key is None else key, algorithm=algorithm, headers=headers)


def verifier(clock: FakeClock, *servers: KeyServer, secret: str | None = None) -> Verifier:
    sources: list[Any] = [PublishedKeys(server.fetch, clock) for server in servers]
    if secret is not None:
        sources.append(SharedSecret(secret))
    return Verifier(EitherSource(sources), clock, "oharness-sync", None)


async def code_of(check: Verifier, text: str) -> ErrorCode | None:
    try:
        await check.verify(f"Bearer {text}")
    except RequestRefused as error:
        return error.answer.code
    return None


@pytest.mark.parametrize("algorithm", list(KEYS))
async def test_a_token_signed_with_a_published_key_counts(algorithm: str, clock: FakeClock) -> None:
    check = verifier(clock, KeyServer(*(public(name) for name in KEYS)))
    assert (await check.verify(f"Bearer {token(clock, algorithm, kid=algorithm)}")).account == "ann"
    assert (await check.verify(f"bearer  {token(clock, algorithm)}")).account == "ann"


def part(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


async def test_a_public_key_is_no_shared_secret(clock: FakeClock) -> None:
    check = verifier(clock, KeyServer(public("RS256")), secret=SECRET)
    header, payload, _ = token(clock, "HS256", SECRET, kid="RS256").split(".")
    for key in (json.dumps(public("RS256")), public("RS256")["n"]):
        signature = hmac.digest(key.encode(), f"{header}.{payload}".encode(), "sha256")
        assert await code_of(check, f"{header}.{payload}.{part(signature)}") is ErrorCode.UNAUTHORIZED


async def test_a_symmetric_key_in_the_document_is_passed_over(clock: FakeClock) -> None:
    octets = part(SECRET.encode())
    check = verifier(clock, KeyServer({"kty": "oct", "k": octets, "kid": "s", "alg": "HS256"}))
    assert await code_of(check, token(clock, "HS256", SECRET, kid="s")) is ErrorCode.UNAUTHORIZED


@pytest.mark.parametrize("changed", [{"use": "enc"}, {"alg": "RS512"}, {"kty": "EC"}, {"n": "!"}, {"n": None}])
async def test_a_key_for_something_else_is_passed_over(changed: dict[str, Any], clock: FakeClock) -> None:
    check = verifier(clock, KeyServer(public("RS256") | changed))
    assert await code_of(check, token(clock, "RS256", kid="RS256")) is ErrorCode.UNAUTHORIZED


async def test_both_kinds_of_keys_can_be_used_side_by_side(clock: FakeClock) -> None:
    check = verifier(clock, KeyServer(public("EdDSA")), secret=SECRET)
    assert await code_of(check, token(clock, "EdDSA", kid="EdDSA")) is None
    assert await code_of(check, token(clock, "HS256", SECRET)) is None
    assert await code_of(check, token(clock, "HS256", "another secret, also long enough for HS256")) is (
        ErrorCode.UNAUTHORIZED
    )


async def test_keys_are_fetched_once_and_again_when_stale(clock: FakeClock) -> None:
    document = KeyServer(public("EdDSA"))
    check = verifier(clock, document)
    for _ in range(20):
        assert await code_of(check, token(clock, "EdDSA", kid="EdDSA")) is None
    assert document.asked == 1
    clock.advance(601)
    assert await code_of(check, token(clock, "EdDSA", kid="EdDSA")) is None
    assert document.asked == 2


async def test_a_new_key_is_found_and_unknown_ones_do_not_flood_the_document(clock: FakeClock) -> None:
    document = KeyServer(public("EdDSA"))
    check = verifier(clock, document)
    assert await code_of(check, token(clock, "EdDSA", kid="EdDSA")) is None
    new = ed25519.Ed25519PrivateKey.generate()
    document.keys.append(public("EdDSA", new, kid="new"))
    for number in range(50):
        assert await code_of(check, token(clock, "EdDSA", new, kid=f"unknown-{number}")) is (ErrorCode.UNAUTHORIZED)
    assert document.asked == 1
    clock.advance(31)
    assert await code_of(check, token(clock, "EdDSA", new, kid="new")) is None
    assert document.asked == 2


async def test_known_keys_stay_in_use_while_the_document_is_down(clock: FakeClock) -> None:
    document = KeyServer(public("EdDSA"))
    check = verifier(clock, document)
    assert await code_of(check, token(clock, "EdDSA", kid="EdDSA")) is None
    document.is_down = True
    clock.advance(24 * 3600)
    for _ in range(10):
        assert await code_of(check, token(clock, "EdDSA", kid="EdDSA")) is None
    assert document.asked == 2


async def test_before_any_key_was_had_the_service_is_busy_and_not_the_token_wrong(clock: FakeClock) -> None:
    document = KeyServer(public("EdDSA"))
    document.is_down = True
    check = verifier(clock, document)
    assert await code_of(check, token(clock, "EdDSA", kid="EdDSA")) is ErrorCode.BUSY
    document.is_down = False
    clock.advance(31)
    assert await code_of(check, token(clock, "EdDSA", kid="EdDSA")) is None


async def test_while_the_document_is_down_an_unknown_key_is_not_called_wrong(clock: FakeClock) -> None:
    document = KeyServer(public("EdDSA"))
    check = verifier(clock, document)
    assert await code_of(check, token(clock, "EdDSA", kid="EdDSA")) is None
    new = ed25519.Ed25519PrivateKey.generate()
    document.keys = [public("EdDSA", new, kid="new")]
    document.is_down = True
    clock.advance(60)
    for _ in range(3):
        assert await code_of(check, token(clock, "EdDSA", new, kid="new")) is ErrorCode.BUSY
    assert await code_of(check, token(clock, "EdDSA", new, kid="EdDSA")) is ErrorCode.UNAUTHORIZED
    document.is_down = False
    clock.advance(60)
    assert await code_of(check, token(clock, "EdDSA", new, kid="new")) is None


@pytest.mark.parametrize(
    "document", [b"", b"[]", b"{}", b'{"keys":7}', b'{"keys":null}', b"<html>", b"[" * 5000, b"\xff"]
)
def test_what_is_no_key_document_is_said(document: bytes) -> None:
    with pytest.raises(ValueError, match=r".*"):
        parse_key_document(document)


def test_broken_keys_do_not_hide_the_good_one() -> None:
    keys = [None, 7, {}, {"kty": "RSA"}, {"kty": "OKP", "crv": "Ed25519", "x": "%"}, public("EdDSA")]
    assert [name for name, _ in parse_key_document(json.dumps({"keys": keys}).encode())] == ["EdDSA"]


async def test_an_issuer_counts_only_when_it_is_the_one(clock: FakeClock) -> None:
    check = Verifier(SharedSecret(SECRET), clock, "oharness-sync", "https://cloud.example")
    assert await code_of(check, token(clock, "HS256", SECRET, iss="https://cloud.example")) is None
    for issuer in ("https://cloud.example/", "https://cloud.example.evil", ""):
        assert await code_of(check, token(clock, "HS256", SECRET, iss=issuer)) is ErrorCode.UNAUTHORIZED


async def test_an_issuer_whose_name_ends_in_a_slash_is_known_by_it(clock: FakeClock) -> None:
    """Auth0 and others sign with such names; written so in the settings, our own name without one counts too."""
    check = Verifier(SharedSecret(SECRET), clock, "oharness-sync", "https://tenant.example/")
    for issuer in ("https://tenant.example/", "https://tenant.example"):
        assert await code_of(check, token(clock, "HS256", SECRET, iss=issuer)) is None
    for issuer in ("https://tenant.example//", "https://tenant.example/x", ""):
        assert await code_of(check, token(clock, "HS256", SECRET, iss=issuer)) is ErrorCode.UNAUTHORIZED
