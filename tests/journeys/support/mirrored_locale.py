"""A language from right to left that nobody speaks: the English catalogues in Arabic letters, for tests."""

import re

from playwright.async_api import Page, Route

TAG = "ar-XB"
PAGE = re.compile(r"^https?://[^/]+/(?!api/|static/)[^?]*$")
CATALOGUE = re.compile(rf"/i18n/{TAG}(\.\w+)?\.js$")
LETTERS = "ابتثجحخدذرزسشصضطظعغفقكلمنه"
PLURAL_FORMS = 6
MODULE = """import en from "./en%(part)s.js";
const letters = [..."%(letters)s"];
const letter = (latin) => letters[latin.toLowerCase().charCodeAt(0) - 97];
const turned = (form) => form.replace(/\\{\\w+\\}|[a-z]/gi, (found) => found[1] ? found : letter(found));
const forms = (sentence) => sentence.includes("|") ? Array(%(forms)d).fill(sentence.split("|")[1]).join("|") : sentence;
export default Object.fromEntries(Object.entries(en).map(([key, sentence]) => [key, turned(forms(sentence))]));
"""


async def use_mirrored_locale(page: Page) -> None:
    """Load the page anew in that language, and from now on every page of its tab."""
    await page.route(PAGE, _serve_page)
    await page.route(CATALOGUE, _serve_catalogue)
    await page.evaluate("(tag) => localStorage.setItem('sprout.language', tag)", TAG)
    await page.reload()


async def _serve_page(route: Route) -> None:
    """The page, with one language more to choose from."""
    answer = await route.fetch()
    body = re.sub(r'data-languages="([^"]+)"', rf'data-languages="\1 {TAG}"', await answer.text())
    await route.fulfill(response=answer, body=body)


async def _serve_catalogue(route: Route) -> None:
    found = CATALOGUE.search(route.request.url)
    part = (found and found[1]) or ""
    body = MODULE % {"part": part, "letters": LETTERS, "forms": PLURAL_FORMS}
    await route.fulfill(body=body, content_type="text/javascript; charset=utf-8")
