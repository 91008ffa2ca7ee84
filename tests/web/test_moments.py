"""Times and numbers as people of each language write them."""

import pytest

from oharness.language.catalogue import LANGUAGES
from oharness.web.moments import Moments

NOW = 1_790_000_000_000
HOUR = 3_600_000


@pytest.mark.parametrize(
    ("language", "told"),
    [("en", "3 hours ago"), ("zh_CN", "3小时前"), ("pt_BR", "há 3 horas"), ("fr", "il y a 3 heures")],
)
def test_what_was_today_is_told_by_how_long_ago_it_was(language: str, told: str) -> None:
    assert f">{told}</time>" in str(Moments(language).ago(NOW - 3 * HOUR, NOW))


@pytest.mark.parametrize(("language", "month"), [("en", "Sep"), ("zh_CN", "9月"), ("pt_BR", "set"), ("fr", "sept")])
def test_what_was_long_ago_is_told_by_its_date(language: str, month: str) -> None:
    assert month in str(Moments(language).ago(1_789_000_000_000, NOW))


@pytest.mark.parametrize(
    ("language", "number", "size"),
    [("en", "12,345", "1.5 KiB"), ("fr", "12\u202f345", "1,5 KiB"), ("pt_BR", "12.345", "1,5 KiB")],
)
def test_numbers_have_the_marks_of_the_language(language: str, number: str, size: str) -> None:
    moments = Moments(language)
    assert moments.number(12345) == number
    assert moments.size(1536) == size


@pytest.mark.parametrize("at_ms", [0, -1, 10**18, -(10**18), 253402300799999])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_time_that_no_calendar_holds_is_still_drawn(language: str, at_ms: int) -> None:
    assert "<time" in str(Moments(language).ago(at_ms, NOW))
    assert "<time" in str(Moments(language).minute(at_ms))
