"""A question whose key is not found again is taken back before the learner has answered it."""

import re
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, expect

from harness.browser import PHONE, open_page
from harness.journeys.learner import open_course, wait_for_question
from sprout.offline.demo.router import demo_model
from sprout.offline.reply import Body, Reply, ToolOut
from tests.journeys.support.map_view import take_screenshot

PER_CENT = "A percentage is a count out of a hundred"
CALLS_UNTIL_ASKED = 2
TAKEN_BACK = "We checked this question again and found a fault in it, so we’ve taken it back."


class DoubtingModel:
    """The built-in model, which finds another number than the key at first."""

    def __init__(self) -> None:
        self._model = demo_model()
        self._doubts = True

    def answer(self, body: Body) -> Any:
        if self._doubts and any(tool["name"] == "record_solutions" for tool in body.get("tools", [])):
            self._doubts = False
            (question_id,) = re.findall(r'<question[^>]*? id="([^"]+)"', str(body["messages"][0]["content"]))
            return Reply([ToolOut("record_solutions", {"solutions": [{"question_id": question_id, "sure": 0.9}]})])
        return self._model.answer(body)


async def test_Q3_a_question_that_is_taken_back_says_so_and_the_next_one_comes(
    browser: Browser, tmp_path: Path, bayes_url: str
) -> None:
    async with open_course(tmp_path, bayes_url, offline_model=DoubtingModel()) as taught:
        taught.server.faults.hold_after(CALLS_UNTIL_ASKED)
        async with open_page(browser, taught.lesson(PER_CENT), size=PHONE, scheme="dark") as page:
            first = await wait_for_question(page)
            taught.server.faults.release()
            await expect(page.get_by_role("region", name="Question taken back")).to_contain_text(TAKEN_BACK)
            await take_screenshot(page, "lesson-withdrawn")
            await page.get_by_role("button", name="Next question").click()
            second = await wait_for_question(page)
            assert second != first
