"""Reads a listing's answer while it is still arriving."""

import codecs
from contextlib import suppress

from oharness.notes.hashing import content_hash
from oharness.protocol.errors import ProtocolBroken
from oharness.protocol.snapshot import (
    LISTING_END,
    NOTES_BEGIN,
    ListedNote,
    ListedNoteShape,
    ListingAnswer,
    decode_listing_answer,
    decode_listing_around,
    read_listed_note,
)
from oharness.protocol.strict_json import NotThisShape, decode_json, read_member, shape_of

_AT_ONCE = 1 << 16
_MOST_UNREAD = 1 << 20
_BEGIN, _END = NOTES_BEGIN.decode(), LISTING_END.decode()


class ListingReader:
    """One answer. Notes that come last in it, as our own service sends them, are read as soon as each is whole.

    Whatever else comes is read when all of it is there: what `whole` gives or raises is what `decode_listing_answer`
    gives or raises, however the bytes were cut.
    Units: `at_once` is bytes that come together before anybody looks at them, `most_unread` characters of one note that
    are waited for.
    """

    def __init__(self, at_once: int = _AT_ONCE, most_unread: int = _MOST_UNREAD) -> None:
        self._at_once = at_once
        self._most_unread = most_unread
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._waiting: list[bytes] = []
        self._enough = at_once
        self._unread = ""
        self._before: str | None = None
        self.read_so_far: list[ListedNote] = []
        self._gave_up = False

    def feed(self, part: bytes) -> None:
        """Takes the next bytes."""
        if self._gave_up:
            return
        self._waiting.append(part)
        self._enough -= len(part)
        if self._enough <= 0:
            self._read(final=False)
            self._enough = max(self._at_once, len(self._unread))  # nothing is looked at again and again, byte by byte

    def whole(self, answer: bytes) -> ListingAnswer:
        """The answer, of which these are all bytes.

        Raises: ProtocolBroken.
        """
        if not self._gave_up:
            self._read(final=True)
        ends_well = not self.read_so_far or self._unread.startswith(_END[0])
        if self._before is not None and ends_well and not self._gave_up:
            with suppress(ProtocolBroken):
                return decode_listing_around((self._before + self._unread).encode(), self.read_so_far)
        return decode_listing_answer(answer)

    def _read(self, *, final: bool) -> None:
        try:
            self._unread += self._decoder.decode(b"".join(self._waiting), final)
            self._waiting.clear()
            if self._before is None:
                self._find_notes()
            if self._before is not None:
                self._read_notes()
        except (UnicodeError, NotThisShape):
            self._give_up()

    def _find_notes(self) -> None:
        at = self._unread.find(_BEGIN)
        if at >= 0:
            before = self._unread[: at + len(_BEGIN)]
            decode_json((before + _END).encode())  # or they are no member of the answer itself
            self._before, self._unread = before, self._unread[len(before) :]

    def _read_notes(self) -> None:
        at = 0
        while not self.read_so_far or self._unread.startswith(",", at):
            found = read_member(self._unread, at + 1 if self.read_so_far else at)
            if found is None:
                break
            value, at = found
            self.read_so_far.append(_with_hash(read_listed_note(shape_of(value, ListedNoteShape))))
        self._unread = self._unread[at:]
        if len(self._unread) > self._most_unread:
            self._give_up()

    def _give_up(self) -> None:
        self._gave_up = True
        self._unread, self._waiting, self.read_so_far = "", [], []


def _with_hash(entry: ListedNote) -> ListedNote:
    """The entry with the hash of its note computed, for which there is time while the rest is on its way."""
    if entry.note is not None:
        with suppress(ValueError):
            content_hash(entry.note)
    return entry
