"""A service that is broken or means harm gets a clear error, and nothing of what it says outside its notes is done."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest

from oharness.language.catalogue import Catalogue
from oharness.language.sentences import error_sentence
from oharness.notes.hashing import content_hash
from oharness.notes.note import Note
from oharness.protocol.commit import CommitAnswer, CommitRequest
from oharness.protocol.errors import ProtocolBroken
from oharness.protocol.snapshot import BodiesAnswer, BodiesRequest, ListingAnswer, ListingRequest
from oharness.sync.account import find_cloud
from oharness.sync.cloud_forms import CloudForms
from oharness.sync.desk import AccountChanged
from oharness.sync.http_transport import HttpTransport
from oharness.sync.one_pass import one_pass
from oharness.sync.transport import ServiceUnreachable, TooFrequent, no_answer
from oharness.testing.clock import FakeClock
from oharness.testing.devices import ORIGIN, Device, FixedTokens
from oharness.testing.simulated_time import SimulatedLoop, run_simulated

pytestmark = pytest.mark.sync
Machine = Callable[[str], Device]


class Twisting:
    """A device's transport whose answers are twisted by a test's own methods."""

    def __init__(self, device: Device) -> None:
        self.through = device.transport
        self.device = device

    def __getattr__(self, name: str) -> Any:
        return getattr(self.through, name)

    async def sync(self) -> Any:
        return await one_pass(self.device.directory, self, self.device.account)


def everything_below(folder: Path) -> dict[str, bytes]:
    """Every file but locks."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".lock")
    return {str(path): path.read_bytes() for path in files}


# --- answers over HTTP that are no answers


def listing_json(**changed: Any) -> dict[str, Any]:
    """A listing of one note, as a service would send it."""
    note = Note("n-1", "S", "text")
    entry = {"id": note.id, "hash": content_hash(note), "revision": "r1", "seq": 1, "bytes": 4}
    wire = {"id": note.id, "summary": "S", "tags": [], "createdAt": 1, "updatedAt": 1, "body": "text"}
    import hashlib

    xor = hashlib.sha256(f"{note.id} {entry['hash']}".encode()).hexdigest()
    answer = {
        "userId": "ann",
        "quota": {
            "maxNotes": 5000,
            "maxChanges": 500,
            "maxBodyBytes": 131072,
            "maxResponseBytes": 16777216,
            "tombstoneDays": 90,
        },
        "plan": {"name": "paid", "paid": True, "limits": None},
        "epoch": "e1",
        "version": 1,
        "complete": True,
        "horizon": 0,
        "notes": [{**entry, "note": wire}],
        "tombstones": [],
        "check": {"count": 1, "xor": xor},
    }
    return answer | changed


def evil_entry(note_id: str) -> dict[str, Any]:
    body = {"id": note_id, "summary": "S", "tags": [], "createdAt": 1, "updatedAt": 1, "body": "owned"}
    return {"id": note_id, "hash": "0" * 64, "revision": "r1", "seq": 1, "bytes": 5, "note": body}


NO_ANSWERS = {
    "an id that leads out": listing_json(notes=[evil_entry("../../../../tmp/owned")]),
    "an absolute id": listing_json(notes=[evil_entry("/tmp/owned")]),
    "an id of a device": listing_json(notes=[evil_entry("nul")]),
    "an id with a NUL": listing_json(notes=[evil_entry("a\0b")]),
    "an id twice": listing_json(notes=[evil_entry("a"), evil_entry("a")]),
    "a note under another id": listing_json(notes=[{**evil_entry("a"), "id": "b"}]),
    "a negative version": listing_json(version=-1),
    "no epoch": {key: value for key, value in listing_json().items() if key != "epoch"},
    "notes that are no list": listing_json(notes={"a": 1}),
    "a list": [],
    "a number": 7,
}


def answering(device: Device, content: bytes) -> HttpTransport:
    """A service that answers everything with 200 and these bytes."""
    client = httpx2.AsyncClient(transport=httpx2.MockTransport(lambda request: httpx2.Response(200, content=content)))
    return HttpTransport(ORIGIN, FixedTokens(device.server, "ann", "paid"), device.clock, client)


@pytest.mark.parametrize("answer", NO_ANSWERS.values(), ids=NO_ANSWERS)
async def test_an_answer_that_breaks_the_rules_is_an_error_and_writes_nothing(
    device: Machine, tmp_path: Path, answer: Any
) -> None:
    a = device("a")
    a.write("mine", "text")
    before = everything_below(tmp_path)
    with pytest.raises(ProtocolBroken):
        await one_pass(a.directory, answering(a, json.dumps(answer).encode()), "ann")
    assert everything_below(tmp_path) == before


@pytest.mark.parametrize("content", [b"<html>Sign in to the hotel</html>", b"", b"\xff\xfe", b"[" * 100_000])
async def test_a_page_instead_of_json_is_an_error_and_writes_nothing(
    device: Machine, tmp_path: Path, content: bytes
) -> None:
    a = device("a")
    a.write("mine", "text")
    before = everything_below(tmp_path)
    with pytest.raises(ProtocolBroken):
        await one_pass(a.directory, answering(a, content), "ann")
    assert everything_below(tmp_path) == before


async def test_the_listing_that_those_were_made_from_is_a_good_one(device: Machine) -> None:
    a = device("a")
    await one_pass(a.directory, answering(a, json.dumps(listing_json()).encode()), "ann")
    assert a.bodies() == {"n-1": "text"}


async def test_an_answer_that_drips_without_end_ends(device: Machine, clock: FakeClock) -> None:
    a = device("a")

    async def drips() -> AsyncIterator[bytes]:
        while True:
            clock.advance(1)
            yield b" "

    client = httpx2.AsyncClient(transport=httpx2.MockTransport(lambda request: httpx2.Response(200, content=drips())))
    transport = HttpTransport(ORIGIN, FixedTokens(a.server, "ann", "paid"), a.clock, client)
    with pytest.raises(ServiceUnreachable):
        await one_pass(a.directory, transport, "ann")


async def never_answers(request: httpx2.Request) -> httpx2.Response:
    """What headers that drip are to a client: there is always something, and never an answer."""
    await asyncio.Event().wait()
    return httpx2.Response(200)


def client_that_waits() -> httpx2.AsyncClient:
    return httpx2.AsyncClient(transport=httpx2.MockTransport(never_answers))


def test_headers_that_drip_without_end_end(clock: FakeClock) -> None:
    class Anybody:
        async def access_token(self) -> str:
            return "token"

        async def refreshed(self, refused: str) -> None:
            return None

    async def main(loop: SimulatedLoop) -> None:
        transport = HttpTransport(ORIGIN, Anybody(), clock, client_that_waits())
        with pytest.raises(ServiceUnreachable):
            await transport.identity()
        await transport.close()
        with pytest.raises(ServiceUnreachable):
            await find_cloud(ORIGIN, client_that_waits())
        with pytest.raises(ServiceUnreachable):
            await CloudForms(client_that_waits).send(f"{ORIGIN}/token")
        assert loop.time() < 600

    run_simulated(main)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (httpx2.ReadTimeout(""), "https://sync.test cannot be reached: ReadTimeout. Check"),
        (httpx2.RemoteProtocolError("Gone."), "https://sync.test cannot be reached: RemoteProtocolError: Gone. Check"),
    ],
)
def test_why_a_service_cannot_be_reached_is_one_sentence(error: httpx2.TransportError, said: str) -> None:
    assert error_sentence(no_answer("https://sync.test", error), Catalogue()).startswith(said)


@pytest.mark.parametrize(("headers", "seconds"), [({"Retry-After": "120"}, 120), ({}, 60)])
async def test_too_many_requests_say_how_long_to_wait(
    headers: Mapping[str, str], seconds: int, device: Machine
) -> None:
    a = device("a")
    client = httpx2.AsyncClient(transport=httpx2.MockTransport(lambda request: httpx2.Response(429, headers=headers)))
    transport = HttpTransport(ORIGIN, FixedTokens(a.server, "ann", "paid"), a.clock, client)
    with pytest.raises(TooFrequent) as refused:
        await one_pass(a.directory, transport, "ann")
    assert f"{seconds} seconds" in error_sentence(refused.value, Catalogue())


# --- answers that are well formed and wrong


async def test_an_answer_for_another_account_is_not_applied(device: Machine) -> None:
    a, b = device("a"), device("b")
    b.write("theirs", "text")
    await b.sync()
    a.write("mine", "text")

    class OtherAccount(Twisting):
        async def listing(self, request: ListingRequest) -> ListingAnswer:
            answer = await self.through.listing(request)
            return replace(answer, standing=replace(answer.standing, user_id="mallory"))

    with pytest.raises(AccountChanged):
        await OtherAccount(a).sync()
    assert a.bodies() == {"mine": "text"}


async def test_a_note_that_is_not_what_its_hash_says_is_held_back_alone(device: Machine) -> None:
    a, b = device("a"), device("b")
    a.write("good", "good")
    a.write("bad", "good")
    await a.sync()

    class Forging(Twisting):
        async def listing(self, request: ListingRequest) -> ListingAnswer:
            answer = await self.through.listing(request)
            notes = [
                replace(one, note=replace(one.note, body="forged")) if one.id == "bad" and one.note else one
                for one in answer.notes
            ]
            return replace(answer, notes=tuple(notes))

    report = await Forging(b).sync()
    assert (report.added, report.held_back) == (["good"], {"bad": "checksum"})
    assert b.bodies() == {"good": "good"}
    await b.sync()
    assert b.bodies() == {"good": "good", "bad": "good"}


@pytest.mark.parametrize(
    ("changed", "reason"),
    [({"summary": "two\nlines"}, "not-clean"), ({"body": "a\0b"}, "nul-bytes"), ({"body": "x" * 140_000}, "too-large")],
)
async def test_a_note_that_could_not_be_a_file_here_is_held_back_alone(
    device: Machine, changed: dict[str, Any], reason: str
) -> None:
    a, b = device("a"), device("b")
    a.write("good", "good")
    a.write("bad", "good")
    await a.sync()

    class Unkeepable(Twisting):
        async def listing(self, request: ListingRequest) -> ListingAnswer:
            answer = await self.through.listing(request)
            notes = []
            for one in answer.notes:
                if one.id == "bad" and one.note:
                    note = replace(one.note, **changed)
                    one = replace(one, note=note, hash=content_hash(note))
                notes.append(one)
            return with_check(replace(answer, notes=tuple(notes)))

    report = await Unkeepable(b).sync()
    assert (report.added, report.held_back) == (["good"], {"bad": reason})
    assert b.bodies() == {"good": "good"}


def with_check(answer: ListingAnswer) -> ListingAnswer:
    """The answer with a check that fits its notes."""
    from oharness.reconcile.baseline import live_check

    check = live_check((one.id, one.hash) for one in answer.notes)
    return replace(answer, check=replace(answer.check, count=check.count, xor=check.hex))


async def test_pages_without_end_end(device: Machine) -> None:
    a, b = device("a"), device("b")
    a.write("n", "text")
    await a.sync()

    class NothingButPages(Twisting):
        async def listing(self, request: ListingRequest) -> ListingAnswer:
            answer = await self.through.listing(request)
            return replace(answer, notes=tuple(replace(one, note=None) for one in answer.notes))

        async def bodies(self, request: BodiesRequest) -> BodiesAnswer:
            answer = await self.through.bodies(request)
            return replace(answer, notes=(), missing=())

    with pytest.raises(ProtocolBroken):
        await NothingButPages(b).sync()
    assert b.bodies() == {}


async def test_a_body_that_is_never_there_is_held_back_and_is_no_deletion(device: Machine) -> None:
    a, b = device("a"), device("b")
    a.write("n", "text")
    await a.sync()

    class Missing(Twisting):
        async def listing(self, request: ListingRequest) -> ListingAnswer:
            answer = await self.through.listing(request)
            return replace(answer, notes=tuple(replace(one, note=None) for one in answer.notes))

        async def bodies(self, request: BodiesRequest) -> BodiesAnswer:
            answer = await self.through.bodies(request)
            return replace(answer, notes=(), missing=tuple(one.id for one in request.wanted))

    report = await Missing(b).sync()
    assert report.held_back == {"n": "checksum"}
    assert report.requests < 10
    await b.sync()
    assert b.bodies() == {"n": "text"}


async def test_results_that_do_not_fit_leave_the_commit_in_the_outbox(device: Machine) -> None:
    a = device("a")
    a.write("n", "text")

    class Lying(Twisting):
        async def commit(self, request: CommitRequest, body: bytes) -> CommitAnswer:
            answer = await self.through.commit(request, body)
            return replace(answer, results=tuple(replace(one, hash="f" * 64) for one in answer.results))

    with pytest.raises(ProtocolBroken):
        await Lying(a).sync()
    assert a.directory.outbox.waiting() is not None
    report = await a.sync()
    assert report.pushed == ["n"]
    assert a.baseline().version == 1
