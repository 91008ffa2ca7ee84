"""The queue of a scope: whoever comes first writes for all, and nobody is forgotten."""

import asyncio
from dataclasses import dataclass

import pytest

from oharness.syncserver.scope_queue import ScopeQueues
from oharness.testing.clock import FakeClock

pytestmark = pytest.mark.sync


@dataclass(eq=False)
class Waiting:
    """Something to be written."""

    name: str
    is_settled: bool = False


class Writer:
    """Settles what it is given, one batch for each time it is let go on."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.permits = asyncio.Semaphore(0)
        self.fails = False

    def go(self, times: int = 1) -> None:
        for _ in range(times):
            self.permits.release()

    async def write(self, key: str, batch: list[Waiting]) -> None:
        self.batches.append([one.name for one in batch])
        await self.permits.acquire()
        if self.fails:
            self.fails = False
            raise RuntimeError("the writer failed")
        for one in batch:
            one.is_settled = True


def queues(writer: Writer, clock: FakeClock, interval_s: float = 0.0) -> ScopeQueues[Waiting]:
    return ScopeQueues(writer.write, lambda one: one.is_settled, clock, interval_s)


async def started(made: ScopeQueues[Waiting], *names: str, key: str = "k") -> list[asyncio.Task[None]]:
    tasks = [asyncio.create_task(made.submit(key, Waiting(name))) for name in names]
    for _ in range(3):
        await asyncio.sleep(0)
    return tasks


async def test_what_arrives_during_a_write_goes_into_the_next(clock: FakeClock) -> None:
    writer = Writer()
    made = queues(writer, clock)
    tasks = await started(made, "a")
    tasks += await started(made, "b", "c", "d")
    writer.go(1000)
    await asyncio.gather(*tasks)
    assert writer.batches == [["a"], ["b", "c", "d"]]


async def test_scopes_do_not_wait_for_each_other(clock: FakeClock) -> None:
    writer = Writer()
    made = queues(writer, clock)
    tasks = await started(made, "a", key="k1") + await started(made, "b", key="k2")
    assert writer.batches == [["a"], ["b"]]
    writer.go(1000)
    await asyncio.gather(*tasks)


async def test_a_writer_that_is_cancelled_leaves_the_others_to_the_next(clock: FakeClock) -> None:
    writer = Writer()
    made = queues(writer, clock)
    first = await started(made, "a")
    others = await started(made, "b", "c")
    writer.go()
    await asyncio.gather(*first)
    for _ in range(3):
        await asyncio.sleep(0)
    assert writer.batches == [["a"], ["b", "c"]]
    others[0].cancel()
    writer.go()
    await asyncio.gather(others[1])
    assert writer.batches == [["a"], ["b", "c"], ["c"]]


async def test_one_that_gives_up_waiting_is_not_written(clock: FakeClock) -> None:
    writer = Writer()
    made = queues(writer, clock)
    tasks = await started(made, "a") + await started(made, "b", "c")
    tasks[1].cancel()
    await asyncio.sleep(0)
    writer.go(1000)
    await asyncio.gather(tasks[0], tasks[2])
    assert writer.batches == [["a"], ["c"]]


async def test_a_writer_that_fails_takes_only_itself_down(clock: FakeClock) -> None:
    writer = Writer()
    made = queues(writer, clock)
    tasks = await started(made, "a") + await started(made, "b")
    writer.fails = True
    writer.go(1000)
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(one) for one in results] == [RuntimeError, type(None)]
    assert writer.batches == [["a"], ["b"]]


async def test_writes_keep_their_distance_and_join_what_arrives_meanwhile(clock: FakeClock) -> None:
    writer = Writer()
    writer.go(1000)
    made = queues(writer, clock, 1.0)
    await made.submit("k", Waiting("a"))
    before = clock.monotonic()
    await asyncio.gather(*(made.submit("k", Waiting(name)) for name in ("b", "c")))
    assert clock.monotonic() - before >= 1.0
    assert writer.batches == [["a"], ["b", "c"]]


async def test_idle_queues_are_dropped(clock: FakeClock) -> None:
    writer = Writer()
    writer.go(1000)
    made = queues(writer, clock)
    for number in range(100):
        await made.submit(f"k{number}", Waiting("a"))
    assert made._queues == {}
