"""Budgets of classes over HTTP: what is refused while one is spent, and what goes on."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from harness.servers.signed_in import SignInServer, serving_sign_in
from sprout.accounts.principal import AccountRole
from sprout.learning.paths.path_file import parse_path
from sprout.offline.demo.router import demo_model
from sprout.offline.server import running_offline_server
from sprout.runs.budget.arithmetic import Amount

EXAMPLE = Path(__file__).parents[4] / "examples" / "fractions.yaml"
BUDGET = {"tokensPerDay": 5_000}


@pytest.fixture
async def server(sqlite_url: str, tmp_path: Path) -> AsyncIterator[SignInServer]:
    async with running_offline_server(demo_model()) as model:
        priced: dict[str, Any] = {"api_key": "a-key", "base_url": model.base_url, "model": "claude-opus-5"}
        async with serving_sign_in(tmp_path, sqlite_url, **priced) as server:
            await server.add_person("tess", AccountRole.TEACHER)
            await server.add_person("anna")
            yield server


async def test_a_spent_budget_refuses_runs_and_says_when_it_is_free_while_all_without_a_model_goes_on(
    server: SignInServer,
) -> None:
    tess, anna = await server.sign_in("tess"), await server.sign_in("anna")
    teacher, learner = [(await one.get("/api/account")).json()["userId"] for one in (tess, anna)]
    path = await server.sprout.stores.exchange.import_path(parse_path(EXAMPLE.read_text()), user_id=teacher)
    address = f"/api/classes/{(await tess.post('/api/classes', json={'name': '5b'})).json()['id']}"
    code = (await tess.post(f"{address}/code", json={})).json()["code"]["code"]
    (await anna.post("/api/account/classes", json={"code": code})).raise_for_status()
    (await tess.post(f"{address}/paths", json={"branchId": path.id})).raise_for_status()
    (copy,) = (await anna.get("/api/branches")).json()

    (root,) = await server.sprout.stores.paths.nodes(user_id=learner, type="root")

    set_ = await tess.put(f"{address}/budget", json=BUDGET)
    assert (set_.status_code, set_.json()["tokensPerDay"], set_.json()["usdPerDay"]) == (200, 5_000, None)
    ledger = server.sprout.ledger
    payer = await ledger.payer(learner, copy["id"], "claude-opus-5", run_id="run", attempt_id="first")
    reservation, _ = await ledger.reserve(payer, "claude-opus-5", prompt_tokens=0, max_tokens=4_500)
    await ledger.settle(reservation, Amount(0, 4_500))
    shown = (await tess.get(f"{address}/budget")).json()
    assert (shown["today"], shown["thisMonth"]) == ({"usd": 0, "tokens": 4_500}, {"usd": 0, "tokens": 4_500})
    tightest = (await anna.get("/api/status")).json()["budget"]["tightest"]
    assert (tightest["payer"], tightest["className"], tightest["near"]) == ("class", "5b", True)

    refused = await anna.post(f"/api/agents/topics/{root.id}/run?wait=false", json={})
    assert (refused.status_code, refused.json()["code"]) == (429, "budget_over")
    assert refused.json()["freeAt"] == shown["dayEndsAt"] == tightest["resetsAt"]
    assert "Reviews, reading and questions with choices go on." in refused.json()["error"]
    assert int(refused.headers["Retry-After"]) > 0
    assert (await anna.get("/api/runs")).json() == []

    assessments = (await anna.get("/api/assessments")).json()
    marked = 0
    for assessment in assessments:
        for question in (await anna.get(f"/api/assessments/{assessment['id']}/questions")).json():
            if not question["options"]:
                continue
            body = {"questionId": question["id"], "selectedOption": json.loads(question["options"])[0]}
            answer = await anna.post(f"/api/assessments/{assessment['id']}/answers", json=body)
            assert answer.status_code == 201, answer.text
            assert answer.json()["isCorrect"] is not None
            marked += 1
    assert marked > 0
    for reading in ("/api/reviews/due", "/api/today", f"/api/branches/{copy['id']}/graph"):
        assert (await anna.get(reading)).status_code == 200
    assert (await anna.post("/api/reviews/sessions", json={})).status_code in {200, 201, 409}

    off = await tess.patch(address, json={"model": "off"})
    assert (off.status_code, off.json()["model"]) == (200, "off")
    refused = await anna.post(f"/api/agents/topics/{root.id}/run?wait=false", json={})
    assert (refused.status_code, refused.json()["code"]) == (409, "class_model_off")
    await server.sprout.stores.exchange.import_path(parse_path(EXAMPLE.read_text()), user_id=learner)
    roots = await server.sprout.stores.paths.nodes(user_id=learner, type="root")
    own = next(one for one in roots if one.id != root.id)
    started = await anna.post(f"/api/agents/topics/{own.id}/run?wait=false", json={})
    assert started.status_code == 202, "a path of one's own is paid by oneself, who has no limit"


async def test_an_owner_sees_every_class_with_what_it_cost_this_month_and_nobody_else_does(
    server: SignInServer,
) -> None:
    await server.add_person("olga", AccountRole.OWNER)
    olga, tess, anna = [await server.sign_in(name) for name in ("olga", "tess", "anna")]
    assert (await olga.get("/api/class-spending")).json() == []
    first, second = [(await tess.post("/api/classes", json={"name": name})).json()["id"] for name in ("5b", "6c")]
    code = (await tess.post(f"/api/classes/{first}/code", json={})).json()["code"]["code"]
    (await anna.post("/api/account/classes", json={"code": code})).raise_for_status()
    teacher, learner = [(await one.get("/api/account")).json()["userId"] for one in (tess, anna)]
    path = await server.sprout.stores.exchange.import_path(parse_path(EXAMPLE.read_text()), user_id=teacher)
    (await tess.post(f"/api/classes/{first}/paths", json={"branchId": path.id})).raise_for_status()
    (copy,) = (await anna.get("/api/branches")).json()
    ledger = server.sprout.ledger
    payer = await ledger.payer(learner, copy["id"], "claude-opus-5", run_id="run", attempt_id="first")
    reservation, _ = await ledger.reserve(payer, "claude-opus-5", prompt_tokens=0, max_tokens=4_500)
    await ledger.settle(reservation, Amount(2_500_000_000, 4_500))
    (await tess.patch(f"/api/classes/{second}", json={"model": "off", "archived": True})).raise_for_status()

    one, other = (await olga.get("/api/class-spending")).json()
    assert other.pop("archivedAt") is not None
    of_tess = {"teacherId": teacher, "teacher": "tess"}
    assert one == {
        **of_tess,
        "id": first,
        "name": "5b",
        "members": 1,
        "model": "on",
        "archivedAt": None,
        "thisMonth": {"usd": 2.5, "tokens": 4_500},
    }
    nothing = {"usd": 0, "tokens": 0}
    assert other == {**of_tess, "id": second, "name": "6c", "members": 0, "model": "off", "thisMonth": nothing}
    for client in (tess, anna):
        assert (await client.get("/api/class-spending")).status_code == 403
    budgets = server.accounts.class_budgets
    assert await budgets.spending(owner_id=teacher) == [], "scoped by itself"
