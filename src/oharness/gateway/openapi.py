"""The OpenAPI document of the endpoints that answer JSON; the pages are for people."""

from collections.abc import Mapping
from typing import Any

from oharness.gateway import oauth

_TEXT = {"type": "string"}
_COUNT = {"type": "integer", "minimum": 0}
_FAULT = {"$ref": "#/components/schemas/Fault"}


def openapi_document() -> dict[str, Any]:
    """The document, as `/openapi.json` answers it."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "oHarness Cloud gateway",
            "version": "1",
            "description": "Sign-in of devices (RFC 8628), tokens (RFC 6749), their keys (RFC 7517).",
        },
        "paths": {
            oauth.WELL_KNOWN_PATH: {
                "get": _get(
                    "wellKnown",
                    "Where everything is.",
                    _object("syncUrl", "deviceAuthorizationUrl", "tokenUrl"),
                )
            },
            oauth.JWKS_PATH: {
                "get": _get(
                    "keys",
                    "The keys that sign access tokens.",
                    {
                        "type": "object",
                        "required": ["keys"],
                        "properties": {"keys": {"type": "array", "items": _object("kty", "crv", "x", "kid", "alg")}},
                    },
                )
            },
            oauth.DEVICE_AUTHORIZATION_PATH: {
                "post": _post(
                    "deviceAuthorization",
                    "Codes for a device that wants to be signed in.",
                    {"client_id": {"const": oauth.CLIENT_ID}, "device_name": _TEXT},
                    ["client_id"],
                    _object(
                        "device_code",
                        "user_code",
                        "verification_uri",
                        "verification_uri_complete",
                        counts=("expires_in", "interval"),
                    ),
                )
            },
            oauth.TOKEN_PATH: {
                "post": _post(
                    "token",
                    "Tokens for an approved device code, or for a refresh token. `attempt` names one exchange of a "
                    "refresh token: repeated with the same name, a lost answer is given again.",
                    {
                        "grant_type": {"enum": [oauth.DEVICE_GRANT, oauth.REFRESH_GRANT]},
                        "client_id": {"const": oauth.CLIENT_ID},
                        "device_code": _TEXT,
                        "refresh_token": _TEXT,
                        "attempt": {"type": "string", "minLength": 1, "maxLength": 200},
                    },
                    ["grant_type", "client_id"],
                    _object("access_token", "token_type", "refresh_token", counts=("expires_in",)),
                )
            },
            oauth.REVOKE_PATH: {
                "post": _post(
                    "revoke",
                    "Signs out the device of a refresh token.",
                    {"client_id": {"const": oauth.CLIENT_ID}, "token": _TEXT},
                    ["client_id", "token"],
                    {"type": "object"},
                )
            },
            "/healthz": {"get": _get("healthz", "Whether the process answers.", _object("status"))},
            "/readyz": {"get": _get("readyz", "Whether the database answers.", _object("status"))},
        },
        "components": {
            "schemas": {
                "Fault": {
                    "type": "object",
                    "required": ["error"],
                    "properties": {"error": _TEXT, "error_description": _TEXT},
                }
            }
        },
    }


def _object(*texts: str, counts: tuple[str, ...] = ()) -> dict[str, Any]:
    properties = dict.fromkeys(texts, _TEXT) | dict.fromkeys(counts, _COUNT)
    return {"type": "object", "required": [*properties], "properties": properties}


def _get(name: str, summary: str, answer: Mapping[str, Any]) -> dict[str, Any]:
    return {"operationId": name, "summary": summary, "responses": _responses(answer, (503,))}


def _post(
    name: str, summary: str, fields: Mapping[str, Any], required: list[str], answer: Mapping[str, Any]
) -> dict[str, Any]:
    form = {"type": "object", "required": required, "properties": fields}
    return {
        "operationId": name,
        "summary": summary,
        "requestBody": {"required": True, "content": {"application/x-www-form-urlencoded": {"schema": form}}},
        "responses": _responses(answer, (400, 401, 413, 415, 429, 503)),
    }


def _responses(answer: Mapping[str, Any], faults: tuple[int, ...]) -> dict[str, Any]:
    content = {"200": {"description": "done", "content": {"application/json": {"schema": answer}}}}
    for status in faults:
        content[str(status)] = {"description": "a fault", "content": {"application/json": {"schema": _FAULT}}}
    return content
