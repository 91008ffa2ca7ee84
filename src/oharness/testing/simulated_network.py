"""A network between HTTP clients and a service in this process, on which every request meets a fate.

    network = SimulatedNetwork(service.app, choose_fate)
    client = httpx2.AsyncClient(transport=network.line("laptop"), base_url=ORIGIN)

No sockets. The service goes on with a request whose sender has given up or died, as it would in another process.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias, assert_never

import httpx2

AsgiApp: TypeAlias = Callable[[Any, Any, Any], Awaitable[None]]
PATIENCE_S = 30.0
"""How long a client waits for an answer when it does not say."""

JSON = "application/json"


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A request as it leaves the client; header names in lower case. `sender` is the name of its line."""

    sender: str
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """An answer as it leaves the service."""

    status: int
    headers: Mapping[str, str]
    body: bytes


# --- what becomes of a request


@dataclass(frozen=True, slots=True)
class Delivered:
    """It arrives, and the answer comes back; seconds each way."""

    there_s: float = 0.0
    back_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Unreachable:
    """No connection: the client knows at once, the service never."""


@dataclass(frozen=True, slots=True)
class RequestLost:
    """It never arrives; the client waits in vain."""


@dataclass(frozen=True, slots=True)
class AnswerLost:
    """It is carried out; the client waits in vain, or sees the connection break."""

    broken: bool = False


@dataclass(frozen=True, slots=True)
class RequestLate:
    """The client gives up, and after so many seconds more the request arrives all the same."""

    after_s: float


@dataclass(frozen=True, slots=True)
class Duplicated:
    """It arrives once more, so many seconds later; the client hears of the first arrival only."""

    after_s: float


@dataclass(frozen=True, slots=True)
class AnswerCut:
    """The answer ends too early, after this part of its bytes. `noticed`: the connection says so."""

    part: float
    noticed: bool


@dataclass(frozen=True, slots=True)
class AnsweredBy:
    """Something on the way answers, and the service never hears of it."""

    answer: HttpAnswer


@dataclass(frozen=True, slots=True)
class AnswerReplaced:
    """It is carried out, but something on the way puts another answer in place of the real one."""

    answer: HttpAnswer


Fate: TypeAlias = (
    Delivered
    | Unreachable
    | RequestLost
    | AnswerLost
    | RequestLate
    | Duplicated
    | AnswerCut
    | AnsweredBy
    | AnswerReplaced
)
DELIVERED = Delivered()


@dataclass(frozen=True, slots=True)
class Exchange:
    """What the network saw of one request. `answer` is the service's own, None where it never answered."""

    request: HttpRequest
    fate: Fate
    answer: HttpAnswer | None


@dataclass(slots=True)
class SimulatedNetwork:
    """Lines to one service. `choose_fate` is asked for each request, `watch` is told of each the service answered."""

    app: AsgiApp
    choose_fate: Callable[[HttpRequest], Fate] = lambda request: DELIVERED
    watch: Callable[[Exchange], None] = lambda exchange: None
    requests: int = 0
    _under_way: set["asyncio.Task[HttpAnswer]"] = field(default_factory=set)

    def line(self, sender: str, is_alive: Callable[[], None] = lambda: None) -> httpx2.AsyncBaseTransport:
        """A transport for one client. `is_alive` raises when the process it belongs to has died."""
        return _Line(self, sender, is_alive)

    async def exchange(self, request: HttpRequest, patience_s: float = PATIENCE_S) -> HttpAnswer:
        """The answer to one request, as far as its fate allows.

        Raises: httpx2.TransportError.
        """
        self.requests += 1
        fate = self.choose_fate(request)
        match fate:
            case Delivered(there_s, back_s):
                answer = await self._arrived(request, fate, there_s)
                await asyncio.sleep(back_s)
                return answer
            case Unreachable():
                self.watch(Exchange(request, fate, None))
                raise httpx2.ConnectError("no route to the host")
            case RequestLost():
                self.watch(Exchange(request, fate, None))
                raise await _given_up(patience_s)
            case AnswerLost(broken):
                await self._arrived(request, fate)
                if broken:
                    raise httpx2.RemoteProtocolError("the connection broke")
                raise await _given_up(patience_s)
            case RequestLate(after_s):
                self._send(request, fate, patience_s + after_s)
                raise await _given_up(patience_s)
            case Duplicated(after_s):
                self._send(request, fate, after_s)
                return await self._arrived(request, fate)
            case AnswerCut(part, noticed):
                return _cut(await self._arrived(request, fate), part, noticed)
            case AnsweredBy(answer):
                self.watch(Exchange(request, fate, None))
                return answer
            case AnswerReplaced(answer):
                await self._arrived(request, fate)
                return answer
            case _:
                assert_never(fate)

    async def quiet(self) -> None:
        """Returns when the service has answered everything that is still on its way."""
        while self._under_way:
            await asyncio.wait(self._under_way)

    async def _arrived(self, request: HttpRequest, fate: Fate, there_s: float = 0.0) -> HttpAnswer:
        return await asyncio.shield(self._send(request, fate, there_s))

    def _send(self, request: HttpRequest, fate: Fate, there_s: float) -> "asyncio.Task[HttpAnswer]":
        task = asyncio.get_running_loop().create_task(self._carried_out(request, fate, there_s))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        return task

    async def _carried_out(self, request: HttpRequest, fate: Fate, there_s: float) -> HttpAnswer:
        if there_s:
            await asyncio.sleep(there_s)
        answer = await call_app(self.app, request)
        self.watch(Exchange(request, fate, answer))
        return answer


class _Line(httpx2.AsyncBaseTransport):
    """One client's way to the service."""

    def __init__(self, network: SimulatedNetwork, sender: str, is_alive: Callable[[], None]) -> None:
        self._network = network
        self._sender = sender
        self._is_alive = is_alive

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self._is_alive()
        body = await request.aread()
        sent = HttpRequest(self._sender, request.method, request.url.path, dict(request.headers), body)
        timeout = request.extensions.get("timeout", {}).get("read")
        answer = await self._network.exchange(sent, PATIENCE_S if timeout is None else timeout)
        self._is_alive()
        return httpx2.Response(answer.status, headers=dict(answer.headers), content=answer.body)


async def call_app(app: AsgiApp, request: HttpRequest) -> HttpAnswer:
    """One request to an ASGI application, without a server around it."""
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": "http",
        "path": request.path,
        "raw_path": request.path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(name.encode(), value.encode()) for name, value in request.headers.items()],
        "client": ("127.0.0.1", 50_000),
        "server": ("sync.test", 80),
    }
    received = [{"type": "http.request", "body": request.body, "more_body": False}]
    started: dict[str, Any] = {}
    parts: list[bytes] = []

    async def receive() -> dict[str, Any]:
        return received.pop() if received else {"type": "http.disconnect"}

    async def send(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            started.update(message)
        else:
            parts.append(message.get("body", b""))

    await app(scope, receive, send)
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in started["headers"]}
    return HttpAnswer(started["status"], headers, b"".join(parts))


async def _given_up(patience_s: float) -> httpx2.ReadTimeout:
    await asyncio.sleep(patience_s)
    return httpx2.ReadTimeout("no answer in time")


def _cut(answer: HttpAnswer, part: float, noticed: bool) -> HttpAnswer:
    if noticed:
        raise httpx2.RemoteProtocolError("the connection was closed in the middle of the answer")
    body = answer.body[: round(len(answer.body) * part)]
    return HttpAnswer(answer.status, {**answer.headers, "content-length": str(len(body))}, body)
