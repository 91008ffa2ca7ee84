"""Writes the tables of environment variables into the pages for operators; `--check` only says whether they are right.

A table stands between `<!-- variables: NAME -->` and `<!-- end -->`.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from oharness.gateway import settings as gateway
from oharness.serving.variables import Setting
from oharness.syncserver import settings as syncserver

ROOT = Path(__file__).resolve().parents[1]
TABLES: tuple[tuple[str, str, Sequence[Setting]], ...] = (
    ("gateway", "docs/user/gateway.md", gateway.SETTINGS),
    ("gateway", "docs/user/self-hosting.md", gateway.SETTINGS),
    ("sync-server", "docs/user/self-hosting.md", syncserver.SETTINGS),
)
_END = "<!-- end -->"


def with_table(page: str, name: str, table: Sequence[Setting]) -> str:
    """The page with the table in its place."""
    start = f"<!-- variables: {name} -->"
    before, _, rest = page.partition(start)
    _, _, after = rest.partition(_END)
    return f"{before}{start}\n{table_text(table)}{_END}{after}"


def table_text(table: Sequence[Setting]) -> str:
    """The table in Markdown."""
    rows = [f"| `{row.variable}` | {_shown(row.default)} | {row.expected} | {row.help} |" for row in table]
    return "\n".join(["| variable | default | takes | meaning |", "|---|---|---|---|", *rows]) + "\n"


def _shown(default: str) -> str:
    return f"`{default}`" if default else "unset"


def main() -> int:
    """0, or 1 when `--check` finds a page out of date."""
    outdated = 0
    for name, path, table in TABLES:
        page = (ROOT / path).read_text(encoding="utf-8")
        right = with_table(page, name, table)
        if page == right:
            continue
        if "--check" in sys.argv:
            print(f"{path} is out of date: run `make pages`")
            outdated = 1
        else:
            (ROOT / path).write_text(right, encoding="utf-8")
    return outdated


if __name__ == "__main__":
    sys.exit(main())
