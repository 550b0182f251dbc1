"""Progress over HTTP: what is told of it, what stands behind it, and the same as files."""

import contextlib
import csv
import io
import sqlite3
import zipfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pydantic import JsonValue
from sqlmodel import col, update

from harness.builders import a_topic
from harness.servers.web import Web, a_static_folder, serving_web
from sprout.clock import utc_now
from sprout.ids import new_id
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.store.schema import tables

ME = {"userId": DEFAULT_USER_ID}
RIGHT, WRONG = "a third", "=a half"
THOUGHT = "adds tops and bottoms"
SECRET = "quagga"


def a_path(title: str) -> dict[str, Any]:
    def choice(number: int) -> dict[str, Any]:
        return {
            "prompt": f"Which is the smallest, number {number}?", "format": "mcq", "difficulty": 1,
            "options": [RIGHT, WRONG, "two thirds", "one"], "correct_answer": RIGHT, "tests": ["Halves"],
            "misconceptions": [{"option": WRONG, "misconception": THOUGHT}],
        }  # fmt: skip

    open_one = {
        "prompt": "Why is a half more than a third?", "format": "open_ended", "difficulty": 1,
        "correct_answer": f"Because of the {SECRET}.", "tests": ["Thirds"],
        "criteria": [
            {"label": "the parts", "statement": f"names the {SECRET}", "weight": 0.5},
            {"label": "the size", "statement": "says that fewer parts are larger", "weight": 0.5},
        ],
    }  # fmt: skip
    return {
        "sprout_path": 1, "title": title, "topic": {"title": title},
        "concepts": [
            {
                "title": "Parts", "subconcepts": [{"title": "Halves"}, {"title": "Thirds"}],
                "questions": [*map(choice, range(3)), open_one],
            }
        ],
    }  # fmt: skip


@dataclass
class Learned:
    """A path of which three choices and nothing else were answered: wrong, right, right."""

    web: Web
    branch: str
    assessment: str
    nodes: dict[str, str]
    questions: list[dict[str, Any]]

    async def get(self, address: str, **query: str) -> Any:
        answer = await self.web.client.get(address, params=query)
        assert answer.is_success, answer.text
        return answer.json()

    async def text(self, address: str, **query: str) -> str:
        answer = await self.web.client.get(address, params=query)
        assert answer.is_success, answer.text
        return answer.text

    async def answer(self, question: dict[str, Any], **answer_fields: str) -> None:
        body = {**ME, "questionId": question["id"], **answer_fields}
        answer = await self.web.client.post(f"/api/assessments/{self.assessment}/answers", json=body)
        assert answer.status_code == 201, answer.text

    async def begun(self, title: str) -> dict[str, Any]:
        report = await self.get("/api/learner/progress", branchId=self.branch)
        return next(one for one in report["begun"] if one["title"] == title)

    async def finished(self) -> None:
        """The diagnostic is over, so that nobody can answer it any more."""
        body = {"completedAt": "2026-11-20T08:20:30Z"}
        assert (await self.web.client.patch(f"/api/assessments/{self.assessment}", json=body)).is_success


async def learned(web: Web, title: str) -> Learned:
    planted = await web.client.post("/api/graphs", json=a_path(title))
    assert planted.status_code == 201, planted.text
    branch = planted.json()["branch"]["id"]
    nodes = (await web.client.get("/api/nodes", params={"branchId": branch})).json()
    by_title = {node["title"]: node["id"] for node in nodes}
    (assessment,) = (await web.client.get("/api/assessments", params={"targetNodeId": by_title["Parts"]})).json()
    questions = (await web.client.get(f"/api/assessments/{assessment['id']}/questions")).json()
    found = Learned(web, branch, assessment["id"], by_title, questions)
    for question, option in zip(questions, [WRONG, RIGHT, RIGHT], strict=False):
        await found.answer(question, selectedOption=option)
    return found


@pytest.fixture(scope="module")
async def two_paths(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[Learned, Learned]]:
    """Two paths of one learner; a test leaves them as they are."""
    folder = tmp_path_factory.mktemp("reports")
    async with serving_web(folder, a_static_folder(folder)) as web:
        yield await learned(web, "Fractions"), await learned(web, "Decimals")


@pytest.fixture
async def own_path(own_web: Web) -> Learned:
    return await learned(own_web, "Fractions")


async def test_a_report_tells_what_was_begun_and_how_it_came_to_where_it_is(
    two_paths: tuple[Learned, Learned],
) -> None:
    path, _ = two_paths
    report = await path.get("/api/learner/progress", branchId=path.branch)
    (halves,) = report["begun"]
    shown = next(row for row in await path.get("/api/progress", **ME) if row["nodeId"] == path.nodes["Halves"])
    assert halves["mastery"] == shown["masteryScore"]
    assert (halves["title"], halves["branchTitle"], halves["answers"]) == ("Halves", "Fractions", 3)
    assert halves["last"] == ["missed", "right", "right"]
    assert halves["learned"] == (shown["completedAt"] is not None)
    reached = [turn["reached"] for turn in report["turns"]]
    assert reached == (["begun", "learned"] if halves["learned"] else ["begun"])
    assert (report["parts"], sum(one["deeds"] for one in report["studied"])) == (2, 3)
    assert report["cost"]["usd"] == 0


async def test_a_report_is_of_all_paths_or_of_one(two_paths: tuple[Learned, Learned]) -> None:
    one, other = two_paths
    both = await one.get("/api/learner/progress")
    assert both["parts"] == 4
    assert {spot["branchId"] for spot in both["begun"]} == {one.branch, other.branch}
    each = [await path.get("/api/learner/progress", branchId=path.branch) for path in two_paths]
    assert len(both["turns"]) == sum(len(report["turns"]) for report in each)


async def test_a_wrong_thought_is_told_when_its_question_cannot_be_answered_any_more(own_path: Learned) -> None:
    assert (await own_path.begun("Halves"))["looksLike"] is None
    await own_path.finished()
    assert (await own_path.begun("Halves"))["looksLike"] == THOUGHT


async def test_what_a_person_says_of_a_part_has_the_last_word(own_path: Learned) -> None:
    rows = await own_path.get("/api/progress", **ME)
    row = next(row for row in rows if row["nodeId"] == own_path.nodes["Halves"])
    await own_path.web.client.patch(f"/api/progress/{row['id']}", json={"masteryScore": 0.9})
    report = await own_path.get("/api/learner/progress")
    assert report["turns"][-1]["reached"] == "learned"
    assert report["begun"][0]["learned"]


async def test_the_evidence_of_a_part_is_each_answer_that_counts_newest_first(
    two_paths: tuple[Learned, Learned],
) -> None:
    path, _ = two_paths
    rows = await path.get(f"/api/nodes/{path.nodes['Halves']}/evidence")
    assert [(row["said"], row["mark"], row["score"]) for row in rows] == [
        (RIGHT, "right", 1), (RIGHT, "right", 1), (WRONG, "missed", 0),
    ]  # fmt: skip
    assert rows[-1]["prompt"] == "Which is the smallest, number 0?"
    assert await path.get(f"/api/nodes/{path.nodes['Parts']}/evidence") == rows
    assert await path.get(f"/api/nodes/{path.nodes['Thirds']}/evidence") == []


async def test_an_answer_to_a_question_that_was_taken_back_is_no_evidence(own_path: Learned) -> None:
    first = own_path.questions[0]["id"]
    voided = update(tables.Question).where(col(tables.Question.id) == first).values(state="voided")
    await own_path.web.database.write_tx(lambda write: write.connection.execute(voided))
    assert len(await own_path.get(f"/api/nodes/{own_path.nodes['Halves']}/evidence")) == 2
    assert (await own_path.begun("Halves"))["last"] == ["right", "right"]


async def test_answers_and_mastery_are_tables_in_which_nothing_is_a_formula(own_path: Learned) -> None:
    await own_path.answer(own_path.questions[3], answerText="+cmd|' /C calc'!A1\nbecause")
    answers = list(csv.DictReader(io.StringIO((await own_path.text("/api/learner/answers.csv")).lstrip("\ufeff"))))
    assert [row["your answer"] for row in answers] == [f"'{WRONG}", RIGHT, RIGHT, "'+cmd|' /C calc'!A1\nbecause"]
    assert [row["points of 100"] for row in answers] == ["0", "100", "100", ""]
    assert {row["about"] for row in answers} == {"Halves", "Thirds"}
    mastery = list(csv.DictReader(io.StringIO((await own_path.text("/api/learner/mastery.csv")).lstrip("\ufeff"))))
    assert [(row["subconcept"], row["answers"]) for row in mastery] == [("Halves", "3"), ("Thirds", "0")]


async def test_O1_cards_for_anki_hold_what_is_settled_and_what_a_lesson_has_left(own_path: Learned) -> None:
    address = "/api/learner/cards.apkg"
    early = await own_path.web.client.get(address)
    assert (early.status_code, early.json()["code"]) == (409, "no_cards"), "the diagnostic is not over"
    await own_path.finished()
    cards: list[JsonValue] = [
        {"id": "one", "kind": "example", "title": "Cutting", "format": "markdown", "body": "Two\tcuts\n\"here\""},
        {"id": "two", "kind": "care", "title": "", "format": "markdown", "body": "Somebody to talk to"},
    ]  # fmt: skip
    content = tables.NodeContent(
        id=new_id(), node_id=own_path.nodes["Thirds"], explanation_md="", cards=cards, created_at=utc_now()
    )
    await own_path.web.database.write_tx(lambda write: write.session.add(content))
    answer = await own_path.web.client.get(address, params={"branchId": own_path.branch})
    assert answer.headers["content-disposition"] == 'attachment; filename="sprout-cards.apkg"'
    first, *questions = notes_in(answer.content)
    assert first == ("one", ["<p>Cutting</p>", "", "<p>Two\tcuts\n&quot;here&quot;</p>", "", ""])
    assert [fields[0] for _, fields in questions] == [f"<p>Which is the smallest, number {n}?</p>" for n in range(3)]
    assert {fields[2] for _, fields in questions} == {f"<p>{RIGHT}</p>"}
    of_part = await own_path.web.client.get(address, params={"nodeId": own_path.nodes["Thirds"]})
    assert [guid for guid, _ in notes_in(of_part.content)] == ["one"]
    everything = await own_path.web.client.get(address, params={"answers": "true"})
    assert any(SECRET in fields[2] for _, fields in notes_in(everything.content)), "its reader has no secrets"


def notes_in(package: bytes) -> list[tuple[str, list[str]]]:
    """The notes of a file for Anki: their guids and fields."""
    with zipfile.ZipFile(io.BytesIO(package)) as archive:
        collection = archive.read("collection.anki2")
    with contextlib.closing(sqlite3.connect(":memory:")) as database:
        database.deserialize(collection)
        found = database.execute("SELECT guid, flds FROM notes ORDER BY id").fetchall()
    return [(guid, fields.split("\x1f")) for guid, fields in found]


async def test_no_report_says_what_is_right(own_path: Learned) -> None:
    await own_path.answer(own_path.questions[3], answerText="I have no idea")
    addresses = ["/api/learner/progress", "/api/learner/answers.csv", "/api/learner/mastery.csv"]
    addresses += [f"/api/nodes/{node}/evidence" for node in own_path.nodes.values()]
    for _ in range(2):
        for address in addresses:
            assert SECRET not in await own_path.text(address)
        await own_path.finished()


@pytest.mark.parametrize(
    "address",
    ["/api/learner/progress", "/api/learner/answers.csv", "/api/learner/mastery.csv", "/api/learner/cards.apkg"],
)
async def test_a_path_of_another_learner_is_not_found(web: Web, address: str) -> None:
    theirs = await a_topic(web.paths, user_id="somebody-else")
    for branch in (theirs.branch_id or "", "none"):
        assert (await web.client.get(address, params={"branchId": branch})).status_code == 404
    assert (await web.client.get(address, params={"userId": "somebody-else"})).status_code == 404
    assert (await web.client.get(f"/api/nodes/{theirs.id}/evidence")).status_code == 404


async def test_nothing_learned_is_an_empty_report(tmp_path: Path) -> None:
    async with serving_web(tmp_path, a_static_folder(tmp_path)) as web:
        report = (await web.client.get("/api/learner/progress")).json()
        assert (report["parts"], report["begun"], report["turns"], report["studied"]) == (0, [], [], [])
        assert (await web.client.get("/api/learner/answers.csv")).text.count("\n") == 1
