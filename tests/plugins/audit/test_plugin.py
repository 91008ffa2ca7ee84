"""The audit log: who did what, by which permission, and nothing of what was written."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from oharness.core.clock import Millis
from oharness.disk.audit_log import append_entry
from oharness.harness.descriptors import RunContext, ToolRecord
from oharness.harness.host import PluginHost
from oharness.harness.tools import ToolResult
from oharness.plugins.audit.plugin import AuditPlugin
from oharness.testing.clock import START_MS

pytestmark = pytest.mark.plugins

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def record(result: ToolResult | None = None, **arguments: Any) -> ToolRecord:
    return ToolRecord(
        plugin="tools",
        tool="write",
        call_id="c1",
        arguments=arguments,
        allowed=result is not None,
        asked=True,
        decided_by="person",
        started_at=Millis(START_MS),
        duration_ms=12,
        result=result,
    )


async def logged(folder: Path, *records: ToolRecord) -> list[dict[str, Any]]:
    host = PluginHost([AuditPlugin(folder)])
    for one in records:
        assert await host.on_tool_finished(one, RunContext("s1", Path("/project"), ())) == ()
    (file,) = folder.glob("*.jsonl")
    assert file.name == "2026-09-10.jsonl"
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


async def test_a_call_is_one_line_with_who_allowed_it_and_how_it_ended(tmp_path: Path) -> None:
    (line,) = await logged(tmp_path / "audit", record(ToolResult("Created."), path="a.txt", content="secret plans"))
    assert line == {
        "version": 1,
        "at": START_MS,
        "session": "s1",
        "project": str(Path("/project")),
        "subagent": False,
        "plugin": "tools",
        "tool": "write",
        "call": "c1",
        "allowed": True,
        "asked": True,
        "decidedBy": "person",
        "arguments": {
            "path": {"type": "string", "chars": 5, "value": "a.txt"},
            "content": {"type": "string", "chars": 12},
        },
        "durationMs": 12,
        "outcome": "done",
        "resultChars": 8,
    }


async def test_refused_and_failed_calls_are_told_apart(tmp_path: Path) -> None:
    failed = record(ToolResult("no", is_error=True))
    lines = await logged(tmp_path / "audit", record(), failed)
    assert [(line["allowed"], line["outcome"]) for line in lines] == [(False, "not-run"), (True, "error")]


async def test_bodies_contents_and_results_are_never_written(tmp_path: Path) -> None:
    secret = "the whole text of a note"
    call = record(
        ToolResult(secret), body=secret, summary=secret, content=secret, old=secret, task=secret, tags=[secret]
    )
    await logged(tmp_path / "audit", call, record(ToolResult(secret), nested={"deep": secret}, other=secret))
    assert secret not in next((tmp_path / "audit").iterdir()).read_text()


@pytest.mark.parametrize("name", ["command", "query", "path"])
async def test_credentials_in_what_is_shown_are_blacked_out(tmp_path: Path, name: str) -> None:
    value = f"git push https://me:{TOKEN}@host/x {'y' * 250} {TOKEN}"
    (line,) = await logged(tmp_path / "audit", record(ToolResult(""), **{name: value}))
    assert "ghp_" not in json.dumps(line)
    assert len(line["arguments"][name]["value"]) <= 300


async def test_odd_values_are_logged_by_their_kind(tmp_path: Path) -> None:
    call = record(ToolResult(""), limit=5, flag=True, nothing=None, many=[1, 2], thing={"a": 1}, path="\ud800 \u2028")
    (line,) = await logged(tmp_path / "audit", call)
    assert line["arguments"]["limit"] == {"type": "int", "value": 5}
    assert line["arguments"]["flag"] == {"type": "bool"}
    assert line["arguments"]["many"] == {"type": "array", "items": 2}
    assert line["arguments"]["thing"] == {"type": "object", "keys": 1}
    assert line["arguments"]["path"]["chars"] == 3


@pytest.mark.skipif(sys.platform == "win32", reason="modes are POSIX")
async def test_only_the_owner_can_read_it(tmp_path: Path) -> None:
    folder = tmp_path / "home" / "audit"
    await logged(folder, record())
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(next(folder.iterdir()).stat().st_mode) == 0o600


async def test_an_unwritable_home_is_told_once_and_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "audit").write_text("a file in the way")
    host = PluginHost([AuditPlugin(tmp_path / "audit")])
    told = [await host.on_tool_finished(record(), RunContext("s1", tmp_path, ())) for _ in range(3)]
    assert [len(notices) for notices in told] == [1, 0, 0]


@pytest.mark.skipif(not hasattr(os, "O_NOFOLLOW"), reason="needs O_NOFOLLOW")
async def test_a_link_in_the_place_of_the_log_is_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "elsewhere"
    folder = tmp_path / "audit"
    folder.mkdir()
    (folder / "2026-09-10.jsonl").symlink_to(target)
    host = PluginHost([AuditPlugin(folder)])
    assert await host.on_tool_finished(record(), RunContext("s1", tmp_path, ()))
    assert not target.exists()


def test_lines_of_two_processes_never_mix(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from oharness.disk.audit_log import append_entry\n"
        "for n in range(200): append_entry(Path(sys.argv[1]), 0, {'who': sys.argv[2] * 500, 'n': n})"
    )
    writers = [subprocess.Popen([sys.executable, "-c", program, str(tmp_path), who]) for who in "ab"]
    append_entry(tmp_path, Millis(0), {"who": "c", "n": 0})
    assert [writer.wait(60) for writer in writers] == [0, 0]
    lines = [json.loads(line) for line in (tmp_path / "1970-01-01.jsonl").read_text().splitlines()]
    assert len(lines) == 401
    assert all(set(line["who"]) in ({"a"}, {"b"}, {"c"}) for line in lines)


def test_building_the_plugin_loads_no_rules_for_credentials() -> None:
    program = (
        "import sys; from pathlib import Path; from oharness.harness.host import PluginHost\n"
        "from oharness.plugins.audit.plugin import AuditPlugin; PluginHost([AuditPlugin(Path('x'))])\n"
        "print('oharness.notes.credentials' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
