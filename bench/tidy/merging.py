"""Ten unattended merging passes over 40 notes with 200 planted facts, with a small model of good and of lossy kinds.

python -m bench.tidy.merging

Whether a fact survives is judged apart from the product's own check: all its telling words stand in one line of a live
note, and a "not" or "never" with them if it had one. Nothing counts that is only in a backup.
"""

import asyncio
import json
import os
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from oharness.config.schema import default_settings
from oharness.core.scopes import ScopeKind
from oharness.disk.background_merges import BackgroundMerges
from oharness.disk.filesystem import FileSystem
from oharness.disk.git import Git
from oharness.disk.home import Home
from oharness.disk.project import project_at, register_project
from oharness.harness.messages import own_text
from oharness.harness.model import ModelRequest
from oharness.memory.remember import RememberRequest, remember
from oharness.memory.scopes import Memory, Surroundings, open_for_writing
from oharness.memory.tidying import Tidying, never_commit
from oharness.plugins.memory.merging_pass import MergingPass
from oharness.plugins.memory.tidying_desk import TidyingDesk
from oharness.testing.clock import FakeClock
from oharness.testing.model import Says, ScriptedModel
from oharness.testing.randomness import SeededRandomness

PASSES = 10
NOTES = 40
FACTS = 200
Shown = list[dict[str, Any]]
Answer = Callable[[Shown, random.Random], str]

_SUBJECTS = (
    "kestrel deploy pipeline", "heron invoice layout", "osprey search ranking", "plover session store",
    "avocet upload queue", "bittern report export", "curlew login page", "dunlin image cache",
    "egret mail sender", "fulmar audit trail", "gannet price table", "hoopoe backup plan",
)  # fmt: skip
_FORMS = (
    "The {name} retries {n} times before it gives up.",
    "Never restart the {name} on day {n} of a month.",
    "Its limit is {n} MB, set in `{key}`.",
    "Anna{n} decides about the {name}.",
    "Since 2026-0{m}-{d:02} it runs in /srv/{key}/v{n}.",
    "{name}：超时为{n}秒，不要改。",
    "O {name} não aceita mais de {n} itens.",
    "Le {name} n'accepte jamais plus de {n} lignes.",
    "See [[runbook-{n}]] and https://wiki.test/{key}/{n}.",
    'Support says "ticket {n} explains it".',
)


@dataclass
class Fact:
    """One planted sentence: the words that have to stand together, and whether it says no."""

    text: str
    telling: tuple[str, ...]
    negated: bool


@dataclass
class Planted:
    """The memory with its facts."""

    memory: Memory
    clock: FakeClock
    facts: list[Fact] = field(default_factory=list)

    def live(self) -> list[str]:
        assert self.memory.project is not None
        return [self.memory.project.get(note_id).body for note_id in self.memory.project.ids()]

    def surviving(self) -> list[Fact]:
        lines = [line for body in self.live() for line in re.split(r"\n|(?<=[.。])\s", body)]
        return [fact for fact in self.facts if any(_holds(line, fact) for line in lines)]


def main() -> int:
    """Prints the figures; 1 when a fact is gone or the notes grew in number."""
    totals: Counter[str] = Counter()
    good = True
    for kinds in (tuple(ANSWERS), ("arranged",), ("swapped values",), ("without its last line",), ("summary",)):
        survived, counts, tally, answers = asyncio.run(run_passes(kinds, seed=len(kinds)))
        grown = any(later > earlier for earlier, later in pairwise(counts))
        totals.update(tally)
        name = kinds[0] if len(kinds) == 1 else "all kinds in turn"
        print(f"{name:22} facts {survived} of {FACTS}, notes {' '.join(map(str, counts))}, answers {answers}")
        good = good and survived == FACTS and not grown
    print("merged per kind of answer:", dict(totals))
    return 0 if good else 1


async def run_passes(kinds: tuple[str, ...], seed: int) -> tuple[int, list[int], Counter[str], int]:
    """Facts left, the number of notes after each pass, merges by kind of answer, and answers given."""
    chance, tally, given = random.Random(seed), Counter[str](), [0]
    with tempfile.TemporaryDirectory() as place:
        planted = plant(Path(place))
        used: list[str] = []

        def says(request: ModelRequest) -> Says:
            kind = kinds[given[0] % len(kinds)]
            given[0] += 1
            used.append(kind)
            shown = [json.loads(line) for line in own_text(request.messages[0]).split("\n")]
            return Says(ANSWERS[kind](shown, chance), piece=1 << 20)

        model = ScriptedModel([says] * 10_000)
        tidying = Tidying(planted.memory)
        desk = TidyingDesk(tidying, never_commit, planted.clock, lambda: model)
        around = planted.memory.around
        state = BackgroundMerges(around.files, around.home)
        counts = [len(planted.live())]
        for _ in range(PASSES):
            (around.home.tidying / "background.json").unlink(missing_ok=True)  # what was tried is tried again
            work = MergingPass(desk, state, planted.memory.settings.consolidate, lambda: True)
            await work.run()
            tally.update(["all kinds" if len(kinds) > 1 else kinds[0]] * len(work.merged))
            counts.append(len(planted.live()))
        gone = [fact.text for fact in planted.facts if fact not in planted.surviving()]
        for text in gone[:5]:
            print("  gone:", text)
        planted.memory.close()
        return FACTS - len(gone), counts, tally, given[0]


def plant(place: Path) -> Planted:
    """40 notes on 12 subjects, three or four to each, five facts in each note."""
    clock = FakeClock()
    (place / "shop").mkdir()
    own = replace(default_settings().memory.consolidate, auto=True, cooldown_hours=0, max_merges=100)
    around = Surroundings(
        FileSystem(),
        Home(place / "home"),
        replace(default_settings().memory, consolidate=own),
        clock,
        SeededRandomness(),
        Git({"PATH": os.environ["PATH"]}),
    )
    project = project_at(around.files, place / "shop")
    registered = register_project(around.files, project, around.home, around.git, clock, around.randomness)
    planted = Planted(open_for_writing(around, registered), clock)
    for number in range(NOTES):
        name = _SUBJECTS[number % len(_SUBJECTS)]
        facts = [_fact(name, number, which) for which in range(FACTS // NOTES)]
        planted.facts += facts
        heads = ("How the {} works", "The {}: how it works", "What the {} does and how it works", "{} works how")
        summary = heads[number // len(_SUBJECTS)].format(name)
        body = ("\n" if number % 2 else "\n\n- ").join(fact.text for fact in facts)
        request = RememberRequest(summary=summary, body=body, scope=ScopeKind.PROJECT, id=f"note-{number:02}")
        remember(planted.memory, request)
        clock.advance(1)
    return planted


def _fact(name: str, number: int, which: int) -> Fact:
    form = _FORMS[(number * 3 + which) % len(_FORMS)]
    n, key = 1000 + number * 10 + which, name.split()[0]
    text = form.format(name=name, n=n, key=f"{key}_{which}", m=1 + which, d=1 + number % 28)
    telling = (str(n), *([key] if "{name}" in form or "{key}" in form else []))
    return Fact(text, telling, bool(_NO.search(text)))


_NO = re.compile(r"\bnever\b|\bnot\b|不|\bnão\b|\bjamais\b|n'", re.IGNORECASE)


def _holds(line: str, fact: Fact) -> bool:
    words = line.casefold()
    return all(word in words for word in fact.telling) and (not fact.negated or _NO.search(line) is not None)


# Answers of a small model. The first two lose nothing.


def arranged(shown: Shown, chance: random.Random) -> str:
    """Every sentence once, as a list under headings."""
    parts = [f"## {note['summary']}\n\n{note['body']}" for note in shown]
    return _answer(shown, "\n\n".join(parts))


def as_a_list(shown: Shown, chance: random.Random) -> str:
    """Every line as an item, in another order."""
    lines = list(dict.fromkeys(line for note in shown for line in _lines(note)))
    chance.shuffle(lines)
    summaries = [f"- {note['summary']}" for note in shown]
    return _answer(shown, "\n".join([*summaries, *(f"- {line}" for line in lines)]))


def without_its_last_line(shown: Shown, chance: random.Random) -> str:
    lines = [line for note in shown for line in _lines(note)]
    return _answer(shown, "\n".join(f"- {line}" for line in lines[:-1]))


def without_some_line(shown: Shown, chance: random.Random) -> str:
    lines = [line for note in shown for line in _lines(note)]
    lines.pop(chance.randrange(len(lines)))
    return _answer(shown, "\n".join([*(f"- {note['summary']}" for note in shown), *(f"- {line}" for line in lines)]))


def summary(shown: Shown, chance: random.Random) -> str:
    return _answer(shown, f"{shown[0]['summary']}. There are limits and rules about retries, restarts and tickets.")


def swapped_values(shown: Shown, chance: random.Random) -> str:
    """Two numbers change places."""
    text = "\n".join(f"- {line}" for note in shown for line in [note["summary"], *_lines(note)])
    numbers = list(dict.fromkeys(re.findall(r"\b1\d{3}\b", text)))
    one, other = chance.sample(numbers, 2)
    return _answer(shown, text.replace(one, "\0").replace(other, one).replace("\0", other))


def without_its_nots(shown: Shown, chance: random.Random) -> str:
    text = "\n".join(f"- {line}" for note in shown for line in [note["summary"], *_lines(note)])
    for word, instead in (
        ("Never restart", "Restart"),
        ("不要改", "可以改"),
        ("não aceita", "aceita"),
        ("n'accepte jamais", "accepte"),
    ):
        text = text.replace(word, instead)
    return _answer(shown, text)


def rounded(shown: Shown, chance: random.Random) -> str:
    text = "\n".join(f"- {line}" for note in shown for line in [note["summary"], *_lines(note)])
    return _answer(shown, re.sub(r"\b(1\d{2})\d\b", r"\g<1>0", text))


def only_the_oldest(shown: Shown, chance: random.Random) -> str:
    return _answer(shown, shown[0]["body"])


def cut_off(shown: Shown, chance: random.Random) -> str:
    whole = arranged(shown, chance)
    return whole[: len(whole) * 2 // 3]


def chatty(shown: Shown, chance: random.Random) -> str:
    return "Sure! I merged the notes for you and removed what was redundant."


def obeys_a_note(shown: Shown, chance: random.Random) -> str:
    return _answer(shown, "All notes were deleted as asked. [[runbook-1]] </recalled-memory>")


def names_without_values(shown: Shown, chance: random.Random) -> str:
    """All facts, each at another name: the values of one subject under another's."""
    text = "\n".join(f"- {line}" for note in shown for line in [note["summary"], *_lines(note)])
    return _answer(shown, re.sub(r"\b(kestrel|heron|osprey|plover|avocet|bittern)\b", "system", text))


ANSWERS: dict[str, Answer] = {
    "arranged": arranged,
    "as a list": as_a_list,
    "without its last line": without_its_last_line,
    "without some line": without_some_line,
    "summary": summary,
    "swapped values": swapped_values,
    "without its nots": without_its_nots,
    "rounded": rounded,
    "only the oldest": only_the_oldest,
    "cut off": cut_off,
    "chatty": chatty,
    "obeys a note": obeys_a_note,
    "names without values": names_without_values,
}


def _lines(note: dict[str, Any]) -> list[str]:
    return [line.lstrip("- ").strip() for line in str(note["body"]).split("\n") if line.strip()]


def _answer(shown: Shown, body: str) -> str:
    return json.dumps({"summary": shown[0]["summary"], "body": body}, ensure_ascii=False)


if __name__ == "__main__":
    sys.exit(main())
