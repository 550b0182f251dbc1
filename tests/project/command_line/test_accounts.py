"""The commands about accounts, and a server on which people sign in, as they are started."""

import re
from pathlib import Path

import httpx2
import pytest
from pydantic import ValidationError

from harness.servers.chosen_settings import ChosenSettings
from tests.project.commands import run_sprout, serve_sprout

PASSWORD = "Blau-Tasse-Fjord"
SIGN_IN = {"SPROUT_AUTH": "password", "SPROUT_PORT": "0"}


async def test_an_owner_gets_a_link_takes_what_was_learned_and_gives_it_back(tmp_path: Path) -> None:
    seeded = tmp_path / "path.yaml"
    seeded.write_text("sprout_path: 1\ntitle: Light\ntopic: {title: Light}\nconcepts: []\n", encoding="utf-8")
    assert (await run_sprout("seed", str(seeded), folder=tmp_path)).code == 0
    nobody = await run_sprout("adopt", "olga", folder=tmp_path)
    assert (nobody.code, "There is no account 'olga'" in nobody.err) == (1, True)
    made = await run_sprout("owner", "olga", "--link", folder=tmp_path)
    link = re.search(r"http://127\.0\.0\.1:8000/password#([\w-]{43})", made.out)
    assert link is not None, made.out + made.err
    assert "SPROUT_AUTH=password" in made.out
    adopted = await run_sprout("adopt", "Olga", folder=tmp_path)
    assert re.search(r"2 rows now belong to olga\.\n  1 branches\n  1 nodes", adopted.out), adopted.out + adopted.err
    async with serve_sprout("serve", folder=tmp_path, **SIGN_IN) as (_, address):
        async with httpx2.AsyncClient(base_url=address, headers={"Origin": address}) as browser:
            assert (await browser.get("/api/branches")).status_code == 401
            body = {"code": link[1], "password": PASSWORD}
            assert (await browser.post("/api/sign-in/password", json=body)).status_code == 200
            assert [one["title"] for one in (await browser.get("/api/branches")).json()] == ["Light"]
    back = await run_sprout("adopt", "olga", "--back", folder=tmp_path)
    assert "2 rows now belong to the one learner" in back.out, back.out + back.err
    async with serve_sprout("serve", "--port", "0", folder=tmp_path) as (_, address):
        async with httpx2.AsyncClient(base_url=address) as local:
            assert [one["title"] for one in (await local.get("/api/branches")).json()] == ["Light"]
            assert (await local.get("/api/sign-in")).json() == {
                "methods": [],
                "setUp": False,
                "provider": "",
                "recovery": False,
            }
            assert (await local.post("/api/sign-in", json={"name": "olga", "password": PASSWORD})).status_code == 404


async def test_a_password_is_asked_for_on_a_terminal_alone(tmp_path: Path) -> None:
    refused = await run_sprout("owner", "olga", folder=tmp_path)
    assert (refused.code, "--link" in refused.err) == (1, True)


async def test_the_first_start_prints_where_the_owner_is_made_and_later_ones_do_not(tmp_path: Path) -> None:
    async with serve_sprout("serve", folder=tmp_path, **SIGN_IN) as (process, address):
        assert process.stdout is not None
        printed = ""
        while (code := re.search(r"Create one, once: http://127\.0\.0\.1:\d+/set-up#([\w-]{43})\n", printed)) is None:
            line = await process.stdout.readline()
            assert line, printed
            printed += line.decode()
        async with httpx2.AsyncClient(base_url=address, headers={"Origin": address}) as browser:
            assert (await browser.get("/api/sign-in")).json() == {
                "methods": ["password"],
                "setUp": True,
                "provider": "",
                "recovery": False,
            }
            body = {"code": code[1], "name": "olga", "password": PASSWORD}
            assert (await browser.post("/api/sign-in/set-up", json=body)).status_code == 201
            assert (await browser.get("/api/account")).json()["role"] == "owner"
            assert (await browser.get("/api/sign-in")).json()["setUp"] is False


async def test_settings_that_cannot_be_meant_are_refused(tmp_path: Path) -> None:
    for settings, words in (
        ({"SPROUT_AUTH": "magic"}, "auth"),
        ({"SPROUT_AUTH": "password", "SPROUT_PUBLIC_URL": "http://sprout.example"}, "https"),
        ({"SPROUT_AUTH": "password", "SPROUT_PUBLIC_URL": "https://sprout.example/path"}, "without a path"),
        ({"SPROUT_AUTH": "password", "SPROUT_HOST": "0.0.0.0"}, "SPROUT_PUBLIC_URL"),
        ({"SPROUT_PUBLIC_URL": "https://sprout.example", "SPROUT_HOST": "0.0.0.0"}, "SPROUT_AUTH"),
    ):
        refused = await run_sprout("serve", folder=tmp_path, **settings)
        assert (refused.code, words in refused.err) == (1, True), refused.err


OIDC = {"issuer": "https://idp.example/realms/school", "client_id": "sprout", "client_secret": "secret"}


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"auth": "passkey"}, "must be known"),
        ({"auth": "password,oidc", "oidc": OIDC}, "must be known"),
        ({"auth": "passkey", "public_url": "http://127.0.0.1:8000"}, "http://localhost:8000"),
        ({"auth": "oidc", "public_url": "https://sprout.example"}, "SPROUT_OIDC__ISSUER"),
        ({"auth": "oidc", "public_url": "https://sprout.example", "oidc": {**OIDC, "client_secret": " "}}, "SECRET"),
        ({"oidc": {**OIDC, "issuer": "http://idp.example"}}, "https address"),
    ],
    ids=str,
)
def test_ways_to_sign_in_that_lack_something_are_refused(settings: dict[str, object], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        ChosenSettings.model_validate(settings)


def test_ways_to_sign_in_are_named_with_commas_and_their_secret_is_not_shown() -> None:
    settings = ChosenSettings.model_validate(
        {"auth": "oidc, passkey,oidc", "public_url": "https://sprout.example", "oidc": OIDC}
    )
    assert settings.auth == ("oidc", "passkey")
    assert settings.has_network_sign_in
    assert "client_secret" not in repr(settings)
