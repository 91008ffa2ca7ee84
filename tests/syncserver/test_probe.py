"""Which stores the service refuses to write on, and what it says then."""

import logging
from dataclasses import replace

import pytest

from oharness.protocol.errors import ErrorCode
from oharness.syncserver.app import SyncService
from oharness.syncserver.objects.base import Found, Moved, ObjectStore, Reading, Stored, StoreVersion, Unknown, Written
from oharness.syncserver.objects.ram import RamObjects
from oharness.syncserver.objects.remote import open_bucket
from oharness.syncserver.probe import StoreUnfit, probe_store
from oharness.system import SystemClock, SystemRandomness
from oharness.testing.careless_s3 import running_careless_s3
from oharness.testing.clock import FakeClock
from oharness.testing.randomness import SeededRandomness
from oharness.testing.store_faults import Fault, FaultyObjects
from oharness.testing.sync_caller import Caller, error_of
from oharness.testing.sync_server import SyncServer

pytestmark = pytest.mark.sync


class CreatesTwice(RamObjects):
    async def create(self, key: str, value: bytes) -> Written:
        return await self.put(key, value)


class ReplacesAnything(RamObjects):
    async def replace(self, key: str, value: bytes, known: StoreVersion) -> Written:
        if isinstance(await self.read(key), Found):
            return await self.put(key, value)
        return Moved()


class ReplacesWhatIsNotThere(RamObjects):
    async def replace(self, key: str, value: bytes, known: StoreVersion) -> Written:
        if not isinstance(await self.read(key), Found):
            return await self.put(key, value)
        return await super().replace(key, value, known)


class RefusesEverything(RamObjects):
    async def create(self, key: str, value: bytes) -> Written:
        return Moved()


class InvertsTheCondition(RamObjects):
    async def replace(self, key: str, value: bytes, known: StoreVersion) -> Written:
        written = await super().replace(key, value, known)
        return await self.put(key, value) if written == Moved() else Moved()


class ForgetsWhatItWrote(RamObjects):
    async def create(self, key: str, value: bytes) -> Written:
        return Stored(StoreVersion("x"))


class AlwaysSendsAll(RamObjects):
    async def read_unless(self, key: str, known: StoreVersion) -> Reading:
        return await self.read(key)


UNFIT = [
    (CreatesTwice, "already there"),
    (ReplacesAnything, "version was not the one named"),
    (ReplacesWhatIsNotThere, "replaced only"),
    (RefusesEverything, "condition held"),
    (InvertsTheCondition, "condition held"),
    (ForgetsWhatItWrote, "give back"),
    (AlwaysSendsAll, "unchanged"),
]


@pytest.mark.parametrize(("kind", "fault"), UNFIT, ids=[kind.__name__ for kind, _ in UNFIT])
async def test_a_store_that_would_lose_notes_is_refused_and_the_fault_is_named(
    kind: type[RamObjects], fault: str
) -> None:
    clock = FakeClock()
    with pytest.raises(StoreUnfit, match=fault):
        await probe_store(kind(clock), clock, SeededRandomness(1))


async def test_a_bucket_that_ignores_conditions_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with running_careless_s3() as environment:
        store = open_bucket("s3://bucket", environment)
        with pytest.raises(StoreUnfit, match="If-None-Match"):
            await probe_store(store, SystemClock(), SystemRandomness())


async def test_a_service_on_such_a_store_says_so_and_writes_nothing(
    clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    store = CreatesTwice(clock)
    server = SyncServer(clock, SeededRandomness(1), store=store)
    with caplog.at_level(logging.INFO, "oharness.syncserver"):
        async with server.client() as http:
            ann = Caller(server, http)
            for path in ("/v1/memory/identity", "/readyz"):
                error = error_of(await ann.get(path))
                assert (error.status, error.code) == (503, ErrorCode.NOT_CONFIGURED)
                assert "conditional writes" in error.message
            assert (await ann.get("/healthz")).status_code == 200
    assert [one async for one in store.list_under("users/")] == []
    assert sum(record.message == "the storage was refused" for record in caplog.records) == 1


async def test_a_store_that_is_away_at_the_start_is_probed_again_later(clock: FakeClock) -> None:
    faults = FaultyObjects(RamObjects(clock), lambda call: Fault.BEFORE)
    server = SyncServer(clock, SeededRandomness(1), store=faults)
    async with server.client() as http:
        ann = Caller(server, http)
        assert error_of(await ann.get("/readyz")).code == ErrorCode.STORAGE_UNAVAILABLE
        faults.plan = lambda call: None
        assert error_of(await ann.get("/readyz")).code == ErrorCode.STORAGE_UNAVAILABLE
        clock.advance(3)
        assert (await ann.get("/readyz")).status_code == 200


async def test_a_store_that_loses_answers_of_the_race_is_let_in() -> None:
    clock = FakeClock()

    class Doubtful(RamObjects):
        async def replace(self, key: str, value: bytes, known: StoreVersion) -> Written:
            written = await super().replace(key, value, known)
            return Unknown("429") if b"-2" in value else written

    await probe_store(Doubtful(clock), clock, SeededRandomness(1))


async def test_the_probe_keeps_the_distance_a_store_asks_for() -> None:
    clock = FakeClock()
    store: ObjectStore = RamObjects(clock, min_write_interval_s=1.0)
    await probe_store(store, clock, SeededRandomness(1))
    assert clock.monotonic() >= 5


async def test_the_service_opens_its_storage_when_it_starts(clock: FakeClock) -> None:
    server = SyncServer(clock, SeededRandomness(1), store=CreatesTwice(clock))
    parts = replace(server.service.parts)
    service = SyncService(parts)
    async with service.app.router.lifespan_context(service.app):
        assert [one async for one in server.store.list_under("probe/")] == []
