"""A lesson from its first words to what it opens on the map."""

import re
from pathlib import Path

from playwright.async_api import Browser, Locator, Page, expect

from harness.browser import DESKTOP, PHONE, open_page
from harness.journeys.learner import (
    IMMEDIATE,
    GrownCourse,
    assert_no_overflow,
    checkpoint,
    compare,
    conversation,
    fill_gap,
    open_course,
    right_answer,
    said,
    submit_answer,
    wait_for_effects,
    wait_for_question,
    wait_for_tutor,
    wrong_answers,
)
from harness.journeys.sprout_server import SproutServer, start_server
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.offline.pace import Pace
from tests.journeys.support.map_view import take_screenshot

PER_CENT, OPENED = "A percentage is a count out of a hundred", "One in so many"
TREE = "Drawing the splits as a tree"
NOTES, LATENT_HEAT = Path(__file__).resolve().parents[2] / "offline" / "notes" / "water-cycle.md", "Latent heat"
CALL = "A call: name, brackets, inputs"
COUNT_TELLS = """() => {
  window.announced = [];
  const line = document.querySelector(".talk > .vh[role=status]");
  new MutationObserver(() => { if (line.textContent) window.announced.push(line.textContent); })
    .observe(line, { childList: true, characterData: true, subtree: true });
}"""
LARGEST_ROUNDS = 12
SMALLEST_TARGET = 44
WITH_KEYBOARD = 430
LIFT_CARD = "(by) => scrollBy(0, document.querySelector('.cp').getBoundingClientRect().top - innerHeight + by)"


async def test_wrong_answers_bring_help_a_side_question_keeps_the_checkpoint_and_right_ones_make_it_learned(
    browser: Browser, tmp_path: Path, bayes_url: str
) -> None:
    async with (
        open_course(tmp_path, bayes_url, pace=Pace(0.05, 900)) as taught,
        open_page(browser, taught.lesson(PER_CENT)) as page,
    ):
        await expect(checkpoint(page)).to_contain_text("practice: one step is left out")
        await take_screenshot(page, "lesson-gap")
        first = await fill_gap(page)
        await page.evaluate(COUNT_TELLS)
        await take_screenshot(page, "lesson")
        await expect(checkpoint(page)).not_to_contain_text("Hint 1 of 4")
        for level, value in enumerate(wrong_answers(first)[:2], 1):
            await submit_answer(page, value)
            await expect(checkpoint(page)).to_contain_text(f"Hint {level} of 4")
            await expect(page.locator(".vd .verdict").last).to_have_text("Not yet.")
            await expect(conversation(page)).not_to_contain_text(re.compile(rf"\b{right_answer(first)}\b"))
            assert await wait_for_question(page) == first
            await page.wait_for_function("(level) => window.announced.length === level", arg=level)
            await expect(page.locator("#answer")).to_be_focused()
        await expect(page.locator(".me small")).to_have_text(
            ["Your answer, as practice", "Your first answer, without help", "Your second answer, with hint 1"]
        )
        await expect(page.locator(".mst-why")).to_contain_text("to get right without help")
        await take_screenshot(page, "lesson-help")

        await page.locator("#answer").fill("A half-written thought")
        side = page.get_by_role("complementary", name="Side question")
        await page.get_by_role("link", name="Ask on the side").click()
        await expect(side.get_by_label("Side question")).to_be_focused()
        await page.keyboard.type("What does per cent mean?")
        await page.keyboard.press("Escape")
        await expect(page.locator("#answer")).to_be_focused()
        await side.get_by_label("Side question").press("Control+Enter")
        await expect(side.locator(".say")).to_have_count(1)
        await expect(side.locator(".caret")).to_have_count(0)
        assert await wait_for_question(page) == first
        await expect(page.locator("#answer")).to_have_value("A half-written thought")
        await expect(conversation(page)).not_to_contain_text("What does per cent mean?")
        await take_screenshot(page, "lesson-aside")

        assert await page.evaluate("window.announced") == ["The tutor has answered"] * 3
        await _leads_to_the_checkpoint_on_a_phone(page)
        rounds = await _finished(page)
        assert rounds >= 3
        over = page.get_by_role("region", name="This lesson is finished.")
        await expect(over).to_be_focused()
        await expect(over.locator(".can li")).to_have_count(await page.locator(".chunks li").count())
        await side.get_by_label("Side question").fill("What does per cent mean?")
        await expect(side.get_by_role("button", name="Ask", exact=True)).to_be_enabled()
        await side.get_by_label("Side question").press("Control+Enter")
        await expect(side.locator(".say")).to_have_count(2)
        await expect(side.locator(".caret")).to_have_count(0)
        await expect(side).not_to_contain_text("The lesson goes on")
        await expect(over).to_be_visible()
        await take_screenshot(page, "lesson-finished")
        await over.get_by_role("link", name="Start, about").click()
        second = await page.get_by_role("heading", level=1).inner_text()
        assert second != PER_CENT
        await wait_for_question(page)
        await page.goto(f"{taught.path}/concepts/{taught.node(PER_CENT)['parentId']}")
        node = page.locator(".map .hit")
        await expect(node.and_(page.locator(f"[aria-label^='{PER_CENT}']"))).to_have_attribute(
            "aria-label", re.compile("Learned")
        )
        await expect(node.and_(page.locator(f"[aria-label^='{OPENED}']"))).to_have_attribute(
            "aria-label", re.compile("Ready")
        )
        await take_screenshot(page, "lesson-learned-map")


async def _leads_to_the_checkpoint_on_a_phone(page: Page) -> None:
    """Assert that a checkpoint that is out of sight is told of, and reached."""
    await page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    await page.evaluate("scrollTo(0, 0)")
    bar = page.locator(".open-below")
    await expect(bar).to_contain_text("Checkpoint open")
    await take_screenshot(page, "lesson-phone-open-below")
    await bar.get_by_role("button", name="To the question").click()
    await expect(page.locator("#answer")).to_be_focused()
    await expect(bar).to_have_count(0)
    await assert_no_overflow(page)
    await take_screenshot(page, "lesson-phone")
    await page.set_viewport_size({"width": DESKTOP[0], "height": DESKTOP[1]})


async def test_at_its_end_a_lesson_ticks_the_steps_that_were_asked_and_names_the_others(
    browser: Browser, tmp_path: Path, bayes_url: str
) -> None:
    async with open_course(tmp_path, bayes_url) as taught, open_page(browser, taught.lesson(PER_CENT)) as page:
        await _finished(page)
        over, steps = page.get_by_role("region", name="This lesson is finished."), page.locator(".chunks li")
        ticked = await over.locator(".can li:has(svg)").all_inner_texts()
        left = await over.locator(".can li:not(:has(svg))").all_inner_texts()
        assert len(ticked) + len(left) == await steps.count()
        assert (len(ticked), len(left)) == (2, 1)
        await expect(steps.and_(page.locator(".done"))).to_have_count(len(ticked))
        await expect(over).to_contain_text("Not asked this time:")
        await expect(page.locator(".talk")).to_contain_text(f"Not asked this time: {left[0][0].lower()}{left[0][1:]}.")


async def _finished(page: Page) -> int:
    """Answer rightly until the lesson is finished; how often."""
    for count in range(LARGEST_ROUNDS):
        if await page.get_by_text("This lesson is finished.").count():
            return count
        await submit_answer(page, right_answer(await wait_for_question(page)))
    raise AssertionError(f"{LARGEST_ROUNDS} right answers do not finish the lesson")


async def expect_drawn(shown: Locator) -> None:
    """Expect the learner's picture, loaded, in a link that opens it."""
    picture = shown.get_by_role("link", name="A drawing").get_by_role("img", name="A drawing")
    await expect(picture).to_have_js_property("naturalWidth", 960)


async def test_a_choice_by_its_number_then_a_drawing_that_is_undone_and_kept_over_a_reload(
    browser: Browser, tmp_path: Path, bayes_url: str
) -> None:
    async with open_course(tmp_path, bayes_url) as taught, open_page(browser, taught.lesson(TREE)) as page:
        choice = await fill_gap(page)
        options = await checkpoint(page).get_by_role("radio").all()
        names = await checkpoint(page).locator(".opt .say").all_inner_texts()
        await take_screenshot(page, "lesson-choice")
        await page.keyboard.press(str(names.index(right_answer(choice)) + 1))
        await expect(options[names.index(right_answer(choice))]).to_be_checked()
        await page.keyboard.press("Enter")
        await wait_for_tutor(page, 1)

        await expect(page.get_by_role("img", name="Drawing area")).to_be_visible()
        await expect(page.locator("#asked")).to_be_focused()
        await checkpoint(page).get_by_role("button", name="Answer").press("Enter")
        await expect(checkpoint(page).get_by_role("alert")).to_contain_text("Draw or describe something")
        for number in range(3):
            await _stroke(page, 60 + 80 * number)
        await checkpoint(page).get_by_role("button", name="Undo").click()
        await wait_for_effects(page)
        assert await _inked(page, 60 + 160) == 0
        assert await _inked(page, 60) > 0
        await page.locator("#answer").fill("Half a description")
        await page.reload()
        await wait_for_question(page)
        assert await _inked(page, 60) > 0
        await expect(page.locator("#answer")).to_have_value("Half a description")
        await take_screenshot(page, "lesson-drawing")
        await checkpoint(page).get_by_role("button", name="Clear").press("Enter")
        await wait_for_effects(page)
        assert await _inked(page, 60) == 0
        await _stroke(page, 60)
        asked = await wait_for_question(page)
        message_count = await said(page).count()
        await page.locator("#answer").fill("")
        await checkpoint(page).get_by_role("button", name="Answer").press("Enter")
        await wait_for_tutor(page, message_count)
        for shown in (conversation(page).locator(".me").last, page.locator(".cmp .pair")):  # nobody sees it offline
            await expect_drawn(shown)
        await page.reload()
        for shown in (conversation(page).locator(".me").last, page.locator(".cmp .pair")):
            await expect_drawn(shown)
        await expect(page.locator(".cmp .pair")).to_contain_text("450")
        await take_screenshot(page, "lesson-compare")
        await expect(page.locator(".cmp .btn")).to_have_count(0)
        await compare(checkpoint(page), "Says it")
        await page.wait_for_function("(before) => document.querySelector('.cp .q')?.innerText !== before", arg=asked)
        await expect(page.locator(".vd .verdict").last).to_have_text("Compared.")


async def _stroke(page: Page, x: int) -> None:
    await page.locator("canvas").hover(position={"x": x, "y": 40})  # waits until it stands still
    box = await page.locator("canvas").bounding_box()
    assert box is not None
    await page.mouse.down()
    await page.mouse.move(box["x"] + x + 10, box["y"] + 90, steps=4)
    await page.mouse.up()


async def _inked(page: Page, x: int) -> int:
    """Number of dark pixels of the pad around the stroke that begins at x."""
    return int(
        await page.locator("canvas").evaluate(
            """(pad, x) => {
              const scale = pad.width / pad.getBoundingClientRect().width;
              const dots = pad.getContext("2d").getImageData((x - 10) * scale, 30 * scale, 40 * scale, 70 * scale).data;
              return dots.filter((value, i) => i % 4 === 0 && value < 128).length;
            }""",
            x,
        )
    )


LINES = "(editor) => [...editor.querySelectorAll('.cm-line')].map((line) => line.textContent).join('\\n')"
WRITTEN = "if price:\n    round(price)"


async def test_code_is_indented_by_tab_stays_to_be_mended_and_is_shown_as_it_was_written(
    browser: Browser, tmp_path: Path, python_url: str
) -> None:
    async with open_course(tmp_path, python_url) as taught, open_page(browser, taught.lesson(CALL)) as page:
        await page.locator(".cp .q").wait_for()
        while not await checkpoint(page).get_by_label("Your code").count():
            await submit_answer(page, right_answer(await wait_for_question(page)))
        asked = await wait_for_question(page)
        code = page.get_by_label("Your code")
        await page.locator(".cm-content").focus()
        await page.keyboard.type("if price:")
        await page.keyboard.press("Enter")
        await page.keyboard.type("round(price)")
        for key, indent in (("Tab", 8), ("Shift+Tab", 4)):
            await page.keyboard.press(key)
            assert await code.evaluate(LINES) == f"if price:\n{' ' * indent}round(price)"
        await expect(code).to_be_focused()
        await expect(code.locator(".hl-key")).to_have_text("if")
        await take_screenshot(page, "lesson-code")
        await page.keyboard.press("Escape")
        await page.keyboard.press("Tab")
        await expect(checkpoint(page).get_by_role("button", name="Answer")).to_be_focused()
        await page.reload()
        await page.locator(".cm-content").focus()
        assert await code.evaluate(LINES) == WRITTEN
        message_count = await said(page).count()
        await page.keyboard.press("Control+Enter")
        await wait_for_tutor(page, message_count)
        assert await wait_for_question(page) == asked
        assert await code.evaluate(LINES) == WRITTEN
        await expect(conversation(page).locator(".me pre").last).to_have_text(WRITTEN)
        await submit_answer(page, right_answer(asked))
        await page.wait_for_function("(before) => document.querySelector('.cp .q')?.innerText !== before", arg=asked)


async def test_without_a_choice_or_a_word_nothing_is_sent_and_help_costs_no_typed_word(
    browser: Browser, tmp_path: Path, bayes_url: str
) -> None:
    async with open_course(tmp_path, bayes_url) as taught, open_page(browser, taught.lesson(PER_CENT)) as page:
        asked = await fill_gap(page)
        await checkpoint(page).get_by_role("button", name="Answer").click()
        await expect(checkpoint(page).get_by_role("alert")).to_contain_text("Write an answer")
        await expect(page.locator("#answer")).to_be_focused()
        await page.keyboard.type("Seven hundreds, so")
        await checkpoint(page).get_by_role("button", name="Hint").click()
        await expect(checkpoint(page)).to_contain_text("Hint 1 of 4")
        await expect(page.locator("#answer")).to_have_value("Seven hundreds, so")
        assert await wait_for_question(page) == asked
        await page.locator("#answer").fill(wrong_answers(asked)[0])
        await page.keyboard.press("Control+Enter")
        await expect(page.locator("#answer")).to_have_value("")


async def test_a_hint_is_said_once_in_the_checkpoint_while_its_question_is_open_and_stays_to_be_read_back(
    browser: Browser, tmp_path: Path, bayes_url: str
) -> None:
    async with open_course(tmp_path, bayes_url) as taught, open_page(browser, taught.lesson(PER_CENT)) as page:
        asked = await fill_gap(page)
        hint = page.get_by_text("Which number here plays the part of the three hundreds?")
        await checkpoint(page).get_by_role("button", name="Hint").click()
        await expect(checkpoint(page).locator(".cp-help")).to_have_count(1)
        await wait_for_question(page)
        await expect(hint).to_have_count(1)
        await expect(conversation(page).locator(".me")).to_have_count(1)
        await take_screenshot(page, "lesson-hint")
        await submit_answer(page, wrong_answers(asked)[0])
        await expect(checkpoint(page).locator(".cp-help")).to_have_count(2)
        await expect(page.get_by_text("How many hundreds are there in 700")).to_have_count(1)
        await submit_answer(page, right_answer(asked))
        await expect(checkpoint(page).locator(".cp-help")).to_have_count(0)
        await expect(conversation(page).get_by_text("A hint, please.")).to_have_count(1)
        await expect(hint).to_have_count(1)


async def test_on_a_phone_answer_stays_at_the_lower_edge_and_covers_neither_question_nor_feedback(
    browser: Browser, tmp_path: Path, bayes_url: str
) -> None:
    async with (
        open_course(tmp_path, bayes_url) as taught,
        open_page(browser, taught.lesson(PER_CENT), size=PHONE) as page,
    ):
        asked = await fill_gap(page)
        answer = checkpoint(page).get_by_role("button", name="Answer")
        for lift in (40, 80):
            await page.evaluate(LIFT_CARD, lift + 100)
            await wait_for_effects(page)
            assert await _room_below(page, ".cp-go") == 0
            await expect(answer).to_be_in_viewport(ratio=1)
        await page.locator("#asked").evaluate("(asked) => asked.scrollIntoView({ block: 'end' })")
        await wait_for_effects(page)
        assert await _room_below(page, "#asked") >= await page.locator(".cp-go").evaluate("(bar) => bar.offsetHeight")

        await page.locator("#answer").click()
        await page.set_viewport_size({"width": PHONE[0], "height": WITH_KEYBOARD})
        await page.locator("#answer").evaluate("(field) => field.scrollIntoView({ block: 'nearest' })")
        await wait_for_effects(page)
        await expect(answer).to_be_in_viewport(ratio=1)
        await expect(page.locator("#answer")).to_be_in_viewport(ratio=1)
        await take_screenshot(page, "lesson-phone-keyboard")
        await page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})

        await submit_answer(page, wrong_answers(asked)[0])
        await wait_for_question(page)
        mine = page.locator(".me").last
        await expect(mine).to_be_in_viewport(ratio=1)
        assert await mine.evaluate("(mine) => mine.getBoundingClientRect().top") < 44, (
            "one's own words stand at the top"
        )
        await expect(page.locator(".vd .verdict").last).to_be_in_viewport(ratio=1)
        await take_screenshot(page, "lesson-phone-verdict")
        await assert_no_overflow(page)


async def _room_below(page: Page, selector: str) -> float:
    """The pixels between an element's lower edge and the screen's."""
    return float(await page.locator(selector).evaluate("(one) => innerHeight - one.getBoundingClientRect().bottom"))


async def test_on_a_phone_a_comparison_asks_one_point_at_a_time_and_its_button_comes_after_the_last(
    browser: Browser, tmp_path: Path, bayes_url: str
) -> None:
    async with (
        open_course(tmp_path, bayes_url) as taught,
        open_page(browser, taught.lesson(TREE), size=PHONE, scheme="dark") as page,
    ):
        for _ in range(3):
            await submit_answer(page, right_answer(await wait_for_question(page)))
        await wait_for_question(page)
        await page.locator("#answer").fill("The percentages have different wholes.")
        await page.locator("#answer").press("Control+Enter")
        points, button = page.locator(".cmp-point"), page.locator(".cmp .cp-go .btn")
        await expect(points).to_have_count(2)
        await expect(page.locator(".cmp-marks")).to_have_count(1)
        await expect(button).to_have_count(0)
        told = page.locator(".cmp").get_by_role("status")
        await expect(told).to_have_text("Point 1 of 2.")
        await page.evaluate("scrollTo(0, 0)")
        await page.locator(".open-below").get_by_role("button", name="Compare").click()
        await expect(points.first.get_by_role("radio", name="Says it")).to_be_focused()
        await expect(points.first).to_be_in_viewport(ratio=1)
        await expect(page.locator(".open-below")).to_have_count(0)
        await take_screenshot(page, "lesson-phone-compare")
        await points.first.locator("label").filter(has_text="Partly").click()
        await expect(told).to_have_text("Point 2 of 2.")
        await expect(points.last).to_be_in_viewport(ratio=1)
        await expect(button).to_have_count(0)
        await points.first.get_by_role("radio", name="Partly").focus()
        await page.keyboard.press("Tab")
        await expect(points.last.get_by_role("radio", name="Says it")).to_be_focused()
        await page.keyboard.press("Space")
        await page.keyboard.press("ArrowRight")
        await expect(points.nth(1).get_by_role("radio", name="Partly")).to_be_checked()
        await expect(told).to_contain_text("2 of 2 compared.")
        await expect(button).to_be_in_viewport(ratio=1)
        await expect(page.locator(".btn.go:visible")).to_have_text(["Continue"])
        await assert_no_overflow(page)
        for target in await page.locator(".cmp-marks label, .cmp-mix, .cmp .btn").all():
            box = await target.bounding_box()
            assert box is not None
            assert min(box["width"], box["height"]) >= SMALLEST_TARGET
        await page.keyboard.press("Enter")
        await expect(page.locator(".cmp")).to_have_count(0)


async def test_what_is_taught_from_notes_opens_its_passage_and_the_document_at_that_place(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    async with start_server(tmp_path, sqlite_url, pace=IMMEDIATE) as grown:
        await grown.events_of(await _grown_from_notes(grown))
        taught = GrownCourse(grown, await grown.graph())
        async with open_page(browser, taught.lesson(LATENT_HEAT)) as page:
            await wait_for_question(page)
            chip = conversation(page).get_by_role("button", name=f"{NOTES.name}, Evaporation")
            await chip.focus()
            await page.keyboard.press("Enter")
            passage = page.get_by_role("region", name=f"{NOTES.name}, Evaporation")
            await expect(passage).to_be_focused()
            words = await passage.get_by_role("group", name="The passage").inner_text()
            assert " ".join(words.split()[-8:]) in " ".join(NOTES.read_text().replace("*", "").split())
            await take_screenshot(page, "lesson-passage")
            await passage.get_by_role("button", name="Open the document here").press("Enter")
            whole = page.get_by_role("dialog", name=NOTES.name)
            await expect(whole.locator("[aria-current]")).to_be_in_viewport()
            await expect(whole).to_contain_text("Condensation and clouds")
            await take_screenshot(page, "lesson-document")
            await page.keyboard.press("Escape")
            await expect(whole).to_have_count(0)
            await page.keyboard.press("Escape")
            await expect(passage).to_have_count(0)
            await expect(chip).to_be_focused()

            await page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
            await chip.click()
            await expect(whole.locator("[aria-current]")).to_be_in_viewport()
            await assert_no_overflow(page)
            await take_screenshot(page, "lesson-document-phone")
            await whole.get_by_role("button", name="Close").click()
            await page.reload()
            await expect(chip).to_be_visible()


async def _grown_from_notes(grown: SproutServer) -> str:
    """Begin to grow a path from notes; the id of its run."""
    branch = await grown.post("/branches", {"title": "Water", "userId": DEFAULT_USER_ID})
    about = {"userId": DEFAULT_USER_ID, "type": "root", "title": "Water", "branchId": branch["id"]}
    root = await grown.post("/nodes", about)
    files = {"files": (NOTES.name, NOTES.read_bytes(), "text/markdown")}
    (await grown.client.post(f"/api/nodes/{root['id']}/documents", files=files)).raise_for_status()
    return str((await grown.start_run(root["id"], small=True)).json()["id"])


async def test_ui_3_a_lesson_that_is_opened_again_on_a_phone_shows_its_question_whole_and_its_end_the_way_on(
    browser: Browser, tmp_path: Path, bayes_url: str
) -> None:
    async with (
        open_course(tmp_path, bayes_url) as taught,
        open_page(browser, taught.lesson(PER_CENT), size=PHONE) as page,
    ):
        reminder = page.locator(".open-below")
        await wait_for_question(page)
        await expect(reminder.get_by_role("button", name="To the question")).to_be_visible()
        await fill_gap(page)
        await page.reload()
        await wait_for_question(page)
        await expect(page.locator("#asked")).to_be_in_viewport(ratio=1)
        await expect(checkpoint(page).get_by_role("button", name="Answer")).to_be_in_viewport(ratio=1)
        await expect(reminder).to_have_count(0)
        await _finished(page)
        for _ in ("at its end", "opened again"):
            await expect(page.locator(".cp.over .btn.go")).to_be_in_viewport(ratio=1)
            await page.reload()


SCROLLED_DOWN = """async (button) => {
  scrollTo(0, document.body.scrollHeight);
  const before = button.getBoundingClientRect().top;
  while (document.querySelector('.open-below')) await new Promise(requestAnimationFrame);
  return [before, button.getBoundingClientRect().top];
}"""


async def test_ui_3_the_bar_that_leads_to_the_question_goes_without_moving_what_is_about_to_be_pressed(
    browser: Browser, tmp_path: Path, bayes_url: str
) -> None:
    async with open_course(tmp_path, bayes_url) as taught, open_page(browser, taught.lesson(PER_CENT)) as page:
        await wait_for_question(page)
        for width, height in (PHONE, (DESKTOP[0], 600)):
            await page.set_viewport_size({"width": width, "height": height})
            await page.evaluate("scrollTo(0, 0)")
            await page.locator(".open-below").wait_for()
            before, after = await checkpoint(page).get_by_role("button", name="Answer").evaluate(SCROLLED_DOWN)
            assert after == before
