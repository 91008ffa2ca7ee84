"""Syncs one directory for whoever is signed in: switch and pin, age of the service, one pass, and its error kept."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from oharness.core.errors import OharnessError, StorageFailed
from oharness.disk.credentials_file import Credentials
from oharness.disk.filesystem import FileSystem
from oharness.disk.home import Home
from oharness.disk.sync_state import StateFromNewerVersion
from oharness.protocol.errors import ErrorCode
from oharness.protocol.versions import OLD
from oharness.sync.desk import AccountChanged
from oharness.sync.directory import Directory
from oharness.sync.in_thread import in_thread
from oharness.sync.old_server import OldService, ServerTooOld
from oharness.sync.one_pass import one_pass
from oharness.sync.pinning import pin
from oharness.sync.report import PassReport
from oharness.sync.transport import ServiceRefused, SyncTransport


async def sync_directory(
    directory: Directory,
    files: FileSystem,
    home: Home,
    credentials: Credentials,
    transport: SyncTransport,
    tell: Callable[[int, int], None] | None = None,
) -> PassReport:
    """One pass, if the scope may sync with who is signed in; the first one pins it.

    Raises: SyncIsOff, PinnedElsewhere without a request; AccountChanged, ServerTooOld; what `one_pass` raises.
    """
    await in_thread(pin, files, home, directory.scope, credentials)
    try:
        service = await _service(directory, credentials, transport)
        report = await one_pass(directory, service, credentials.user_id, tell)
        report.server_is_old = isinstance(service, OldService)
        return report
    except OharnessError as error:
        told = await _meant(error, directory, transport)
        await in_thread(_keep_error, directory, told)
        if told is not error:
            raise told from error
        raise


async def _service(directory: Directory, credentials: Credentials, transport: SyncTransport) -> SyncTransport:
    """The service in the protocol it speaks. A scope that was once in version 2 never falls back (P-53)."""
    progress = await in_thread(directory.state.progress)
    if progress.spoke_current:
        return transport
    identity = await transport.identity()
    if identity.standing.user_id != credentials.user_id:
        raise AccountChanged(directory.scope.key, credentials.user_id, identity.standing.user_id)
    if identity.protocol == OLD:
        return OldService(transport, directory.scope)
    spoke = replace(progress, spoke_current=True, refusals={}, refusal_ground="")
    await in_thread(directory.state.save_progress, spoke)
    return transport


async def _meant(error: OharnessError, directory: Directory, transport: SyncTransport) -> OharnessError:
    """The error; where an older service has taken the place of the one that was spoken to, that."""
    if isinstance(error, ServiceRefused) and error.code is ErrorCode.INVALID_REQUEST:
        with suppress(OharnessError):
            if (await transport.identity()).protocol == OLD:
                return ServerTooOld(directory.scope.key)
    return error


def _keep_error(directory: Directory, error: OharnessError) -> None:
    """Keeps what went wrong, for people to see later."""
    try:
        progress = directory.state.progress()
        now_ms = directory.clock.now_ms()
        directory.state.save_progress(replace(progress, error=type(error).__name__, error_at=now_ms))
    except (StorageFailed, StateFromNewerVersion):
        return
