"""A client that sends its whole body before it reads gets the 413, not a reset."""

import asyncio
import json
import urllib.error
import urllib.request
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from harness.servers.web import WEB_LIMITS, Web, a_static_folder, serving_web

MEGABYTE = 1_000_000
TRIES = 20


@pytest.fixture(scope="module")
async def web(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Web]:
    folder = tmp_path_factory.mktemp("limited")
    limits = replace(WEB_LIMITS, json_max_bytes=MEGABYTE)
    async with serving_web(folder, a_static_folder(folder), limits=limits) as running:
        yield running


def refusal(url: str, size: int) -> tuple[int, str]:
    """Status and message of the response to a body of that size, by a client that sends all of it first."""
    body = b'{"title": "' + b"x" * size + b'"}'
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"}, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return response.status, ""
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.loads(error.read())["error"]


@pytest.mark.parametrize("megabytes", [2, 5, 12, 20])
async def test_B2_the_413_arrives_at_a_client_that_sends_everything_before_it_reads(web: Web, megabytes: int) -> None:
    url = f"{web.served.url}/api/branches"
    for _ in range(TRIES):
        status, message = await asyncio.to_thread(refusal, url, megabytes * MEGABYTE)
        assert (status, "1,000,000" in message or "MB" in message) == (413, True), message
