"""Notes of every kind in several languages, with conflicts, backups and files that are no notes: for the page."""

import random
from dataclasses import dataclass, replace

from oharness.core.clock import Millis
from oharness.core.scopes import ScopeKind
from oharness.disk.backups import BackupReason, SetAside
from oharness.disk.plugins_file import SyncTarget, set_sync_target
from oharness.disk.sync_shapes import Guard, LastPull, Progress
from oharness.memory.scopes import Memory
from oharness.notes.frontmatter import note_text
from oharness.notes.hashing import content_hash
from oharness.notes.note import Note
from oharness.reconcile.baseline import InCloud
from oharness.reconcile.conflict import CloudVersion, Conflict
from oharness.reconcile.guards import Paused, PauseReason
from oharness.reconcile.merge_note import ConflictReason
from oharness.sync.directory import Directory
from oharness.wiring.environment import Environment, open_memory_for_writing, register
from oharness.wiring.sync import sync_directories

HOUR = 3_600_000
DAY = 24 * HOUR


@dataclass(frozen=True, slots=True)
class Sample:
    """A note to write, so many hours old."""

    id: str
    scope: ScopeKind
    type: str | None
    summary: str
    body: str
    tags: tuple[str, ...]
    hours: float


P, U = ScopeKind.PROJECT, ScopeKind.USER
SAMPLES = (
    Sample(
        "pricing-borderless-3fa",
        P,
        "feedback",
        "Pricing cards use fills, not borders",
        "Cards on the pricing page are separated by fill and whitespace.\n\n"
        "**Why:** the outlines were the loudest thing on a page of numbers.\n\n"
        "**How to apply:** keep the border declared but transparent. See [[pricing-layout-a91]] and [[colour-tokens]].",
        ("design", "pricing", "定价", "cards"),
        0.2,
    ),
    Sample(
        "pricing-layout-a91",
        P,
        "project",
        "The pricing page has three columns and no carousel",
        "Three plans, side by side from 48rem on, stacked below.\n\n"
        "1. The middle plan stands out by its heading alone.\n2. No plan is preselected.\n"
        "3. Prices are shown per month, with the yearly total in small print.\n\n"
        "| plan | seats | storage |\n|---|---:|---:|\n| free | 1 | 1 GB |\n| team | 10 | 100 GB |\n"
        "| company | any | 1 TB |\n\nDecided on 2 March with Ana and Bo; see [[deploy-day-x1f]] for when it went out.",
        ("design", "layout", "responsive"),
        30,
    ),
    Sample(
        "deploy-day-x1f",
        P,
        "project",
        "We deploy on Tuesdays and Thursdays, never on Fridays",
        "**Why:** two rollbacks on a Friday evening in one month.\n\n```sh\nmake release TAG=v2.14\n"
        "make deploy ENV=staging && make smoke\n```\n\n> A hotfix may go out any day, with two people present.",
        ("release", "deploy", "发布", "déploiement"),
        52,
    ),
    Sample(
        "db-migrations-q7",
        P,
        "reference",
        "Runbook for database migrations lies in the wiki under Operations → Data",
        "The page is called *Migrations without downtime*. Ask Ines for access.",
        ("database", "postgres", "migration", "runbook"),
        100,
    ),
    Sample(
        "zh-release-notes",
        P,
        "feedback",
        "发布说明用中文和英文各写一份，中文在前",
        "用户大多在国内，所以中文版放在前面。\n\n**为什么：** 上次只有英文，客服收到了四十多封询问邮件。\n\n"
        "**怎么做：** 先写中文，再翻译，不要逐字直译。参见 [[deploy-day-x1f]]。",
        ("release-notes", "发布说明", "translation"),
        130,
    ),
    Sample(
        "pt-tom-de-voz",
        P,
        "feedback",
        "Textos do produto falam com a pessoa, sem jargão e sem exclamações",
        "Frases curtas. O verbo vem antes do substantivo.\n\n**Por quê:** os testes de março mostraram menos dúvidas.",
        ("writing", "tom", "voz", "copy"),
        220,
    ),
    Sample(
        "fr-accessibilite",
        P,
        "project",
        "Toute nouvelle page passe axe-core sans anomalie sérieuse avant la revue",
        "Clair et sombre, à 320 px et à 1440 px. Le clavier d'abord.",
        ("a11y", "accessibilité", "tests"),
        400,
    ),
    Sample(
        "ar-rtl-layout",
        P,
        "reference",
        "دليل التصميم للغات التي تُكتب من اليمين إلى اليسار",
        "الواجهة تنعكس كاملة، ما عدا الأرقام وأسماء الملفات مثل `settings.json`.",
        ("rtl", "arabic"),
        700,
    ),
    Sample(
        "pricing-cards-radius",
        P,
        "feedback",
        "Pricing cards use fills and no borders",
        "The radius is 12 px and the same on all three cards.\n\n"
        "Never mix two radii on one page. See `styles/pricing.css`.",
        ("design", "pricing", "cards", "定价"),
        300,
    ),
    Sample(
        "colour-without-type", P, None, "Accent colour is teal 700 on light, teal 300 on dark", "", ("colour",), 2600
    ),
    Sample(
        "role-and-stack",
        U,
        "user",
        "Backend engineer who writes Python and Go, new to front-end work",
        "Explain CSS and browser behaviour; skip the basics of databases and HTTP.",
        ("role", "python", "go", "background"),
        1200,
    ),
    Sample(
        "short-answers",
        U,
        "feedback",
        "Prefers short answers with the command first and the reason after it",
        "When something can be run, the line to run comes first.\n\nLong explanations only when asked for.",
        ("style", "tone", "简短"),
        26,
    ),
    Sample(
        "time-zone",
        U,
        "user",
        "Works from Lisbon; meetings before 10:00 are difficult",
        "",
        ("calendar", "fuso horário"),
        900,
    ),
    Sample(
        "hostile-looking",
        P,
        "reference",
        '<script>alert("summary")</script> is how the old import wrote titles',
        "Kept as a warning: `<img src=x onerror=alert(1)>` and <b>bold</b> came through too.\n\n"
        "[a link](javascript:alert(1)) must do nothing.",
        ("<script>", "import"),
        1500,
    ),
)


def fill(environment: Environment) -> None:
    """Writes all of it into the environment's home and project. Nobody is signed in there. Blocking."""
    registration = register(environment)
    memory = open_memory_for_writing(environment)
    try:
        now = environment.clock.now_ms()
        for sample in SAMPLES:
            _write(memory, sample, now)
        memory.refresh()
        device = registration.device if registration else None
        directories = {one.scope.kind: one for one in sync_directories(environment, device, memory)}
        _quarrels(memory, directories[P], now)
        _set_aside(memory, now)
        _not_notes(memory)
        _synced_once(environment, directories, now)
    finally:
        memory.close()


def _write(memory: Memory, sample: Sample, now: Millis) -> None:
    at = Millis(now - round(sample.hours * HOUR))
    note = Note(sample.id, sample.summary, sample.body, sample.type, sample.tags, Millis(at - 3 * DAY), at)
    path = memory.service(sample.scope).folder.note_path(sample.id)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(note_text(note), encoding="utf-8")


def _quarrels(memory: Memory, directory: Directory, now: Millis) -> None:
    """One conflict about lines, one about a note deleted in the cloud."""
    mine = memory.service(P).get("deploy-day-x1f")
    base = replace(mine, summary="We deploy on Tuesdays, never on Fridays", body=mine.body.replace("two people", "one"))
    cloud = replace(
        mine,
        summary="We deploy on Tuesdays and Wednesdays",
        body=mine.body.replace("any day, with two people present", "any day after a call with Ana"),
        tags=(*mine.tags, "hotfix"),
        updated_at=Millis(now - 5 * HOUR),
    )
    listed = InCloud(content_hash(cloud), "r2", 7, 400)
    reasons = (ConflictReason.SUMMARY, ConflictReason.BODY)
    directory.state.open_conflict(Conflict(reasons, base, mine, CloudVersion(cloud, listed), Millis(now - 2 * HOUR)))
    other = memory.service(P).get("db-migrations-q7")
    directory.state.open_conflict(
        Conflict((ConflictReason.DELETED_THERE,), replace(other, body="Ask Ines."), other, None, Millis(now - 9 * HOUR))
    )


def _set_aside(memory: Memory, now: Millis) -> None:
    """Backups of several kinds, an older one among them."""
    own, users = memory.service(P), memory.service(U)
    layout, short = own.get("pricing-layout-a91"), users.get("short-answers")
    older = replace(
        layout, summary="The pricing page has four columns", body=layout.body.replace("Three plans", "Four plans")
    )
    gone = Note("feature-flags-9c", "Feature flags are named area.thing", "Never reuse a name.", "project", ("flags",))
    for service, note, reason in (
        (own, older, BackupReason.UPDATE),
        (users, replace(short, body="Answers of at most five lines."), BackupReason.EXTRACTION),
        (own, replace(layout, tags=("design",)), BackupReason.PULL),
        (own, gone, BackupReason.DELETE),
    ):
        data = note_text(note).encode()
        memory.backups.save(SetAside(service.scope, service.folder.path, note.id, data, reason))
    old = memory.around.home.backups / "user"
    old.mkdir(parents=True, exist_ok=True)
    (old / f"{now - 200 * DAY}-likes-tea.md").write_text('---\n{"id":"likes-tea","summary":"Drinks green tea"}\n---\n')


def _not_notes(memory: Memory) -> None:
    folder = memory.service(P).folder.path
    (folder / "shopping list.md").write_text("- bread\n- olives\n", encoding="utf-8")
    (folder / "half-saved.md").write_text('---\n{"id":"half-saved","summary":"cut off', encoding="utf-8")


def _synced_once(environment: Environment, directories: dict[ScopeKind, Directory], now: Millis) -> None:
    """As if it had been in sync on a free plan before somebody signed out."""
    for kind, directory in directories.items():
        is_own = kind is P
        pull = LastPull(("zh-release-notes",), ("pricing-layout-a91",), ("old-logo-4d",), Millis(now - 3 * HOUR))
        directory.state.save_progress(
            Progress(
                spoke_current=True,
                last_synced=Millis(now - (3 * HOUR if is_own else 4 * HOUR)),
                pull=pull if is_own else LastPull(("short-answers",), at=Millis(now - 26 * HOUR)),
                held_back={"hostile-looking": "plan_note_bytes"} if is_own else {},
                plan="free",
                paid=False,
                max_notes=200,
                max_body_bytes=16_384,
            )
        )
        target = SyncTarget("ana@example.com", "https://cloud.example", enabled=True)
        set_sync_target(environment.files, environment.home, directory.scope, target)
    paused = Paused(PauseReason.MANY_MISSING, ("short-answers", "editor-keys", "time-zone"))
    directories[U].state.save_guard(Guard(paused=paused))


def many(environment: Environment, count: int) -> None:
    """So many notes whose words are spread as in real ones: few often, most seldom. Blocking."""
    memory = open_memory_for_writing(environment)
    try:
        chance = random.Random(1)
        words = [_word(chance) for _ in range(6000)]
        weights = [1 / (rank + 3) for rank in range(len(words))]
        now = environment.clock.now_ms()
        for number in range(count):
            service = memory.service(P if number % 10 < 7 else U)
            said = chance.choices(words, weights, k=90)
            tags = tuple(dict.fromkeys(said[9:12]))
            link = f"\n\nSee [[n{chance.randrange(count)}]]." if number % 3 == 0 else ""
            body = " ".join(said[12:50]) + ".\n\n" + " ".join(said[50:]) + link
            at = Millis(now - chance.randrange(400 * DAY))
            kind = chance.choice(["user", "feedback", "project", "reference", None])
            note = Note(f"n{number}", " ".join(said[:9]).capitalize(), body, kind, tags, at, at)
            service.folder.path.mkdir(parents=True, exist_ok=True)
            (service.folder.path / f"n{number}.md").write_text(note_text(note), encoding="utf-8")
        memory.refresh()
    finally:
        memory.close()


def _word(chance: random.Random) -> str:
    parts = ("ba", "de", "ki", "lo", "mu", "na", "pre", "ra", "sta", "ti", "vo", "ze", "con", "der", "ing", "ment")
    return "".join(chance.choices(parts, k=chance.choice((2, 2, 3, 3, 4))))
