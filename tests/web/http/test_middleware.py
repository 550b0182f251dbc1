"""Hosts, origins, headers, compression: what holds for every answer."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import func, select
from sqlmodel import Session, SQLModel

from harness.servers.web import Web, a_static_folder, serving_web
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.web.http.endpoint import AnyEndpoint
from sprout.web.http.middleware import SECURITY_HEADERS
from sprout.web.routes import ENDPOINTS

BODY = {"title": "a", "userId": DEFAULT_USER_ID}
FOREIGN = ["https://evil.example", "null", "http://localhost.evil.example", "http://localhost:3000.evil.example",
           "http://evil.example:8000", "http://127.0.0.1@evil.example", "file://", "http://", ""]  # fmt: skip


@pytest.mark.parametrize(
    "origin", ["http://localhost:3000", "http://127.0.0.1:1", "https://localhost", "http://[::1]:8000"]
)
async def test_the_local_origins_may_call(web: Web, origin: str) -> None:
    answer = await web.client.post("/api/branches", json=BODY, headers={"Origin": origin})
    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (201, origin)
    assert "X-Run-Id" in answer.headers["access-control-expose-headers"]


@pytest.mark.parametrize("origin", FOREIGN)
async def test_Z5_a_foreign_origin_may_not_change_anything(web: Web, origin: str) -> None:
    for method, address in (("POST", "/api/branches"), ("DELETE", "/api/nodes/x"), ("POST", "/api/runs/x/cancel")):
        answer = await web.client.request(
            method, address, json={**BODY, "title": "foreign"}, headers={"Origin": origin}
        )
        assert (answer.status_code, "access-control-allow-origin" in answer.headers) == (403, False)
        assert isinstance(answer.json()["error"], str)
    assert "foreign" not in {branch.title for branch in await web.paths.branches(DEFAULT_USER_ID)}


@pytest.mark.parametrize("origin", FOREIGN)
async def test_Z11_a_foreign_origin_is_given_no_answer_to_read(web: Web, origin: str) -> None:
    answer = await web.client.get("/api/health", headers={"Origin": origin})
    assert "access-control-allow-origin" not in answer.headers
    assert "origin" in answer.headers["vary"].lower()


@pytest.mark.parametrize(
    ("site", "status"),
    [("cross-site", 403), ("same-site", 403), ("Cross-Site", 403), ("x", 403), ("same-origin", 201), ("none", 201)],
)
async def test_Z5_what_a_browser_sends_for_another_page_changes_nothing_without_an_origin_too(
    web: Web, site: str, status: int
) -> None:
    answer = await web.client.post("/api/branches", json=BODY, headers={"Sec-Fetch-Site": site})
    assert answer.status_code == status


@pytest.mark.parametrize("origin", ["http://localhost:3000", "http://127.0.0.1:1"])
async def test_Z5_without_cors_origins_no_other_page_of_this_machine_may_change_anything(
    tmp_path: Path, origin: str
) -> None:
    async with serving_web(tmp_path, a_static_folder(tmp_path), cors_origins=()) as closed:
        answer = await closed.client.post("/api/branches", json=BODY, headers={"Origin": origin})
        assert (answer.status_code, "access-control-allow-origin" in answer.headers) == (403, False)
        own = closed.served.url
        assert (await closed.client.post("/api/branches", json=BODY, headers={"Origin": own})).status_code == 201


@pytest.fixture(scope="module")
async def quiet_web(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Web]:
    """A server of which tests only read, and which does nothing by itself."""
    folder = tmp_path_factory.mktemp("read")
    async with serving_web(folder, a_static_folder(folder), quiet=True) as web:
        yield web


@pytest.mark.parametrize("endpoint", [one for one in ENDPOINTS if one.method == "GET"], ids=lambda one: one.path)
async def test_Z5_nothing_is_changed_by_reading(quiet_web: Web, endpoint: AnyEndpoint) -> None:
    branch, root = await quiet_web.a_topic()
    run = await quiet_web.end(await quiet_web.a_run(root))
    by_place = {"branches": branch.id, "graphs": branch.id, "nodes": root.id, "runs": run.id}
    id_ = by_place.get(endpoint.path.split("/")[2] if endpoint.path.startswith("/api/") else "", "x")
    address = endpoint.path.replace("{id}", id_).replace("{version}", "v").replace("{path:path}", "app.js")

    def counted(session: Session) -> dict[str, int]:
        tables = SQLModel.metadata.tables
        return {name: session.connection().execute(select(func.count()).select_from(tables[name])).scalar_one()
                for name in tables}  # fmt: skip

    before = await quiet_web.database.read_orm_tx(counted)
    async with quiet_web.client.stream("GET", address, params={"userId": DEFAULT_USER_ID}) as answer:
        assert answer.status_code in (200, 204, 404, 409)  # the last where there is nothing to export
    assert await quiet_web.database.read_orm_tx(counted) == before


async def test_an_allowed_origin_may_be_cross_site(web: Web) -> None:
    headers = {"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost:3000"}
    assert (await web.client.post("/api/branches", json=BODY, headers=headers)).status_code == 201


async def test_a_preflight_is_answered_for_the_local_origins_only(web: Web) -> None:
    asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
    address = "/api/agents/topics/x/run"
    good = await web.client.options(address, headers={"Origin": "http://localhost:3000", **asked})
    assert (good.status_code, good.headers["access-control-allow-origin"]) == (204, "http://localhost:3000")
    assert "POST" in good.headers["access-control-allow-methods"]
    assert "content-type" in good.headers["access-control-allow-headers"].lower()
    bad = await web.client.options(address, headers={"Origin": "https://evil.example", **asked})
    assert [name for name in bad.headers if name.startswith("access-control")] == []


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8000", "127.0.0.1:1", "[::1]", "[::1]:8000"])
async def test_the_server_answers_to_its_own_names(web: Web, host: str) -> None:
    assert (await web.client.get("/api/health", headers={"Host": host})).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "localhost.evil.example",
        "localhost:8000:1",
        "evil@localhost",
        "localhost:x",
        "[::2]",
        "127.0.0.2",
    ],
)
async def test_Z11_any_other_host_name_is_refused(web: Web, host: str) -> None:
    for address in ("/api/health", "/", "/static/v/app.js"):
        answer = await web.client.get(address, headers={"Host": host, "X-Forwarded-Host": "localhost"})
        assert (answer.status_code, list(answer.json())) == (400, ["error", "code"])


async def test_X7_every_answer_has_the_security_headers(web: Web) -> None:
    run = await web.end(await web.a_run())
    addresses = [
        "/",
        "/docs",
        "/openapi.json",
        "/static/v/app.js",
        "/static/v/nothing.js",
        "/api/health",
        "/api/nowhere",
    ]
    for address in [*addresses, f"/api/runs/{run.id}/events"]:
        answer = await web.client.get(address)
        assert [name for name in SECURITY_HEADERS if name not in answer.headers] == [], address
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]


async def test_large_answers_are_compressed_where_it_is_asked_for(web: Web) -> None:
    for address in ("/openapi.json", "/static/v/app.js"):
        assert (await web.client.get(address)).headers["content-encoding"] == "gzip"
        plain = await web.client.get(address, headers={"Accept-Encoding": "identity"})
        assert "content-encoding" not in plain.headers
        assert plain.content == (await web.client.get(address)).content
