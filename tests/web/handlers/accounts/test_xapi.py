"""Statements over HTTP: files for learners and teachers, and the record store of a class."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from harness.database.empty_sqlite import create_empty_database
from harness.invariants.xapi_statements import faults_of
from harness.servers.record_store import KEY, SECRET, RecordStore, serving_record_store
from harness.servers.signed_in import SignInServer, serving_sign_in
from sprout.accounts.principal import AccountRole
from sprout.learning.paths.path_file import parse_path

EXAMPLE = Path(__file__).parents[4] / "examples" / "fractions.yaml"


@dataclass(frozen=True)
class School:
    """A teacher, a learner of hers who has answered, and their browsers."""

    server: SignInServer
    store: RecordStore
    tess: httpx2.AsyncClient
    anna: httpx2.AsyncClient
    class_id: str
    given_id: str
    copy_id: str

    @property
    def lrs(self) -> str:
        return f"/api/classes/{self.class_id}/lrs"

    @property
    def class_file(self) -> str:
        return f"/api/classes/{self.class_id}/paths/{self.given_id}/xapi"

    def settings(self, **changed: Any) -> dict[str, Any]:
        return {"endpoint": self.store.endpoint, "key": KEY, "secret": SECRET, **changed}


@pytest.fixture
async def school(tmp_path: Path) -> AsyncIterator[School]:
    create_empty_database(tmp_path)
    async with serving_record_store() as store, serving_sign_in(tmp_path, lrs_hosts="127.0.0.1") as server:
        teacher = await server.add_person("tess", AccountRole.TEACHER)
        await server.add_person("anna")
        await server.add_person("theo", AccountRole.TEACHER)
        tess, anna = await server.sign_in("tess"), await server.sign_in("anna")
        path = await server.sprout.stores.exchange.import_path(parse_path(EXAMPLE.read_text()), user_id=teacher)
        class_id = (await tess.post("/api/classes", json={"name": "5b"})).json()["id"]
        code = (await tess.post(f"/api/classes/{class_id}/code", json={})).json()["code"]["code"]
        (await anna.post("/api/account/classes", json={"code": code})).raise_for_status()
        given = (await tess.post(f"/api/classes/{class_id}/paths", json={"branchId": path.id})).json()
        (copy,) = (await anna.get("/api/branches")).json()
        await answer_choices(anna)
        yield School(server, store, tess, anna, class_id, given["id"], copy["id"])


async def answer_choices(anna: httpx2.AsyncClient) -> None:
    for assessment in (await anna.get("/api/assessments")).json():
        address = f"/api/assessments/{assessment['id']}"
        for question in (await anna.get(f"{address}/questions")).json():
            if question["options"]:
                body = {"questionId": question["id"], "selectedOption": json.loads(question["options"])[0]}
                (await anna.post(f"{address}/answers", json=body)).raise_for_status()


async def test_O2_a_learner_and_a_teacher_take_statements_as_files_and_nobody_else_does(school: School) -> None:
    own = await school.anna.get(f"/api/branches/{school.copy_id}/xapi")
    of_class = await school.tess.get(school.class_file)
    assert own.headers["content-type"] == of_class.headers["content-type"] == "application/json"
    assert "sprout-class-xapi.json" in of_class.headers["content-disposition"]
    for found in (own, of_class):
        assert [fault for one in found.json() for fault in faults_of(one)] == []
        assert {one["verb"]["display"]["en"] for one in found.json()} >= {"answered"}
        assert "anna" not in found.text
    assert {one["id"] for one in own.json()}.isdisjoint(one["id"] for one in of_class.json())
    named = (await school.tess.get(f"{school.class_file}?names=true")).json()
    assert {one["actor"]["name"] for one in named} == {"anna"}

    theo = await school.server.sign_in("theo")
    for other, address in (
        (school.tess, f"/api/branches/{school.copy_id}/xapi"),
        (school.anna, school.class_file),
        (theo, school.class_file),
        (theo, school.lrs),
    ):
        assert (await other.get(address)).status_code in (403, 404)
    assert (await theo.put(school.lrs, json=school.settings())).status_code == 404
    assert (await theo.post(f"{school.lrs}/test", json=school.settings())).status_code == 404
    assert (await theo.delete(school.lrs)).status_code == 404
    assert school.store.asked == {}


async def test_O2_a_teacher_tries_a_record_store_sets_it_sees_its_state_and_ends_it(school: School) -> None:
    tess, store = school.tess, school.store
    assert (await tess.get(school.lrs)).json() is None
    tried = (await tess.post(f"{school.lrs}/test", json=school.settings())).json()
    assert tried == {"ok": True, "versions": ["1.0.3", "1.0.0"], "problem": None}
    assert (store.asked, (await tess.get(school.lrs)).json()) == ({"about": 1}, None)

    refused = await tess.put(school.lrs, json=school.settings(endpoint="http://lrs.example/xapi"))
    assert (refused.status_code, refused.json()["code"]) == (400, "lrs_address")
    private = (await tess.post(f"{school.lrs}/test", json=school.settings(endpoint="http://[::1]:1/xapi"))).json()
    assert (private["ok"], private["problem"]["code"]) == (False, "lrs_not_allowed")
    lacking = await tess.put(school.lrs, json=school.settings(secret=""))
    assert (lacking.status_code, lacking.json()["code"]) == (400, "lrs_secret_missing")

    kept = await tess.put(school.lrs, json=school.settings(names=True))
    assert (kept.status_code, kept.json()["waiting"] > 0, kept.json()["names"]) == (200, True, True)
    shown = await tess.get(school.lrs)
    assert shown.json()["key"] == KEY
    for said in (kept.text, shown.text, (await tess.get("/api/learner/archive")).content.decode("latin-1")):
        assert SECRET not in said
    assert (await tess.put(school.lrs, json=school.settings(secret=None))).status_code == 200
    assert (await tess.delete(school.lrs)).status_code == 204
    assert (await tess.get(school.lrs)).json() is None


async def test_O2_a_learner_reads_where_their_class_sends_what_they_do(school: School) -> None:
    async def told() -> tuple[str | None, bool]:
        (joined,) = (await school.anna.get("/api/account/classes")).json()
        return joined["recordStore"], joined["sendsNames"]

    assert await told() == (None, False)
    (await school.tess.put(school.lrs, json=school.settings(names=True))).raise_for_status()
    assert await told() == ("127.0.0.1", True)
    await school.tess.delete(school.lrs)
    assert await told() == (None, False)
