"""Work that makes thousands of objects, during which Python does not look for garbage among them."""

import contextlib
import gc
import threading
from collections.abc import Iterator

_lock = threading.Lock()
_at_work = 0
_was_on = False


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Puts the collector of reference cycles off until the work is done; for work that waits for nobody but the disk.

    The objects of a pass hold no cycles, and looking through all of them again for each thousand takes a tenth of it.
    """
    global _at_work, _was_on
    with _lock:
        if _at_work == 0:
            _was_on = gc.isenabled()
            gc.disable()
        _at_work += 1
    try:
        yield
    finally:
        with _lock:
            _at_work -= 1
            if _at_work == 0 and _was_on:
                gc.enable()
