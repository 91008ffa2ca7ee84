"""The stores that keep the same contract."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from oharness.testing.seaweed import Seaweed, running_seaweed


@pytest.fixture(scope="session")
def seaweed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seaweed]:
    """One S3-compatible server for the whole run; nothing of the developer's own cloud reaches it."""
    own = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith("AWS_")}
    with running_seaweed(tmp_path_factory.mktemp("seaweed")) as server:
        yield server
    os.environ.update(own)


@pytest.fixture
def store_folder(tmp_path: Path) -> Path:
    """Where a folder store of one test lies."""
    return tmp_path / "objects"
