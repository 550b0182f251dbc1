"""A learner at a diagnostic or a lesson: reads the page and acts on it."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from playwright.async_api import Locator, Page, expect

from harness.journeys.sprout_server import Row, SproutServer, start_server
from sprout.offline.courses.catalogue import courses, lessons
from sprout.offline.courses.course_format import Question
from sprout.offline.courses.lesson_format import Gap, LessonQuestion
from sprout.offline.demo.tutor.content.from_course import ASKS_FOR_GAP
from sprout.offline.pace import Pace

IMMEDIATE = Pace()
OVERFLOW_SCRIPT = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
EFFECTS_RUN = "new Promise((done) => requestAnimationFrame(() => setTimeout(() => requestAnimationFrame(done))))"


@dataclass(frozen=True, slots=True)
class GrownCourse:
    """A server with one course that has grown, and the addresses of its pages."""

    server: SproutServer
    graph: Row

    def node(self, title: str) -> Row:
        """The concept or subconcept with this title."""
        return next(dict(node) for node in self.graph["nodes"] if node["title"] == title)

    @property
    def path(self) -> str:
        return f"{self.server.url}/paths/{self.graph['branch']['id']}"

    def diagnostic(self, concept: str) -> str:
        return f"{self.path}/concepts/{self.node(concept)['id']}/diagnostic"

    def lesson(self, subconcept: str) -> str:
        node = self.node(subconcept)
        return f"{self.path}/concepts/{node['parentId']}/learn/{node['id']}"


@asynccontextmanager
async def open_course(
    folder: Path, database_url: str, *, pace: Pace = IMMEDIATE, **settings: Any
) -> AsyncIterator[GrownCourse]:
    """A Sprout on a database that holds one grown course."""
    async with start_server(folder, database_url, pace=pace, **settings) as grown:
        yield GrownCourse(grown, await grown.graph())


def right_answer(prompt: str) -> str:
    """The course's correct answer to the question that a page shows."""
    gap = authored_gap(prompt)
    return authored_question(prompt).answer if gap is None else gap.answer


def authored_gap(prompt: str) -> Gap | None:
    """The case with a step left out that stands on a page like this; None if it is a whole question.

    Of lists and tables a page shows less than their Markdown has, so that most of the words decide.
    """
    shown = _words(prompt)
    if not shown.endswith(_words(ASKS_FOR_GAP)):
        return None
    words = {*shown.split()}
    return max(_gaps(), key=lambda gap: len(words & {*_words(gap.case).split()}) / len({*_words(gap.case).split()}))


def wrong_answers(prompt: str) -> list[str]:
    """The wrong answers that the course of a lesson knows: options, or numbers."""
    if (gap := authored_gap(prompt)) is not None:
        return list(gap.wrong) or [f"{float(gap.answer) * 3 + more:g}" for more in (7, 8, 9)]
    ask = authored_question(prompt)
    assert isinstance(ask, LessonQuestion), f"no lesson asks: {prompt}"
    return [one.option for one in ask.wrong] or list(ask.diagnostic_values)


def authored_question(prompt: str) -> LessonQuestion | Question:
    """The question of a course that stands on a page like this."""
    return _asks()[_words(prompt)]


@cache
def _gaps() -> list[Gap]:
    return [lesson.gap for course in courses() for lesson in lessons(course.slug) if lesson.gap is not None]


@cache
def _asks() -> dict[str, LessonQuestion | Question]:
    """Every question of the courses by its words, as they are left of its Markdown."""
    items: list[LessonQuestion | Question] = [
        item for course in courses() for concept in course.concepts for item in concept.items
    ]
    for step in (step for course in courses() for lesson in lessons(course.slug) for step in lesson.steps):
        items += [step.asks, step.again]
    return {_words(item.prompt): item for item in items}


def _words(prompt: str) -> str:
    return " ".join(re.findall(r"\w+", re.sub(r"```\w*", "", prompt)))


def checkpoint(page: Page) -> Locator:
    return page.get_by_role("region", name="Checkpoint")


def conversation(page: Page) -> Locator:
    return page.get_by_role("region", name="Lesson")


async def wait_for_effects(page: Page) -> None:
    """Wait until the page has done what follows its last rendering, such as scrolling: it would move a click's aim."""
    await page.evaluate(EFFECTS_RUN)


async def wait_for_question(page: Page) -> str:
    """The open question of a lesson, once the tutor is silent."""
    await expect(checkpoint(page).get_by_role("button", name="Answer")).to_be_enabled()
    await wait_for_effects(page)
    return await checkpoint(page).locator(".q").inner_text()


async def fill_gap(page: Page) -> str:
    """Fill in what is left out of the first case, which who knows nothing yet gets; the question that comes then."""
    await submit_answer(page, right_answer(await wait_for_question(page)))
    return await wait_for_question(page)


async def submit_answer(page: Page, text: str, *, verdict: str = "Says it") -> None:
    """Once the tutor is silent, give an answer at the checkpoint, by its option or in words, and wait until the tutor
    has said something. One that is to be compared gets the verdict."""
    await wait_for_question(page)
    message_count = await said(page).count()
    if await checkpoint(page).get_by_role("radio").count():
        await checkpoint(page).locator(".opt").filter(has=page.get_by_text(text, exact=True)).click()
    else:
        await page.locator("#answer").fill(text)
    await checkpoint(page).get_by_role("button", name="Answer").click()
    await wait_for_tutor(page, message_count)
    if await page.locator(".cmp").count():
        await compare(checkpoint(page), verdict)
        await wait_for_tutor(page, message_count)


async def compare(place: Locator, verdict: str) -> None:
    """Give every criterion of an answer this verdict, one after the other, and wait until that has arrived."""
    for number in range(await place.locator(".cmp-point").count()):
        await place.locator(".cmp-point").nth(number).get_by_role("radio", name=verdict).check()
    await place.locator(".cmp").get_by_role("button", name="Continue").click()
    await expect(place.locator(".cmp")).to_have_count(0)


def said(page: Page) -> Locator:
    """The tutor's whole messages, and a comparison that it asks for; not what it is saying just now."""
    return page.locator(".msg:not([aria-live]), .cmp")


async def wait_for_tutor(page: Page, message_count: int) -> None:
    """Wait until the tutor has `said` something new, and for the end of its turn."""
    await expect(said(page)).not_to_have_count(message_count)
    await expect(page.locator(".tu [aria-busy]")).to_have_count(0)
    await wait_for_effects(page)


async def answer_diagnostic(page: Page, words: str) -> None:
    """Answer the question of a diagnostic and wait until another one, or the results, stand there."""
    before = await page.locator("#asked").inner_text()
    radios = page.get_by_role("radio")
    if await radios.count():
        await page.locator(".opt").filter(has=page.get_by_text(words, exact=True)).last.click()
    else:
        await page.get_by_label("Your answer").fill(words)
    await page.get_by_role("button", name="Answer").click()
    await wait_for_next(page, before)


async def wait_for_next(page: Page, before: str) -> None:
    await page.wait_for_function("(before) => document.querySelector('#asked')?.innerText !== before", arg=before)
    await wait_for_effects(page)


async def assert_no_overflow(page: Page) -> None:
    """Assert that nothing scrolls sideways."""
    assert await page.evaluate(OVERFLOW_SCRIPT) <= 0
