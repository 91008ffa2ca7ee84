"""The OpenAPI document: true for the answers of the service, and fuzzed against it with schemathesis."""

import json
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from oharness.protocol.erase import ERASE_PATH
from oharness.protocol.errors import ErrorCode
from oharness.syncserver.openapi import openapi_document
from oharness.system import SystemClock, SystemRandomness
from oharness.testing.sync_server import ADMIN_KEY, SyncServer

pytestmark = pytest.mark.sync

SERVER = SyncServer(SystemClock(), SystemRandomness())
SCHEMA = schemathesis.openapi.from_asgi("/openapi.json", SERVER.app)
CHECKS = [
    schemathesis.checks.not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


@SCHEMA.parametrize()
@settings(
    derandomize=True,
    max_examples=30,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
    database=None,
)
def test_whatever_the_document_allows_the_service_answers_as_it_says(case: Any) -> None:
    headers = SERVER.headers("fuzz")
    if case.path == ERASE_PATH:
        headers["authorization"] = f"Bearer {ADMIN_KEY}"
    response = case.call(headers=headers)
    case.validate_response(response, checks=CHECKS)


def test_the_page_is_what_the_service_answers() -> None:
    page = Path(__file__).parents[2] / "docs/protocol/openapi.json"
    assert page.read_bytes() == openapi_document() + b"\n", "run scripts/openapi_document.py"


def test_the_document_names_every_endpoint_and_every_code_of_it() -> None:
    document = json.loads(openapi_document())
    assert set(document["paths"]) == {
        "/v1/memory/identity",
        "/v1/memory/snapshot",
        "/v1/memory/commit",
        "/v1/admin/erase",
        "/v1/feed/{feed}",
        "/v1/feed/{feed}/{session}",
    }
    described = json.dumps(document)
    codes = set(ErrorCode) - {ErrorCode.METHOD_NOT_ALLOWED, ErrorCode.INTERNAL}
    assert [code for code in codes if code not in described] == []
    assert "Shape" not in described
    assert r"\\Z" not in described
