"""Classes over HTTP, on both databases: a teacher makes one, learners join it, and come back with cards."""

import io
import json
import zipfile
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest

from harness.servers.signed_in import SignInServer, serving_sign_in
from sprout.accounts.principal import AccountRole
from sprout.offline.courses.catalogue import courses
from sprout.yaml_loader import load_yaml

EXAMPLE = Path(__file__).parents[4] / "examples" / "fractions.yaml"
COURSE = courses()[0].title
SLOW_TOKENS_PER_S = 50
UNKNOWN = {"code": "XXXX-XXXX"}


@pytest.fixture
async def server(database_url: str, tmp_path: Path) -> AsyncIterator[SignInServer]:
    async with serving_sign_in(tmp_path, database_url) as server:
        await server.add_person("anna")
        await server.add_person("tess", AccountRole.TEACHER)
        await server.add_person("theo", AccountRole.TEACHER)
        await server.add_person("olga", AccountRole.OWNER)
        yield server


async def a_class(teacher: httpx2.AsyncClient, **code: int) -> tuple[str, str]:
    """The address of a new class, and its code."""
    made = await teacher.post("/api/classes", json={"name": "Statistics 10b"})
    assert (made.status_code, made.json()["code"]) == (201, None)
    address = f"/api/classes/{made.json()['id']}"
    issued = await teacher.post(f"{address}/code", json=code)
    assert issued.status_code == 201
    return address, issued.json()["code"]["code"]


async def test_a_class_is_made_shown_with_its_code_and_joined_by_two_kinds_of_learners(server: SignInServer) -> None:
    tess, anna, browser = await server.sign_in("tess"), await server.sign_in("anna"), await server.browser()
    address, code = await a_class(tess)
    assert (await tess.get(address)).json()["code"]["code"] == code
    typed = f" {code[:4].lower()}-{code[4:]}"
    shown = await browser.post("/api/class-code", json={"code": typed})
    assert (shown.status_code, shown.json()) == (200, {"name": "Statistics 10b", "teacher": "tess"})
    joined = await anna.post("/api/account/classes", json={"code": typed})
    assert (joined.status_code, joined.json()["teacher"]) == (201, "tess")
    mila = await browser.post("/api/sign-in/class", json={"code": typed, "nickname": "Mila"})
    assert mila.status_code == 201
    assert (mila.json()["account"]["displayName"], mila.json()["account"]["role"]) == ("Mila", "learner")
    assert mila.json()["card"]["path"] == "/card#" + mila.json()["card"]["words"].replace(" ", "-")
    assert (await browser.post("/api/branches", json={"title": "Light"})).status_code == 201
    learners = (await tess.get(f"{address}/learners")).json()
    assert [(one["displayName"], one["hasCard"]) for one in learners] == [("anna", False), ("Mila", True)]
    (listed,) = (await browser.get("/api/account/classes")).json()
    assert listed["name"] == "Statistics 10b"


async def test_a_card_brings_its_learner_back_until_there_is_a_new_one(server: SignInServer) -> None:
    tess, browser = await server.sign_in("tess"), await server.browser()
    address, code = await a_class(tess)
    made = (await browser.post("/api/sign-in/class", json={"code": code, "nickname": "Mila"})).json()
    old, mila = made["card"]["words"], made["account"]["userId"]
    elsewhere = await server.browser()
    back = await elsewhere.post("/api/sign-in/card", json={"card": old.upper().replace(" ", "-")})
    assert (back.status_code, back.json()["userId"]) == (200, mila)
    assert (await elsewhere.get("/api/account")).json()["userId"] == mila
    renewed = await tess.post(f"{address}/learners/{mila}/card")
    assert renewed.status_code == 201
    assert [(await one.get("/api/account")).status_code for one in (browser, elsewhere)] == [401, 401]
    void = await elsewhere.post("/api/sign-in/card", json={"card": old})
    assert (void.status_code, void.json()["code"]) == (401, "wrong_card")
    again = await elsewhere.post("/api/sign-in/card", json={"card": renewed.json()["words"]})
    assert again.json()["userId"] == mila
    olga = await server.sign_in("olga")
    kinds = [one["kind"] for one in (await olga.get("/api/security-log")).json()]
    assert {"class_joined", "card_created", "sign_in_failed"} <= set(kinds)
    assert old not in (await olga.get("/api/security-log.csv")).text


async def test_clear_errors_say_why_somebody_did_not_join(server: SignInServer) -> None:
    tess, anna, browser = await server.sign_in("tess"), await server.sign_in("anna"), await server.browser()
    address, code = await a_class(tess, uses=1, days=1)
    (await anna.post("/api/account/classes", json={"code": code})).raise_for_status()
    people = await server.list_people()
    await tess.post(f"{address}/code", json={})
    code = (await tess.get(address)).json()["code"]["code"]
    twice = await anna.post("/api/account/classes", json={"code": code})
    assert (twice.status_code, twice.json()["code"]) == (409, "already_in_class")
    await tess.delete(f"{address}/code")
    for body in (UNKNOWN, {"code": code}):
        for client, path, more in (
            (browser, "/api/class-code", {}),
            (browser, "/api/sign-in/class", {"nickname": "Mila"}),
            (anna, "/api/account/classes", {}),
        ):
            refused = await client.post(path, json={**body, **more})
            assert (refused.status_code, refused.json()["code"]) == (410, "class_code_invalid")
            assert "set-cookie" not in refused.headers
    assert await server.list_people() == people


async def test_codes_and_cards_are_guessed_slowly(server: SignInServer) -> None:
    browser = await server.browser()
    tried = [await browser.post("/api/class-code", json=UNKNOWN) for _ in range(60)]
    assert [one.status_code for one in tried] == [410] * 60
    while tried[-1].status_code != 429 and len(tried) < 500:  # each second that this takes allows one more
        tried.append(await browser.post("/api/sign-in/card", json={"card": "a"}))
    assert tried[-1].status_code == 429
    assert tried[-1].json()["code"] == "too_many_sign_ins"


async def test_a_learner_leaves_or_is_removed_and_keeps_what_they_have(server: SignInServer) -> None:
    tess, anna = await server.sign_in("tess"), await server.sign_in("anna")
    address, code = await a_class(tess)
    branch = (await anna.post("/api/branches", json={"title": "Light"})).json()
    class_id = address.removeprefix("/api/classes/")
    await anna.post("/api/account/classes", json={"code": code})
    assert (await anna.delete(f"/api/account/classes/{class_id}")).status_code == 204
    assert (await anna.delete(f"/api/account/classes/{class_id}")).status_code == 404
    await anna.post("/api/account/classes", json={"code": code})
    (member,) = (await tess.get(f"{address}/learners")).json()
    assert (await tess.delete(f"{address}/learners/{member['userId']}")).status_code == 204
    assert (await tess.get(f"{address}/learners")).json() == []
    await anna.post("/api/account/classes", json={"code": code})
    assert (await tess.delete(address)).status_code == 204
    assert (await tess.get(address)).status_code == 404
    assert (await anna.get("/api/account/classes")).json() == []
    assert (await anna.get("/api/branches")).json() == [branch]


async def test_a_class_is_its_teachers_alone(server: SignInServer) -> None:
    tess, theo, anna, olga = [await server.sign_in(name) for name in ("tess", "theo", "anna", "olga")]
    address, code = await a_class(tess)
    learner = (await anna.post("/api/account/classes", json={"code": code})).json()
    assert learner["name"] == "Statistics 10b"
    user_id = (await anna.get("/api/account")).json()["userId"]
    asked = [
        ("GET", address), ("PATCH", address), ("DELETE", address), ("POST", f"{address}/code"),
        ("DELETE", f"{address}/code"), ("GET", f"{address}/learners"), ("DELETE", f"{address}/learners/{user_id}"),
        ("POST", f"{address}/learners/{user_id}/card"),
    ]  # fmt: skip
    for client, status in ((theo, 404), (olga, 404), (anna, 403), (await server.browser(), 401)):
        for method, path in asked:
            answer = await client.request(method, path, json={} if method in {"PATCH", "POST"} else None)
            assert answer.status_code == status, (method, path)
    assert [one["userId"] for one in (await tess.get(f"{address}/learners")).json()] == [user_id]
    assert (await theo.get("/api/classes")).json() == []
    foreign = await tess.delete(f"{address}/learners/{(await theo.get('/api/account')).json()['userId']}")
    assert foreign.status_code == 404


async def test_a_token_reads_classes_and_changes_none(server: SignInServer) -> None:
    tess = await server.sign_in("tess")
    address, code = await a_class(tess)
    made = await tess.post("/api/account/tokens", json={"name": "csv", "scopes": ["read", "learn", "seed"]})
    program = await server.with_token(made.json()["token"])
    assert (await program.get(f"{address}/learners")).status_code == 200
    assert (await program.patch(address, json={"name": "x"})).status_code == 403
    assert (await program.post("/api/account/classes", json={"code": code})).status_code == 403


async def test_a_path_is_given_to_all_who_are_in_a_class_and_to_those_who_come_later(server: SignInServer) -> None:
    tess, anna, browser = await server.sign_in("tess"), await server.sign_in("anna"), await server.browser()
    address, code = await a_class(tess)
    await anna.post("/api/account/classes", json={"code": code})
    made = await tess.post("/api/graphs", json=load_yaml(EXAMPLE.read_text(encoding="utf-8")))
    branch = made.json()["branch"]["id"]
    body = {"branchId": branch, "dueOn": "2026-12-24"}
    given = await tess.post(f"{address}/paths", json=body)
    assert (given.status_code, given.json()["copies"], given.json()["waiting"]) == (201, 1, 0)
    again = await tess.post(f"{address}/paths", json=body)
    assert (again.status_code, again.json()) == (200, given.json())
    await browser.post("/api/sign-in/class", json={"code": code, "nickname": "Mila"})
    for learner in (anna, browser):
        (copy,) = (await learner.get("/api/account/paths")).json()
        assert (copy["className"], copy["dueOn"], copy["title"]) == ("Statistics 10b", "2026-12-24", "Fractions")
        graph = (await learner.get(f"/api/branches/{copy['branchId']}/graph")).json()
        assert len(graph["nodes"]) > 10
        assert (await learner.get(f"/api/graphs/{copy['branchId']}?answers=true")).status_code == 403
        assert (await learner.get(f"/api/graphs/{branch}")).status_code == 404
    (listed,) = (await tess.get(f"{address}/paths")).json()
    assert (listed["copies"], listed["waiting"]) == (2, 0)
    assert (await tess.delete(f"{address}/paths/{listed['id']}")).status_code == 204
    assert (await tess.get(f"{address}/paths")).json() == []
    assert len((await anna.get("/api/branches")).json()) == 1
    for wrong in ({"branchId": "x"}, {"branchId": (await anna.get("/api/branches")).json()[0]["id"]}):
        assert (await tess.post(f"{address}/paths", json=wrong)).status_code == 404
    for day in ("someday", "2026-02-31", "2026-12-24T00:00:00Z", 20261224):
        refused = await tess.post(f"{address}/paths", json={**body, "dueOn": day})
        assert refused.status_code in {400, 422}, day


async def test_a_class_that_is_deleted_while_a_run_of_its_learner_goes_takes_nothing_from_it(
    database_url: str, tmp_path: Path
) -> None:
    async with serving_sign_in(tmp_path, database_url, offline_tokens_per_s=SLOW_TOKENS_PER_S) as server:
        await server.add_person("anna")
        await server.add_person("tess", AccountRole.TEACHER)
        tess, anna = await server.sign_in("tess"), await server.sign_in("anna")
        address, code = await a_class(tess)
        await anna.post("/api/account/classes", json={"code": code})
        branch = (await tess.post("/api/branches", json={"title": COURSE})).json()["id"]
        await tess.post("/api/nodes", json={"type": "root", "title": COURSE, "branchId": branch})
        assert (await tess.post(f"{address}/paths", json={"branchId": branch})).json()["copies"] == 1
        ((copy,), (topic,)) = [(await anna.get(f"/api/{kind}")).json() for kind in ("branches", "nodes")]
        run = (await anna.post(f"/api/agents/topics/{topic['id']}/run?wait=false", json={})).json()["id"]

        assert (await tess.delete(address)).status_code == 204
        assert (await anna.get(f"/api/runs/{run}")).json()["state"] in {"queued", "running"}
        assert (await anna.get("/api/account/classes")).json() == []
        assert [one["id"] for one in (await anna.get("/api/branches")).json()] == [copy["id"]]
        assert (await anna.post(f"/api/runs/{run}/cancel", json={})).is_success
        assert "run_done" in (await anna.get(f"/api/runs/{run}/events")).text
        again = await anna.post(f"/api/agents/topics/{topic['id']}/run?wait=false", json={})
        assert again.status_code == 202, "the path is the learner's own"
        assert (await anna.post(f"/api/runs/{again.json()['id']}/cancel", json={})).is_success


async def test_a_learner_takes_over_what_the_teacher_has_added_when_they_want_to(server: SignInServer) -> None:
    tess, anna = await server.sign_in("tess"), await server.sign_in("anna")
    address, code = await a_class(tess)
    await anna.post("/api/account/classes", json={"code": code})
    made = (await tess.post("/api/graphs", json=load_yaml(EXAMPLE.read_text(encoding="utf-8")))).json()["branch"]["id"]
    await tess.post(f"{address}/paths", json={"branchId": made})
    (copy,) = (await anna.get("/api/account/paths")).json()
    update = f"/api/branches/{copy['branchId']}/update"
    assert (await anna.get(update)).json() is None
    (root,) = (await tess.get("/api/nodes", params={"branchId": made, "type": "root"})).json()
    body = {"type": "concept", "title": "Percentages", "branchId": made, "parentId": root["id"]}
    (await tess.post("/api/nodes", json=body)).raise_for_status()
    shown = (await anna.get(update)).json()
    assert shown["added"] == [{"title": "Percentages", "desc": None, "concept": None}]
    assert (await anna.post(update, json={"version": "another"})).json()["code"] == "update_changed"
    assert (await tess.get(update)).status_code == 404
    assert (await anna.post(update, json={"version": shown["version"]})).status_code == 204
    assert (await anna.get(update)).json() is None
    titles = [one["title"] for one in (await anna.get("/api/nodes", params={"branchId": copy["branchId"]})).json()]
    assert "Percentages" in titles


async def test_Z10_no_field_of_a_body_gives_a_class_or_a_learner_to_somebody(server: SignInServer) -> None:
    tess, theo, browser = await server.sign_in("tess"), await server.sign_in("theo"), await server.browser()
    theirs = (await theo.get("/api/account")).json()["userId"]
    poison: dict[str, object] = {
        "teacherId": theirs, "id": "x", "classId": "x", "members": 9, "codeUses": 999, "usesLeft": 999,
        "role": "teacher", "hasCard": True, "cardDigest": "x", "code": "BCDFGHJK", "archivedAt": "x",
    }  # fmt: skip
    made = (await tess.post("/api/classes", json={**poison, "name": "10b"})).json()
    assert (made["members"], made["code"], made["archivedAt"]) == (0, None, None)
    address = f"/api/classes/{made['id']}"
    issued = (await tess.post(f"{address}/code", json={**poison, "uses": 2})).json()["code"]
    assert (issued["usesLeft"], issued["code"] == "BCDFGHJK") == (2, False)
    changed = (await tess.patch(address, json={**poison, "name": "10c"})).json()
    assert (changed["id"], changed["code"], changed["archivedAt"]) == (made["id"], issued, None)
    body = {**poison, "code": issued["code"], "nickname": "Mila"}
    mila = (await browser.post("/api/sign-in/class", json=body)).json()["account"]
    assert (mila["role"], mila["displayName"]) == ("learner", "Mila")
    assert (await theo.get("/api/classes")).json() == []


async def test_the_archive_has_ones_classes_and_no_card(server: SignInServer) -> None:
    tess, browser = await server.sign_in("tess"), await server.browser()
    _, code = await a_class(tess)
    await browser.post("/api/sign-in/class", json={"code": code, "nickname": "Mila"})
    archive = await browser.get("/api/learner/archive")
    assert archive.status_code == 200
    rows = _tables(archive.content)
    assert [one["has_card"] for one in rows["class_members"]] == [True]
    assert "card_digest" not in rows["accounts"][0]
    assert [one["name"] for one in _tables((await tess.get("/api/learner/archive")).content)["classes"]] == [
        "Statistics 10b"
    ]


def _tables(archive: bytes) -> dict[str, list[dict[str, object]]]:
    with zipfile.ZipFile(io.BytesIO(archive)) as file:
        return {name[5:-5]: json.loads(file.read(name)) for name in file.namelist() if name.startswith("data/")}
