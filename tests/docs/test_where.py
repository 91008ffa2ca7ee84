"""docs/where.md names modules and tests that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
ROWS = re.findall(
    r"^\| (?P<promise>[^|]+) \| `(?P<module>[^`]+)` \| `(?P<test>[^`]+)` \|$",
    (ROOT / "docs/where.md").read_text(encoding="utf-8"),
    re.MULTILINE,
)


def test_the_page_has_rows_and_every_table_line_is_one() -> None:
    lines = (ROOT / "docs/where.md").read_text(encoding="utf-8").split("\n")
    table = [line for line in lines if line.startswith("| ") and not line.startswith("| promise")]
    assert len(ROWS) == len(table) > 30


@pytest.mark.parametrize(("promise", "module", "test"), ROWS)
def test_module_and_test_exist(promise: str, module: str, test: str) -> None:
    assert (ROOT / "src/oharness" / module).is_file(), promise
    file, _, name = test.partition("::")
    assert (ROOT / "tests" / file).is_file(), promise
    assert not name or f"def {name}(" in (ROOT / "tests" / file).read_text(encoding="utf-8"), promise
