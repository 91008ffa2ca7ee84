"""The OpenAPI document of the service, made from the very shapes that requests are decoded with."""

import functools
import json
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import msgspec

from oharness.protocol.commit import COMMIT_PATH, COMMIT_SHAPES, ChangeStatus
from oharness.protocol.erase import ERASE_PATH, ERASE_SHAPES
from oharness.protocol.errors import STATUS_OF, ErrorCode
from oharness.protocol.feeds import APPEND_SHAPES, EVENTS_SHAPE, FEED_PATH, SESSIONS_SHAPE
from oharness.protocol.identity import IDENTITY_PATH, IdentityShape
from oharness.protocol.snapshot import BODIES_SHAPES, LISTING_SHAPES, POLL_SHAPES, SNAPSHOT_PATH
from oharness.protocol.versions import CURRENT, PROTOCOL_HEADER

Schema: TypeAlias = Mapping[str, Any]
_REFERENCE = "#/components/schemas/{name}"
_COMMON_CODES = (
    ErrorCode.INVALID_REQUEST,
    ErrorCode.UNAUTHORIZED,
    ErrorCode.FORBIDDEN,
    ErrorCode.ACCOUNT_CHANGED,
    ErrorCode.ACCOUNT_ERASED,
    ErrorCode.UPGRADE_REQUIRED,
    ErrorCode.RATE_LIMITED,
    ErrorCode.BUSY,
    ErrorCode.STORAGE_UNAVAILABLE,
    ErrorCode.NOT_CONFIGURED,
)
_ADMIN_CODES = (
    ErrorCode.INVALID_REQUEST,
    ErrorCode.UNAUTHORIZED,
    ErrorCode.STORAGE_UNAVAILABLE,
    ErrorCode.NOT_CONFIGURED,
)
_BODY_CODES = (ErrorCode.REQUEST_TOO_LARGE, ErrorCode.UNSUPPORTED_MEDIA_TYPE)
_COMMIT_CODES = (
    ErrorCode.MANIFEST_CHANGED,
    ErrorCode.EPOCH_CHANGED,
    ErrorCode.TOO_MANY_CHANGES,
    ErrorCode.INVALID_NOTE,
    ErrorCode.HASH_MISMATCH,
    ErrorCode.NOTE_TOO_LARGE,
    ErrorCode.TOO_MANY_NOTES,
    ErrorCode.PLAN_NOTES,
    ErrorCode.PLAN_NOTE_BYTES,
    ErrorCode.ID_CASE_COLLISION,
)


@functools.cache
def openapi_document() -> bytes:
    """The document, as `/openapi.json` answers it."""
    return json.dumps(_document(), indent=1).encode()


def _document() -> dict[str, Any]:
    shapes = [*POLL_SHAPES, *LISTING_SHAPES, *BODIES_SHAPES, *COMMIT_SHAPES, *ERASE_SHAPES, IdentityShape]
    shapes += [*APPEND_SHAPES, SESSIONS_SHAPE, EVENTS_SHAPE]
    references, components = msgspec.json.schema_components(shapes, ref_template=_REFERENCE)
    poll, poll_answer, listing, listing_answer, bodies, bodies_answer, commit, commit_answer = references[:8]
    erase, erased, identity, *feed = references[8:]
    document = {
        "openapi": "3.1.0",
        "info": {
            "title": "oHarness sync service",
            "version": str(CURRENT),
            "description": "Notes of two scopes as immutable bodies and one manifest. See sync-protocol.md.",
        },
        "paths": {
            IDENTITY_PATH: {"get": _operation("identity", "Who the token belongs to.", None, identity, _COMMON_CODES)},
            SNAPSHOT_PATH: {
                "post": _operation(
                    "snapshot",
                    "Where scopes stand, what changed in one, or bodies of notes.",
                    {"anyOf": [poll, listing, bodies]},
                    {"anyOf": [poll_answer, listing_answer, bodies_answer]},
                    (*_COMMON_CODES, *_BODY_CODES, ErrorCode.EPOCH_CHANGED),
                )
            },
            COMMIT_PATH: {
                "post": _operation(
                    "commit",
                    "Puts and deletes, each with the version that it derives from.",
                    commit,
                    commit_answer,
                    (*_COMMON_CODES, *_BODY_CODES, *_COMMIT_CODES),
                )
            },
            **_feed_paths(*feed),
            ERASE_PATH: {
                "post": {
                    "operationId": "erase",
                    "summary": "An account or a team is gone for good; for the gateway, with the admin key.",
                    "security": [{"adminKey": []}],
                    "requestBody": _body({"allOf": [erase, {"minProperties": 1}]}),
                    "responses": {"200": _response("done", erased), **_errors((*_ADMIN_CODES, *_BODY_CODES))},
                }
            },
        },
        "components": {
            "schemas": {**components, "Error": _error_schema()},
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"},
                "adminKey": {"type": "http", "scheme": "bearer"},
            },
        },
        "security": [{"token": []}],
    }
    plain: dict[str, Any] = _plain(document)
    return plain


def _feed_paths(append: Schema, appended: Schema, sessions: Schema, events: Schema) -> dict[str, Any]:
    feed = _parameter("feed", "path", {"type": "string", "pattern": "^(me|team-.+)$"})
    session = _parameter("session", "path", {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$"})
    after = _parameter("after", "query", {"type": "integer", "minimum": 0, "maximum": 2**53 - 1})
    codes = (*_COMMON_CODES, ErrorCode.TEAM_ERASED, ErrorCode.NOT_FOUND)
    append_codes = (*codes, *_BODY_CODES, ErrorCode.FEED_MOVED)
    session_path = f"{FEED_PATH}/{{feed}}/{{session}}"
    return {
        f"{FEED_PATH}/{{feed}}": {
            "parameters": [feed],
            "get": _operation("sessions", "The sessions of a feed.", None, sessions, codes),
        },
        session_path: {
            "parameters": [feed, session],
            "get": _operation("events", "Events after the first so many.", None, events, codes, after),
            "post": _operation("append", "Adds events.", append, appended, append_codes),
            "delete": _operation("forget", "Removes a session of one's own.", None, appended, codes),
        },
    }


def _parameter(name: str, place: str, schema: Schema) -> dict[str, Any]:
    return {"name": name, "in": place, "required": place == "path", "schema": schema}


def _operation(
    name: str,
    summary: str,
    request: Mapping[str, Any] | None,
    answer: Mapping[str, Any],
    codes: Iterable[ErrorCode],
    *parameters: Schema,
) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": name,
        "summary": summary,
        "parameters": [
            {
                "name": PROTOCOL_HEADER,
                "in": "header",
                "required": True,
                "schema": {"const": str(CURRENT)},
                "description": "Without it the request is one of protocol 1.",
            },
            *parameters,
        ],
        "responses": {"200": _response("done", answer), **_errors(codes)},
    }
    if request is not None:
        operation["requestBody"] = _body(request)
    return operation


def _body(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"required": True, "content": {"application/json": {"schema": schema}}}


def _errors(codes: Iterable[ErrorCode]) -> dict[str, Any]:
    by_status: dict[int, list[str]] = {}
    for code in codes:
        by_status.setdefault(STATUS_OF[code], []).append(code)
    error = {"$ref": _REFERENCE.format(name="Error")}
    return {str(status): _response(", ".join(names), error) for status, names in sorted(by_status.items())}


def _response(description: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "description": description,
        "headers": {PROTOCOL_HEADER: {"schema": {"type": "string"}}},
        "content": {"application/json": {"schema": schema}},
    }


def _error_schema() -> dict[str, Any]:
    return {
        "type": "object",
        "required": ["error"],
        "properties": {
            "error": {
                "type": "object",
                "required": ["code", "message"],
                "properties": {
                    "code": {"enum": [str(code) for code in ErrorCode]},
                    "message": {"type": "string"},
                    "retryAfter": {"type": "number", "minimum": 0},
                    "details": {"type": "object"},
                },
            }
        },
    }


def _plain(value: Any) -> Any:
    """The document with JSON Schema's own pattern ends, and component names without our private spelling."""
    if isinstance(value, dict):
        plain = {_plain_name(key): _plain(item) for key, item in value.items()}
        if isinstance(plain.get("pattern"), str):
            plain["pattern"] = plain["pattern"].replace(r"\A", "^").replace(r"\Z", "$")
        if plain.get("title") == "Result" and "properties" in plain:
            plain["properties"]["status"] = {"enum": [str(status) for status in ChangeStatus]}
        return plain
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, str) and value.startswith(_REFERENCE.format(name="")):
        start = _REFERENCE.format(name="")
        return start + _plain_name(value.removeprefix(start))
    return _plain_name(value) if isinstance(value, str) else value


def _plain_name(text: str) -> str:
    return text.removeprefix("_").removesuffix("Shape") if text.endswith("Shape") else text
