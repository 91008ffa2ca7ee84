"""The document of the endpoints says what they do."""

from typing import Any

import pytest
from starlette.routing import Route

from oharness.gateway.app import GatewayApp
from oharness.gateway.openapi import openapi_document
from oharness.testing.gateway import Gateway

pytestmark = pytest.mark.sync


def operations() -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (path, method, operation)
        for path, methods in openapi_document()["paths"].items()
        for method, operation in methods.items()
    ]


async def test_every_endpoint_in_the_document_is_there(on_sqlite: Gateway) -> None:
    routes = [route for route in GatewayApp(on_sqlite.cloud).app.routes if isinstance(route, Route)]
    served = {(route.path, method) for route in routes for method in route.methods or ()}
    assert {(path, method.upper()) for path, method, _ in operations()} <= served


@pytest.mark.parametrize(("path", "method", "operation"), operations())
async def test_an_empty_request_gets_an_answer_that_is_documented(
    on_sqlite: Gateway, path: str, method: str, operation: dict[str, Any]
) -> None:
    headers = {"content-type": "application/x-www-form-urlencoded"}
    answer = await on_sqlite.device().http.request(method, path, content=b"", headers=headers)
    assert str(answer.status_code) in operation["responses"]
    schema = operation["responses"][str(answer.status_code)]["content"]["application/json"]["schema"]
    assert set(schema.get("required", ["error"])) <= set(answer.json())
