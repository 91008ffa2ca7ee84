import asyncio

import pytest

from oharness.testing.clock import START_MS, FakeClock
from oharness.testing.randomness import SeededRandomness


async def test_time_jumps_when_everyone_waits() -> None:
    clock = FakeClock()
    order: list[str] = []

    async def worker(name: str, seconds: float) -> None:
        await clock.sleep(seconds)
        order.append(f"{name} at {clock.monotonic():g}")

    await asyncio.gather(worker("late", 3600), worker("early", 60), worker("second", 61))
    assert order == ["early at 60", "second at 61", "late at 3600"]
    assert clock.now_ms() == START_MS + 3_600_000


async def test_time_stands_still_while_somebody_works() -> None:
    clock = FakeClock()

    async def busy() -> float:
        for _ in range(50):
            await asyncio.sleep(0)
        return clock.monotonic()

    waiting = asyncio.create_task(clock.sleep(10))
    assert await busy() == 0
    await waiting
    assert clock.monotonic() == 10


async def test_work_in_a_thread_can_be_announced() -> None:
    clock = FakeClock()

    async def in_a_thread() -> float:
        with clock.busy():
            await asyncio.to_thread(sum, range(100_000))
            return clock.monotonic()

    waiting = asyncio.create_task(clock.sleep(10))
    await asyncio.sleep(0)
    assert await in_a_thread() == 0
    await waiting


async def test_a_grace_lets_work_elsewhere_come_first() -> None:
    clock = FakeClock(grace_s=0.01)
    waiting = asyncio.create_task(clock.sleep(10))
    await asyncio.to_thread(sum, range(1000))
    assert clock.monotonic() == 0
    await waiting


async def test_a_cancelled_sleep_moves_nothing() -> None:
    clock = FakeClock()
    task = asyncio.create_task(clock.sleep(1000))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await clock.sleep(1)
    assert clock.monotonic() == 1


async def test_time_can_be_moved_by_hand_and_the_wall_clock_set() -> None:
    clock = FakeClock()
    woken = asyncio.create_task(clock.sleep(5))
    await asyncio.sleep(0)
    clock.advance(5)
    await woken
    clock.set_wall_clock(1000)
    assert (clock.now_ms(), clock.monotonic()) == (1000, 5)
    clock.advance(1)
    assert (clock.now_ms(), clock.monotonic()) == (2000, 6)


def test_chance_with_a_seed_repeats_itself() -> None:
    first, second, other = SeededRandomness(1), SeededRandomness(1), SeededRandomness(2)
    drawn = [(one.text("abc", 8), one.token(4), one.uuid(), one.uniform(0, 1)) for one in (first, second, other)]
    assert drawn[0] == drawn[1]
    assert drawn[0] != drawn[2]
    assert drawn[0][2][14] == "4"
