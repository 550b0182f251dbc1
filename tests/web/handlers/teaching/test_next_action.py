"""What comes next for a learner, over HTTP: over all paths, in one, and in one of its concepts."""

from typing import Any

from harness.servers.web import Web
from sprout.learning.paths.repository import DEFAULT_USER_ID

ME = {"userId": DEFAULT_USER_ID}
RIGHT = "a third"
LONG_AGO = "2026-01-05T09:00:00Z"


def a_path(title: str) -> dict[str, Any]:
    choices = [
        {
            "prompt": f"Which is the smallest, number {number}?", "format": "mcq", "difficulty": 1,
            "options": [RIGHT, "a half", "two thirds", "one"], "correct_answer": RIGHT, "tests": ["Halves"],
        }
        for number in range(3)
    ]  # fmt: skip
    return {
        "sprout_path": 1, "title": title, "topic": {"title": title},
        "concepts": [
            {"title": "Parts", "subconcepts": [{"title": "Halves"}], "questions": choices},
            {"title": "Sums", "subconcepts": [{"title": "Adding"}]},
        ],
        "edges": [{"from": "Parts", "to": "Sums"}],
    }  # fmt: skip


async def seed(web: Web, title: str) -> str:
    planted = await web.client.post("/api/graphs", json=a_path(title))
    assert planted.status_code == 201, planted.text
    return str(planted.json()["branch"]["id"])


async def following(web: Web, **query: str) -> dict[str, Any]:
    answer = await web.client.get("/api/next", params=query)
    assert answer.is_success, answer.text
    return dict(answer.json())


async def learn(web: Web, branch_id: str, title: str) -> None:
    """Answer the questions about the part right, as its diagnostic asks them."""
    nodes = (await web.client.get("/api/nodes", params={"branchId": branch_id})).json()
    concept = next(node["id"] for node in nodes if node["title"] == title)
    (assessment,) = (await web.client.get("/api/assessments", params={"targetNodeId": concept})).json()
    for question in (await web.client.get(f"/api/assessments/{assessment['id']}/questions")).json():
        body = {**ME, "questionId": question["id"], "selectedOption": RIGHT}
        answer = await web.client.post(f"/api/assessments/{assessment['id']}/answers", json=body)
        assert answer.status_code == 201, answer.text


async def test_without_a_path_there_is_nothing_next(own_web: Web) -> None:
    assert (await following(own_web))["kind"] == "none"


async def test_a_new_path_begins_with_its_first_part(own_web: Web) -> None:
    await seed(own_web, "Fractions")
    action = await following(own_web)
    assert (action["kind"], action["node"]["title"], action["concept"]["title"]) == ("lesson", "Halves", "Parts")
    assert (action["branch"]["title"], action["why"], action["minutes"]) == ("Fractions", "first", 8)
    assert (action["opens"], action["learned"], action["parts"]) == (["Sums"], 0, 1)


async def test_what_was_learned_is_the_reason_for_what_it_opens(own_web: Web) -> None:
    branch_id = await seed(own_web, "Fractions")
    await learn(own_web, branch_id, "Parts")
    action = await following(own_web, branchId=branch_id)
    assert (action["node"]["title"], action["why"], action["because"]) == ("Adding", "builds_on", ["Parts"])


async def test_a_lesson_that_was_begun_goes_on(own_web: Web) -> None:
    branch_id = await seed(own_web, "Fractions")
    await learn(own_web, branch_id, "Parts")
    node_id = (await following(own_web, branchId=branch_id))["node"]["id"]
    session = (await own_web.client.post("/api/chat/sessions", json={**ME, "nodeId": node_id})).json()
    said = await own_web.client.post(
        f"/api/chat/sessions/{session['id']}/messages", json={**ME, "role": "user", "content": "Hello"}
    )
    assert said.status_code == 201, said.text
    assert (await following(own_web))["why"] == "started"


async def test_a_path_of_which_all_is_learned_makes_room_for_another(own_web: Web) -> None:
    first, second = await seed(own_web, "Fractions"), await seed(own_web, "Decimals")
    await learn(own_web, second, "Parts")
    assert (await following(own_web))["branch"]["id"] == second, "the one that was worked on last"
    in_parts = await own_web.client.get("/api/nodes", params={"branchId": second, "type": "concept"})
    parts = next(node["id"] for node in in_parts.json() if node["title"] == "Parts")
    assert (await following(own_web, nodeId=parts))["kind"] == "done"
    assert (await following(own_web, branchId=first))["node"]["title"] == "Halves"


async def test_a_path_without_concepts_is_to_be_made(own_web: Web) -> None:
    branch = (await own_web.client.post("/api/branches", json={**ME, "title": "Knots"})).json()
    action = await following(own_web)
    assert (action["kind"], action["branch"]["id"], action["concept"]) == ("grow", branch["id"], None)


async def test_a_concept_without_parts_is_to_be_made(own_web: Web) -> None:
    plan = a_path("Fractions") | {"concepts": [{"title": "Parts"}], "edges": []}
    assert (await own_web.client.post("/api/graphs", json=plan)).status_code == 201
    action = await following(own_web)
    assert (action["kind"], action["concept"]["title"]) == ("grow", "Parts")


async def test_what_is_not_the_callers_is_not_found(own_web: Web) -> None:
    branch_id = await seed(own_web, "Fractions")
    nodes = (await own_web.client.get("/api/nodes", params={"branchId": branch_id})).json()
    halves = next(node["id"] for node in nodes if node["title"] == "Halves")
    for query in ({"branchId": "nope"}, {"nodeId": "nope"}, {"branchId": branch_id, "nodeId": halves}):
        answer = await own_web.client.get("/api/next", params=query)
        assert (answer.status_code, set(answer.json())) == (404, {"error", "code"}), query


async def forget(web: Web, branch_id: str, title: str) -> None:
    """Let the part be learned long ago, so that it is due."""
    nodes = (await web.client.get("/api/nodes", params={"branchId": branch_id})).json()
    node_id = next(node["id"] for node in nodes if node["title"] == title)
    progress = (await web.client.post("/api/progress", json={**ME, "nodeId": node_id})).json()
    await web.client.patch(f"/api/progress/{progress['id']}", json={"masteryScore": 0.1})
    changed = await web.client.patch(f"/api/progress/{progress['id']}", json={"completedAt": LONG_AGO})
    assert changed.is_success, changed.text


async def test_V2_what_is_due_comes_before_the_lesson_over_all_paths_and_beside_it_in_one(own_web: Web) -> None:
    first, other = await seed(own_web, "Fractions"), await seed(own_web, "Decimals")
    await learn(own_web, first, "Parts")
    assert (await following(own_web))["reviews"] is None, "what was learned today is not due"
    await forget(own_web, first, "Halves")
    action = await following(own_web)
    assert (action["kind"], action["minutes"], action["node"]) == ("review", 1, None)
    assert action["reviews"] == {"count": 1, "minutes": 1, "here": 1, "sessionId": None}
    within = await following(own_web, branchId=first)
    assert (within["kind"], within["node"]["title"], within["reviews"]["here"]) == ("lesson", "Adding", 1)
    page = (await own_web.client.get(f"/api/branches/{first}/graph")).json()
    assert [node["title"] for node in page["nodes"] if node["id"] in page["due"]] == ["Halves"]
    assert (await following(own_web, branchId=other))["reviews"]["here"] == 0
    parts = next(
        node["id"]
        for node in (await own_web.client.get("/api/nodes", params={"branchId": first})).json()
        if node["title"] == "Parts"
    )
    assert (await following(own_web, nodeId=parts))["kind"] == "review", "nothing else is left in the concept"


async def test_V2_a_session_that_was_left_is_what_comes_next(own_web: Web) -> None:
    branch_id = await seed(own_web, "Fractions")
    await learn(own_web, branch_id, "Parts")
    await forget(own_web, branch_id, "Halves")
    session = (await own_web.client.post("/api/reviews/sessions", json=ME)).json()
    assert (await following(own_web))["reviews"]["sessionId"] == session["id"]
    skipped = {**ME, "itemId": session["question"]["itemId"]}
    await own_web.client.post(f"/api/reviews/sessions/{session['id']}/skip", json=skipped)
    action = await following(own_web)
    assert (action["kind"], action["reviews"]) == ("lesson", None), "what is skipped waits for tomorrow"
