"""Errors on the wire, and `docs/protocol/vectors/error-codes.json`."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oharness.protocol.errors import (
    STATUS_OF,
    ErrorCode,
    decode_error,
    encode_error,
    error_answer,
    retry_after_seconds,
)

pytestmark = pytest.mark.sync

NOW_MS = 1_789_000_000_000
VECTORS = json.loads((Path(__file__).parents[2] / "docs/protocol/vectors/error-codes.json").read_text(encoding="utf-8"))
ANSWERS: list[dict[str, Any]] = VECTORS["answers"]


def test_every_code_has_its_status_and_stands_in_the_vectors() -> None:
    assert {entry["code"]: entry["status"] for entry in VECTORS["codes"]} == dict(STATUS_OF)
    assert set(STATUS_OF) == set(ErrorCode)


def test_every_code_stands_in_the_documentation() -> None:
    text = (Path(__file__).parents[2] / "docs/protocol/errors.md").read_text(encoding="utf-8")
    assert [code for code in ErrorCode if f"`{code}`" not in text] == []


@pytest.mark.parametrize("code", list(ErrorCode))
def test_an_error_comes_out_as_it_went_in(code: ErrorCode) -> None:
    answer = error_answer(code, "What happened.", retry_after=30.0, details={"id": "a", "limit": 5})
    assert decode_error(answer.status, encode_error(answer), None, NOW_MS) == answer


@pytest.mark.parametrize("case", ANSWERS, ids=[case["name"] for case in ANSWERS])
def test_a_client_reads_what_the_vector_says(case: dict[str, Any]) -> None:
    answer = decode_error(case["status"], case["body"].encode(), case.get("header"), NOW_MS)
    assert answer.code == case["code"]
    assert answer.retry_after == case.get("retryAfter")
    assert answer.message == case.get("message", "")
    assert dict(answer.details) == case.get("details", {})


@settings(derandomize=True, max_examples=300)
@given(st.integers(100, 599), st.binary(max_size=300), st.none() | st.text(max_size=40))
def test_whatever_comes_it_is_an_error_and_no_accident(status: int, body: bytes, header: str | None) -> None:
    answer = decode_error(status, body, header, NOW_MS)
    assert answer.status == status
    assert answer.retry_after is None or 0 <= answer.retry_after <= 3600


def test_a_message_is_cut_to_what_people_read() -> None:
    body = json.dumps({"error": {"code": "busy", "message": "x" * 10_000}}).encode()
    assert len(decode_error(503, body, None, NOW_MS).message) == 500


@pytest.mark.parametrize("header", ["", " ", "nan", "inf", "1e5", "١٢", "Thu, 99 Sep 2026", "9" * 400])
def test_a_header_that_is_no_time_is_none_or_bounded(header: str) -> None:
    seconds = retry_after_seconds(header, NOW_MS)
    assert seconds in (None, 3600.0)
