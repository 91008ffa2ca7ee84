"""The service's environment variables, and the file with the free plan's limits."""

from pathlib import Path

import pytest

from oharness.core.clock import Clock
from oharness.core.scopes import USER_SCOPE, project_scope
from oharness.protocol.quotas import PlanLimits, Quota
from oharness.serving.variables import SettingUnusable
from oharness.syncserver.__main__ import build_service, load_entitlements, main, open_store
from oharness.syncserver.entitlements import EntitlementsBroken, read_entitlements
from oharness.syncserver.objects.folder import FolderObjects
from oharness.syncserver.objects.ram import RamObjects
from oharness.syncserver.objects.remote import RemoteObjects
from oharness.syncserver.settings import SETTINGS, read_settings
from oharness.testing.randomness import SeededRandomness

pytestmark = pytest.mark.sync

PREFIX = "OHARNESS_SYNC_"


def test_without_variables_the_defaults_hold() -> None:
    settings = read_settings({})
    assert settings.quota == Quota()
    assert (settings.host, settings.port) == ("127.0.0.1", 4321)
    assert (settings.audience, settings.issuer, settings.storage_url) == ("oharness-sync", None, None)
    assert settings == read_settings({row.variable: " " for row in SETTINGS})


def test_variables_are_read() -> None:
    settings = read_settings(
        {PREFIX + "MAX_NOTES": "7", PREFIX + "ISSUER": "https://c.example/", PREFIX + "RATE_PER_MINUTE": "0"}
    )
    assert (settings.max_notes, settings.issuer, settings.rate_per_minute) == (7, "https://c.example/", 0)


def test_every_variable_of_the_decisions_is_there() -> None:
    names = (
        "STORAGE_URL JWKS_URL JWT_SECRET ISSUER AUDIENCE ADMIN_KEY MAX_NOTES MAX_CHANGES MAX_BODY_BYTES "
        "MAX_RESPONSE_BYTES TOMBSTONE_DAYS RATE_PER_MINUTE RATE_STORE_URL HOST PORT ENTITLEMENTS"
    )
    assert {row.variable for row in SETTINGS} == {PREFIX + name for name in names.split()}


@pytest.mark.parametrize("value", ["x", "-1", "0", "1.5", "1e3", "９", "9" * 30])
def test_a_number_that_is_none_is_refused_without_quoting_it(value: str) -> None:
    with pytest.raises(SettingUnusable) as caught:
        read_settings({PREFIX + "MAX_NOTES": value})
    assert caught.value.variable == PREFIX + "MAX_NOTES"
    assert value not in str(caught.value) or value in ("0", "x")


@pytest.mark.parametrize("value", ["65536", "http", "-1"])
def test_a_port_is_a_port(value: str) -> None:
    with pytest.raises(SettingUnusable):
        read_settings({PREFIX + "PORT": value})


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("memory://", RamObjects),
        ("file:///srv/oharness", FolderObjects),
        ("file://localhost/srv/oharness", FolderObjects),
        ("s3://bucket/prefix", RemoteObjects),
        ("gs://bucket", RemoteObjects),
        ("https://account.r2.cloudflarestorage.com/bucket", RemoteObjects),
    ],
)
def test_a_storage_address_names_its_kind(url: str, kind: type, clock: Clock) -> None:
    environment = {"AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "s", "AWS_REGION": "eu-west-1"}
    assert isinstance(open_store(url, environment, clock, SeededRandomness(1)), kind)


@pytest.mark.parametrize(("url", "seconds"), [("gs://b", 1.0), ("https://a.r2.cloudflarestorage.com/b", 1.0)])
def test_stores_that_limit_writes_are_known(url: str, seconds: float, clock: Clock) -> None:
    environment = {"AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "s"}
    assert open_store(url, environment, clock, SeededRandomness(1)).min_write_interval_s == seconds


@pytest.mark.parametrize(
    "url",
    ["/srv/x", "file://", "file:///", "file://host/x", "ftp://x/y", "https://example.com/x", "r2://b", "az://c", "x"],
)
def test_an_address_of_no_storage_is_refused(url: str, clock: Clock) -> None:
    with pytest.raises(SettingUnusable) as caught:
        open_store(url, {}, clock, SeededRandomness(1))
    assert caught.value.variable == PREFIX + "STORAGE_URL"


@pytest.mark.parametrize(
    "url", ["http://keys.example/jwks", "file:///etc/passwd", "ftp://x/y", "keys", "http://10.0.0.1/jwks"]
)
def test_keys_come_over_tls_or_loopback(url: str) -> None:
    with pytest.raises(SettingUnusable) as caught:
        build_service(read_settings({PREFIX + "JWKS_URL": url}), {})
    assert caught.value.variable == PREFIX + "JWKS_URL"


@pytest.mark.parametrize("url", ["http://h", "h", "postgres://h"])
def test_a_rate_store_is_redis_or_valkey(url: str) -> None:
    with pytest.raises(SettingUnusable) as caught:
        build_service(read_settings({PREFIX + "RATE_STORE_URL": url}), {})
    assert caught.value.variable == PREFIX + "RATE_STORE_URL"


def test_a_setting_that_cannot_be_used_ends_with_a_message(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(PREFIX + "PORT", "no port")
    assert main([]) == 2
    assert PREFIX + "PORT" in capsys.readouterr().err
    monkeypatch.delenv(PREFIX + "PORT")
    assert main(["gc"]) == 2
    assert PREFIX + "STORAGE_URL" in capsys.readouterr().err


def test_the_free_plan_is_the_documented_one() -> None:
    entitlements = load_entitlements(None)
    assert entitlements.limits_of(USER_SCOPE) == PlanLimits(200, 16_384)
    assert entitlements.limits_of(project_scope("p")) == PlanLimits(200, 16_384)


def test_another_file_sets_other_limits(tmp_path: Path) -> None:
    path = tmp_path / "limits.json"
    path.write_text('{"format":1,"free":{"notesPerProject":5,"notesPerUser":6,"noteBytes":7},"more":1}')
    entitlements = load_entitlements(str(path))
    assert entitlements.limits_of(project_scope("p")) == PlanLimits(5, 7)
    assert entitlements.limits_of(USER_SCOPE) == PlanLimits(6, 7)


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(SettingUnusable):
        load_entitlements(str(tmp_path / "none.json"))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b'{"format":2,"free":{"notesPerProject":5,"notesPerUser":6,"noteBytes":7}}',
        b'{"format":1,"free":{"notesPerProject":-5,"notesPerUser":6,"noteBytes":7}}',
        b'{"format":1,"free":{"notesPerProject":5,"notesPerUser":6}}',
        b"\xff",
    ],
)
def test_a_file_that_is_no_entitlements_is_refused(data: bytes) -> None:
    with pytest.raises(EntitlementsBroken):
        read_entitlements(data)
