"""Makes what the repository does not hold: compiled message catalogues, and htmx for the pages.

Both are written into the source tree, for the archives and for an editable install alike.
"""

from importlib.util import find_spec
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


def copy_htmx(root: Path) -> Path:
    """Where htmx was copied to, from the package that carries it."""
    package = find_spec("django_htmx")
    if package is None or package.origin is None:
        raise RuntimeError("django-htmx, which carries htmx, is not installed")
    source = Path(package.origin).parent / "static/django_htmx/htmx-2.min.js"
    target = root / "src/oharness/web/static/htmx.js"
    target.write_bytes(source.read_bytes())
    return target


class CustomBuildHook(BuildHookInterface):  # type: ignore[misc]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        compile_catalogues(Path(self.root))
        copy_htmx(Path(self.root))


if __name__ == "__main__":
    compile_catalogues(Path(__file__).parent)
    copy_htmx(Path(__file__).parent)
