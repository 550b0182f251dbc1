"""The surface: each endpoint answers as the contract says."""

import inspect
from typing import get_args

import pytest

from harness.servers.web import Web
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.web.http.dependencies import Runs
from sprout.web.http.endpoint import AnyEndpoint
from sprout.web.routes import ENDPOINTS, routes
from sprout.web.schemas.requests import NoFields

ME = {"userId": DEFAULT_USER_ID}


def test_every_route_of_the_app_is_in_the_table_and_the_other_way_round(web: Web) -> None:
    served = {
        (method, route.path) for route in routes(web.dependencies) for method in (route.methods or set()) - {"HEAD"}
    }
    assert served == {(endpoint.method, endpoint.path) for endpoint in ENDPOINTS}


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda e: f"{e.method} {e.path}")
def test_each_handler_asks_for_what_its_line_in_the_table_reads(endpoint: AnyEndpoint) -> None:
    hint = inspect.get_annotations(endpoint.handler, eval_str=True)["call"]
    _, query, body = (*get_args(hint), NoFields, NoFields)[:3]
    assert (query, body) == (endpoint.query, endpoint.body)


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda e: f"{e.method} {e.path}")
def test_each_handler_gets_the_dependencies_that_it_asks_for(web: Web, endpoint: AnyEndpoint) -> None:
    hint = inspect.get_annotations(endpoint.handler, eval_str=True)["call"]
    needed, given = get_args(hint)[0], endpoint.needs(web.dependencies)
    assert isinstance(given, needed) if needed is not Runs else given is web.dependencies.runs


async def test_health_status_and_schema(web: Web) -> None:
    health = (await web.client.get("/api/health")).json()
    assert health["status"] == "ok"
    assert health["timestamp"].endswith("Z")
    assert (await web.client.get("/api/status")).json() == {"version": "0.0", "models": {"topic": "none"}}
    schema = (await web.client.get("/api/schema/events")).json()
    assert "run_done" in schema["discriminator"]["mapping"]


async def test_a_branch_is_made_listed_renamed_and_deleted(own_web: Web) -> None:
    made = await own_web.client.post("/api/branches", json={"title": "  Fractions ", **ME})
    assert made.status_code == 201
    branch = made.json()
    assert (branch["title"], branch["userId"]) == ("Fractions", DEFAULT_USER_ID)
    assert (await own_web.client.get("/api/branches", params=ME)).json() == [branch]
    assert (await own_web.client.get(f"/api/branches/{branch['id']}")).json() == branch
    renamed = await own_web.client.patch(f"/api/branches/{branch['id']}", json={"title": "Decimals"})
    assert (renamed.status_code, renamed.json()["title"]) == (200, "Decimals")
    deleted = await own_web.client.delete(f"/api/branches/{branch['id']}")
    assert (deleted.status_code, deleted.content) == (204, b"")
    assert (await own_web.client.get(f"/api/branches/{branch['id']}")).status_code == 404


async def test_nodes_are_made_filtered_changed_and_deleted(own_web: Web) -> None:
    branch, root = await own_web.a_topic()
    made = await own_web.client.post(
        "/api/nodes", json={**ME, "type": "concept", "title": "Halves", "branchId": branch.id, "parentId": root.id}
    )
    assert made.status_code == 201
    concept = made.json()
    assert concept["desc"] is None
    assert (await own_web.client.get("/api/nodes", params={"type": "concept"})).json() == [concept]
    assert (await own_web.client.get(f"/api/nodes/{root.id}/children")).json() == [concept]
    changed = await own_web.client.patch(f"/api/nodes/{concept['id']}", json={"desc": "1/2", "accuracyScore": 1})
    assert (changed.json()["desc"], changed.json()["accuracyScore"]) == ("1/2", 1)
    assert (await own_web.client.delete(f"/api/nodes/{root.id}")).status_code == 409
    assert (await own_web.client.delete(f"/api/nodes/{concept['id']}")).status_code == 204
    assert (await own_web.client.delete(f"/api/nodes/{concept['id']}")).status_code == 204


async def test_dependency_edges_are_those_among_the_children(web: Web) -> None:
    branch, root = await web.a_topic()
    first, second = [await web.a_concept(title, branch, root) for title in ("Halves", "Thirds")]
    await web.an_edge(root, first, second)
    address = f"/api/nodes/{root.id}/dependency-edges"
    found = (await web.client.get(address, params={"childType": "concept"})).json()
    assert [(e["sourceNodeId"], e["targetNodeId"]) for e in found] == [(first.id, second.id)]
    assert (await web.client.get(address, params={"childType": "subconcept"})).json() == []


async def test_the_graph_brings_everything_of_a_branch_in_one_answer(web: Web) -> None:
    branch, root = await web.a_topic()
    run = await web.a_run(root)
    graph = (await web.client.get(f"/api/branches/{branch.id}/graph")).json()
    of_path = {"branch", "nodes", "edges", "progress", "documents", "places", "runs"}
    assert set(graph) == {*of_path, "minutes", "lessons", "bare", "due"}
    assert [(node["id"], node["reason"]) for node in graph["nodes"]] == [(root.id, None)]
    assert [row["id"] for row in graph["runs"]] == [run.id]


async def test_the_list_of_paths_says_what_runs_are_doing_for_each_branch(own_web: Web) -> None:
    quiet, _ = await own_web.a_topic("Quiet")
    busy, root = await own_web.a_topic("Busy")
    run = await own_web.a_run(root)
    paths = (await own_web.client.get("/api/branches/summary", params=ME)).json()
    assert [(path["branch"]["title"], path["activeRunId"]) for path in paths] == [("Busy", run.id), ("Quiet", None)]
    assert paths[0]["lastRun"]["branchId"] == busy.id
    assert (paths[1]["lastRun"], paths[1]["branch"]["id"]) == (None, quiet.id)
    await own_web.end(run)
    paths = (await own_web.client.get("/api/branches/summary")).json()
    assert (paths[0]["activeRunId"], paths[0]["lastRun"]["state"]) == (None, "completed")


async def test_a_path_whose_last_run_is_older_than_the_newest_fifty_still_shows_it(own_web: Web) -> None:
    old, root = await own_web.a_topic("Old")
    first = await own_web.end(await own_web.a_run(root))
    _, busy = await own_web.a_topic("Busy")
    for _ in range(50):
        await own_web.end(await own_web.a_run(busy))
    paths = (await own_web.client.get("/api/branches/summary")).json()
    assert {path["lastRun"]["id"] for path in paths if path["branch"]["id"] == old.id} == {first.id}


async def test_a_run_is_shown_listed_and_cancelled_twice(web: Web) -> None:
    run = await web.a_run()
    shown = (await web.client.get(f"/api/runs/{run.id}")).json()
    assert list(shown) == [
        *(
            "id",
            "agent",
            "label",
            "state",
            "reason",
            "reachedLimit",
            "lane",
            "nodeId",
            "branchId",
            "parentId",
            "rootId",
        ),
        *("model", "offline", "small", "usage", "caps", "error", "createdAt", "startedAt", "endedAt"),
        *(
            "lastEventId",
            "position",
            "question",
            "offers",
            "resumes",
            "cutOff",
            "discarded",
            "ending",
            "transitions",
            "journal",
        ),
        "lastEvents",
    ]
    assert [event["kind"] for event in shown.pop("lastEvents")] == ["run_started"]
    assert (shown.pop("ending"), shown.pop("transitions")) == (None, [])
    assert set(shown.pop("journal")) == {"objective", "reached", "next", "codes", "params"}
    assert (shown["offers"], shown["cutOff"], shown["position"]) == (["cancel"], False, 0)
    assert (await web.client.get("/api/runs", params={"branchId": run.branch_id})).json() == [shown]
    assert (await web.client.get("/api/runs", params={"branchId": "another"})).json() == []
    assert (await web.client.post(f"/api/runs/{run.id}/cancel")).status_code == 200
    await web.end(run)
    again = await web.client.post(f"/api/runs/{run.id}/cancel")
    assert (again.status_code, again.json()["state"]) == (200, "cancelled")


async def test_only_a_topic_can_be_run(web: Web) -> None:
    concept = await web.a_concept("Halves", *await web.a_topic())
    answer = await web.client.post(f"/api/agents/topics/{concept.id}/run", json=ME)
    assert (answer.status_code, answer.json()) == (
        400,
        {"error": "Paths are created from topics, and 'Halves' is a concept.", "code": "bad_input"},
    )


async def test_HEAD_answers_as_GET_without_a_body(web: Web) -> None:
    answer = await web.client.head("/api/health")
    assert (answer.status_code, answer.content) == (200, b"")


async def test_nothing_of_the_api_is_kept_in_caches(web: Web) -> None:
    for address in ("/api/health", "/api/branches", "/api/nowhere"):
        assert (await web.client.get(address)).headers["cache-control"] == "no-store"


@pytest.mark.parametrize("address", ["/api/branches", "/api/progress"])
async def test_the_user_may_be_left_out(web: Web, address: str) -> None:
    answers = [await web.client.get(address + query) for query in ("", f"?userId={DEFAULT_USER_ID}")]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].json() == answers[1].json()
    assert (await web.client.get(f"{address}?userId=")).status_code == 400
    assert (await web.client.get(f"{address}?userId=another")).status_code == 404
