"""Invariants of every response of every address, errors and downloads too (faults.md X7, X8, I-13)."""

import re
import secrets
from collections.abc import AsyncIterator

import httpx2
import pytest

from harness.servers.web import Web, a_static_folder, serving_web
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.web.http.endpoint import AnyEndpoint
from sprout.web.http.middleware import SECURITY_HEADERS
from sprout.web.routes import ENDPOINTS

DOWNLOADS = ("/api/learner/archive", "/api/learner/answers.csv", "/api/learner/mastery.csv")
INSIDE = re.compile(
    r"Traceback|\.py\b|site-packages|\bSELECT\b|sqlite|uvicorn|starlette|pydantic|/tmp/|version \d", re.IGNORECASE
)
OTHER_HEADERS = {"server", "x-powered-by", "via"}
WAYS: dict[str, dict[str, str]] = {
    "as a program": {},
    "as a browser": {"Accept": "text/html,*/*;q=0.8"},
    "by another page": {"Origin": "https://evil.example"},
    "under another name": {"Host": "evil.example"},
    "with a range": {"Range": "bytes=0-1,5-6"},
}


@pytest.fixture(scope="module")
async def web(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Web]:
    """For these tests alone: an archive of what all others leave behind takes long."""
    folder = tmp_path_factory.mktemp("web")
    async with serving_web(folder, a_static_folder(folder)) as running:
        yield running


def checked(answer: httpx2.Response, place: str) -> None:
    missing = [name for name in SECURITY_HEADERS if name not in answer.headers]
    assert missing == [], (place, answer.status_code)
    assert answer.headers["x-content-type-options"] == "nosniff", place
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy, place
    assert "unsafe-eval" not in policy, place
    assert "script-src 'unsafe-inline'" not in policy, place
    assert not OTHER_HEADERS & set(answer.headers), place
    assert "origin" in answer.headers["vary"].lower(), place
    if place.startswith("/api"):
        says = ("no-store", "no-cache, no-transform")  # the second is a stream's
        assert answer.headers["cache-control"] in says, place
    if answer.status_code >= 400:
        assert answer.headers["content-type"] == "application/json", place
        assert not INSIDE.search(answer.text), answer.text


def by_name(endpoint: AnyEndpoint) -> str:
    return f"{endpoint.method} {endpoint.path}"


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=by_name)
async def test_X7_every_answer_of_every_address_has_every_security_header(web: Web, endpoint: AnyEndpoint) -> None:
    branch, root = await web.a_topic(secrets.token_hex(4))
    run = await web.end(await web.a_run(root))
    by_place = {"branches": branch.id, "graphs": branch.id, "runs": run.id}
    known = by_place.get((endpoint.path + "//").split("/")[2], root.id)
    for id_ in (known, "nothing") if "{" in endpoint.path else (known,):
        path = re.sub(r"{\w*id}", id_, endpoint.path).replace("{version}", "v")
        path = path.replace("{path:path}", "app.js" if id_ != "nothing" else "nothing.js")
        for headers in WAYS.values():
            for body in ({"userId": DEFAULT_USER_ID, "title": "a"}, None):
                if body is not None and endpoint.method == "GET":
                    continue
                request = web.client.stream(
                    endpoint.method, path, params={"userId": DEFAULT_USER_ID}, json=body, headers=headers
                )
                async with request as answer:
                    if answer.headers.get("content-type", "").startswith("text/event-stream"):
                        await answer.aclose()  # which may have no end
                        checked_head(answer, endpoint.path)
                    else:
                        await answer.aread()
                        checked(answer, endpoint.path)


def checked_head(answer: httpx2.Response, place: str) -> None:
    assert answer.status_code == 200
    checked(answer, place)


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS", "TRACE", "PUT"])
@pytest.mark.parametrize(
    "address", ["/", "/api/branches", "/static/v/app.js", "/api/nowhere", "/paths/x", "/frames/diagram"]
)
async def test_X7_odd_methods_are_answered_with_every_security_header(web: Web, method: str, address: str) -> None:
    answer = await web.client.request(method, address)
    assert [name for name in SECURITY_HEADERS if name not in answer.headers] == []
    assert answer.status_code < 500


@pytest.mark.parametrize("address", DOWNLOADS)
async def test_X8_what_is_downloaded_is_never_shown_as_a_page(web: Web, address: str) -> None:
    answer = await web.client.get(address, params={"userId": DEFAULT_USER_ID})
    assert answer.status_code == 200
    assert answer.headers["content-disposition"].startswith("attachment; filename=")
    assert "html" not in answer.headers["content-type"]


async def test_X8_no_nonce_is_ever_used_twice_and_pages_load_nothing_from_elsewhere(web: Web) -> None:
    nonces = set()
    for _ in range(50):
        for address in ("/", "/docs", "/frames/diagram"):
            answer = await web.client.get(address, headers={"Accept-Encoding": "identity"})
            policy = answer.headers["content-security-policy"]
            nonces.update(re.findall(r"'nonce-([^']+)'", policy))
            assert not re.search(r"https?:|\*", policy), policy
    assert len(nonces) >= 100
    assert min(len(nonce) for nonce in nonces) >= 22
