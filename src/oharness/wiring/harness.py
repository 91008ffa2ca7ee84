"""The harness of one project: plugins, model, sessions and memory, put together from settings.

async with await Harness.create(project="~/store") as harness:
    agent = await harness.start()
    async for event in agent.run("when do we deploy?"):
        ...
"""

import asyncio
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from oharness.config.layers import SettingWarning
from oharness.core.errors import StorageFailed
from oharness.disk.json_files import read_object
from oharness.disk.project import Registration
from oharness.harness.agent import Agent
from oharness.harness.descriptors import Command, Notice, RunContext
from oharness.harness.events import Frontend, Unattended
from oharness.harness.foreign_plugins import load_foreign_plugins, plugin_settings
from oharness.harness.host import PluginHost
from oharness.harness.model import Model
from oharness.harness.options import AgentOptions
from oharness.harness.permissions import Mode, Rules, idle_rules, mode_named
from oharness.harness.sessions import (
    Session,
    SessionList,
    StoredSession,
    list_sessions,
    read_session,
    resume_session,
    start_session,
    unsaved_session,
)
from oharness.language.catalogue import choose_language
from oharness.memory.scopes import Memory, open_for_writing
from oharness.memory.service import MemoryService
from oharness.plugins.builtin import BUILT_IN_IDS, built_in_plugins
from oharness.plugins.memory.message_hook import notice_of
from oharness.plugins.memory.plugin import OPEN_MEMORY, PROJECT_SERVICE, USER_SERVICE
from oharness.wiring.background_merging import background_merging
from oharness.wiring.coordination import OF_THIS_PROCESS, Coordinators, background_sync
from oharness.wiring.environment import Environment, open_environment, register

OUTSIDE = "outside"
"""The folder of sessions that were held outside any project."""


class Harness:
    """Everything an agent needs in one project. `notices` are what to tell people at the start; close it when done."""

    def __init__(
        self,
        environment: Environment,
        registration: Registration | None,
        memory: Memory | None,
        host: PluginHost,
        model: Model,
        frontend: Frontend,
        notices: tuple[Notice, ...],
    ) -> None:
        self.environment = environment
        self.registration = registration
        self.host = host
        self.notices = notices
        self._memory = memory
        self._model = model
        self._frontend = frontend

    @staticmethod
    async def create(
        project: str | Path | None = None,
        home: str | Path | None = None,
        model: str | Model | None = None,
        frontend: Frontend | None = None,
        variables: Mapping[str, str] | None = None,
        coordinators: Coordinators = OF_THIS_PROCESS,
    ) -> "Harness":
        """A harness for the project in that folder (default: around the current one), registered if it was not.

        `model` is a model or a name like `provider:name` instead of the setting. Without a frontend nobody can be
        asked, so what needs asking is turned down. Harnesses with the same `coordinators` share one for each home.
        Raises: NoSuchProjectFolder, BrokenFile, BrokenSettings, OutsideProject, StorageFailed, NoSuchProvider.
        """
        given = os.environ if variables is None else variables
        environment = await asyncio.to_thread(open_environment, given, project, home)
        return await Harness.in_environment(environment, model, frontend, coordinators)

    @staticmethod
    async def in_environment(
        environment: Environment,
        model: str | Model | None = None,
        frontend: Frontend | None = None,
        coordinators: Coordinators = OF_THIS_PROCESS,
    ) -> "Harness":
        """The same in an environment that was read before."""
        harness = await asyncio.to_thread(_put_together, environment, model, frontend or Unattended(), coordinators)
        harness.notices += await harness.host.start_services()
        return harness

    @property
    def memory(self) -> MemoryService | None:
        """The project's notes; None when the memory plugin is disabled, or outside any project."""
        found = self.host.provided(PROJECT_SERVICE)
        return found if isinstance(found, MemoryService) else None

    @property
    def memory_user_service(self) -> MemoryService | None:
        """The user's own notes; None when the memory plugin is disabled, or their folder cannot be used."""
        found = self.host.provided(USER_SERVICE)
        return found if isinstance(found, MemoryService) else None

    @property
    def open_memory(self) -> Memory | None:
        """Both scopes together, for what works on either."""
        found = self.host.provided(OPEN_MEMORY)
        return found if isinstance(found, Memory) else None

    @property
    def model_name(self) -> str:
        """As in settings: `provider:name`, or `offline`."""
        return self._model.name

    @property
    def commands(self) -> tuple[Command, ...]:
        """The slash commands that plugins registered."""
        return tuple(owned.value for owned in self.host.commands)

    @property
    def project_root(self) -> Path:
        return self.environment.folder

    @property
    def sessions_folder(self) -> Path:
        """Where this project's transcripts lie."""
        marker = self.registration.marker.id if self.registration else OUTSIDE
        return self.environment.home.session_directory(marker)

    @property
    def default_mode(self) -> Mode:
        """The permission mode of the settings."""
        return mode_named(self.environment.settings.permissions.mode)

    async def start(self, frontend: Frontend | None = None) -> Agent:
        """An agent in a new session; a frontend that is given is asked instead of the harness's.

        Where the home cannot be written, the session lives in memory only.
        """
        session = await asyncio.to_thread(self._new_session)
        if session is None:
            self.notices += (Notice("session-not-kept", {"folder": str(self.sessions_folder)}),)
        return Agent(self._options(), session or unsaved_session(), frontend or self._frontend)

    async def resume(self, name: str, frontend: Frontend | None = None) -> Agent:
        """An agent that goes on with an earlier session: an id, the beginning of one, or `latest`.

        Raises: NoSuchSession, AmbiguousSession, SessionInUse, TranscriptUnreadable, StorageFailed.
        """
        session = await asyncio.to_thread(resume_session, self.sessions_folder, name)
        return Agent(self._options(), session, frontend or self._frontend)

    async def use_model(self, name: str, session_id: str) -> Agent:
        """An agent with another model, in that session or, with an empty id, a new one.

        Raises: NoSuchProvider, and as `resume`.
        """
        self._model = self.host.create_model(name)
        return await self.resume(session_id) if session_id else await self.start()

    def context(self, agent: Agent) -> RunContext:
        """What a plugin's command is told."""
        return RunContext(agent.session.session_id, self.project_root, agent.session.live, mode=agent.mode)

    def listed(self) -> SessionList:
        """The sessions of this project, last used first."""
        return list_sessions(self.sessions_folder)

    def read(self, name: str) -> StoredSession:
        """A whole session of this project to look at, whoever has it open.

        Raises: NoSuchSession, AmbiguousSession, TranscriptUnreadable, StorageFailed.
        """
        return read_session(self.sessions_folder, name)

    async def close(self) -> None:
        """Stops background services and lets go of the memory. Agents are closed by whoever started them."""
        await self.host.stop_services()
        if self._memory is not None:
            await asyncio.to_thread(self._memory.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def _new_session(self) -> Session | None:
        """None where the home cannot be written."""
        around = self.environment
        project_id = self.registration.marker.id if self.registration else OUTSIDE
        try:
            return start_session(self.sessions_folder, project_id, around.clock, around.randomness)
        except StorageFailed:
            return None

    def _options(self) -> AgentOptions:
        settings = self.environment.settings
        small = settings.small_model
        return AgentOptions(
            model=self._model,
            project_root=self.project_root,
            clock=self.environment.clock,
            host=self.host,
            small_model=self.host.create_model(small) if small else None,
            mode=self.default_mode,
            rules=_rules(self.environment),
        )


def _put_together(
    environment: Environment, model: str | Model | None, frontend: Frontend, coordinators: Coordinators
) -> Harness:
    registration = register(environment)
    plugins_json = read_object(environment.files, environment.home.plugins_file) or {}
    plugins = plugin_settings(plugins_json)
    memory = open_for_writing(environment.surroundings, registration) if plugins.is_enabled("memory") else None
    language = choose_language(environment.settings.language, environment.variables)
    device = registration.device if registration else None
    small_model: list[Callable[[], Model]] = []
    merging = background_merging(environment, device, memory, lambda: small_model[0]()) if memory else None
    built_in = built_in_plugins(
        environment.home,
        environment.clock,
        environment.randomness,
        environment.settings.openai,
        language,
        memory,
        background_sync(environment, registration, memory, coordinators) if memory else None,
        merging,
    )
    foreign = load_foreign_plugins(plugins, BUILT_IN_IDS)
    enabled = [plugin for plugin in built_in if plugins.is_enabled(plugin.id)]
    host = PluginHost(enabled, foreign.plugins, plugins.configs())
    chosen = model if model is not None else environment.settings.model
    notices = (
        *(_setting_notice(warning) for warning in environment.setting_warnings),
        *foreign.warnings,
        *host.warnings,
        *_idle_rule_notices(environment, host),
        *(notice_of(warning) for warning in (memory.warnings() if memory else ())),
    )
    named = host.create_model(chosen) if isinstance(chosen, str) else chosen
    small = environment.settings.small_model
    small_model.append(lambda: host.create_model(small) if small else named)
    return Harness(environment, registration, memory, host, named, frontend, notices)


def _rules(environment: Environment) -> Rules:
    permissions = environment.settings.permissions
    return Rules(permissions.allow, permissions.ask, permissions.deny)


def _setting_notice(warning: SettingWarning) -> Notice:
    fields = {"file": warning.file, "setting": warning.key, "expected": warning.expected}
    return Notice(f"setting-{warning.kind}", fields)


def _idle_rule_notices(environment: Environment, host: PluginHost) -> list[Notice]:
    return [Notice("rule-matches-nothing", {"rule": rule}) for rule in idle_rules(_rules(environment), host.tools)]
