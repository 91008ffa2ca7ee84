"""The endpoints that devices and sync services ask: where things are, which keys sign, codes and tokens."""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from oharness.gateway.attempts import DEVICE_CODE_FROM_ADDRESS, TooManyAttempts
from oharness.gateway.callers import caller_address, caller_group
from oharness.gateway.cloud import Cloud
from oharness.gateway.device_codes import INTERVAL_S, LIFETIME_S, NotYet
from oharness.gateway.forms import FormUnusable, read_form
from oharness.gateway.refresh import MAX_ATTEMPT_CHARS
from oharness.gateway.tokens import RefreshRefused, TokenPair

CLIENT_ID = "oharness"
WELL_KNOWN_PATH = "/.well-known/oharness"
JWKS_PATH = "/.well-known/jwks.json"
DEVICE_AUTHORIZATION_PATH = "/oauth/device_authorization"
TOKEN_PATH = "/oauth/token"  # noqa: S105 - a path
REVOKE_PATH = "/oauth/revoke"
DEVICE_PAGE_PATH = "/device"
DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
REFRESH_GRANT = "refresh_token"
_MAX_LABEL_CHARS = 60
_KEYS_FRESH_S = 300


class OAuthFault(Exception):
    """An answer that is an error, as RFC 6749 writes it."""

    def __init__(self, error: str, description: str, status: int = 400, retry_after_s: int | None = None) -> None:
        super().__init__(error)
        self.error = error
        self.description = description
        self.status = status
        self.retry_after_s = retry_after_s

    def response(self) -> Response:
        """The HTTP answer."""
        response = json_response({"error": self.error, "error_description": self.description}, self.status)
        if self.retry_after_s is not None:
            response.headers["retry-after"] = str(self.retry_after_s)
        return response


class OAuth:
    """One handler for each endpoint; they raise OAuthFault and DatabaseUnavailable."""

    def __init__(self, cloud: Cloud) -> None:
        self._cloud = cloud

    async def well_known(self, request: Request) -> Response:
        """Where everything is that a device needs."""
        public = self._cloud.settings.public_url
        return json_response(
            {
                "syncUrl": self._cloud.settings.sync_url,
                "deviceAuthorizationUrl": public + DEVICE_AUTHORIZATION_PATH,
                "tokenUrl": public + TOKEN_PATH,
            }
        )

    async def keys(self, request: Request) -> Response:
        """The keys that sign access tokens."""
        response = json_response(await self._cloud.keys.published())
        response.headers["cache-control"] = f"public, max-age={_KEYS_FRESH_S}"
        return response

    async def device_authorization(self, request: Request) -> Response:
        """Codes for a device that wants to be signed in; `device_name` is how the person will know it."""
        form = await _form(request)
        _check_client(form)
        try:
            await self._cloud.attempts.count(DEVICE_CODE_FROM_ADDRESS, caller_group(request))
        except TooManyAttempts as error:
            self._cloud.metrics.count("throttled")
            raise OAuthFault("slow_down", "Too many codes were asked for.", 429, error.retry_after_s) from error
        label = _label(form.get("device_name", ""))
        grant = await self._cloud.device_codes.ask(label, caller_address(request))
        page = self._cloud.settings.public_url + DEVICE_PAGE_PATH
        return json_response(
            {
                "device_code": grant.device_code,
                "user_code": grant.user_code,
                "verification_uri": page,
                "verification_uri_complete": f"{page}?user_code={quote(grant.user_code)}",
                "expires_in": LIFETIME_S,
                "interval": INTERVAL_S,
            }
        )

    async def token(self, request: Request) -> Response:
        """Tokens for an approved device code or for a refresh token."""
        form = await _form(request)
        _check_client(form)
        match form.get("grant_type"):
            case "urn:ietf:params:oauth:grant-type:device_code":
                return _tokens(await self._redeemed(_field(form, "device_code")))
            case "refresh_token":
                return _tokens(await self._refreshed(_field(form, "refresh_token"), form.get("attempt")))
            case None:
                raise OAuthFault("invalid_request", "grant_type is missing.")
            case _:
                raise OAuthFault("unsupported_grant_type", f"Grants are {DEVICE_GRANT} and {REFRESH_GRANT}.")

    async def revoke(self, request: Request) -> Response:
        """Signs the device of a refresh token out; anything else is answered in the same way (RFC 7009)."""
        form = await _form(request)
        _check_client(form)
        await self._cloud.tokens.end(_field(form, "token"))
        return json_response({})

    async def _redeemed(self, device_code: str) -> TokenPair:
        try:
            pair = await self._cloud.device_codes.redeem(device_code)
        except NotYet as error:
            raise OAuthFault(str(error.fault), "No tokens for this device code.") from error
        self._cloud.metrics.count("devices_signed_in")
        return pair

    async def _refreshed(self, refresh_token: str, attempt: str | None) -> TokenPair:
        if attempt is not None and not 0 < len(attempt) <= MAX_ATTEMPT_CHARS:
            raise OAuthFault("invalid_request", f"attempt has 1 to {MAX_ATTEMPT_CHARS} characters.")
        try:
            pair = await self._cloud.tokens.refreshed(refresh_token, attempt)
        except RefreshRefused as error:
            self._cloud.metrics.count("refresh_reused" if error.reused else "refresh_refused")
            raise OAuthFault("invalid_grant", "The refresh token is not valid; sign in again.") from error
        self._cloud.metrics.count("refreshes")
        return pair


def json_response(value: Mapping[str, Any], status: int = 200) -> Response:
    """A JSON answer that nobody keeps."""
    headers = {"cache-control": "no-store"}
    return Response(json.dumps(value), status_code=status, media_type="application/json", headers=headers)


async def _form(request: Request) -> Mapping[str, str]:
    try:
        return await read_form(request)
    except FormUnusable as error:
        raise OAuthFault("invalid_request", error.reason, error.status) from error


def _check_client(form: Mapping[str, str]) -> None:
    if form.get("client_id") != CLIENT_ID:
        raise OAuthFault("invalid_client", f"The client_id is {CLIENT_ID}.", 401)


def _field(form: Mapping[str, str], name: str) -> str:
    if not form.get(name):
        raise OAuthFault("invalid_request", f"{name} is missing.")
    return form[name]


def _label(text: str) -> str:
    """A device's name as it may be shown: one line of printable characters."""
    plain = "".join(character if character.isprintable() else " " for character in text)
    return " ".join(plain.split())[:_MAX_LABEL_CHARS]


def _tokens(pair: TokenPair) -> Response:
    return json_response(
        {
            "access_token": pair.access_token,
            "token_type": "Bearer",
            "expires_in": pair.expires_in_s,
            "refresh_token": pair.refresh_token,
        }
    )
