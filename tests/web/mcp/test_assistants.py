"""Assistants over HTTP, with the mcp package's own client: stories, secrets, rights, cut and malformed requests."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from harness.clients.assistant import Assistant, Json, connected, started
from harness.servers.signed_in import SignInServer, serving_sign_in, unlimited
from harness.servers.web import a_static_folder, serving_web
from sprout.learning.paths.repository import BranchSummary
from sprout.store.paths.paths import SqlPaths
from sprout.web.mcp.tools import TOOLS

NOTES = """# Mirrors

A **mirror** is a surface that throws light back at the angle at which it came. The **normal** is a line at right angles
to the mirror, from which the angle of incidence is measured.

# Refraction

Light goes slower in water than in air. The **refractive index** says how many times slower light is in a material.
"""
SECRETS = ("271828", "Zq")
NUMBER, REASON = "271828", "Zqsolution: it was measured."
LONG_AGO = "2026-01-05T09:00:00Z"
PATH: Json = {
    "sprout_path": 1,
    "title": "Numbers",
    "topic": {"title": "Numbers"},
    "misconceptions": [{"key": "other", "statement": "Zqbelief", "contrast": "Zqcontrast"}],
    "concepts": [
        {
            "title": "Measured numbers",
            "subconcepts": [{"title": "The first"}, {"title": "The second"}],
            "questions": [
                {
                    "prompt": f"Which number was measured {how} in {part}?",
                    "format": "numeric",
                    "difficulty": 1,
                    "correct_answer": NUMBER,
                    "tests": [part],
                    "misconceptions": [{"option": "31", "misconception": "other"}],
                    "solution": [REASON],
                }
                for part in ("The first", "The second")
                for how in ("at dawn", "at noon", "at night")
            ],
        },
        {
            "title": "Explained numbers",
            "subconcepts": [{"title": "The third"}],
            "questions": [
                {
                    "prompt": "Why is there a number at all?",
                    "format": "open_ended",
                    "difficulty": 1,
                    "tests": ["The third"],
                    "criteria": [
                        {"label": "gives a cause", "statement": "Zqstatement", "weight": 0.5},
                        {"label": "gives a reason", "statement": "Zqother", "weight": 0.5, "misconception": "Zqmix"},
                    ],
                    "anchors": ["Zqfull", "Zqpartial"],
                    "correct_answer": "Zqcorrect",
                    "solution": ["Zqsolution"],
                }
            ],
        },
    ],
}
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


@pytest.fixture(scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[SignInServer]:
    async with serving_sign_in(tmp_path_factory.mktemp("assistants"), take_token=unlimited) as running:
        for name in ("anna", "ben"):
            await running.add_person(name)
        yield running


@pytest.fixture(scope="module")
async def anna(server: SignInServer) -> httpx2.AsyncClient:
    return await server.sign_in("anna")


async def a_token(browser: httpx2.AsyncClient, *scopes: str) -> str:
    made = await browser.post("/api/account/tokens", json={"name": "assistant", "scopes": scopes})
    return str(made.raise_for_status().json()["token"])


@pytest.fixture(scope="module")
async def token(anna: httpx2.AsyncClient) -> str:
    return await a_token(anna, "read", "learn")


@pytest.fixture(scope="module")
async def bens_token(server: SignInServer) -> str:
    return await a_token(await server.sign_in("ben"), "read", "learn")


def message(method: str, params: Json | None = None) -> Json:
    return {"jsonrpc": "2.0", "id": 1, "method": method} | ({} if params is None else {"params": params})


def heads(version: str, method: str, name: str | None = None) -> dict[str, str]:
    """Headers of a message; those of 2026 say what is in it."""
    found = {"Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": version, "Mcp-Method": method}
    return found | ({} if name is None else {"Mcp-Name": name})


async def a_new_path(assistant: Assistant, title: str) -> tuple[str, str]:
    """The ids of a path with notes, and of its topic."""
    made = await assistant.call("create_path", title=title)
    await assistant.call("add_notes", topicId=made["topic"]["id"], fileName="light.md", text=NOTES)
    return made["branch"]["id"], made["topic"]["id"]


@pytest.mark.parametrize("way", ["HTTP", "HTTP as of 2025", "stdio"])
async def test_O3_an_assistant_grows_a_path_with_progress_reads_it_and_hands_in_answers(
    server: SignInServer, token: str, way: str
) -> None:
    by_http = connected(server.origin, token, mode="auto" if way == "HTTP" else "legacy")
    async with started(server.origin, token) if way == "stdio" else by_http as assistant:
        assert await assistant.tools() == [tool.name for tool in TOOLS]
        assert "never an instruction" in (assistant.client.instructions or "")
        branch, topic = await a_new_path(assistant, f"Light, {way}")
        grown = await assistant.call("grow_path", topicId=topic)
        assert grown["run"]["state"] == "completed"
        numbers = [number for number, _ in assistant.progress]
        assert numbers == sorted(set(numbers))
        assert [message for _, message in assistant.progress] == grown["events"]
        assert grown["events"][-1] == "The run has ended: completed"

        path = (await assistant.call("read_path", branchId=branch))["path"]
        titles = {node["title"] for node in path["nodes"]}
        assert {event.partition(": ")[2] for event in grown["events"] if event.startswith("New ")} <= titles
        concept = next(node for node in path["nodes"] if node["type"] == "concept")
        parts = (await assistant.call("read_concept", nodeId=concept["id"]))["parts"]
        assert {part["title"] for part in parts} < titles
        taught = [(await assistant.call("read_concept", nodeId=part["id"]))["sources"]["passages"] for part in parts]
        assert "throws light back" in json.dumps(taught)
        found = await assistant.call("search_notes", topicId=topic, q="refractive")
        assert "slower" in found["passages"][0]["text"]
        assert (await assistant.call("next_step", branchId=branch))["next"]["kind"] == "lesson"

        asked = (await assistant.call("read_questions", conceptId=concept["id"]))["diagnostic"]
        for question in asked["questions"]:
            given = {"assessmentId": asked["assessment"]["id"], "questionId": question["id"]}
            await assistant.call("answer_question", **given, answerText="a window")
        adapted = await assistant.call("open_concept", conceptId=concept["id"])
        assert adapted["run"]["state"] == "completed"
        answers = (await assistant.call("read_answers", assessmentId=asked["assessment"]["id"]))["answers"]
        assert [each["answerText"] for each in answers] == ["a window"] * len(asked["questions"])
        assert all(each["answer"] or each["compare"] for each in answers), answers


async def test_O3_no_answer_comes_back_before_the_learners(
    server: SignInServer, anna: httpx2.AsyncClient, token: str
) -> None:
    imported = await anna.post("/api/graphs", json=PATH)
    assert imported.status_code == 201, imported.text
    branch = imported.json()["branch"]["id"]
    async with connected(server.origin, token) as assistant:
        nodes = (await assistant.call("read_path", branchId=branch))["path"]["nodes"]
        for node in nodes:
            await assistant.call("read_concept", nodeId=node["id"])
        await assistant.call("next_step", branchId=branch)
        await assistant.call("list_paths")
        concept, explained = [node["id"] for node in nodes if node["type"] == "concept"]
        await assistant.call("read_questions", conceptId=explained)
        asked = (await assistant.call("read_questions", conceptId=concept))["diagnostic"]
        at = {"assessmentId": asked["assessment"]["id"]}
        *firsts, last = asked["questions"]
        for question in firsts:
            await assistant.call("answer_question", **at, questionId=question["id"], answerText="12")
            await assistant.call("read_questions", conceptId=concept)
            await assistant.call("read_answers", **at)
        assert leaked(assistant) == []

        await assistant.call("answer_question", **at, questionId=last["id"], answerText="12")
        settled = (await assistant.call("read_answers", **at))["answers"]
        assert {(each["answer"], each["why"]) for each in settled} == {(NUMBER, REASON)}

        await make_due(anna, branch)
        assistant.texts.clear()
        session = (await assistant.call("start_review"))["session"]
        assert session["question"]["prompt"] in {question["prompt"] for question in asked["questions"]}
        assert leaked(assistant) == []
        item = {"sessionId": session["id"], "itemId": session["question"]["itemId"]}
        reviewed = (await assistant.call("answer_review", **item, answerText=NUMBER))["review"]
        assert (reviewed["result"]["mark"], reviewed["result"]["why"]) == ("right", REASON)
        following = reviewed["session"]["question"]["itemId"]
        skipped = await assistant.call("skip_review", sessionId=session["id"], itemId=following)
        assert skipped["session"]["done"] == 2


def leaked(assistant: Assistant) -> list[str]:
    return [secret for secret in SECRETS if any(secret.lower() in text.lower() for text in assistant.texts)]


async def make_due(browser: httpx2.AsyncClient, branch: str) -> None:
    """Have the parts of a path learned long ago."""
    for node in (await browser.get("/api/nodes", params={"branchId": branch, "type": "subconcept"})).json():
        progress = (await browser.post("/api/progress", json={"nodeId": node["id"]})).json()
        for change in ({"masteryScore": 0.1}, {"completedAt": LONG_AGO}):
            (await browser.patch(f"/api/progress/{progress['id']}", json=change)).raise_for_status()


async def test_O3_another_learners_ids_are_as_unknown_ones(server: SignInServer, token: str, bens_token: str) -> None:
    async with connected(server.origin, token) as annas, connected(server.origin, bens_token) as bens:
        branch, topic = await a_new_path(annas, "Secret garden")
        run = (await annas.call("grow_path", topicId=topic, small=True))["run"]["id"]
        ended = (await annas.call("stop_run", runId=run))["run"]
        assert ended["state"] == "completed", "one that has ended is unchanged"
        nodes = (await annas.call("read_path", branchId=branch))["path"]["nodes"]
        concept = next(node["id"] for node in nodes if node["type"] == "concept")
        assessment = (await annas.call("read_questions", conceptId=concept))["diagnostic"]["assessment"]["id"]
        ids = {
            "branchId": branch, "topicId": topic, "nodeId": concept, "conceptId": concept, "runId": run,
            "assessmentId": assessment, "answerId": "a", "sessionId": "a",
        }  # fmt: skip
        before = await annas.call("read_path", branchId=branch)
        for tool in [tool for tool in TOOLS if tool.ids]:
            schema = tool.input_schema()
            filled = {name: filling(schema["properties"][name]) for name in schema["required"]}
            answers = [
                await bens.refused(
                    tool.name, **filled | {name: value for name, value in each.items() if name in filled}
                )
                for each in (ids, dict.fromkeys(ids, "nothing"))
            ]
            assert [answer["code"] for answer in answers] == ["not_found", "not_found"], tool.name
            assert "Secret" not in json.dumps(answers)
        assert (await bens.call("list_paths"))["paths"] == []
        assert await annas.call("read_path", branchId=branch) == before


def filling(schema: Json) -> Any:
    """A value that a required argument takes."""
    return {"c1": "met"} if schema["type"] == "object" else "a"


async def test_O3_cancelling_a_call_stops_following_and_not_the_run(server: SignInServer, token: str) -> None:
    async with connected(server.origin, token) as assistant:
        _, topic = await a_new_path(assistant, "Cancelled")
        reported = asyncio.Event()

        async def report(progress: float, total: float | None, message: str | None) -> None:
            reported.set()

        growing = asyncio.create_task(
            assistant.client.call_tool("grow_path", {"topicId": topic}, progress_callback=report)
        )
        await reported.wait()
        growing.cancel()
        await asyncio.wait([growing])
        run = (await assistant.call("grow_path", topicId=topic, seconds=1))["run"]
        ended = await assistant.call("follow_run", runId=run["id"])
        assert ended["run"]["state"] == "completed"
        assert ended["run"]["lastEventId"] == assistant.progress[-1][0]
        later = await assistant.call("follow_run", runId=run["id"], after=ended["run"]["lastEventId"] - 1)
        assert later["events"] == ["The run has ended: completed"]


@pytest.mark.parametrize("version", ["2025-06-18", "2026-07-28"])
async def test_O3_a_cut_session_leaves_the_run_and_the_next_one_goes_on(
    server: SignInServer, token: str, version: str
) -> None:
    async with connected(server.origin, token) as before:
        _, topic = await a_new_path(before, f"Cut, {version}")
    params = {"name": "grow_path", "arguments": {"topicId": topic}, "_meta": {"progressToken": 1, **ENVELOPE}}
    client = await server.with_token(token)
    async with client.stream(
        "POST", "/mcp", json=message("tools/call", params), headers=heads(version, "tools/call", "grow_path")
    ) as response:
        async for line in response.aiter_lines():
            if line.startswith("data: "):
                assert json.loads(line[6:])["method"] == "notifications/progress"
                break
    async with connected(server.origin, token) as after:
        run = (await after.call("grow_path", topicId=topic, seconds=1))["run"]
        assert (await after.call("follow_run", runId=run["id"]))["run"]["state"] == "completed"
        runs = (await after.call("read_path", branchId=run["branchId"]))["path"]["runs"]
        assert [one["id"] for one in runs] == [run["id"]], "the run that was begun is the one that is joined"


async def test_O3_a_token_allows_what_it_says_and_no_more(server: SignInServer, anna: httpx2.AsyncClient) -> None:
    reading = await a_token(anna, "read")
    async with connected(server.origin, reading) as assistant:
        assert set(await assistant.tools()) == {tool.name for tool in TOOLS if tool.reads} | {"read_questions"}
        assert "paths" in await assistant.call("list_paths")
        refused = await assistant.refused("create_path", title="Not mine to make")
        assert refused["code"] == "missing_right"
    statuses = {}
    for name, secret in {
        "calendar": await a_token(anna, "calendar"),
        "wrong": "wrong",
        "revoked": await a_revoked_token(anna),
    }.items():
        client = await server.with_token(secret)
        statuses[name] = (await client.post("/mcp", json=message("tools/list"))).status_code
    statuses["none"] = (await (await server.browser()).post("/mcp", json=message("ping"))).status_code
    assert statuses == {"calendar": 403, "wrong": 401, "revoked": 401, "none": 401}


async def a_revoked_token(browser: httpx2.AsyncClient) -> str:
    made = (await browser.post("/api/account/tokens", json={"name": "revoked", "scopes": ["read", "learn"]})).json()
    (await browser.delete(f"/api/account/tokens/{made['id']}")).raise_for_status()
    return str(made["token"])


async def test_O3_pages_of_other_sites_and_other_names_of_the_server_are_refused(
    server: SignInServer, token: str
) -> None:
    client = await server.with_token(token)
    asked = message("tools/list")
    foreign = await client.post("/mcp", json=asked, headers={"Origin": "https://evil.example"})
    rebound = await client.post("/mcp", json=asked, headers={"Host": "evil.example"})
    assert (foreign.status_code, foreign.json()["code"]) == (403, "other_site")
    assert (rebound.status_code, rebound.json()["code"]) == (400, "host_unknown")
    for method in ("GET", "DELETE"):
        assert (await client.request(method, "/mcp")).status_code == 405


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"{", 400),
        (b"[]", 400),
        (b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]', 400),
        (b'{"jsonrpc": "2.0", "id": 1, "result": {}}', 400),
        (b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}', 422),
        (b'{"jsonrpc": "2.0", "id": {}, "method": "ping"}', 422),
        (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', 400),
        (b'{"jsonrpc": "2.0", "id": 1, "id": 2, "method": "ping"}', 400),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": ' + b'{"a":' * 200 + b"1" + b"}" * 201, 400),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a": "' + b"a" * 4_000_000 + b'"}}', 413),
        (b'{"jsonrpc": "2.0", "method": "notifications/initialized"}', 202),
    ],
    ids=lambda value: value[-30:].decode() if isinstance(value, bytes) else "",
)
async def test_O3_malformed_and_huge_messages_are_refused_in_the_shape_of_the_api(
    server: SignInServer, token: str, body: bytes, status: int
) -> None:
    client = await server.with_token(token)
    answer = await client.post("/mcp", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == status, answer.text
    if status >= 400:
        assert set(answer.json()) >= {"error", "code"}


async def test_O3_bad_arguments_get_the_sentences_of_the_api(server: SignInServer, token: str) -> None:
    async with connected(server.origin, token) as assistant:
        _, topic = await a_new_path(assistant, "Bad arguments")
        wrong: list[tuple[str, Json, str]] = [
            ("nothing", {}, "There is no tool 'nothing'"),
            ("list_paths", {"userId": "ben"}, "list_paths has no argument 'userId'"),
            ("read_path", {}, "branchId: is required"),
            ("read_path", {"branchId": ["a"]}, "branchId: is required and must be text"),
            ("read_path", {"branchId": "../api/learner"}, "no branch '../api/learner'"),
            ("read_path", {"branchId": "a" * 101}, "no object"),
            ("create_path", {"title": "  "}, "title: is required and must not be empty"),
            ("search_notes", {"topicId": topic, "q": 5}, "q: must be text"),
            ("search_notes", {"topicId": topic, "q": "a" * 301}, "q: string should have at most 300 characters"),
            ("add_notes", {"topicId": topic, "text": ""}, "text: is required"),
            ("follow_run", {"runId": "a", "seconds": 10_000}, "seconds: input should be less than or equal to 600"),
            ("grow_path", {"topicId": topic, "wait": "true"}, "grow_path has no argument 'wait'"),
        ]
        for name, arguments, sentence in wrong:
            refused = await assistant.refused(name, **arguments)
            assert sentence in refused["error"], (name, refused)


class BrokenPaths(SqlPaths):
    """`SqlPaths` with a bug."""

    def __init__(self) -> None:
        pass

    async def summaries(self, user_id: str) -> list[BranchSummary]:
        raise RuntimeError("SELECT of what nobody may see")


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_O3_a_bug_is_told_without_its_words(tmp_path: Path, mode: str) -> None:
    static = a_static_folder(tmp_path)
    async with (
        serving_web(tmp_path, static, served_paths=BrokenPaths()) as web,
        connected(web.served.url, mode=mode) as assistant,
    ):
        refused = await assistant.refused("list_paths")
        assert refused["code"] == "internal"
        assert "SELECT" not in assistant.texts[-1]
        assert (await assistant.refused("read_path", branchId=5))["code"] == "bad_input", "the session goes on"


def test_O3_every_tool_describes_arguments_that_it_takes_and_nothing_else() -> None:
    for tool in TOOLS:
        schema = tool.input_schema()
        assert schema["additionalProperties"] is False
        assert set(schema["required"]) <= set(schema["properties"])
        assert "userId" not in schema["properties"]
        assert all({"title", "anyOf"}.isdisjoint(about) for about in schema["properties"].values()), tool.name
