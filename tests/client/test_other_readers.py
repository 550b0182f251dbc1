"""Readers of a run with no code of ours: EventSource, fetch, curl and httpx-sse, each resumed (open.md O5)."""

import asyncio
import json
import shutil
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest
from playwright.async_api import Browser, Page

from harness.clients.raw_http import HOST
from harness.servers.stalling_proxy import stalling_proxy
from harness.servers.web import Web
from harness.services import skip_unless_required
from sprout.clock import utc_now
from sprout.events import EVENT, Guardrail, ReasoningBlock
from sprout.runs.state import Run

AWKWARD = "a\nb\r\nc d\u2028e\u0085 data: no 🌱 ü"
READ_BEFORE = 3
KINDS = [*EVENT.json_schema()["discriminator"]["mapping"]]
WITHIN_S = 30

Read = list[tuple[int, str, str]]  # number, kind, data

EVENT_SOURCE = """([url, kinds, lastId]) => new Promise((resolve) => {
  const read = [], source = new EventSource(url);
  for (const kind of kinds) source.addEventListener(kind, ({ type, data, lastEventId }) => {
    read.push([Number(lastEventId), type, data]);
    if (Number(lastEventId) === lastId) { source.close(); resolve(read); }
    if (read.length === 3) cut();  // the connection, after which an EventSource comes back by itself
  });
})"""
FETCH = """async ([url, lastId, enough]) => {
  const leave = new AbortController(), read = [];
  const headers = lastId ? { "Last-Event-ID": String(lastId) } : {};
  const answer = await fetch(url, { headers, signal: leave.signal });
  let text = "";
  for (const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader(); ; ) {
    const { value, done } = await reader.read();
    if (done) return read;
    const blocks = (text += value).split("\\n\\n");
    text = blocks.pop();
    for (const block of blocks) {
      const fields = Object.fromEntries(block.split("\\n").map((line) => line.split(/: (.*)/s)));
      if (fields.id) read.push([Number(fields.id), fields.event, fields.data]);
      if (enough && read.length === enough) { leave.abort(); return read; }
    }
  }
}"""
HTTPX_SSE = """
import json, sys
import httpx2
sys.modules["httpx"] = httpx2  # the name under which httpx-sse knows it
from httpx_sse import connect_sse
url, last_id, enough = sys.argv[1], sys.argv[2], int(sys.argv[3])
headers = {"Last-Event-ID": last_id} if last_id else {}
with httpx2.Client() as client, connect_sse(client, "GET", url, headers=headers) as source:
    for count, event in enumerate((one for one in source.iter_sse() if one.data and one.id), 1):
        print(json.dumps([int(event.id), event.event, event.data]), flush=True)
        if count == enough:
            break
"""


@dataclass(frozen=True, slots=True)
class Story:
    """A run whose first events are there, and whose rest comes once they were read."""

    web: Web
    run: Run

    @property
    def url(self) -> str:
        return f"{self.web.served.url}/api/runs/{self.run.id}/events"

    async def go_on(self) -> None:
        await self.web.append_events(self.run, *(ReasoningBlock(block_id=str(n), text=AWKWARD) for n in range(4)))
        await self.web.end(self.run)

    async def log(self) -> Read:
        return [(one.seq, one.kind, one.data) for one in await self.web.store.events(self.run.id)]


@pytest.fixture
async def story(web: Web) -> AsyncIterator[Story]:
    run = await web.a_run((await web.a_topic(f"Light {utc_now().timestamp()}"))[1])
    await web.append_events(run, *(Guardrail(level=0, tool=None, noticed=AWKWARD) for _ in range(READ_BEFORE)))
    async with asyncio.timeout(WITHIN_S):
        yield Story(web, run)


@asynccontextmanager
async def a_page(browser: Browser, origin: str) -> AsyncIterator[Page]:
    """A page of the same origin that allows every connection."""
    context = await browser.new_context(bypass_csp=True)
    try:
        page = await context.new_page()
        await page.goto(f"{origin}/api/health")
        yield page
    finally:
        await context.close()


async def output_of(*command: str) -> list[str]:
    process = await asyncio.create_subprocess_exec(*command, stdout=PIPE)
    try:
        return (await process.communicate())[0].decode().split("\n")
    finally:
        if process.returncode is None:
            process.kill()


def frames_in(lines: list[str]) -> Read:
    """The stored events in what curl prints."""
    blocks = [dict(line.split(": ", 1) for line in block.split("\n") if ": " in line) for block in
              "\n".join(lines).split("\n\n")]  # fmt: skip
    return [(int(one["id"]), one["event"], one["data"]) for one in blocks if "id" in one and "data" in one]


async def test_O5_fetch_of_a_browser_follows_a_run(story: Story, browser: Browser) -> None:
    async with a_page(browser, story.web.served.url) as page:
        first = [tuple(one) for one in await page.evaluate(FETCH, [story.url, 0, READ_BEFORE])]
        await story.go_on()
        rest = [tuple(one) for one in await page.evaluate(FETCH, [story.url, READ_BEFORE, 0])]
    assert [*first, *rest] == await story.log()


async def test_O5_curl_follows_a_run(story: Story) -> None:
    curl = shutil.which("curl")
    if curl is None:
        skip_unless_required("curl is not installed")
    process = await asyncio.create_subprocess_exec(curl, "-sN", story.url, stdout=PIPE)
    assert process.stdout is not None
    lines: list[str] = []
    while len(first := frames_in(lines)) < READ_BEFORE:
        lines.append((await process.stdout.readline()).decode().removesuffix("\n"))
    process.kill()
    await process.wait()
    await story.go_on()
    rest = await output_of(curl, "-sN", story.url, "-H", f"Last-Event-ID: {READ_BEFORE}")
    assert [*first, *frames_in(rest)] == await story.log()


async def test_O5_httpx_sse_follows_a_run(story: Story) -> None:
    reader = (sys.executable, "-c", HTTPX_SSE, story.url)
    first = await output_of(*reader, "", str(READ_BEFORE))
    await story.go_on()
    rest = await output_of(*reader, str(READ_BEFORE), "0")
    assert [tuple(json.loads(line)) for line in first + rest if line] == await story.log()


async def test_O5_an_event_source_of_a_browser_follows_a_run_and_comes_back_by_itself(
    story: Story, browser: Browser
) -> None:
    served = story.web.served
    last_id = 1 + READ_BEFORE + 4 + 2  # run_started before them, agent_done and run_done after the rest
    async with (
        stalling_proxy(served.host, served.port) as proxy,
        a_page(browser, f"http://{HOST}:{proxy.port}") as page,
    ):
        await page.expose_function("cut", proxy.cut)
        reading = asyncio.create_task(page.evaluate(EVENT_SOURCE, [f"/api/runs/{story.run.id}/events", KINDS, last_id]))
        await story.web.runs.until_followers(story.run.id, 1)
        await story.web.runs.until_followers(story.run.id, 0)
        await story.go_on()
        read = [tuple(one) for one in await reading]
    assert read == await story.log()
