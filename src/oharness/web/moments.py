"""Times, numbers and sizes as people of a language write them."""

from datetime import UTC, datetime, timedelta

from babel import Locale
from babel.dates import format_date, format_time, format_timedelta
from babel.numbers import format_decimal
from markupsafe import Markup

_LOCALES = {"en": "en_GB", "zh_CN": "zh_Hans_CN", "pt_BR": "pt_BR", "fr": "fr_FR"}
_RELATIVE_MS = 6 * 24 * 3600 * 1000


class Moments:
    """How one language writes them, in the time zone of this machine."""

    def __init__(self, language: str) -> None:
        self._locale = Locale.parse(_LOCALES.get(language, _LOCALES["en"]))

    def ago(self, at_ms: int, now_ms: int) -> Markup:
        """How long ago, for some days, then the date; the full time shows on pointing at it."""
        if abs(at_ms - now_ms) > _RELATIVE_MS:
            return self.day(at_ms)
        past = timedelta(milliseconds=at_ms - now_ms)
        return self._element(
            at_ms, format_timedelta(past, granularity="minute", add_direction=True, locale=self._locale)
        )

    def minute(self, at_ms: int) -> Markup:
        """Date and time to the minute."""
        return self._element(at_ms, self._full(at_ms))

    def day(self, at_ms: int) -> Markup:
        """The date."""
        return self._element(at_ms, format_date(_local(at_ms), "medium", locale=self._locale))

    def number(self, number: float) -> str:
        """With the separators of the language."""
        return format_decimal(number, locale=self._locale)

    def size(self, size_bytes: int) -> str:
        """In bytes or a greater unit."""
        amount, unit = float(size_bytes), "B"
        for greater in ("KiB", "MiB", "GiB"):
            if amount < 1024:
                break
            amount, unit = amount / 1024, greater
        return f"{format_decimal(amount, format='#,##0.#', locale=self._locale)} {unit}"

    def _full(self, at_ms: int) -> str:
        at = _local(at_ms)
        return f"{format_date(at, 'medium', locale=self._locale)} {format_time(at, 'short', locale=self._locale)}"

    def _element(self, at_ms: int, told: str) -> Markup:
        iso = _utc(at_ms).isoformat(timespec="seconds")
        return Markup('<time datetime="{}" title="{}">{}</time>').format(iso, self._full(at_ms), told)


def _utc(at_ms: int) -> datetime:
    """A time beyond what a calendar can hold becomes its end."""
    try:
        return datetime.fromtimestamp(at_ms / 1000, UTC)
    except (OverflowError, OSError, ValueError):
        return datetime.max.replace(tzinfo=UTC) - timedelta(days=2) if at_ms > 0 else datetime(1970, 1, 1, tzinfo=UTC)


def _local(at_ms: int) -> datetime:
    return _utc(at_ms).astimezone()
