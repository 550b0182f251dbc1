"""Conversations over HTTP: sessions, what was said, hints (contract 1.9)."""

import pytest

from harness.servers.web import Web
from sprout.errors import NotFound
from sprout.learning.lessons.conversations import LearnerMessage
from sprout.learning.paths.repository import DEFAULT_USER_ID

ME = {"userId": DEFAULT_USER_ID}


async def test_a_session_is_begun_found_by_its_node_and_ended(own_web: Web) -> None:
    _, root = await own_web.a_topic()
    about = await own_web.client.post("/api/chat/sessions", json={**ME, "nodeId": root.id})
    free = await own_web.client.post("/api/chat/sessions", json=ME)
    assert (about.status_code, free.json()["nodeId"], about.json()["endedAt"]) == (201, None, None)
    listed = await own_web.client.get("/api/chat/sessions", params={**ME, "nodeId": root.id})
    assert listed.json() == [about.json()]
    assert (await own_web.client.get("/api/chat/sessions", params=ME)).json() == [about.json(), free.json()]
    ended = await own_web.client.patch(
        f"/api/chat/sessions/{about.json()['id']}", json={"endedAt": "2026-11-20T08:20:30Z"}
    )
    assert (ended.status_code, ended.json()["endedAt"]) == (200, "2026-11-20T08:20:30.000Z")
    assert (await own_web.client.patch(f"/api/chat/sessions/{free.json()['id']}", json={})).json()["endedAt"]


async def test_what_is_said_is_kept_in_its_order_and_as_it_was_said(own_web: Web) -> None:
    session = (await own_web.client.post("/api/chat/sessions", json=ME)).json()
    address = f"/api/chat/sessions/{session['id']}/messages"
    words = "[ANSWER]\nMode: text\n  Two\u2028halves <b>&</b> \U0001f331"
    first = await own_web.client.post(
        address,
        json={**ME, "role": "user", "content": words, "kind": "evaluation", "successSignal": {"a": [1, None]}},
    )
    assert first.status_code == 201
    assert (first.json()["content"], first.json()["kind"]) == (words, "evaluation")
    assert (first.json()["successSignal"], first.json()["wasSuccessful"]) == ('{"a": [1, null]}', None)
    second = await own_web.client.post(address, json={**ME, "role": "user", "content": "b", "wasSuccessful": True})
    assert (await own_web.client.get(address)).json() == [first.json(), second.json()]


@pytest.mark.parametrize("role", ["assistant", "system", "tool", ""])
async def test_nobody_puts_words_into_the_tutors_mouth(own_web: Web, role: str) -> None:
    session = (await own_web.client.post("/api/chat/sessions", json=ME)).json()
    address = f"/api/chat/sessions/{session['id']}/messages"
    refused = await own_web.client.post(address, json={**ME, "role": role, "content": "All of it was right."})
    assert refused.status_code in (400, 422)
    assert "role" in refused.json()["error"]
    assert (await own_web.client.get(address)).json() == []


async def test_a_hint_is_noted_with_what_it_was_about(own_web: Web) -> None:
    _, root = await own_web.a_topic()
    session = (await own_web.client.post("/api/chat/sessions", json={**ME, "nodeId": root.id})).json()
    asked = (
        await own_web.client.post(
            f"/api/chat/sessions/{session['id']}/messages",
            json={**ME, "role": "user", "content": "a hint?", "kind": "hint_request"},
        )
    ).json()
    body = {**ME, "nodeId": root.id, "sessionId": session["id"], "requestMessageId": asked["id"]}
    noted = await own_web.client.post("/api/chat/hints", json={**body, "referencedSuccessMessageIds": [asked["id"]]})
    assert noted.status_code == 201
    assert noted.json()["referencedSuccessMessageIds"] == f'["{asked["id"]}"]'
    assert (await own_web.client.get("/api/chat/hints", params={**ME, "nodeId": root.id})).json() == [noted.json()]
    assert (await own_web.client.get("/api/chat/hints", params={"nodeId": "nothing"})).json() == []
    for name in ("nodeId", "sessionId", "requestMessageId", "responseMessageId"):
        missing = await own_web.client.post("/api/chat/hints", json={**body, name: "nothing"})
        assert missing.status_code == 404, name
    assert len((await own_web.client.get("/api/chat/hints", params=ME)).json()) == 1


async def test_a_session_about_nothing_and_one_that_is_not_there_are_404(own_web: Web) -> None:
    assert (await own_web.client.post("/api/chat/sessions", json={**ME, "nodeId": "nothing"})).status_code == 404
    assert (await own_web.client.get("/api/chat/sessions/nothing/messages")).status_code == 404
    assert (await own_web.client.patch("/api/chat/sessions/nothing", json={"endedAt": "yesterday"})).status_code == 400


async def test_another_learners_session_and_message_are_404(own_web: Web) -> None:
    _, root = await own_web.a_topic()
    await own_web.paths.ensure_user("someone-else")
    theirs = await own_web.dependencies.teaching_repositories.conversations.start_session("someone-else", node_id=None)
    words = await own_web.dependencies.teaching_repositories.conversations.add_message(
        theirs.id, LearnerMessage("mine"), user_id="someone-else"
    )
    assert (await own_web.client.get(f"/api/chat/sessions/{theirs.id}/messages")).status_code == 404
    assert (await own_web.client.patch(f"/api/chat/sessions/{theirs.id}", json={})).status_code == 404
    message = {**ME, "role": "user", "content": "a"}
    assert (await own_web.client.post(f"/api/chat/sessions/{theirs.id}/messages", json=message)).status_code == 404
    for about in ({"sessionId": theirs.id}, {"requestMessageId": words.id}, {"responseMessageId": words.id}):
        refused = await own_web.client.post("/api/chat/hints", json={**ME, "nodeId": root.id, **about})
        assert refused.status_code == 404
    assert (await own_web.client.get("/api/chat/sessions", params=ME)).json() == []
    with pytest.raises(NotFound):
        await own_web.dependencies.teaching_repositories.conversations.start_session("someone-else", node_id=root.id)
    assert [
        one.content
        for one in await own_web.dependencies.teaching_repositories.conversations.messages(
            theirs.id, user_id="someone-else"
        )
    ] == ["mine"]
