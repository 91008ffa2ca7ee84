"""Sync of this machine's scopes: which directories there are, and one pass over them as a command runs it."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from oharness.core.errors import OharnessError
from oharness.core.scopes import USER_SCOPE, ScopeKind
from oharness.disk.credentials_file import Credentials
from oharness.disk.projects_file import known_projects
from oharness.disk.token_store import TokenStore, no_keyring, system_keyring
from oharness.memory.scopes import USER_REPLICA, Memory
from oharness.memory.service import MemoryService
from oharness.sync.account import SignInPlace
from oharness.sync.directory import Directory, directory_of
from oharness.sync.http_transport import HttpTransport
from oharness.sync.pinning import SyncIsOff
from oharness.sync.report import PassReport
from oharness.sync.syncing import sync_directory
from oharness.sync.transport import AccountErased, ServiceUnreachable, SignedOut, SyncTransport, TooFrequent
from oharness.wiring.environment import Environment

KEYRING_VARIABLE = "OHARNESS_KEYRING"
KEYRING_OFF = "off"
NO_KEYRING = {KEYRING_VARIABLE: KEYRING_OFF}
"""Tokens lie in the home's file, whatever the system has."""

Tell = Callable[[ScopeKind, int, int], None]


@dataclass(frozen=True, slots=True)
class ScopeOutcome:
    """What a pass did to one scope, or the error that ended it."""

    directory: Directory
    report: PassReport | None
    error: OharnessError | None = None


def sync_directories(
    environment: Environment, device: str | None, memory: Memory, scope: ScopeKind | None = None
) -> list[Directory]:
    """The directories that sync: the project's, when it has a device id, and the user's own; or only one of them."""
    found = []
    if memory.project is not None and device and scope in (None, ScopeKind.PROJECT):
        found.append(_directory(environment, memory, memory.project, device))
    if memory.user is not None and scope in (None, ScopeKind.USER):
        found.append(_directory(environment, memory, memory.user, USER_REPLICA))
    return found


def known_device(environment: Environment) -> str | None:
    """The device id of the project's folder, if it was registered with this home; writes nothing.

    Raises: BrokenFile, StorageFailed.
    """
    if environment.project is None:
        return None
    projects = known_projects(environment.files, environment.home)
    return next((one.device for one in projects if one.path == environment.project.root), None)


def sign_in_place(environment: Environment) -> SignInPlace:
    """Where sign-ins of this home are kept: in the system's keyring where there is one and it is wanted."""
    is_wanted = environment.variables.get(KEYRING_VARIABLE) != KEYRING_OFF
    store = TokenStore(environment.files, environment.home, system_keyring if is_wanted else no_keyring)
    return SignInPlace(environment.files, environment.home, store, environment.clock, environment.randomness)


def signed_in(environment: Environment) -> Credentials:
    """Who is signed in.

    Raises: SignedOut, BrokenFile, StorageFailed, KeyringFailed.
    """
    credentials = sign_in_place(environment).store.read()
    if credentials is None:
        raise SignedOut("")
    return credentials


@asynccontextmanager
async def connected(environment: Environment, credentials: Credentials) -> AsyncIterator[SyncTransport]:
    """The service that the account names, over one kept connection.

    Raises: InsecureAddress.
    """
    tokens = sign_in_place(environment).tokens()
    transport = HttpTransport(credentials.sync_url, tokens, environment.clock)
    try:
        yield transport
    finally:
        await transport.close()


async def sync_once(
    environment: Environment,
    directories: Sequence[Directory],
    credentials: Credentials,
    transport: SyncTransport,
    tell: Tell,
) -> list[ScopeOutcome]:
    """One pass over each directory. One that fails does not keep the others from theirs, unless it holds for all.

    Raises: SyncIsOff, before anything is asked of the cloud.
    """
    outcomes: list[ScopeOutcome] = []
    for_all: OharnessError | None = None
    for directory in directories:
        outcome = (
            await _sync_one(environment, directory, credentials, transport, tell)
            if for_all is None
            else ScopeOutcome(directory, None, for_all)
        )
        outcomes.append(outcome)
        if isinstance(outcome.error, _HOLDS_FOR_ALL):
            for_all = outcome.error
    return outcomes


_HOLDS_FOR_ALL = (ServiceUnreachable, SignedOut, TooFrequent, AccountErased)
"""Errors after which nothing is asked for another directory either: it would only be the same (P-5)."""


async def _sync_one(
    environment: Environment,
    directory: Directory,
    credentials: Credentials,
    transport: SyncTransport,
    tell: Tell,
) -> ScopeOutcome:
    kind = directory.scope.kind

    def told(done: int, total: int) -> None:
        tell(kind, done, total)

    files, home = environment.files, environment.home
    try:
        report = await sync_directory(directory, files, home, credentials, transport, told)
    except SyncIsOff:
        raise
    except OharnessError as error:
        return ScopeOutcome(directory, None, error)
    return ScopeOutcome(directory, report)


def _directory(environment: Environment, memory: Memory, service: MemoryService, replica: str) -> Directory:
    return directory_of(
        environment.files,
        environment.home,
        service.scope,
        replica,
        service.folder,
        memory.backups,
        max_notes=memory.settings.max_notes,
        project_root=memory.root if service.scope != USER_SCOPE else None,
        git=environment.git,
        clock=environment.clock,
        randomness=environment.randomness,
    )
