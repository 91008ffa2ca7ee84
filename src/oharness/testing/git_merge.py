"""What git makes of three texts: the oracle that line merging is held against."""

import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path


def git_merges(triples: Iterable[tuple[str, str, str]]) -> list[str | None]:
    """For each base, mine and cloud the text `git merge-file` makes of them, None where it finds a conflict.

    Texts come and go without trailing newlines; git sees one at the end of each that is not empty.
    """
    with tempfile.TemporaryDirectory() as folder:
        return [_merged(Path(folder), *triple) for triple in triples]


def _merged(folder: Path, base: str, mine: str, cloud: str) -> str | None:
    names = ("mine", "base", "cloud")
    for name, text in zip(names, (mine, base, cloud), strict=True):
        (folder / name).write_bytes((text + "\n" if text else "").encode())
    answer = subprocess.run(["git", "merge-file", "-p", "-q", *names], cwd=folder, capture_output=True, check=False)
    if answer.returncode not in range(128):
        raise RuntimeError(answer.stderr.decode())
    return answer.stdout.decode().rstrip("\n") if answer.returncode == 0 else None
