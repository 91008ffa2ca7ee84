"""Requests that are broken, forged or meant to hurt: the right code for each, never a 500, nothing stored."""

import base64
import gzip
import json
import zlib
from collections.abc import Callable
from typing import Any

import httpx2
import jwt
import pytest

from oharness.core.scopes import USER_SCOPE
from oharness.protocol.commit import COMMIT_PATH, encode_commit_request
from oharness.protocol.errors import ErrorCode
from oharness.protocol.identity import IDENTITY_PATH
from oharness.protocol.snapshot import SNAPSHOT_PATH, ListingRequest, encode_snapshot_request
from oharness.protocol.versions import PROTOCOL_HEADER
from oharness.syncserver.objects.ram import RamObjects
from oharness.testing.sync_caller import Caller, error_of, note, put
from oharness.testing.sync_server import SECRET, SyncServer

pytestmark = pytest.mark.sync

LISTING = encode_snapshot_request(ListingRequest(USER_SCOPE))


async def stored_keys(server: SyncServer) -> list[str]:
    assert isinstance(server.store, RamObjects)
    return [one.key async for one in server.store.list_under("users/")]


def claims_of(server: SyncServer, **changed: Any) -> dict[str, Any]:
    claims: dict[str, Any] = jwt.decode(server.token("ann"), options={"verify_signature": False})
    return {name: value for name, value in (claims | changed).items() if value is not None}


def signed(claims: dict[str, Any], key: str = SECRET, algorithm: str = "HS256", **header: Any) -> str:
    return jwt.encode(claims, key, algorithm=algorithm, headers=header or None)


def unsigned(claims: dict[str, Any], algorithm: str) -> str:
    def part(value: dict[str, Any]) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()

    return f"{part({'alg': algorithm, 'typ': 'JWT'})}.{part(claims)}."


def raw_token(header: bytes, payload: bytes, signature: bytes = b"x") -> str:
    return ".".join(base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in (header, payload, signature))


TOKENS: dict[str, Callable[[SyncServer], str | None]] = {
    "none at all": lambda server: None,
    "empty": lambda server: "",
    "not a token": lambda server: "abc",
    "alg none": lambda server: unsigned(claims_of(server), "none"),
    "alg None": lambda server: unsigned(claims_of(server), "None"),
    "HS256 without a signature": lambda server: unsigned(claims_of(server), "HS256"),
    "another secret": lambda server: signed(claims_of(server), key="z" * 40),
    "another algorithm": lambda server: signed(claims_of(server), algorithm="HS384"),
    "crit in the header": lambda server: signed(claims_of(server), crit=["x"]),
    "expired": lambda server: signed(claims_of(server, exp=1)),
    "expired beyond the leeway": lambda server: server.token("ann", minutes=-1.1),
    "issued in the future": lambda server: signed(claims_of(server, iat=server.clock.now_ms() // 1000 + 120)),
    "not valid yet": lambda server: signed(claims_of(server, nbf=server.clock.now_ms() // 1000 + 120)),
    "no exp": lambda server: signed(claims_of(server, exp=None)),
    "no iat": lambda server: signed(claims_of(server, iat=None)),
    "no sub": lambda server: signed(claims_of(server, sub=None)),
    "no aud": lambda server: signed(claims_of(server, aud=None)),
    "no iss": lambda server: signed(claims_of(server, iss=None)),
    "another issuer": lambda server: signed(claims_of(server, iss="https://evil.example")),
    "exp as a text": lambda server: signed(claims_of(server, exp="9999999999")),
    "exp as a boolean": lambda server: signed(claims_of(server, exp=True)),
    "exp beyond all bounds": lambda server: signed(claims_of(server, exp=10**400)),
    "exp infinite": lambda server: signed(claims_of(server, exp=float("inf"))),
    "sub as a number": lambda server: signed(claims_of(server, sub=7)),
    "sub empty": lambda server: signed(claims_of(server, sub="")),
    "sub of 5,000 characters": lambda server: signed(claims_of(server, sub="a" * 5_000)),
    "sub with NUL": lambda server: signed(claims_of(server, sub="a\x00b")),
    "sub with half a character": lambda server: signed(claims_of(server, sub="a\ud800")),
    "ent as a text": lambda server: signed(claims_of(server, ent="paid")),
    "teams as a text": lambda server: signed(claims_of(server, ent={"teams": "t"})),
    "a header of 100 KB": lambda server: signed(claims_of(server, pad="x" * 100_000)),
    "a header that is a list": lambda server: raw_token(b"[]", b"{}"),
    "a header that is deep": lambda server: raw_token(b"[" * 5_000, b"{}"),
    "not base64": lambda server: "a.$$.%%",
    "bytes beyond ASCII": lambda server: "é.é.é",
}


@pytest.mark.parametrize("make", TOKENS.values(), ids=TOKENS.keys())
async def test_a_token_that_proves_nothing_is_unauthorized(
    make: Callable[[SyncServer], str | None], server: SyncServer, http: httpx2.AsyncClient
) -> None:
    token = make(server)
    headers: list[tuple[bytes, bytes]] = [(b"oharness-protocol", b"2")]
    if token is not None:
        headers.append((b"authorization", f"Bearer {token}".encode()))
    answer = await http.get(IDENTITY_PATH, headers=headers)
    assert (answer.status_code, error_of(answer).code) == (401, ErrorCode.UNAUTHORIZED)
    assert answer.headers["www-authenticate"] == "Bearer"


async def test_a_token_just_expired_still_counts(server: SyncServer, http: httpx2.AsyncClient) -> None:
    headers = server.headers("ann", minutes=-0.9)
    assert (await http.get(IDENTITY_PATH, headers=headers)).status_code == 200


@pytest.mark.parametrize("audience", ["another", ["another", "third"], [], 7, {}])
async def test_a_token_for_another_service_is_forbidden(
    audience: Any, server: SyncServer, http: httpx2.AsyncClient
) -> None:
    headers = server.headers() | {"authorization": f"Bearer {signed(claims_of(server, aud=audience))}"}
    answer = await http.get(IDENTITY_PATH, headers=headers)
    assert (answer.status_code, error_of(answer).code) == (403, ErrorCode.FORBIDDEN)


async def test_one_of_several_audiences_is_enough(server: SyncServer, http: httpx2.AsyncClient) -> None:
    token = signed(claims_of(server, aud=["other", "oharness-sync"]))
    headers = server.headers() | {"authorization": f"Bearer {token}"}
    assert (await http.get(IDENTITY_PATH, headers=headers)).status_code == 200


@pytest.mark.parametrize("scheme", ["Basic", "Token", "", "Bearer2"])
async def test_another_scheme_is_unauthorized(scheme: str, server: SyncServer, http: httpx2.AsyncClient) -> None:
    headers = {"authorization": f"{scheme} {server.token('ann')}", PROTOCOL_HEADER: "2"}
    assert (await http.get(IDENTITY_PATH, headers=headers)).status_code == 401


ACCOUNTS = ["../../bob", "bob/memory", "a/b%2Fc", "..", ".", "a b", "ä-猫", "a" * 255, "%2e%2e", "A", "a.b"]


@pytest.mark.parametrize("account", ACCOUNTS)
async def test_an_account_name_never_leaves_its_place(
    account: str, server: SyncServer, http: httpx2.AsyncClient
) -> None:
    caller = Caller(server, http, account=account)
    await caller.commit(put(note()))
    keys = await stored_keys(server)
    assert len(keys) == 2
    folder = {key.split("/")[1] for key in keys}
    assert len(folder) == 1
    assert all(key.split("/")[2] == "memory" for key in keys)
    assert "/" not in folder.pop().replace("%2F", "")
    assert len((await caller.list()).notes) == 1


async def test_accounts_that_look_alike_are_apart(server: SyncServer, http: httpx2.AsyncClient) -> None:
    names = [*ACCOUNTS, "a%20b", "a" * 254 + "b"]
    for number, name in enumerate(names):
        await Caller(server, http, account=name).commit(put(note(body=str(number))))
    for number, name in enumerate(names):
        listing = await Caller(server, http, account=name).list()
        assert [one.note.body for one in listing.notes if one.note] == [str(number)]


async def test_another_accounts_notes_are_out_of_reach(ann: Caller, bob: Caller) -> None:
    answer = await bob.commit(put(note()))
    from oharness.protocol.snapshot import WantedBody

    revision = answer.results[0].revision
    assert revision is not None
    assert (await ann.list()).notes == ()
    assert (await ann.bodies(USER_SCOPE, WantedBody("a-1", revision))).notes == ()
    error = await ann.error(ann.request(put(note()), user_id="bob"))
    assert (error.status, error.code) == (403, ErrorCode.ACCOUNT_CHANGED)
    assert (await ann.list()).version == 0


async def test_a_pinned_account_is_checked_on_every_form(ann: Caller) -> None:
    for body in (
        {"poll": [], "userId": "bob"},
        {"scope": {"kind": "user"}, "userId": "bob"},
        {"scope": {"kind": "user"}, "want": [], "userId": "bob"},
    ):
        answer = await ann.post(SNAPSHOT_PATH, json.dumps(body).encode())
        assert error_of(answer).code == ErrorCode.ACCOUNT_CHANGED


WIRE_NOTE = {"id": "a", "summary": "S", "tags": [], "createdAt": 1, "updatedAt": 1, "body": ""}
WIRE_PUT = {
    "op": "put",
    "id": "a",
    "baseRevision": None,
    "base": None,
    "hash": "0" * 64,
    "note": WIRE_NOTE,
}
WIRE_COMMIT = {
    "scope": {"kind": "user"},
    "epoch": "",
    "device": "d",
    "commitId": "7b0e5f3c-93f5-4d7c-9a1e-0f6f6e1c2d3b",
    "changes": [],
}

BAD_BODIES: dict[str, tuple[str, bytes]] = {
    "an empty body": (COMMIT_PATH, b""),
    "HTML": (COMMIT_PATH, b"<html>"),
    "a text": (COMMIT_PATH, b'"x"'),
    "deep JSON": (COMMIT_PATH, b"[" * 1_000_000),
    "deep objects": (SNAPSHOT_PATH, b'{"scope":' * 200_000),
    "deep extra": (
        COMMIT_PATH,
        json.dumps(
            WIRE_COMMIT
            | {"changes": [WIRE_PUT | {"note": WIRE_NOTE | {"extra": {"x": json.loads("[" * 400 + "]" * 400)}}}]}
        ).encode(),
    ),
    "lone surrogates": (
        COMMIT_PATH,
        json.dumps(WIRE_COMMIT | {"changes": [WIRE_PUT | {"note": WIRE_NOTE | {"body": "\ud800"}}]}).encode(),
    ),
    "duplicate keys": (SNAPSHOT_PATH, b'{"scope":{"kind":"user"},"scope":{"kind":"user"}}'),
    "2^70": (SNAPSHOT_PATH, b'{"scope":{"kind":"user"},"since":1180591620717411303424,"epoch":"e"}'),
    "a number of a million digits": (SNAPSHOT_PATH, b'{"since":' + b"9" * 1_000_000 + b"}"),
    "NaN": (SNAPSHOT_PATH, b'{"scope":{"kind":"user"},"since":NaN}'),
    "another accounts scope": (SNAPSHOT_PATH, b'{"scope":{"kind":"user","projectId":"../bob"}}'),
    "a project that is a path": (SNAPSHOT_PATH, b'{"scope":{"kind":"project","projectId":"../../x"}}'),
    "65 polls": (
        SNAPSHOT_PATH,
        json.dumps({"poll": [{"scope": {"kind": "user"}, "epoch": "", "since": 0}] * 65}).encode(),
    ),
    "poll and want at once": (SNAPSHOT_PATH, b'{"poll":[],"want":[],"scope":{"kind":"user"}}'),
    "want with a path": (
        SNAPSHOT_PATH,
        b'{"scope":{"kind":"user"},"want":[{"id":"../../x","revision":"r"}]}',
    ),
    "an id twice": (
        COMMIT_PATH,
        json.dumps(WIRE_COMMIT | {"changes": [WIRE_PUT, WIRE_PUT]}).encode(),
    ),
    "UTF-16": (SNAPSHOT_PATH, '{"scope":{"kind":"user"}}'.encode("utf-16")),
}


@pytest.mark.parametrize(("path", "body"), BAD_BODIES.values(), ids=BAD_BODIES.keys())
async def test_a_malformed_body_is_an_invalid_request(path: str, body: bytes, ann: Caller, server: SyncServer) -> None:
    answer = await ann.post(path, body)
    assert (answer.status_code, error_of(answer).code) == (400, ErrorCode.INVALID_REQUEST)
    assert await stored_keys(server) == []


async def test_six_hundred_changes_are_too_many(ann: Caller, server: SyncServer) -> None:
    changes = [put(note(f"n-{number}")) for number in range(600)]
    error = await ann.error(ann.request(*changes))
    assert (error.status, error.code) == (413, ErrorCode.TOO_MANY_CHANGES)
    assert await stored_keys(server) == []


async def test_a_body_of_200_kib_is_too_large(ann: Caller, server: SyncServer) -> None:
    answer = await ann.commit(put(note(body="x" * 200 * 1024)))
    assert [result.code for result in answer.results] == [ErrorCode.NOTE_TOO_LARGE]
    assert await stored_keys(server) == []


async def test_a_bomb_goes_off_nowhere(ann: Caller, server: SyncServer) -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    bomb = packer.compress(b'{"x":"') + b"".join(packer.compress(b"\0" * (1 << 20)) for _ in range(200))
    bomb += packer.flush()
    assert len(bomb) < 300_000
    answer = await ann.post(COMMIT_PATH, bomb, **{"content-encoding": "gzip"})
    assert (answer.status_code, error_of(answer).code) == (413, ErrorCode.REQUEST_TOO_LARGE)


async def test_a_body_said_to_be_too_large_is_not_read(ann: Caller) -> None:
    answer = await ann.post(COMMIT_PATH, b"{}", **{"content-length": str(200 * 1024 * 1024)})
    assert (answer.status_code, error_of(answer).code) == (413, ErrorCode.REQUEST_TOO_LARGE)


ZIPPED = gzip.compress(LISTING, mtime=0)


@pytest.mark.parametrize(
    ("encoding", "body", "status"),
    [
        pytest.param("gzip", b"no gzip", 400, id="no gzip at all"),
        pytest.param("gzip", ZIPPED[:-6], 400, id="cut short"),
        pytest.param("gzip", ZIPPED + b"more", 400, id="more behind the end"),
        pytest.param("br", LISTING, 415, id="another encoding"),
        pytest.param("gzip, gzip", gzip.compress(ZIPPED, mtime=0), 415, id="compressed twice"),
        pytest.param("gzip", ZIPPED, 200, id="gzip"),
        pytest.param("GZIP", ZIPPED, 200, id="upper case"),
        pytest.param("identity", LISTING, 200, id="as it is"),
    ],
)
async def test_compressed_bodies_are_what_they_say(encoding: str, body: bytes, status: int, ann: Caller) -> None:
    answer = await ann.post(SNAPSHOT_PATH, body, **{"content-encoding": encoding})
    assert answer.status_code == status


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("text/plain", 415),
        ("application/x-www-form-urlencoded", 415),
        ("multipart/form-data; boundary=x", 415),
        ("application/json; charset=latin-1", 415),
        ("application/jsonp", 415),
        ("", 415),
        ("application/json", 200),
        ("Application/JSON; charset=UTF-8", 200),
    ],
)
async def test_only_json_is_taken(kind: str, status: int, ann: Caller) -> None:
    answer = await ann.post(SNAPSHOT_PATH, LISTING, **{"content-type": kind})
    assert answer.status_code == status


@pytest.mark.parametrize("path", [IDENTITY_PATH, "/v1/feed/me", "/v1/feed/me/s1"])
@pytest.mark.parametrize("version", ["3", "0", "99", "-1", "two", "2.0", "", "2, 1", "9" * 50])
async def test_another_version_asks_for_an_upgrade(version: str, path: str, ann: Caller) -> None:
    answer = await ann.get(path, **{PROTOCOL_HEADER: version})
    assert (answer.status_code, error_of(answer).code) == (426, ErrorCode.UPGRADE_REQUIRED)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 404),
        ("GET", "/v1/memory/../memory/identity/x", 404),
        ("GET", COMMIT_PATH, 405),
        ("POST", IDENTITY_PATH, 405),
        ("DELETE", SNAPSHOT_PATH, 405),
        ("GET", "/v1/memory/%00", 404),
    ],
)
async def test_what_is_not_there_is_said_in_json(
    method: str, path: str, status: int, ann: Caller, http: httpx2.AsyncClient
) -> None:
    answer = await http.request(method, path)
    code = {404: ErrorCode.NOT_FOUND, 405: ErrorCode.METHOD_NOT_ALLOWED}[status]
    assert (answer.status_code, error_of(answer).code) == (status, code)
    assert answer.headers[PROTOCOL_HEADER] == "2"
    assert ("allow" in answer.headers) == (status == 405)


async def test_the_admin_key_is_not_a_token_and_a_token_is_not_the_key(
    server: SyncServer, http: httpx2.AsyncClient
) -> None:
    for authorization in ("", "Bearer", "Bearer ", f"Bearer {server.token('ann')}", "Bearer the admin key"):
        headers = {"authorization": authorization, "content-type": "application/json"}
        answer = await http.post("/v1/admin/erase", content=b'{"user":"ann"}', headers=headers)
        assert (answer.status_code, error_of(answer).code) == (401, ErrorCode.UNAUTHORIZED)
    assert [one async for one in server.store.list_under("erased/")] == []


async def test_error_answers_quote_nothing_of_the_request(ann: Caller) -> None:
    secret = "ghp_" + "a" * 36
    answer = await ann.post(COMMIT_PATH, json.dumps({"scope": secret}).encode())
    assert answer.status_code == 400
    assert secret not in answer.text


async def test_a_commit_id_used_twice_for_different_things_is_answered_as_the_first(ann: Caller) -> None:
    first = ann.request(put(note("a-1")))
    await ann.send(first)
    second = ann.request(put(note("b-2")), commit_id=first.commit_id)
    answer = await ann.post(COMMIT_PATH, encode_commit_request(second))
    assert answer.json()["replayed"] is True
    assert [result["id"] for result in answer.json()["results"]] == ["a-1"]
    assert len((await ann.list()).notes) == 1
