"""Number of SQL statements: as many for a large path as for a small one, and few."""

import re
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from harness.builders import a_concept, a_past_placement, a_past_review_session
from harness.servers.web import WEB_LIMITS, Web, a_static_folder, serving_web, until_processed
from sprout.learning.actor import Actor
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.store.lessons.memories import SqlMemories
from sprout.web.routes import ENDPOINTS
from tests.statement_counter import count_statements
from tests.web.handlers.teaching.lesson_server import calls, checkpoint, says, serving_lesson

ME = {"userId": DEFAULT_USER_ID}
OF_THE_LOG = re.compile(
    r"UPDATE runs SET last_seq|INSERT INTO (run_events|checkpoints)|SELECT checkpoints|SELECT run_events"
)
OF_THE_NEXT = re.compile(r"SELECT runs\..*\bWHERE runs\.lane =", re.DOTALL)
ROOM = replace(
    WEB_LIMITS, json_max_bytes=2_000_000, graph_max_bytes=2_000_000, upload_max_bytes=2_000_000, run_wait_s=5.0
)

# The most statements that each may take, whatever the size of the path. What is written is written in this order.
READING = {
    "/api/branches?userId={user}": 1,
    "/api/branches/summary": 6,
    "/api/branches/{branch}": 1,
    "/api/branches/{branch}/graph": 15,
    "/api/branches/{branch}/changes?limit=200": 2,
    "/api/branches/{branch}/update": 2,
    "/api/branches/{branch}/coverage": 3,
    "/api/branches/{branch}/left-out": 7,
    "/api/graphs/{branch}?answers=true": 5,
    "/api/branches/{branch}/qti": 5,
    "/api/nodes/{part}/qti": 5,
    "/api/next": 22,
    "/api/next?branchId={branch}": 17,
    "/api/today": 26,
    "/api/nodes": 1,
    "/api/nodes?branchId={branch}": 1,
    "/api/nodes/{part}": 1,
    "/api/nodes/{root}/children": 1,
    "/api/nodes/{root}/dependency-edges": 1,
    "/api/progress?userId={user}": 1,
    "/api/nodes/{part}/contents": 2,
    "/api/nodes/{part}/contents/active": 2,
    "/api/nodes/{part}/generations": 2,
    "/api/nodes/{root}/documents": 2,
    "/api/nodes/{root}/search?q=oranges": 3,
    "/api/nodes/{part}/sources": 3,
    "/api/passages/{passage}": 1,
    "/api/documents/{document}/passages": 2,
    "/api/documents/{document}/file": 1,
    "/api/assessments": 1,
    "/api/assessments/{assessment}": 1,
    "/api/assessments/{assessment}/questions": 2,
    "/api/assessments/{assessment}/answers": 2,
    "/api/agents/concepts/{concept}/diagnostic?userId={user}": 5,
    "/api/chat/sessions": 1,
    "/api/chat/sessions/{session}/messages": 4,
    "/api/chat/sessions/{session}/lesson": 15,
    "/api/chat/hints": 1,
    "/api/memories": 1,
    "/api/learner/progress?branchId={branch}": 9,
    "/api/misconceptions?branchId={branch}": 4,
    "/api/nodes/{part}/evidence": 2,
    "/api/learner/answers.csv": 1,
    "/api/learner/mastery.csv": 1,
    "/api/learner/cards.apkg?branchId={branch}&answers=true": 5,
    "/api/learner/archive": 54,
    "/api/branches/{branch}/xapi": 6,
    "/api/branches/{branch}/placement": 6,
    "/api/placements/{placement}": 9,
    "/api/reviews/due": 9,
    "/api/reviews/sessions/{reviews}": 12,
    "/api/reviews/settings": 1,
    "/api/reviews/calendar.ics": 14,
    "/api/reviews/costs": 2,
    "/api/runs": 1,
    "/api/runs/{run}": 7,
}
ASKS_NOTHING_OF_A_PATH = {
    "/", "/docs", "/openapi.json", "/metrics", "/static/{version}/{path:path}", "/frames/diagram",
    "/api/health", "/healthz", "/readyz", "/api/status", "/api/schema/events", "/api/schema/graph",
    "/api/sign-in", "/api/account", "/api/account/sessions", "/api/account/tokens", "/api/people", "/api/security-log",
    "/api/class-spending",
    "/api/security-log.csv", "/api/account/classes", "/api/account/paths", "/api/account/email",
    "/api/classes", "/api/classes/{id}", "/api/classes/{id}/learners", "/api/classes/{id}/paths",
    "/api/sign-in/oidc/callback", "/api/account/passkeys", "/api/account/identities", "/api/classes/{id}/budget",
    "/api/classes/{id}/concerns", "/api/chat/sessions/{id}/share", "/api/classes/{id}/desk/{item_id}/learner",
    "/api/classes/{id}/desk/{item_id}/drawing", "/api/answers/{id}/drawing",
    "/api/events", "/api/runs/{id}/events",  # streams: see tests/store/runs/test_append_cost.py
}  # fmt: skip
OF_A_CLASS = {  # see tests/store/accounts/test_class_progress.py, tests/store/desk and tests/store/xapi
    "/api/classes/{id}/paths/{given_id}/progress", "/api/classes/{id}/paths/{given_id}/progress.csv",
    "/api/classes/{id}/learners/{learner_id}/concepts/{node_id}", "/api/account/classes/{id}/seen",
    "/api/classes/{id}/desk", "/api/account/decisions",
    "/api/classes/{id}/shared", "/api/classes/{id}/shared/{session_id}",
    "/api/classes/{id}/paths/{given_id}/xapi", "/api/classes/{id}/lrs",
}  # fmt: skip
WRITING: dict[tuple[str, str], tuple[dict[str, Any], int]] = {
    ("POST", "/api/assessments/{assessment}/answers"): (
        {**ME, "questionId": "{choice}", "selectedOption": "one"},
        20,
    ),
    ("POST", "/api/questions/{number}/skip"): (ME, 12),
    ("POST", "/api/progress"): ({**ME, "nodeId": "{part}"}, 3),
    ("PATCH", "/api/progress/{progress}"): ({"masteryScore": 0.4}, 11),
    ("POST", "/api/chat/sessions"): ({**ME, "nodeId": "{part}"}, 2),
    ("POST", "/api/chat/sessions/{session}/messages"): ({**ME, "role": "user", "content": "So?"}, 2),
    ("POST", "/api/nodes"): ({**ME, "type": "concept", "title": "One more", "parentId": "{root}"}, 6),
    ("POST", "/api/changes/{change}/undo"): ({}, 14),
    ("PATCH", "/api/nodes/{part}"): ({"desc": "Said anew."}, 8),
    ("DELETE", "/api/branches/{branch}"): ({}, 5),
}
TURN = 100  # an aside to the tutor, its run and its stream, from the request to the reply


@dataclass(frozen=True)
class Size:
    concepts: int
    parts: int
    questions: int
    entries: int
    """How many messages, hints, contents, generations, answers and changes there are."""


SMALL, LARGE = Size(2, 4, 3, 2), Size(10, 29, 6, 16)


@dataclass(frozen=True)
class Grown:
    web: Web
    ids: dict[str, str]
    nodes: int

    def at(self, template: str) -> str:
        return template.format(user=DEFAULT_USER_ID, **self.ids)


def a_path(size: Size) -> dict[str, Any]:
    return {
        "sprout_path": 1,
        "title": "Marmalade",
        "topic": {"title": "Marmalade"},
        "concepts": [
            {
                "title": f"Concept {number}",
                "subconcepts": [{"title": f"Part {number}.{part}", "desc": "A part."} for part in range(size.parts)],
                "edges": [
                    {"from": f"Part {number}.{part}", "to": f"Part {number}.{part + 1}"}
                    for part in range(size.parts - 1)
                ],
                "questions": [
                    a_choice(number, place, tests=f"Part {number}.{place % size.parts}")
                    for place in range(size.questions)
                ],
            }
            for number in range(size.concepts)
        ],
        "edges": [{"from": f"Concept {n}", "to": f"Concept {n + 1}"} for n in range(size.concepts - 1)],
    }


def a_choice(number: int, place: int, *, tests: str) -> dict[str, Any]:
    if place == 1:
        return {"prompt": f"Of {number + 9} jars, how many are left when two go?", "format": "numeric",
                "correct_answer": str(number + 7), "difficulty": 1, "tests": [tests]}  # fmt: skip
    return {"prompt": f"Which of these is meant by {number}.{place}?", "format": "mcq", "difficulty": 1,
            "options": ["one", "two", "three", "four"], "correct_answer": "two", "tests": [tests]}  # fmt: skip


async def grown(web: Web, size: Size) -> Grown:
    """A path of the size with everything that may hang on it, and the ids of some of it."""
    client = web.client

    async def made(address: str, body: dict[str, Any]) -> Any:
        answer = await client.post(address, json=body)
        assert answer.is_success, answer.text
        return answer.json()

    branch = (await made("/api/graphs", a_path(size)))["branch"]["id"]
    nodes = (await client.get(f"/api/nodes?branchId={branch}")).json()
    root, concept, part = (next(n["id"] for n in nodes if n["type"] == t) for t in ("root", "concept", "subconcept"))
    text = "\n\n".join(f"# Jar {number}\n\nMarmalade number {number}: oranges." for number in range(size.entries * 3))
    await client.post(f"/api/nodes/{root}/documents", files={"files": ("notes.md", text.encode(), "text/markdown")})
    await until_processed(client, root)
    passages = (await client.get(f"/api/branches/{branch}/coverage")).json()
    diagnostics = (await client.get("/api/assessments")).json()
    for diagnostic in diagnostics:
        asked = (await client.get(f"/api/assessments/{diagnostic['id']}/questions")).json()
        for question in asked[2:]:
            answer = {**ME, "questionId": question["id"], "selectedOption": "two"}
            await made(f"/api/assessments/{diagnostic['id']}/answers", answer)
    assessment = next(one["id"] for one in diagnostics if one["targetNodeId"] == concept)
    questions = (await client.get(f"/api/assessments/{assessment}/questions")).json()
    session = (await made("/api/chat/sessions", {**ME, "nodeId": part}))["id"]
    for number in range(size.entries):
        await made(f"/api/chat/sessions/{session}/messages", {**ME, "role": "user", "content": f"Why {number}?"})
        await made("/api/chat/sessions", {**ME, "nodeId": part})
        await made("/api/chat/hints", {**ME, "nodeId": part, "sessionId": session})
        await made(f"/api/nodes/{part}/contents", {"explanationMd": f"# {number}"})
        await made(f"/api/nodes/{part}/generations", {"trigger": "manual_regenerate"})
        await client.patch(f"/api/nodes/{part}", json={"desc": f"Said {number}."})
        await SqlMemories(web.database, lambda _: None).remember(
            f"Likes jar {number} of marmalade, {'very ' * (number % 7)}much.", actor=Actor(DEFAULT_USER_ID)
        )
    for node in nodes:
        await made("/api/progress", {**ME, "nodeId": node["id"]})
    progress = (await client.get(f"/api/progress?userId={DEFAULT_USER_ID}&nodeId={part}")).json()[0]["id"]
    topic = next(one for one in await web.paths.nodes(user_id=DEFAULT_USER_ID, type="root"))
    runs = [await web.end(await web.a_run(topic)) for _ in range(size.entries)]
    changes = (await client.get(f"/api/branches/{branch}/changes")).json()
    parts = [node["id"] for node in nodes if node["type"] == "subconcept"]
    ids = {
        "branch": branch, "root": root, "concept": concept, "part": part, "passage": passages[0]["id"],
        "document": passages[0]["documentId"],
        "assessment": assessment, "choice": questions[0]["id"], "number": questions[1]["id"], "session": session,
        "progress": progress, "run": runs[-1].id, "change": changes[0]["id"],
        "reviews": await a_past_review_session(web.database, parts),
        "placement": (await a_past_placement(client, branch))[0],
    }  # fmt: skip
    return Grown(web, ids, len(nodes))


@asynccontextmanager
async def two_paths(folders: pytest.TempPathFactory) -> AsyncIterator[tuple[Grown, Grown]]:
    """A small path on a server of its own, and a large one on another."""
    async with AsyncExitStack() as stack:
        found = []
        for size in (SMALL, LARGE):
            folder = folders.mktemp("statements")
            web = await stack.enter_async_context(serving_web(folder, a_static_folder(folder), quiet=True, limits=ROOM))
            found.append(await grown(web, size))
        yield found[0], found[1]


@pytest.fixture(scope="module")
async def paths(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[Grown, Grown]]:
    """Paths that the tests of this module read. Those that change one grow their own: tests run in any order."""
    async with two_paths(tmp_path_factory) as made:
        yield made


async def test_a_turn_of_a_lesson_takes_as_many_statements_in_a_large_path_as_in_a_small_one(tmp_path: Path) -> None:
    counts = []
    for size in (SMALL, replace(LARGE, entries=6)):
        folder = tmp_path / str(size.parts)
        folder.mkdir()
        async with serving_lesson(folder, quiet=True) as lesson:
            concept = await lesson.paths.node(lesson.node.parent_id or "", user_id=DEFAULT_USER_ID)
            for number in range(size.parts):
                await a_concept(lesson.paths, concept, f"Part {number}")
            await lesson.turn("", calls(checkpoint()))
            for number in range(size.entries):
                await lesson.aside(f"Why {number}?", says(f"It is so, number {number} of them. What do you think?"))
            with count_statements(lesson.database) as sent:
                await lesson.aside("And why else?", says("It is a good question, and we come to it."))
            statements = [sql for sql, _ in sent]
            assert len(statements) <= TURN
            # The log is written in batches, as they come; the lane's next is looked for when the turn has ended.
            counts.append([one for one in statements if not (OF_THE_LOG.match(one) or OF_THE_NEXT.match(one))])
    few, many = counts
    assert len(many) == len(few), f"{len(few)} and {len(many)} statements\n{compared(few, many)}"


async def statements_of(path: Grown, method: str, template: str, body: dict[str, Any] | None = None) -> list[str]:
    filled = {name: path.at(value) if isinstance(value, str) else value for name, value in (body or {}).items()}
    with count_statements(path.web.database) as sent:
        answer = await path.web.client.request(method, path.at(template), json=filled if body else None)
    assert answer.is_success, answer.text
    return [sql for sql, _ in sent]


def compared(few: list[str], many: list[str]) -> str:
    """Statements that a large path adds, for the message of a failing test."""
    return "\n".join(f"{times} more: {statement}" for statement, times in (Counter(many) - Counter(few)).items())


def test_every_address_that_reads_of_a_path_is_in_the_table() -> None:
    shapes = {re.sub(r"{\w+}", "{id}", address.partition("?")[0]) for address in READING}
    reads = {endpoint.path for endpoint in ENDPOINTS if endpoint.method == "GET"}
    assert reads - ASKS_NOTHING_OF_A_PATH - OF_A_CLASS == shapes


async def test_the_large_path_is_large(paths: tuple[Grown, Grown]) -> None:
    assert [path.nodes for path in paths] == [11, 301]


@pytest.mark.parametrize("address", READING)
async def test_reading_takes_as_many_statements_for_300_nodes_as_for_a_few(
    paths: tuple[Grown, Grown], address: str
) -> None:
    small, large = paths
    few, many = await statements_of(small, "GET", address), await statements_of(large, "GET", address)
    assert len(many) == len(few) <= READING[address], f"{len(few)} and {len(many)} statements\n{compared(few, many)}"


async def test_today_takes_as_many_statements_for_four_paths_that_are_not_begun_as_for_one(tmp_path: Path) -> None:
    async with serving_web(tmp_path, a_static_folder(tmp_path), quiet=True) as web:
        counts = []
        for _ in range(4):
            assert (await web.client.post("/api/graphs", json=a_path(SMALL))).is_success
            with count_statements(web.database) as sent:
                paths = (await web.client.get("/api/today")).json()["paths"]
            assert all(path["placement"]["questions"] > 0 for path in paths)
            counts.append(len(sent))
        assert len({*counts}) == 1, counts


async def test_writing_takes_as_many_statements_for_300_nodes_as_for_a_few(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """In one test, since each finds what those before it have changed, and the last deletes the path."""
    too_many = {}
    async with two_paths(tmp_path_factory) as (small, large):
        for (method, address), (body, most) in WRITING.items():
            few = await statements_of(small, method, address, body)
            many = await statements_of(large, method, address, body)
            if not len(many) == len(few) <= most:
                too_many[f"{method} {address}"] = f"{len(few)} and {len(many)} statements\n{compared(few, many)}"
    assert too_many == {}
