"""The teacher's desk in a browser: deciding by keys, undoing, concerns, shared lessons; and what the learner sees."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import httpx2
import pytest
from playwright.async_api import Browser, Page, expect
from sqlmodel import select

from harness.browser import DESKTOP, PHONE, open_page
from harness.servers.signed_in import PASSWORD, SignInServer, serving_sign_in
from sprout.accounts.principal import AccountRole
from sprout.ids import new_id
from sprout.learning.actor import Actor
from sprout.learning.lessons.repository import Drawing
from sprout.learning.marking.grades import CriterionResult, Grade, GradeState, Remedy
from sprout.store.assessment.gradebook import SqlGradebook
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.schema import tables
from sprout.yaml_loader import load_yaml
from tests.journeys.support import axe
from tests.journeys.support.map_view import take_screenshot

EXPECTED = ("Failed to load resource",)  # the 401 of one who is not signed in
EXAMPLE = Path(__file__).parents[3] / "examples" / "fractions.yaml"
CHOICE, CAKES = "A cake is cut into 8", "Half of one cake"
SAID = "One cake is bigger, so half of it is more."
HOSTILE = "<img src=x onerror=alert(1)> It only asks which part is left."
DRAWN = """
<svg xmlns="http://www.w3.org/2000/svg" width="480" height="240" fill="none" stroke="black" stroke-width="4">
  <circle cx="120" cy="120" r="100" /><path d="M120 20 V220" />
  <circle cx="360" cy="120" r="60" /><path d="M360 60 V180" />
</svg>
"""
UNSURE = Grade(
    GradeState.UNSURE,
    results=(
        CriterionResult("c1", "the wholes differ", 0.5, "met", "One cake is bigger", 0.7),
        CriterionResult("c2", "what follows", 0.5, "partly", "half of it is more", 0.46),
    ),
    remedy=Remedy.PERSON,
    doubts=("two looks differ",),
)


@dataclass(frozen=True)
class ClassAtWork:
    """A class with two answers that wait, a concern and a shared lesson."""

    server: SignInServer
    class_id: str
    learner: httpx2.AsyncClient
    learner_id: str

    @property
    def desk_url(self) -> str:
        return f"{self.server.origin}/classes/{self.class_id}/desk"


@pytest.fixture
async def at_work(tmp_path: Path, sqlite_url: str) -> AsyncIterator[ClassAtWork]:
    async with serving_sign_in(tmp_path, sqlite_url) as server:
        await server.add_person("tess", AccountRole.TEACHER)
        learner_id = await server.add_person("Mina")
        teacher, learner = await server.sign_in("tess"), await server.sign_in("Mina")
        made = await _json(teacher.post("/api/classes", json={"name": "Statistics, 10b"}))
        code = await _json(teacher.post(f"/api/classes/{made['id']}/code", json={}))
        await _json(learner.post("/api/account/classes", json={"code": code["code"]["code"]}))
        path = await _json(teacher.post("/api/graphs", json=load_yaml(EXAMPLE.read_text())))
        await _json(teacher.post(f"/api/classes/{made['id']}/paths", json={"branchId": path["branch"]["id"]}))
        await _answer(server, learner, learner_id)
        await _talk(server, learner, learner_id, made["id"])
        yield ClassAtWork(server, made["id"], learner, learner_id)


async def _json(sent: Any) -> Any:
    return (await sent).raise_for_status().json()


async def _answer(server: SignInServer, learner: httpx2.AsyncClient, learner_id: str) -> None:
    """A wrong choice that the learner contests, and an answer in words about which the grader is unsure."""
    asked = [
        question
        for assessment in await _json(learner.get("/api/assessments"))
        for question in await _json(learner.get(f"/api/assessments/{assessment['id']}/questions"))
    ]
    for prompt, given in ((CHOICE, {"selectedOption": "3/8"}), (CAKES, {"answerText": SAID})):
        question = next(one for one in asked if one["prompt"].startswith(prompt))
        address = f"/api/assessments/{question['assessmentId']}/answers"
        answer = await _json(learner.post(address, json={"questionId": question["id"], **given}))
        if prompt == CAKES:
            gradebook = SqlGradebook(server.sprout.database, lambda _: None)
            await gradebook.record(answer["id"], UNSURE, actor=Actor(learner_id))
        else:
            await server.sprout.database.write_tx(lambda tx, id_=question["id"]: _contest(tx, id_))  # type: ignore[misc]


def _contest(tx: WriteTransaction, question_id: str) -> None:
    question = tx.session.exec(select(tables.Question).where(tables.Question.id == question_id)).one()
    question.contest = {"reason": HOSTILE, "at": "2026-03-01T12:00:00+00:00", "outcome": "held", "looks": {}}
    tx.session.add(question)


async def _talk(server: SignInServer, learner: httpx2.AsyncClient, learner_id: str, class_id: str) -> None:
    """A lesson with a concern, which the learner shares with the class."""
    (concept, *_) = [one for one in await _json(learner.get("/api/nodes")) if one["type"] == "concept"]
    chat = await _json(learner.post("/api/chat/sessions", json={"nodeId": concept["id"]}))
    await _json(
        learner.post(f"/api/chat/sessions/{chat['id']}/messages", json={"role": "user", "content": "Why is that so?"})
    )
    await _json(learner.post(f"/api/chat/sessions/{chat['id']}/share", json={"classId": class_id}))

    def concern(tx: WriteTransaction) -> None:
        tx.session.add(tables.Concern(id=new_id(), user_id=learner_id, session_id=chat["id"]))

    await server.sprout.database.write_tx(concern)


async def draw_answers(browser: Browser, at_work: ClassAtWork) -> None:
    """Put a drawing in place of each of the learner's answers."""
    async with await browser.new_context() as context:
        page = await context.new_page()
        await page.set_content(DRAWN)
        picture = Drawing("image/png", await page.locator("svg").screenshot())
    chat = await _json(at_work.learner.post("/api/chat/sessions", json={}))
    lessons = at_work.server.sprout.stores.lessons
    made = await lessons.save_drawing(chat["id"], picture, user_id=at_work.learner_id)

    def put(tx: WriteTransaction) -> None:
        for answer in tx.session.exec(select(tables.Answer)).all():
            answer.selected_option, answer.answer_text = None, f"[drawing:{made}] {SAID}"
            tx.session.add(answer)

    await at_work.server.sprout.database.write_tx(put)


async def sign_in(page: Page, name: str) -> None:
    await page.locator("input[name=name], input[autocomplete=username]").first.fill(name)
    await page.locator("input[type=password]").first.fill(PASSWORD)
    await page.keyboard.press("Enter")


async def test_a_teacher_decides_by_keys_and_undoes_and_the_learner_is_told(
    browser: Browser, at_work: ClassAtWork
) -> None:
    async with open_page(browser, at_work.desk_url, allow=EXPECTED) as page:
        await sign_in(page, "tess")
        await expect(page.get_by_role("heading", name="2 to decide")).to_be_visible()
        answer = page.get_by_role("region", name="One answer")
        await expect(answer).to_contain_text("The learner disagrees")
        await expect(answer).to_contain_text(HOSTILE)
        await expect(page.locator("main")).not_to_contain_text("Mina wrote 3/8")
        await axe.assert_accessible(page, "desk-disagrees")
        await page.get_by_role("button", name="Show the name").click()
        await expect(page.get_by_text("From Mina")).to_be_visible()

        await page.get_by_role("button", name="Later").click()
        await expect(answer.locator("mark")).to_have_text(["One cake is bigger", "half of it is more"])
        await expect(answer).to_contain_text("Sprout has not marked it, 58% sure")
        await axe.assert_accessible(page, "desk-unsure")
        await page.keyboard.press("1")
        await expect(page.get_by_role("heading", name="1 to decide")).to_be_visible()
        await page.get_by_role("button", name="Undo").click()
        await expect(page.get_by_role("heading", name="2 to decide")).to_be_visible()
        await expect(answer.locator("mark")).to_have_count(2)
        await page.keyboard.press("2")
        await expect(page.get_by_role("heading", name="1 to decide")).to_be_visible()
        await page.keyboard.press("4")
        await expect(page.get_by_role("heading", name="Nothing to decide").first).to_be_visible()
        await expect(page.get_by_text("Dropped, for 1 more too.")).to_be_visible()
        await expect(page.get_by_text("2 decided in the last day")).to_be_visible()
        await axe.assert_accessible(page, "desk-empty")
    async with open_page(browser, at_work.server.origin, allow=EXPECTED) as page:
        await sign_in(page, "Mina")
        told = page.get_by_role("region", name="Your teacher looked at 2 answers")
        await expect(told).to_contain_text("Your teacher decided: this is partly right.")
        await expect(told).to_contain_text("Your teacher decided: this question is dropped.")
        await axe.assert_accessible(page, "desk-told")
        await told.get_by_role("button", name="Got it").click()
        await expect(told).to_have_count(0)
        await page.reload()
        await expect(page.get_by_role("heading", level=1)).to_be_visible()
        await expect(told).to_have_count(0)


async def test_a_teacher_learns_of_a_concern_without_its_words_and_reads_what_was_shared(
    browser: Browser, at_work: ClassAtWork
) -> None:
    async with open_page(browser, at_work.desk_url, allow=EXPECTED) as page:
        await sign_in(page, "tess")
        await page.get_by_role("link", name="Statistics, 10b").click()
        await expect(page.get_by_role("link", name="Decide 2 answers")).to_be_visible()
        notice = page.get_by_role("region", name="Someone may need you")
        await expect(notice).to_contain_text("Mina wrote something in a lesson that sounded like distress.")
        await notice.get_by_text("What to do").click()
        await expect(notice).to_contain_text("Speak with them soon")
        await take_screenshot(page, "desk-concern")
        await notice.get_by_role("button", name="I know of it").click()
        await expect(notice).to_have_count(0)
        await page.get_by_role("link", name="Decide 2 answers").click()
        await page.get_by_role("button", name="Mina, A fraction as equal parts").click()
        await expect(page.get_by_role("dialog")).to_contain_text("Why is that so?")
        await take_screenshot(page, "desk-shared")


async def test_on_a_phone_in_the_dark_and_in_german_the_keys_stand_at_the_lower_edge(
    browser: Browser, at_work: ClassAtWork
) -> None:
    async with open_page(browser, at_work.desk_url, size=PHONE, scheme="dark", locale="de-DE", allow=EXPECTED) as page:
        await sign_in(page, "tess")
        right = page.get_by_role("button", name="Richtig", exact=True)
        await expect(right).to_be_visible()
        box = await right.bounding_box()
        assert box is not None
        assert box["y"] > PHONE[1] - 200
        assert box["height"] >= 44
        await take_screenshot(page, "desk-dark-360-de")
        await right.click()
        await expect(page.get_by_text("Richtig. Das wird mitgeteilt.")).to_be_visible()
        await take_screenshot(page, "desk-dark-360-de-toast")


@pytest.mark.parametrize(("scheme", "size"), [("light", DESKTOP), ("dark", PHONE)])
async def test_a_drawing_that_is_disputed_or_unsure_is_seen_at_the_desk(
    browser: Browser, at_work: ClassAtWork, scheme: Literal["light", "dark"], size: tuple[int, int]
) -> None:
    await draw_answers(browser, at_work)
    async with open_page(browser, at_work.desk_url, size=size, scheme=scheme, allow=EXPECTED) as page:
        await sign_in(page, "tess")
        answer = page.get_by_role("region", name="One answer")
        picture = answer.get_by_role("img", name="The learner’s drawing")
        for name, why in (("disputed", "The learner disagrees"), ("unsure", "Unsure: about 58% sure")):
            await expect(answer).to_contain_text(why)
            await expect(picture).to_have_js_property("naturalWidth", 480)
            await expect(answer).to_contain_text(SAID)
            await take_screenshot(page, f"desk-drawing-{name}-{scheme}")
            await page.get_by_role("button", name="Later").click()
