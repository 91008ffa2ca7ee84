"""A long listing goes out while its bodies are read, and says what it would have said at the end."""

import asyncio
import gzip
import os
from collections.abc import AsyncGenerator, Callable, Sequence

import httpx2
import pytest

from oharness.core.scopes import USER_SCOPE
from oharness.protocol.snapshot import (
    SNAPSHOT_PATH,
    ListingAnswer,
    ListingRequest,
    decode_listing_answer,
    encode_snapshot_request,
)
from oharness.syncserver import streamed
from oharness.syncserver.app import run_here
from oharness.syncserver.objects.base import Reading
from oharness.syncserver.objects.ram import RamObjects
from oharness.testing.clock import FakeClock
from oharness.testing.randomness import SeededRandomness
from oharness.testing.real_http import serving
from oharness.testing.store_faults import Fault, FaultyObjects, StoreCall
from oharness.testing.sync_caller import Caller, note, put
from oharness.testing.sync_server import SyncServer

pytestmark = pytest.mark.sync

COUNT = 300
LISTING = encode_snapshot_request(ListingRequest(USER_SCOPE))


class StopsReading:
    """A plan for `FaultyObjects`: from a point on, no body can be read."""

    def __init__(self) -> None:
        self.reads_left = 10**9

    def __call__(self, call: StoreCall) -> Fault | None:
        if call.name != "read" or "/objects/" not in call.key:
            return None
        self.reads_left -= 1
        return Fault.BEFORE if self.reads_left < 0 else None


@pytest.fixture
def fault() -> StopsReading:
    return StopsReading()


@pytest.fixture
def server(fault: StopsReading) -> SyncServer:
    clock, randomness = FakeClock(), SeededRandomness("server")
    return SyncServer(clock, randomness, store=FaultyObjects(RamObjects(clock), fault))


async def filled(server: SyncServer, http: httpx2.AsyncClient) -> Caller:
    caller = Caller(server, http)
    await caller.commit(*(put(note(f"n-{number}", f"body {number} é")) for number in range(COUNT)))
    return caller


def bodies_of(answer: ListingAnswer) -> dict[str, str]:
    return {one.id: one.note.body for one in answer.notes if one.note}


ALL = {f"n-{number}": f"body {number} é" for number in range(COUNT)}


@pytest.mark.parametrize("encoding", ["gzip", "identity"])
async def test_it_arrives_whole_whatever_the_encoding(server: SyncServer, encoding: str) -> None:
    async with server.client() as http:
        caller = await filled(server, http)
        answer = await caller.post(SNAPSHOT_PATH, LISTING, **{"accept-encoding": encoding})
    assert answer.headers.get("content-encoding", "identity") == encoding
    assert "content-length" not in answer.headers
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["vary"] == "Accept-Encoding"
    listing = decode_listing_answer(answer.content)
    assert (bodies_of(listing), listing.complete, listing.check.count) == (ALL, True, COUNT)


async def test_what_the_caller_has_is_left_out_and_the_order_stays(server: SyncServer) -> None:
    async with server.client() as http:
        caller = await filled(server, http)
        before = await caller.list()
        have = tuple(one.hash for one in before.notes[::3])
        after = await caller.list(have=have)
    assert [one.id for one in after.notes] == [one.id for one in before.notes]
    assert [one.id for one in after.notes if one.note is None] == [one.id for one in before.notes[::3]]


async def test_a_short_one_has_its_length_in_front(server: SyncServer) -> None:
    async with server.client() as http:
        caller = Caller(server, http)
        await caller.commit(put(note("n-1")))
        answer = await caller.post(SNAPSHOT_PATH, LISTING)
    assert "content-length" in answer.headers


async def test_a_store_that_fails_at_once_is_said_so(server: SyncServer, fault: StopsReading) -> None:
    async with server.client() as http:
        caller = await filled(server, http)
        fault.reads_left = 0
        assert (await caller.post(SNAPSHOT_PATH, LISTING)).status_code == 503


async def test_a_store_that_fails_on_the_way_leaves_the_rest_of_the_bodies_out(
    server: SyncServer, fault: StopsReading
) -> None:
    async with server.client() as http:
        caller = await filled(server, http)
        fault.reads_left = 200
        listing = await caller.list()
    assert {one.id for one in listing.notes} == ALL.keys()
    found = bodies_of(listing)
    assert 0 < len(found) < COUNT
    assert found.items() <= ALL.items()


async def test_one_that_cannot_be_ended_is_not_taken_for_whole(
    server: SyncServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streamed, "SECONDS_FOR_A_PART", 0.2)
    async with server.client() as http:
        await filled(server, http)
    real, calls = server.store.read_many, [0]

    async def hangs(keys: Sequence[str]) -> list[Reading]:
        calls[0] += 1
        if calls[0] > 2:
            await asyncio.sleep(3600)
        return await real(keys)

    monkeypatch.setattr(server.store, "read_many", hangs)
    async with serving(server.app) as address, httpx2.AsyncClient(base_url=address) as http:
        with pytest.raises(httpx2.TransportError):
            await Caller(server, http).post(SNAPSHOT_PATH, LISTING)


async def test_compressed_parts_are_one_stream() -> None:
    async def parts() -> AsyncGenerator[bytes, None]:
        for part in (b"a" * 100_000, b"", b"b"):
            yield part

    packed = b"".join([data async for data in streamed.compressed(parts(), run_here)])
    assert gzip.decompress(packed) == b"a" * 100_000 + b"b"


async def test_a_part_is_read_while_the_one_before_it_is_compressed() -> None:
    order: list[str] = []

    async def parts() -> AsyncGenerator[bytes, None]:
        for number in range(3):
            order.append(f"read {number}")
            yield bytes([number])
            await asyncio.sleep(0)

    async def elsewhere(function: Callable[..., bytes], *args: bytes) -> bytes:
        await asyncio.sleep(0.01)
        order.append(f"compressed {args[0][0]}")
        return function(*args)

    async for _ in streamed.compressed(parts(), elsewhere):
        pass
    assert order.index("read 1") < order.index("compressed 0")
    assert order.index("read 2") < order.index("compressed 1")


async def test_a_caller_who_leaves_in_the_middle_leaves_nothing_running() -> None:
    ended: list[bool] = []

    async def parts() -> AsyncGenerator[bytes, None]:
        try:
            while True:
                yield os.urandom(100_000)
                await asyncio.sleep(0)
        finally:
            ended.append(True)

    reading = streamed.compressed(parts(), run_here)
    await anext(reading)
    await reading.aclose()
    assert ended == [True]
    assert len(asyncio.all_tasks()) == 1
