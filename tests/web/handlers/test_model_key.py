"""Model key over HTTP: who may enter one, what is refused, where it is kept, and the start that uses it."""

import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest
from sqlmodel import update

from harness.database.empty_sqlite import create_empty_database
from harness.servers.in_process import serve_app
from harness.servers.signed_in import serving_sign_in
from sprout.accounts.principal import FRESH_FOR, AccountRole
from sprout.app import open_app, web_dependencies
from sprout.clock import utc_now
from sprout.config import load_settings
from sprout.errors import SetupError
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.llm.model_key import ModelKey
from sprout.offline.demo.router import demo_model
from sprout.offline.server import running_offline_server
from sprout.store.schema.account_tables import AccountSession
from sprout.web.routes import web_app

KEY, OTHER_KEY = "sk-ant-zebrafinch-1", "sk-ant-zebrafinch-2"
BAD_KEYS: list[object] = [None, "", " ", "two words", "a\nb", "ключ", "k\u00e9y", "a\x7f", "a" * 301, 7, ["a"]]


@asynccontextmanager
async def start(folder: Path, **chosen: Any) -> AsyncIterator[httpx2.AsyncClient]:
    """A start of Sprout for one learner in a data folder."""
    settings = load_settings(
        **{"data_dir": folder, "api_key": None, "base_url": None, "database_url": "", "redis_url": ""} | chosen
    )
    async with (
        open_app(settings) as sprout,
        serve_app(web_app(web_dependencies(sprout))) as served,
        httpx2.AsyncClient(base_url=served.url, timeout=30) as client,
    ):
        yield client


async def model_of(client: httpx2.AsyncClient) -> tuple[bool, str | None, bool]:
    """What is told of the model: whether it is the offline one, where the key comes from, and if it waits."""
    answer = await client.get("/api/status")
    assert "zebrafinch" not in answer.text
    model = answer.json()["model"]
    return model["offline"], model["keySource"], model["keyWaitsForRestart"]


async def put(client: httpx2.AsyncClient, key: object) -> httpx2.Response:
    return await client.put("/api/model-key", json={"key": key})


def files_of_key(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("model-key*"))


async def test_a_key_is_kept_for_its_owner_alone_and_used_by_the_next_start(tmp_path: Path) -> None:
    create_empty_database(tmp_path)
    async with start(tmp_path) as client:
        assert await model_of(client) == (True, None, False)
        kept = await put(client, KEY)
        assert (kept.status_code, kept.content) == (204, b"")
        assert await model_of(client) == (True, "data_folder", True)
        assert (await client.get("/api/model-key")).status_code == 405
        archive = await client.get("/api/learner/archive")
        assert b"model-key" not in archive.content
    assert files_of_key(tmp_path) == ["model-key"]
    file = tmp_path / "model-key"
    assert file.read_text() == KEY
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    async with running_offline_server(demo_model()) as model:
        async with start(tmp_path, base_url=model.base_url, model="mine") as client:
            assert await model_of(client) == (False, "data_folder", False)
            assert (await client.post("/api/models/probe")).status_code == 200
        assert {(one.headers["x-api-key"], one.headers["authorization"]) for one in model.requests} == {
            (KEY, f"Bearer {KEY}")
        }


async def test_a_key_alone_takes_the_place_of_the_offline_model(tmp_path: Path) -> None:
    create_empty_database(tmp_path)
    async with start(tmp_path) as client:
        await put(client, KEY)
    async with start(tmp_path) as client:
        assert await model_of(client) == (False, "data_folder", False)


async def test_a_key_is_replaced_and_removed_until_a_start_finds_none(tmp_path: Path) -> None:
    create_empty_database(tmp_path)
    async with start(tmp_path) as client:
        await put(client, KEY)
    async with start(tmp_path) as client:
        assert (await put(client, OTHER_KEY)).status_code == 204
        assert await model_of(client) == (False, "data_folder", True)
        await put(client, KEY)
        assert await model_of(client) == (False, "data_folder", False), "the one in use again"
        for _ in range(2):
            assert (await client.delete("/api/model-key")).status_code == 204
        assert await model_of(client) == (False, None, True)
    assert files_of_key(tmp_path) == []
    async with start(tmp_path) as client:
        assert await model_of(client) == (True, None, False)


async def test_what_can_be_no_key_is_refused_and_the_kept_one_stays(tmp_path: Path) -> None:
    create_empty_database(tmp_path)
    async with start(tmp_path) as client:
        await put(client, KEY)
        for body in ({}, *({"key": bad} for bad in BAD_KEYS)):
            refused = await client.put("/api/model-key", json=body)
            assert refused.status_code in {400, 422}, body
            assert refused.json().keys() >= {"error", "code"}
        assert await model_of(client) == (True, "data_folder", True)
    assert (tmp_path / "model-key").read_text() == KEY


async def test_where_the_environment_sets_a_key_none_is_kept_beside_it(tmp_path: Path) -> None:
    create_empty_database(tmp_path)
    (tmp_path / "model-key").write_text(OTHER_KEY)
    async with start(tmp_path, api_key=KEY) as client:
        assert await model_of(client) == (False, "environment", False)
        for refused in (await put(client, "another"), await client.delete("/api/model-key")):
            assert (refused.status_code, refused.json()["code"]) == (409, "model_key_in_environment")
            assert "ANTHROPIC_API_KEY" in refused.json()["error"]
    assert (tmp_path / "model-key").read_text() == OTHER_KEY


def test_an_empty_variable_names_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "model-key").write_text(f"{KEY}\n")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "")
    settings = load_settings(data_dir=tmp_path)
    assert (settings.api_key, settings.key_source) == (KEY, "data_folder")
    assert KEY not in repr(settings)


async def test_processes_that_share_the_work_keep_no_key_and_read_none(tmp_path: Path) -> None:
    create_empty_database(tmp_path)
    of_many = ModelKey(tmp_path, None, None, many_processes=True)
    async with (
        open_app(load_settings(data_dir=tmp_path, api_key=None, base_url=None, database_url="")) as sprout,
        serve_app(web_app(replace(web_dependencies(sprout), model_key=of_many))) as served,
        httpx2.AsyncClient(base_url=served.url, timeout=30) as client,
    ):
        for refused in (await put(client, KEY), await client.delete("/api/model-key")):
            assert (refused.status_code, refused.json()["code"]) == (409, "model_key_of_many")
            assert "ANTHROPIC_API_KEY" in refused.json()["error"]
    assert files_of_key(tmp_path) == []
    (tmp_path / "model-key").write_text(KEY)
    shared = load_settings(data_dir=tmp_path, api_key=None, redis_url="redis://127.0.0.1:1")
    assert (shared.api_key, shared.key_source) == (None, None)


def test_a_file_that_others_may_read_is_closed_to_them(tmp_path: Path) -> None:
    file = tmp_path / "model-key"
    file.write_text(KEY)
    file.chmod(0o644)
    assert load_settings(data_dir=tmp_path, api_key=None).api_key == KEY
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize("content", [b"", b"two words", b"\xff\xfe", b"zebrafinch" * 31])
def test_a_file_without_a_key_stops_the_start_with_what_to_do(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "model-key").write_bytes(content)
    with pytest.raises(SetupError, match="Remove the file and enter the key again") as refused:
        load_settings(data_dir=tmp_path, api_key=None)
    assert "zebrafinch" not in str(refused.value)
    assert load_settings(data_dir=tmp_path, api_key=KEY).key_source == "environment"


async def test_a_file_that_cannot_be_written_is_told_and_what_was_kept_stays(tmp_path: Path) -> None:
    create_empty_database(tmp_path)
    (tmp_path / "model-key.new").mkdir()  # in its place
    async with start(tmp_path) as client:
        refused = await put(client, KEY)
        assert (refused.status_code, refused.json()["code"]) == (503, "model_key_not_written")
        assert await model_of(client) == (True, None, False)
        assert KEY not in refused.text


async def test_what_a_crash_left_of_a_key_is_gone_with_the_next_change(tmp_path: Path) -> None:
    left = tmp_path / "model-key.new"
    left.write_text(OTHER_KEY)
    key = ModelKey(tmp_path, None, None, many_processes=False)
    await key.keep(KEY)
    assert (files_of_key(tmp_path), (tmp_path / "model-key").read_text()) == (["model-key"], KEY)
    left.write_text(OTHER_KEY)
    await key.forget()
    assert files_of_key(tmp_path) == []


async def test_Z2_with_accounts_the_owner_alone_enters_a_key_in_person_and_after_a_fresh_sign_in(
    tmp_path: Path,
) -> None:
    create_empty_database(tmp_path)
    async with serving_sign_in(tmp_path) as server:
        for name, role in (("anna", AccountRole.LEARNER), ("theo", AccountRole.TEACHER), ("olga", AccountRole.OWNER)):
            await server.add_person(name, role)
        nobody, olga = await server.browser(), await server.sign_in("olga")
        asked = {"name": "curl", "scopes": ["read", "learn", "admin"]}
        token = (await olga.post("/api/account/tokens", json=asked)).json()["token"]
        refused = [
            (nobody, 401, "not_signed_in"),
            (await server.sign_in("anna"), 403, "missing_right"),
            (await server.sign_in("theo"), 403, "missing_right"),
            (await server.with_token(token), 403, "missing_right"),
        ]
        for client, status, code in refused:
            for answer in (await put(client, KEY), await client.delete("/api/model-key")):
                assert (answer.status_code, answer.json()["code"]) == (status, code)
        assert (await put(olga, KEY)).status_code == 204
        assert (await olga.get("/api/status")).json()["model"]["keySource"] == "data_folder"
        back = update(AccountSession).values(created_at=utc_now() - FRESH_FOR - timedelta(seconds=1))
        await server.sprout.database.write_tx(lambda tx: tx.connection.execute(back).close())
        for answer in (await put(olga, OTHER_KEY), await olga.delete("/api/model-key")):
            assert (answer.status_code, answer.json()["code"]) == (403, "sign_in_again")
    assert (tmp_path / "model-key").read_text() == KEY


async def test_the_security_log_says_who_set_and_who_removed_the_key_and_from_where_but_not_the_key(
    tmp_path: Path,
) -> None:
    create_empty_database(tmp_path)
    async with serving_sign_in(tmp_path) as server:
        olga_id = await server.add_person("olga", AccountRole.OWNER)
        olga = await server.sign_in("olga")
        assert (await put(olga, "two words")).status_code == 400
        for _ in range(2):  # the second finds nothing to remove
            assert (await olga.delete("/api/model-key")).status_code == 204
        assert await key_events(olga) == []
        await put(olga, KEY)
        await put(olga, OTHER_KEY)
        await olga.delete("/api/model-key")
        removed, replaced, first = await key_events(olga)
        assert [one["kind"] for one in (first, replaced, removed)] == [*["model_key_set"] * 2, "model_key_removed"]
        assert all(one["actorId"] == olga_id and one["userId"] is None and one["address"] for one in (first, removed))
        told = (await olga.get("/api/security-log")).text + (await olga.get("/api/security-log.csv")).text
        assert "zebrafinch" not in told


async def test_without_sign_in_the_one_learner_is_in_the_log(tmp_path: Path) -> None:
    create_empty_database(tmp_path)
    async with start(tmp_path) as client:
        await put(client, KEY)
        (event,) = await key_events(client)
        assert (event["kind"], event["actorId"], event["address"]) == ("model_key_set", DEFAULT_USER_ID, "127.0.0.1")


async def key_events(client: httpx2.AsyncClient) -> list[dict[str, Any]]:
    """The events of the log about the model key, newest first."""
    events = (await client.get("/api/security-log")).json()
    return [one for one in events if one["kind"].startswith("model_key")]
