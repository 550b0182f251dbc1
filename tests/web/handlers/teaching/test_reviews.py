"""Reviews over HTTP: what a client sends and gets, refusals, and no right answer before it is due."""

from typing import Any

import pytest

from harness.servers.web import Web
from sprout.clock import utc_now
from sprout.events import wire_time
from sprout.learning.paths.repository import DEFAULT_USER_ID

ME = {"userId": DEFAULT_USER_ID}
SECRET, WRONG = "the quokka", "the numbat"
WHY = "It lives on Rottnest Island."
BELIEF, CASE = "Stripes are a kind of smile.", "A tiger has stripes, and nobody calls it cheerful."
LONG_AGO = "2026-01-05T09:00:00Z"
PATH = {
    "sprout_path": 1,
    "title": "Animals",
    "topic": {"title": "Animals"},
    "misconceptions": [{"key": "teeth", "statement": BELIEF, "contrast": CASE}],
    "concepts": [
        {
            "title": "Marsupials",
            "subconcepts": [{"title": "Smiling ones"}, {"title": "Striped ones"}],
            "questions": [
                {
                    "prompt": f"Which of these is meant by {part}, {number}?",
                    "format": "mcq",
                    "difficulty": 1,
                    "options": [SECRET, WRONG, "the wombat", "the bilby"],
                    "correct_answer": SECRET,
                    "misconceptions": [{"option": WRONG, "misconception": "teeth"}],
                    "tests": [part],
                    "solution": [WHY],
                }
                for part in ("Smiling ones", "Striped ones")
                for number in range(3)
            ],
        }
    ],
}


@pytest.fixture
async def due(own_web: Web) -> Web:
    """A server on which two parts were learned long ago, and their questions answered."""
    client = own_web.client
    branch = (await client.post("/api/graphs", json=PATH)).json()["branch"]["id"]
    (diagnostic,) = (await client.get("/api/assessments")).json()
    address = f"/api/assessments/{diagnostic['id']}"
    for question in (await client.get(f"{address}/questions")).json():
        given = {**ME, "questionId": question["id"], "selectedOption": SECRET}
        assert (await client.post(f"{address}/answers", json=given)).status_code == 201
    await client.patch(address, json={"completedAt": wire_time(utc_now())})
    for node in (await client.get(f"/api/nodes?branchId={branch}&type=subconcept")).json():
        progress = (await client.post("/api/progress", json={**ME, "nodeId": node["id"]})).json()
        await client.patch(f"/api/progress/{progress['id']}", json={"masteryScore": 0.1})
        changed = await client.patch(f"/api/progress/{progress['id']}", json={"completedAt": LONG_AGO})
        assert changed.status_code == 200
    return own_web


async def start(web: Web, **more: Any) -> dict[str, Any]:
    answer = await web.client.post("/api/reviews/sessions", json={**ME, **more})
    assert answer.status_code in (200, 201), answer.text
    found: dict[str, Any] = answer.json()
    return found


async def test_Q6_nothing_tells_what_is_right_before_the_answer(due: Web) -> None:
    session = await start(due)
    address = f"/api/reviews/sessions/{session['id']}"
    shown = session["question"]
    assert sorted(shown["options"]) == sorted(PATH["concepts"][0]["questions"][0]["options"])  # type: ignore[index]
    assert (shown["type"], shown["title"], shown["concept"], shown["path"]) == (
        "mcq", shown["title"], "Marsupials", "Animals",
    )  # fmt: skip
    for text in ((await due.client.get(address)).text, (await due.client.get("/api/reviews/due")).text):
        assert '"answer"' not in text
        assert '"correct' not in text
        assert WHY not in text
    given = {**ME, "itemId": shown["itemId"], "selectedOption": WRONG, "seconds": 4}
    answered = await due.client.post(f"{address}/answers", json=given)
    assert answered.status_code == 201
    result = answered.json()["result"]
    assert (result["mark"], result["answer"], result["said"], result["grade"]) == ("not_yet", SECRET, WRONG, "again")
    assert (result["comesBack"], result["why"]) == (True, WHY)


async def test_a_session_is_started_taken_up_answered_graded_and_skipped(due: Web) -> None:
    summary = (await due.client.get("/api/reviews/due")).json()
    assert (summary["due"], summary["today"], summary["minutes"], summary["cards"]) == (2, 2, 2, 2)
    first = await due.client.post("/api/reviews/sessions", json={**ME, "minutes": 5})
    assert first.status_code == 201
    again = await due.client.post("/api/reviews/sessions", json=ME)
    assert (again.status_code, again.json()["id"]) == (200, first.json()["id"])
    address = f"/api/reviews/sessions/{first.json()['id']}"
    item = first.json()["question"]["itemId"]
    given = {**ME, "itemId": item, "selectedOption": SECRET}
    replied = (await due.client.post(f"{address}/answers", json=given)).json()
    assert [one["grade"] for one in replied["result"]["choices"]] == ["again", "hard", "good", "easy"]
    chosen = await due.client.post(f"{address}/grades", json={**ME, "itemId": item, "grade": "easy"})
    assert (chosen.status_code, chosen.json()["result"]["grade"]) == (200, "easy")
    following = chosen.json()["session"]["question"]["itemId"]
    skipped = await due.client.post(f"{address}/skip", json={**ME, "itemId": following})
    assert (skipped.status_code, skipped.json()["done"], skipped.json()["question"]) == (200, 2, None)
    assert skipped.json()["endedAt"] is not None
    assert (await due.client.get("/api/reviews/due")).json()["due"] == 0
    assert (await due.client.post("/api/reviews/sessions", json=ME)).status_code == 409


async def test_H7_a_review_keeps_whether_its_learner_was_sure_and_the_result_says_so(due: Web) -> None:
    session = await start(due)
    address, item = f"/api/reviews/sessions/{session['id']}/answers", session["question"]["itemId"]
    given = {**ME, "itemId": item, "selectedOption": WRONG, "sure": True}
    replied = (await due.client.post(address, json=given)).json()
    assert (replied["result"]["mark"], replied["result"]["sure"]) == ("not_yet", True)
    unsaid = {**ME, "itemId": replied["session"]["question"]["itemId"], "selectedOption": SECRET}
    assert (await due.client.post(address, json=unsaid)).json()["result"]["sure"] is False


async def test_H7_a_wrong_answer_shows_the_case_against_its_belief_and_a_right_one_none(due: Web) -> None:
    session = await start(due)
    address, item = f"/api/reviews/sessions/{session['id']}/answers", session["question"]["itemId"]
    missed = (await due.client.post(address, json={**ME, "itemId": item, "selectedOption": WRONG, "sure": True})).json()
    assert (missed["result"]["feedback"], missed["result"]["contrast"]) == (BELIEF, CASE)
    following = {**ME, "itemId": missed["session"]["question"]["itemId"], "selectedOption": SECRET}
    assert (await due.client.post(address, json=following)).json()["result"]["contrast"] is None


@pytest.mark.parametrize(
    ("what", "body", "status"),
    [
        ("answers", {"itemId": "nothing"}, 404),
        ("answers", {"itemId": "{item}", "selectedOption": "the yeti"}, 400),
        ("answers", {"itemId": "{item}", "answerText": "the quokka, I think"}, 400),
        ("answers", {"itemId": "{item}", "seconds": -1}, 422),
        ("answers", {"itemId": "{item}", "seconds": "9"}, 422),
        ("answers", {}, 400),
        ("grades", {"itemId": "{item}", "grade": "perfect"}, 422),
        ("grades", {"itemId": "{item}", "grade": "good"}, 409),
        ("marks", {"itemId": "{item}", "verdicts": {"c1": "met"}}, 409),
        ("marks", {"itemId": "{item}", "verdicts": {}}, 422),
        ("skip", {"itemId": "nothing"}, 404),
    ],
)
async def test_a_bad_request_says_what_is_wrong_and_changes_nothing(
    due: Web, what: str, body: dict[str, Any], status: int
) -> None:
    session = await start(due)
    filled = {name: session["question"]["itemId"] if value == "{item}" else value for name, value in body.items()}
    address = f"/api/reviews/sessions/{session['id']}"
    refused = await due.client.post(f"{address}/{what}", json={**ME, **filled})
    assert (refused.status_code, bool(refused.json()["error"])) == (status, True), refused.text
    assert (await due.client.get(address)).json() == session


async def test_a_session_that_is_not_there_and_a_path_that_is_another_learners_are_404(due: Web) -> None:
    assert (await due.client.get("/api/reviews/sessions/none")).status_code == 404
    refused = await due.client.post("/api/reviews/sessions", json={**ME, "branchId": "somebody else's"})
    assert refused.status_code == 404


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"minutes": 7}, 422),
        ({"retention": 0.5}, 422),
        ({"retention": 0.99}, 422),
        ({"timeZone": "Mars/Olympus"}, 400),
        ({"dayStartsAt": 24}, 422),
    ],
)
async def test_settings_out_of_range_are_refused(own_web: Web, body: dict[str, Any], status: int) -> None:
    before = (await own_web.client.get("/api/reviews/settings")).json()
    assert before == {"minutes": 10, "retention": 0.9, "timeZone": None, "dayStartsAt": 4}
    refused = await own_web.client.patch("/api/reviews/settings", json={**ME, **body})
    assert refused.status_code == status
    assert (await own_web.client.get("/api/reviews/settings")).json() == before


async def test_settings_are_changed_one_by_one(own_web: Web) -> None:
    for body in ({"minutes": 20}, {"retention": 0.85, "timeZone": "Europe/Berlin"}, {"dayStartsAt": 0}):
        assert (await own_web.client.patch("/api/reviews/settings", json={**ME, **body})).status_code == 200
    assert (await own_web.client.get("/api/reviews/settings")).json() == {
        "minutes": 20, "retention": 0.85, "timeZone": "Europe/Berlin", "dayStartsAt": 0,
    }  # fmt: skip


async def test_the_calendar_of_reviews_is_a_feed_with_the_address_of_the_page(due: Web) -> None:
    answer = await due.client.get("/api/reviews/calendar.ics", params={"language": "de"})
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/calendar; charset=utf-8"
    assert "SUMMARY:2 Fragen wiederholen\r\n" in answer.text
    assert f"URL:{due.client.base_url}/review" in answer.text.replace("\r\n ", "")
    assert SECRET not in answer.text
    refused = await due.client.get("/api/reviews/calendar.ics", params={"language": "xx"})
    assert (refused.status_code, set(refused.json())) == (422, {"error", "code"}), refused.text
    assert (await due.client.get("/api/reviews/calendar.ics", params={"userId": "somebody"})).status_code == 404


async def test_what_retention_costs_is_told_for_each_choice(due: Web) -> None:
    costs = (await due.client.get("/api/reviews/costs")).json()
    assert [one["retention"] for one in costs] == [0.8, 0.85, 0.9, 0.95]
    assert costs[3]["reviewsPerDay"] >= costs[2]["reviewsPerDay"] > 0
