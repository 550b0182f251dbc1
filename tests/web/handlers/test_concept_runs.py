"""Asking for the run of a concept, and for a review: lanes, keys, and what is no order (runs.md R1, R3, R5)."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from harness.servers.web import WEB_LIMITS, Web, a_static_folder, serving_web
from sprout.clock import utc_now
from sprout.events import NodeRow
from sprout.learning.actor import Actor
from sprout.learning.mastery.adaptation_rules import bridge_edit
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.runs.state import RunState
from tests.store.paths.test_repository import CHOICE

ME = {"userId": DEFAULT_USER_ID}
NO_WAIT = {"wait": "false"}


@pytest.fixture
async def concept(web: Web) -> NodeRow:
    branch, root = await web.a_topic(f"Topic {utc_now().timestamp()}")
    return await web.a_concept("Halves", branch, root)


def address(node: NodeRow) -> str:
    return f"/api/agents/concepts/{node.id}/run"


async def release(web: Web, *run_ids: str) -> None:
    for run_id in run_ids:
        web.agent.finish(run_id)
        await web.live.wait_until_released(run_id)


async def test_R1_R3_a_second_tab_joins_the_run_of_the_concept(web: Web, concept: NodeRow) -> None:
    first = await web.client.post(address(concept), params=NO_WAIT, json=ME)
    second = await web.client.post(address(concept), params=NO_WAIT, json=ME)
    run = first.json()
    assert (first.status_code, second.status_code) == (202, 200)
    assert second.json()["id"] == run["id"]
    assert (run["agent"], run["label"], run["lane"]) == ("refinement", "concept_refinement", f"concept:{concept.id}")
    refused = await web.client.post(address(concept), params={**NO_WAIT, "onBusy": "reject"}, json=ME)
    assert (refused.status_code, refused.json()["activeRunId"]) == (409, run["id"])
    await release(web, run["id"])


async def test_R5_a_hundred_requests_with_one_key_are_one_run(web: Web, concept: NodeRow) -> None:
    headers = {"Idempotency-Key": f"open {concept.id}".replace(" ", "-")}
    many = [web.client.post(address(concept), params=NO_WAIT, json=ME, headers=headers) for _ in range(100)]
    answers = await asyncio.gather(*many)
    ids = {answer.json()["id"] for answer in answers}
    assert len(ids) == 1
    other = await web.client.post(address(concept), params=NO_WAIT, json={**ME, "small": True}, headers=headers)
    assert other.status_code == 422
    await release(web, *ids)
    again = await web.client.post(address(concept), params=NO_WAIT, json=ME, headers=headers)
    assert (again.json()["id"] in ids, again.headers["idempotent-replay"]) == (True, "true")


async def test_X3_the_stream_names_the_run_and_outlives_its_reader(web: Web, concept: NodeRow) -> None:
    async with web.client.stream("POST", address(concept), json=ME) as answer:
        run_id = answer.headers["x-run-id"]
        assert answer.headers["content-type"].startswith("text/event-stream")
        async for line in answer.aiter_lines():
            if line == "event: run_started":
                break
    assert (await web.live.run(run_id, user_id=DEFAULT_USER_ID)).state is RunState.RUNNING
    await release(web, run_id)


async def test_a_review_waits_so_long_and_then_names_its_run(web: Web, concept: NodeRow) -> None:
    first = await web.client.post(f"/api/agents/nodes/{concept.id}/review", json=ME)
    second = await web.client.post(f"/api/agents/nodes/{concept.id}/review", json={**ME, "maxAdditions": 1})
    run = first.json()
    assert (first.status_code, second.status_code) == (202, 202)
    assert (run["label"], run["lane"], run["state"]) == ("path_review", f"review:{concept.id}", "running")
    assert second.json()["id"] == run["id"]
    assert first.headers["location"] == f"/api/runs/{run['id']}"
    await release(web, run["id"])


async def test_a_part_is_reviewed_and_not_opened(web: Web, concept: NodeRow) -> None:
    edit = await web.graphs.edit_graph(
        concept.id, lambda graph: graph.add("Half of a half", None, utc_now()), actor=Actor(DEFAULT_USER_ID)
    )
    assert edit.node is not None
    opened = await web.client.post(address(edit.node), json=ME)
    reviewed = await web.client.post(f"/api/agents/nodes/{edit.node.id}/review", json=ME)
    assert (opened.status_code, reviewed.status_code) == (400, 202)
    assert "a subconcept" in opened.json()["error"]
    await release(web, reviewed.json()["id"])


async def test_a_review_is_told_without_what_the_learner_deleted_meanwhile(tmp_path: Path) -> None:
    patient = replace(WEB_LIMITS, run_wait_s=20.0)
    async with serving_web(tmp_path, a_static_folder(tmp_path), limits=patient) as web:
        branch, root = await web.a_topic()
        halves, thirds = [await web.a_concept(title, branch, root) for title in ("Halves", "Thirds")]
        await web.an_edge(root, halves, thirds)
        run = (await web.live.start("review", node=thirds, user_id=DEFAULT_USER_ID)).run
        asked = asyncio.create_task(web.client.post(f"/api/agents/nodes/{thirds.id}/review", json=ME, timeout=30))
        await web.runs.until_followers(run.id, 1)
        await web.graphs.edit_graph(
            root.id,
            lambda graph: bridge_edit(graph, "Sharing", "", [halves.title], [thirds.title], utc_now(), reason="a gap"),
            actor=Actor(DEFAULT_USER_ID, "review", run.id, run.root_id, epoch=run.epoch),
        )
        assert (await web.client.delete(f"/api/nodes/{halves.id}")).status_code == 204
        web.agent.finish(run.id)
        response = await asked
    assert response.status_code == 200
    assert [one["title"] for one in response.json()["insertedNodes"]] == ["Sharing"]
    assert response.json()["createdEdges"] == [{"source": "Sharing", "target": "Thirds"}]
    (addition,) = response.json()["decision"]["concept_additions"]
    assert (addition["title"], addition["insert_after"]) == ("Sharing", None)


async def test_R3_answers_that_the_active_run_has_not_seen_get_one_run_behind_it(web: Web, concept: NodeRow) -> None:
    await web.graphs.save_question(concept.id, CHOICE, actor=Actor(DEFAULT_USER_ID))
    await web.graphs.mark_generated(concept.id, user_id=DEFAULT_USER_ID)
    found = (await web.client.get(f"/api/agents/concepts/{concept.id}/diagnostic", params=ME)).json()
    active = (await web.client.post(address(concept), params=NO_WAIT, json=ME)).json()
    joined = (await web.client.post(address(concept), params=NO_WAIT, json=ME)).json()
    assert joined["id"] == active["id"], "it will see all answers that there are"
    answer = {**ME, "questionId": found["questions"][0]["id"], "selectedOption": "Light"}
    await web.client.post(f"/api/assessments/{found['assessment']['id']}/answers", json=answer)
    behind = await web.client.post(address(concept), params=NO_WAIT, json=ME)
    again = await web.client.post(address(concept), params=NO_WAIT, json=ME)
    assert (behind.status_code, behind.json()["state"]) == (202, "queued")
    assert again.json()["id"] == behind.json()["id"] != active["id"], "one run for all who ask"
    web.agent.finish(behind.json()["id"])
    await release(web, active["id"])
    async for _ in web.live.follow(behind.json()["id"]):
        pass  # until it has ended too
    after = (await web.client.post(address(concept), params=NO_WAIT, json=ME)).json()
    assert after["id"] not in (active["id"], behind.json()["id"])
    await release(web, after["id"])
