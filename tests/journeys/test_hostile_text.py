"""Whatever a model, a document or a learner writes is text on the page: nothing of it runs, loads or leads astray."""

import json
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, Page, Route, expect

from tests.browser import open_page
from tests.journeys.learner import answer, checkpoint, diagnosed, question, right, school, silent
from tests.journeys.screen import picture

COUNTS, PER_CENT = "Turning percentages into counts of people", "A percentage is a count out of a hundred"
TREE = "Drawing the splits as a tree"
# Each would say so in `window.ran` if it ran. The page's policy would stop some of them: that is the second fence.
ATTACKS = (
    '<img src="/nothing" onerror="ran.push(1)">',
    "<script>ran.push(2)</script>",
    '<svg onload="ran.push(3)"><circle r="9"/></svg>',
    '<iframe srcdoc="<script>parent.ran.push(4)</script>"></iframe>',
    "[a link](javascript:ran.push(5))",
    "[another](JaVaScRiPt&colon;ran.push(6)) [third](java\tscript:ran.push(7)) <javascript:ran.push(8)>",
    "[data](data:text/html,<script>opener.ran.push(9)</script>) [twice](//evil.example/x)",
    "![a picture](javascript:ran.push(10)) ![one](https://evil.example/x.png)",
    "[by name][r]\n\n[r]: javascript:ran.push(11)",
    '<a href="javascript:ran.push(12)" onclick="ran.push(13)">raw</a>',
    "`<b onmouseover=ran.push(14)>` **<i onclick=ran.push(15)>bold</i>** | <u> | x |",
    "```html\n<img src=x onerror=ran.push(16)>\n```",
    "</textarea></script></style></title><img src=x onerror=ran.push(17)>",
    '" autofocus onfocus="ran.push(18)" x="',
)
ALL = "\n\n".join(ATTACKS)
LISTEN = "window.ran = [];"
TEXTS = frozenset(
    {"title", "desc", "reason", "prompt", "content", "message", "feedback", "label", "span", "nextStep", "body", "text"}
    | {"answerText", "selectedOption", "says", "error"}
)
FOUND = """() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const bad = all("main :is(img, script, iframe, object, embed, base, form[action], meta, style)");
  const wired = all("main *").filter((each) => [...each.attributes].some(({ name }) => name.startsWith("on")));
  const links = all("main a[href]").filter(({ href }) => !/^https?:/.test(href) || href.includes("evil.example"));
  return { ran: window.ran, bad: [...bad, ...wired, ...links].map((each) => each.outerHTML) };
}"""


def hostile(value: Any) -> Any:
    """What the server said, with the attacks behind every text in it."""
    match value:
        case list():
            return [hostile(each) for each in value]
        case dict():
            return {name: _poisoned(name, each) for name, each in value.items()}
    return value


def _poisoned(name: str, value: Any) -> Any:
    if isinstance(value, str) and name in TEXTS:
        return _before_the_question(value)
    if name == "options" and value:  # a list, or one as a string of JSON
        return json.dumps(_each(json.loads(value))) if isinstance(value, str) else _each(value)
    if name == "plan":
        return _each(value)
    return hostile(value)


def _before_the_question(text: str) -> str:
    """The attacks behind the text, and in a tutor's message before its question as well."""
    head, mark, tail = text.partition("\n\nQuestion Type:")
    return f"{head}\n\n{ALL}{mark}{tail}" + (f"\n\n{ALL}" if mark else "")


def _each(values: list[str]) -> list[str]:
    return [f"{value} {ALL}" for value in values]


async def poison(page: Page) -> None:
    """From now on every answer of the API to this page is hostile, but the stream."""

    async def answered(route: Route) -> None:
        response = await route.fetch()
        is_json = "json" in response.headers.get("content-type", "")
        if is_json:
            await route.fulfill(response=response, json=hostile(await response.json()))
        else:
            await route.fulfill(response=response)

    await page.route(lambda url: "/api/" in url and "/events" not in url, answered)


async def _harmless(page: Page, name: str) -> None:
    """Assert that nothing ran, and that nothing in the content could run or load anything if it were touched."""
    await picture(page, f"hostile-{name}")
    for summary in await page.locator("main summary").all():
        await summary.click()
    found = await page.evaluate(FOUND)
    assert found == {"ran": [], "bad": []}
    await expect(page.get_by_text("onerror").first).to_be_visible()  # the words themselves are there to read


async def test_the_detector_detects(browser: Browser) -> None:
    page = await browser.new_page()
    await page.set_content(f"<script>{LISTEN}</script><main><img src=/x onerror='ran.push(1)'>{ATTACKS[9]}</main>")
    await page.wait_for_function("window.ran.length")
    await page.get_by_text("raw").click()
    found = await page.evaluate(FOUND)
    assert 1 in found["ran"]
    assert 13 in found["ran"]
    assert len(found["bad"]) == 4  # the picture and the link, each for what it is and for its handler
    await page.close()


async def test_H1_a_hostile_diagnostic_with_its_results_and_changes_is_only_text(
    browser: Browser, tmp_path: Path, bayes_url: str
) -> None:
    async with school(tmp_path, bayes_url) as taught, open_page(browser, taught.diagnostic(COUNTS)) as page:
        await page.context.add_init_script(LISTEN)
        await poison(page)
        await page.reload()
        await page.get_by_role("radio").first.wait_for()
        await _harmless(page, "question")
        await page.unroute_all()
        await page.reload()
        await page.locator("#asked").wait_for()
        slips = {"bicycle": "5", "over 60": "2000", "headline": ALL[:4000]}
        while await page.locator("#asked").count():
            prompt = await page.locator("#asked").inner_text()
            slip = next((words for word, words in slips.items() if word in prompt), None)
            await diagnosed(page, slip or right(prompt))
        await expect(page.locator(".changes li").first).to_be_visible()
        await _harmless(page, "own-words")
        await poison(page)
        await page.reload()
        await expect(page.locator(".changes li").first).to_be_visible()
        await _harmless(page, "results")


async def test_H1_a_hostile_tutor_is_only_text_in_words_questions_options_cards_and_marks(
    browser: Browser, tmp_path: Path, bayes_url: str
) -> None:
    async with school(tmp_path, bayes_url) as taught, open_page(browser, taught.lesson(TREE)) as page:
        await page.context.add_init_script(LISTEN)
        await question(page)
        await poison(page)
        await page.reload()
        await question(page)
        await _harmless(page, "choice")
        await page.unroute_all()
        await page.reload()
        await answer(page, right(await question(page)))
        said = await page.locator(".msg").count()
        await page.locator("#answer").fill(ALL[:2000])
        await checkpoint(page).get_by_role("button", name="Answer").click()
        await silent(page, said)
        await page.locator("#side").fill(ALL[:1500])
        await page.get_by_role("button", name="Ask", exact=True).click()
        await expect(page.locator(".notes .say")).to_have_count(1)
        await question(page)
        await _harmless(page, "own-answer")
        await poison(page)
        await page.reload()
        await question(page)
        await _harmless(page, "drawing")


async def test_H1_hostile_words_about_a_node_are_only_text_on_the_path(
    browser: Browser, tmp_path: Path, bayes_url: str
) -> None:
    async with school(tmp_path, bayes_url) as taught, open_page(browser, taught.path) as page:
        await page.context.add_init_script(LISTEN)
        await poison(page)
        await page.goto(f"{taught.path}/concepts/{taught.node(PER_CENT)['parentId']}")
        await page.locator(".side h2").first.wait_for()
        await _harmless(page, "concept")
