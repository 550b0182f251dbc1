"""Addresses that the server listens on, and those it refuses."""

import socket
from pathlib import Path

import httpx2
import pytest

from sprout.addresses import allowed_hosts
from sprout.errors import SetupError
from sprout.serving import listening_socket
from tests.project.commands import run_sprout, serve_sprout


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.0.0.2"])
def test_loopback_addresses_are_listened_at(host: str) -> None:
    with listening_socket(host, 0) as listening:
        assert listening.getsockname()[1] > 0


@pytest.mark.parametrize(
    "host",
    [
        "0.0.0.0",
        "::",
        "",
        "192.0.2.1",
        "10.0.0.1",
        "::ffff:10.0.0.1",
        "example.org",
        "localhost.example.org",
        "2130706433",
    ],
)
def test_any_other_address_is_refused_with_what_to_do(host: str) -> None:
    with pytest.raises(SetupError, match="set SPROUT_HOST to") as refusal, listening_socket(host, 0):
        pass
    assert "SPROUT_PUBLISHED_ON_LOOPBACK" in str(refusal.value)


def test_a_localhost_that_leads_elsewhere_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    class Elsewhere(socket.socket):
        def getsockname(self) -> tuple[str, int]:
            return "192.0.2.1", 8000

    monkeypatch.setattr("sprout.serving.socket.socket", Elsewhere)
    with pytest.raises(SetupError), listening_socket("localhost", 0):
        pass


def test_a_container_listens_everywhere_once_its_operator_vouches_for_the_port() -> None:
    with listening_socket("0.0.0.0", 0, published_on_loopback=True) as listening:
        assert listening.getsockname()[0] == "0.0.0.0"


def test_an_address_that_means_every_one_is_not_a_name_of_this_server() -> None:
    assert "0.0.0.0" not in allowed_hosts("0.0.0.0")
    assert "[::]" not in allowed_hosts("::")
    assert allowed_hosts("127.0.0.2")[-1] == "127.0.0.2"


async def test_serving_on_every_address_is_one_clear_line_and_exit_code_1(tmp_path: Path) -> None:
    ran = await run_sprout("serve", folder=tmp_path, SPROUT_HOST="0.0.0.0", SPROUT_PORT="0")
    assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
    assert "SPROUT_PUBLISHED_ON_LOOPBACK=true" in ran.err


async def test_in_a_container_the_server_answers_to_this_machines_names_only_but_its_probes(tmp_path: Path) -> None:
    settings = {"SPROUT_HOST": "0.0.0.0", "SPROUT_PORT": "0", "SPROUT_PUBLISHED_ON_LOOPBACK": "true"}
    async with serve_sprout("serve", folder=tmp_path, **settings) as (_, address), httpx2.AsyncClient() as client:
        assert (await client.get(f"{address}/api/health")).status_code == 200
        for host in ("evil.example", "0.0.0.0", "sprout"):
            answer = await client.get(f"{address}/api/health", headers={"Host": host})
            assert answer.status_code == 400
        for host, status in {
            "web-1:8000": 200,
            "172.18.0.5:8000": 200,
            "[fd00::5]:8000": 200,
            "evil.example": 400,
        }.items():
            answer = await client.get(f"{address}/metrics", headers={"Host": host})
            assert answer.status_code == status, host
        answer = await client.post(f"{address}/api/branches", json={}, headers={"Origin": "https://evil.example"})
        assert answer.status_code == 403
