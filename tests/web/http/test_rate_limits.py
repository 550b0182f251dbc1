"""Limits on rates and sizes: a refused request says what to do, and has no effect."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from harness.servers.web import WEB_LIMITS, Web, a_static_folder, serving_web
from sprout.errors import TooManyRequests
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.web.http.endpoint import AnyEndpoint
from sprout.web.http.middleware import SECURITY_HEADERS
from sprout.web.http.rate_limits import MAX_BUCKETS, LocalBuckets, RateLimit, RateLimiter, RequestLimiter
from sprout.web.routes import ENDPOINTS

ME = {"userId": DEFAULT_USER_ID}
HARDLY_EVER = RateLimit(per_s=0.001, burst=3)
BEGINS_A_RUN = [endpoint for endpoint in ENDPOINTS if endpoint.rate_limiter is not None and not endpoint.form_field]


class Clock:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
async def slow_web(tmp_path: Path) -> AsyncIterator[Web]:
    """A server that lets a learner begin three runs and upload three times, and hardly any more."""
    limits = replace(WEB_LIMITS, run_rate=HARDLY_EVER, upload_rate=HARDLY_EVER)
    async with serving_web(tmp_path, a_static_folder(tmp_path), limits=limits) as running:
        yield running


async def test_a_burst_is_let_through_and_then_one_at_a_time() -> None:
    clock = Clock()
    buckets = RateLimiter("requests", RateLimit(per_s=2, burst=3), LocalBuckets(clock).take)
    for _ in range(3):
        await buckets.take("a")
    with pytest.raises(TooManyRequests) as refusal:
        await buckets.take("a")
    assert refusal.value.retry_after_s == 0.5
    await buckets.take("b")
    clock.now += 0.5
    await buckets.take("a")
    with pytest.raises(TooManyRequests):
        await buckets.take("a")


async def test_who_waits_as_long_as_told_is_let_through_and_saves_up_no_more_than_a_burst() -> None:
    clock = Clock()
    buckets = RateLimiter("runs", RateLimit(per_s=0.3, burst=2), LocalBuckets(clock).take)
    await buckets.take("a")
    await buckets.take("a")
    for _ in range(20):
        with pytest.raises(TooManyRequests) as refusal:
            await buckets.take("a")
        clock.now += refusal.value.retry_after_s + 1e-6
        await buckets.take("a")
    clock.now += 1_000_000
    await buckets.take("a")
    await buckets.take("a")
    with pytest.raises(TooManyRequests):
        await buckets.take("a")


async def test_the_accounts_of_a_school_do_not_use_up_its_one_address() -> None:
    limiter = RequestLimiter(RateLimit(per_s=0.001, burst=3))
    for n in range(20):
        await limiter.take("school")
        await limiter.charge_account(f"learner {n}", address="school")
    for _ in range(2):
        await limiter.take("school")
        await limiter.charge_account("learner 0", address="school")
    await limiter.take("school")
    with pytest.raises(TooManyRequests):
        await limiter.charge_account("learner 0", address="school")
    for _ in range(3):
        await limiter.take("school")
    with pytest.raises(TooManyRequests):
        await limiter.take("school")


async def test_addresses_that_are_long_gone_are_forgotten() -> None:
    clock = Clock()
    buckets = LocalBuckets(clock)
    limiter = RateLimiter("requests", RateLimit(per_s=1, burst=1), buckets.take)
    for number in range(3 * MAX_BUCKETS):
        await limiter.take(str(number))
        clock.now += 1
    assert len(buckets) <= MAX_BUCKETS


async def test_I11_an_address_that_asks_too_often_is_429_with_all_headers_and_nothing_is_done(tmp_path: Path) -> None:
    limits = replace(WEB_LIMITS, request_rate=HARDLY_EVER)
    async with serving_web(tmp_path, a_static_folder(tmp_path), limits=limits) as web:
        origin = {"Origin": "http://localhost:3000"}
        for _ in range(3):
            assert (await web.client.get("/api/health")).status_code == 200
        for method, address in (("POST", "/api/branches"), ("GET", "/"), ("GET", "/static/v/app.js"), ("GET", "/x")):
            answer = await web.client.request(method, address, json={**ME, "title": "too much"}, headers=origin)
            assert answer.status_code == 429
            assert 900 < int(answer.headers["retry-after"]) <= 1_000
            assert "Try again in" in answer.json()["error"]
            assert [name for name in SECURITY_HEADERS if name not in answer.headers] == []
            assert answer.headers["access-control-allow-origin"] == origin["Origin"]
        assert await web.paths.branches(DEFAULT_USER_ID) == []


async def test_Z11_nobody_gets_another_allowance_by_saying_that_he_comes_from_elsewhere(tmp_path: Path) -> None:
    limits = replace(WEB_LIMITS, request_rate=HARDLY_EVER)
    async with serving_web(tmp_path, a_static_folder(tmp_path), limits=limits) as web:
        statuses = [
            (await web.client.get("/api/health", headers={"X-Forwarded-For": f"10.0.0.{n}"})).status_code
            for n in range(5)
        ]
    assert statuses == [200, 200, 200, 429, 429]


def ag_ui_message(thread_id: str) -> dict[str, object]:
    said = {"id": "m", "role": "user", "content": "Light"}
    nothing: dict[str, object] = {"state": {}, "tools": [], "context": [], "forwardedProps": {}}
    return {"threadId": thread_id, "runId": "r", "messages": [said], **nothing}


@pytest.mark.parametrize("endpoint", BEGINS_A_RUN, ids=lambda endpoint: endpoint.path)
async def test_I11_runs_started_too_fast_are_429_and_none_is_started(slow_web: Web, endpoint: AnyEndpoint) -> None:
    _, root = await slow_web.a_topic()
    address = endpoint.path.replace("{id}", root.id) + ("?wait=false" if "/run" in endpoint.path else "")
    # bringing in a section needs its place
    body = {**ME, "start": 0} if endpoint.path != "/api/ag-ui" else ag_ui_message(root.id)
    for _ in range(3):
        async with slow_web.client.stream("POST", address, json=body) as answer:
            assert answer.status_code != 429
    before = await slow_web.store.runs(user_id=DEFAULT_USER_ID)
    answer = await slow_web.client.post(address, json=body)
    assert (answer.status_code, "Try again in" in answer.json()["error"]) == (429, True)
    assert int(answer.headers["retry-after"]) > 900
    assert await slow_web.store.runs(user_id=DEFAULT_USER_ID) == before


async def test_I11_uploads_of_a_day_are_counted_before_a_byte_of_them_is_read(slow_web: Web) -> None:
    _, root = await slow_web.a_topic()
    address = f"/api/nodes/{root.id}/documents"
    for number in range(3):
        files = {"files": (f"{number}.md", b"# Light\n\nIt bends.")}
        assert (await slow_web.client.post(address, files=files)).status_code == 201
    answer = await slow_web.client.post(address, files={"files": ("4.md", b"# More")})
    assert (answer.status_code, "Daily upload limit" in answer.json()["error"]) == (429, True)
    assert len(await slow_web.paths.documents(root.id, user_id=DEFAULT_USER_ID)) == 3


async def test_reading_and_other_changes_go_on_while_runs_have_to_wait(slow_web: Web) -> None:
    _, root = await slow_web.a_topic()
    address = f"/api/agents/topics/{root.id}/run?wait=false"
    statuses = [(await slow_web.client.post(address, json=ME)).status_code for _ in range(4)]
    assert statuses[-1] == 429
    answers = await asyncio.gather(
        slow_web.client.get(f"/api/nodes/{root.id}"),
        slow_web.client.post("/api/branches", json={**ME, "title": "Another"}),
        slow_web.client.get("/api/runs"),
    )
    assert [answer.status_code for answer in answers] == [200, 201, 200]


async def test_the_depth_of_json_is_a_setting(tmp_path: Path) -> None:
    limits = replace(WEB_LIMITS, json_max_depth=5)
    async with serving_web(tmp_path, a_static_folder(tmp_path), limits=limits) as web:
        for depth, status in ((4, 201), (5, 400)):
            body = b'{"title": "a", "userId": "%b", "x": %b%b}' % (
                DEFAULT_USER_ID.encode(), b"[" * depth, b"]" * depth,
            )  # fmt: skip
            answer = await web.client.post("/api/branches", content=body, headers={"Content-Type": "application/json"})
            assert answer.status_code == status, answer.text
