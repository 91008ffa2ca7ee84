"""Blocking work is waited for, even by somebody who was told to stop."""

import asyncio
import threading

import pytest

from oharness.sync.in_thread import in_thread, in_thread_meanwhile

pytestmark = pytest.mark.sync


async def test_it_gives_what_the_work_gives() -> None:
    assert await in_thread(divmod, 7, 2) == (3, 1)


async def test_it_raises_what_the_work_raises() -> None:
    with pytest.raises(ZeroDivisionError):
        await in_thread(divmod, 7, 0)


async def test_a_cancelled_caller_ends_only_after_the_work_has_ended() -> None:
    begun, may_end, ended = threading.Event(), threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        may_end.wait()
        ended.set()

    caller = asyncio.ensure_future(in_thread(work))
    await asyncio.to_thread(begun.wait)
    caller.cancel()
    for _ in range(3):
        await asyncio.sleep(0)
    assert not caller.done()
    caller.cancel()
    may_end.set()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert ended.is_set()


async def test_an_error_of_the_work_after_a_cancellation_is_not_left_unseen() -> None:
    begun, may_end = threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        may_end.wait()
        raise ValueError

    caller = asyncio.ensure_future(in_thread(work))
    await asyncio.to_thread(begun.wait)
    caller.cancel()
    may_end.set()
    with pytest.raises(asyncio.CancelledError):
        await caller


async def test_work_that_goes_on_meanwhile_has_ended_when_the_block_fails() -> None:
    begun, may_end, ended = threading.Event(), threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        may_end.wait()
        ended.set()
        raise ValueError("seen by nobody")

    async def caller() -> None:
        async with in_thread_meanwhile(work):
            await asyncio.to_thread(begun.wait)
            raise ZeroDivisionError

    running = asyncio.ensure_future(caller())
    await asyncio.to_thread(begun.wait)
    for _ in range(3):
        await asyncio.sleep(0)
    assert not running.done()
    may_end.set()
    with pytest.raises(ZeroDivisionError):
        await running
    assert ended.is_set()


async def test_work_that_goes_on_meanwhile_gives_its_result_or_its_error() -> None:
    async with in_thread_meanwhile(divmod, 7, 2) as pair, in_thread_meanwhile(divmod, 7, 0) as failing:
        await asyncio.wait([pair, failing])
        assert pair.result() == (3, 1)
        assert isinstance(failing.exception(), ZeroDivisionError)
