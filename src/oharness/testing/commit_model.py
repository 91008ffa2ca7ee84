"""Every order of events of two devices that write one note over a network that loses answers, gone through.

The service's own judgement, the planner's own decisions and the baseline's own bookkeeping, on states small enough to
be gone through breadth first: people edit, take an edit back and delete; requests are delayed past their
repetition; answers are lost; the tombstone may expire. What is looked for:

- a person's text is accepted by the cloud at most once (twice would undo what somebody did in between);
- when all is quiet both devices and the cloud say the same, or the note is in conflict;
- nothing that somebody wrote is gone unless somebody replaced or deleted it who had seen it.

`named_by_outbox` is how commits are named. `named_anew` leaves the name out, as it were: every repetition is a
commit of its own to the service, and the search finds the double apply that P-31 is there for.
"""

import hashlib
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TypeAlias, assert_never

from oharness.core.clock import Millis
from oharness.core.scopes import USER_SCOPE
from oharness.notes.note import Note
from oharness.protocol.commit import Change, ChangeResult, ChangeStatus, CommitRequest, Delete, Put
from oharness.protocol.quotas import Quota
from oharness.protocol.snapshot import ListedTombstone
from oharness.protocol.values import NO_EPOCH, Epoch, Revision
from oharness.reconcile.baseline import (
    EMPTY_ENTRY,
    NOT_IN_CLOUD,
    AgreedOn,
    Baseline,
    DeletedInCloud,
    Entry,
    InCloud,
    Listing,
    Seen,
    Version,
    after_delete,
    after_listing,
    after_put,
    agree,
    forget,
    with_entries,
)
from oharness.reconcile.decide import (
    NOT_HERE,
    Adopt,
    DeletedHere,
    DeleteHere,
    DeleteInCloud,
    Download,
    Forget,
    Here,
    HoldBack,
    HoldConflict,
    LocalSide,
    Merge,
    Nothing,
    OpenConflict,
    Refetch,
    RestoreCopy,
    StillInConflict,
    Upload,
    Vanished,
    decide,
)
from oharness.syncserver.judgement import Circumstances, CommitRefused, Judged, Replayed, judge
from oharness.syncserver.manifest import NO_MANIFEST, Manifest, decode_manifest, encode_manifest, list_changes
from oharness.syncserver.quotas import Allowance
from oharness.syncserver.tombstones import drop_old_tombstones

NOTE = "n"
DEVICES = ("a", "b")
FIRST_TEXT = "first"
_EPOCH = "e1"
_NOBODY = Millis(0)
_SETTLING_PASSES = 8


@dataclass(frozen=True, slots=True)
class Text:
    """What a file says, and whose act that was."""

    words: str
    act: str

    @property
    def hash(self) -> str:
        """Stands for the content hash."""
        return hashlib.sha256(self.words.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Outbox:
    """The one commit of a device that is not settled. `sendings` counts how often it went out."""

    name: str
    epoch: str
    change: Change
    text: Text | None
    sendings: int = 0


@dataclass(frozen=True, slots=True)
class Device:
    """One machine: the file, what sync knows, and what its person may still do."""

    name: str
    file: Text | None
    intent: DeletedHere | None = None
    epoch: str = ""
    version: int = 0
    entry: Entry = EMPTY_ENTRY
    conflict: OpenConflict | None = None
    outbox: Outbox | None = None
    commits: int = 0
    edits: int = 0


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much of everything may happen."""

    edits_each: int = 2
    lost_answers: int = 2
    late_requests: int = 1
    expiries: int = 1


@dataclass(frozen=True, slots=True)
class State:
    """Everything at one moment. `late` are requests still on their way although their sender gave up.

    `texts` are what revisions hold, `accepted` the acts whose texts the cloud has taken, `replaced` the words that
    somebody wrote or deleted over.
    """

    cloud: bytes
    devices: tuple[Device, ...]
    late: tuple[Outbox, ...] = ()
    lost_answers: int = 0
    late_requests: int = 0
    expiries: int = 0
    texts: tuple[tuple[str, Text], ...] = ()
    accepted: frozenset[str] = frozenset()
    replaced: frozenset[str] = frozenset()


Naming: TypeAlias = Callable[[Outbox], str]


def named_by_outbox(outbox: Outbox) -> str:
    """The name that the client wrote beside the changes: the same each time it is sent."""
    return outbox.name


def named_anew(outbox: Outbox) -> str:
    """A name for each sending, which tells the service nothing."""
    return f"{outbox.name}x{outbox.sendings}"


@dataclass(frozen=True, slots=True)
class Fault:
    """A state that should not be, and the events that led to it."""

    what: str
    events: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Explored:
    """How many states there are, and the shortest way to a wrong one."""

    states: int
    fault: Fault | None


@dataclass(slots=True)
class _Search:
    came_from: dict[State, tuple[State, str] | None] = field(default_factory=dict)

    def events_to(self, state: State) -> tuple[str, ...]:
        events: list[str] = []
        step = self.came_from[state]
        while step is not None:
            state, event = step
            events.append(event)
            step = self.came_from[state]
        return tuple(reversed(events))


def explore(bounds: Bounds, naming: Naming = named_by_outbox) -> Explored:
    """Goes through every state that can be reached, nearest first, until one is wrong or there are no more."""
    exchange = _Exchange(bounds, naming)
    start = exchange.start()
    search = _Search({start: None})
    waiting = deque([start])
    while waiting:
        state = waiting.popleft()
        for event, following in exchange.steps(state):
            if isinstance(following, str):
                return Explored(len(search.came_from), Fault(following, (*search.events_to(state), event)))
            if following not in search.came_from:
                search.came_from[following] = (state, event)
                waiting.append(following)
        wrong = exchange.fault_when_quiet(state)
        if wrong:
            return Explored(len(search.came_from), Fault(wrong, search.events_to(state)))
    return Explored(len(search.came_from), None)


_Steps: TypeAlias = Iterator[tuple[str, State | str]]


@dataclass(frozen=True, slots=True)
class _Exchange:
    """What can happen. A step gives the next state, or says what is wrong with it."""

    bounds: Bounds
    naming: Naming
    passes: dict[tuple[bytes, Device], Device] = field(default_factory=dict)

    def start(self) -> State:
        """Both devices have the note in sync."""
        text = Text(FIRST_TEXT, "")
        put = Put(NOTE, None, None, text.hash, _note(), fresh=False)
        request = CommitRequest(USER_SCOPE, NO_EPOCH, "maker", "0", (put,))
        verdict = judge(NO_MANIFEST, request, _circumstances())
        assert isinstance(verdict, Judged)
        revision = verdict.manifest.notes[NOTE].revision
        made = Device("", text)
        state = State(_kept(verdict.manifest), (), texts=((revision, text),))
        devices = tuple(self._passed(state, replace(made, name=name)) for name in DEVICES)
        return replace(state, devices=devices)

    def steps(self, state: State) -> _Steps:
        for number, device in enumerate(state.devices):
            yield from self._people(state, number, device)
            if device.outbox is None:
                passed = self._passed(state, device)
                if passed != device:
                    yield f"{device.name}: a pass", _with(state, number, passed)
            else:
                yield from self._sendings(state, number, device, device.outbox)
        for outbox in state.late:
            after = self._judged(state, outbox)
            left = tuple(one for one in state.late if one is not outbox)
            yield f"{outbox.name} arrives late", after if isinstance(after, str) else replace(after[0], late=left)
        if state.expiries < self.bounds.expiries and _manifest(state.cloud).tombstones:
            yield "the tombstone expires", _expired(state)

    def fault_when_quiet(self, state: State) -> str | None:
        """What is wrong once both devices have synced in turn; asked only where nothing is on its way any more."""
        if state.late or any(device.outbox for device in state.devices):
            return None
        for _ in range(_SETTLING_PASSES):
            before = state
            for number in range(len(DEVICES)):
                synced = self._synced(state, number)
                if isinstance(synced, str):
                    return synced
                state = synced
            if state == before:
                return _fault_at_rest(state)
        return "two devices do not come to rest"

    # --- people

    def _people(self, state: State, number: int, device: Device) -> _Steps:
        nobody_did_anything = not any(one.edits for one in state.devices)
        if device.edits >= self.bounds.edits_each or (number and nobody_did_anything):
            return  # both are alike, so the first act may as well be the first device's
        act = f"{device.name}{device.edits + 1}"
        following = replace(device, edits=device.edits + 1, intent=None)
        if device.file is not None:
            state = replace(state, replaced=state.replaced | {device.file.words})
        yield f"{act}: writes", _with(state, number, replace(following, file=Text(act, act)))
        if device.file is None:
            return
        if device.file.words != FIRST_TEXT:
            back = replace(following, file=Text(FIRST_TEXT, act))
            yield f"{act}: takes the first text back", _with(state, number, back)
        agreed = device.entry.agreed
        revision = agreed.version.revision if isinstance(agreed, AgreedOn) else None
        intent = DeletedHere(device.file.hash, revision)
        yield f"{act}: deletes", _with(state, number, replace(following, file=None, intent=intent))

    # --- one device and the cloud

    def _passed(self, state: State, device: Device) -> Device:
        known = self.passes.get((state.cloud, device))
        if known is None:
            known = self.passes[state.cloud, device] = self._pass(state, device)
        return known

    def _pass(self, state: State, device: Device) -> Device:
        """A listing is recorded, the decision carried out; what has to be sent is in the outbox."""
        manifest = _manifest(state.cloud)
        baseline = with_entries(Baseline(device.name, device.epoch, device.version), {NOTE: device.entry})
        listing = _listing(manifest, device.epoch, device.version)
        baseline = after_listing(baseline, listing)
        entry = baseline.entry(NOTE)
        device = replace(device, epoch=baseline.epoch, version=baseline.version, entry=entry)
        local: LocalSide = Here(device.file.hash) if device.file else device.intent or NOT_HERE
        decision = decide(entry.agreed, local, entry.seen, device.conflict)
        if not isinstance(decision, StillInConflict):
            device = replace(device, conflict=None)
        match decision:
            case Nothing() | StillInConflict():
                return device
            case Adopt(version):
                return replace(device, entry=agree(entry, version))
            case Forget():
                return replace(device, entry=forget(entry), intent=None)
            case Download(cloud):
                text = dict(state.texts)[cloud.revision]
                return replace(device, file=text, entry=agree(entry, cloud.version), intent=None)
            case DeleteHere():
                return replace(device, file=None, entry=forget(entry))
            case Merge(_, cloud) | HoldConflict(_, InCloud() as cloud):
                return replace(device, conflict=OpenConflict(_present(device.file).hash, cloud.revision))
            case HoldConflict():
                return replace(device, conflict=OpenConflict(_present(device.file).hash, None))
            case Upload(base, fresh):
                put = Put(NOTE, _revision(base), _hash(base), _present(device.file).hash, _note(), fresh)
                return _with_outbox(device, put, device.file)
            case DeleteInCloud(base, purge):
                return _with_outbox(device, Delete(NOTE, _revision(base), base.hash, purge), None)
            case Refetch() | RestoreCopy() | Vanished() | HoldBack():
                raise AssertionError(f"{decision} has no place here")
            case _:
                assert_never(decision)

    def _sendings(self, state: State, number: int, device: Device, outbox: Outbox) -> _Steps:
        sent = replace(outbox, sendings=outbox.sendings + 1)
        waiting = _with(state, number, replace(device, outbox=sent))
        judged = self._judged(waiting, sent)
        if isinstance(judged, str):
            yield f"{sent.name} is sent", judged
            return
        after, results = judged
        yield f"{sent.name} is sent and answered", _with(after, number, self._answered(after, number, results))
        if state.lost_answers < self.bounds.lost_answers:
            yield f"{sent.name} is sent, the answer is lost", replace(after, lost_answers=state.lost_answers + 1)
        if state.late_requests < self.bounds.late_requests:
            late = replace(waiting, late=(*state.late, sent), late_requests=state.late_requests + 1)
            yield f"{sent.name} is sent and late", late

    def _judged(self, state: State, outbox: Outbox) -> tuple[State, tuple[ChangeResult, ...] | None] | str:
        """The cloud after a commit with what it answers, None for another epoch; or what is wrong."""
        manifest = _manifest(state.cloud)
        device = outbox.name[0]
        request = CommitRequest(USER_SCOPE, Epoch(outbox.epoch), device, self.naming(outbox), (outbox.change,))
        verdict = judge(manifest, request, _circumstances())
        match verdict:
            case CommitRefused():
                return state, None
            case Replayed(results=results):
                return state, results
            case Judged(after, _, results):
                if after is manifest or outbox.text is None:
                    return replace(state, cloud=_kept(after)), results
                return self._accepted(replace(state, cloud=_kept(after)), outbox, outbox.text, results)
            case _:
                assert_never(verdict)

    def _accepted(
        self, state: State, outbox: Outbox, text: Text, results: tuple[ChangeResult, ...]
    ) -> tuple[State, tuple[ChangeResult, ...]] | str:
        revision = results[0].revision
        assert revision is not None
        if text.act in state.accepted:
            return f"the text of {text.act} was accepted twice"
        accepted = state.accepted | {text.act}
        return replace(state, texts=(*state.texts, (revision, text)), accepted=accepted), results

    def _answered(self, state: State, number: int, results: tuple[ChangeResult, ...] | None) -> Device:
        device = state.devices[number]
        outbox = device.outbox
        assert outbox is not None
        device = replace(device, outbox=None)
        if results is None:
            return device
        return _recorded(device, outbox.change, results[0])

    def _synced(self, state: State, number: int) -> State | str:
        """One pass to its end, with everything sent and answered."""
        device = state.devices[number]
        if device.outbox is None:
            state = _with(state, number, self._passed(state, device))
        outbox = state.devices[number].outbox
        if outbox is None:
            return state
        sent = replace(outbox, sendings=outbox.sendings + 1)
        state = _with(state, number, replace(state.devices[number], outbox=sent))
        judged = self._judged(state, sent)
        if isinstance(judged, str):
            return judged
        after, results = judged
        return _with(after, number, self._answered(after, number, results))


def _recorded(device: Device, change: Change, result: ChangeResult) -> Device:
    entry, current = device.entry, _seen(result)
    match result.status:
        case ChangeStatus.APPLIED | ChangeStatus.UNCHANGED if isinstance(change, Put):
            accepted = InCloud(change.hash, str(result.revision), result.seq or 0, 0)
            return replace(device, entry=after_put(entry, accepted))
        case ChangeStatus.APPLIED | ChangeStatus.UNCHANGED:
            if result.revision is None:
                return replace(device, entry=forget(replace(entry, seen=NOT_IN_CLOUD)), intent=None)
            gone = DeletedInCloud(str(result.hash), result.revision, result.seq or 0)
            return replace(device, entry=after_delete(entry, gone), intent=None)
        case ChangeStatus.SUPERSEDED if isinstance(change, Put):
            mine = Version(change.hash, str(result.revision))
            return replace(device, entry=agree(replace(entry, seen=current), mine))
        case ChangeStatus.SUPERSEDED:
            return replace(device, entry=forget(replace(entry, seen=current)), intent=None)
        case ChangeStatus.MISMATCH:
            return replace(device, entry=replace(entry, seen=current))
        case ChangeStatus.STALE_DELETED:
            return replace(device, file=None, entry=forget(replace(entry, seen=current)))
        case ChangeStatus.REFUSED:
            raise AssertionError("nothing is refused here")
        case _:
            assert_never(result.status)


def _seen(result: ChangeResult) -> Seen:
    current = result.current
    if current is None:
        return NOT_IN_CLOUD
    if isinstance(current, ListedTombstone):
        return DeletedInCloud(current.hash, current.revision, current.seq, current.prev)
    return InCloud(current.hash, current.revision, current.seq, current.bytes)


def _fault_at_rest(state: State) -> str | None:
    live = _manifest(state.cloud).notes.get(NOTE)
    cloud = dict(state.texts)[live.revision] if live else None
    in_conflict = [device for device in state.devices if device.conflict is not None]
    for device in state.devices:
        if device not in in_conflict and _words_or_none(device.file) != _words_or_none(cloud):
            return f"{device.name} says {_words_or_none(device.file)}, the cloud {_words_or_none(cloud)}"
    written = {text for _, text in state.texts} | {device.file for device in state.devices if device.file}
    there = {text.words for text in (cloud, *(device.file for device in in_conflict)) if text}
    for words in sorted({text.words for text in written} - there - state.replaced):
        return f"{words} is gone, and nobody who had seen it replaced it"
    return None


def _with(state: State, number: int, device: Device) -> State:
    return replace(state, devices=(*state.devices[:number], device, *state.devices[number + 1 :]))


def _with_outbox(device: Device, change: Change, text: Text | None) -> Device:
    name = f"{device.name}{device.commits + 1}"
    return replace(device, outbox=Outbox(name, device.epoch, change, text), commits=device.commits + 1)


def _listing(manifest: Manifest, epoch: str, since: int) -> Listing:
    listed = list_changes(manifest, Epoch(epoch) if epoch else None, since if epoch else None, "")
    notes = {one.id: InCloud(one.hash, one.revision, one.seq, one.bytes) for one in listed.notes}
    gone = {one.id: DeletedInCloud(one.hash, one.revision, one.seq, one.prev) for one in listed.tombstones}
    return Listing(manifest.epoch, manifest.version, listed.complete, manifest.horizon, notes, gone)


def _expired(state: State) -> State:
    manifest = _manifest(state.cloud)
    kept = drop_old_tombstones(manifest.tombstones, manifest.horizon, 1, -1)
    after = Manifest(
        format=manifest.format,
        epoch=manifest.epoch,
        version=manifest.version,
        nonce=manifest.nonce,
        written_by=manifest.written_by,
        horizon=kept.horizon,
        devices=manifest.devices,
        notes=manifest.notes,
        tombstones=kept.tombstones,
    )
    return replace(state, cloud=_kept(after), expiries=state.expiries + 1)


@lru_cache(maxsize=100_000)
def _manifest(kept: bytes) -> Manifest:
    return decode_manifest(kept)


def _kept(manifest: Manifest) -> bytes:
    return encode_manifest(manifest)


def _circumstances() -> Circumstances:
    return Circumstances(Allowance(Quota(), None), _NOBODY, _EPOCH, "", lambda position: None)


def _note() -> Note:
    """The same for all: texts are told apart by their hashes, which are the words themselves here."""
    return Note(NOTE, "S", "")


def _present(text: Text | None) -> Text:
    assert text is not None
    return text


def _words_or_none(text: Text | None) -> str | None:
    return text.words if text else None


def _revision(base: Version | None) -> Revision | None:
    return Revision(base.revision) if base else None


def _hash(base: Version | None) -> str | None:
    return base.hash if base else None
