import asyncio

import pytest

from oharness.testing.faults import Crashed
from oharness.testing.simulated_time import SimulatedClock, SimulatedLoop, WaitsForEver, run_simulated

pytestmark = pytest.mark.sync


def test_days_pass_at_once_and_in_order() -> None:
    async def main(loop: SimulatedLoop) -> list[str]:
        seen: list[str] = []

        async def say(seconds: float, what: str) -> None:
            await asyncio.sleep(seconds)
            seen.append(f"{what} at {loop.time():.0f}")

        await asyncio.gather(say(86_400 * 90, "last"), say(5, "first"), say(86_400, "then"))
        return seen

    assert run_simulated(main) == ["first at 5", "then at 86400", "last at 7776000"]


def test_short_waits_end_after_many_years_too() -> None:
    async def main(loop: SimulatedLoop) -> None:
        await asyncio.sleep(1e9)
        for _ in range(100):
            await asyncio.sleep(0.0001)

    run_simulated(main)


def test_a_thread_takes_its_time_and_others_go_on_beside_it() -> None:
    async def main(loop: SimulatedLoop) -> list[str]:
        seen: list[str] = []

        async def other() -> None:
            seen.append("other")

        task = asyncio.ensure_future(other())
        await asyncio.to_thread(seen.append, "thread")
        await task
        return [*seen, f"{loop.time():.1f}"]

    assert run_simulated(main, lambda: 0.5) == ["other", "thread", "0.5"]


def test_work_in_a_thread_goes_on_when_nobody_waits_for_it_any_more() -> None:
    async def main(loop: SimulatedLoop) -> list[str]:
        seen: list[str] = []
        task = asyncio.ensure_future(asyncio.to_thread(seen.append, "done"))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.sleep(1)
        return seen

    assert run_simulated(main, lambda: 0.5) == ["done"]


def test_a_death_in_a_thread_reaches_who_waits_for_it() -> None:
    def die() -> None:
        raise Crashed("here")

    async def main(loop: SimulatedLoop) -> None:
        await asyncio.to_thread(die)

    with pytest.raises(Crashed, match="here"):
        run_simulated(main)


def test_when_everybody_waits_for_nothing_the_run_ends() -> None:
    async def main(loop: SimulatedLoop) -> None:
        await loop.create_future()

    with pytest.raises(WaitsForEver):
        run_simulated(main)


def test_timeouts_count_made_up_time() -> None:
    async def main(loop: SimulatedLoop) -> float:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(30):
                await asyncio.sleep(60)
        return loop.time()

    assert run_simulated(main) == pytest.approx(30)


def test_a_clock_that_is_set_changes_the_date_and_no_waiting() -> None:
    async def main(loop: SimulatedLoop) -> list[float]:
        clock = SimulatedClock(loop, start_ms=1_000_000)
        clock.jump(3600)
        later = clock.now_ms()
        await clock.sleep(2)
        clock.jump(-1e12)
        return [later, clock.monotonic(), clock.now_ms()]

    assert run_simulated(main) == pytest.approx([4_600_000, 2, 2000])


def test_what_is_left_running_is_ended() -> None:
    ended: list[str] = []

    async def endless() -> None:
        try:
            await asyncio.sleep(1e9)
        finally:
            ended.append("cancelled")

    async def main(loop: SimulatedLoop) -> asyncio.Task[None]:
        task = asyncio.ensure_future(endless())
        await asyncio.sleep(1)
        return task

    assert run_simulated(main).cancelled()
    assert ended == ["cancelled"]
