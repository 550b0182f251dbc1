"""Runs over AG-UI: which agent answers, who joins, and what a front end has in the end (open.md O4)."""

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx2

from harness.builders import a_run
from harness.clients.ag_ui_client import AgUiClient
from harness.journeys.learner import IMMEDIATE
from harness.journeys.sprout_server import COURSE, start_server
from harness.servers.signed_in import serving_sign_in
from harness.servers.web import Web
from sprout.clock import utc_now
from sprout.runs.questions import CONTINUE_ANYWAY, changed_question
from sprout.runs.run_store import WorkerLease

ADDRESS = "/api/ag-ui"
ELSEWHERE = WorkerLease("a worker that is gone", lease_s=0.0)


def a_request(thread: str, run: str, words: str = "", known: list[dict[str, Any]] | None = None, **more: Any) -> Any:
    said = [{"id": f"said in {run}", "role": "user", "content": words}] if words else []
    return {"threadId": thread, "runId": run, "messages": [*(known or []), *said], **more}


def events_in(text: str) -> list[dict[str, Any]]:
    return [json.loads(line.removeprefix("data: ")) for line in text.splitlines() if line.startswith("data: ")]


async def ask(client: httpx2.AsyncClient, request: Any) -> tuple[AgUiClient, httpx2.Response]:
    """A front end that has sent this and followed the run to its end."""
    answer = await client.post(ADDRESS, json=request)
    assert answer.status_code == 200, answer.text
    return AgUiClient(request["messages"]).receive(events_in(answer.text)), answer


async def begin(web: Web, request: Any) -> str:
    """The run that a front end has started, which then loses its connection."""
    async with web.client.stream("POST", ADDRESS, json=request) as answer:
        async for line in answer.aiter_lines():
            if "STATE_SNAPSHOT" in line:
                break
    return answer.headers["x-run-id"]


def a_name() -> str:
    return f"thread {utc_now().timestamp()}"


async def test_O4_a_cut_connection_leaves_the_run_going_and_the_same_run_id_joins_it(web: Web) -> None:
    request = a_request(a_name(), "mine", f"Light {a_name()}")
    run_id = await begin(web, request)
    async with asyncio.timeout(30):
        await web.runs.until_followers(run_id, 0)
    joined = asyncio.create_task(ask(web.client, request))
    async with asyncio.timeout(30):
        await web.runs.until_followers(run_id, 1)
    web.agent.finish(run_id)
    client, answer = await joined
    assert answer.headers["x-run-id"] == run_id
    assert client.types[0] == "RUN_STARTED"
    assert client.types[-1] == "RUN_FINISHED"
    branches = (await web.client.get("/api/branches")).json()
    assert sum(branch["title"] == request["messages"][0]["content"] for branch in branches) == 1
    assert client.state["branch"]["title"] == request["messages"][0]["content"]


async def test_O4_one_request_sent_twice_at_once_makes_one_path(web: Web) -> None:
    title = f"Light {a_name()}"
    request = a_request(a_name(), "mine", title)
    runs = await asyncio.gather(*(begin(web, request) for _ in range(4)))
    web.agent.finish(runs[0])
    await ask(web.client, request)
    assert len({*runs}) == 1
    assert [one["title"] for one in (await web.client.get("/api/branches")).json()].count(title) == 1


async def test_O4_a_question_of_a_run_is_an_interrupt_that_the_next_request_resumes(web: Web) -> None:
    _, root = await web.a_topic(a_name())
    waiting = await web.store.pause(
        (await web.store.admit(a_run(root), lease=ELSEWHERE)).run,
        changed_question(utc_now(), before="a", after="b"),
        [],
    )
    web.agent.finish(waiting.id)
    # A path whose run waits has nothing to teach: the thread of its topic is the run's.
    asked, _ = await ask(web.client, a_request(root.id, "first", forwardedProps={"agent": "topic"}))
    again, _ = await ask(web.client, a_request(root.id, "first", forwardedProps={"agent": "topic"}))
    assert asked.types[-1] == again.types[-1] == "RUN_FINISHED"
    entry = {"interruptId": waiting.id, "status": "resolved", "payload": CONTINUE_ANYWAY}
    done, answer = await ask(web.client, a_request(root.id, "second", resume=[entry]))
    assert answer.headers["x-run-id"] == waiting.id
    assert events_in(answer.text)[-1]["outcome"] == {"type": "success"}
    repeated, _ = await ask(web.client, a_request(root.id, "second", resume=[entry]))
    assert repeated.messages == done.messages


async def test_O4_what_cannot_be_answered_is_refused_in_words_and_leaves_nothing(web: Web) -> None:
    _, root = await web.a_topic(a_name())
    before = (await web.client.get("/api/branches")).json()
    picture = {"type": "image", "source": {"type": "url", "value": "https://example.org/a.png"}}
    part = {"type": "text", "text": "Light"}
    refusals = {
        400: [
            a_request("t", "r"),
            a_request("t", "r", "x" * 301),
            {"threadId": "t", "messages": []},
            a_request("t", "r", known=[{"id": "x", "role": "user", "content": [part, picture]}]),
            a_request("x" * 201, "r", "Light"),
            a_request("t", "r", "Light", forwardedProps={"agent": "tutor"}),
            a_request("t", "r", "Light", forwardedProps={"agent": "refinement", "nodeId": root.id}),
            a_request("t", "r", resume=[{"interruptId": (await web.a_run()).id, "status": "resolved", "payload": 7}]),
        ],
        422: [
            a_request("t", "r", "Light", known=[{"id": "x", "role": "nobody", "content": ""}]),
            a_request("t", "r", "Light", forwardedProps={"small": "yes"}),
        ],
        404: [
            a_request("t", "r", "Light", forwardedProps={"nodeId": "no such node"}),
            a_request("t", "r", "Light", forwardedProps={"nodeId": root.id, "agent": "no such agent"}),
            a_request("t", "r", resume=[{"interruptId": "no such run", "status": "resolved", "payload": "So"}]),
        ],
    }
    for status, requests in refusals.items():
        for request in requests:
            answer = await web.client.post(ADDRESS, json=request)
            assert (answer.status_code, bool(answer.json()["error"])) == (status, True), (request, answer.text)
    assert len((await web.client.get("/api/branches")).json()) == len(before) + 1  # of the run above


async def test_O4_a_thread_grows_a_path_and_then_teaches_it(tmp_path: Path, sqlite_url: str) -> None:
    async with start_server(tmp_path, sqlite_url, pace=IMMEDIATE) as sprout:
        grown, _ = await ask(sprout.client, a_request("a chat", "1", COURSE, forwardedProps={"small": True}))
        (path,) = await sprout.paths()
        graph = await sprout.get(f"/branches/{path['branch']['id']}/graph")
        assert {key: one["title"] for key, one in grown.state["nodes"].items()} == {
            one["id"]: one["title"] for one in graph["nodes"]
        }
        ends = {(one["sourceNodeId"], one["targetNodeId"]) for one in graph["edges"]}
        assert {(one["sourceNodeId"], one["targetNodeId"]) for one in grown.state["edges"].values()} == ends
        assert "SUBAGENT_STARTED" in grown.types
        assert len(grown.texts()) == len({*grown.texts()}) == 1

        opened, _ = await ask(sprout.client, a_request("a chat", "2", "Let us begin", [*grown.messages.values()]))
        (session,) = await sprout.get("/chat/sessions")
        assert (await sprout.get(f"/chat/sessions/{session['id']}/messages"))[0]["content"] == "Let us begin"
        question = (await sprout.get(f"/chat/sessions/{session['id']}/lesson"))["question"]
        assert sum(question["prompt"] in text for text in opened.texts()) == 1

        answered, raw = await ask(sprout.client, a_request("a chat", "3", "bananas", [*opened.messages.values()]))
        messages = await sprout.get(f"/chat/sessions/{session['id']}/messages")
        assert messages[-2]["content"] == "[ANSWER] bananas"
        said = [text for text in answered.texts() if text not in opened.texts()]
        assert said
        assert said[0] in messages[-1]["content"]
        repeated, again = await ask(sprout.client, a_request("a chat", "3", "bananas", [*opened.messages.values()]))
        assert again.headers["x-run-id"] == raw.headers["x-run-id"]
        assert repeated.messages == answered.messages
        assert len(await sprout.get("/chat/sessions")) == 1

        begun = next(one["parentId"] for one in graph["nodes"] if one["id"] == session["nodeId"])
        locked = next(one["id"] for one in graph["nodes"] if one["type"] == "concept" and one["id"] != begun)
        by_thread, _ = await ask(sprout.client, a_request(begun, "4", "I am lost"))
        by_node, _ = await ask(sprout.client, a_request("other", "5", "7", forwardedProps={"nodeId": begun}))
        assert by_thread.texts()
        assert by_node.texts()
        assert [one["id"] for one in await sprout.get("/chat/sessions")] == [session["id"]]
        refused = await sprout.client.post(ADDRESS, json=a_request(locked, "6", "Teach me this"))
        assert (refused.status_code, refused.json()["code"]) == (409, "no_lesson")


async def test_O4_another_learner_has_neither_the_node_nor_the_run_and_a_thread_of_their_own(tmp_path: Path) -> None:
    async with serving_sign_in(tmp_path) as server:
        for name in ("ann", "bob"):
            await server.add_person(name)
        ann, bob = await server.sign_in("ann"), await server.sign_in("bob")
        small: dict[str, Any] = {"forwardedProps": {"small": True}}
        mine, answer = await ask(ann, a_request("t", "r", COURSE, **small))
        node = next(iter(mine.state["nodes"]))
        entry = {"interruptId": answer.headers["x-run-id"], "status": "cancelled"}
        for request in (
            a_request("t", "r", forwardedProps={"nodeId": node}),
            a_request("t", "r", resume=[entry]),
        ):
            assert (await bob.post(ADDRESS, json=request)).status_code == 404
        theirs, other = await ask(bob, a_request("t", "r", COURSE, **small))
        assert other.headers["x-run-id"] != answer.headers["x-run-id"]
        assert not {*theirs.state["nodes"]} & {*mine.state["nodes"]}
        assert (await (await server.browser()).post(ADDRESS, json=a_request("t", "r", COURSE))).status_code == 401


async def test_O4_a_path_whose_run_may_not_start_is_not_left_behind(tmp_path: Path) -> None:
    async with serving_sign_in(tmp_path, limits={"runs_at_once": 1}, offline_tokens_per_s=20) as server:
        await server.add_person("ann")
        ann = await server.sign_in("ann")
        async with ann.stream("POST", ADDRESS, json=a_request("t", "1", COURSE)) as going:
            assert going.status_code == 200
            refused = await ann.post(ADDRESS, json=a_request("other", "2", COURSE))
            assert refused.status_code == 429, refused.text
            assert len((await ann.get("/api/branches")).json()) == 1
