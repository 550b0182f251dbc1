"""A learner before a diagnostic or a lesson: what stands there, and what is done about it."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from playwright.async_api import Locator, Page, expect

from sprout.offline.courses import Question, courses, lessons
from sprout.offline.lessons import Ask
from sprout.offline.pace import Pace
from tests.journeys.garden import Garden, Row, garden

AT_ONCE = Pace()
OVERHANG = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@dataclass(frozen=True, slots=True)
class School:
    """A garden with one course that has grown, and the addresses of its screens."""

    grown: Garden
    graph: Row

    def node(self, title: str) -> Row:
        """The concept or subconcept with this title."""
        return next(dict(node) for node in self.graph["nodes"] if node["title"] == title)

    @property
    def path(self) -> str:
        return f"{self.grown.url}/paths/{self.graph['branch']['id']}"

    def diagnostic(self, concept: str) -> str:
        return f"{self.path}/concepts/{self.node(concept)['id']}/diagnostic"

    def lesson(self, subconcept: str) -> str:
        node = self.node(subconcept)
        return f"{self.path}/concepts/{node['parentId']}/learn/{node['id']}"


@asynccontextmanager
async def school(folder: Path, database_url: str, *, pace: Pace = AT_ONCE, **settings: Any) -> AsyncIterator[School]:
    """A Sprout on a database that holds one grown course."""
    async with garden(folder, database_url, pace=pace, **settings) as grown:
        yield School(grown, await grown.graph())


def right(prompt: str) -> str:
    """What the course says is right where a page asks this."""
    return as_written(prompt).answer


def wrong(prompt: str) -> list[str]:
    """The wrong answers that the course of a lesson knows: options, or numbers."""
    ask = as_written(prompt)
    assert isinstance(ask, Ask), f"no lesson asks: {prompt}"
    return [one.option for one in ask.wrong] or list(ask.diagnostic_values)


def as_written(prompt: str) -> Ask | Question:
    """The question of a course that stands on a page like this."""
    return _asks()[_words(prompt)]


@cache
def _asks() -> dict[str, Ask | Question]:
    """Every question of the courses by its words, as they are left of its Markdown."""
    items: list[Ask | Question] = [
        item for course in courses() for concept in course.concepts for item in concept.items
    ]
    for step in (step for course in courses() for lesson in lessons(course.slug) for step in lesson.steps):
        items += [step.asks, step.again]
    return {_words(item.prompt): item for item in items}


def _words(prompt: str) -> str:
    return " ".join(re.findall(r"\w+", re.sub(r"```\w*", "", prompt)))


def checkpoint(page: Page) -> Locator:
    return page.get_by_role("region", name="Checkpoint")


def talk(page: Page) -> Locator:
    return page.get_by_role("region", name="Lesson")


async def question(page: Page) -> str:
    """The open question of a lesson, once the tutor is silent."""
    await expect(checkpoint(page).get_by_role("button", name="Answer")).to_be_enabled()
    return await checkpoint(page).locator(".q").inner_text()


async def answer(page: Page, text: str) -> None:
    """Give an answer at the checkpoint, by its option or in words, and wait until the tutor has said something."""
    said = await page.locator(".msg").count()
    if await checkpoint(page).get_by_role("radio").count():
        await checkpoint(page).locator(".opt").filter(has=page.get_by_text(text, exact=True)).click()
    else:
        await page.locator("#answer").fill(text)
    await checkpoint(page).get_by_role("button", name="Answer").click()
    await silent(page, said)


async def silent(page: Page, said: int) -> None:
    """Wait for a message of the tutor more than `said`, and for the end of its turn."""
    await expect(page.locator(".msg:not([aria-live])")).not_to_have_count(said)
    await expect(page.locator(".tu [aria-busy]")).to_have_count(0)


async def diagnosed(page: Page, words: str) -> None:
    """Answer the question of a diagnostic and wait until another one, or the results, stand there."""
    before = await page.locator("#asked").inner_text()
    radios = page.get_by_role("radio")
    if await radios.count():
        await page.locator(".opt").filter(has=page.get_by_text(words, exact=True)).last.click()
    else:
        await page.get_by_label("Your answer").fill(words)
    await page.get_by_role("button", name="Answer").click()
    await moved_on(page, before)


async def moved_on(page: Page, before: str) -> None:
    await page.wait_for_function("(before) => document.querySelector('#asked')?.innerText !== before", arg=before)


async def fits(page: Page) -> None:
    """Assert that nothing scrolls sideways."""
    assert await page.evaluate(OVERHANG) <= 0
