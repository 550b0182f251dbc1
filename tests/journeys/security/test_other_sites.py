"""Pages of other sites in a real browser: whatever they send, nothing changes, and nothing can be read (Z5)."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, async_playwright
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from harness.servers.in_process import RunningServer, serve_app
from harness.servers.web import a_static_folder, serving_web
from harness.services import CHROMIUM, require
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.web.http.limits import LOCAL_ORIGINS
from sprout.web.http.middleware import SAFE_METHODS
from sprout.web.routes import web_app

ELSEWHERE = "evil.example"
AGAINST_SPROUT = """
const [target, body, nodeId] = %s;
const attempts = [];
const address = (path) => target + path;
const words = (answer) => (answer.type === "opaque" ? null : answer.text());
const sent = (path, options) => attempts.push(fetch(address(path), options).then(words, () => null));

const frame = (sandbox) => {
  const made = document.createElement("iframe");
  made.name = `into-${document.querySelectorAll("iframe").length}`;
  if (sandbox !== undefined) made.setAttribute("sandbox", sandbox);
  document.body.append(made);
  attempts.push(new Promise((done) => made.addEventListener("load", () => done(null), { once: true })));
  return made;
};
const submitted = (path, enctype, from = document) => {
  const form = from.createElement("form");
  const field = from.createElement("input");
  const [name, value] = [body.slice(0, -1) + ',"x":"', '"}'];
  Object.assign(form, { action: address(path), method: "POST", enctype, target: frame().name });
  Object.assign(field, { name, value });
  form.append(field);
  from.body.append(form);
  form.submit();
};
const kinds = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"];
const changes = ["/api/branches", `/api/nodes/${nodeId}/documents`, "/api/runs/x/cancel", "/api/changes/x/undo"];
for (const path of changes) {
  for (const kind of kinds) {
    submitted(path, kind);
    sent(path, { method: "POST", mode: "no-cors", headers: { "Content-Type": kind }, body });
    sent(path, { method: "POST", mode: "no-cors", referrerPolicy: "no-referrer", body });
  }
  sent(path, { method: "POST", headers: { "Content-Type": "application/json" }, body });
  sent(path, { method: "POST", mode: "no-cors", keepalive: true, body });
  navigator.sendBeacon(address(path), body);
  navigator.sendBeacon(address(path), new Blob([body], { type: "text/plain" }));
}
for (const method of ["DELETE", "PATCH", "PUT"])
  sent(`/api/nodes/${nodeId}`, { method, headers: { "Content-Type": "application/json" }, body });
sent("/api/learner?confirm=delete%%20everything", { method: "DELETE" });
for (const path of ["/api/nodes/" + nodeId, "/api/learner/archive", "/api/branches?userId=x"]) {
  sent(path, {});
  const image = new Image();
  attempts.push(new Promise((done) => { image.onload = () => done("an image"); image.onerror = () => done(null); }));
  image.src = address(path);
}
const inside = frame();
inside.src = target + "/";
const sandboxed = frame("allow-scripts allow-forms");
sandboxed.srcdoc = `<form method=post enctype=text/plain action="${address("/api/branches")}">` +
  `<input name='${body.slice(0, -1)},"x":"' value='"}'></form><script>document.forms[0].submit()</scr` + `ipt>`;
Promise.all(attempts).then((read) => { window.read = read.filter((text) => text !== null); });
"""


@dataclass
class Watched:
    """An application, and what it was asked that would change something, with what it answered."""

    app: ASGIApp
    answered: list[tuple[str, str, int]] = field(default_factory=list)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def noted(message: Message) -> None:
            if message["type"] == "http.response.start" and scope["method"] not in SAFE_METHODS:
                self.answered.append((scope["method"], scope["path"], message["status"]))
            await send(message)

        await self.app(scope, receive, noted if scope["type"] == "http" else send)


@asynccontextmanager
async def another_site(attack: str) -> AsyncIterator[RunningServer]:
    async def page(_: Request) -> Response:
        return HTMLResponse(f"<!doctype html><title>Nice things</title><body><script>{attack}</script>")

    async with serve_app(Starlette(routes=[Route("/", page)])) as served:
        yield served


@pytest.fixture(scope="module")
async def resolving_browser() -> AsyncIterator[Browser]:
    """A browser for which the other site's name is this machine."""
    require("browser")
    async with async_playwright() as playwright:
        rules = f"--host-resolver-rules=MAP {ELSEWHERE} 127.0.0.1"
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=[rules])
        yield browser
        await browser.close()


async def attacked(browser: Browser, watched: Watched, target: RunningServer, node_id: str, host: str) -> list[Any]:
    """Data that a page of another origin could read after trying everything."""
    body = json.dumps({"title": "foreign", "userId": DEFAULT_USER_ID})
    attack = AGAINST_SPROUT % json.dumps([target.url, body, node_id])
    async with another_site(attack) as site, await browser.new_page() as page:
        await page.goto(f"http://{host}:{site.port}/")
        await page.wait_for_function("window.read !== undefined", timeout=60_000)
        read: list[Any] = await page.evaluate("window.read")
        async with asyncio.timeout(30):
            while not any(path == "/api/branches" for _, path, _ in watched.answered):
                await asyncio.sleep(0.05)
        return read


@pytest.mark.parametrize(("host", "closed"), [(ELSEWHERE, False), ("127.0.0.1", True), ("localhost", True)])
async def test_Z5_no_form_fetch_beacon_image_or_frame_of_another_page_changes_or_reads_anything(
    tmp_path: Path, resolving_browser: Browser, host: str, closed: bool
) -> None:
    async with serving_web(tmp_path, a_static_folder(tmp_path)) as web:
        origins = () if closed else LOCAL_ORIGINS
        watched = Watched(web_app(web.dependencies, cors_origins=origins))
        _, root = await web.a_topic("Mine")
        async with serve_app(watched) as target:
            read = await attacked(resolving_browser, watched, target, root.id, host)
        assert read == []
        assert len(watched.answered) > 20, "what the page sends arrives"
        assert [one for one in watched.answered if one[2] != 403] == []
        assert [branch.title for branch in await web.paths.branches(DEFAULT_USER_ID)] == ["Mine"]
        assert await web.paths.node(root.id, user_id=DEFAULT_USER_ID) == root
        assert await web.paths.documents(root.id, user_id=DEFAULT_USER_ID) == []
