"""Whether what the planner did to a world is right, judged by texts and stories and by nothing of its own.

The judge knows no hashes, revisions or decisions: it compares what notes say, and knows from the story who did
what. Raises `Wrong` with the note and the rule that was broken.
"""

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from oharness.notes.note import Note
from oharness.reconcile.conflict import Answer, KeepBoth, KeepMine, MergeByHand, TakeCloud
from oharness.reconcile.guards import ANSWERS, Choice, Confirmed, Paused, PauseReason
from oharness.reconcile.plan import plan_scope
from oharness.testing.planner.model_device import Planner
from oharness.testing.planner.related_notes import Mine, Past, Story, Theirs
from oharness.testing.planner.worlds import Setting, World, build_world, draw_world, here, there

MOST_PASSES = 4


@dataclass
class Wrong(AssertionError):
    """A rule that did not hold."""

    note_id: str
    rule: str
    story: object = None

    def __str__(self) -> str:
        return f"{self.note_id}: {self.rule}\n{self.story}"


Said: TypeAlias = tuple[Any, ...]


def said(note: Note | None) -> Said | None:
    """What a note says, without its times."""
    if note is None:
        return None
    extra = json.dumps(note.extra, sort_keys=True, default=dict) if note.extra else ""
    return note.summary, note.type, tuple(sorted(note.tags)), note.body, extra


# --- what has to come of a story


@dataclass(frozen=True, slots=True)
class EverywhereAs:
    """Live on both sides, saying this."""

    text: Said | None


@dataclass(frozen=True, slots=True)
class Nowhere:
    """Gone on both sides."""


@dataclass(frozen=True, slots=True)
class InConflict:
    """A person has to choose between these two."""

    mine: Said | None
    cloud: Said | None


@dataclass(frozen=True, slots=True)
class LeftAlone:
    """Held back: neither side changes."""


@dataclass(frozen=True, slots=True)
class MergedOrInConflict:
    """Both sides changed in ways whose merge is not known beforehand."""


Fate: TypeAlias = EverywhereAs | Nowhere | InConflict | LeftAlone | MergedOrInConflict


def fate(world: World, story: Story, answers: dict[str, Choice]) -> Fate:
    """What has to come of one story."""
    cloud = _cloud_text(story)
    broken = story.became_there is Theirs.BROKEN
    match story.became_here:
        case Mine.UNREADABLE | Mine.NOT_LOADED:
            return LeftAlone()
        case Mine.NO_BYTES:
            return _fate_of_damage(story, cloud)
        case Mine.FORGOTTEN | Mine.EDITED_THEN_FORGOTTEN:
            return _fate_of_forgotten(world, story, cloud)
        case Mine.VANISHED:
            if cloud is None:
                return Nowhere()
            if world.kept_revision(story) and story.past is Past.SYNCED:
                restored = answers.get(story.id, Choice.DELETE) is Choice.RESTORE
                return EverywhereAs(cloud) if restored else Nowhere()
            return LeftAlone() if broken else EverywhereAs(cloud)
        case Mine.SAME | Mine.EDITED | Mine.MADE_ON_PURPOSE:
            mine = said(story.base if story.became_here is Mine.SAME else story.mine)
            if cloud is None:
                return _fate_against_deletion(story, mine, answers)
            return _fate_of_both(story, mine, cloud)


def _cloud_text(story: Story) -> Said | None:
    match story.became_there:
        case Theirs.SAME | Theirs.PUT_AGAIN:
            return said(story.base)
        case Theirs.EDITED | Theirs.BROKEN:
            return said(story.cloud)
        case Theirs.DELETED | Theirs.EDITED_THEN_DELETED | Theirs.PURGED | Theirs.LOST:
            return None


def _fate_of_damage(story: Story, cloud: Said | None) -> Fate:
    if cloud is not None:
        return LeftAlone() if story.became_there is Theirs.BROKEN else EverywhereAs(cloud)
    if story.past is Past.SYNCED and story.became_there is not Theirs.LOST:
        return Nowhere()
    restorable = story.past is not Past.NEVER_MET and story.has_copy
    return EverywhereAs(said(story.base)) if restorable else LeftAlone()


def _fate_of_forgotten(world: World, story: Story, cloud: Said | None) -> Fate:
    forgotten = said(story.base if story.became_here is Mine.FORGOTTEN else story.mine)
    if cloud is None:
        return Nowhere()
    if story.past is Past.SYNCED and world.kept_revision(story):
        return Nowhere()
    if story.past is Past.BEFORE_RESET and cloud == forgotten:
        return Nowhere()
    return LeftAlone() if story.became_there is Theirs.BROKEN else EverywhereAs(cloud)


def _fate_against_deletion(story: Story, mine: Said | None, answers: dict[str, Choice]) -> Fate:
    if story.became_there is Theirs.LOST:
        return EverywhereAs(mine)
    if story.became_here is Mine.MADE_ON_PURPOSE and story.became_there is not Theirs.PURGED:
        return EverywhereAs(mine)
    unchanged = story.past is Past.SYNCED and mine == said(story.base)
    old_copy = story.past is Past.NEVER_MET and story.became_there is not Theirs.PURGED
    old_copy = old_copy and mine in _deleted_texts(story)
    if unchanged or old_copy:
        return EverywhereAs(mine) if answers.get(story.id) is Choice.RESTORE else Nowhere()
    if story.became_there is Theirs.PURGED and story.past is Past.SYNCED:
        return InConflict(mine, None)
    return EverywhereAs(mine)


def _deleted_texts(story: Story) -> list[Said | None]:
    texts = [said(story.older), said(story.base)]
    if story.became_there is Theirs.EDITED_THEN_DELETED:
        texts.append(said(story.cloud))
    return texts


def _fate_of_both(story: Story, mine: Said | None, cloud: Said | None) -> Fate:
    base, broken = said(story.base), story.became_there is Theirs.BROKEN
    if mine == cloud:
        return EverywhereAs(mine)
    if story.past is Past.SYNCED:
        if cloud == base:
            return EverywhereAs(mine)
        if broken:
            return LeftAlone()
        if mine == base:
            return EverywhereAs(cloud)
        if not story.has_copy:
            return InConflict(mine, cloud)
        if not story.sure:
            return MergedOrInConflict()
        return EverywhereAs(said(story.combined)) if story.combined else InConflict(mine, cloud)
    known = [base, said(story.older)] if story.older else [base]
    if story.past is Past.BEFORE_RESET and cloud in known:
        return EverywhereAs(mine)
    return LeftAlone() if broken else InConflict(mine, cloud)


# --- the judgement of a world


def judge_world(rng: random.Random, planner: Planner = plan_scope) -> int:
    """Draws a world, lets it settle, answers its conflicts, and gives how many stories were judged.

    Raises: Wrong.
    """
    world = draw_world(rng, planner)
    untouched = replace(world.device, files=dict(world.device.files))
    live_before = {note_id: said(one.note) for note_id, one in world.cloud.live.items()}
    answers = _settle(world, rng)
    for story in world.stories:
        _judge_fate(world, story, fate(world, story, answers), untouched.files, live_before)
        _judge_texts_kept(world, story)
    if rng.random() < 0.1:
        for story in world.stories:
            _judge_mirrored(story, planner)
    _judge_answers(world, rng)
    return len(world.stories)


def _settle(world: World, rng: random.Random) -> dict[str, Choice]:
    """Passes until there is nothing to do; gives what a person was asked and answered on the way."""
    answers: dict[str, Choice] = {}

    def asked(paused: Paused) -> Confirmed:
        _judge_question(world, paused)
        choice = rng.choice(sorted(ANSWERS[paused.reason]))
        answers.update(dict.fromkeys(paused.note_ids, choice))
        return Confirmed(choice, frozenset(paused.note_ids))

    for _ in range(MOST_PASSES):
        before = _marks(world)
        if not world.device.sync(world.cloud, asked):
            _judge_at_rest(world, before)
            return answers
    raise Wrong("all", "passes never come to an end", world.stories)


def _judge_question(world: World, paused: Paused) -> None:
    """Only missing files, a large removal or a first sync are worth a question, and only about such notes."""
    by_id = {story.id: story for story in world.stories}
    for note_id in paused.note_ids:
        story = by_id[note_id]
        if paused.reason is PauseReason.FIRST_SYNC:
            right = world.setting is Setting.FIRST_SYNC
        elif paused.reason is PauseReason.MANY_REMOVALS:
            right = _cloud_text(story) is None
        else:
            right = story.became_here is Mine.VANISHED
        if not right:
            raise Wrong(note_id, f"asked about: {paused.reason}", story)


def _judge_fate(
    world: World, story: Story, expected: Fate, files: dict[str, Any], live: dict[str, Said | None]
) -> None:
    mine, cloud = said(here(world, story.id)), said(there(world, story.id))
    conflict = world.device.conflicts.get(story.id)
    match expected:
        case EverywhereAs(text):
            if conflict:
                raise Wrong(story.id, "a conflict without need", story)
            if (mine, cloud) != (text, text):
                raise Wrong(story.id, f"not everywhere {text}, but {mine} and {cloud}", story)
        case Nowhere():
            if story.id in world.device.files or cloud is not None or conflict:
                raise Wrong(story.id, "a deletion was undone", story)
        case InConflict(one, other):
            if not conflict:
                raise Wrong(story.id, "no conflict where a person has to choose", story)
            versions = said(conflict.mine), said(conflict.cloud.note if conflict.cloud else None)
            if versions != (one, other) or (mine, cloud) != (one, other):
                raise Wrong(story.id, f"a conflict about {versions} with {mine} and {cloud}", story)
        case LeftAlone():
            if world.device.files.get(story.id) != files.get(story.id) or cloud != live.get(story.id):
                raise Wrong(story.id, "a note held back was changed", story)
            if story.id in world.device.sent:
                raise Wrong(story.id, "a note held back was sent", story)
        case MergedOrInConflict():
            if not conflict and mine != cloud:
                raise Wrong(story.id, "neither merged nor in conflict", story)
            if not conflict:
                _judge_merged_lines(story, here(world, story.id))


def _judge_merged_lines(story: Story, merged: Note | None) -> None:
    """A line that one side brought is there, and one that both threw out is not."""
    if merged is None:
        raise Wrong(story.id, "lost in a merge", story)
    base, mine, cloud, now = (set(note.body.split("\n")) for note in (story.base, story.mine, story.cloud, merged))
    if not ((mine | cloud) - base) <= now:
        raise Wrong(story.id, "a line that somebody wrote is not in the merged text", story)
    if now - (mine | cloud | base):
        raise Wrong(story.id, "a line that nobody wrote is in the merged text", story)


def _judge_texts_kept(world: World, story: Story) -> None:
    """Every text that somebody saved is live, in a conflict or in a backup."""
    device = world.device
    conflict = device.conflicts.get(story.id)
    kept = {said(here(world, story.id)), said(there(world, story.id))}
    kept |= {said(note) for note in device.backups if note.id == story.id}
    if conflict:
        kept |= {said(conflict.mine), said(conflict.cloud.note) if conflict.cloud else None}
    for text in _saved_texts(story):
        if text not in kept:
            raise Wrong(story.id, f"lost: {text}", story)


def _saved_texts(story: Story) -> Iterator[Said | None]:
    base = said(story.base)
    written_here = (Mine.EDITED, Mine.MADE_ON_PURPOSE, Mine.EDITED_THEN_FORGOTTEN)
    if story.became_here in written_here and said(story.mine) != base:
        yield said(story.mine)
    known_here = [base]
    if story.past is Past.BEFORE_RESET and story.older:
        known_here.append(said(story.older))  # a restored cloud: this machine had moved on from it
    if story.became_there in (Theirs.EDITED, Theirs.BROKEN) and said(story.cloud) not in known_here:
        yield said(story.cloud)


def _marks(world: World) -> tuple[int, ...]:
    device = world.device
    return device.touched, len(device.sent), len(device.backups), len(device.conflicts), world.cloud.version


def _judge_at_rest(world: World, before: tuple[int, ...]) -> None:
    """A pass that had nothing to do wrote, sent and backed up nothing, and both sides know the same."""
    device = world.device
    if before != _marks(world):
        raise Wrong("all", f"a pass at rest did something: {before} {_marks(world)}", world.stories)
    if (device.baseline.check.count, device.baseline.check.hex) != world.cloud.check():
        raise Wrong("all", "the check differs from the cloud's", world.stories)
    if device.intents.keys() - device.held_back.keys():
        raise Wrong("all", f"deletions left over: {sorted(device.intents)}", world.stories)


# --- the same story with the sides swapped

_MIRROR_HERE = {
    Theirs.SAME: Mine.SAME,
    Theirs.EDITED: Mine.EDITED,
    Theirs.DELETED: Mine.FORGOTTEN,
}
_MIRROR_THERE = {Mine.SAME: Theirs.SAME, Mine.EDITED: Theirs.EDITED, Mine.FORGOTTEN: Theirs.DELETED}


def _judge_mirrored(story: Story, planner: Planner) -> None:
    """What comes of a story does not depend on which side was here."""
    if story.became_here not in _MIRROR_THERE or story.became_there not in _MIRROR_HERE:
        return
    edited_to_the_same = said(story.base) in (said(story.mine), said(story.cloud))
    if story.past is not Past.SYNCED or edited_to_the_same:
        return  # a put of the same text is a change there, and none here
    swapped = replace(
        story,
        mine=story.cloud,
        cloud=story.mine,
        became_here=_MIRROR_HERE[story.became_there],
        became_there=_MIRROR_THERE[story.became_here],
    )
    outcomes = []
    for one in (story, swapped):
        world = build_world(Setting.ORDINARY, [one], planner)
        _settle(world, random.Random(0))
        conflict = world.device.conflicts.get(one.id)
        outcomes.append((said(here(world, one.id)), said(there(world, one.id)), conflict is not None))
    if outcomes[1] != (outcomes[0][1], outcomes[0][0], outcomes[0][2]):
        raise Wrong(story.id, f"not the same from the other side: {outcomes}", story)


# --- answers stay answered


def _judge_answers(world: World, rng: random.Random) -> None:
    """Every conflict gets one of the four answers; then both sides say it, and go on saying it."""
    device = world.device
    expected: dict[str, Said | None] = {}
    for note_id, conflict in sorted(device.conflicts.items()):
        answer = _draw_answer(rng, conflict.mine)
        cloud = said(conflict.cloud.note) if conflict.cloud else None
        match answer:
            case KeepMine():
                expected[note_id] = said(conflict.mine)
            case TakeCloud():
                expected[note_id] = cloud
            case KeepBoth(new_id):
                expected[note_id] = said(conflict.mine)
                if cloud:
                    expected[new_id] = cloud
            case MergeByHand(note):
                expected[note_id] = said(note)
        device.answer(note_id, answer)
        backed_up = {said(note) for note in device.backups} | set(expected.values())
        if not {said(conflict.mine), cloud} <= backed_up | {None}:
            raise Wrong(note_id, "an answer set a version aside without a backup", conflict)
    if not expected:
        return
    _settle(world, rng)
    for note_id, text in expected.items():
        versions = said(here(world, note_id)), said(there(world, note_id))
        if versions != (text, text):
            raise Wrong(note_id, f"an answer did not stay: {text}, but {versions}", world.stories)
    if device.conflicts:
        raise Wrong("all", "a conflict came back after its answer", world.stories)


def _draw_answer(rng: random.Random, mine: Note) -> Answer:
    by_hand = replace(mine, body=f"{mine.body}\nby hand")
    answers: list[Answer] = [KeepMine(), TakeCloud(), KeepBoth(f"{mine.id}-beside"), MergeByHand(by_hand)]
    return rng.choice(answers)
