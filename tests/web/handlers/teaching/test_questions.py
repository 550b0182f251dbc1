"""A path made with one request, its questions doubted and left out, over HTTP on the built-in model (1.4, Q3, Q4)."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
from pydantic_settings import SettingsConfigDict
from sqlmodel import col, select

from harness.database.empty_sqlite import create_empty_database
from harness.servers.in_process import serve_app
from harness.servers.limited_web import with_limits
from harness.servers.web import Web
from sprout.app import Sprout, open_app, web_dependencies
from sprout.config import Settings
from sprout.learning.marking.answer_keys import OUTCOME_TEXTS
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.offline.courses.catalogue import courses
from sprout.store.schema import tables
from sprout.web.http.limits import WebLimits
from sprout.web.routes import web_app

ME = {"userId": DEFAULT_USER_ID}
COURSE = "Bayesian reasoning"
NOTES = Path(__file__).parents[3] / "offline" / "notes"
Row = dict[str, Any]


class Chosen(Settings):
    """Settings that the tests alone have chosen."""

    model_config = SettingsConfigDict(env_prefix="SPROUT_OF_THESE_TESTS_", env_file=None)


@dataclass(frozen=True, slots=True)
class Grown:
    """A whole Sprout with a course as its only path."""

    sprout: Sprout
    http: httpx2.AsyncClient
    root: Row
    made: httpx2.Response

    async def diagnostic(self) -> Row:
        concept = self.made.json()["concepts"][0]
        found: Row = (await self.http.get(f"/api/agents/concepts/{concept['id']}/diagnostic", params=ME)).json()
        return found

    async def contest(self, question_id: str, **query: str) -> httpx2.Response:
        body = {**ME, "reason": "It cannot be."}
        return await self.http.post(f"/api/questions/{question_id}/contest", json=body, params=query)


@pytest.fixture(scope="module")
async def grown(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Grown]:
    folder = tmp_path_factory.mktemp("grown")
    create_empty_database(folder)
    settings = Chosen.model_validate({"data_dir": folder, "offline_tokens_per_s": 20_000})
    async with (
        open_app(settings) as sprout,
        serve_app(web_app(web_dependencies(sprout))) as served,
        httpx2.AsyncClient(base_url=served.url, timeout=60, verify=False) as http,
    ):
        root = await a_root(http)
        made = await http.post(f"/api/nodes/{root['id']}/generate-concepts", json=ME)
        yield Grown(sprout, http, root, made)


async def a_root(http: httpx2.AsyncClient, title: str = COURSE) -> Row:
    branch = (await http.post("/api/branches", json={**ME, "title": title})).json()
    root = {**ME, "title": title, "type": "root", "branchId": branch["id"]}
    made: Row = (await http.post("/api/nodes", json=root)).json()
    return made


async def test_concepts_are_made_with_one_request_and_not_made_twice(grown: Grown) -> None:
    made = grown.made.json()
    assert (grown.made.status_code, made["generated"]) == (201, True)
    titles = {concept["title"] for concept in made["concepts"]}
    assert len(titles) == 6
    assert made["edges"]
    assert all({edge["source"], edge["target"]} <= titles for edge in made["edges"])
    again = await grown.http.post(f"/api/nodes/{grown.root['id']}/generate-concepts", json=ME)
    assert (again.status_code, again.json()["generated"]) == (200, False)
    assert again.json()["concepts"] == made["concepts"]
    assert {"id", "sourceNodeId", "targetNodeId", "createdAt"} == set(again.json()["edges"][0])


async def test_subconcepts_are_made_with_one_request_and_not_made_twice(grown: Grown) -> None:
    root = await a_root(grown.http, "Beekeeping")
    concept = {**ME, "title": "Hives", "type": "concept", "branchId": root["branchId"], "parentId": root["id"]}
    node = (await grown.http.post("/api/nodes", json=concept)).json()
    address = f"/api/nodes/{node['id']}/generate-subconcepts"
    made = await grown.http.post(address, json={**ME, "diagnosticSummary": {"score": 1}})
    assert (made.status_code, made.json()["generated"]) == (201, True)
    titles = [part["title"] for part in made.json()["subconcepts"]]
    assert len(titles) >= 8
    assert all(edge["source"] in titles for edge in made.json()["edges"])
    again = await grown.http.post(address, json=ME)
    assert (again.status_code, again.json()["generated"]) == (200, False)
    assert [part["title"] for part in again.json()["subconcepts"]] == titles
    for wrong, path in ((root, "generate-subconcepts"), (node, "generate-concepts")):
        assert (await grown.http.post(f"/api/nodes/{wrong['id']}/{path}", json=ME)).status_code == 400


async def test_what_takes_longer_than_a_request_may_is_answered_with_the_run(grown: Grown) -> None:
    parts = with_limits(web_dependencies(grown.sprout), WebLimits(run_wait_s=0.01))
    async with (
        serve_app(web_app(parts)) as served,
        httpx2.AsyncClient(base_url=served.url, timeout=60, verify=False) as http,
    ):
        root = await a_root(http, "Bayesian reasoning")
        first = await http.post(f"/api/nodes/{root['id']}/generate-concepts", json={**ME, "small": True})
        joined = await http.post(f"/api/nodes/{root['id']}/generate-concepts", json={**ME, "small": True})
    assert (first.status_code, first.json()["agent"], first.json()["state"]) == (202, "topic", "running")
    assert joined.json()["id"] == first.json()["id"]
    run = await grown.sprout.runs.wait_until_released(first.json()["id"])
    assert run.ended


async def test_Q3_the_choices_of_an_authored_course_are_all_verified(grown: Grown) -> None:
    concepts = [concept["id"] for concept in grown.made.json()["concepts"]]
    wanted = select(tables.Question.state).where(tables.Question.format == "mcq")
    async with grown.sprout.database.open_read_session() as session:
        states = (await session.exec(wanted.where(col(tables.Question.node_id).in_(concepts)))).all()
    assert len(states) > 10
    assert set(states) <= {"verified", "skipped"}
    formats = {one["format"] for one in (await grown.diagnostic())["questions"]}
    assert formats == {"mcq", "open_ended"}


@pytest.mark.parametrize("notes", ["water-cycle.md", "zellen.md"])
async def test_Q3_choices_that_were_made_from_notes_are_solved_from_the_same_notes(grown: Grown, notes: str) -> None:
    root = await a_root(grown.http, notes)
    file = {"files": (notes, (NOTES / notes).read_bytes())}
    assert (await grown.http.post(f"/api/nodes/{root['id']}/documents", files=file)).status_code == 201
    made = await grown.http.post(f"/api/nodes/{root['id']}/generate-concepts", json=ME)
    concepts = [concept["id"] for concept in made.json()["concepts"]]
    wanted = select(tables.Question.state).where(tables.Question.format == "mcq")
    async with grown.sprout.database.open_read_session() as session:
        states = (await session.exec(wanted.where(col(tables.Question.node_id).in_(concepts)))).all()
    assert len(states) >= 3
    assert set(states) == {"verified"}


async def test_Q4_a_question_that_holds_is_said_to_without_its_key(grown: Grown) -> None:
    (choice, *_) = [one for one in (await grown.diagnostic())["questions"] if one["format"] == "mcq"]
    answer = await grown.contest(choice["id"])
    assert (answer.status_code, answer.json()["outcome"]) == (200, "held")
    assert set(answer.json()) == {"questionId", "outcome", "says", "at"}
    assert (await grown.contest(choice["id"])).json() == answer.json()


async def test_Q4_a_question_whose_key_is_wrong_is_taken_out_with_all_that_it_has_done(grown: Grown) -> None:
    (known, *_) = [one for one in courses()[0].concepts[0].items if one.format == "numeric"]
    concept = next(one for one in grown.made.json()["concepts"] if one["title"] == courses()[0].concepts[0].title)
    (part, *_) = (await grown.http.get(f"/api/nodes/{concept['id']}/children")).json()
    quiz = await grown.http.post("/api/assessments", json={**ME, "targetNodeId": concept["id"], "type": "quiz"})
    address = f"/api/assessments/{quiz.json()['id']}"
    wrong = {"format": "numeric", "prompt": known.prompt, "correctAnswer": "123456", "nodeId": part["id"]}
    question = (await grown.http.post(f"{address}/questions", json=wrong)).json()
    before = await progress_on(grown, part)
    answered = await grown.http.post(
        f"{address}/answers", json={**ME, "questionId": question["id"], "answerText": "123456"}
    )
    assert answered.json()["isCorrect"] is True
    assert await progress_on(grown, part) > before
    settled = await grown.contest(question["id"])
    assert (settled.status_code, settled.json()["outcome"], settled.json()["says"]) == (
        200,
        "wrong",
        OUTCOME_TEXTS["wrong"],
    )
    assert (await grown.http.get(f"{address}/questions")).json() == []
    assert await progress_on(grown, part) == before
    assert (await grown.contest(question["id"])).json() == settled.json()
    assert (await grown.http.post(f"/api/questions/{question['id']}/skip", json=ME)).status_code == 404


async def progress_on(grown: Grown, node: Row) -> float:
    rows = (await grown.http.get("/api/progress", params={**ME, "nodeId": node["id"]})).json()
    return float(rows[0]["masteryScore"]) if rows else 0.0


async def test_Q4_who_does_not_wait_gets_the_run(grown: Grown) -> None:
    open_ones = [one for one in (await grown.diagnostic())["questions"] if one["format"] == "open_ended"]
    answer = await grown.contest(open_ones[0]["id"], wait="false")
    assert (answer.status_code, answer.json()["agent"]) == (202, "key_check")
    assert answer.headers["location"] == f"/api/runs/{answer.json()['id']}"
    joined = await grown.contest(open_ones[0]["id"])
    assert (joined.status_code, joined.json()["outcome"]) == (200, "held")


async def test_Q4_a_skip_is_kept(grown: Grown) -> None:
    question = (await grown.diagnostic())["questions"][-1]
    skipped = await grown.http.post(f"/api/questions/{question['id']}/skip", json=ME)
    assert skipped.status_code == 201
    answer_fields = ("answerText", "selectedOption", "isCorrect", "score", "feedback")
    assert [skipped.json()[name] for name in answer_fields] == [None] * 5
    assert (await grown.diagnostic())["answeredCount"] >= 1


async def test_a_node_has_one_diagnostic_and_any_number_of_quizzes(own_web: Web) -> None:
    branch, root = await own_web.a_topic()
    concept = await own_web.a_concept("Halves", branch, root)
    body = {**ME, "targetNodeId": concept.id, "title": "First look"}
    first, second = [await own_web.client.post("/api/assessments", json=body) for _ in range(2)]
    assert (first.status_code, second.status_code, first.json()["type"]) == (201, 200, "diagnostic")
    assert second.json() == first.json()
    quizzes = [await own_web.client.post("/api/assessments", json={**body, "type": "quiz"}) for _ in range(2)]
    assert [one.status_code for one in quizzes] == [201, 201]
    assert (await own_web.client.post("/api/assessments", json={**body, "targetNodeId": "nothing"})).status_code == 404


async def test_Q5_a_question_of_ones_own_is_taken_or_refused_with_what_to_mend(own_web: Web) -> None:
    branch, root = await own_web.a_topic()
    concept = await own_web.a_concept("Halves", branch, root)
    other = await own_web.a_concept("Quarters", branch, root)
    body = {**ME, "targetNodeId": concept.id}
    assessment = (await own_web.client.post("/api/assessments", json=body)).json()
    address = f"/api/assessments/{assessment['id']}/questions"
    good = {"format": "mcq", "prompt": "What is half of ten?", "options": ["5", "4", "6"], "correctAnswer": "5"}
    added = await own_web.client.post(address, json=good)
    row = added.json()
    assert (added.status_code, row["nodeId"], row["difficulty"], row["correctAnswer"]) == (201, concept.id, 1, None)
    assert sorted(json.loads(row["options"])) == ["4", "5", "6"]
    assert (await own_web.client.get(address)).json() == [row]
    for changed, status, message in (
        ({"correctAnswer": "7"}, 400, "correctAnswer: it is not one of the options"),
        ({"options": ["5", "5"]}, 400, "options: two say the same"),
        ({"format": "open_ended", "options": None, "correctAnswer": None}, 400, "gradingRubric: "),
        ({"nodeId": other.id}, 400, "nodeId: "),
        ({"nodeId": "nothing"}, 404, "no node"),
        ({}, 409, "in the assessment already"),
        ({"format": "essay"}, 422, "format: "),
        ({"difficulty": 6}, 422, "difficulty: "),
    ):
        refused = await own_web.client.post(
            address, json={**good, "prompt": "And of ten?", **changed} if changed else good
        )
        assert (refused.status_code, message in refused.json()["error"]) == (status, True), refused.text


async def test_progress_is_entered_and_overruled(own_web: Web) -> None:
    branch, root = await own_web.a_topic()
    concept = await own_web.a_concept("Halves", branch, root)
    first, second = [await own_web.client.post("/api/progress", json={**ME, "nodeId": concept.id}) for _ in range(2)]
    assert [(one.status_code, one.json()["attemptsCount"]) for one in (first, second)] == [(201, 1), (200, 2)]
    assert first.json()["firstEnteredAt"] == first.json()["lastEnteredAt"] == second.json()["firstEnteredAt"]
    address = f"/api/progress/{first.json()['id']}"
    response = await own_web.client.patch(address, json={"masteryScore": 0.75})
    assert (response.status_code, response.json()["masteryScore"], bool(response.json()["completedAt"])) == (
        200,
        0.75,
        True,
    )
    listed = await own_web.client.get("/api/progress", params={**ME, "nodeId": concept.id})
    assert listed.json() == [response.json()]
    for wrong, status in (({"masteryScore": 1.5}, 422), ({"masteryScore": "1"}, 422), ({"completedAt": "soon"}, 400)):
        assert (await own_web.client.patch(address, json=wrong)).status_code == status
    assert (await own_web.client.patch(address, json={})).json()["masteryScore"] == 0.75
