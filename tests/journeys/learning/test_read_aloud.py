"""Reading aloud by sentence, and dictation into an answer: stopped at will, and not offered where there is no voice."""

from pathlib import Path

from playwright.async_api import Browser, Page, expect

from harness.browser import open_page
from harness.journeys.learner import conversation, open_course, wait_for_question
from tests.journeys.support import axe

PART = "A percentage is a count out of a hundred"
# The voices of the machine are not ours: here there is one that says a sentence when it is told to go on.
A_VOICE = """
window.said = [];
class Utterance { constructor(text) { this.text = text; } }
const synthesis = {
  getVoices: () => [{ lang: "en-GB", name: "A voice" }],
  speak: (utterance) => { window.said.push(utterance); },
  cancel: () => { window.said.push("cancelled"); },
};
Object.defineProperty(window, "speechSynthesis", { value: synthesis });
Object.defineProperty(window, "SpeechSynthesisUtterance", { value: Utterance });
"""
NO_VOICE = """
Object.defineProperty(window, "speechSynthesis", { value: undefined });
Object.defineProperty(window, "SpeechRecognition", { value: undefined });
Object.defineProperty(window, "webkitSpeechRecognition", { value: undefined });
"""
# Nor is its speech recognition: here the test says what was heard.
AN_EAR = """
window.ears = [];
class Recognition {
  constructor() { window.ears.push(this); }
  start() { this.state = "listening"; }
  stop() { this.state = "stopped"; }
}
Object.defineProperty(window, "SpeechRecognition", { value: Recognition });
"""
HEARS = """(heard) => {
  const results = heard.map(([transcript, isFinal]) => ({ 0: { transcript }, isFinal }));
  window.ears.at(-1).onresult({ results });
}"""
SAID = "window.said.map((each) => each.text ?? each)"
MARKED = "[...(CSS.highlights.get('spoken') ?? [])].map((range) => range.toString())"


async def test_ui_a_lesson_is_read_aloud_by_sentence_with_the_sentence_marked(
    browser: Browser, tmp_path: Path, bayes_url: str
) -> None:
    async with open_course(tmp_path, bayes_url) as taught, open_page(browser, f"{taught.server.url}/docs") as page:
        await _open_lesson(page, taught.lesson(PART), A_VOICE)
        await page.get_by_role("button", name="Read aloud").click()
        first = await page.evaluate(SAID)
        assert len(first) == 1
        assert await page.evaluate(MARKED) == first
        assert await page.evaluate("window.said[0].lang") == "en-GB"
        await page.evaluate("window.said[0].onend()")
        both = await page.evaluate(SAID)
        text = " ".join((await conversation(page).locator(".msg").last.inner_text()).split())
        assert text.startswith(" ".join(" ".join(both).split()))
        assert await page.evaluate(MARKED) == both[1:]
        await page.get_by_role("button", name="Stop reading").click()
        assert (await page.evaluate(SAID))[2:] == ["cancelled"]
        assert await page.evaluate(MARKED) == []
        await page.evaluate("window.said[1].onend()")
        assert len(await page.evaluate(SAID)) == 3
        await expect(page.get_by_role("button", name="Read aloud")).to_be_visible()


async def test_ui_reading_aloud_ends_with_the_text_and_with_leaving_the_lesson(
    browser: Browser, tmp_path: Path, bayes_url: str
) -> None:
    async with open_course(tmp_path, bayes_url) as taught, open_page(browser, f"{taught.server.url}/docs") as page:
        await _open_lesson(page, taught.lesson(PART), A_VOICE)
        await page.get_by_role("button", name="Read aloud").click()
        while not await page.get_by_role("button", name="Read aloud").is_visible():
            await page.evaluate("window.said.at(-1).onend()")
        assert (await page.evaluate(SAID))[-1] == "cancelled"
        await page.get_by_role("button", name="Read aloud").click()
        await page.get_by_role("link", name="Bayesian reasoning").click()
        await page.wait_for_function("() => window.said.at(-1) === 'cancelled'")


async def test_ui_where_there_is_no_voice_nothing_is_offered(browser: Browser, tmp_path: Path, bayes_url: str) -> None:
    async with open_course(tmp_path, bayes_url) as taught, open_page(browser, f"{taught.server.url}/docs") as page:
        async with page.expect_response(lambda answer: answer.url.endswith("/aloud.css")):
            await _open_lesson(page, taught.lesson(PART), NO_VOICE)
        await expect(page.get_by_role("button", name="Read aloud")).to_have_count(0)
        await expect(page.get_by_role("button", name="Dictate")).to_have_count(0)


async def test_ui_an_answer_is_dictated_shown_while_it_is_heard_and_never_sent_by_itself(
    browser: Browser, tmp_path: Path, bayes_url: str
) -> None:
    async with open_course(tmp_path, bayes_url) as taught, open_page(browser, f"{taught.server.url}/docs") as page:
        await _open_lesson(page, taught.lesson(PART), AN_EAR)
        field, start = page.get_by_label("Your answer"), page.get_by_role("button", name="Dictate")
        stop = page.get_by_role("button", name="Stop dictating")
        turns = await conversation(page).locator(".me").count()
        await field.fill("It is")
        await start.click()
        await expect(page.get_by_text("Listening.")).to_be_visible()
        assert await page.evaluate("window.ears[0].lang") == "en-US"
        await page.evaluate(HEARS, [["nine out", False]])
        await expect(field).to_have_value("It is nine out")
        await page.evaluate(HEARS, [["nine out of a hundred", True], ["I thi", False]])
        await expect(field).to_have_value("It is nine out of a hundred I thi")
        await axe.assert_accessible(page, "dictating")
        await page.keyboard.press("Escape")
        await expect(start).to_be_visible()
        assert await page.evaluate("window.ears[0].state") == "stopped"
        await page.evaluate(HEARS, [["too late", True]])
        await expect(field).to_have_value("It is nine out of a hundred I thi")
        await expect(page).to_have_url(taught.lesson(PART))

        await start.click()
        await field.press_sequentially("!")
        await expect(start).to_be_visible()
        await start.click()
        await page.evaluate("window.ears.at(-1).onerror({ error: 'not-allowed' }), window.ears.at(-1).onend()")
        await expect(page.get_by_text("The microphone isn’t allowed here.")).to_be_visible()
        await start.click()
        await stop.click()
        await expect(start).to_be_visible()
        await expect(field).to_have_value("It is nine out of a hundred I thi!")
        assert await conversation(page).locator(".me").count() == turns


async def _open_lesson(page: Page, url: str, voices: str) -> None:
    await page.add_init_script(voices)
    await page.goto(url)
    await wait_for_question(page)
