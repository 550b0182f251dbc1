"""Formulas, code and diagrams in what a tutor says, and code as an answer, in a real browser."""

import json
import re
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, Page, Route, expect

from harness.browser import PHONE, open_page
from harness.journeys.learner import assert_no_overflow, open_course, wait_for_question
from tests.journeys.support.map_view import OUTPUT

TREE, FUNCTIONS = "Drawing the splits as a tree", "Functions"
RICH = r"""The chance of both is \(P(A \cap B) = P(A)\,P(B \mid A)\), so for $n$ people it is about $n \cdot 0.8^2$.
A ticket costs $5 and a map $10.

$$
P(B \mid T) = \frac{P(T \mid B)\,P(B)}{\sum_{i=1}^{k} P(T \mid B_i)\,P(B_i)}
$$

```python
def posterior(prior: float, hit: float, false_alarm: float) -> float:
    # Of all alarms, the share that is right
    alarms = prior * hit + (1 - prior) * false_alarm
    return prior * hit / alarms  # "nothing" is None
```

| test | ill | well |
|---|---|---|
| positive | $80$ | $95$ |
| negative | `20` | **805** |

```mermaid
flowchart TD
  A[1000 people] -->|1 %| B[10 are ill]
  A -->|99 %| C[990 are well]
  B --> D[8 positive]
  C --> E[95 positive]
```

```sql
SELECT name, count(*) AS n FROM people WHERE age > 30 GROUP BY name; -- all
```

Not a diagram, and no formula: $\frac{1$ and

```mermaid
flowchart TD
  A[[[ --> nothing
```
"""
SVG = """<svg xmlns="http://www.w3.org/2000/svg" width="90" height="40">
<script>parent.ran = 1</script><circle r="9"/></svg>"""
CARDS = [
    {
        "id": "a",
        "kind": "diagram",
        "title": "Who asks",
        "format": "mermaid",
        "body": "sequenceDiagram\n  You->>Sprout: Why?",
    },
    {"id": "b", "kind": "diagram", "title": "A circle", "format": "svg", "body": SVG},
]
DRAWN_MS = 60_000
LOW = (1280, 680)  # low enough for the checkpoint to stand below the text


async def say(page: Page, words: str, cards: list[dict[str, Any]]) -> None:
    """From now on the tutor has said these words, and shown these cards."""

    async def answered(route: Route) -> None:
        response = await route.fetch()
        body = await response.json()
        if isinstance(body, list) and body and "content" in body[-1]:
            body[-1]["content"] = words
        elif isinstance(body, dict) and "cards" in body:
            body["cards"] = cards
        await route.fulfill(response=response, body=json.dumps(body))

    await page.route(lambda url: "/api/chat/sessions/" in url, answered)


async def _shown(page: Page) -> None:
    await expect(page.locator(".msg .katex").first).to_be_visible()
    await expect(page.locator(".msg .picture img")).to_be_visible(timeout=DRAWN_MS)
    await expect(page.locator(".msg .diagram details[open]")).to_have_count(1)
    await expect(page.locator(".msg .hl-key").first).to_be_visible()


async def test_a_tutor_writes_formulas_code_tables_and_diagrams(
    browser: Browser, tmp_path: Path, bayes_url: str
) -> None:
    async with open_course(tmp_path, bayes_url) as taught, open_page(browser, taught.lesson(TREE)) as page:
        await wait_for_question(page)
        await say(page, RICH, CARDS)
        await page.reload()
        await _shown(page)
        message = page.locator(".msg")
        assert await message.locator(".katex").count() == 6
        await expect(message).to_contain_text("A ticket costs $5 and a map $10.")
        assert await message.locator("math").count() == 6
        await expect(message.locator(".math.source")).to_have_text(r"$\frac{1$")
        await expect(message.get_by_role("img")).to_have_attribute("alt", re.compile("1000 people, 10 are ill"))
        for name, size, scheme in (("light", LOW, "light"), ("dark", LOW, "dark"), ("phone", PHONE, "light")):
            await page.set_viewport_size({"width": size[0], "height": size[1]})
            await page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
            await _shown(page)
            await assert_no_overflow(page)
            await page.screenshot(path=OUTPUT / f"rich-{name}.png", full_page=True)
        await page.set_viewport_size({"width": LOW[0], "height": LOW[1]})
        await expect(page.get_by_role("img", name="Who asks: ")).to_be_visible(timeout=DRAWN_MS)
        circle = page.get_by_role("img", name="A circle")
        assert await circle.evaluate("(image) => [image.naturalWidth, image.naturalHeight, window.ran]") == [
            90,
            40,
            None,
        ]
        await page.screenshot(path=OUTPUT / "rich-cards.png", full_page=True)


async def test_without_the_library_of_diagrams_their_source_stands_open(
    browser: Browser, tmp_path: Path, bayes_url: str
) -> None:
    async with (
        open_course(tmp_path, bayes_url) as taught,
        open_page(browser, taught.lesson(TREE), allow=("ERR_FAILED",)) as page,
    ):
        await wait_for_question(page)
        await say(page, RICH, CARDS)
        await page.route("**/vendor/mermaid.js", lambda route: route.abort())
        await page.reload()
        await expect(page.locator(".diagram details[open]")).to_have_count(3)
        await expect(page.get_by_text("This diagram couldn’t be drawn.")).to_have_count(3)
        await expect(page.locator(".diagram details[open] pre").first).to_contain_text("A[1000 people]")
