"""Signing in from a device that has no browser of its own: a code that a person approves elsewhere (RFC 8628)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from oharness.core.clock import Clock
from oharness.core.errors import Failed, Refused, WrongUsage
from oharness.protocol.errors import ProtocolBroken
from oharness.sync.account import CloudPlaces
from oharness.sync.cloud_forms import DEVICE_GRANT, CloudForms, FormRefused, Granted
from oharness.sync.http_transport import InsecureAddress, checked_origin
from oharness.sync.transport import ServiceUnreachable

DEFAULT_INTERVAL_S = 5.0
SLOWER_BY_S = 5.0
_SLOWEST_RETRY_S = 60.0
_LONGEST_LIFE_S = 1800.0
_LONGEST_CODE = 2000


@dataclass(eq=False)
class TokenNeeded(WrongUsage):
    """The address is a sync service itself, where nobody can sign in with a browser: a token has to be given."""

    address: str


@dataclass(eq=False)
class SignInDenied(Refused):
    """A person turned the sign-in down in the browser."""

    cloud: str


@dataclass(eq=False)
class SignInExpired(Failed):
    """Nobody approved the code in time."""

    cloud: str


@dataclass(frozen=True, slots=True)
class DeviceCodes:
    """What the person has to see (`address`, `user_code`), and what this device asks with. Units: seconds."""

    address: str
    address_with_code: str
    user_code: str
    device_code: str = field(repr=False)
    lasts_s: float
    interval_s: float


async def ask_for_codes(forms: CloudForms, places: CloudPlaces, device_name: str) -> DeviceCodes:
    """Codes for this device, which the person will know by its name.

    Raises: TokenNeeded; FormRefused, ServiceUnreachable, ProtocolBroken.
    """
    if not (places.device_authorization_url and places.token_url):
        raise TokenNeeded(places.cloud)
    answer = await forms.send(places.device_authorization_url, device_name=device_name)
    address, user_code, device_code = (_text(answer, key) for key in ("verification_uri", "user_code", "device_code"))
    complete = answer.get("verification_uri_complete")
    return DeviceCodes(
        address=_page(address),
        address_with_code=_page(complete) if isinstance(complete, str) else address,
        user_code=user_code,
        device_code=device_code,
        lasts_s=_seconds(answer, "expires_in", _LONGEST_LIFE_S, _LONGEST_LIFE_S),
        interval_s=_seconds(answer, "interval", DEFAULT_INTERVAL_S, _LONGEST_LIFE_S),
    )


async def wait_for_approval(forms: CloudForms, places: CloudPlaces, codes: DeviceCodes, clock: Clock) -> Granted:
    """Asks in the Cloud's rhythm until the person has answered. May be cancelled at any time.

    A Cloud that cannot be reached for a moment is asked again, more slowly.
    Raises: SignInDenied, SignInExpired; FormRefused, ProtocolBroken.
    """
    ends_at = clock.monotonic() + codes.lasts_s
    interval_s = codes.interval_s
    while True:
        await clock.sleep(min(interval_s, max(0.0, ends_at - clock.monotonic())))
        try:
            return await forms.tokens(places.token_url, grant_type=DEVICE_GRANT, device_code=codes.device_code)
        except ServiceUnreachable:
            interval_s = max(interval_s, min(interval_s * 2, _SLOWEST_RETRY_S))
        except FormRefused as refused:
            interval_s = _slower(refused, interval_s, places.cloud)
        if clock.monotonic() >= ends_at:
            raise SignInExpired(places.cloud)


def _slower(refused: FormRefused, interval_s: float, cloud: str) -> float:
    """The rhythm to go on with.

    Raises: SignInDenied, SignInExpired; the refusal, if it is final.
    """
    match refused.error:
        case "authorization_pending":
            return interval_s
        case "slow_down":
            return interval_s + SLOWER_BY_S
        case "access_denied":
            raise SignInDenied(cloud) from refused
        case "expired_token":
            raise SignInExpired(cloud) from refused
        case _:
            raise refused


def _text(answer: Mapping[str, Any], key: str) -> str:
    value = answer.get(key)
    if not isinstance(value, str) or not 0 < len(value) <= _LONGEST_CODE or not value.isprintable():
        raise ProtocolBroken(f"{key} in the answer to a sign-in")
    return value


def _page(address: str) -> str:
    """The address of a page, which is opened in the person's browser: https, or this machine."""
    parts = urlsplit(address)
    try:
        checked_origin(f"{parts.scheme}://{parts.netloc}")
    except InsecureAddress:
        raise ProtocolBroken("the address of the page to sign in on") from None
    return address


def _seconds(answer: Mapping[str, Any], key: str, default: float, most: float) -> float:
    value = answer.get(key)
    given = isinstance(value, int | float) and not isinstance(value, bool) and value > 0
    return min(float(value), most) if given and value is not None else default
