"""How long deleted notes and silent devices are remembered (P-26, P-40, P-42). Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

from oharness.syncserver.manifest import DAY_MS, DEVICE_DAYS, MAX_DEVICES, DeviceEntry, TombstoneEntry


@dataclass(frozen=True, slots=True)
class KeptTombstones:
    """The tombstones inside the window, and the horizon after the others were dropped."""

    tombstones: Mapping[str, TombstoneEntry]
    horizon: int


def drop_old_tombstones(
    tombstones: Mapping[str, TombstoneEntry], horizon: int, now_ms: int, window_days: int
) -> KeptTombstones:
    """Those not older than the window by the service's clock; the horizon is the highest `seq` ever dropped."""
    oldest = now_ms - window_days * DAY_MS
    dropped = [entry.seq for entry in tombstones.values() if entry.deleted_at < oldest]
    if not dropped:
        return KeptTombstones(tombstones, horizon)
    kept = {note_id: entry for note_id, entry in tombstones.items() if entry.deleted_at >= oldest}
    return KeptTombstones(kept, max(horizon, *dropped))


def drop_silent_devices(devices: Mapping[str, DeviceEntry], now_ms: int) -> Mapping[str, DeviceEntry]:
    """At most 50 devices, the latest ones, none silent for 90 days."""
    oldest = now_ms - DEVICE_DAYS * DAY_MS
    recent = [(entry.at, device) for device, entry in devices.items() if entry.at >= oldest]
    if len(recent) == len(devices) <= MAX_DEVICES:
        return devices
    return {device: devices[device] for _, device in sorted(recent, reverse=True)[:MAX_DEVICES]}
