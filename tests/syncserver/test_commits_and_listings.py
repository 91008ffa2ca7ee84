"""What a device that commits and lists gets back, over the service's own endpoints."""

import asyncio
import json
from dataclasses import replace

import httpx2
import pytest

from oharness.core.scopes import USER_SCOPE, project_scope
from oharness.notes.hashing import content_hash
from oharness.protocol.commit import COMMIT_PATH, ChangeStatus, encode_commit_request
from oharness.protocol.errors import ErrorCode
from oharness.protocol.quotas import Quota
from oharness.protocol.snapshot import PollQuery, WantedBody
from oharness.protocol.values import Epoch, Revision
from oharness.syncserver.objects.base import Found, StoreVersion, Written
from oharness.syncserver.objects.ram import RamObjects
from oharness.testing.clock import FakeClock
from oharness.testing.randomness import SeededRandomness
from oharness.testing.sync_caller import Caller, delete, note, put
from oharness.testing.sync_server import SyncServer

pytestmark = pytest.mark.sync

PROJECT = project_scope("p.1")
DAY_S = 86_400


def revision_of(answer_result: object) -> str:
    revision = getattr(answer_result, "revision", None)
    assert isinstance(revision, str)
    return revision


async def test_a_committed_note_is_listed_with_its_body(ann: Caller, ann_elsewhere: Caller) -> None:
    content = note(body="Zeile 1\n猫 🐈", tags=("x",), type="feedback", extra={"k": [1, {"z": None}]})
    answer = await ann.commit(put(content), scope=PROJECT)
    assert (answer.previous_version, answer.version) == (0, 1)
    listing = await ann_elsewhere.list(PROJECT)
    assert [(one.id, one.hash, one.seq, one.note) for one in listing.notes] == [
        ("a-1", content_hash(content), 1, content)
    ]
    assert listing.complete
    assert listing.epoch == answer.epoch


async def test_objects_lie_where_the_protocol_says(ann: Caller, server: SyncServer) -> None:
    answer = await ann.commit(put(note()), scope=PROJECT)
    keys = [one.key async for one in server.store.list_under("users/")]
    prefix = "users/ann/projects/p%2E1/memory"
    assert keys == [f"{prefix}/manifest.json", f"{prefix}/objects/a-1/{answer.results[0].revision}.md"]
    body = await server.store.read(keys[1])
    assert isinstance(body, Found)
    assert body.value.decode().endswith("\n---\nbody\n")


async def test_scopes_are_apart(ann: Caller) -> None:
    await ann.commit(put(note(body="mine")))
    await ann.commit(put(note(body="the project's")), scope=PROJECT)
    await ann.commit(put(note(body="another's")), scope=project_scope("p-1"))
    for scope, body in ((USER_SCOPE, "mine"), (PROJECT, "the project's"), (project_scope("p-1"), "another's")):
        assert [one.note.body for one in (await ann.list(scope)).notes if one.note] == [body]


async def test_bodies_that_this_machine_has_are_neither_read_nor_sent(ann: Caller, server: SyncServer) -> None:
    await ann.commit(put(note("a-1")), put(note("b-2", body="other")))
    listing = await ann.list(have=(content_hash(note("a-1")),))
    assert {one.id: one.note is None for one in listing.notes} == {"a-1": True, "b-2": False}


async def test_a_listing_since_the_baseline_names_only_what_changed(ann: Caller) -> None:
    first = await ann.commit(put(note("a-1")), put(note("b-2")), put(note("c-3")))
    await ann.commit(
        put(note("b-2", body="new"), first.results[1].revision, first.results[1].hash),
        delete("c-3", first.results[2].revision),
    )
    listing = await ann.list(epoch=first.epoch, since=first.version)
    assert not listing.complete
    assert [one.id for one in listing.notes] == ["b-2"]
    assert [(one.id, one.hash) for one in listing.tombstones] == [("c-3", first.results[2].hash)]
    assert listing.check.count == 2
    nothing = await ann.list(epoch=first.epoch, since=2)
    assert (nothing.complete, nothing.notes, nothing.tombstones) == (False, (), ())
    assert nothing.check == listing.check


async def test_a_baseline_of_another_epoch_or_a_later_version_gets_everything(ann: Caller) -> None:
    answer = await ann.commit(put(note()))
    for epoch, since in ((Epoch("other"), 1), (answer.epoch, 99), (None, 1), (Epoch(""), 1)):
        listing = await ann.list(epoch=epoch, since=since)
        assert listing.complete
        assert len(listing.notes) == 1
        assert listing.version == 1


async def test_a_scope_never_written_is_empty_and_has_no_epoch(ann: Caller) -> None:
    listing = await ann.list()
    assert (listing.epoch, listing.version, listing.notes) == ("", 0, ())
    assert listing.check.count == 0
    assert listing.check.xor == "0" * 64


async def test_a_poll_says_which_scopes_moved(ann: Caller) -> None:
    answer = await ann.commit(put(note()))
    polled = await ann.poll(
        PollQuery(USER_SCOPE, answer.epoch, answer.version),
        PollQuery(USER_SCOPE, answer.epoch, 0),
        PollQuery(USER_SCOPE, Epoch("other"), answer.version),
        PollQuery(USER_SCOPE),
        PollQuery(PROJECT),
        PollQuery(PROJECT, answer.epoch, 1),
    )
    assert [state.changed for state in polled.states] == [False, True, True, True, False, True]
    assert [state.version for state in polled.states] == [1, 1, 1, 1, 0, 0]


async def test_a_poll_of_many_scopes_is_small(ann: Caller) -> None:
    answer = await ann.commit(put(note()))
    body = json.dumps({"poll": [{"scope": {"kind": "user"}, "epoch": answer.epoch, "since": 1}] * 2, "userId": "ann"})
    response = await ann.post("/v1/memory/snapshot", body.encode())
    assert len(response.content) < 700


async def test_the_check_is_the_xor_over_the_live_notes(ann: Caller) -> None:
    import hashlib

    first, second = note("a-1"), note("b-2", body="x")
    await ann.commit(put(first), put(second))
    sums = [int(hashlib.sha256(f"{one.id} {content_hash(one)}".encode()).hexdigest(), 16) for one in (first, second)]
    assert (await ann.list()).check.xor == f"{sums[0] ^ sums[1]:064x}"


async def test_bodies_come_by_revision_also_superseded_ones(ann: Caller) -> None:
    first = await ann.commit(put(note(body="one")))
    old = revision_of(first.results[0])
    second = await ann.commit(put(note(body="two"), old, first.results[0].hash))
    new = revision_of(second.results[0])
    for revision, body in ((old, "one"), (new, "two")):
        answer = await ann.bodies(USER_SCOPE, WantedBody("a-1", Revision(revision)))
        assert [(one.revision, one.note.body) for one in answer.notes] == [(revision, body)]
        assert answer.notes[0].hash == content_hash(answer.notes[0].note)


async def test_a_body_that_is_gone_is_missing_and_no_deletion(ann: Caller, server: SyncServer) -> None:
    answer = await ann.commit(put(note()), put(note("b-2")))
    revision = revision_of(answer.results[0])
    await server.store.remove([f"users/ann/memory/objects/a-1/{revision}.md"])
    bodies = await ann.bodies(USER_SCOPE, WantedBody("a-1", Revision(revision)), WantedBody("b-2", Revision("none")))
    assert bodies.missing == ("a-1", "b-2")
    listing = await ann.list()
    assert {one.id: one.note is None for one in listing.notes} == {"a-1": True, "b-2": False}


async def test_a_damaged_body_is_missing(ann: Caller, server: SyncServer) -> None:
    answer = await ann.commit(put(note()))
    revision = revision_of(answer.results[0])
    await server.store.put(f"users/ann/memory/objects/a-1/{revision}.md", b"---\n{}\n---\n")
    assert (await ann.bodies(USER_SCOPE, WantedBody("a-1", Revision(revision)))).missing == ("a-1",)
    text = b'---\n{"id":"a-1","summary":"S","tags":[]}\n---\ncut'
    await server.store.put(f"users/ann/memory/objects/a-1/{revision}.md", text)
    assert (await ann.bodies(USER_SCOPE, WantedBody("a-1", Revision(revision)))).missing == ("a-1",)


async def test_answers_hold_as_many_bodies_as_fit(clock: FakeClock) -> None:
    server = SyncServer(clock, SeededRandomness(1), quota=Quota(max_response_bytes=250))
    async with server.client() as http:
        ann = Caller(server, http)
        answer = await ann.commit(*(put(note(f"n-{number}", body="x" * 100)) for number in range(5)))
        listing = await ann.list()
        assert [one.note is not None for one in listing.notes] == [True, True, False, False, False]
        wanted = [WantedBody(one.id, one.revision) for one in listing.notes]
        page = await ann.bodies(USER_SCOPE, *wanted)
        assert [one.id for one in page.notes] == ["n-0", "n-1"]
        assert page.missing == ()
        assert answer.standing.quota.max_response_bytes == 250


async def test_a_body_larger_than_an_answer_comes_alone(clock: FakeClock) -> None:
    server = SyncServer(clock, SeededRandomness(1), quota=Quota(max_response_bytes=10))
    async with server.client() as http:
        ann = Caller(server, http)
        await ann.commit(put(note("a-1", body="x" * 100)), put(note("b-2", body="y" * 100)))
        listing = await ann.list()
        assert [one.note is not None for one in listing.notes] == [True, False]
        wanted = WantedBody(listing.notes[1].id, listing.notes[1].revision)
        assert len((await ann.bodies(USER_SCOPE, wanted)).notes) == 1


async def test_a_lost_answer_is_given_again_and_nothing_is_applied_twice(ann: Caller, ann_elsewhere: Caller) -> None:
    request = ann.request(put(note(body="A")))
    first = await ann.send(request)
    # another device reverts it in between: comparing contents alone would apply it again
    await ann_elsewhere.commit(put(note(body="B"), first.results[0].revision, first.results[0].hash))
    for _ in range(3):
        again = await ann.send(request)
        assert again.replayed
        assert again.results == first.results
        assert (again.previous_version, again.version) == (0, 1)
    assert [one.note.body for one in (await ann.list()).notes if one.note] == ["B"]
    assert (await ann.list()).version == 2


async def test_a_repeated_commit_is_known_after_the_device_was_forgotten(ann: Caller, clock: FakeClock) -> None:
    request = ann.request(put(note(body="A")))
    first = await ann.send(request)
    clock.advance(91 * DAY_S)
    await Caller(ann.server, ann.http, device="d9").commit(put(note("z-9")))
    again = await ann.send(replace(request, epoch=first.epoch))
    assert not again.replayed
    assert [(one.status, one.revision) for one in again.results] == [(ChangeStatus.APPLIED, first.results[0].revision)]
    assert (await ann.list()).version == 2


async def test_the_same_request_twice_at_once_is_applied_once(ann: Caller) -> None:
    request = ann.request(put(note()))
    answers = await asyncio.gather(ann.send(request), ann.send(request))
    assert sorted(answer.replayed for answer in answers) == [False, True]
    assert answers[0].results == answers[1].results
    assert (await ann.list()).version == 1


class SlowObjects(RamObjects):
    """A store that lets others go on while it writes, as every store but memory does."""

    async def replace(self, key: str, value: bytes, known: StoreVersion) -> Written:
        for _ in range(20):
            await asyncio.sleep(0)
        return await super().replace(key, value, known)


async def test_commits_that_arrive_together_go_into_one_write(clock: FakeClock) -> None:
    server = SyncServer(clock, SeededRandomness(1), store=SlowObjects(clock))
    async with server.client() as http:
        ann = Caller(server, http)
        start = await ann.commit(put(note("z-0")))
        callers = [Caller(server, http, device=f"x{number}") for number in range(10)]
        answers = await asyncio.gather(
            *(
                caller.send(caller.request(put(note(f"n-{number}")), epoch=start.epoch))
                for number, caller in enumerate(callers)
            )
        )
        assert len((await ann.list()).notes) == 11
    assert sorted(answer.version for answer in answers) == list(range(2, 12))
    assert all(answer.previous_version == answer.version - 1 for answer in answers)
    lines = server.service.metrics.text().splitlines()
    writes = next(line for line in lines if line.startswith("oharness_sync_manifest_writes_total "))
    assert int(writes.split()[-1]) <= 4


async def test_one_bad_commit_does_not_hold_up_the_others_of_its_queue(server: SyncServer, ann: Caller) -> None:
    start = await ann.commit(put(note("z-0")))
    good, bad = ann.request(put(note("a-1")), epoch=start.epoch), ann.request(put(note("b-2")), epoch=Epoch("x"))
    other = Caller(server, ann.http, device="d2")
    answers = await asyncio.gather(
        ann.send(good), ann.error(bad), other.send(other.request(put(note("c-3")), epoch=start.epoch))
    )
    assert answers[1].code == ErrorCode.EPOCH_CHANGED
    assert {one.id for one in (await ann.list()).notes} == {"z-0", "a-1", "c-3"}


async def test_two_first_commits_make_one_epoch(server: SyncServer, ann: Caller, ann_elsewhere: Caller) -> None:
    first, second = ann.request(put(note("a-1"))), ann_elsewhere.request(put(note("b-2")))
    responses = await asyncio.gather(*(ann.post(COMMIT_PATH, encode_commit_request(one)) for one in (first, second)))
    assert sorted(one.status_code for one in responses) == [200, 409]


async def test_a_strict_commit_names_what_is_there_now(ann: Caller) -> None:
    first = await ann.commit(put(note()))
    request = ann.request(put(note("b-2")), epoch=first.epoch, strict=True, version=0)
    error = await ann.error(request)
    assert (error.status, error.code) == (409, ErrorCode.MANIFEST_CHANGED)
    assert error.details == {"epoch": first.epoch, "version": 1}
    answer = await ann.send(replace(request, version=1))
    assert answer.version == 2


async def test_a_note_forgotten_everywhere_leaves_no_body(ann: Caller, server: SyncServer) -> None:
    first = await ann.commit(put(note(body="the secret")), put(note("b-2")))
    second = await ann.commit(put(note(body="the secret, edited"), first.results[0].revision))
    request = ann.request(delete("a-1", second.results[0].revision, purge=True), epoch=first.epoch, device="d1")
    await ann.send(request)
    left = [one.key async for one in server.store.list_under("users/")]
    assert [key for key in left if "/a-1/" in key] == []
    assert [key for key in left if "/b-2/" in key] != []
    manifest = await server.store.read("users/ann/memory/manifest.json")
    assert isinstance(manifest, Found)
    assert b"secret" not in manifest.value
    assert [one.id for one in (await ann.list()).tombstones] == ["a-1"]


async def test_forgetting_everywhere_what_is_already_deleted_removes_its_bodies(
    ann: Caller, server: SyncServer
) -> None:
    first = await ann.commit(put(note()))
    await ann.commit(delete("a-1", first.results[0].revision))
    answer = await ann.commit(delete("a-1", first.results[0].revision, purge=True))
    assert answer.results[0].status is ChangeStatus.UNCHANGED
    assert [one.key async for one in server.store.list_under("users/ann/memory/objects/")] == []


async def test_tombstones_leave_after_their_window_and_raise_the_horizon(ann: Caller, clock: FakeClock) -> None:
    first = await ann.commit(put(note("a-1")), put(note("b-2")))
    await ann.commit(delete("a-1", first.results[0].revision))
    clock.advance(91 * DAY_S)
    assert [one.id for one in (await ann.list()).tombstones] == ["a-1"]
    await ann.commit(put(note("c-3")))
    listing = await ann.list(epoch=first.epoch, since=1)
    assert listing.complete
    assert (listing.horizon, listing.tombstones) == (2, ())
    assert not (await ann.list(epoch=first.epoch, since=2)).complete


async def test_many_devices_are_remembered_and_the_oldest_forgotten(server: SyncServer, ann: Caller) -> None:
    start = await ann.commit(put(note("z-0")))
    for number in range(55):
        server_clock = server.clock
        assert isinstance(server_clock, FakeClock)
        server_clock.advance(1)
        caller = Caller(server, ann.http, device=f"x{number}")
        await caller.send(caller.request(put(note(f"n-{number}")), epoch=start.epoch))
    manifest = await server.store.read("users/ann/memory/manifest.json")
    assert isinstance(manifest, Found)
    devices = json.loads(manifest.value)["devices"]
    assert len(devices) == 50
    assert set(devices) == {f"x{number}" for number in range(5, 55)}


async def test_a_restored_storage_shows_an_older_version(ann: Caller, server: SyncServer) -> None:
    first = await ann.commit(put(note("a-1")))
    key = "users/ann/memory/manifest.json"
    old = await server.store.read(key)
    assert isinstance(old, Found)
    second = await ann.commit(put(note("b-2")))
    await server.store.put(key, old.value)
    listing = await ann.list(epoch=first.epoch, since=second.version)
    assert listing.complete
    assert listing.version == 1
    assert (await ann.poll(PollQuery(USER_SCOPE, first.epoch, 2))).states[0].changed


async def test_a_wiped_storage_shows_no_epoch(ann: Caller, server: SyncServer) -> None:
    first = await ann.commit(put(note("a-1")))
    await server.store.remove([one.key async for one in server.store.list_under("users/")])
    listing = await ann.list(epoch=first.epoch, since=1)
    assert (listing.epoch, listing.version, listing.complete) == ("", 0, True)
    error = await ann.error(ann.request(put(note("b-2")), epoch=first.epoch))
    assert error.code == ErrorCode.EPOCH_CHANGED


async def test_a_manifest_that_cannot_be_read_is_left_alone(ann: Caller, server: SyncServer) -> None:
    first = await ann.commit(put(note()))
    key = "users/ann/memory/manifest.json"
    for broken in (b"", b"{", b"null", b'{"format":3}', b'{"format":2}'):
        await server.store.put(key, broken)
        error = await ann.error(ann.request(put(note("b-2")), epoch=first.epoch))
        assert (error.status, error.code) == (503, ErrorCode.STORAGE_UNAVAILABLE)
        kept = await server.store.read(key)
        assert isinstance(kept, Found)
        assert kept.value == broken


async def test_answers_are_compressed_for_those_who_ask(ann: Caller) -> None:
    await ann.commit(put(note(body="word " * 2000)))
    body = b'{"scope":{"kind":"user"}}'
    packed = await ann.post("/v1/memory/snapshot", body, **{"accept-encoding": "br, gzip;q=0.5"})
    plain = await ann.post("/v1/memory/snapshot", body, **{"accept-encoding": "gzip;q=0, identity"})
    assert packed.headers["content-encoding"] == "gzip"
    assert int(packed.headers["content-length"]) < 2000
    assert "content-encoding" not in plain.headers
    assert packed.json() == plain.json()


async def test_every_answer_says_who_and_how_much(ann: Caller, http: httpx2.AsyncClient) -> None:
    ann.plan = "free"
    answer = (await ann.get()).json()
    assert answer["userId"] == "ann"
    assert answer["plan"] == {
        "name": "free",
        "paid": False,
        "limits": {"maxNotes": 200, "maxBodyBytes": 16384},
    }
    assert answer["quota"]["maxNotes"] == 5000
    assert (await ann.get()).headers["oharness-protocol"] == "2"
    team = ann.server.headers("ann", teams=[("t1", "free"), ("t2", "paid")])
    paid = (await http.get("/v1/memory/identity", headers=team)).json()
    assert paid["plan"] == {"name": "paid", "paid": True, "limits": None}
    assert paid["teams"] == [{"id": "t1", "plan": "free"}, {"id": "t2", "plan": "paid"}]


async def test_a_free_account_over_its_limit_can_delete_and_edit_but_not_add(ann: Caller) -> None:
    first = await ann.commit(*(put(note(f"n-{number}")) for number in range(201)))
    ann.plan = "free"
    answer = await ann.commit(
        put(note("more")),
        put(note("n-0", body="edited"), first.results[0].revision, first.results[0].hash),
        delete("n-1", first.results[1].revision),
    )
    assert [(one.status, one.code) for one in answer.results] == [
        (ChangeStatus.APPLIED, None),
        (ChangeStatus.APPLIED, None),
        (ChangeStatus.APPLIED, None),
    ]
    answer = await ann.commit(put(note("still-more")))
    assert answer.results[0].code == ErrorCode.PLAN_NOTES
    large = await ann.commit(put(note("n-2", body="x" * 16_385), first.results[2].revision))
    assert large.results[0].code == ErrorCode.PLAN_NOTE_BYTES
