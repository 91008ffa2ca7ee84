"""Commits on a store that loses answers, fails and lags: nothing twice, nothing lost, nothing half."""

import asyncio
import itertools
import json
import logging
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from oharness.core.scopes import USER_SCOPE
from oharness.protocol.commit import (
    COMMIT_PATH,
    ChangeStatus,
    CommitAnswer,
    CommitRequest,
    Put,
    decode_commit_answer,
    encode_commit_request,
)
from oharness.protocol.errors import ErrorCode
from oharness.syncserver.judgement import revision_stem
from oharness.syncserver.objects.base import Found
from oharness.syncserver.objects.ram import RamObjects
from oharness.testing.clock import FakeClock
from oharness.testing.randomness import SeededRandomness
from oharness.testing.store_faults import Fault, FaultyObjects, StoreCall
from oharness.testing.sync_caller import Caller, delete, error_of, note, put
from oharness.testing.sync_server import SyncServer

pytestmark = pytest.mark.sync

MANIFEST = "users/ann/memory/manifest.json"
WRITES = ("create", "replace")


@dataclass
class Parts:
    """A service on a store with faults."""

    clock: FakeClock
    faults: FaultyObjects
    server: SyncServer

    @classmethod
    def make(cls, seed: int = 1) -> "Parts":
        clock = FakeClock()
        faults = FaultyObjects(RamObjects(clock))
        return cls(clock, faults, SyncServer(clock, SeededRandomness(seed), store=faults))


def once(name: str, fault: Fault, key: str = MANIFEST) -> Any:
    """A plan: the first call of that name and key goes wrong."""
    left = [fault]

    def plan(call: StoreCall) -> Fault | None:
        return left.pop() if left and call.name == name and call.key == key else None

    return plan


@pytest.mark.parametrize("fault", [Fault.BEFORE, Fault.AFTER])
@pytest.mark.parametrize("name", WRITES)
async def test_a_lost_answer_of_the_store_is_no_lost_commit(name: str, fault: Fault) -> None:
    parts = Parts.make()
    async with parts.server.client() as http:
        ann = Caller(parts.server, http)
        start = await ann.commit(put(note("z-0"))) if name == "replace" else None
        parts.faults.plan = once(name, fault)
        epoch = start.epoch if start else (await ann.list()).epoch
        answer = await ann.send(ann.request(put(note("a-1")), epoch=epoch))
        assert [result.status for result in answer.results] == [ChangeStatus.APPLIED]
        assert not answer.replayed
        assert (await ann.list()).version == answer.version == (2 if start else 1)


@pytest.mark.parametrize("fault", [Fault.BEFORE, Fault.AFTER])
async def test_a_lost_answer_about_a_body_is_no_lost_commit(fault: Fault) -> None:
    parts = Parts.make()
    async with parts.server.client() as http:
        ann = Caller(parts.server, http)
        left = [fault]
        parts.faults.plan = lambda call: left.pop() if left and "/objects/" in call.key else None
        answer = await ann.commit(put(note("a-1")), put(note("b-2")))
        assert [result.status for result in answer.results] == [ChangeStatus.APPLIED] * 2
        assert [one.note for one in (await ann.list()).notes] == [note("a-1"), note("b-2")]
        assert len([1 async for _ in parts.faults.inner.list_under("users/ann/memory/objects/")]) == 2


@pytest.mark.parametrize("fault", [Fault.STALE, Fault.SHORT])
async def test_a_manifest_that_reads_stale_or_short_overwrites_nothing(fault: Fault) -> None:
    parts = Parts.make()
    async with parts.server.client() as http:
        ann = Caller(parts.server, http)
        first = await ann.commit(put(note("a-1")))
        await ann.commit(put(note("b-2")))
        parts.faults.plan = once("read", fault)
        request = ann.request(put(note("c-3")), epoch=first.epoch)
        answer = await ann.post(COMMIT_PATH, encode_commit_request(request))
        if answer.status_code != 200:
            assert error_of(answer).code == ErrorCode.STORAGE_UNAVAILABLE
            assert (await ann.send(request)).version == 3
        assert {one.id for one in (await ann.list()).notes} == {"a-1", "b-2", "c-3"}


async def test_a_listing_that_reads_stale_is_looked_at_twice() -> None:
    parts = Parts.make()
    async with parts.server.client() as http:
        ann = Caller(parts.server, http)
        await ann.commit(put(note("a-1")))
        await ann.commit(put(note("b-2")))
        parts.faults.plan = once("read", Fault.STALE)
        assert (await ann.list()).version == 2


async def test_a_store_that_never_says_yes_ends_in_busy_within_eight_seconds() -> None:
    parts = Parts.make()
    async with parts.server.client() as http:
        ann = Caller(parts.server, http)
        await ann.commit(put(note("z-0")))
        before = parts.clock.monotonic()
        parts.faults.calls.clear()
        parts.faults.plan = lambda call: Fault.BEFORE if call.name == "replace" else None
        request = ann.request(put(note("a-1")), epoch=(await ann.list()).epoch)
        error = await ann.error(request)
        assert (error.status, error.code) == (503, ErrorCode.BUSY)
        assert error.retry_after is not None
        assert parts.clock.monotonic() - before <= 8
        assert sum(call.name == "replace" for call in parts.faults.calls) == 6
        parts.faults.plan = lambda call: None
        assert (await ann.send(request)).results[0].status is ChangeStatus.APPLIED


@pytest.mark.parametrize("name", WRITES)
async def test_a_disk_that_is_full_is_said_and_logged_with_its_reason(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    parts = Parts.make()
    async with parts.server.client() as http:
        ann = Caller(parts.server, http)
        start = await ann.commit(put(note("z-0")))
        parts.faults.plan = lambda call: Fault.BEFORE if call.name == name else None
        with caplog.at_level(logging.WARNING, "oharness.syncserver"):
            error = await ann.error(ann.request(put(note("a-1")), put(note("b-2")), epoch=start.epoch))
        assert "storage" in error.message
        assert [vars(one)["fields"] for one in caplog.records] == [{"endpoint": "commit", "reason": "before"}]


async def test_a_store_that_does_not_answer_is_said_and_mends_itself() -> None:
    parts = Parts.make()
    async with parts.server.client() as http:
        ann = Caller(parts.server, http)
        await ann.commit(put(note("z-0")))
        parts.faults.plan = lambda call: Fault.BEFORE
        for answer in (await ann.get(), await ann.post("/v1/memory/snapshot", b'{"scope":{"kind":"user"}}')):
            assert (answer.status_code, error_of(answer).code) == (503, ErrorCode.STORAGE_UNAVAILABLE)
            assert answer.headers["retry-after"] == "60"
        parts.faults.plan = lambda call: None
        assert len((await ann.list()).notes) == 1


async def test_an_old_object_is_not_used_again() -> None:
    parts = Parts.make()
    async with parts.server.client() as http:
        ann = Caller(parts.server, http)
        start = await ann.commit(put(note("z-0")))
        parts.faults.plan = lambda call: Fault.BEFORE if call.name == "replace" else None
        request = ann.request(put(note("a-1")), epoch=start.epoch)
        await ann.error(request)
        parts.clock.advance(25 * 3600)
        parts.faults.plan = lambda call: None
        answer = await ann.send(request)
        objects = [one.key async for one in parts.faults.inner.list_under("users/ann/memory/objects/a-1/")]
        assert len(objects) == 2
        assert f"users/ann/memory/objects/a-1/{answer.results[0].revision}.md" == max(objects, key=len)
        assert [one.note for one in (await ann.list()).notes if one.id == "a-1"] == [note("a-1")]
        # the commit is known by its own name under the second key too
        again = await ann.send(request)
        assert again.replayed
        assert again.results == answer.results


async def test_a_young_object_of_the_same_commit_is_used_again() -> None:
    parts = Parts.make()
    async with parts.server.client() as http:
        ann = Caller(parts.server, http)
        start = await ann.commit(put(note("z-0")))
        parts.faults.plan = lambda call: Fault.BEFORE if call.name == "replace" else None
        request = ann.request(put(note("a-1")), epoch=start.epoch)
        await ann.error(request)
        parts.faults.plan = lambda call: None
        await ann.send(request)
        assert len([1 async for _ in parts.faults.inner.list_under("users/ann/memory/objects/a-1/")]) == 1


async def test_a_torn_object_of_the_same_commit_is_not_used() -> None:
    parts = Parts.make()
    async with parts.server.client() as http:
        ann = Caller(parts.server, http)
        request = ann.request(put(note("a-1", body="whole")))
        torn = f"users/ann/memory/objects/a-1/{revision_stem(request.commit_id, 0)}.md"
        await parts.faults.inner.put(torn, b'---\n{"id":"a-1","summary":"S"}\n---\nwho')
        answer = await ann.send(request)
        assert answer.results[0].status is ChangeStatus.APPLIED
        assert [one.note for one in (await ann.list()).notes] == [note("a-1", body="whole")]


async def test_two_services_on_one_store_lose_nothing() -> None:
    clock = FakeClock()
    store = RamObjects(clock)
    servers = [SyncServer(clock, SeededRandomness(seed), store=store) for seed in (1, 2)]
    async with servers[0].client() as http_1, servers[1].client() as http_2:
        clients = (http_1, http_2)
        start = await Caller(servers[0], http_1).commit(put(note("z-0")))
        callers = [Caller(servers[number % 2], clients[number % 2], device=f"x{number}") for number in range(12)]

        async def commit(number: int, caller: Caller) -> CommitAnswer:
            request = caller.request(put(note(f"n-{number}")), epoch=start.epoch)
            while True:
                answer = await caller.post(COMMIT_PATH, encode_commit_request(request))
                if answer.status_code == 200:
                    return decode_commit_answer(answer.content, request)
                await clock.sleep(1)

        answers = await asyncio.gather(*(commit(number, caller) for number, caller in enumerate(callers)))
        assert sorted(answer.version for answer in answers) == list(range(2, 14))
        assert len((await callers[0].list()).notes) == 13


async def test_writes_of_one_scope_keep_the_distance_a_store_asks_for() -> None:
    clock = FakeClock()
    faults = FaultyObjects(RamObjects(clock, min_write_interval_s=1.0))
    server = SyncServer(clock, SeededRandomness(1), store=faults)
    times: list[float] = []

    def watch(call: StoreCall) -> None:
        if call.key == MANIFEST and call.name in WRITES:
            times.append(clock.monotonic())

    faults.plan = watch
    async with server.client() as http:
        start = await Caller(server, http).commit(put(note("z-0")))
        callers = [Caller(server, http, device=f"x{number}") for number in range(8)]
        answers = await asyncio.gather(
            *(
                caller.send(caller.request(put(note(f"n-{number}")), epoch=start.epoch))
                for number, caller in enumerate(callers)
            )
        )
    assert len({answer.version for answer in answers}) == 8
    assert len(times) <= 3
    assert all(later - earlier >= 1.0 for earlier, later in itertools.pairwise(times))


async def test_a_writer_that_is_cancelled_leaves_the_others_their_turn() -> None:
    parts = Parts.make()
    async with parts.server.client() as http:
        start = await Caller(parts.server, http).commit(put(note("z-0")))
        parts.faults.plan = once("replace", Fault.BEFORE)
        callers = [Caller(parts.server, http, device=f"x{number}") for number in range(3)]
        tasks = [
            asyncio.create_task(caller.send(caller.request(put(note(f"n-{number}")), epoch=start.epoch)))
            for number, caller in enumerate(callers)
        ]
        await asyncio.sleep(0)
        tasks[0].cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert isinstance(results[0], asyncio.CancelledError)
        assert all(isinstance(one, CommitAnswer) for one in results[1:])
        listed = {one.id for one in (await callers[0].list()).notes}
        assert {"n-1", "n-2"} <= listed


# --- any order of commits, repetitions and faults


@dataclass(frozen=True)
class Sent:
    """A commit as it was sent, and the answers it got."""

    request: CommitRequest


class CommitsUnderFaults(RuleBasedStateMachine):
    """Devices commit, repeat what they sent and meet faults; the scope stays whole."""

    sent = Bundle("sent")

    def __init__(self) -> None:
        super().__init__()
        self.parts = Parts.make()
        self.randomness = SeededRandomness("devices")
        self.loop = asyncio.new_event_loop()
        self.http = self.parts.server.client()
        self.versions: list[tuple[str, int]] = []
        self.applied: Counter[str] = Counter()
        self.last: dict[str, CommitRequest] = {}
        self.epoch = ""

    def teardown(self) -> None:
        self.parts.faults.plan = lambda call: None
        self.run(self.http.aclose())
        self.loop.close()

    def run(self, coroutine: Any) -> Any:
        return self.loop.run_until_complete(coroutine)

    def caller(self, device: str) -> Caller:
        return Caller(self.parts.server, self.http, device=device)

    @initialize()
    def first_commit(self) -> None:
        answer = self.run(self.caller("d0").commit(put(note("z-0"))))
        self.epoch = answer.epoch

    @rule(
        target=sent,
        device=st.sampled_from(["d1", "d2", "d3"]),
        ids=st.lists(st.sampled_from(["a", "b", "c", "d"]), min_size=1, max_size=3, unique=True),
        body=st.integers(0, 5),
        kind=st.sampled_from(["put", "put", "put", "delete", "stale put"]),
        strict=st.booleans(),
    )
    def commit(self, device: str, ids: list[str], body: int, kind: str, strict: bool) -> Sent:
        listing = self.run(self.clean_listing())
        now = {one.id: one for one in [*listing.notes, *listing.tombstones]}
        changes: list[Any] = []
        for note_id in ids:
            revision = now[note_id].revision if note_id in now else None
            if kind == "delete":
                changes.append(delete(note_id, revision))
            else:
                base = "0" * 64 if revision else None
                stale = "a revision of long ago" if kind == "stale put" else revision
                changes.append(put(note(note_id, body=str(body)), stale, base))
        request = CommitRequest(
            scope=USER_SCOPE,
            epoch=listing.epoch,
            device=device,
            commit_id=self.randomness.uuid(),
            changes=tuple(changes),
            strict=strict,
            version=listing.version if strict else None,
        )
        self.last[device] = request
        self.send(request)
        return Sent(request)

    @rule(one=sent)
    def repeat(self, one: Sent) -> None:
        if self.last.get(one.request.device) == one.request:
            self.send(one.request)

    @rule(
        number=st.integers(1, 6),
        fault=st.sampled_from(list(Fault)),
        name=st.sampled_from(["create", "replace", "read", "remove"]),
    )
    def a_call_goes_wrong(self, number: int, fault: Fault, name: str) -> None:
        left = [number]

        def plan(call: StoreCall) -> Fault | None:
            if call.name != name:
                return None
            left[0] -= 1
            return fault if left[0] == 0 else None

        self.parts.faults.plan = plan

    @rule(seconds=st.sampled_from([1, 3600, 26 * 3600]))
    def time_passes(self, seconds: int) -> None:
        self.parts.clock.advance(seconds)

    @invariant()
    def the_scope_is_whole(self) -> None:
        if self.epoch:
            self.run(self.check())

    def send(self, request: CommitRequest) -> None:
        caller = self.caller(request.device)
        answer = self.run(caller.post(COMMIT_PATH, encode_commit_request(request)))
        assert answer.status_code in (200, 409, 503), answer.text
        if answer.status_code == 200:
            decoded = decode_commit_answer(answer.content, request)
            if decoded.version > decoded.previous_version and not decoded.replayed:
                self.applied[request.commit_id] += 1
                assert self.applied[request.commit_id] == 1, "applied twice"

    async def clean_listing(self) -> Any:
        self.parts.faults.plan = lambda call: None
        return await self.caller("reader").list()

    async def check(self) -> None:
        kept = await self.parts.faults.inner.read(MANIFEST)
        assert isinstance(kept, Found)
        manifest = json.loads(kept.value)
        assert manifest["epoch"] == self.epoch
        self.versions.append((manifest["epoch"], manifest["version"]))
        assert self.versions == sorted(self.versions, key=lambda one: one[1])
        for note_id, entry in manifest["notes"].items():
            body = await self.parts.faults.inner.read(f"users/ann/memory/objects/{note_id}/{entry['revision']}.md")
            assert isinstance(body, Found), "a listed object does not exist"
            assert body.value.endswith(b"\n")
            assert 0 < entry["seq"] <= manifest["version"]
            stems = Counter("-".join(revision.split("-")[:2]) for revision in entry.get("recent", ()))
            assert max(stems.values(), default=1) == 1, "one change stands twice in a note"
        assert not set(manifest["notes"]) & set(manifest["tombstones"])


def test_any_order_of_commits_and_faults_keeps_the_scope_whole() -> None:
    run_state_machine_as_test(
        CommitsUnderFaults,
        settings=settings(
            derandomize=True,
            max_examples=60,
            stateful_step_count=25,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


@settings(derandomize=True, max_examples=80, deadline=None)
@given(
    faults=st.lists(st.sampled_from([None, None, None, *Fault]), min_size=30, max_size=30),
    repeats=st.integers(1, 4),
)
def test_a_commit_sent_until_it_is_answered_is_applied_once(faults: list[Fault | None], repeats: int) -> None:
    async def story() -> None:
        parts = Parts.make()
        async with parts.server.client() as http:
            ann, other = Caller(parts.server, http), Caller(parts.server, http, device="d2")
            start = await ann.commit(put(note(body="A")))
            base = start.results[0]
            request = ann.request(put(note(body="B"), base.revision, base.hash), epoch=start.epoch)
            coming = iter(faults)
            parts.faults.plan = lambda call: next(coming, None)
            for _ in range(repeats):
                await ann.post(COMMIT_PATH, encode_commit_request(request))
            parts.faults.plan = lambda call: None
            answer = await ann.send(request)
            assert answer.results[0].status is ChangeStatus.APPLIED
            assert answer.version == 2
            revert = put(note(body="A"), answer.results[0].revision, answer.results[0].hash)
            await other.commit(revert)
            again = await ann.send(request)
            assert again.replayed
            assert [one.note.body for one in (await ann.list()).notes if one.note] == ["A"]

    asyncio.run(story())


def test_the_state_machine_would_see_a_commit_applied_twice() -> None:
    """The bookkeeping of the test itself: two answers that are no repetitions are one too many."""
    machine = CommitsUnderFaults()
    try:
        machine.first_commit()
        request = machine.caller("d1").request(put(note("a")), epoch=machine.epoch)
        machine.send(request)
        assert isinstance(request.changes[0], Put)
        machine.applied[request.commit_id] = 1
        other = replace(request, commit_id=machine.randomness.uuid(), changes=(put(note("b")),))
        machine.applied[other.commit_id] = 1
        with pytest.raises(AssertionError, match="applied twice"):
            machine.send(other)
    finally:
        machine.teardown()
