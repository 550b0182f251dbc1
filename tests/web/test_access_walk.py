"""Every endpoint with every caller and every kind of id: what the table says is what the server does (Z1, Z2)."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import nullcontext

import pytest

from harness.database.empty_sqlite import create_empty_database
from harness.database.postgres import pooled_postgres
from harness.services import SCALED
from sprout.accounts.principal import AccountRole
from sprout.web.handlers.pages import get_page
from sprout.web.http.endpoint import AnyEndpoint, Endpoint
from sprout.web.routes import ENDPOINTS, routes
from tests.web.access_walk import (
    OTHER_WORD,
    OWN_WORD,
    Answer,
    Caller,
    Walk,
    Whose,
    a_walk,
    ask,
    cells,
    has_ids,
)

# With these a request that is let through ends or takes what the cells after it need: other tests send them.
TOUCHES_ALL = {
    ("DELETE", "/api/learner"): "test_people_and_tokens.py",
    ("POST", "/api/sign-out"): "test_sign_in.py",
    ("DELETE", "/api/account/sessions"): "test_sign_in.py",
    ("DELETE", "/api/account/sessions/{id}"): "test_sign_in.py",
    ("DELETE", "/api/account/tokens/{id}"): "test_people_and_tokens.py",
    ("PATCH", "/api/people/{id}"): "test_people_and_tokens.py",
    ("POST", "/api/people/{id}/link"): "test_people_and_tokens.py",
    ("POST", "/api/sign-in"): "test_sign_in.py",
    ("POST", "/api/sign-in/set-up"): "test_sign_in.py",
    ("POST", "/api/sign-in/password"): "test_people_and_tokens.py",
    ("POST", "/api/sign-in/card"): "test_classes.py",
    ("POST", "/api/sign-in/passkey"): "test_passkeys.py",
    ("DELETE", "/api/account/passkeys/{id}"): "test_passkeys.py",
    ("DELETE", "/api/account/identities/{id}"): "test_identities.py",
    ("DELETE", "/api/account/email"): "test_email_recovery.py",
}
# The wire contract says so of a node that is missing, and a foreign one is not told from it.
EMPTY_WHERE_MISSING = {
    ("DELETE", "/api/nodes/{id}"): 204,
    ("GET", "/api/nodes/{id}/children"): 200,
    ("GET", "/api/nodes/{id}/dependency-edges"): 200,
}
# An owner decides what a class may cost, whoever's it is, and learns nothing of what it does.
OWNERS_ALSO = {("GET", "/api/classes/{id}/budget"), ("PUT", "/api/classes/{id}/budget")}
OWNERS_SEE = ("GET", "/api/class-spending")  # names of all classes, and what they cost
DATABASES = ["postgres"] if SCALED else ["sqlite", "postgres"]
NO_SUCH_AGENT = "/api/agents/{name}/nodes/{id}/run"


@pytest.fixture(scope="module", params=DATABASES)
async def walk(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Walk]:
    folder = tmp_path_factory.mktemp("walk")
    with pooled_postgres() if request.param == "postgres" else nullcontext(create_empty_database(folder)) as url:
        async with a_walk(folder, url) as walk:
            yield walk


def test_an_endpoint_without_a_decision_cannot_be_written() -> None:
    with pytest.raises(TypeError):
        Endpoint("GET", "/api/undecided", get_page, "Undecided", ())  # type: ignore[call-arg, arg-type]


def test_nothing_is_served_that_is_not_in_the_table() -> None:
    class Nothing:
        pass

    served = {route.path for route in routes(Nothing())}  # type: ignore[arg-type]
    assert served == {endpoint.path for endpoint in ENDPOINTS}


def is_owner(caller: Caller) -> bool:
    return caller.principal is not None and caller.principal.role is AccountRole.OWNER


def is_left_to_others(endpoint: AnyEndpoint, whose: Whose) -> bool:
    """Whether a request that is let through would take from the walk what it needs."""
    takes_away = endpoint.method == "DELETE" or (endpoint.method, endpoint.path) in TOUCHES_ALL
    return (takes_away and whose is Whose.OWN) or ((endpoint.method, endpoint.path) in TOUCHES_ALL)


def fault_of(endpoint: AnyEndpoint, caller: Caller, whose: Whose, answer: Answer, refusal: int | None) -> str | None:
    """What is wrong with an answer, in a few words."""
    if refusal is not None:
        return None if answer.status == refusal else f"expected {refusal}"
    if answer.status == 401 and "wrong_credentials" in answer.text:
        return None
    if answer.status in {401, 403} or answer.status >= 500:
        return "was let through by the table"
    if (endpoint.method, endpoint.path) == OWNERS_SEE:
        return None if is_owner(caller) else "was let through by the table"
    foreign_word = OTHER_WORD if whose is Whose.OWN else OWN_WORD
    if caller.principal is not None and caller.name != "other learner" and OTHER_WORD in answer.text:
        return f"shows {OTHER_WORD}"
    if whose is not Whose.OWN and foreign_word in answer.text:
        return f"shows {foreign_word}"
    if endpoint.access.scope is None or endpoint.path.startswith("/api/people/"):
        return None
    if has_ids(endpoint) and whose is not Whose.OWN:
        expected = EMPTY_WHERE_MISSING.get((endpoint.method, endpoint.path), 404)
        if (endpoint.method, endpoint.path) in OWNERS_ALSO and whose is Whose.FOREIGN and is_owner(caller):
            expected = 200
        return None if answer.status == expected else f"expected {expected}"
    if whose is Whose.OWN and answer.status == 404 and endpoint.path != NO_SUCH_AGENT:
        return "expected what is their own"
    return None


async def test_Z1_a_foreign_object_is_answered_as_a_missing_one(walk: Walk) -> None:
    other, before = walk.caller("other learner"), await everything_of_the_learner(walk)
    wrong = []
    for endpoint in ENDPOINTS:
        if not has_ids(endpoint) or other.refusal(endpoint.access) is not None:
            continue
        foreign, missing = [
            await ask(other.client, endpoint, path, body=walk.body(endpoint, with_ids=False))
            for path in (walk.path(endpoint, Whose.FOREIGN), walk.path(endpoint, Whose.UNKNOWN))
        ]
        ids = {one for found in walk.ids.ids.values() for one in found}
        texts = [foreign.text, missing.text]
        for id_ in ids | {"01a21bf9-0000-7000-8000-000000000000"}:
            texts = [text.replace(id_, "ID") for text in texts]
        if (foreign.status, texts[0]) != (missing.status, texts[1]):
            wrong.append(f"{endpoint.method} {endpoint.path}: {foreign} {missing}")
    assert wrong == []
    assert await everything_of_the_learner(walk) == before


@pytest.mark.parametrize("walk", DATABASES[:1], indirect=True, scope="module")
async def test_Z1_foreign_ids_in_queries_and_bodies_show_and_change_nothing(walk: Walk) -> None:
    """On one database: whether each of them keeps objects of others apart, the test above asks."""
    before = await everything_of_the_learner(walk)
    callers = [walk.caller(name) for name in ("other learner", "teacher", "owner")]
    wrong, sent = list[str](), 0
    for endpoint in ENDPOINTS:
        if is_left_to_others(endpoint, Whose.OWN):
            continue
        admitted = [caller for caller in callers if caller.refusal(endpoint.access) is None]
        for asked in await asyncio.gather(*(ask_with_foreign_ids(walk, endpoint, caller) for caller in admitted)):
            sent += len(asked)
            wrong += [fault for fault in asked if fault is not None]
    assert wrong == []
    assert sent > 500
    assert await everything_of_the_learner(walk) == before


async def ask_with_foreign_ids(walk: Walk, endpoint: AnyEndpoint, caller: Caller) -> list[str | None]:
    """What is wrong with the answer to each way to name another's objects; None for what is right."""
    query, body, path = walk.query(endpoint), walk.body(endpoint, with_ids=True), walk.path(endpoint, Whose.UNKNOWN)
    tries = [{"params": query, "body": body}]
    if endpoint.access.scope is not None:
        tries += [{"params": {**query, "userId": walk.user_id}, "body": body}]
        tries += [{"params": query, "body": {**body, "userId": walk.user_id}}] if body is not None else []
    faults = list[str | None]()
    for number, given in enumerate(tries):
        answer = await ask(caller.client, endpoint, path, **given)
        is_told = OWN_WORD in answer.text and (endpoint.method, endpoint.path) != OWNERS_SEE
        is_wrong = is_told or answer.status >= 500 or (number > 0 and answer.status != 404)
        described = f"{endpoint.method} {path} {given} × {caller.name}: {answer.status} {answer.text[:80]}"
        faults.append(described if is_wrong else None)
    return faults


async def everything_of_the_learner(walk: Walk) -> dict[str, str]:
    """What the first learner sees of their own."""
    client = walk.caller("learner").client
    paths = ("/api/branches", "/api/nodes", "/api/memories", "/api/progress", "/api/assessments", "/api/chat/sessions")
    return {path: (await client.get(path)).text for path in paths}


async def test_Z2_cursors_of_foreign_runs_replay_nothing(walk: Walk) -> None:
    run = walk.ids.ids_of("runs")[0]
    for name in ("other learner", "teacher", "owner"):
        client = walk.caller(name).client
        for after in ("0", "1"):
            headers = {"Last-Event-ID": f"{run}:{after}"}
            answer = await client.get("/api/events?follow=false", headers=headers)
            assert (answer.status_code, OWN_WORD in answer.text, run in answer.text) == (200, False, False)
            followed = await client.get(f"/api/runs/{run}/events", headers={"Last-Event-ID": after})
            assert followed.status_code == 404
    own = await walk.caller("learner").client.get("/api/events?follow=false", headers={"Last-Event-ID": f"{run}:0"})
    assert OWN_WORD in own.text


async def test_Z1_search_pages_and_exports_show_ones_own_alone(walk: Walk) -> None:
    root = walk.ids.ids_of("topics")[0]
    learner, other = walk.caller("learner").client, walk.caller("other learner").client
    own = await learner.get(f"/api/nodes/{root}/search", params={"q": "oranges"})
    assert OWN_WORD in own.text
    assert (await other.get(f"/api/nodes/{root}/search", params={"q": "oranges"})).status_code == 404
    archive = await other.get("/api/learner/archive")
    assert OWN_WORD.encode() not in archive.content
    for change in walk.ids.ids_of("changes"):
        page = await other.get(f"/api/branches/{walk.ids.ids_of('branches')[0]}/changes", params={"before": change})
        assert page.status_code == 404
    assert OWN_WORD not in (await other.get("/api/runs", params={"before": walk.ids.ids_of("runs")[0]})).text


@pytest.mark.parametrize("walk", DATABASES[:1], indirect=True, scope="module")
async def test_Z1_every_cell_of_the_table_is_decided_and_answered_so(walk: Walk) -> None:
    """Comes last: a request that is let through may change what is the learner's own.

    On one database: who may call is decided before any, and whose an object is, the tests above ask of each.
    """
    wrong, seen = list[str](), Counter[str]()

    async def check(endpoint: AnyEndpoint, caller: Caller, whose: Whose) -> None:
        refusal = caller.refusal(endpoint.access)
        body = walk.body(endpoint, with_ids=whose is Whose.OWN)
        answer = await ask(caller.client, endpoint, walk.path(endpoint, whose), body=body)
        seen["cells"] += 1
        if fault := fault_of(endpoint, caller, whose, answer, refusal):
            wrong.append(f"{endpoint.method} {endpoint.path} × {caller.name} × {whose}: {answer.status}, {fault}")

    for endpoint in ENDPOINTS:
        of_endpoint = cells(walk, endpoint)
        turned_away = [(caller, whose) for caller, whose in of_endpoint if caller.refusal(endpoint.access) is not None]
        await asyncio.gather(*(check(endpoint, caller, whose) for caller, whose in turned_away))
        for caller, whose in of_endpoint:
            if caller.refusal(endpoint.access) is not None:
                continue
            if is_left_to_others(endpoint, whose):
                seen["left to other tests"] += 1
            else:
                await check(endpoint, caller, whose)
    assert not wrong, "\n".join(wrong)
    assert seen["cells"] > 2_500
    assert seen["left to other tests"] < seen["cells"] / 10, seen
