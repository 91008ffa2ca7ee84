"""A device and a cloud in which a handful of stories has just happened, everywhere at once."""

import random
from dataclasses import dataclass, replace
from enum import Enum, auto

from oharness.notes.note import Note
from oharness.reconcile.baseline import Entry, agree, with_entries
from oharness.reconcile.decide import DAMAGED, NOT_LOADED, UNREADABLE
from oharness.reconcile.guards import FolderHistory
from oharness.testing.planner.hashes import content_hash
from oharness.testing.planner.model_cloud import ModelCloud
from oharness.testing.planner.model_device import ModelDevice, Planner
from oharness.testing.planner.related_notes import Mine, Past, Story, Theirs, draw_story


class Setting(Enum):
    """What happened to the scope as a whole."""

    ORDINARY = auto()
    EXPIRED = auto()
    FIRST_SYNC = auto()
    WIPED = auto()
    RESTORED = auto()


@dataclass(slots=True)
class World:
    """One directory, one cloud scope and the stories of their notes."""

    setting: Setting
    stories: list[Story]
    device: ModelDevice
    cloud: ModelCloud

    def kept_revision(self, story: Story) -> bool:
        """Whether the cloud still has the last synced revision of a note, and not only its text."""
        same = story.became_there is Theirs.SAME
        return same and self.setting in (Setting.ORDINARY, Setting.EXPIRED, Setting.RESTORED)


_PASTS = {Setting.FIRST_SYNC: Past.NEVER_MET, Setting.WIPED: Past.BEFORE_RESET, Setting.RESTORED: Past.BEFORE_RESET}
_SETTINGS = [Setting.ORDINARY, Setting.EXPIRED, Setting.FIRST_SYNC, Setting.WIPED, Setting.RESTORED]


def draw_world(rng: random.Random, planner: Planner) -> World:
    """A world of one to five notes, now and then of many."""
    setting = rng.choices(_SETTINGS, [76, 10, 6, 4, 4])[0]
    count = 60 if rng.random() < 0.001 else rng.randrange(1, 6)
    stories = []
    for n in range(count):
        past = _PASTS.get(setting, Past.NEVER_MET if rng.random() < 0.15 else Past.SYNCED)
        stories.append(draw_story(rng, f"n-{n}", past, expired=setting is Setting.EXPIRED))
    return build_world(setting, stories, planner)


def build_world(setting: Setting, stories: list[Story], planner: Planner) -> World:
    """The stories, told in order: synced first, then here, then in the cloud."""
    device, cloud = ModelDevice(planner), ModelCloud()
    device.history = FolderHistory(met=setting is not Setting.FIRST_SYNC)
    for story in stories:
        _happened_before(story, device, cloud)
    if setting is not Setting.FIRST_SYNC:
        device.baseline = replace(device.baseline, epoch=cloud.epoch, version=cloud.version)
    for story in stories:
        _happened_here(story, device)
    if setting is Setting.WIPED:
        cloud = ModelCloud(epoch="e2")
    if setting is Setting.RESTORED:
        device.baseline = replace(device.baseline, version=cloud.version + 1000)
        cloud.revisions += 1000
    for story in stories:
        _happened_there(story, cloud)
    return World(setting, stories, device, cloud)


def _happened_before(story: Story, device: ModelDevice, cloud: ModelCloud) -> None:
    for note in (story.older, story.base):
        if note is None:
            continue
        cloud.put_elsewhere(note)
        if story.past is Past.NEVER_MET:
            continue
        entry = agree(device.baseline.entry(story.id), cloud.live[story.id].listed().version)
        entry = Entry(entry.agreed, cloud.live[story.id].listed())
        device.baseline = with_entries(device.baseline, {story.id: entry})
    if story.past is not Past.NEVER_MET and story.has_copy:
        device.copies[content_hash(story.base)] = story.base


def _happened_here(story: Story, device: ModelDevice) -> None:
    match story.became_here:
        case Mine.SAME:
            device.files[story.id] = story.base
        case Mine.EDITED:
            device.files[story.id] = story.mine
        case Mine.MADE_ON_PURPOSE:
            device.files[story.id] = story.mine
            device.made_on_purpose.add(story.id)
        case Mine.FORGOTTEN:
            device.files[story.id] = story.base
            device.forget(story.id)
        case Mine.EDITED_THEN_FORGOTTEN:
            device.files[story.id] = story.mine
            device.forget(story.id)
        case Mine.VANISHED:
            pass
        case Mine.NO_BYTES:
            device.files[story.id] = DAMAGED
        case Mine.UNREADABLE:
            device.files[story.id] = UNREADABLE
        case Mine.NOT_LOADED:
            device.files[story.id] = NOT_LOADED


def _happened_there(story: Story, cloud: ModelCloud) -> None:
    match story.became_there:
        case Theirs.SAME:
            if story.id not in cloud.live:
                cloud.put_elsewhere(story.base)
        case Theirs.PUT_AGAIN:
            cloud.put_elsewhere(story.base)
        case Theirs.EDITED | Theirs.BROKEN:
            cloud.put_elsewhere(story.cloud)
        case Theirs.DELETED:
            if story.id not in cloud.live:
                cloud.put_elsewhere(story.base)
            cloud.delete_elsewhere(story.id)
        case Theirs.EDITED_THEN_DELETED:
            cloud.put_elsewhere(story.cloud)
            cloud.delete_elsewhere(story.id)
        case Theirs.PURGED:
            cloud.delete_elsewhere(story.id)
            cloud.purge(story.id)
        case Theirs.LOST:
            cloud.live.pop(story.id, None)
            cloud.version += 1
    if story.became_there is Theirs.BROKEN:
        cloud.unreadable.add(story.id)


def here(world: World, note_id: str) -> Note | None:
    """The note that this machine has under an id."""
    file = world.device.files.get(note_id)
    return file if isinstance(file, Note) else None


def there(world: World, note_id: str) -> Note | None:
    """The note that the cloud has under an id."""
    live = world.cloud.live.get(note_id)
    return live.note if live else None
