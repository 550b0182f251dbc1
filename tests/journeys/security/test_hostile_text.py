"""Whatever a model, a document or a learner writes is text on the page: nothing of it runs, loads or leads astray."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Browser, Error, Page, expect

from harness.browser import open_page
from harness.hostile.corpus import HostileTexts, families, payloads
from harness.hostile.page_watch import LISTEN, SAFE, PageWatch, foreign_host, poison_responses
from harness.journeys.learner import (
    answer_diagnostic,
    checkpoint,
    compare,
    open_course,
    right_answer,
    said,
    submit_answer,
    wait_for_question,
    wait_for_tutor,
)
from tests.journeys.support.fake_runs import a_question, a_row
from tests.journeys.support.fake_server import start_fake_server
from tests.journeys.support.map_view import take_screenshot

COUNTS, PER_CENT = "Turning percentages into counts of people", "A percentage is a count out of a hundred"
TREE = "Drawing the splits as a tree"
SHARE = 24
FEW = 8  # behind each text of a response; `python -m faults xss` has them all in every field
DRAWN_MS = 60_000
# What the frame of diagrams has stopped: Mermaid takes labels for markup for a moment, which is why it has a frame.
BEHIND_GLASS = ("/frames/diagram", "(blob:null/")
OPEN_ALL = "document.querySelectorAll('main details').forEach((details) => { details.open = true; })"
# Each beginning of each text, as a page draws them one after the other while they come in.
GROW = """async ([texts, step]) => {
  const at = document.querySelector("script[type=module]").src.replace("app.js", "");
  const [{ render, h }, { Markdown }] = await Promise.all([import("preact"), import(`${at}views/rich/markdown.js`)]);
  const box = document.querySelector("main").appendChild(document.createElement("div"));
  for (const text of texts) {
    for (let end = 1; end < text.length + step; end += step) render(h(Markdown, { text: text.slice(0, end) }), box);
    await new Promise(requestAnimationFrame);
  }
  const written = texts.filter((text) => !text.startsWith("```mermaid")); // diagrams are drawn in a lesson
  render(h("div", {}, written.map((text, i) => h("div", { key: i }, h(Markdown, { text })))), box);
}"""


@asynccontextmanager
async def watched(page: Page) -> AsyncIterator[tuple[PageWatch, list[str]]]:
    """The page under watch, and the corpus with a foreign host of its own."""
    async with foreign_host() as evil:
        watch = PageWatch(page, evil)
        await watch.start()
        yield watch, payloads(evil.url)


async def _harmless(watch: PageWatch, name: str) -> None:
    """Assert that nothing ran, and that nothing in the content could run or load anything if it were touched."""
    await watch.page.evaluate(OPEN_ALL)
    await expect(watch.page.locator(".diagram .growing")).to_have_count(0, timeout=DRAWN_MS)
    await take_screenshot(watch.page, f"hostile-{name}")
    assert await watch.findings() == SAFE
    await expect(watch.page.locator("main")).to_contain_text("onerror=")  # the words themselves are there to read


def test_the_corpus_has_all_families_and_no_text_twice() -> None:
    texts = [text for family in families().values() for text in family]
    assert len(texts) == len(set(texts)) >= 300
    assert {"mutating markup", "SVG", "MathML", "Mermaid", "KaTeX", "links", "bidi and invisible"} <= families().keys()


async def test_X6_the_detector_sees_what_runs_what_is_asked_for_and_what_stands_ready(browser: Browser) -> None:
    page = await browser.new_page()
    async with watched(page) as (watch, _):
        sink = "document.querySelector('i').insertAdjacentHTML('afterend', '<a href=\"javascript:ran.push(3)\">x</a>')"
        await page.set_content(
            f"<script>{LISTEN}</script><main><b onmouseover=1></b><img src=data:, onerror='ran.push(1)'><i></i>"
            f"<script>{sink}</script><script>new Image().src = '{watch.host.url}/out'</script></main>"
        )
        await page.wait_for_function("window.ran.length")
        while not watch.host.requests:
            await page.wait_for_event("requestfinished")
        found = await watch.findings()
    assert found["ran"] == [1]
    assert found["asked"] == ["GET /out HTTP/1.1", f"{watch.host.url}/out"]
    assert [each[:8] for each in found["harmful"]] == [
        "<script>",
        "<script>",
        "<img src",
        "<b onmou",
        "<img src",
        "<a href=",
    ]
    await page.close()


async def test_D14_the_page_takes_no_markup_or_script_from_a_string(browser: Browser) -> None:
    sinks = (
        "document.body.innerHTML = '<b>x</b>'",
        "document.body.insertAdjacentHTML('beforeend', '<b>x</b>')",
        "document.createElement('script').text = '1'",
        "document.createElement('iframe').srcdoc = '<b>x</b>'",
        "new DOMParser().parseFromString('<b>x</b>', 'text/html')",
        "trustedTypes.createPolicy('any', { createHTML: (text) => text })",
    )
    async with start_fake_server() as sprout:
        sprout.add_run(a_row("r1", "completed"))
        async with open_page(browser, sprout.url, allow=("requires 'Trusted", "policy")) as page:
            for sink in sinks:
                with pytest.raises(Error, match=r"TypeError|TrustedHTML|TrustedScript|disallowed"):
                    await page.evaluate(f"() => {{ {sink}; return 'taken'; }}")


async def test_X4_every_text_of_the_corpus_is_harmless_while_it_comes_in_and_when_it_is_whole(
    browser: Browser,
) -> None:
    async with start_fake_server() as sprout:
        sprout.add_run(a_row("r1", "completed"))
        async with (
            open_page(browser, f"{sprout.url}/paths/path", allow=BEHIND_GLASS) as page,
            watched(page) as (watch, texts),
        ):
            await page.reload()
            await page.locator("main h1").first.wait_for()
            await page.evaluate(GROW, [texts, 7])
            await _harmless(watch, "growing")


async def test_X1_what_agents_think_say_and_do_is_only_text_also_cut_in_pieces(browser: Browser) -> None:
    async with start_fake_server() as sprout:
        sprout.add_run(a_row("r1", offers=["cancel"]))
        async with open_page(browser, f"{sprout.url}/paths/path") as page, watched(page) as (watch, texts):
            await page.reload()
            await page.get_by_role("button", name="Stop").wait_for()
            for kind in ("thinking", "message", "agent_reasoning"):
                block = {"agent": "topic", "blockId": kind}
                for text in texts:
                    for half in (text[: len(text) // 2], text[len(text) // 2 :]):
                        sprout.publish_ephemeral("r1", f"{kind}_delta", text=half, **block)
                sprout.publish("r1", kind, text="\n".join(texts), **block)
            for n in range(0, len(texts), SHARE):
                call = {"agent": "topic", "callId": f"c{n}", "tool": "save_concept"}
                sprout.publish("r1", "tool_call", input={"title": " ".join(texts[n : n + SHARE])}, **call)
                sprout.publish(
                    "r1",
                    "tool_result",
                    summary=" ".join(texts[n : n + SHARE]),
                    ok=True,
                    durationMs=1,
                    attempts=1,
                    **call,
                )
            sprout.ask_learner(
                "r1", a_question("question", "\n".join(texts), [f"onerror= {text}"[:200] for text in texts[:SHARE]])
            )
            await expect(page.locator("main")).to_contain_text("onerror=")
            await _harmless(watch, "agents")
            await page.goto(f"{sprout.url}/runs/r1")
            await page.get_by_role("region", name="What to do with this run").wait_for()
            await _harmless(watch, "handoff")


async def test_X1_a_hostile_diagnostic_with_its_results_and_changes_is_only_text(
    browser: Browser, tmp_path: Path, bayes_url: str
) -> None:
    async with (
        open_course(tmp_path, bayes_url) as taught,
        open_page(browser, taught.diagnostic(COUNTS), allow=BEHIND_GLASS) as page,
        watched(page) as (watch, texts),
    ):
        poisoned = HostileTexts(texts, FEW)
        await poison_responses(page, poisoned)
        await page.reload()
        await page.get_by_role("radio").first.wait_for()
        await _harmless(watch, "question")
        await page.unroute_all()
        await page.reload()
        await page.locator("#asked").wait_for()
        slips = {"bicycle": "5", "over 60": "2000", "headline": " ".join(texts)[:4000]}
        while await page.locator("#asked").count():
            prompt = await page.locator("#asked").inner_text()
            slip = next((words for word, words in slips.items() if word in prompt), None)
            await answer_diagnostic(page, slip or right_answer(prompt))
        await expect(page.locator(".changes li").first).to_be_visible()
        await _harmless(watch, "own-words")
        await poison_responses(page, poisoned)
        await page.reload()
        await expect(page.locator(".changes li").first).to_be_visible()
        await _harmless(watch, "results")


async def test_X1_a_hostile_tutor_is_only_text_in_words_questions_options_cards_and_marks(
    browser: Browser, tmp_path: Path, bayes_url: str
) -> None:
    async with (
        open_course(tmp_path, bayes_url) as taught,
        open_page(browser, taught.lesson(TREE), allow=BEHIND_GLASS) as page,
        watched(page) as (watch, texts),
    ):
        await page.reload()
        for _ in range(2):
            await submit_answer(page, right_answer(await wait_for_question(page)))
        message_count = await said(page).count()
        await page.locator("#answer").fill(" ".join(texts)[:2000])
        await checkpoint(page).get_by_role("button", name="Answer").click()
        await wait_for_tutor(page, message_count)
        await _harmless(watch, "comparison")
        await compare(checkpoint(page), "Not yet")
        await wait_for_question(page)
        await page.locator("#side").fill(" ".join(texts)[2000:3500])
        await page.get_by_role("button", name="Ask", exact=True).click()
        await expect(page.locator(".notes .say")).to_have_count(1)
        await wait_for_question(page)
        await _harmless(watch, "own-answer")
        await poison_responses(page, HostileTexts(texts, FEW))
        await page.reload()
        await wait_for_question(page)
        await _harmless(watch, "tutor")


async def test_X1_hostile_words_about_a_node_are_only_text_on_the_path_and_at_home(
    browser: Browser, tmp_path: Path, bayes_url: str
) -> None:
    async with (
        open_course(tmp_path, bayes_url) as taught,
        open_page(browser, taught.path, allow=BEHIND_GLASS) as page,
        watched(page) as (watch, texts),
    ):
        await poison_responses(page, HostileTexts(texts, FEW))
        await page.goto(f"{taught.path}/concepts/{taught.node(PER_CENT)['parentId']}")
        await page.locator(".side h2").first.wait_for()
        await _harmless(watch, "concept")
        await page.goto(taught.server.url)
        await expect(page.locator("main")).to_contain_text("onerror=")
        await _harmless(watch, "home")
