"""What self-hosting.md and the container files say is so, as far as that can be seen without a container engine."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from oharness.gateway import settings as gateway
from oharness.syncserver import settings as syncserver

pytestmark = pytest.mark.sync

ROOT = Path(__file__).resolve().parents[2]
VARIABLES = {row.variable for row in (*gateway.SETTINGS, *syncserver.SETTINGS)}
STORES = ("AWS_", "GOOGLE_", "AZURE_")
CONTAINERFILE = (ROOT / "Containerfile").read_text(encoding="utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
PAGE = (ROOT / "docs/user/self-hosting.md").read_text(encoding="utf-8")


def instructions() -> list[tuple[str, str]]:
    """Each instruction of the Containerfile with its arguments, continued lines together."""
    plain = "\n".join(line for line in CONTAINERFILE.splitlines() if not line.startswith("#"))
    lines = plain.replace("\\\n", " ").splitlines()
    return [(word, rest.strip()) for word, _, rest in (line.partition(" ") for line in lines if line.strip())]


def arguments_of(name: str) -> list[str]:
    return [rest for word, rest in instructions() if word == name]


def test_every_instruction_is_one_there_is() -> None:
    known = {"FROM", "WORKDIR", "COPY", "RUN", "ENV", "USER", "EXPOSE", "ENTRYPOINT", "CMD"}
    assert {word for word, _ in instructions()} <= known


def test_images_are_named_with_their_version_and_nothing_runs_as_root() -> None:
    for image in (rest.split()[0] for rest in arguments_of("FROM")):
        assert re.fullmatch(r"[a-z0-9./-]+:[0-9][\w.-]*", image), image
    assert arguments_of("USER")[-1] not in ("root", "0")
    last = [word for word, _ in instructions()]
    assert last.index("USER") > last.index("FROM", 1)


def test_what_is_copied_is_there() -> None:
    for rest in arguments_of("COPY"):
        if "--from=" in rest:
            continue
        *sources, _ = shlex.split(rest)
        for source in sources:
            assert (ROOT / source).exists(), source
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    assert (ROOT / ".containerignore").read_text(encoding="utf-8").split() == ignored
    assert not {"src", "requirements", "pyproject.toml", "README.md"} & set(ignored)


def test_packages_are_installed_by_their_hashes_and_nothing_is_fetched_by_hand() -> None:
    runs = " ".join(arguments_of("RUN"))
    assert "--require-hashes -r requirements/use.txt" in runs
    assert "curl" not in runs
    assert "wget" not in runs
    assert all(rest.startswith("[") for name in ("ENTRYPOINT", "CMD") for rest in arguments_of(name))


@pytest.mark.parametrize("name", ["gateway", "sync"])
def test_each_service_runs_a_command_there_is_with_variables_there_are(name: str) -> None:
    from oharness.cli.commands import ROOT as COMMANDS

    service = COMPOSE["services"][name]
    assert service["command"][0] in COMMANDS
    assert {one for one in service["environment"] if not one.startswith(STORES)} <= VARIABLES
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    for place in (volume.partition(":") for volume in service["volumes"]):
        assert place[0] in COMPOSE["volumes"]
        assert place[2] in CONTAINERFILE


def test_no_secret_stands_in_the_file_and_ports_are_open_to_this_machine_alone() -> None:
    for service in COMPOSE["services"].values():
        key = service["environment"]["OHARNESS_SYNC_ADMIN_KEY"]
        assert key.startswith("${OHARNESS_SYNC_ADMIN_KEY:?")
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", []))


def test_both_services_agree() -> None:
    cloud, sync = (COMPOSE["services"][name]["environment"] for name in ("gateway", "sync"))
    assert sync["OHARNESS_SYNC_ISSUER"] == cloud["OHARNESS_CLOUD_PUBLIC_URL"]
    assert sync["OHARNESS_SYNC_JWKS_URL"].startswith(f"http://127.0.0.1:{cloud['OHARNESS_CLOUD_PORT']}/")
    assert cloud["OHARNESS_CLOUD_SYNC_INTERNAL_URL"] == f"http://127.0.0.1:{sync['OHARNESS_SYNC_PORT']}"
    published = {port.split(":")[-1] for port in COMPOSE["services"]["gateway"]["ports"]}
    assert published == {cloud["OHARNESS_CLOUD_PORT"], sync["OHARNESS_SYNC_PORT"]}


def test_the_settings_of_the_file_can_be_read() -> None:
    def plain(values: dict[str, str]) -> dict[str, str]:
        return {name: re.sub(r"\$\{[^:}]+:[-?]([^}]*)\}", r"\1", str(value)) for name, value in values.items()}

    services = COMPOSE["services"]
    assert gateway.read_settings(plain(services["gateway"]["environment"])).port == 4322
    assert syncserver.read_settings(plain(services["sync"]["environment"])).port == 4321


def test_every_variable_that_the_page_names_is_one_there_is() -> None:
    named = set(re.findall(r"OHARNESS_(?:SYNC|CLOUD)_[A-Z_]+", PAGE))
    assert named <= VARIABLES
    assert named == VARIABLES, "each is explained"


def test_the_page_names_every_store_that_is_promised() -> None:
    for store in ("R2", "AWS", "MinIO", "SeaweedFS", "Google", "Azure", "Supabase", "Valkey".lower(), "end-to-end"):
        assert store in PAGE


def test_the_tables_of_variables_are_up_to_date() -> None:
    import importlib.util

    spec = importlib.util.spec_from_file_location("variables_pages", ROOT / "scripts/variables_pages.py")
    assert spec is not None
    assert spec.loader is not None
    pages = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(pages)
    for name, path, table in pages.TABLES:
        page = (ROOT / path).read_text(encoding="utf-8")
        assert pages.with_table(page, name, table) == page, f"{path}: run `make pages`"
