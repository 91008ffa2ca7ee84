"""Tidying put together: the small model of the settings, and merges that go to the cloud first where a scope syncs."""

from collections.abc import Callable, Sequence

from oharness.core.scopes import Scope
from oharness.disk.background_merges import BackgroundMerges
from oharness.disk.credentials_file import Credentials
from oharness.disk.json_files import read_object
from oharness.harness.foreign_plugins import load_foreign_plugins, plugin_settings
from oharness.harness.host import PluginHost
from oharness.harness.model import Model
from oharness.language.catalogue import choose_language
from oharness.memory.scopes import Memory
from oharness.memory.tidying import Committed, Committer, Tidying
from oharness.notes.batch import NoteBatch
from oharness.plugins.builtin import BUILT_IN_IDS, built_in_plugins
from oharness.plugins.memory.merging_pass import MergingPass
from oharness.plugins.memory.tidying_desk import TidyingDesk
from oharness.sync.commit_first import commit_first
from oharness.sync.directory import Directory
from oharness.sync.pinning import is_on, pinned_elsewhere
from oharness.sync.plans import last_known_paid
from oharness.sync.syncing import sync_directory
from oharness.wiring.environment import Environment
from oharness.wiring.sync import connected, sign_in_place, sync_directories


def tidying_desk(
    environment: Environment, device: str | None, memory: Memory, model: Callable[[], Model] | None = None
) -> TidyingDesk:
    """Tidying of an open memory. Without a `model` for drafts it is the small one of the settings."""
    directories = {one.scope: one for one in sync_directories(environment, device, memory)}

    def service_limit(scope: Scope) -> int | None:
        directory = directories.get(scope)
        return directory.state.progress().max_body_bytes if directory and _account(environment, directory) else None

    return TidyingDesk(
        Tidying(memory, service_limit),
        _committer(environment, directories),
        environment.clock,
        model or _model(environment),
    )


def merging_pass(environment: Environment, device: str | None, desk: TidyingDesk) -> MergingPass:
    """A pass of background merging over a harness's notes."""
    directories = sync_directories(environment, device, desk.tidying.memory)
    return MergingPass(
        desk,
        BackgroundMerges(environment.files, environment.home),
        environment.settings.memory.consolidate,
        lambda: _known_paid(environment, directories),
    )


def _known_paid(environment: Environment, directories: Sequence[Directory]) -> bool | None:
    """Of the account that is signed in, while sync is on; else nothing is known."""
    return last_known_paid([one for one in directories if _account(environment, one) is not None])


def _committer(environment: Environment, directories: dict[Scope, Directory]) -> Committer:
    async def commit(scope: Scope, batch: NoteBatch) -> Committed | None:
        directory = directories.get(scope)
        account = _account(environment, directory) if directory else None
        if directory is None or account is None:
            return None
        async with connected(environment, account) as transport:
            if not directory.state.progress().spoke_current:
                report = await sync_directory(directory, environment.files, environment.home, account, transport)
                if report.server_is_old:  # it knows no batch that is refused as a whole
                    return None
            done = await commit_first(directory, transport, account.user_id, batch)
        return Committed(done.backups, done.left)

    return commit


def _account(environment: Environment, directory: Directory) -> Credentials | None:
    """Whose cloud the scope syncs with; None while it does not: off, signed out, or pinned to somebody else."""
    files, home, scope = environment.files, environment.home, directory.scope
    if not is_on(files, home, scope):
        return None
    account = sign_in_place(environment).store.read()
    if account is None or pinned_elsewhere(files, home, scope, account) is not None:
        return None
    return account


def _model(environment: Environment) -> Callable[[], Model]:
    """Makes the small model of the settings, plugins' providers included, when it is asked for."""
    made: list[Model] = []

    def model() -> Model:
        if not made:
            settings = environment.settings
            made.append(_providers(environment).create_model(settings.small_model or settings.model))
        return made[0]

    return model


def _providers(environment: Environment) -> PluginHost:
    plugins = plugin_settings(read_object(environment.files, environment.home.plugins_file) or {})
    language = choose_language(environment.settings.language, environment.variables)
    around, openai = environment, environment.settings.openai
    built_in = built_in_plugins(around.home, around.clock, around.randomness, openai, language, None)
    foreign = load_foreign_plugins(plugins, BUILT_IN_IDS)
    enabled = [plugin for plugin in built_in if plugins.is_enabled(plugin.id)]
    return PluginHost(enabled, foreign.plugins, plugins.configs())
