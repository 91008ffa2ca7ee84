"""May background merging run now? The setting, the plan, the time since the last pass and how many merges it may do."""

from dataclasses import dataclass
from enum import StrEnum

from oharness.core.clock import Millis

SUBSCRIBERS = "subscribers"
_HOUR_MS = 3_600_000


class StaysOff(StrEnum):
    """Why no pass runs."""

    SETTING = "setting"
    NO_MERGES = "no-merges"
    FREE_PLAN = "free-plan"
    PLAN_UNKNOWN = "plan-unknown"
    COOLDOWN = "cooldown"


@dataclass(frozen=True, slots=True)
class AutoSettings:
    """As in `memory.consolidate`: `auto` is False, True or "subscribers"."""

    auto: bool | str
    cooldown_hours: float
    max_merges: int


def stays_off(settings: AutoSettings, paid: bool | None, last_pass: Millis | None, now: Millis) -> StaysOff | None:
    """Why no pass runs now; None when one does. `paid` is None when the plan is not known.

    A last pass in the future (somebody set the clock back) counts for nothing.
    """
    if settings.auto is False:
        return StaysOff.SETTING
    if settings.max_merges < 1:
        return StaysOff.NO_MERGES
    if settings.auto == SUBSCRIBERS and not paid:
        return StaysOff.PLAN_UNKNOWN if paid is None else StaysOff.FREE_PLAN
    if last_pass is not None and 0 <= now - last_pass < settings.cooldown_hours * _HOUR_MS:
        return StaysOff.COOLDOWN
    return None
