"""Tokens lie in the system's keyring or in a file that nobody else can read, and never in both."""

import stat
from pathlib import Path

import pytest

from oharness.disk.credentials_file import Credentials
from oharness.disk.filesystem import FileSystem
from oharness.disk.home import Home
from oharness.disk.token_store import KeyringFailed, SignInBusy, TokenStore, system_keyring

pytestmark = pytest.mark.sync

FILES = FileSystem()
ANN = Credentials("https://cloud.example", "https://sync.example", "ann", "access", "refresh", "https://c.example/t", 7)
BOB = Credentials("https://cloud.example", "https://sync.example", "bob", "other")


class KeyringOfTest:
    """A keyring in memory; `takes` characters at most, and nothing at all while it is locked."""

    def __init__(self, takes: int = 100_000) -> None:
        self.secrets: dict[str, str] = {}
        self.takes = takes
        self.locked = False

    def get(self, name: str) -> str | None:
        self._check()
        return self.secrets.get(name)

    def set(self, name: str, secret: str) -> None:
        self._check()
        self.secrets[name] = secret[: self.takes]

    def delete(self, name: str) -> None:
        self._check()
        self.secrets.pop(name, None)

    def _check(self) -> None:
        if self.locked:
            raise KeyringFailed("locked")


@pytest.fixture
def place(home: Path) -> Home:
    home.mkdir()
    (home / "cloud.json").write_text('{"url": "https://cloud.example"}')
    return Home(home)


def test_without_a_keyring_tokens_lie_in_a_file_that_nobody_else_can_read(place: Home) -> None:
    store = TokenStore(FILES, place)
    place.credentials_file.write_text("{}")
    place.credentials_file.chmod(0o644)
    store.write(ANN)
    assert store.read() == ANN
    assert stat.S_IMODE(place.credentials_file.stat().st_mode) == 0o600
    assert store.forget()
    assert not store.forget()
    assert store.read() is None


def test_with_a_keyring_no_file_holds_a_token(place: Home) -> None:
    keyring = KeyringOfTest()
    TokenStore(FILES, place).write(BOB)
    store = TokenStore(FILES, place, lambda: keyring)
    store.write(ANN)
    assert store.read() == ANN
    assert not place.credentials_file.exists()
    assert not any("refresh" in path.read_text() for path in place.root.rglob("*") if path.is_file())


@pytest.mark.parametrize("keyring", [KeyringOfTest(takes=50), KeyringOfTest(takes=0)])
def test_a_keyring_that_does_not_keep_what_it_is_given_is_not_used(place: Home, keyring: KeyringOfTest) -> None:
    store = TokenStore(FILES, place, lambda: keyring)
    store.write(ANN)
    assert store.read() == ANN
    assert place.credentials_file.exists()
    assert keyring.secrets == {}


def test_a_locked_keyring_at_sign_in_leaves_the_file(place: Home) -> None:
    keyring = KeyringOfTest()
    keyring.locked = True
    store = TokenStore(FILES, place, lambda: keyring)
    store.write(ANN)
    assert store.read() == ANN


def test_a_locked_keyring_is_said_so_and_is_no_sign_out(place: Home) -> None:
    keyring = KeyringOfTest()
    store = TokenStore(FILES, place, lambda: keyring)
    store.write(ANN)
    keyring.locked = True
    with pytest.raises(KeyringFailed):
        store.read()
    keyring.locked = False
    assert store.read() == ANN


def test_signing_out_removes_the_tokens_from_both(place: Home) -> None:
    keyring = KeyringOfTest()
    TokenStore(FILES, place, lambda: keyring).write(ANN)
    TokenStore(FILES, place).write(BOB)
    assert TokenStore(FILES, place, lambda: keyring).forget()
    assert keyring.secrets == {}
    assert not place.credentials_file.exists()


def test_newer_tokens_stay_where_the_older_ones_lie(place: Home) -> None:
    keyring = KeyringOfTest()
    TokenStore(FILES, place).write(ANN)
    store = TokenStore(FILES, place, lambda: keyring)
    store.replace(BOB)
    assert place.credentials_file.exists()
    assert keyring.secrets == {}
    place.credentials_file.unlink()
    store.replace(BOB)
    assert list(keyring.secrets) == [str(place.root)]


def test_a_home_where_nobody_ever_signed_in_asks_no_keyring(home: Path) -> None:
    def find() -> None:
        raise AssertionError("asked")

    assert TokenStore(FILES, Home(home), find).read() is None
    assert not TokenStore(FILES, Home(home), find).forget()
    assert not home.exists()


@pytest.mark.parametrize("with_keyring", [True, False])
def test_another_process_sees_that_somebody_signed_in_or_out(place: Home, with_keyring: bool) -> None:
    keyring = KeyringOfTest() if with_keyring else None
    store = TokenStore(FILES, place, lambda: keyring)
    stamps = [store.stamp()]
    store.write(ANN)
    stamps.append(store.stamp())
    store.forget()
    stamps.append(store.stamp())
    assert stamps[0] != stamps[1] != stamps[2]
    assert store.stamp() == stamps[-1]


def test_what_a_keyring_gives_back_broken_is_nobody(place: Home) -> None:
    keyring = KeyringOfTest()
    for broken in ("", "{", "[]", '{"cloud": "x"}', '{"cloud": 1, "syncUrl": 2, "userId": 3, "accessToken": 4}'):
        keyring.secrets[str(place.root)] = broken
        assert TokenStore(FILES, place, lambda: keyring).read() is None


def test_one_process_at_a_time_exchanges_tokens(place: Home) -> None:
    held = TokenStore(FILES, place).lock(0)
    with pytest.raises(SignInBusy):
        TokenStore(FILES, place).lock(0)
    held.release()
    TokenStore(FILES, place).lock(0).release()


def test_a_system_without_a_keyring_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    import keyring
    from keyring.backends import fail

    monkeypatch.setattr(keyring.core, "_keyring_backend", fail.Keyring())  # type: ignore[no-untyped-call]
    assert system_keyring() is None
