"""When is a directory due? Arithmetic over a monotonic clock; specification, "When it syncs". No I/O.

Local writes go up about three seconds later, a burst in one pass. Otherwise a directory is checked every minute,
backing off to every five while nothing changes. The user's own notes are always checked, a project's only while it is
in use and for thirty minutes after. After a transient failure nothing is tried for sixty seconds.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import inf

WRITE_DELAY_S = 3.0
LONGEST_WRITE_DELAY_S = 30.0
"""Somebody who never stops writing is not made to wait for ever."""
CHECK_S = 60.0
LONGEST_CHECK_S = 300.0
IN_USE_S = 1800.0
AFTER_FAILURE_S = 60.0


@dataclass(frozen=True, slots=True)
class Directory:
    """What the schedule knows of one notes directory. Times are seconds of a monotonic clock.

    `held` means that nothing happens by itself: switched off, paused for a person, or the account changed.
    """

    key: str
    always_checked: bool
    check_s: float = CHECK_S
    interval_s: float = CHECK_S
    next_check: float = 0.0
    first_write: float | None = None
    last_write: float = 0.0
    used_until: float = -inf
    not_before: float = -inf
    asked_for: bool = False
    held: bool = False


@dataclass(frozen=True, slots=True)
class Due:
    """What to do now, and when to look again at the latest (`inf`: when something happens).

    `passes` are synced at once; `checks` are asked about together in one request.
    """

    passes: tuple[str, ...]
    checks: tuple[str, ...]
    next_at: float


def user_directory(key: str, now: float, check_s: float = CHECK_S) -> Directory:
    """The user's own notes: checked from now on, always."""
    return Directory(key, always_checked=True, check_s=check_s, interval_s=check_s, next_check=now)


def project_directory(key: str, now: float, check_s: float = CHECK_S) -> Directory:
    """A project that is being opened, which is a use of it."""
    opened = Directory(key, always_checked=False, check_s=check_s, interval_s=check_s, next_check=now)
    return used(opened, now)


def used(directory: Directory, now: float) -> Directory:
    """A message was sent in it, or its Memory page is open: checked for thirty minutes from now."""
    was_idle = not _is_checked(directory, now)
    again = replace(directory, used_until=now + IN_USE_S)
    return replace(again, interval_s=again.check_s, next_check=min(again.next_check, now)) if was_idle else again


def wrote(directory: Directory, now: float) -> Directory:
    """A note was written or deleted here."""
    first = now if directory.first_write is None else directory.first_write
    return replace(directory, first_write=first, last_write=now)


def asked(directory: Directory) -> Directory:
    """Somebody pressed "sync now": at once, whatever the schedule says."""
    return replace(directory, asked_for=True)


def held(directory: Directory) -> Directory:
    """Nothing by itself from now on; writes are remembered for when it is let go."""
    return replace(directory, held=True, asked_for=False)


def let_go(directory: Directory, now: float) -> Directory:
    """Sync is on again: checked at once."""
    return replace(directory, held=False, next_check=now, interval_s=directory.check_s, not_before=-inf)


def started(directory: Directory) -> Directory:
    """A pass begins: it carries all writes up to now; what is written meanwhile counts anew."""
    return replace(directory, first_write=None, asked_for=False)


def checked(directory: Directory, now: float, *, changed: bool) -> Directory:
    """A check or pass went well; `changed` on either side brings the next one nearer again."""
    interval = directory.check_s if changed else min(directory.interval_s * 2, longest_interval(directory))
    return replace(directory, interval_s=interval, next_check=now + directory.interval_s, not_before=-inf)


def failed(directory: Directory, now: float, retry_after_s: float = AFTER_FAILURE_S) -> Directory:
    """A transient failure: what was to be done is still to be done, after a while."""
    later = now + max(retry_after_s, AFTER_FAILURE_S)
    first = directory.first_write
    return replace(directory, not_before=later, next_check=max(directory.next_check, later), first_write=first)


def longest_interval(directory: Directory) -> float:
    """How far the checks of a directory back off: five minutes, or its own interval where that is longer."""
    return max(LONGEST_CHECK_S, directory.check_s)


def due(directories: Iterable[Directory], now: float, not_before: float = -inf) -> Due:
    """What is due now. When one check is due, all that may be checked are asked about in the same request.

    `not_before` holds back everything in the process, as after a 429, except that the answer says when.
    """
    known = list(directories)
    if now < not_before:
        return Due((), (), not_before)
    passes = tuple(one.key for one in known if _pass_at(one) <= now)
    may_be_checked = [one for one in known if _is_checked(one, now) and one.not_before <= now and one.key not in passes]
    is_due = any(one.next_check <= now for one in may_be_checked)
    checks = tuple(one.key for one in may_be_checked) if is_due else ()
    waiting = [_pass_at(one) for one in known if one.key not in passes]
    waiting += [
        max(one.next_check, one.not_before)
        for one in known
        if one.key not in passes and one.key not in checks and _is_checked(one, max(now, one.next_check))
    ]
    return Due(passes, checks, min(waiting, default=inf))


def _pass_at(one: Directory) -> float:
    if one.asked_for:
        return -inf
    if one.held or one.first_write is None:
        return inf
    settled = min(one.last_write + WRITE_DELAY_S, one.first_write + LONGEST_WRITE_DELAY_S)
    return max(settled, one.not_before)


def _is_checked(one: Directory, at: float) -> bool:
    return not one.held and (one.always_checked or at <= one.used_until)
