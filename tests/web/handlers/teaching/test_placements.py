"""Placements over HTTP: what a client sends and gets, refusals, and no right answer in any of it."""

from typing import Any

import pytest

from harness.servers.web import Web
from sprout.learning.paths.repository import DEFAULT_USER_ID
from tests.web.handlers.teaching.test_reviews import PATH, SECRET, WHY, WRONG

ME = {"userId": DEFAULT_USER_ID}


@pytest.fixture
async def path(own_web: Web) -> dict[str, Any]:
    """A path with two parts and three choices about each, of which none was answered."""
    branch = (await own_web.client.post("/api/graphs", json=PATH)).json()["branch"]["id"]
    nodes = (await own_web.client.get(f"/api/nodes?branchId={branch}&type=subconcept")).json()
    return {"web": own_web, "branch": branch, "parts": {node["title"]: node["id"] for node in nodes}}


async def start(path: dict[str, Any], **of: Any) -> dict[str, Any]:
    answer = await path["web"].client.post("/api/placements", json={**ME, **(of or {"branchId": path["branch"]})})
    assert answer.status_code in (200, 201), answer.text
    found: dict[str, Any] = answer.json()
    return found


async def test_Q6_no_reply_of_a_placement_tells_what_is_right(path: dict[str, Any]) -> None:
    client = path["web"].client
    session = await start(path)
    address, shown = f"/api/placements/{session['id']}", session["question"]
    assert (shown["type"], shown["concept"], len(shown["options"])) == ("mcq", "Marsupials", 4)
    texts = [(await client.get(address)).text, (await client.get(f"/api/branches/{path['branch']}/placement")).text]
    while session["question"]:
        given = {**ME, "itemId": session["question"]["itemId"], "selectedOption": WRONG}
        answered = await client.post(f"{address}/answers", json=given)
        assert answered.status_code == 201
        session = answered.json()
        texts.append(answered.text)
    assert SECRET not in texts[-1]
    for text in texts:
        assert '"answer"' not in text
        assert '"correct' not in text
        assert '"isCorrect' not in text
        assert WHY not in text


async def test_P1_a_placement_runs_to_its_result_and_is_overruled(path: dict[str, Any]) -> None:
    client, session = path["web"].client, await start(path)
    assert (await client.post("/api/placements", json={**ME, "branchId": path["branch"]})).status_code == 200
    address = f"/api/placements/{session['id']}"
    while session["question"]:
        given = {**ME, "itemId": session["question"]["itemId"], "selectedOption": SECRET}
        session = (await client.post(f"{address}/answers", json=given)).json()
    assert {node["title"]: node["placed"] for node in session["nodes"]} == dict.fromkeys(path["parts"], "known")
    overview = (await client.get(f"/api/branches/{path['branch']}/placement")).json()
    assert (overview["openId"], overview["lastId"]) == (None, session["id"])
    body = {**ME, "nodeId": path["parts"]["Striped ones"], "known": False}
    overruled = (await client.post(f"{address}/overrules", json=body)).json()
    assert {node["title"]: node["said"] for node in overruled["nodes"]} == {"Smiling ones": None, "Striped ones": False}
    action = (await client.get(f"/api/next?branchId={path['branch']}")).json()
    assert (action["kind"], action["node"]["title"]) == ("lesson", "Striped ones")
    assert (await client.post(f"{address}/overrules", json=body | {"known": True})).json() == session


async def test_P1a_i_know_this_is_confirmed_by_two_answers(path: dict[str, Any]) -> None:
    client, session = path["web"].client, await start(path, nodeId=path["parts"]["Smiling ones"])
    assert (session["kind"], session["title"], session["questions"]) == ("node", "Smiling ones", 2)
    for left in (1, 0):
        given = {**ME, "itemId": session["question"]["itemId"], "selectedOption": SECRET}
        session = (await client.post(f"/api/placements/{session['id']}/answers", json=given)).json()
        assert (session["question"] is None) == (left == 0)
    assert (session["outcome"], [node["title"] for node in session["nodes"]]) == ("confirmed", ["Smiling ones"])


async def test_P1_refusals_say_what_to_do(path: dict[str, Any]) -> None:
    client, session = path["web"].client, await start(path)
    address, item = f"/api/placements/{session['id']}", session["question"]["itemId"]
    cases = [
        ("/api/placements", {}, 400),
        ("/api/placements", {"branchId": path["branch"], "nodeId": path["parts"]["Smiling ones"]}, 400),
        ("/api/placements", {"branchId": "gone"}, 404),
        (f"{address}/answers", {"itemId": item, "selectedOption": "the koala"}, 400),
        (f"{address}/answers", {"itemId": item, "answerText": "perhaps"}, 400),
        (f"{address}/answers", {"itemId": "gone"}, 404),
        (f"{address}/skip", {"itemId": "gone"}, 404),
        (f"{address}/overrules", {"nodeId": path["parts"]["Smiling ones"], "known": True}, 409),
        ("/api/placements/gone/finish", {}, 404),
    ]
    for where, body, status in cases:
        answer = await client.post(where, json={**ME, **body})
        assert answer.status_code == status, f"{where} {body}: {answer.text}"
        assert len(answer.json()["error"]) > 5
    assert (await client.get(address)).json() == session


async def test_P1_two_devices_at_once_count_an_answer_once(path: dict[str, Any]) -> None:
    client, session = path["web"].client, await start(path)
    address, item = f"/api/placements/{session['id']}", session["question"]["itemId"]
    first = await client.post(f"{address}/answers", json={**ME, "itemId": item, "selectedOption": SECRET})
    other = await client.post(f"{address}/answers", json={**ME, "itemId": item, "selectedOption": WRONG})
    again = await client.post(f"{address}/answers", json={**ME, "itemId": item, "selectedOption": SECRET})
    assert (first.status_code, other.status_code, again.status_code) == (201, 409, 201)
    assert first.json() == again.json()
    assert "answered already" in other.json()["error"]
