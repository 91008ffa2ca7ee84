"""A machine that was never upgraded: it speaks protocol 1, knows notes by hash alone, and keeps everything in memory.

Written from section 8 of the protocol. It stops at the first note whose hash it cannot make out, as it should.
"""

from dataclasses import dataclass, field, replace

import httpx2

from oharness.notes.hashing import content_hash
from oharness.notes.note import Note
from oharness.protocol.commit import COMMIT_PATH, ChangeStatus
from oharness.protocol.errors import ProtocolBroken
from oharness.protocol.snapshot import SNAPSHOT_PATH
from oharness.protocol.version1 import (
    OldChange,
    OldCommitRequest,
    OldDelete,
    OldListingAnswer,
    OldListingRequest,
    OldPut,
    decode_old_commit_answer,
    decode_old_listing_answer,
    encode_old_commit_request,
    encode_old_listing_request,
)
from oharness.testing.world.ledger import Text, text_of
from oharness.testing.world.machine import ORIGIN
from oharness.testing.world.people import edited, some_id, word
from oharness.testing.world.world import World

NAME = "museum"
_GONE = "gone"


class _Failed(Exception):
    """No answer, or none that helps."""


@dataclass(slots=True, eq=False)
class OldDevice:
    """The old client of one project. `base` is the hash that both sides agreed on, by id."""

    world: World
    project_id: str
    notes: dict[str, Note] = field(default_factory=dict)
    base: dict[str, str] = field(default_factory=dict)
    in_conflict: set[str] = field(default_factory=set)
    refused: set[str] = field(default_factory=set)
    backups: list[Note] = field(default_factory=list)
    has_stopped: bool = False

    # --- its people

    def writes(self) -> None:
        """Somebody writes a note, or edits one."""
        world = self.world
        note_id = some_id(world)
        before = self.notes.get(note_id)
        after = edited(world, before) if before else Note(note_id, f"About {note_id}", f"old {word(world)}")
        after = replace(after, type=None)
        world.trace.event("writes on the old machine", NAME, note_id)
        world.ledger.wrote(text_of(before) if before else None, text_of(after))
        self.notes[note_id] = after

    def deletes(self) -> None:
        """Somebody deletes a note."""
        if self.notes:
            note_id = self.world.chance.choice(sorted(self.notes))
            self.world.trace.event("deletes on the old machine", NAME, note_id)
            self.world.ledger.vanished(text_of(self.notes.pop(note_id)), NAME)

    def takes_the_clouds(self) -> bool:
        """Somebody answers every conflict with the cloud's version; whether there was one."""
        cloud = self.world.cloud.notes()
        answered = sorted(self.in_conflict & cloud.keys())
        for note_id in answered:
            mine = self.notes.pop(note_id, None)
            self.base.pop(note_id, None)
            self.in_conflict.discard(note_id)
            if mine is not None:  # somebody may have deleted it since
                self.backups.append(mine)
                self.world.ledger.chose(text_of(cloud[note_id]), {text_of(mine)})
        return bool(answered)

    def texts(self) -> set[Text]:
        """What its notes say, and those that it set aside."""
        return {text_of(note) for note in (*self.notes.values(), *self.backups)}

    # --- sync

    async def sync(self) -> bool:
        """One pass; whether there is nothing left to do."""
        if self.has_stopped:
            return True
        try:
            listing = await self._listing()
            before = (dict(self.notes), dict(self.base), set(self.in_conflict))
            await self._commit(self._decide(listing), listing.standing.quota.max_changes)
            return before == (self.notes, self.base, self.in_conflict)
        except (_Failed, ProtocolBroken) as failed:
            self.world.trace.say(NAME, f"  {failed}")
            return False

    async def _listing(self) -> OldListingAnswer:
        have = tuple(sorted(content_hash(note) for note in self.notes.values()))
        body = encode_old_listing_request(OldListingRequest(self.project_id, have))
        return decode_old_listing_answer(await self._post(SNAPSHOT_PATH, body))

    def _decide(self, listing: OldListingAnswer) -> list[OldChange]:
        there = {listed.id: listed for listed in listing.notes}
        tombstones = {tombstone.id for tombstone in listing.tombstones}
        for listed in listing.notes:
            if listed.note is not None and content_hash(listed.note) != listed.hash:
                self.world.trace.event("old machine stops", NAME, listed.id)
                self.has_stopped = True
                return []
        changes: list[OldChange] = []
        for note_id in sorted({*there, *self.notes, *self.base}):
            live = there.get(note_id)
            cloud = live.hash if live else (_GONE if note_id in tombstones else None)
            changes += self._decide_one(note_id, cloud, live.note if live else None)
        return changes

    def _decide_one(self, note_id: str, cloud: str | None, body: Note | None) -> list[OldChange]:
        here, base = self.notes.get(note_id), self.base.get(note_id)
        mine = content_hash(here) if here else None
        self.in_conflict.discard(note_id)
        self.refused.discard(note_id)
        if cloud == mine:
            self._agree(note_id, mine)
        elif cloud in (None, _GONE):
            return self._without_cloud(note_id, cloud, here, base)
        elif here is None and base == cloud:
            return [OldDelete(note_id, base)]
        elif (here is None or mine == base) and body is not None:
            if here is not None:
                self.backups.append(here)
            self.notes[note_id] = body
            self._agree(note_id, cloud)
        elif here is not None and base == cloud:
            return [OldPut(note_id, base, here)]
        elif here is not None:
            self.in_conflict.add(note_id)
        return []

    def _without_cloud(self, note_id: str, cloud: str | None, here: Note | None, base: str | None) -> list[OldChange]:
        if here is None:
            self.base.pop(note_id, None)
        elif base is not None and content_hash(here) == base:
            self.backups.append(self.notes.pop(note_id))
            self.base.pop(note_id)
        else:
            return [OldPut(note_id, None if cloud is None else base, here)]
        return []

    async def _commit(self, changes: list[OldChange], most: int) -> None:
        for start in range(0, len(changes), most):
            part = tuple(changes[start : start + most])
            request = OldCommitRequest(self.project_id, part)
            body = await self._post(COMMIT_PATH, encode_old_commit_request(request))
            for change, result in zip(part, decode_old_commit_answer(body, request).results, strict=True):
                self._record(change, result.status)

    def _record(self, change: OldChange, status: ChangeStatus) -> None:
        self.world.trace.say(NAME, f"  {change.id} {status}")
        if status in (ChangeStatus.APPLIED, ChangeStatus.UNCHANGED):
            self._agree(change.id, content_hash(change.note) if isinstance(change, OldPut) else None)
        elif status is ChangeStatus.REFUSED:
            self.refused.add(change.id)
        elif status is ChangeStatus.STALE_DELETED:
            self.backups.append(self.notes.pop(change.id))
            self._agree(change.id, None)

    def _agree(self, note_id: str, content: str | None) -> None:
        if content is None:
            self.base.pop(note_id, None)
        else:
            self.base[note_id] = content

    async def _post(self, path: str, body: bytes) -> bytes:
        headers = {"authorization": f"Bearer {self.world.cloud.token()}", "content-type": "application/json"}
        client = httpx2.AsyncClient(transport=self.world.cloud.network.line(NAME), trust_env=False)
        try:
            answer = await client.post(ORIGIN + path, content=body, headers=headers)
        except (httpx2.TransportError, httpx2.DecodingError) as error:
            raise _Failed(type(error).__name__) from error
        if answer.status_code != 200:
            raise _Failed(f"status {answer.status_code}")
        return answer.content
