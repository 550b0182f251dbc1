"""compose.yaml: one server by default, and with the profile `scale` every part of the distributed form."""

import re
from pathlib import Path
from typing import Any

import pytest

from sprout.yaml_loader import load_yaml
from tests.project.deploy.settings_names import unknown_settings

ROOT = Path(__file__).parents[3]
COMPOSE = load_yaml((ROOT / "compose.yaml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
SCALED = {name: service for name, service in SERVICES.items() if service.get("profiles") == ["scale"]}
SPROUT = {name: service for name, service in SERVICES.items() if "build" in service}
UPSTREAM = (ROOT / "deploy" / "nginx" / "upstream.conf").read_text()
NGINX = (ROOT / "deploy" / "nginx" / "nginx.conf").read_text()
LISTEN = (ROOT / "deploy" / "nginx" / "listen.conf").read_text()


def test_without_a_profile_there_is_one_server_and_no_other_part() -> None:
    assert SERVICES.keys() - SCALED.keys() == {"sprout"}
    assert "profiles" not in SERVICES["sprout"]


def test_X7_the_profile_has_two_web_processes_two_workers_and_what_they_need() -> None:
    assert SCALED.keys() == {"nginx", "web-1", "web-2", "worker-1", "worker-2", "migrate", "postgres", "redis"}
    commands = {name: service.get("command", ["serve"]) for name, service in SPROUT.items()}
    assert {name: command for name, (command,) in commands.items()} == {
        "sprout": "serve",
        "web-1": "serve",
        "web-2": "serve",
        "worker-1": "worker",
        "worker-2": "worker",
        "migrate": "migrate",
    }


@pytest.mark.parametrize("name", SERVICES)
def test_every_service_has_no_rights_and_limits(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["mem_limit"]
    assert service["pids_limit"]
    assert not {"privileged", "network_mode", "cap_add"} & service.keys()
    assert re.fullmatch(r"[a-z]+:[\w.-]+", service["image"])
    assert not service["image"].endswith(":latest")
    assert "build" in service or service["user"] not in ("root", "0", "0:0")  # the Dockerfile names its own
    assert all("noexec" in mount for mount in service["tmpfs"])


def test_ports_are_published_on_loopback_alone_and_those_of_the_parts_not_at_all() -> None:
    published = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    assert published == {"sprout": ["127.0.0.1:8000:8000"], "nginx": ["127.0.0.1:8080:8080"]}
    assert LISTEN.strip() == "listen 8080;"


def test_nobody_but_sprout_reaches_the_database_and_redis() -> None:
    members = {name for name, service in SERVICES.items() if "back" in service.get("networks", ["default"])}
    assert members == SCALED.keys() - {"nginx"}
    assert COMPOSE["networks"]["back"]["internal"] is True


def test_the_balancer_names_every_web_process() -> None:
    assert re.findall(r"server (\S+):8000 resolve max_fails=1", UPSTREAM) == ["web-1", "web-2"]
    assert re.findall(r"server (\S+):8000 resolve max_fails=0 backup", UPSTREAM) == ["web-1", "web-2"]
    assert SERVICES["nginx"]["volumes"] == ["./deploy/nginx:/etc/sprout:ro"]


@pytest.mark.parametrize("name", SCALED)
def test_a_service_waits_for_what_it_needs(name: str) -> None:
    waits = {other: wait["condition"] for other, wait in SERVICES[name].get("depends_on", {}).items()}
    needs = {
        "web": {"migrate": "service_completed_successfully", "redis": "service_healthy"},
        "worker": {"migrate": "service_completed_successfully", "redis": "service_healthy"},
        "migrate": {"postgres": "service_healthy"},
        "nginx": dict.fromkeys(("web-1", "web-2", "worker-1", "worker-2"), "service_healthy"),
    }
    assert waits == needs.get(name.partition("-")[0], {})


def test_what_others_wait_for_has_a_health_check() -> None:
    healthy = {
        other
        for service in SERVICES.values()
        for other, wait in service.get("depends_on", {}).items()
        if wait["condition"] == "service_healthy"
    }
    assert {name for name in healthy if "build" not in SERVICES[name] and "healthcheck" not in SERVICES[name]} == set()


def test_the_server_that_only_makes_the_database_does_not_pass_for_postgresql() -> None:
    program, *arguments = SERVICES["postgres"]["healthcheck"]["test"][1:]
    assert program == "pg_isready"
    assert arguments[arguments.index("-h") + 1] == "127.0.0.1"  # that one listens on a socket alone


def test_redis_answers_other_containers_however_its_image_was_built() -> None:
    entrypoint = SERVICES["redis"]["entrypoint"]
    assert entrypoint[entrypoint.index("--protected-mode") + 1] == "no"


def test_an_open_stream_does_not_hold_up_the_balancer_until_it_is_killed() -> None:
    (waits_s,) = re.findall(r"^worker_shutdown_timeout (\d+)s;", NGINX, flags=re.MULTILINE)
    assert int(waits_s) < int(SERVICES["nginx"]["stop_grace_period"].removesuffix("s"))


@pytest.mark.parametrize("name", SPROUT)
def test_every_setting_exists_and_the_distributed_form_is_chosen_by_two(name: str) -> None:
    given = SPROUT[name]["environment"]
    assert unknown_settings(given) == set()
    chosen = {"DATABASE_URL", "REDIS_URL"} & given.keys()
    assert chosen == {"sprout": set(), "migrate": {"DATABASE_URL"}}.get(name, {"DATABASE_URL", "REDIS_URL"})


def test_every_volume_and_network_is_declared() -> None:
    named = {
        mount.split(":")[0]
        for service in SERVICES.values()
        for mount in service.get("volumes", [])
        if not mount.startswith(".")
    }
    assert named == COMPOSE["volumes"].keys()
    assert {net for service in SCALED.values() for net in service["networks"]} == COMPOSE["networks"].keys()
