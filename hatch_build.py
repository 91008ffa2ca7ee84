"""Compiles the message catalogues, so that no binary file is kept in the repository."""

from pathlib import Path
from typing import Any

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from hatchling.builders.hooks.plugin.interface import BuildHookInterface


def compile_catalogues(root: Path) -> int:
    """How many catalogues were compiled from `*.po` to the `*.mo` beside each."""
    count = 0
    for source in sorted((root / "src/oharness/language/locale").glob("*/LC_MESSAGES/*.po")):
        with source.open("rb") as stream:
            catalogue = read_po(stream)
        with source.with_suffix(".mo").open("wb") as stream:
            write_mo(stream, catalogue)
        count += 1
    return count


class CustomBuildHook(BuildHookInterface):  # type: ignore[misc]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        compile_catalogues(Path(self.root))


if __name__ == "__main__":
    compile_catalogues(Path(__file__).parent)
