"""Assistants with the mcp package's own client: whole stories, over HTTP and stdio, and what stays secret in them."""

import asyncio
import json

import httpx2
import pytest

from harness.clients.assistant import Assistant, Json, a_new_path, connected, message, started
from harness.servers.signed_in import SignInServer
from sprout.web.mcp.tools import TOOLS

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


def heads(version: str, method: str, name: str | None = None) -> dict[str, str]:
    """Headers of a message; those of 2026 say what is in it."""
    found = {"Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": version, "Mcp-Method": method}
    return found | ({} if name is None else {"Mcp-Name": name})


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
