"""One account's end, as its seed has it: two devices go on committing, appending and refreshing while it is deleted.

The gateway, two replicas of the sync service and the protocol are the real ones; the database and the store are in
memory, the network is made up, and each of their moments is one at which anybody else may come first. In a sharp story
nothing is lost or late, so nothing may be left when it is quiet; in the others nothing after the last erasure.
"""

import asyncio
import functools
import hashlib
import json
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import urlencode

import httpx2

from oharness.core.clock import Clock
from oharness.core.scopes import USER_SCOPE, Scope, project_scope
from oharness.gateway.app import GatewayApp
from oharness.gateway.cloud import Cloud, open_cloud
from oharness.gateway.deletion import LATE_MS, Done, Subject
from oharness.gateway.erase_client import EraseClient
from oharness.gateway.housekeeping import EVERY_S
from oharness.gateway.oauth import CLIENT_ID, REFRESH_GRANT, TOKEN_PATH
from oharness.protocol.claims import AUDIENCE
from oharness.protocol.commit import COMMIT_PATH, CommitRequest, Put, decode_commit_answer, encode_commit_request
from oharness.protocol.feeds import FEED_PATH
from oharness.protocol.identity import IDENTITY_PATH
from oharness.protocol.values import NO_EPOCH, Epoch
from oharness.protocol.versions import CURRENT, PROTOCOL_HEADER
from oharness.syncserver.app import SyncService
from oharness.syncserver.auth import PublishedKeys, Verifier
from oharness.syncserver.objects.base import Found
from oharness.syncserver.objects.ram import RamObjects
from oharness.testing.erasure.accounts_in_memory import AccountsInMemory
from oharness.testing.erasure.held_back_objects import HeldBackObjects
from oharness.testing.erasure.planted import planted
from oharness.testing.gateway import CHEAP, ORIGIN, gateway_settings
from oharness.testing.randomness import SeededRandomness
from oharness.testing.simulated_network import (
    DELIVERED,
    AnswerLost,
    Delivered,
    Duplicated,
    Fate,
    HttpAnswer,
    HttpRequest,
    RequestLate,
    SimulatedNetwork,
    Unreachable,
)
from oharness.testing.simulated_time import SimulatedClock, SimulatedLoop, run_simulated
from oharness.testing.sync_caller import note, put
from oharness.testing.sync_server import ADMIN_KEY, SyncServer

SCOPES = (USER_SCOPE, project_scope("shop"))
_LONGEST_HELD_BACK_S = 300.0
_STALL = 40
"""Now and then something takes so many times as long as usual, and everything else overtakes it."""
_AT_MOST_S = 4 * LATE_MS / 1000


@dataclass(frozen=True, slots=True)
class Played:
    """What a story came to."""

    seed: int
    lines: tuple[str, ...]
    faults: tuple[str, ...]
    counts: Counter[str]

    @property
    def digest(self) -> str:
        """The same for two runs of the same seed."""
        return hashlib.sha256("\n".join(self.lines).encode()).hexdigest()


def play(seed: int, plant: str | None = None) -> Played:
    """The story of a seed, told and judged; `plant` names a fault that the code has meanwhile."""
    begun = _beginning()
    with planted(plant):
        return run_simulated(lambda loop: _Story(loop, seed, begun).told())


@dataclass(frozen=True, slots=True)
class _Beginning:
    """The database with both people in it, the same for every story of a process."""

    content: bytes
    ann: str
    bob: str
    team: str
    refresh_tokens: tuple[str, ...]
    bobs_refresh_token: str


_ACCOUNTS = AccountsInMemory()


@functools.cache
def _beginning() -> _Beginning:
    async def main(loop: SimulatedLoop) -> _Beginning:
        cloud = await _open_cloud(SimulatedClock(loop), SeededRandomness("beginning"), None)
        await cloud.keys.keep()
        ann, bob = await cloud.accounts.add("ann@example.com", None), await cloud.accounts.add("bob@example.com", None)
        team = await cloud.teams.add("Builders", ann)
        await cloud.teams.set_plan(team, "paid")
        async with cloud.database.transaction() as connection:
            tokens = [(await cloud.tokens.add_device(connection, one, "device")).text for one in (ann, ann, bob)]
        return _Beginning(_ACCOUNTS.content(), ann.id, bob.id, team, tuple(tokens[:2]), tokens[2])

    return run_simulated(main)


async def _open_cloud(clock: Clock, randomness: SeededRandomness, eraser: EraseClient | None) -> Cloud:
    settings = gateway_settings("sqlite:////nowhere")
    database = _ACCOUNTS.database
    return await open_cloud(settings, clock, randomness, cost=CHEAP, eraser=eraser, database=database)


@dataclass(slots=True)
class _Device:
    """One device, and everything it was given."""

    name: str
    refresh_token: str
    tokens: list[str] = field(default_factory=list)
    epochs: dict[Scope, Epoch] = field(default_factory=dict)
    revisions: dict[tuple[Scope, str], str | None] = field(default_factory=dict)
    acknowledged: set[tuple[Scope, str]] = field(default_factory=set)
    events: Counter[str] = field(default_factory=Counter)


class _Story:
    def __init__(self, loop: SimulatedLoop, seed: int, begun: _Beginning) -> None:
        self.loop = loop
        self.seed = seed
        self.begun = begun
        self.random = random.Random(seed)
        self.clock = SimulatedClock(loop)
        self.is_sharp = self.random.random() < 0.6
        self.slowness_s = self.random.choice((0.01, 0.05, 0.2))
        self.held_back_share = 0.0 if self.is_sharp else self.random.choice((0.0, 0.05, 0.2))
        self.lost_share = 0.0 if self.is_sharp else self.random.choice((0.0, 0.1, 0.3))
        self.is_calm = False
        self.lines: list[str] = []
        self.faults: list[str] = []
        self.counts: Counter[str] = Counter()
        self.leaves_at = 0.0
        self.signed_out_at: float | None = None
        self.erased_at: float | None = None
        self.store = HeldBackObjects(RamObjects(self.clock), self._moment, self._held_back_s)

    async def told(self) -> Played:
        await self._open()
        await self._happen()
        await self._judge()
        self.faults += [f"loop: {fault['message']}" for fault in self.loop.faults]
        return Played(self.seed, tuple(self.lines), tuple(self.faults), self.counts)

    async def _open(self) -> None:
        begun = self.begun
        _ACCOUNTS.renew(begun.content, self._moment)
        self.is_calm = True  # nobody waits for who only opens
        replicas = [self._replica(number) for number in range(2)]
        eraser = EraseClient("http://sync.test", ADMIN_KEY, replicas[0].line("gateway"))
        self.cloud = await _open_cloud(self.clock, SeededRandomness(f"{self.seed} gateway"), eraser)
        self.gateway = SimulatedNetwork(GatewayApp(self.cloud).app, self._fate)
        self.replicas = replicas
        self.ann = [_Device(f"ann-{i}", token) for i, token in enumerate(begun.refresh_tokens)]
        self.bob = _Device("bob", begun.bobs_refresh_token)
        for device in (*self.ann, self.bob):
            await self._refresh(device)
            await self._identity(device, self.replicas[0])
        self.is_calm = False
        self._tell(f"sharp {self.is_sharp}, held back {self.held_back_share}, lost {self.lost_share}")

    def _replica(self, number: int) -> SimulatedNetwork:
        server = SyncServer(self.clock, SeededRandomness(f"{self.seed} replica {number}"), store=self.store)

        async def fetch() -> bytes:
            return json.dumps(await self.cloud.keys.published()).encode()

        verifier = Verifier(PublishedKeys(fetch, self.clock), self.clock, AUDIENCE, ORIGIN)
        service = SyncService(replace(server.service.parts, verifier=verifier))
        return SimulatedNetwork(service.app, self._fate)

    # --- what happens

    async def _happen(self) -> None:
        async with asyncio.TaskGroup() as group:
            for device in (*self.ann, *self.ann, self.bob):  # each of hers does two things at a time
                group.create_task(self._use(device))
            for _ in range(self.random.choice((1, 1, 2))):  # two tabs of a browser
                group.create_task(self._leave(self.random.uniform(0, self.slowness_s * 20)))
        await self._quiet()

    async def _use(self, device: _Device) -> None:
        for _ in range(self.random.randint(3, 8)):
            await asyncio.sleep(self.random.uniform(0, self.slowness_s * 4))
            network = self.random.choice(self.replicas)
            what = self.random.choice((self._commit, self._commit, self._append, self._append_team, self._refreshed))
            await what(device, network)

    async def _leave(self, after_s: float) -> None:
        await asyncio.sleep(after_s)
        begun = await self.cloud.deletions.begin_account(self.begun.ann)
        self.signed_out_at = self.signed_out_at or self.loop.time()
        self._tell("leaving")
        subjects: Sequence[Subject] = (*begun.teams, begun.subject)
        outcomes = [await self.cloud.deletions.carry_on(subject) for subject in subjects]
        self._tell(f"deletion: {[type(outcome).__name__ for outcome in outcomes]}")
        if all(isinstance(outcome, Done) for outcome in outcomes):
            self.erased_at = self.erased_at or self.loop.time()

    # --- what devices do

    async def _refreshed(self, device: _Device, network: SimulatedNetwork) -> None:
        await self._refresh(device)

    async def _refresh(self, device: _Device) -> bool:
        began = self.loop.time()
        form = {
            "client_id": CLIENT_ID,
            "grant_type": REFRESH_GRANT,
            "refresh_token": device.refresh_token,
            "attempt": f"{device.name} {len(device.tokens)}",
        }
        headers = {"content-type": "application/x-www-form-urlencoded"}
        answer = await self._ask(self.gateway, device.name, "POST", TOKEN_PATH, headers, urlencode(form).encode())
        if answer is None or answer.status != 200:
            return False
        body = json.loads(answer.body)
        device.refresh_token = body["refresh_token"]
        device.tokens.append(body["access_token"])
        if device is not self.bob and self.signed_out_at is not None and began >= self.signed_out_at:
            self._fault(f"{device.name} was given tokens after its account had left")
        return True

    async def _commit(self, device: _Device, network: SimulatedNetwork) -> None:
        began = self.loop.time()
        scope = self.random.choice(SCOPES)
        names = self.random.sample(("a", "b", "c"), self.random.randint(1, 3))
        changes = tuple(self._change(device, scope, name) for name in sorted(names))
        request = CommitRequest(
            scope=scope,
            changes=changes,
            epoch=device.epochs.get(scope, NO_EPOCH),
            device=device.name,
            commit_id=SeededRandomness(self.random.random().hex()).uuid(),
        )
        answer = await self._post(device, network, COMMIT_PATH, encode_commit_request(request))
        if answer is None:
            return
        if answer.status == 409:
            device.epochs[scope] = Epoch(json.loads(answer.body)["error"]["details"].get("epoch", ""))
        if answer.status != 200:
            return
        if device is not self.bob and self.erased_at is not None and began >= self.erased_at:
            self._fault(f"a commit of {device.name} was accepted after the erasure")
        taken = decode_commit_answer(answer.body, request)
        device.epochs[scope] = taken.epoch
        for change, result in zip(changes, taken.results, strict=True):
            current = result.current.revision if result.current is not None else result.revision
            device.revisions[scope, change.id] = current
            if result.status in ("applied", "unchanged"):
                device.acknowledged.add((scope, change.id))

    def _change(self, device: _Device, scope: Scope, name: str) -> Put:
        body = f"{device.name} {self.random.randint(0, 99)}"
        return put(note(name, body), device.revisions.get((scope, name)), fresh=True)

    async def _append(self, device: _Device, network: SimulatedNetwork) -> None:
        await self._append_to(device, network, "me")

    async def _append_team(self, device: _Device, network: SimulatedNetwork) -> None:
        if device is not self.bob:
            await self._append_to(device, network, f"team-{self.begun.team}")

    async def _append_to(self, device: _Device, network: SimulatedNetwork, feed: str) -> None:
        session = self.random.choice(("s1", "s2"))
        place = f"{FEED_PATH}/{feed}/{session}"
        body = json.dumps({"events": [{"text": "hello"}], "after": device.events[place]}).encode()
        answer = await self._post(device, network, place, body)
        if answer is not None and answer.status == 200:
            device.events[place] = json.loads(answer.body)["stored"]
        elif answer is not None and answer.status == 409:
            device.events[place] = json.loads(answer.body)["error"]["details"]["stored"]

    async def _identity(self, device: _Device, network: SimulatedNetwork) -> None:
        await self._ask(network, device.name, "GET", IDENTITY_PATH, self._headers(device.tokens[-1]), b"")

    async def _post(self, device: _Device, network: SimulatedNetwork, path: str, body: bytes) -> HttpAnswer | None:
        answer = await self._ask(network, device.name, "POST", path, self._headers(device.tokens[-1]), body)
        if answer is not None and answer.status == 401:
            await self._refresh(device)
        return answer

    def _headers(self, token: str) -> dict[str, str]:
        kind = {"content-type": "application/json", PROTOCOL_HEADER.lower(): str(CURRENT)}
        return kind | {"authorization": f"Bearer {token}"}

    async def _ask(
        self, network: SimulatedNetwork, sender: str, method: str, path: str, headers: dict[str, str], body: bytes
    ) -> HttpAnswer | None:
        try:
            answer = await network.exchange(HttpRequest(sender, method, path, headers, body), 20.0)
        except httpx2.TransportError as error:
            self._tell(f"{sender} {method} {path}: {type(error).__name__}")
            return None
        self._tell(f"{sender} {method} {path}: {answer.status}")
        self.counts[f"{path.partition('/s')[0] if path.startswith(FEED_PATH) else path} {answer.status}"] += 1
        return answer

    # --- the moments

    async def _moment(self) -> None:
        if self.is_calm:
            return
        chance = self.random.random()
        longest_s = 0.0 if chance < 0.3 else self.slowness_s * (_STALL if chance > 0.96 else 1)
        await asyncio.sleep(self.random.random() * longest_s)

    def _held_back_s(self, name: str, key: str) -> float | None:
        if self.is_calm or key.startswith("probe/") or self.random.random() >= self.held_back_share:
            return None
        seconds = self.random.choice((0.1, 5.0, _LONGEST_HELD_BACK_S)) * self.random.random()
        self._tell(f"held back for {seconds:.1f} s: {name} {key}")
        self.counts["held back"] += 1
        return seconds

    def _fate(self, request: HttpRequest) -> Fate:
        if self.is_calm:
            return DELIVERED
        if self.random.random() < self.lost_share:
            self.counts["lost or late requests"] += 1
            fates: list[Fate] = [
                Unreachable(),
                AnswerLost(broken=True),
                AnswerLost(),
                RequestLate(self.random.uniform(0, 60)),
                Duplicated(self.random.uniform(0, 60)),
            ]
            fate = self.random.choice(fates)
            self._tell(f"{type(fate).__name__}: {request.sender} {request.path}")
            return fate
        return Delivered(self.random.random() * self.slowness_s, self.random.random() * self.slowness_s)

    async def _quiet(self) -> None:
        for network in (*self.replicas, self.gateway):
            await network.quiet()

    # --- the judgement

    async def _judge(self) -> None:
        await self._quiet()
        if self.is_sharp:
            if self.erased_at is None:
                self._fault("the deletion did not come to its end")
            await self._judge_store("when it was quiet")
        self.is_calm = True  # what is held back stays so, but nothing more is
        await self._until(self._is_deleted)
        await self._judge_tokens()
        await self.store.quiet()
        await self._until(self._is_forgotten)
        await self._judge_store("at the end")
        await self._judge_bob()
        for network in self.replicas:
            metrics = await network.exchange(HttpRequest("judge", "GET", "/metrics", {}, b""))
            if "internal_errors_total 0" not in metrics.body.decode():
                self._fault("a replica had a fault of its own")

    async def _until(self, happened: Callable[[], Awaitable[bool]]) -> None:
        """Housekeeping goes on until it has."""
        end = self.loop.time() + _AT_MOST_S
        while not await happened():
            if self.loop.time() > end:
                self._fault(f"{happened.__name__} did not come true")
                return
            await self.cloud.housekeeping.round()
            await asyncio.sleep(EVERY_S)

    async def _is_deleted(self) -> bool:
        return await self.cloud.deletions.open() == []

    async def _is_forgotten(self) -> bool:
        return self.cloud.deletions is not None and await self.cloud.deletions.late() == 0

    async def _judge_store(self, when: str) -> None:
        ann, team = self.begun.ann, self.begun.team
        for prefix in (f"users/{ann}/", f"feed/{ann}/", f"feed/team-{team}/"):
            async for one in self.store.inner.list_under(prefix):
                read = await self.store.inner.read(one.key)
                manifest = one.key.endswith("manifest.json") and isinstance(read, Found) and json.loads(read.value)
                if not manifest or not manifest.get("erased"):
                    self._fault(f"left {when}: {one.key}")

    async def _judge_tokens(self) -> None:
        places = ((IDENTITY_PATH, "GET"), (f"{FEED_PATH}/me", "GET"), (f"{FEED_PATH}/team-{self.begun.team}", "GET"))
        for device in self.ann:
            if await self._refresh(device):
                self._fault(f"{device.name} was given tokens after the erasure")
            for token in device.tokens:
                for path, method in places:
                    network = self.random.choice(self.replicas)
                    answer = await self._ask(network, device.name, method, path, self._headers(token), b"")
                    # late requests may have made the story longer than a token's life
                    if answer is None or answer.status not in (410, 401):
                        self._fault(f"{path} answered {answer and answer.status} after the erasure")

    async def _judge_bob(self) -> None:
        for scope, name in sorted(self.bob.acknowledged, key=str):
            kind = "" if scope == USER_SCOPE else f"projects/{scope.project_id}/"
            read = await self.store.inner.read(f"users/{self.begun.bob}/{kind}memory/manifest.json")
            if not isinstance(read, Found) or name not in json.loads(read.value)["notes"]:
                self._fault(f"bob's note {name} is gone")

    def _tell(self, line: str) -> None:
        self.lines.append(f"{self.loop.time():9.3f} {line}")

    def _fault(self, text: str) -> None:
        self._tell(f"FAULT: {text}")
        self.faults.append(text)
