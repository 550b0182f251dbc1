"""Answer leaks: every byte that a server sends while a learner works in a browser, searched for answers.

Every secret text has a word that stands nowhere else: answers, criteria, misconceptions, help, explanations, and what
agents are told. A course is grown and planted; its first diagnostic and a lesson are gone through in Chromium; then all
that can be read is read by HTTP. The words are looked for plainly, escaped, in base64, as hex digits and in archives.
"""

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
from playwright.async_api import Browser, Page, expect

from faults.core.loop_faults import ProofFigure
from faults.leaks.learner_client import USER, Disclosures, Leak
from faults.leaks.recording_proxy import TrafficRecorder, recording_proxy
from faults.leaks.secret_markers import SecretMarkers, mark_package, mark_prompts, serve_marked_model
from faults.learners.answer_book import equivalent_prompts, find_question
from harness.browser import WAIT_MS, chromium, open_page
from harness.clients.raw_http import HOST
from harness.journeys.learner import (
    answer_diagnostic,
    authored_question,
    checkpoint,
    right_answer,
    submit_answer,
    wait_for_question,
    wrong_answers,
)
from harness.servers.server_process import DISABLED_LIMITS, ROOT, ServerSite
from sprout.learning.text.normalization import one_line
from sprout.offline.courses.catalogue import courses
from sprout.web.routes import ENDPOINTS

MIB = 1024 * 1024
MOST_ROUNDS = 12
KINDS, MANY = ("root", "concept", "subconcept"), 10  # of each kind of nodes so many are read one by one
TAKES_ANSWERS = ("/api/graphs/{id}",)  # the export with answers is asked for answers, and is no part of a page
ENDLESS = ("/api/events",)
NONSENSE = ("/api/nodes/nothing", "/api/nowhere", "/nowhere", "/api/nodes?type=leaf", "/api/nodes?branchId=%00")


@dataclass(slots=True)
class Listener:
    """Everything received so far, and what of it came too early."""

    recorder: TrafficRecorder
    canaries: SecretMarkers
    seen: Disclosures = field(default_factory=Disclosures)
    leaks: list[Leak] = field(default_factory=list)
    sources: set[str] = field(default_factory=set)

    def scan(self, where: str) -> None:
        """Look through what has come since the last time, as things stand now."""
        for raw in self.recorder.take():
            self.scan_text(where, raw)

    def scan_text(self, where: str, raw: bytes) -> None:
        for hidden in self.canaries.find_in(raw):
            self.sources.update(hidden.prompts)
            if not self.seen.may_be_seen(hidden):
                self.leaks.append(Leak(where, hidden))


@dataclass(frozen=True, slots=True)
class ListeningResult:
    """Result of one complete visit."""

    leaks: list[Leak]
    revealed_in_time: int
    wire_bytes: int
    log_bytes: int
    words: int
    addresses: int


async def answers() -> list[ProofFigure]:
    """A course is learned in a browser while every byte is looked through for what is right."""
    async with chromium() as browser:
        heard = await listen_to_course(browser)
    searched = (heard.wire_bytes + heard.log_bytes) / MIB
    return [
        ProofFigure("answers", "words hidden in what is secret", f"{heard.words:,}"),
        ProofFigure("answers", "addresses read by HTTP beside the pages", f"{heard.addresses:,}"),
        ProofFigure("answers", "MB searched, of them of the log", f"{searched:.1f}, {heard.log_bytes / MIB:.2f}"),
        ProofFigure(
            "answers",
            "questions told of once they were graded",
            f"{heard.revealed_in_time}",
            heard.revealed_in_time > 0,
        ),
        ProofFigure("answers", "sent too early", f"{len(heard.leaks)}", not heard.leaks),
        *(
            ProofFigure("answers", f"{leak.text.source} of {leak.text.prompts[0][:60]!r}", leak.where, False)
            for leak in heard.leaks[:8]
        ),
    ]


async def listen_to_course(browser: Browser, *, few: int = MANY) -> ListeningResult:
    """Listen to everything that a server sends while a learner begins a course.

    Args:
        few: how many nodes of each kind are read one by one.
    """
    expect.set_options(timeout=WAIT_MS)
    with tempfile.TemporaryDirectory(prefix="sprout-answers-") as scratch:
        package, data = Path(scratch) / "package", Path(scratch) / "data"
        data.mkdir()
        canaries = await asyncio.to_thread(mark_package, package)
        mark_prompts(package, canaries)
        (package / "static").symlink_to(ROOT / "static")
        settings = {"PYTHONPATH": str(package), "SPROUT_LOG_LEVEL": "debug", **dict.fromkeys(DISABLED_LIMITS, "")}
        async with serve_marked_model(package) as model_url:
            place = ServerSite(data, model_url, settings=settings)
            try:
                await place.start()
                async with recording_proxy(place.port) as recorder:
                    listener = Listener(recorder, canaries)
                    addresses = await _take_course(browser, place, listener, few)
            finally:
                await place.kill_all()
            log = place.log.read_bytes()
            listener.scan_text("the log", log)
    messages_heard = len(listener.sources & listener.seen.settled)
    return ListeningResult(listener.leaks, messages_heard, recorder.written, len(log), len(canaries.hidden), addresses)


async def _take_course(browser: Browser, place: ServerSite, listener: Listener, few: int) -> int:
    """Everything that the module says; how many addresses were read by HTTP."""
    url = f"http://{HOST}:{listener.recorder.port}"
    async with (
        httpx2.AsyncClient(base_url=f"http://{HOST}:{place.port}", timeout=120) as beside,
        httpx2.AsyncClient(base_url=url, timeout=120) as client,
    ):
        graph = await _grow_course(client)
        listener.scan("growing the path")
        await _import_copy(client, beside, graph["branch"]["id"])
        listener.scan("planting the path")
        path = f"{url}/paths/{graph['branch']['id']}"
        concept = next(node for node in graph["nodes"] if node["title"] == courses()[0].concepts[0].title)
        at_concept = f"{path}/concepts/{concept['id']}"
        async with open_page(browser, url) as page:
            for address in (path, at_concept, f"{url}/progress", f"{url}/settings"):
                await page.goto(address)
                await expect(page.get_by_role("main")).not_to_be_empty()
            addresses = await _read_addresses(client, [*NONSENSE, *_static_files()])
            addresses += await _read_addresses(client, await _readable(client, few))
            listener.scan("before any answer")
            await page.goto(f"{at_concept}/diagnostic")
            await _take_diagnostic(page, listener)
            node = await _first_ready_subconcept(client, concept["id"])
            await page.goto(f"{at_concept}/learn/{node['id']}")
            await _take_lesson(page, client, node["id"], listener)
            for address in (path, at_concept, f"{url}/progress", url):
                await page.goto(address)
                await expect(page.get_by_role("main")).not_to_be_empty()
            listener.scan("the pages after the lesson")
        addresses += await _read_addresses(client, await _readable(client, few))
        listener.scan("everything that can be read")
    return addresses


async def _grow_course(client: httpx2.AsyncClient) -> dict[str, Any]:
    title = courses()[0].title
    branch = (await client.post("/api/branches", json={**USER, "title": title})).raise_for_status().json()
    root = {**USER, "title": title, "type": "root", "branchId": branch["id"]}
    node = (await client.post("/api/nodes", json=root)).raise_for_status().json()
    (await client.post(f"/api/agents/topics/{node['id']}/run", json=USER)).raise_for_status()
    graph: dict[str, Any] = (await client.get(f"/api/branches/{branch['id']}/graph")).raise_for_status().json()
    return graph


async def _import_copy(client: httpx2.AsyncClient, beside: httpx2.AsyncClient, branch_id: str) -> None:
    """The same path again, from a file with all answers, which is got by another way than the one that is heard."""
    file = (await beside.get(f"/api/graphs/{branch_id}", params={"answers": "true", "format": "json"})).json()
    planted = await client.post("/api/graphs", json=file | {"title": "Planted"})
    assert planted.raise_for_status().json()["questions"] > 0


async def _take_diagnostic(page: Page, listener: Listener) -> None:
    """The first question that can be is answered wrongly, all others rightly; then the results."""
    seen, erred = listener.seen, False
    await page.locator("#asked").wait_for()
    while await page.locator("#asked").count():
        prompt = await page.locator("#asked").inner_text()
        listener.scan(f"asking: {prompt[:60]}")
        wrongs = [one.option for one in getattr(authored_question(prompt), "wrong", ())]
        seen.settled.add(one_line(authored_question(prompt).prompt))
        await answer_diagnostic(page, wrongs[0] if wrongs and not erred else right_answer(prompt))
        erred = erred or bool(wrongs)
        listener.scan(f"answered: {prompt[:60]}")
    await expect(page.get_by_role("heading", name="Your answers")).to_be_visible()
    await expect(page.locator(".rs-changes .pulse")).to_have_count(0)
    listener.scan("results")


async def _first_ready_subconcept(client: httpx2.AsyncClient, concept_id: str) -> dict[str, Any]:
    """A subconcept that waits for nothing."""
    parts = (await client.get(f"/api/nodes/{concept_id}/children", params=USER)).json()
    edges = (await client.get(f"/api/nodes/{concept_id}/dependency-edges", params=USER)).json()
    later = {edge["targetNodeId"] for edge in edges}
    found: dict[str, Any] = next(part for part in parts if part["id"] not in later)
    return found


async def _take_lesson(page: Page, client: httpx2.AsyncClient, node_id: str, listener: Listener) -> None:
    """Each question is answered wrongly first where a wrong answer is known, until the lesson is over."""
    seen = listener.seen
    for _ in range(MOST_ROUNDS):
        if await page.get_by_text("This lesson is finished.").count():
            break
        prompt = await wait_for_question(page)
        one = find_question(authored_question(prompt).prompt)
        listener.scan(f"asking: {prompt[:60]}")
        if seen.tried.isdisjoint(equivalent_prompts(one)) and (wrongs := wrong_answers(prompt)):
            seen.tried.update(equivalent_prompts(one))
            await submit_answer(page, wrongs[0])
            await _note_help(client, node_id, equivalent_prompts(one), seen)
            listener.scan(f"answered wrongly: {prompt[:60]}")
            await expect(checkpoint(page)).to_be_visible()
        else:
            seen.settled.add(one_line(one.prompt))
            await submit_answer(page, right_answer(prompt))
            listener.scan(f"answered rightly: {prompt[:60]}")


async def _note_help(client: httpx2.AsyncClient, node_id: str, prompts: tuple[str, ...], seen: Disclosures) -> None:
    [session] = (await client.get("/api/chat/sessions", params={**USER, "nodeId": node_id})).json()
    stands = (await client.get(f"/api/chat/sessions/{session['id']}/lesson", params=USER)).json()
    for prompt in prompts:
        seen.levels[prompt] = max(seen.levels.get(prompt, 0), stands["helpLevel"])


async def _read_addresses(client: httpx2.AsyncClient, addresses: Collection[str]) -> int:
    """Read each address once; their number."""
    for address in addresses:
        await client.get(address)
    return len(addresses)


def _static_files() -> list[str]:
    """The address of every file of the page, which is the same whatever a learner does."""
    static = ROOT / "static"
    return sorted(f"/static/v/{file.relative_to(static)}" for file in static.rglob("*") if file.is_file())


async def _readable(client: httpx2.AsyncClient, few: int) -> list[str]:
    """Every address that can be read, with ids of what is there."""
    asked = set[str]()
    ids = await _ids(client, few)
    for endpoint in ENDPOINTS:
        if endpoint.method == "GET" and endpoint.path not in ENDLESS:
            query = "?answers=false" if endpoint.path in TAKES_ANSWERS else f"?userId={USER['userId']}"
            if "{" not in endpoint.path:
                asked.add(endpoint.path + query)
            for id_ in ids.get(endpoint.path.split("/{id}")[0], ()):
                if endpoint.path.count("{") == 1:
                    asked.add(endpoint.path.replace("{id}", id_) + query)
    return sorted(asked)


async def _ids(client: httpx2.AsyncClient, few: int) -> dict[str, list[str]]:
    """Ids of the existing objects, by the path template that serves one of them."""

    async def listed(path: str, **query: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = (await client.get(path, params={**USER, **query})).raise_for_status().json()
        return found

    branches = [one["id"] for one in await listed("/api/branches")]
    nodes = await listed("/api/nodes")
    some = [one["id"] for kind in KINDS for one in [node for node in nodes if node["type"] == kind][:few]]
    concepts = [node["id"] for node in nodes if node["type"] == "concept"]
    return {
        "/api/branches": branches,
        "/api/graphs": branches,
        "/api/nodes": some,
        "/api/agents/concepts": concepts,
        "/api/assessments": [one["id"] for one in await listed("/api/assessments")],
        "/api/chat/sessions": [one["id"] for one in await listed("/api/chat/sessions")],
        "/api/runs": [one["id"] for one in await listed("/api/runs", limit="100")],
    }


PROOFS: dict[str, Callable[..., Awaitable[list[ProofFigure]]]] = {"answers": answers}
