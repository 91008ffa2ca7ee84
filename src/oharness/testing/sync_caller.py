"""Callers who speak the protocol to a service in this process, for tests of the service alone."""

from typing import Any

import httpx2

from oharness.core.clock import Millis
from oharness.core.scopes import USER_SCOPE, Scope
from oharness.notes.hashing import content_hash
from oharness.notes.note import Note
from oharness.protocol.commit import (
    COMMIT_PATH,
    Change,
    CommitAnswer,
    CommitRequest,
    Delete,
    Put,
    decode_commit_answer,
    encode_commit_request,
)
from oharness.protocol.errors import ErrorAnswer, decode_error
from oharness.protocol.identity import IDENTITY_PATH
from oharness.protocol.snapshot import (
    SNAPSHOT_PATH,
    BodiesAnswer,
    BodiesRequest,
    ListingAnswer,
    ListingRequest,
    PollAnswer,
    PollRequest,
    decode_bodies_answer,
    decode_listing_answer,
    decode_poll_answer,
    encode_snapshot_request,
)
from oharness.protocol.values import NO_EPOCH, Revision
from oharness.testing.randomness import SeededRandomness
from oharness.testing.sync_server import SyncServer


class Caller:
    """One device of one account."""

    def __init__(self, server: SyncServer, http: httpx2.AsyncClient, account: str = "ann", device: str = "d1") -> None:
        self.server = server
        self.http = http
        self.account = account
        self.device = device
        self.plan = "paid"
        self.randomness = SeededRandomness(f"{account} {device}")

    async def post(self, path: str, body: bytes, **headers: str) -> httpx2.Response:
        all_headers = self.server.headers(self.account, plan=self.plan) | headers
        return await self.http.post(path, content=body, headers=all_headers)

    async def get(self, path: str = IDENTITY_PATH, **headers: str) -> httpx2.Response:
        all_headers = self.server.headers(self.account, plan=self.plan) | headers
        return await self.http.get(path, headers=all_headers)

    async def list(self, scope: Scope = USER_SCOPE, **fields: Any) -> ListingAnswer:
        request = ListingRequest(scope, **fields)
        return decode_listing_answer(await self._body(SNAPSHOT_PATH, encode_snapshot_request(request)))

    async def poll(self, *queries: Any) -> PollAnswer:
        body = await self._body(SNAPSHOT_PATH, encode_snapshot_request(PollRequest(queries)))
        return decode_poll_answer(body)

    async def bodies(self, scope: Scope, *wanted: Any) -> BodiesAnswer:
        body = await self._body(SNAPSHOT_PATH, encode_snapshot_request(BodiesRequest(scope, wanted)))
        return decode_bodies_answer(body)

    def request(self, *changes: Change, scope: Scope = USER_SCOPE, **fields: Any) -> CommitRequest:
        defaults = {"epoch": NO_EPOCH, "device": self.device, "commit_id": self.randomness.uuid()}
        return CommitRequest(scope=scope, changes=changes, **(defaults | fields))

    async def send(self, request: CommitRequest) -> CommitAnswer:
        body = await self._body(COMMIT_PATH, encode_commit_request(request))
        return decode_commit_answer(body, request)

    async def commit(self, *changes: Change, scope: Scope = USER_SCOPE, **fields: Any) -> CommitAnswer:
        """Commits in the epoch that the scope has now."""
        if "epoch" not in fields:
            fields["epoch"] = (await self.list(scope, have=("0" * 64,))).epoch
        return await self.send(self.request(*changes, scope=scope, **fields))

    async def error(self, request: CommitRequest) -> ErrorAnswer:
        """The error that a commit is answered with."""
        answer = await self.post(COMMIT_PATH, encode_commit_request(request))
        assert answer.status_code >= 400, answer.text
        return error_of(answer)

    async def _body(self, path: str, body: bytes) -> bytes:
        answer = await self.post(path, body)
        assert answer.status_code == 200, answer.text
        return answer.content


def error_of(answer: httpx2.Response) -> ErrorAnswer:
    """What an answer that is no success says."""
    return decode_error(answer.status_code, answer.content, answer.headers.get("retry-after"), 0)


def note(note_id: str = "a-1", body: str = "body", **fields: Any) -> Note:
    """A note to commit."""
    defaults: dict[str, Any] = {"summary": "S", "created_at": Millis(1_789_000_000_000)}
    defaults["updated_at"] = defaults["created_at"]
    return Note(id=note_id, body=body, **(defaults | fields))


def put(content: Note, base_revision: str | None = None, base: str | None = None, *, fresh: bool = False) -> Put:
    """A put of that content."""
    revision = None if base_revision is None else Revision(base_revision)
    return Put(content.id, revision, base, content_hash(content), content, fresh)


def delete(note_id: str, base_revision: str | None, *, purge: bool = False) -> Delete:
    """A delete of that revision."""
    return Delete(note_id, None if base_revision is None else Revision(base_revision), None, purge)
