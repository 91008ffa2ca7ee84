import asyncio
import json
from collections.abc import Awaitable, Callable

import httpx2
import pytest

from oharness.testing.simulated_network import (
    AnswerCut,
    AnsweredBy,
    AnswerLost,
    AnswerReplaced,
    Delivered,
    Duplicated,
    Fate,
    HttpAnswer,
    RequestLate,
    RequestLost,
    SimulatedNetwork,
    Unreachable,
)
from oharness.testing.simulated_time import SimulatedLoop, run_simulated

pytestmark = pytest.mark.sync

Arrivals = list[tuple[float, str]]


def with_fate(fate: Fate, act: Callable[[httpx2.AsyncClient], Awaitable[object]]) -> tuple[Arrivals, float]:
    """When the service got which requests, and when the client was done."""
    arrivals: Arrivals = []

    async def main(loop: SimulatedLoop) -> float:
        async def app(scope, receive, send) -> None:  # type: ignore[no-untyped-def]
            body = (await receive())["body"]
            arrivals.append((round(loop.time(), 6), body.decode()))
            headers = [(b"content-type", b"application/json")]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await send({"type": "http.response.body", "body": json.dumps({"got": body.decode()}).encode()})

        network = SimulatedNetwork(app, lambda request: fate)
        async with httpx2.AsyncClient(transport=network.line("a"), base_url="http://s.test", timeout=10) as client:
            await act(client)
            done = loop.time()
            await network.quiet()
            return done

    return arrivals, run_simulated(main)


async def answered(client: httpx2.AsyncClient) -> None:
    assert (await client.post("/x", content=b"hello")).json() == {"got": "hello"}


async def timed_out(client: httpx2.AsyncClient) -> None:
    with pytest.raises(httpx2.ReadTimeout):
        await client.post("/x", content=b"hello")


async def broken(client: httpx2.AsyncClient) -> None:
    with pytest.raises(httpx2.RemoteProtocolError):
        await client.post("/x", content=b"hello")


async def unreachable(client: httpx2.AsyncClient) -> None:
    with pytest.raises(httpx2.ConnectError):
        await client.post("/x", content=b"hello")


async def cut(client: httpx2.AsyncClient) -> None:
    assert (await client.post("/x", content=b"hello")).text == '{"got": '


async def answered_503(client: httpx2.AsyncClient) -> None:
    assert (await client.post("/x", content=b"hello")).status_code == 503


BUSY = HttpAnswer(503, {}, b"")


@pytest.mark.parametrize(
    ("fate", "act", "arrivals", "done"),
    [
        (Delivered(1, 2), answered, [1], 3),
        (Unreachable(), unreachable, [], 0),
        (RequestLost(), timed_out, [], 10),
        (AnswerLost(), timed_out, [0], 10),
        (AnswerLost(broken=True), broken, [0], 0),
        (RequestLate(5), timed_out, [15], 10),
        (Duplicated(4), answered, [0, 4], 0),
        (AnswerCut(0.5, noticed=False), cut, [0], 0),
        (AnswerCut(0.5, noticed=True), broken, [0], 0),
        (AnsweredBy(BUSY), answered_503, [], 0),
        (AnswerReplaced(BUSY), answered_503, [0], 0),
    ],
)
def test_a_request_meets_its_fate(
    fate: Fate, act: Callable[[httpx2.AsyncClient], Awaitable[object]], arrivals: list[float], done: float
) -> None:
    seen, finished = with_fate(fate, act)
    assert seen == [(at, "hello") for at in arrivals]
    assert finished == pytest.approx(done)


def test_the_service_goes_on_when_the_client_is_gone() -> None:
    async def gone(client: httpx2.AsyncClient) -> None:
        task = asyncio.ensure_future(client.post("/x", content=b"hello"))
        await asyncio.sleep(0.5)
        task.cancel()

    arrivals, _ = with_fate(Delivered(1, 1), gone)
    assert arrivals == [(1, "hello")]
