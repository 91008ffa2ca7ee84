"""Every setting there is: its key, default, unit and meaning, and the frozen values built from the table."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, assert_never

_LONGEST_TEXT = 2000
_WEB_ADDRESS = re.compile(r"https?://[^\s/?#]+[^\s]*")


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false."""


@dataclass(frozen=True, slots=True)
class WholeNumber:
    """An integer between both, which may also be written 5.0."""

    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Number:
    """A finite number between both."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Text:
    """One line of text."""


@dataclass(frozen=True, slots=True)
class WebAddress:
    """An http or https address, or an empty text for none."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One of these, from the most careful to the freest."""

    options: tuple[str | bool, ...]


@dataclass(frozen=True, slots=True)
class Names:
    """A list of texts."""


Accepts = Flag | WholeNumber | Number | Text | WebAddress | Choice | Names


class ProjectMay(Enum):
    """What the file that comes with a repository may do to a setting: it is not the user's own word."""

    SET = "set"
    LOWER = "lower"
    RAISE = "raise"
    ADD = "add"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Setting:
    """One row of the table; `older_keys` are still read where the key itself is absent."""

    key: str
    default: Any
    accepts: Accepts
    unit: str
    meaning: str
    project_may: ProjectMay = ProjectMay.SET
    older_keys: tuple[str, ...] = ()


SETTINGS: tuple[Setting, ...] = (
    Setting(
        "language",
        "",
        Choice(("", "en", "zh", "pt", "fr")),
        "",
        "Language of messages and pages; empty follows the system or the browser.",
    ),
    Setting(
        "model",
        "offline",
        Text(),
        "provider:name",
        "The model that answers; `offline` is the built-in practice assistant.",
        ProjectMay.NOTHING,
    ),
    Setting(
        "smallModel",
        "",
        Text(),
        "provider:name",
        "The model for extraction and merge drafts; empty takes `model`.",
        ProjectMay.NOTHING,
    ),
    Setting(
        "openai.baseUrl",
        "",
        WebAddress(),
        "URL",
        "Where `openai-compatible` models answer, instead of OPENAI_BASE_URL.",
        ProjectMay.NOTHING,
    ),
    Setting(
        "openai.apiKey",
        "",
        Text(),
        "",
        "The key for that address, instead of OPENAI_API_KEY.",
        ProjectMay.NOTHING,
    ),
    Setting(
        "openai.contextTokens",
        128_000,
        WholeNumber(1_000, 100_000_000),
        "tokens",
        "How much fits into `openai-compatible` models; a local server often has less than its model could.",
        ProjectMay.NOTHING,
    ),
    Setting(
        "permissionMode",
        "ask",
        Choice(("plan", "ask", "acceptEdits", "bypass")),
        "",
        "Which tools run without a question: `plan` refuses writes, `bypass` asks for nothing.",
        ProjectMay.LOWER,
    ),
    Setting(
        "permissions.allow",
        (),
        Names(),
        "tool or plugin:tool",
        "Tools that run without a question.",
        ProjectMay.NOTHING,
    ),
    Setting(
        "permissions.ask",
        (),
        Names(),
        "tool or plugin:tool",
        "Tools that always ask first.",
        ProjectMay.ADD,
    ),
    Setting(
        "permissions.deny",
        (),
        Names(),
        "tool or plugin:tool",
        "Tools that never run.",
        ProjectMay.ADD,
    ),
    Setting(
        "memory.dir",
        "MEMORY",
        Text(),
        "path",
        "Where the project's notes lie, relative to the project root and inside it.",
        older_keys=("memoryDir",),
    ),
    Setting(
        "memory.maxNotes",
        5000,
        WholeNumber(1, 1_000_000),
        "notes",
        "Notes per scope; past it the least recently modified files are not loaded and new notes are refused.",
    ),
    Setting(
        "memory.maxNoteBytes",
        131_072,
        WholeNumber(1024, 16_777_216),
        "bytes",
        "Size of one note's body; the sync service applies its own limit too.",
    ),
    Setting(
        "memory.indexChars",
        4000,
        WholeNumber(0, 1_000_000),
        "characters",
        "Characters of summaries in the system prompt.",
    ),
    Setting("memory.recall.enabled", True, Flag(), "", "Attach matching notes to each message."),
    Setting("memory.recall.perTurn", 3, WholeNumber(0, 50), "notes", "Notes attached to one message."),
    Setting(
        "memory.recall.budgetChars",
        2000,
        WholeNumber(0, 1_000_000),
        "characters",
        "Characters that the attached notes may take.",
    ),
    Setting("memory.recall.minScore", 1.2, Number(0, 1000), "score", "Threshold for attaching a note."),
    Setting(
        "memory.autoExtract.onCompaction",
        False,
        Flag(),
        "",
        "Extract notes from what a compaction is about to drop; each pass is a model call.",
        ProjectMay.LOWER,
    ),
    Setting(
        "memory.autoExtract.onStop",
        False,
        Flag(),
        "",
        "Extract notes at the end of a run, and before compaction; each pass is a model call.",
        ProjectMay.LOWER,
    ),
    Setting(
        "memory.autoExtract.minUserTurns",
        3,
        WholeNumber(1, 1000),
        "messages",
        "Real user messages since the last pass before the end of a run starts another.",
        ProjectMay.RAISE,
    ),
    Setting(
        "memory.consolidate.auto",
        "subscribers",
        Choice((False, "subscribers", True)),
        "",
        "Merge notes of the same subject in the background: never, on paid plans only, or always.",
        ProjectMay.LOWER,
    ),
    Setting(
        "memory.consolidate.cooldownHours",
        24,
        Number(0, 8760),
        "hours",
        "Least time between two background passes.",
        ProjectMay.RAISE,
    ),
    Setting(
        "memory.consolidate.maxMerges",
        3,
        WholeNumber(0, 100),
        "groups",
        "Groups that one background pass merges at most.",
        ProjectMay.LOWER,
    ),
    Setting(
        "memory.consolidate.unusedDays",
        90,
        WholeNumber(1, 36_500),
        "days",
        "A note neither recalled nor edited for so long is listed as unused.",
    ),
    Setting(
        "memory.sync.checkSeconds",
        60,
        WholeNumber(1, 86_400),
        "seconds",
        "How often a notes directory is checked while something changes.",
        ProjectMay.RAISE,
    ),
)


@dataclass(frozen=True, slots=True)
class OpenAISettings:
    """Where `openai-compatible` models answer, and how much fits; empty texts where nothing is set."""

    base_url: str
    api_key: str = field(repr=False)
    context_tokens: int


@dataclass(frozen=True, slots=True)
class PermissionSettings:
    """The mode a session starts in, and the rules; deny beats ask beats allow."""

    mode: str
    allow: tuple[str, ...]
    ask: tuple[str, ...]
    deny: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RecallSettings:
    """Per-message recall."""

    enabled: bool
    per_turn: int
    budget_chars: int
    min_score: float


@dataclass(frozen=True, slots=True)
class AutoExtractSettings:
    """Automatic extraction."""

    on_compaction: bool
    on_stop: bool
    min_user_turns: int


@dataclass(frozen=True, slots=True)
class ConsolidateSettings:
    """Tidying; `auto` is False, True or "subscribers"."""

    auto: bool | str
    cooldown_hours: float
    max_merges: int
    unused_days: int


@dataclass(frozen=True, slots=True)
class SyncSettings:
    """Cloud sync."""

    check_seconds: int


@dataclass(frozen=True, slots=True)
class MemorySettings:
    """Everything below `memory`."""

    dir: str
    max_notes: int
    max_note_bytes: int
    index_chars: int
    recall: RecallSettings
    auto_extract: AutoExtractSettings
    consolidate: ConsolidateSettings
    sync: SyncSettings


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of one project on this machine."""

    language: str
    model: str
    small_model: str
    openai: OpenAISettings
    permissions: PermissionSettings
    memory: MemorySettings


def default_values() -> dict[str, Any]:
    """Every key with its default."""
    return {row.key: row.default for row in SETTINGS}


def default_settings() -> Settings:
    """The settings of somebody who set nothing."""
    return settings_from(default_values())


def settings_from(values: Mapping[str, Any]) -> Settings:
    """The settings classes from a value for every key of the table."""
    return Settings(
        language=values["language"],
        model=values["model"],
        small_model=values["smallModel"],
        openai=OpenAISettings(values["openai.baseUrl"], values["openai.apiKey"], values["openai.contextTokens"]),
        permissions=PermissionSettings(
            mode=values["permissionMode"],
            allow=values["permissions.allow"],
            ask=values["permissions.ask"],
            deny=values["permissions.deny"],
        ),
        memory=_memory_settings(values),
    )


def _memory_settings(values: Mapping[str, Any]) -> MemorySettings:
    return MemorySettings(
        dir=values["memory.dir"],
        max_notes=values["memory.maxNotes"],
        max_note_bytes=values["memory.maxNoteBytes"],
        index_chars=values["memory.indexChars"],
        recall=RecallSettings(
            enabled=values["memory.recall.enabled"],
            per_turn=values["memory.recall.perTurn"],
            budget_chars=values["memory.recall.budgetChars"],
            min_score=values["memory.recall.minScore"],
        ),
        auto_extract=AutoExtractSettings(
            on_compaction=values["memory.autoExtract.onCompaction"],
            on_stop=values["memory.autoExtract.onStop"],
            min_user_turns=values["memory.autoExtract.minUserTurns"],
        ),
        consolidate=ConsolidateSettings(
            auto=values["memory.consolidate.auto"],
            cooldown_hours=values["memory.consolidate.cooldownHours"],
            max_merges=values["memory.consolidate.maxMerges"],
            unused_days=values["memory.consolidate.unusedDays"],
        ),
        sync=SyncSettings(values["memory.sync.checkSeconds"]),
    )


def accepted(accepts: Accepts, raw: Any) -> Any | None:
    """The value that a raw JSON value stands for, or None when it is not what the setting takes."""
    match accepts:
        case Flag():
            return raw if isinstance(raw, bool) else None
        case WholeNumber(low, high):
            number = _number(raw)
            fits = number is not None and number == int(number) and low <= number <= high
            return int(number) if number is not None and fits else None
        case Number(low, high):
            number = _number(raw)
            return number if number is not None and low <= number <= high else None
        case Text():
            return raw.strip() if _is_line(raw) else None
        case WebAddress():
            return raw.strip() if _is_line(raw) and _is_web_address(raw.strip()) else None
        case Choice(options):
            return next((option for option in options if type(option) is type(raw) and option == raw), None)
        case Names():
            return _names(raw)
        case _:
            assert_never(accepts)


def expected_form(accepts: Accepts) -> str:
    """What a setting takes, in a notation that is the same in every language."""
    match accepts:
        case Flag():
            return "true | false"
        case WholeNumber(low, high):
            return f"integer {low}..{high}"
        case Number(low, high):
            return f"number {low}..{high}"
        case Text():
            return '"…"'
        case WebAddress():
            return '"https://…"'
        case Choice(options):
            return " | ".join(str(option).lower() if isinstance(option, bool) else f'"{option}"' for option in options)
        case Names():
            return '["…"]'
        case _:
            assert_never(accepts)


def rank(accepts: Accepts, value: Any) -> float:
    """How free a value is, to compare two of one setting; only for flags, numbers and choices."""
    if isinstance(accepts, Choice):
        return [repr(option) for option in accepts.options].index(repr(value))
    return float(value)


def _number(raw: Any) -> float | None:
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        return None
    return raw if isinstance(raw, int) or math.isfinite(raw) else None


def _is_line(raw: Any) -> bool:
    return isinstance(raw, str) and len(raw) <= _LONGEST_TEXT and (raw.strip() == "" or raw.strip().isprintable())


def _is_web_address(text: str) -> bool:
    return text == "" or _WEB_ADDRESS.fullmatch(text) is not None


def _names(raw: Any) -> tuple[str, ...] | None:
    if not isinstance(raw, list | tuple) or not all(_is_line(name) for name in raw):
        return None
    return tuple(dict.fromkeys(name.strip() for name in raw if name.strip()))
