"""What an assistant is refused: other learners' things, other rights, malformed and huge messages, wrong arguments."""

import json
from pathlib import Path
from typing import Any

import httpx2
import pytest

from harness.clients.assistant import Json, a_new_path, a_token, connected, message
from harness.servers.signed_in import SignInServer
from harness.servers.web import a_static_folder, serving_web
from sprout.learning.paths.repository import BranchSummary
from sprout.store.paths.paths import SqlPaths
from sprout.web.mcp.tools import TOOLS


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
