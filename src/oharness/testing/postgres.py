"""A PostgreSQL server of one's own for tests: on a free loopback port, in a folder that is thrown away."""

import contextlib
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

_USER = "gateway"
_FOR_TESTS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "shared_buffers": "16MB",
    "max_connections": "60",
}


class NoPostgres(Exception):
    """PostgreSQL is not installed."""


@contextlib.contextmanager
def postgres_server() -> Iterator[str]:
    """The address of a running server, without a database's name.

    Raises: NoPostgres.
    """
    binaries = _binaries()
    folder = Path(tempfile.mkdtemp(prefix="oharness-postgres-"))
    try:
        owner = _owner()
        if owner is not None:
            shutil.chown(folder, owner, owner if owner != "nobody" else "nogroup")
        data, log = folder / "data", folder / "log"
        _run(owner, binaries / "initdb", "-D", data, "-U", _USER, "--auth=trust", "--no-sync", "-E", "UTF8")
        port = _free_port()
        options = " ".join(f"-c {name}='{value}'" for name, value in (_FOR_TESTS | {"port": str(port)}).items())
        _run(owner, binaries / "pg_ctl", "-D", data, "-l", log, "-o", options, "-w", "-t", "120", "start")
        try:
            yield f"postgresql://{_USER}@127.0.0.1:{port}"
        finally:
            _run(owner, binaries / "pg_ctl", "-D", data, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _binaries() -> Path:
    """Where the server's programs are; Debian keeps them out of the path, by version."""
    if found := shutil.which("pg_ctl"):
        return Path(found).resolve().parent
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))
    if not versions:
        raise NoPostgres
    return versions[-1].parent


def _owner() -> str | None:
    """The server refuses to run as root: who runs it then."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


def _run(owner: str | None, program: Path, *arguments: object) -> None:
    command = [str(program), *(str(argument) for argument in arguments)]
    done = subprocess.run(command, user=owner, stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd="/")
    if done.returncode != 0:
        raise RuntimeError(f"{program.name}: {done.stdout}{done.stderr}")


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port
