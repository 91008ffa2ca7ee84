"""The collector of cycles is put off for as long as anybody works, and no longer."""

import gc
import threading

import pytest

from oharness.sync.undisturbed import undisturbed

pytestmark = pytest.mark.sync


def test_it_is_off_until_the_last_one_is_done() -> None:
    with undisturbed():
        with undisturbed():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_it_comes_back_after_a_fault() -> None:
    with pytest.raises(ZeroDivisionError), undisturbed():
        raise ZeroDivisionError
    assert gc.isenabled()


def test_where_it_was_off_it_stays_off() -> None:
    gc.disable()
    try:
        with undisturbed():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_threads_that_work_at_the_same_time_do_not_turn_it_on_for_each_other() -> None:
    begun, go_on = threading.Event(), threading.Event()

    def work() -> None:
        with undisturbed():
            begun.set()
            go_on.wait(20)

    beside = threading.Thread(target=work)
    beside.start()
    begun.wait(20)
    with undisturbed():
        pass
    assert not gc.isenabled()
    go_on.set()
    beside.join()
    assert gc.isenabled()
