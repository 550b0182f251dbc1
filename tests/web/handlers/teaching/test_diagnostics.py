"""A diagnostic while its questions are being made: the request waits, and never gets a part of them (contract 1.10)."""

import asyncio
from dataclasses import replace
from pathlib import Path

import httpx2

from harness.builders import a_run, end_run, start_run
from harness.servers.web import WEB_LIMITS, Web, a_static_folder, serving_web
from sprout.events import NodeRow
from sprout.learning.actor import Actor
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.runs.state import Run, RunState
from tests.store.paths.test_repository import CHOICE, NUMBER

ME = {"userId": DEFAULT_USER_ID}
ACTOR = Actor(DEFAULT_USER_ID)
OF_A_READY_ONE = ("diagnostic_ready", "requiredAnswers", "completedAt")


async def in_the_making(web: Web) -> tuple[NodeRow, Run]:
    """A concept whose first question is saved, and the run that goes on with the others."""
    branch, root = await web.a_topic("Plants")
    concept = await web.a_concept("Photosynthesis", branch, root)
    run = (await web.live.start("refinement", node=concept, user_id=DEFAULT_USER_ID)).run
    await web.graphs.save_question(concept.id, CHOICE, actor=ACTOR)
    return concept, run


async def finish(web: Web, concept: NodeRow, run: Run) -> None:
    await web.graphs.save_question(concept.id, NUMBER, actor=ACTOR)
    await web.graphs.mark_generated(concept.id, user_id=DEFAULT_USER_ID)
    await web.end(run)


async def ask(web: Web, concept: NodeRow) -> httpx2.Response:
    return await web.client.get(f"/api/agents/concepts/{concept.id}/diagnostic", params=ME, timeout=30)


async def test_defect_7_a_part_of_the_questions_is_never_the_diagnostic(own_web: Web) -> None:
    concept, run = await in_the_making(own_web)
    early = await ask(own_web, concept)
    assert (early.status_code, early.headers["retry-after"]) == (503, "2")
    assert not [word for word in OF_A_READY_ONE if word in early.text]
    await finish(own_web, concept, run)
    found = await ask(own_web, concept)
    assert (found.status_code, found.json()["status"], found.json()["requiredAnswers"]) == (200, "diagnostic_ready", 2)


async def test_defect_7_an_early_answer_does_not_complete_the_diagnostic(own_web: Web) -> None:
    concept, run = await in_the_making(own_web)
    (assessment,) = (await own_web.client.get("/api/assessments", params=ME)).json()
    address = f"/api/assessments/{assessment['id']}"
    (question,) = (await own_web.client.get(f"{address}/questions")).json()
    sent = await own_web.client.post(
        f"{address}/answers", json={**ME, "questionId": question["id"], "selectedOption": "Light"}
    )
    assert sent.status_code == 201
    assert (await own_web.client.get(address)).json()["completedAt"] is None
    await finish(own_web, concept, run)
    found = (await ask(own_web, concept)).json()
    assert (found["answeredCount"], found["requiredAnswers"], found["isComplete"]) == (1, 2, False)


async def test_defect_7_the_request_waits_for_all_questions(tmp_path: Path) -> None:
    patient = replace(WEB_LIMITS, run_wait_s=20.0)
    async with serving_web(tmp_path, a_static_folder(tmp_path), limits=patient) as web:
        concept, run = await in_the_making(web)
        asked = asyncio.create_task(ask(web, concept))
        await web.runs.until_followers(run.id, 1)
        await finish(web, concept, run)
        found = await asked
    assert (found.status_code, found.json()["requiredAnswers"]) == (200, 2)


async def test_a_concept_without_a_diagnostic_gets_the_run_that_makes_one(own_web: Web) -> None:
    branch, root = await own_web.a_topic("Bare")
    concept = await own_web.a_concept("Roots", branch, root)
    early = await ask(own_web, concept)
    assert early.status_code == 503
    (run,) = (await own_web.client.get("/api/runs")).json()
    assert (run["agent"], run["nodeId"]) == ("refinement", concept.id)
    await ask(own_web, concept)
    assert [one["id"] for one in (await own_web.client.get("/api/runs")).json()] == [run["id"]], (
        "joined, not begun anew"
    )
    own_web.agent.finish(run["id"])
    await own_web.live.wait_until_released(run["id"])


async def test_Q7_the_questions_of_a_making_that_broke_off_are_not_the_diagnostic(own_web: Web) -> None:
    branch, root = await own_web.a_topic("Plants")
    concept = await own_web.a_concept("Photosynthesis", branch, root)
    run = await start_run(own_web.store, a_run(concept, agent="subconcept"))
    await own_web.graphs.save_question(concept.id, CHOICE, actor=ACTOR)
    await end_run(own_web.store, run, RunState.FAILED)
    early = await ask(own_web, concept)
    assert early.status_code == 503
    newest, _ = (await own_web.client.get("/api/runs")).json()
    assert (newest["agent"], newest["nodeId"]) == ("refinement", concept.id), "which makes the others"
    await finish(own_web, concept, await own_web.live.run(newest["id"], user_id=DEFAULT_USER_ID))
    assert (await ask(own_web, concept)).json()["requiredAnswers"] == 2


async def test_a_diagnostic_without_questions_is_there_at_once_and_complete_until_it_gets_one(own_web: Web) -> None:
    branch, root = await own_web.a_topic("Plants")
    concept = await own_web.a_concept("Photosynthesis", branch, root)
    await own_web.graphs.close_empty_diagnostic(concept.id, user_id=DEFAULT_USER_ID)
    await own_web.graphs.mark_generated(concept.id, user_id=DEFAULT_USER_ID)
    found = await ask(own_web, concept)
    body = found.json()
    assert (found.status_code, body["questions"], body["requiredAnswers"], body["isComplete"]) == (200, [], 0, True)
    assert (await own_web.client.get("/api/runs")).json() == [], "nothing is made once more"
    await own_web.graphs.save_question(concept.id, CHOICE, actor=ACTOR)
    await own_web.graphs.close_empty_diagnostic(concept.id, user_id=DEFAULT_USER_ID)
    body = (await ask(own_web, concept)).json()
    assert (body["requiredAnswers"], body["isComplete"]) == (1, False)
