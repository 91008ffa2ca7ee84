"""The built-in plugin `audit`: one line for each tool call, below the home."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

from oharness.core.errors import StorageFailed
from oharness.harness.descriptors import PluginRegistry, RunContext, ToolHook, ToolRecord


@dataclass(slots=True)
class AuditPlugin:
    """Writes below `folder`. Where that cannot be done, it is told once and the tools go on working."""

    folder: Path
    _told: bool = field(default=False, init=False)

    @property
    def id(self) -> str:
        return "audit"

    def register(self, registry: PluginRegistry) -> None:
        registry.tool_hook(ToolHook("audit", self._write))

    async def _write(self, record: ToolRecord, run: RunContext) -> None:
        try:
            await asyncio.to_thread(_append, self.folder, record, run)
        except StorageFailed:
            if not self._told:
                self._told = True
                raise


def _append(folder: Path, record: ToolRecord, run: RunContext) -> None:
    # imported here: the rules for credentials are many, and only needed once a tool was called
    from oharness.disk.audit_log import append_entry
    from oharness.plugins.audit.entries import entry_of

    append_entry(folder, record.started_at, entry_of(record, run))
