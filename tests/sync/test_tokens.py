"""Tokens are exchanged by one process for all, before they run out, and a lost answer signs nobody out."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from pathlib import Path

import httpx2
import pytest

from oharness.core.errors import StorageFailed
from oharness.disk.cloud_file import write_cloud_url
from oharness.disk.credentials_file import Credentials
from oharness.disk.filesystem import FileSystem
from oharness.disk.home import Home
from oharness.disk.token_store import TokenStore
from oharness.sync.account import KeptTokens, SignInPlace, sign_out
from oharness.sync.cloud_forms import CloudForms
from oharness.sync.transport import ServiceUnreachable
from oharness.testing.clock import START_MS, FakeClock
from oharness.testing.faults import FaultyFileSystem, read_only_below
from oharness.testing.gateway import ORIGIN, DeviceClient, Gateway, open_gateway
from oharness.testing.randomness import SeededRandomness

pytestmark = pytest.mark.sync

DAY_S = 86_400
Answering = Callable[[httpx2.Request], None]


class Line(httpx2.AsyncBaseTransport):
    """The way to the gateway: counts, and may break before the request or after it was answered."""

    def __init__(self, gateway: Gateway) -> None:
        self.exchanges = 0
        self.down = False
        self.loses_answers = 0
        self.on_the_way: Callable[[], None] = lambda: None
        self._through = gateway.transport

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if self.down:
            raise httpx2.ConnectError("nobody there")
        self.exchanges += request.url.path == "/oauth/token"
        answer = await self._through.handle_async_request(request)
        body = await answer.aread()
        self.on_the_way()
        if self.loses_answers:
            self.loses_answers -= 1
            raise httpx2.ReadError("broken off")
        return httpx2.Response(answer.status_code, headers=answer.headers, content=body)


@dataclass
class Laptop:
    """A device that is signed in, whose home two processes may use."""

    place: SignInPlace
    line: Line
    clock: FakeClock
    gateway: Gateway

    @property
    def kept(self) -> Credentials:
        kept = self.place.store.read()
        assert kept is not None
        return kept

    def process(self) -> KeptTokens:
        return self.place.tokens()

    async def is_signed_in_at_the_gateway(self) -> bool:
        device = self.gateway.device()
        device.refresh_token = self.kept.refresh_token
        async with device.http:
            return await device.refresh() == ""


@pytest.fixture
async def laptop(home: Path, tmp_path: Path) -> AsyncIterator[Laptop]:
    there, here = FakeClock(), FakeClock()
    async with open_gateway(f"sqlite:///{tmp_path / 'accounts.sqlite3'}", there, SeededRandomness("g")) as gateway:
        browser = gateway.browser()
        await browser.sign_up("ann@example.com")
        device = await gateway.signed_in_device(browser)
        line = Line(gateway)
        forms = CloudForms(lambda: httpx2.AsyncClient(transport=line))
        place_of = Home(home)
        files = FileSystem()
        store = TokenStore(files, place_of)
        write_cloud_url(files, place_of, ORIGIN)
        store.write(credentials_of(device, here))
        yield Laptop(SignInPlace(files, place_of, store, here, SeededRandomness("l"), forms), line, there, gateway)
        await device.http.aclose()
        await browser.http.aclose()


def credentials_of(device: DeviceClient, clock: FakeClock) -> Credentials:
    runs_out = clock.now_ms() + 900_000
    return Credentials(
        ORIGIN,
        "https://sync.example",
        "ann",
        device.access_token,
        device.refresh_token,
        f"{ORIGIN}/oauth/token",
        runs_out,
    )


async def test_a_good_token_is_used_without_asking_anybody(laptop: Laptop) -> None:
    tokens = laptop.process()
    assert await tokens.access_token() == await tokens.access_token() == laptop.kept.access_token
    assert laptop.line.exchanges == 0


async def test_a_token_is_exchanged_before_it_runs_out(laptop: Laptop) -> None:
    before = laptop.kept
    assert isinstance(laptop.place.clock, FakeClock)
    laptop.place.clock.advance(880)
    token = await laptop.process().access_token()
    assert token == laptop.kept.access_token != before.access_token
    assert laptop.kept.refresh_token != before.refresh_token
    assert laptop.line.exchanges == 1
    assert await laptop.process().access_token() == token
    assert laptop.line.exchanges == 1


async def test_a_refused_token_is_exchanged_once_for_all_processes_of_the_home(laptop: Laptop) -> None:
    refused = laptop.kept.access_token
    got = await asyncio.gather(*(laptop.process().refreshed(refused) for _ in range(5)))
    assert len({*got}) == 1
    assert got[0] == laptop.kept.access_token != refused
    assert laptop.line.exchanges == 1
    assert await laptop.is_signed_in_at_the_gateway()


@pytest.mark.parametrize("shift_s", [-DAY_S, DAY_S])
async def test_a_clock_that_is_wrong_by_a_day_does_not_matter(laptop: Laptop, shift_s: int) -> None:
    assert isinstance(laptop.place.clock, FakeClock)
    laptop.place.clock.set_wall_clock(START_MS + shift_s * 1000)
    tokens = laptop.process()
    token = await tokens.access_token()
    assert token is not None
    newer = await tokens.refreshed(token)
    assert newer not in (None, token)
    assert await tokens.access_token() == newer
    assert laptop.line.exchanges <= 2
    assert await laptop.is_signed_in_at_the_gateway()


async def test_after_a_lost_answer_the_same_exchange_is_asked_for_again(laptop: Laptop) -> None:
    refused = laptop.kept.access_token
    laptop.line.loses_answers = 2
    for _ in range(2):
        with pytest.raises(ServiceUnreachable):
            await laptop.process().refreshed(refused)
    token = await laptop.process().refreshed(refused)
    assert token == laptop.kept.access_token != refused
    assert await laptop.is_signed_in_at_the_gateway()


async def test_a_gateway_that_is_down_leaves_the_token_that_there_is(laptop: Laptop) -> None:
    before = laptop.kept
    laptop.line.down = True
    assert isinstance(laptop.place.clock, FakeClock)
    laptop.place.clock.advance(880)
    assert await laptop.process().access_token() == before.access_token
    with pytest.raises(ServiceUnreachable):
        await laptop.process().refreshed(before.access_token)
    assert laptop.kept.refresh_token == before.refresh_token


async def test_a_refresh_token_that_is_worth_nothing_is_shown_to_the_gateway_once(laptop: Laptop) -> None:
    laptop.place.store.write(replace(laptop.kept, refresh_token="ohr.foreign"))
    refused = laptop.kept.access_token
    assert await laptop.process().refreshed(refused) is None
    assert await laptop.process().refreshed(refused) is None
    assert laptop.line.exchanges == 1
    assert laptop.kept.user_id == "ann"
    assert laptop.kept.is_used_up
    assert await laptop.process().access_token() is None  # though it would be taken for some minutes more
    assert await laptop.process().refreshed("another") is None


async def test_a_replayed_refresh_token_signs_the_device_out(laptop: Laptop) -> None:
    old = laptop.kept
    await laptop.process().refreshed(old.access_token)
    laptop.place.store.write(old)
    assert await laptop.process().refreshed(old.access_token) is None


async def test_a_token_given_by_hand_cannot_be_exchanged(laptop: Laptop) -> None:
    laptop.place.store.write(Credentials(ORIGIN, ORIGIN, "ann", "by hand"))
    tokens = laptop.process()
    assert await tokens.access_token() == "by hand"
    assert not laptop.kept.is_used_up
    assert await tokens.refreshed("by hand") is None
    assert laptop.line.exchanges == 0


async def test_on_a_read_only_disk_no_token_is_exchanged_and_lost(laptop: Laptop) -> None:
    home = laptop.place.home
    files = FaultyFileSystem(read_only_below(home.root))
    store = TokenStore(files, home)
    tokens = KeptTokens(store, laptop.place.clock, laptop.place.randomness, laptop.place.forms)
    with pytest.raises(StorageFailed):
        await tokens.refreshed(laptop.kept.access_token)
    assert laptop.line.exchanges == 0


async def test_signing_out_tells_the_gateway(laptop: Laptop) -> None:
    before = laptop.kept
    assert await sign_out(laptop.place) == before
    assert laptop.place.store.read() is None
    laptop.place.store.write(before)
    assert not await laptop.is_signed_in_at_the_gateway()


async def test_signing_out_works_without_the_gateway(laptop: Laptop) -> None:
    laptop.line.down = True
    assert await sign_out(laptop.place) is not None
    assert laptop.place.store.read() is None
    assert await sign_out(laptop.place) is None


async def test_an_exchange_under_way_does_not_undo_a_sign_out(laptop: Laptop) -> None:
    refused = laptop.kept.access_token
    leaving: list[asyncio.Task[Credentials | None]] = []

    def sign_out_meanwhile() -> None:
        if not leaving:
            leaving.append(asyncio.get_running_loop().create_task(sign_out(laptop.place)))

    laptop.line.on_the_way = sign_out_meanwhile
    await laptop.process().refreshed(refused)
    await asyncio.gather(*leaving)
    assert laptop.place.store.read() is None
    assert await laptop.process().access_token() is None


async def test_another_processs_sign_out_is_noticed(laptop: Laptop) -> None:
    tokens = laptop.process()
    assert await tokens.access_token()
    laptop.place.store.forget()
    assert await tokens.access_token() is None
    assert await tokens.refreshed("whatever") is None
