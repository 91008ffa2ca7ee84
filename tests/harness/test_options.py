"""What the model is told before the conversation."""

from pathlib import Path

import pytest

from oharness.core.clock import Millis
from oharness.harness.options import AgentOptions, system_prompt
from oharness.harness.permissions import Mode
from oharness.testing.clock import FakeClock
from oharness.testing.model import ScriptedModel

pytestmark = pytest.mark.plugins


def test_the_system_prompt_has_place_date_mode_and_sections() -> None:
    options = AgentOptions(ScriptedModel(), Path("somewhere"), FakeClock(), base_prompt="Base.")
    now = Millis(1_789_000_000_000)
    asking = system_prompt(options, Mode.ASK, ("# One", "# Two"), now)
    assert asking.startswith("Base.\n\n")
    assert asking.endswith("# One\n\n# Two")
    assert "somewhere" in asking
    assert "2026-09-10" in asking
    assert "Plan mode" not in asking
    assert "Plan mode" in system_prompt(options, Mode.PLAN, (), now)
