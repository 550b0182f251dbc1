"""A diagnostic over HTTP: asked, answered, marked by the server, seen in progress (contract 1.7, 1.8, 1.10)."""

import json
from typing import Any

import httpx2

from harness.servers.web import Web
from sprout.clock import utc_now
from sprout.events import NodeRow
from sprout.learning.actor import Actor
from sprout.learning.paths.repository import DEFAULT_USER_ID
from tests.store.paths.test_repository import CHOICE, NUMBER, OPEN

ME = {"userId": DEFAULT_USER_ID}
SECRETS = ("plants eat soil", "drives the making", "Chlorophyll throws", "names chlorophyll", "correctOption")


async def a_diagnostic(web: Web) -> tuple[NodeRow, dict[str, Any]]:
    """A concept with one part and three questions, and its diagnostic as the page gets it."""
    branch, root = await web.a_topic("Plants")
    concept = await web.a_concept("Photosynthesis", branch, root)
    actor = Actor(DEFAULT_USER_ID)
    await web.graphs.edit_graph(concept.id, lambda graph: graph.add("Light reactions", None, utc_now()), actor=actor)
    for draft in (CHOICE, NUMBER, OPEN):
        await web.graphs.save_question(concept.id, draft, actor=actor)
    found = await web.client.get(f"/api/agents/concepts/{concept.id}/diagnostic", params=ME)
    assert found.status_code == 200
    return concept, found.json()


async def answer(web: Web, diagnostic: dict[str, Any], number: int, **answer_fields: object) -> httpx2.Response:
    address = f"/api/assessments/{diagnostic['assessment']['id']}/answers"
    body = {**ME, "questionId": diagnostic["questions"][number]["id"], **answer_fields}
    return await web.client.post(address, json=body)


async def test_Q6_a_diagnostic_has_the_contracts_shape_and_says_nothing_of_what_is_right(own_web: Web) -> None:
    concept, found = await a_diagnostic(own_web)
    assert {name: found[name] for name in ("agent", "status", "conceptNodeId", "answeredCount", "requiredAnswers")} == {
        "agent": "concept",
        "status": "diagnostic_ready",
        "conceptNodeId": concept.id,
        "answeredCount": 0,
        "requiredAnswers": 3,
    }
    assert found["isComplete"] is False
    choice, number, words = found["questions"]
    assert sorted(json.loads(choice["options"])) == ["Light", "Soil", "Sound", "Wind"]
    assert [one["format"] for one in (choice, number, words)] == ["mcq", "open_ended", "open_ended"]
    assert [(one["correctAnswer"], one["gradingRubric"]) for one in found["questions"]] == [(None, None)] * 3
    assert number["options"] is None
    assert not [secret for secret in SECRETS if secret in json.dumps(found)]
    again = await own_web.client.get(f"/api/assessments/{found['assessment']['id']}/questions")
    assert again.json() == found["questions"]


async def test_defect_21_the_server_marks_whatever_the_client_thinks_of_it(own_web: Web) -> None:
    _, found = await a_diagnostic(own_web)
    wrong = await answer(own_web, found, 0, selectedOption="Soil", answerText=None, isCorrect=True, score=1)
    assert wrong.status_code == 201
    assert (wrong.json()["isCorrect"], wrong.json()["score"], wrong.json()["feedback"]) == (False, 0, "plants eat soil")
    right = await answer(own_web, found, 1, answerText=" 6 ", selectedOption=None, isCorrect=False, score=0)
    assert (right.json()["isCorrect"], right.json()["score"], right.json()["answerText"]) == (True, 1, "6")
    words = await answer(own_web, found, 2, answerText="green", selectedOption=None, isCorrect=True, score=1)
    assert (words.json()["isCorrect"], words.json()["score"]) == (None, None)
    listed = await own_web.client.get(f"/api/assessments/{found['assessment']['id']}/answers", params=ME)
    before = [one.json() for one in (wrong, right, words)]
    assert [(one["answer"], one["why"], one["passage"]) for one in before] == [(None, None, None)] * 3
    answers = [("Light", "\n".join(CHOICE.solution)), ("6", None), (listed.json()[2]["answer"], None)]
    assert listed.json() == [
        one | {"answer": answer, "why": why} for one, (answer, why) in zip(before, answers, strict=True)
    ]


async def test_A11_what_tries_nothing_is_skipped_and_the_right_answers_come_once_all_is_answered(own_web: Web) -> None:
    _, found = await a_diagnostic(own_web)
    address = f"/api/assessments/{found['assessment']['id']}/answers"
    assert (await answer(own_web, found, 0, selectedOption="Soil")).json()["answer"] is None
    assert (await answer(own_web, found, 1, answerText="idk")).json()["skipped"] is True
    assert [one["answer"] for one in (await own_web.client.get(address, params=ME)).json()] == [None, None]
    assert (await answer(own_web, found, 2, answerText="What does chlorophyll mean?")).json()["skipped"] is True
    listed = (await own_web.client.get(address, params=ME)).json()
    assert [one["skipped"] for one in listed] == [False, True, True]
    assert [bool(one["answer"]) for one in listed] == [True, True, True]


async def test_A3_A4_an_answer_says_how_it_is_graded_and_one_in_words_that_it_waits(own_web: Web) -> None:
    _, found = await a_diagnostic(own_web)
    wrong = await answer(own_web, found, 0, selectedOption="Soil")
    assert wrong.json()["grade"] == {"state": "graded", "criteria": [], "nextStep": None, "cut": False}
    words = await answer(own_web, found, 2, answerText="green")
    assert words.json()["grade"] == {"state": "ungraded", "criteria": [], "nextStep": None, "cut": False}
    skipped = await answer(own_web, found, 1)
    assert skipped.json()["grade"] is None


async def test_answering_everything_completes_the_diagnostic_and_shows_in_progress(own_web: Web) -> None:
    concept, found = await a_diagnostic(own_web)
    await answer(own_web, found, 0, selectedOption="Light")
    await answer(own_web, found, 1, answerText="6")
    rows = (await own_web.client.get("/api/progress", params=ME)).json()
    part, whole = sorted(rows, key=lambda row: row["nodeId"] == concept.id)
    assert (part["attemptsCount"], whole["attemptsCount"]) == (2, 2)
    assert part["masteryScore"] == whole["masteryScore"] > 0.7
    assert part["completedAt"] is not None
    assert whole["completedAt"] is not None, "its only part is learned"
    await answer(own_web, found, 2)
    after = (await own_web.client.get(f"/api/agents/concepts/{concept.id}/diagnostic", params=ME)).json()
    assert (after["answeredCount"], after["isComplete"]) == (3, True)
    assert after["assessment"]["completedAt"] is not None


async def test_a_diagnostic_is_ended_early_and_renamed(own_web: Web) -> None:
    concept, found = await a_diagnostic(own_web)
    address = f"/api/assessments/{found['assessment']['id']}"
    changed = await own_web.client.patch(address, json={"completedAt": "2026-11-20T08:20:30.000Z", "title": "A look"})
    assert (changed.status_code, changed.json()["title"]) == (200, "A look")
    assert (await own_web.client.get(address)).json() == changed.json()
    assert (await own_web.client.patch(address, json={})).json() == changed.json()
    after = (await own_web.client.get(f"/api/agents/concepts/{concept.id}/diagnostic", params=ME)).json()
    assert after["isComplete"] is True
    listed = await own_web.client.get("/api/assessments", params={**ME, "targetNodeId": concept.id})
    assert listed.json() == [changed.json()]


async def test_a_completed_assessment_is_opened_again(own_web: Web) -> None:
    concept, found = await a_diagnostic(own_web)
    address = f"/api/assessments/{found['assessment']['id']}"
    await own_web.client.patch(address, json={"completedAt": "2026-11-20T08:20:30.000Z"})
    opened = await own_web.client.patch(address, json={"completedAt": None})
    assert (opened.status_code, opened.json()["completedAt"]) == (200, None)
    after = (await own_web.client.get(f"/api/agents/concepts/{concept.id}/diagnostic", params=ME)).json()
    assert after["isComplete"] is False


async def test_an_assessment_with_an_open_question_is_not_completed(own_web: Web) -> None:
    concept, found = await a_diagnostic(own_web)
    for number in range(3):
        await answer(own_web, found, number)
    address = f"/api/assessments/{found['assessment']['id']}"
    assert (await own_web.client.get(address)).json()["completedAt"] is not None
    question = {"format": "open_ended", "prompt": "Why are leaves green?", "correctAnswer": "They reflect that light."}
    added = await own_web.client.post(f"{address}/questions", json=question)
    assert (added.status_code, added.json()["difficulty"]) == (201, 1)
    assert (await own_web.client.get(address)).json()["completedAt"] is None
    after = (await own_web.client.get(f"/api/agents/concepts/{concept.id}/diagnostic", params=ME)).json()
    assert (after["answeredCount"], after["requiredAnswers"], after["isComplete"]) == (3, 4, False)


async def test_a_bad_answer_is_refused_in_words_and_nothing_is_kept(own_web: Web) -> None:
    _, found = await a_diagnostic(own_web)
    wrong: list[tuple[dict[str, object], int]] = [
        ({"selectedOption": "C"}, 400),
        ({"selectedOption": "x" * 3_000}, 400),
        ({"answerText": "x" * 30_000}, 400),
        ({"answerText": 6}, 400),
        ({"questionId": "nothing"}, 404),
        ({"questionId": ""}, 400),
        ({"userId": "someone-else"}, 404),
    ]
    for answer_fields, status in wrong:
        refused = await answer(own_web, found, 0, **answer_fields)
        assert refused.status_code in (status, 422 if status == 400 else status), answer_fields
        assert isinstance(refused.json()["error"], str), answer_fields
        listed = await own_web.client.get(f"/api/assessments/{found['assessment']['id']}/answers", params=ME)
        assert listed.json() == [], answer_fields


async def test_what_is_not_there_is_404_and_asking_makes_nothing(own_web: Web) -> None:
    _, root = await own_web.a_topic("Bare")
    for address in (
        "/api/agents/concepts/nothing/diagnostic",
        "/api/assessments/nothing",
        "/api/assessments/nothing/questions",
        "/api/assessments/nothing/answers",
    ):
        missing = await own_web.client.get(address, params=ME)
        assert (missing.status_code, list(missing.json())) == (404, ["error", "code"]), address
    assert (await own_web.client.get(f"/api/agents/concepts/{root.id}/diagnostic", params=ME)).status_code == 400
    assert (await own_web.client.get("/api/assessments", params=ME)).json() == []
    bad_time = await own_web.client.patch("/api/assessments/nothing", json={"completedAt": "tomorrow"})
    assert bad_time.status_code in (400, 422)
