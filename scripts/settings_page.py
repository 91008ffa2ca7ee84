"""Writes docs/user/settings.md from the settings table; `--check` only says whether it is up to date."""

import json
import sys
from pathlib import Path

from oharness.config.schema import SETTINGS, ProjectMay, Setting, expected_form

PAGE = Path(__file__).parent.parent / "docs/user/settings.md"

_HEAD = """\
# Settings

Settings are JSON. Yours are in `config.json` in the home (`~/.oharness`, or where `OHARNESS_HOME` points); a
project's are in `.oharness/config.json` in its folder and come with the repository, so they can make things more
careful, but not freer. The order is: defaults, your file, the project's file, the environment (`OHARNESS_MODEL`,
`OHARNESS_SMALL_MODEL`, `OHARNESS_LANGUAGE`). `OPENAI_BASE_URL` and `OPENAI_API_KEY` count where the settings say
nothing.

A dotted key is a nested object: `memory.recall.perTurn` is `{"memory": {"recall": {"perTurn": 3}}}`. Keys that are
not known are kept. A value of the wrong kind is told of and the weaker layer counts. A file that is not JSON
(comments are not) is reported with line and column and never overwritten.

| key | default | takes | unit | a project may | meaning |
|---|---|---|---|---|---|
"""

_MAY = {
    ProjectMay.SET: "set it",
    ProjectMay.LOWER: "lower it or switch it off",
    ProjectMay.RAISE: "raise it",
    ProjectMay.ADD: "add to it",
    ProjectMay.NOTHING: "not touch it",
}


def page() -> str:
    """The whole page."""
    return _HEAD + "".join(_row(setting) for setting in SETTINGS)


def _row(setting: Setting) -> str:
    key = f"`{setting.key}`" + "".join(f" (older: `{old}`)" for old in setting.older_keys)
    default = json.dumps(list(setting.default) if isinstance(setting.default, tuple) else setting.default)
    takes = expected_form(setting.accepts).replace("|", "\\|")
    return f"| {key} | `{default}` | {takes} | {setting.unit} | {_MAY[setting.project_may]} | {setting.meaning} |\n"


def main() -> int:
    """0, or 1 when `--check` finds the page out of date."""
    if "--check" not in sys.argv:
        PAGE.write_text(page(), encoding="utf-8")
        return 0
    if PAGE.read_text(encoding="utf-8") == page():
        return 0
    print("docs/user/settings.md is out of date: run `make pages`")
    return 1


if __name__ == "__main__":
    sys.exit(main())
