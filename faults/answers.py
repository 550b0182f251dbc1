"""Whether what is right can be read before its time: every byte that a server sends while somebody learns in a browser.

Every secret text has a word that stands nowhere else: answers, criteria, misconceptions, help, explanations, and what
agents are told. A course is grown and planted; its first diagnostic and a lesson are gone through in Chromium; then all
that can be read is read by HTTP. The words are looked for plainly, escaped, in base64, as hex digits and in archives.
"""

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
from playwright.async_api import Browser, Page, expect

from faults.canaries import Canaries, mark_prompts, marked_model, marked_package
from faults.desk import WHO, Leak, Seen
from faults.figures import Figure
from faults.harness.server import MANY_LEARNERS, ROOT, Place
from faults.harness.wire import HOST
from faults.recorder import Recorder, recording
from faults.textbook import forms, known
from sprout.learning.text.words import one_line
from sprout.offline.courses import courses
from sprout.web.routes import ENDPOINTS
from tests.browser import WAIT_MS, chromium, open_page
from tests.journeys.learner import answer, as_written, checkpoint, diagnosed, question, right, wrong

MIB = 1024 * 1024
MOST_ROUNDS = 12
KINDS, FEW = ("root", "concept", "subconcept"), 10  # of each kind of nodes so many are read one by one
TAKES_ANSWERS = ("/api/graphs/{id}",)  # the export with answers is asked for answers, and is no part of a page
ENDLESS = ("/api/events",)
NONSENSE = ("/api/nodes/nothing", "/api/nowhere", "/nowhere", "/api/nodes?type=leaf", "/api/nodes?branchId=%00")


@dataclass(slots=True)
class Listener:
    """What was heard so far, and what of it came too early."""

    recorder: Recorder
    canaries: Canaries
    seen: Seen = field(default_factory=Seen)
    leaks: list[Leak] = field(default_factory=list)
    heard: set[str] = field(default_factory=set)

    def look(self, where: str) -> None:
        """Look through what has come since the last time, as things stand now."""
        for raw in self.recorder.taken():
            self.look_at(where, raw)

    def look_at(self, where: str, raw: bytes) -> None:
        for hidden in self.canaries.found_in(raw):
            self.heard.add(hidden.prompt)
            if not self.seen.may_see(hidden):
                self.leaks.append(Leak(where, hidden))


@dataclass(frozen=True, slots=True)
class Heard:
    """What a whole visit has come to."""

    leaks: list[Leak]
    told_in_time: int
    wire_bytes: int
    log_bytes: int
    words: int
    addresses: int


async def answers() -> list[Figure]:
    """A course is learned in a browser while every byte is looked through for what is right."""
    async with chromium() as browser:
        heard = await listened(browser)
    searched = (heard.wire_bytes + heard.log_bytes) / MIB
    return [
        Figure("answers", "words hidden in what is secret", f"{heard.words:,}"),
        Figure("answers", "addresses read by HTTP beside the pages", f"{heard.addresses:,}"),
        Figure("answers", "MB searched, of them of the log", f"{searched:.1f}, {heard.log_bytes / MIB:.2f}"),
        Figure("answers", "questions told of once they were graded", f"{heard.told_in_time}", heard.told_in_time > 0),
        Figure("answers", "told too early", f"{len(heard.leaks)}", not heard.leaks),
        *(
            Figure("answers", f"{leak.hidden.part} of {leak.hidden.prompt[:60]!r}", leak.where, False)
            for leak in heard.leaks[:8]
        ),
    ]


async def listened(browser: Browser) -> Heard:
    """What a server says, all in all, to somebody who begins a course."""
    expect.set_options(timeout=WAIT_MS)
    with tempfile.TemporaryDirectory(prefix="sprout-answers-") as scratch:
        package, data = Path(scratch) / "package", Path(scratch) / "data"
        data.mkdir()
        canaries = await asyncio.to_thread(marked_package, package)
        mark_prompts(package, canaries)
        (package / "static").symlink_to(ROOT / "static")
        settings = {"PYTHONPATH": str(package), "SPROUT_LOG_LEVEL": "debug", **dict.fromkeys(MANY_LEARNERS, "")}
        async with marked_model(package) as model_url:
            place = Place(data, model_url, settings=settings)
            try:
                await place.born()
                async with recording(place.port) as recorder:
                    listener = Listener(recorder, canaries)
                    addresses = await _visit(browser, place, listener)
            finally:
                await place.emptied()
            log = place.log.read_bytes()
            listener.look_at("the log", log)
    told = len(listener.heard & listener.seen.settled)
    return Heard(listener.leaks, told, recorder.written, len(log), len(canaries.hidden), addresses)


async def _visit(browser: Browser, place: Place, listener: Listener) -> int:
    """Everything that the module says; how many addresses were read by HTTP."""
    url = f"http://{HOST}:{listener.recorder.port}"
    async with (
        httpx2.AsyncClient(base_url=f"http://{HOST}:{place.port}", timeout=120) as beside,
        httpx2.AsyncClient(base_url=url, timeout=120) as client,
    ):
        graph = await _grown(client)
        listener.look("growing the path")
        await _planted(client, beside, graph["branch"]["id"])
        listener.look("planting the path")
        path = f"{url}/paths/{graph['branch']['id']}"
        concept = next(node for node in graph["nodes"] if node["title"] == courses()[0].concepts[0].title)
        at_concept = f"{path}/concepts/{concept['id']}"
        async with open_page(browser, url) as page:
            for address in (path, at_concept, f"{url}/progress", f"{url}/settings"):
                await page.goto(address)
                await expect(page.get_by_role("main")).not_to_be_empty()
            addresses = await _everything_read(client)
            listener.look("before any answer")
            await page.goto(f"{at_concept}/diagnostic")
            await _diagnostic(page, listener)
            node = await _first_part(client, concept["id"])
            await page.goto(f"{at_concept}/learn/{node['id']}")
            await _lesson(page, client, node["id"], listener)
            for address in (path, at_concept, f"{url}/progress", url):
                await page.goto(address)
                await expect(page.get_by_role("main")).not_to_be_empty()
            listener.look("the pages after the lesson")
        addresses += await _everything_read(client)
        listener.look("everything that can be read")
    return addresses


async def _grown(client: httpx2.AsyncClient) -> dict[str, Any]:
    title = courses()[0].title
    branch = (await client.post("/api/branches", json={**WHO, "title": title})).raise_for_status().json()
    root = {**WHO, "title": title, "type": "root", "branchId": branch["id"]}
    node = (await client.post("/api/nodes", json=root)).raise_for_status().json()
    (await client.post(f"/api/agents/topics/{node['id']}/run", json=WHO)).raise_for_status()
    graph: dict[str, Any] = (await client.get(f"/api/branches/{branch['id']}/graph")).raise_for_status().json()
    return graph


async def _planted(client: httpx2.AsyncClient, beside: httpx2.AsyncClient, branch_id: str) -> None:
    """The same path again, from a file with all answers, which is got by another way than the one that is heard."""
    file = (await beside.get(f"/api/graphs/{branch_id}", params={"answers": "true", "format": "json"})).json()
    planted = await client.post("/api/graphs", json=file | {"title": "Planted"})
    assert planted.raise_for_status().json()["questions"] > 0


async def _diagnostic(page: Page, listener: Listener) -> None:
    """The first question that can be is answered wrongly, all others rightly; then the results."""
    seen, erred = listener.seen, False
    await page.locator("#asked").wait_for()
    while await page.locator("#asked").count():
        prompt = await page.locator("#asked").inner_text()
        listener.look(f"asking: {prompt[:60]}")
        wrongs = [one.option for one in getattr(as_written(prompt), "wrong", ())]
        seen.settled.add(one_line(as_written(prompt).prompt))
        await diagnosed(page, wrongs[0] if wrongs and not erred else right(prompt))
        erred = erred or bool(wrongs)
        listener.look(f"answered: {prompt[:60]}")
    await expect(page.get_by_role("heading", name="Your answers")).to_be_visible()
    await expect(page.locator(".rs-changes .pulse")).to_have_count(0)
    listener.look("results")


async def _first_part(client: httpx2.AsyncClient, concept_id: str) -> dict[str, Any]:
    """A subconcept that waits for nothing."""
    parts = (await client.get(f"/api/nodes/{concept_id}/children", params=WHO)).json()
    edges = (await client.get(f"/api/nodes/{concept_id}/dependency-edges", params=WHO)).json()
    later = {edge["targetNodeId"] for edge in edges}
    found: dict[str, Any] = next(part for part in parts if part["id"] not in later)
    return found


async def _lesson(page: Page, client: httpx2.AsyncClient, node_id: str, listener: Listener) -> None:
    """Each question is answered wrongly first where a wrong answer is known, until the lesson is over."""
    seen = listener.seen
    for _ in range(MOST_ROUNDS):
        if await page.get_by_text("This lesson is finished.").count():
            break
        prompt = await question(page)
        one = known(as_written(prompt).prompt)
        listener.look(f"asking: {prompt[:60]}")
        if seen.tried.isdisjoint(forms(one)) and (wrongs := wrong(prompt)):
            seen.tried.update(forms(one))
            await answer(page, wrongs[0])
            await _told_help(client, node_id, forms(one), seen)
            listener.look(f"answered wrongly: {prompt[:60]}")
            await expect(checkpoint(page)).to_be_visible()
        else:
            seen.settled.add(one_line(one.prompt))
            await answer(page, right(prompt))
            listener.look(f"answered rightly: {prompt[:60]}")


async def _told_help(client: httpx2.AsyncClient, node_id: str, prompts: tuple[str, ...], seen: Seen) -> None:
    [session] = (await client.get("/api/chat/sessions", params={**WHO, "nodeId": node_id})).json()
    stands = (await client.get(f"/api/chat/sessions/{session['id']}/lesson", params=WHO)).json()
    for prompt in prompts:
        seen.levels[prompt] = max(seen.levels.get(prompt, 0), stands["helpLevel"])


async def _everything_read(client: httpx2.AsyncClient) -> int:
    """Every address that can be read, with ids of what is there, and every file of the page."""
    for path in NONSENSE:
        await client.get(path)
    static = ROOT / "static"
    asked = {f"/static/v/{file.relative_to(static)}" for file in static.rglob("*") if file.is_file()}
    ids = await _ids(client)
    for endpoint in ENDPOINTS:
        if endpoint.method == "GET" and endpoint.path not in ENDLESS:
            query = "?answers=false" if endpoint.path in TAKES_ANSWERS else f"?userId={WHO['userId']}"
            if "{" not in endpoint.path:
                asked.add(endpoint.path + query)
            for id_ in ids.get(endpoint.path.split("/{id}")[0], ()):
                if endpoint.path.count("{") == 1:
                    asked.add(endpoint.path.replace("{id}", id_) + query)
    for address in sorted(asked):
        await client.get(address)
    return len(asked)


async def _ids(client: httpx2.AsyncClient) -> dict[str, list[str]]:
    """What is there, by the address that shows one of them."""

    async def listed(path: str, **query: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = (await client.get(path, params={**WHO, **query})).raise_for_status().json()
        return found

    branches = [one["id"] for one in await listed("/api/branches")]
    nodes = await listed("/api/nodes")
    few = [one["id"] for kind in KINDS for one in [node for node in nodes if node["type"] == kind][:FEW]]
    concepts = [node["id"] for node in nodes if node["type"] == "concept"]
    return {
        "/api/branches": branches,
        "/api/graphs": branches,
        "/api/nodes": few,
        "/api/agents/concepts": concepts,
        "/api/assessments": [one["id"] for one in await listed("/api/assessments")],
        "/api/chat/sessions": [one["id"] for one in await listed("/api/chat/sessions")],
        "/api/runs": [one["id"] for one in await listed("/api/runs", limit="100")],
    }


PROOFS: dict[str, Callable[..., Awaitable[list[Figure]]]] = {"answers": answers}
