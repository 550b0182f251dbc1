"""The desk over HTTP, on both databases: who gets through, and what an archive has of it."""

import io
import zipfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from sqlmodel import select

from harness.servers.signed_in import SignInServer, serving_sign_in
from sprout.accounts.principal import AccountRole
from sprout.learning.actor import Actor
from sprout.learning.lessons.repository import Drawing
from sprout.learning.marking.grades import Grade, GradeState, Remedy
from sprout.store.assessment.gradebook import SqlGradebook
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.schema import tables
from sprout.yaml_loader import load_yaml

PNG = b"\x89PNG\r\n\x1a\n" + bytes(24)
EXAMPLE = Path(__file__).parents[4] / "examples" / "fractions.yaml"
CHOICE, CAKES = "A cake is cut into 8", "Half of one cake"


@pytest.fixture
async def server(database_url: str, tmp_path: Path) -> AsyncIterator[SignInServer]:
    async with serving_sign_in(tmp_path, database_url) as server:
        await server.add_person("anna")
        await server.add_person("tess", AccountRole.TEACHER)
        await server.add_person("theo", AccountRole.TEACHER)
        yield server


async def body_of(sent: Any) -> Any:
    return (await sent).raise_for_status().json()


async def disputed_answer(
    server: SignInServer, teacher: httpx2.AsyncClient, learner: httpx2.AsyncClient, prompt: str, **answer: str
) -> str:
    """The address of the desk of a class in which the question that was answered so is disputed."""
    made = await body_of(teacher.post("/api/classes", json={"name": "5b"}))
    code = await body_of(teacher.post(f"/api/classes/{made['id']}/code", json={}))
    await body_of(learner.post("/api/account/classes", json={"code": code["code"]["code"]}))
    path = await body_of(teacher.post("/api/graphs", json=load_yaml(EXAMPLE.read_text())))
    await body_of(teacher.post(f"/api/classes/{made['id']}/paths", json={"branchId": path["branch"]["id"]}))
    (question,) = [
        question
        for assessment in await body_of(learner.get("/api/assessments"))
        for question in await body_of(learner.get(f"/api/assessments/{assessment['id']}/questions"))
        if question["prompt"].startswith(prompt)
    ]
    address = f"/api/assessments/{question['assessmentId']}/answers"
    await body_of(learner.post(address, json={"questionId": question["id"], **answer}))

    def contest(tx: WriteTransaction) -> None:
        row = tx.session.exec(select(tables.Question).where(tables.Question.id == question["id"])).one()
        row.contest = {"reason": None, "at": "2026-03-01T12:00:00+00:00", "outcome": "held", "looks": {}}
        tx.session.add(row)

    await server.sprout.database.write_tx(contest)
    return f"/api/classes/{made['id']}/desk"


async def test_a_drawing_is_shown_to_the_teacher_while_it_waits_and_to_nobody_else(
    server: SignInServer,
) -> None:
    teacher, learner, other = [await server.sign_in(name) for name in ("tess", "anna", "theo")]
    desk = await disputed_answer(server, teacher, learner, CAKES, answerText="One is bigger.")
    (item,) = (await body_of(teacher.get(desk)))["items"]
    address = f"{desk}/{item['id']}/drawing"
    assert (item["drawn"], (await teacher.get(address)).status_code) == (False, 404)
    anna, picture = (await body_of(learner.get("/api/account")))["userId"], Drawing("image/png", PNG)

    async def draw(caller: httpx2.AsyncClient, user_id: str) -> None:
        """Put a drawing of this person's in place of the answer."""
        session = await body_of(caller.post("/api/chat/sessions", json={}))
        made = await server.sprout.stores.lessons.save_drawing(session["id"], picture, user_id=user_id)

        def put(tx: WriteTransaction) -> None:
            row = tx.session.exec(select(tables.Answer).where(tables.Answer.question_id == item["id"])).one()
            row.answer_text = f"[drawing:{made}] A cake."
            tx.session.add(row)

        await server.sprout.database.write_tx(put)

    theo = (await body_of(other.get("/api/account")))["userId"]
    await draw(other, theo)
    assert (await teacher.get(address)).status_code == 404, "another's drawing is not the learner's to show"
    await draw(learner, anna)
    (item,) = (await body_of(teacher.get(desk)))["items"]
    assert (item["drawn"], item["answer"]) == (True, "A cake.")
    shown = await teacher.get(address)
    assert (shown.status_code, shown.headers["content-type"], shown.content) == (200, "image/png", PNG)
    assert "nosniff" in shown.headers["x-content-type-options"]
    for caller, status in ((other, 404), (learner, 403)):
        assert (await caller.get(address)).status_code == status
    (answer,) = (await server.sprout.database.read_orm_tx(lambda session: session.exec(
        select(tables.Answer.id).where(tables.Answer.question_id == item["id"])).all()))  # fmt: skip
    own = f"/api/answers/{answer}/drawing"
    seen = await learner.get(own)
    assert (seen.status_code, seen.headers["content-type"], seen.content) == (200, "image/png", PNG)
    for caller in (teacher, other):
        assert (await caller.get(own)).status_code == 404, "in a lesson it is its learner's alone"

    def settle(tx: WriteTransaction) -> None:
        row = tx.session.exec(select(tables.Question).where(tables.Question.id == item["id"])).one()
        row.contest = None
        tx.session.add(row)

    await server.sprout.database.write_tx(settle)
    unsure = Grade(GradeState.UNSURE, remedy=Remedy.PERSON)
    await SqlGradebook(server.sprout.database, lambda _: None).record(answer, unsure, actor=Actor(anna))
    (item,) = (await body_of(teacher.get(desk)))["items"]
    assert (item["kind"], item["drawn"], (await teacher.get(address)).content) == ("unsure", True, PNG)
    await body_of(teacher.post(f"{desk}/{item['id']}", json={"decision": "right"}))
    assert (await teacher.get(address)).status_code == 404, "what is decided is not shown"


async def test_the_teacher_of_the_class_decides_and_nobody_else_sees_that_anything_waits(server: SignInServer) -> None:
    teacher, learner, other = [await server.sign_in(name) for name in ("tess", "anna", "theo")]
    desk = await disputed_answer(server, teacher, learner, CHOICE, selectedOption="3/8")
    (item,) = (await body_of(teacher.get(desk)))["items"]
    assert (item["kind"], item["answer"], item["modelAnswer"]) == ("disagrees", "3/8", "5/8")
    assert "anna" not in str(item)
    address = f"{desk}/{item['id']}"
    assert (await body_of(teacher.get(f"{address}/learner")))["displayName"] == "anna"
    for caller, status in ((other, 404), (learner, 403)):
        assert (await caller.get(desk)).status_code == status
        assert (await caller.get(f"{address}/learner")).status_code == status
        assert (await caller.post(address, json={"decision": "right"})).status_code == status
        assert (await caller.delete(address)).status_code == status
    assert (await teacher.post(address, json={"decision": "maybe"})).status_code == 422

    made = await body_of(teacher.post(address, json={"decision": "right"}))
    assert (made["id"], made["decision"], made["dropped"]) == (item["id"], "right", 0)
    assert (await teacher.post(address, json={"decision": "right"})).json() == made
    (told,) = await body_of(learner.get("/api/account/decisions"))
    assert (told["decision"], told["seen"]) == ("right", False)
    assert (await learner.post("/api/account/decisions/seen", json={})).status_code == 204
    archive = zipfile.ZipFile(io.BytesIO((await learner.get("/api/learner/archive")).content))
    kept = "".join(archive.read(name).decode("utf-8", "replace") for name in archive.namelist() if "json" in name)
    assert "desk_decisions" in kept + str(archive.namelist())
    assert '"before"' not in kept
    assert (await teacher.delete(address)).status_code == 204
    assert await body_of(learner.get("/api/account/decisions")) == []
    assert len((await body_of(teacher.get(desk)))["items"]) == 1
