"""A day of two devices with the real client and service in simulated time; prints how many requests it took.

python scripts/sync_day.py [--projects N] [--seed N]
"""

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from oharness.core.scopes import USER_SCOPE, Scope, project_scope
from oharness.testing.live import LiveCloud, LiveMachine, run_live

HOUR_S = 3600.0
MESSAGE_EVERY_S = 240.0
WRITE_CHANCE = 0.25


async def worked(machine: LiveMachine, cloud: LiveCloud, scopes: list[Scope], hours: tuple[int, int], seed: int) -> int:
    """Somebody sends messages between two hours of the day, and writes a note now and then; gives how many."""
    chance, written = random.Random(seed), 0
    await cloud.passes(hours[0] * HOUR_S - cloud.loop.time())
    while cloud.loop.time() < hours[1] * HOUR_S:
        scope = chance.choice(scopes)
        for used in {USER_SCOPE, scope}:
            machine.coordinator.used(machine.key(used))
        if chance.random() < WRITE_CHANCE:
            machine.write(scope, f"{machine.name}-{written}", f"written at {cloud.loop.time():.0f}")
            written += 1
        await cloud.passes(chance.uniform(0.2, 1.8) * MESSAGE_EVERY_S)
    return written


async def day(cloud: LiveCloud, root: Path, projects: int, seed: int) -> tuple[int, int, bool]:
    """Notes written, the busiest minute of one device, and whether both devices hold the same at the end."""
    import asyncio

    scopes = [USER_SCOPE, *(project_scope(f"project-{number}") for number in range(projects))]
    async with cloud.machine(root / "laptop", scopes) as laptop, cloud.machine(root / "desk", scopes) as desk:
        written = await asyncio.gather(
            worked(laptop, cloud, scopes, (8, 12), seed), worked(desk, cloud, scopes, (11, 18), seed + 1)
        )
        await cloud.passes(24 * HOUR_S - cloud.loop.time())
        for machine in (laptop, desk):
            await machine.coordinator.sync_now()
        same = all(_notes(laptop, scope) == _notes(desk, scope) for scope in scopes)
    return sum(written), max(_busiest(cloud, name) for name in ("laptop", "desk")), same


def _notes(machine: LiveMachine, scope: Scope) -> dict[str, bytes]:
    folder = machine.directories[scope].folder.path
    return {path.name: path.read_bytes() for path in folder.glob("*.md")}


def _busiest(cloud: LiveCloud, name: str) -> int:
    times = [at for at, who, _ in cloud.requests if who == name and at < 24 * HOUR_S]
    return max(sum(start <= at < start + 60 for at in times) for start in times)


def main() -> int:
    """0 when both devices hold the same notes at the end of the day."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--projects", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    began = time.monotonic()
    counted: dict[str, Counter[str]] = {}

    async def story(cloud: LiveCloud) -> tuple[int, int, bool]:
        result = await day(cloud, Path(folder), given.projects, given.seed)
        for _, who, path in cloud.requests:
            counted.setdefault(who, Counter())[path] += 1
        return result

    with tempfile.TemporaryDirectory(prefix="oharness-day-") as folder:
        written, busiest, same = run_live(story)
    for who, paths in counted.items():
        parts = ", ".join(f"{count} {path}" for path, count in sorted(paths.items()))
        print(f"{who}: {sum(paths.values())} requests ({parts})")
    print(f"{written} notes written, busiest minute {busiest} requests, both devices the same: {same}")
    print(f"{given.projects} projects, seed {given.seed}, {time.monotonic() - began:.1f} s")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
