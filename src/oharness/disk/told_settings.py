"""Which warnings about settings files a person was told already, so that every command does not say them again."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

from oharness.config.layers import SettingWarning
from oharness.core.errors import StorageFailed
from oharness.disk.atomic import ensure_directory
from oharness.disk.filesystem import PRIVATE_DIRECTORY, FileSystem
from oharness.disk.home import Home
from oharness.disk.json_files import BrokenFile, read_object, write_object


def told_before(files: FileSystem, home: Home, warnings: Sequence[SettingWarning]) -> bool:
    """Whether exactly these were told, file by file; a file that says something else now counts as new."""
    kept = _kept(files, home)
    return all(kept.get(file) == digest for file, digest in _digests(warnings).items())


def keep_as_told(files: FileSystem, home: Home, warnings: Sequence[SettingWarning]) -> None:
    """Notes that a person has seen them; where the home cannot be written they are told again."""
    kept, present = _kept(files, home), _digests(warnings)
    if present.items() <= kept.items():
        return
    with suppress(StorageFailed):
        ensure_directory(files, home.root, PRIVATE_DIRECTORY)
        write_object(files, home.told_settings_file, {**kept, **present})


def _kept(files: FileSystem, home: Home) -> Mapping[str, object]:
    try:
        return read_object(files, home.told_settings_file) or {}
    except (BrokenFile, StorageFailed):
        return {}


def _digests(warnings: Iterable[SettingWarning]) -> dict[str, str]:
    by_file: dict[str, list[str]] = {}
    for one in warnings:
        by_file.setdefault(one.file, []).append(f"{one.key}\0{one.kind}\0{one.expected}")
    return {file: hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16] for file, lines in by_file.items()}
