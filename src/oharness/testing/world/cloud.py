"""The cloud of a world: one store, two replicas of the real service on it, and what goes wrong on the way there."""

import json
import logging
import random
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from oharness.notes.frontmatter import FILE_SUFFIX, parse_note
from oharness.notes.note import Note
from oharness.protocol.quotas import PlanLimits, Quota
from oharness.syncserver.objects.base import Stored, StoreVersion, Written
from oharness.syncserver.objects.ram import RamObjects
from oharness.testing.randomness import SeededRandomness
from oharness.testing.simulated_network import (
    JSON,
    AnswerCut,
    AnsweredBy,
    AnswerLost,
    AnswerReplaced,
    Delivered,
    Duplicated,
    Exchange,
    Fate,
    HttpAnswer,
    HttpRequest,
    RequestLate,
    RequestLost,
    SimulatedNetwork,
    Unreachable,
)
from oharness.testing.simulated_time import SimulatedClock
from oharness.testing.store_faults import Fault, FaultyObjects, StoreCall
from oharness.testing.sync_server import SyncServer
from oharness.testing.world.cloud_watch import CloudWatch
from oharness.testing.world.trace import Trace

ACCOUNT = "ann"
MANIFEST = "/manifest.json"
ROOMY = PlanLimits(200, 16_384)
_SLOW_CALLS = 0.15
_SLOWEST_CALL_S = 0.05
_NEVER_APPLIED = (409, 413)

WriteWatch = Callable[[str, bytes], None]


_NO_LOG = logging.NullHandler()


class WatchedObjects(RamObjects):
    """Objects in memory; all of it can be set back.

    Every manifest that is stored is told to `watch`, and every note to `took_in`.
    """

    def __init__(self, clock: SimulatedClock, watch: WriteWatch, took_in: Callable[[Note], None]) -> None:
        super().__init__(clock)
        self._watch = watch
        self._took_in = took_in

    async def create(self, key: str, value: bytes) -> Written:
        if key.endswith(FILE_SUFFIX):
            self._took_in(_parsed(value, key.split("/")[-2]))
        return self._seen(key, value, await super().create(key, value))

    async def replace(self, key: str, value: bytes, known: StoreVersion) -> Written:
        return self._seen(key, value, await super().replace(key, value, known))

    def values(self) -> dict[str, bytes]:
        """Every object by key."""
        return {key: kept.value for key, kept in self._objects.items()}

    def __contains__(self, key: object) -> bool:
        return key in self._objects

    def copy(self) -> dict[str, Any]:
        """A backup of the storage."""
        return dict(self._objects)

    def set_back(self, backup: dict[str, Any]) -> None:
        """The storage is as it was."""
        self._objects = dict(backup)

    def _seen(self, key: str, value: bytes, written: Written) -> Written:
        if isinstance(written, Stored) and key.endswith(MANIFEST):
            self._watch(key, value)
        return written


@dataclass(slots=True)
class Weather:
    """How likely it is that something goes wrong: with a request, by the name of its line, and with a store call."""

    bad_requests: dict[str, float] = field(default_factory=dict)
    offline: set[str] = field(default_factory=set)
    bad_store_calls: float = 0.0

    def clear_up(self) -> None:
        """Nothing goes wrong any more."""
        self.bad_requests.clear()
        self.offline.clear()
        self.bad_store_calls = 0.0


@dataclass(slots=True)
class Tokens:
    """One device's tokens, as the gateway gives them out."""

    cloud: "Cloud"
    present: str | None = None

    async def access_token(self) -> str | None:
        if self.present is None:
            self.present = self.cloud.token()
        return self.present

    async def refreshed(self, refused: str) -> str | None:
        self.present = self.cloud.token()
        return self.present


class Cloud:
    """The service of a world. `heard` is told of each note that an answer brings, `took_in` of each stored."""

    def __init__(
        self,
        clock: SimulatedClock,
        chance: random.Random,
        trace: Trace,
        watch: CloudWatch,
        heard: Callable[[str, Note], None],
        took_in: Callable[[Note], None],
    ) -> None:
        logging.getLogger("oharness.syncserver").addHandler(_NO_LOG)  # what goes wrong here is meant to
        self.clock = clock
        self.weather = Weather()
        self.quota = Quota()
        self.plan = "paid"
        self.free_limits = ROOMY
        self.objects = WatchedObjects(clock, watch.manifest_written, took_in)
        self.watch = watch
        watch.objects = self.objects
        self.backup: dict[str, Any] | None = None
        self.store = FaultyObjects(self.objects, self._store_fault)
        self.store.interlude = self._store_call
        self.network = SimulatedNetwork(self._app, self._fate, self._watch)
        self._chance = chance
        self._trace = trace
        self._heard = heard
        self._after_stale = False
        self._delivered: set[bytes] = set()
        self.start()

    def start(self) -> None:
        """The service starts, or starts again: two replicas that remember nothing."""
        self.servers = [self._server(name) for name in ("one", "two")]

    async def open(self) -> None:
        """The start-up probe, while nothing goes wrong yet."""
        for server in self.servers:
            await server.service._storage.gate.pass_through()  # type: ignore[union-attr]

    def token(self) -> str:
        """A fresh token for the one account."""
        return self.servers[0].token(ACCOUNT, plan=self.plan)

    def manifest(self) -> dict[str, Any]:
        """The one scope's manifest as it stands in the store; empty before the first write."""
        for key, value in self.objects.values().items():
            if key.endswith(MANIFEST):
                return json.loads(value)  # type: ignore[no-any-return]
        return {}

    def notes(self) -> dict[str, Note]:
        """The live notes, read from the objects that the manifest names."""
        values = self.objects.values()
        prefix = next((key.removesuffix("manifest.json") for key in values if key.endswith(MANIFEST)), "")
        live = self.manifest().get("notes", {})
        return {
            note_id: _parsed(values[f"{prefix}objects/{note_id}/{entry['revision']}{FILE_SUFFIX}"], note_id)
            for note_id, entry in live.items()
        }

    def _server(self, name: str) -> SyncServer:
        randomness = SeededRandomness(f"{name} {self._chance.random()}")
        return SyncServer(self.clock, randomness, store=self.store, quota=self.quota, free_limits=self.free_limits)

    async def _app(self, scope: Any, receive: Any, send: Any) -> None:
        await self._chance.choice(self.servers).app(scope, receive, send)

    # --- what goes wrong with a request

    def _fate(self, request: HttpRequest) -> Fate:
        if request.sender in self.weather.offline:
            return Unreachable()
        if self._chance.random() < self.weather.bad_requests.get(request.sender, 0.0):
            kind, fate = self._bad_fate()
            while isinstance(fate, AnsweredBy) and fate.answer.status in _NEVER_APPLIED and self._was_here(request):
                kind, fate = self._bad_fate()
            self._trace.event(f"fault: {kind}", request.sender)
            return fate
        return Delivered(self._chance.choice((0.0, 0.01, 0.3)), self._chance.choice((0.0, 0.01, 0.3)))

    def _was_here(self, request: HttpRequest) -> bool:
        """Whether this very request arrived before: nobody who refuses it for its size would have let it through."""
        return request.body in self._delivered

    def _bad_fate(self) -> tuple[str, Fate]:
        chance = self._chance
        soon = chance.choice((0.05, 1.0, 20.0))
        kinds: list[tuple[str, Callable[[], Fate]]] = [
            ("request lost", RequestLost),
            ("answer lost", lambda: AnswerLost(broken=chance.random() < 0.5)),
            ("answer lost", lambda: AnswerLost(broken=chance.random() < 0.5)),
            ("request late", lambda: RequestLate(soon)),
            ("request twice", lambda: Duplicated(soon)),
            ("answer cut", lambda: AnswerCut(chance.random(), noticed=chance.random() < 0.3)),
            ("401", lambda: AnsweredBy(_error(401, "unauthorized"))),
            ("409", lambda: AnsweredBy(HttpAnswer(409, {"content-type": "text/plain"}, b"conflict"))),
            ("413", lambda: AnsweredBy(_error(413, "request_too_large"))),
            ("429", lambda: AnsweredBy(_error(429, "rate_limited", {"retry-after": "120"}))),
            ("500", lambda: self._before_or_after(_error(500, "internal"))),
            ("503", lambda: self._before_or_after(_error(503, "busy"))),
            ("web page", lambda: self._before_or_after(_page(chance.choice((200, 403, 502))))),
        ]
        kind, make = chance.choice(kinds)
        return kind, make()

    def _before_or_after(self, answer: HttpAnswer) -> Fate:
        return AnsweredBy(answer) if self._chance.random() < 0.5 else AnswerReplaced(answer)

    # --- what goes wrong in the store

    async def _store_call(self, call: StoreCall) -> None:
        if self._chance.random() < _SLOW_CALLS:
            await self.clock.sleep(self._chance.random() * _SLOWEST_CALL_S)

    def _store_fault(self, call: StoreCall) -> Fault | None:
        """A stale or short reading comes once, not twice running: no store is that bad for long."""
        if self._chance.random() >= self.weather.bad_store_calls:
            if call.name == "read":
                self._after_stale = False
            return None
        is_manifest = call.name == "read" and call.key.endswith(MANIFEST)
        if is_manifest and not self._after_stale and self._chance.random() < 0.5:
            fault = self._chance.choice((Fault.STALE, Fault.SHORT))
            self._after_stale = True
        else:
            fault = self._chance.choice((Fault.BEFORE, Fault.AFTER))
        self._trace.event(f"fault: store {fault.name.lower()}", "store", call.name)
        return fault

    # --- what is seen

    def _watch(self, exchange: Exchange) -> None:
        request, answer = exchange.request, exchange.answer
        if answer is not None:
            self._delivered.add(request.body)
        status = answer.status if answer else "-"
        size = len(answer.body) if answer else 0
        self._trace.say(request.sender, f"  {request.path.rsplit('/', 1)[-1]} {status} {len(request.body)}>{size}")
        if answer and answer.status == 200 and request.path.endswith("/snapshot"):
            for note in _notes_in(answer):
                self._heard(request.sender, note)


@lru_cache(maxsize=4096)
def _parsed(data: bytes, note_id: str) -> Note:
    return parse_note(data, note_id + FILE_SUFFIX)


def _error(status: int, code: str, headers: dict[str, str] | None = None) -> HttpAnswer:
    body = json.dumps({"error": {"code": code, "message": "made up"}}).encode()
    return HttpAnswer(status, {"content-type": JSON, **(headers or {})}, body)


def _page(status: int) -> HttpAnswer:
    return HttpAnswer(status, {"content-type": "text/html"}, b"<html><body>Please sign in to the network</body></html>")


def _notes_in(answer: HttpAnswer) -> list[Note]:
    body = answer.body
    if answer.headers.get("content-encoding") == "gzip":
        body = zlib.decompress(body, 31)
    if b'"note":' not in body:
        return []
    listed = json.loads(body).get("notes", [])
    return [_note(one["note"]) for one in listed if isinstance(one, dict) and "note" in one]


def _note(raw: dict[str, Any]) -> Note:
    return Note(
        id=raw["id"],
        summary=raw["summary"],
        body=raw["body"],
        type=raw.get("type"),
        tags=tuple(raw["tags"]),
        extra=raw.get("extra", {}),
    )
