"""Real processes writing to one directory. `OHARNESS_HAMMER_SECONDS=10` is the long form (`make hammer`)."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.memory
HAMMER = Path(__file__).parents[2] / "scripts" / "hammer.py"
SECONDS = float(os.environ.get("OHARNESS_HAMMER_SECONDS", "2"))


def hammered(*options: str) -> dict[str, Any]:
    command = [sys.executable, str(HAMMER), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def test_twenty_four_processes_lose_no_write_and_show_no_torn_file() -> None:
    most = "1000000" if SECONDS > 2 else "8"
    answer = hammered("--processes", "24", "--seconds", str(SECONDS), "--most-writes", most)
    assert answer["writes"] >= 4
    assert answer["lost"] == answer["torn"] == answer["failed"] == []


def test_two_processes_that_remember_fifty_notes_each_leave_a_hundred() -> None:
    answer = hammered("--processes", "2", "--seconds", "120", "--most-writes", "50", "--notes-only")
    assert answer["writes"] == 100
    assert answer["notes"] == 101  # and the one that was there before
    assert answer["lost"] == answer["torn"] == answer["failed"] == []
