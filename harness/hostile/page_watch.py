"""Detector of injected content: scripts that ran, requests to foreign hosts, and elements that could cause either."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from playwright.async_api import Error, Page, Request, Route

from harness.hostile.corpus import HostileTexts

LISTEN = "window.ran = [];"
HARMFUL = """() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const active = "script, iframe, object, embed, base, meta, style, link, video, audio, form[action], [srcdoc]";
  const isWired = (each) => [...each.attributes].some(({ name }) => name.startsWith("on"));
  const isDrawn = (image) => image.matches(".picture > img[src^='data:image/svg+xml;']");
  const isWeb = (link) => ["http:", "https:", "mailto:"].includes(link.protocol);
  const isSaid = (link) => link.host === location.host || /^(https?|mailto):/i.test(link.getAttribute("href"));
  const bad = all(`main :is(${active})`);
  const pictures = all("main img").filter((each) => !isDrawn(each));
  const wired = all("main *").filter(isWired);
  const links = all("main a[href]").filter((link) => !isWeb(link) || !isSaid(link));
  return [...bad, ...pictures, ...wired, ...links].map((each) => each.outerHTML.slice(0, 300));
}"""


@dataclass
class ForeignHost:
    """A foreign host on this machine: what was asked of it."""

    url: str = ""
    requests: list[str] = field(default_factory=list)

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.requests.append((await reader.readline()).decode(errors="replace").strip())
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        await writer.drain()
        writer.close()


@asynccontextmanager
async def foreign_host() -> AsyncIterator[ForeignHost]:
    evil = ForeignHost()
    server = await asyncio.start_server(evil.answer, "127.0.0.1", 0)
    evil.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        yield evil


@dataclass
class PageWatch:
    """A page that is watched; what has happened on it so far."""

    page: Page
    host: ForeignHost
    opened: list[str] = field(default_factory=list)
    requested: list[str] = field(default_factory=list)

    async def start(self) -> None:
        await self.page.context.add_init_script(LISTEN)
        self.page.context.on("requestfinished", self._record_request)
        self.page.context.on("requestfailed", self._record_request)
        self.page.on("popup", lambda popup: self.opened.append(popup.url))
        self.page.on("framenavigated", lambda frame: self._record_navigation(frame.url))

    def _record_request(self, request: Request) -> None:
        is_foreign = self.host.url in request.url or "evil.example" in request.url
        if is_foreign and request.failure != "csp":  # what a policy stopped has not left the browser
            self.requested.append(request.url)

    def _record_navigation(self, url: str) -> None:
        if self.host.url in url or "evil.example" in url:
            self.opened.append(url)

    async def findings(self) -> dict[str, list[Any]]:
        """All four lists are empty where nothing was wrong."""
        ran = [number for frame in self.page.frames for number in await frame.evaluate("window.ran ?? []")]
        requested = [*self.host.requests, *self.requested]
        return {"ran": ran, "asked": requested, "opened": self.opened, "harmful": await self.page.evaluate(HARMFUL)}


SAFE: dict[str, list[Any]] = {"ran": [], "asked": [], "opened": [], "harmful": []}


async def poison_responses(page: Page, poisoned: HostileTexts) -> None:
    """From now on every answer of the API to this page is hostile, but the stream."""

    async def answered(route: Route) -> None:
        response = await route.fetch()
        try:
            if "json" in response.headers.get("content-type", ""):
                await route.fulfill(response=response, json=poisoned.poison_value(await response.json()))
            else:
                await route.fulfill(response=response)
        except Error as error:
            if "has been disposed" not in str(error):  # else the page has left before its answer came
                raise

    await page.route(lambda url: "/api/" in url and "/events" not in url, answered)
