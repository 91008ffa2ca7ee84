"""When is a directory due? Arithmetic over a monotonic clock; specification, "When it syncs". No I/O.

Local writes go up about three seconds later, a burst in one pass. Otherwise a directory is checked every minute,
backing off to every five while nothing changes. The user's own notes are always checked, a project's only while it is
in use and for thirty minutes after. After a transient failure nothing is tried for sixty seconds.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from math import inf

WRITE_DELAY_S = 3.0
LONGEST_WRITE_DELAY_S = 30.0
"""Somebody who never stops writing is not made to wait for ever."""
CHECK_S = 60.0
LONGEST_CHECK_S = 300.0
IN_USE_S = 1800.0
AFTER_FAILURE_S = 60.0


class Hold(StrEnum):
    """Why nothing happens by itself in a directory, until somebody changes that."""

    OFF = "off"
    SIGNED_OUT = "signed-out"
    ACCOUNT_CHANGED = "account-changed"
    ERASED = "erased"
    ASKS = "asks"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Directory:
    """What the schedule knows of one notes directory. Times are seconds of a monotonic clock.

    `whole`: the next check is a pass, not a question whether the cloud has changed. `running_since` is when the pass
    that runs now began. `first_write` is the oldest write that no pass has carried yet.
    """

    key: str
    always_checked: bool
    check_s: float = CHECK_S
    interval_s: float = CHECK_S
    next_check: float = 0.0
    whole: bool = False
    first_write: float | None = None
    last_write: float = 0.0
    used_until: float = -inf
    not_before: float = -inf
    asked_for: bool = False
    running_since: float | None = None
    hold: Hold | None = None


@dataclass(frozen=True, slots=True)
class Due:
    """What to do now, and when to look again at the latest (`inf`: when something happens).

    `passes` are synced at once; `checks` are asked about together in one request.
    """

    passes: tuple[str, ...]
    checks: tuple[str, ...]
    next_at: float


# --- what happens to a directory


def user_directory(key: str, now: float, check_s: float = CHECK_S) -> Directory:
    """The user's own notes: checked from now on, always."""
    return Directory(key, always_checked=True, check_s=check_s, interval_s=check_s, next_check=now)


def project_directory(key: str, now: float, check_s: float = CHECK_S) -> Directory:
    """A project that is being opened, which is a use of it."""
    opened = Directory(key, always_checked=False, check_s=check_s, interval_s=check_s, next_check=now)
    return used(opened, now)


def used(directory: Directory, now: float) -> Directory:
    """A message was sent, or the Memory page is open: checked within a minute, and for thirty minutes from now."""
    soon = now + directory.check_s if _is_checked(directory, now) else now
    return replace(
        directory,
        used_until=now + IN_USE_S,
        interval_s=directory.check_s,
        next_check=min(directory.next_check, soon),
    )


def wrote(directory: Directory, now: float) -> Directory:
    """A note was written or deleted here."""
    first = now if directory.first_write is None else directory.first_write
    return replace(directory, first_write=first, last_write=now)


def found_written(directory: Directory, now: float) -> Directory:
    """A look found what was written here; a write that is known already waits no longer for having been seen again."""
    return wrote(directory, now) if directory.first_write is None else directory


def asked(directory: Directory) -> Directory:
    """Somebody pressed "sync now": at once, whatever the schedule says."""
    return replace(directory, asked_for=True)


def held(directory: Directory, why: Hold) -> Directory:
    """Nothing by itself from now on; writes are remembered for when it is let go, and who asked gets an answer."""
    return replace(directory, hold=why)


def let_go(directory: Directory, now: float) -> Directory:
    """Nothing holds it any more: a pass at once."""
    return replace(directory, hold=None, whole=True, next_check=now, interval_s=directory.check_s, not_before=-inf)


def to_be_synced(directory: Directory, now: float) -> Directory:
    """There is reason for a pass at the first opportunity: nobody has looked yet, or the cloud has changed."""
    return replace(directory, whole=True, next_check=min(directory.next_check, now))


def started(directory: Directory, now: float) -> Directory:
    """A pass begins: it carries all writes up to now; what is written meanwhile counts anew."""
    return replace(directory, running_since=now, asked_for=False)


def stopped(directory: Directory) -> Directory:
    """A pass or check was broken off: what was to be done still is."""
    was_pass = directory.running_since is not None
    return replace(directory, running_since=None, whole=directory.whole or was_pass)


def passed(directory: Directory, now: float, *, changed: bool, again: bool = False) -> Directory:
    """A pass went through; `changed` on either side brings the next check nearer.

    `again`: what this pass saw needs another one to see it too, a minute later.
    """
    began = directory.running_since
    came_later = began is not None and directory.first_write is not None and directory.last_write > began
    first = directory.last_write if came_later else None
    looked = checked(directory, now, changed=changed or again)
    return replace(looked, running_since=None, first_write=first, whole=again)


def checked(directory: Directory, now: float, *, changed: bool) -> Directory:
    """The cloud was asked; `changed` brings the next check nearer, nothing new moves it further away."""
    interval = directory.check_s if changed else directory.interval_s
    longer = directory.check_s if changed else min(interval * 2, longest_interval(directory))
    return replace(directory, interval_s=longer, next_check=now + interval, not_before=-inf)


def failed(directory: Directory, now: float, after_s: float = AFTER_FAILURE_S) -> Directory:
    """It did not work: what was to be done still is, after a while."""
    later = now + max(after_s, AFTER_FAILURE_S)
    return replace(stopped(directory), not_before=later, next_check=max(directory.next_check, later))


def longest_interval(directory: Directory) -> float:
    """How far the checks of a directory back off: five minutes, or its own interval where that is longer."""
    return max(LONGEST_CHECK_S, directory.check_s)


# --- what is due


def due(
    directories: Iterable[Directory],
    now: float,
    paused_until: float = -inf,
    free_at: float = -inf,
    checks_free_at: float = -inf,
) -> Due:
    """What is due now. When one check is due, all that may be checked are asked about in the same request.

    `paused_until` holds back everything, as after a 429; `free_at`, all but what was asked for, since the process
    has used up its requests; `checks_free_at`, checks alone.
    """
    known = list(directories)
    if now < paused_until:
        return Due((), (), paused_until)
    if now < free_at:
        return Due(tuple(one.key for one in known if _asked_at(one) <= now), (), free_at)
    passes = tuple(one.key for one in known if _pass_at(one, now) <= now)
    may_be_checked = [one for one in known if _may_be_checked(one, now) and one.key not in passes]
    is_due = now >= checks_free_at and any(one.next_check <= now for one in may_be_checked)
    checks = tuple(one.key for one in may_be_checked) if is_due else ()
    begun = {*passes, *checks}
    waiting = [_pass_at(one, now) for one in known if one.key not in passes]
    waiting += [max(_check_at(one, now), checks_free_at) for one in known if one.key not in begun]
    return Due(passes, checks, min(waiting, default=inf))


def _asked_at(one: Directory) -> float:
    return -inf if one.asked_for and one.running_since is None else inf


def _pass_at(one: Directory, now: float) -> float:
    if one.running_since is not None:
        return inf
    if one.asked_for:
        return -inf
    if one.hold is not None:
        return inf
    return min(_write_at(one), _check_at(one, now) if one.whole else inf)


def _write_at(one: Directory) -> float:
    """When what was written goes up, in use or not."""
    if one.first_write is None:
        return inf
    settled = min(one.last_write + WRITE_DELAY_S, one.first_write + LONGEST_WRITE_DELAY_S)
    return max(settled, one.not_before)


def _check_at(one: Directory, now: float) -> float:
    """When it is looked after by itself; never once it is out of use by then."""
    at = max(one.next_check, one.not_before, now)
    return at if one.running_since is None and one.hold is None and _is_checked(one, at) else inf


def _may_be_checked(one: Directory, now: float) -> bool:
    free = one.hold is None and one.running_since is None and one.not_before <= now
    return free and not one.whole and _is_checked(one, now)


def _is_checked(one: Directory, at: float) -> bool:
    return one.always_checked or at <= one.used_until
