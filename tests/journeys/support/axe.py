"""Accessibility of a page: axe-core's findings in both themes, wide and narrow, and sideways scrolling.

axe-core is there for tests only; unmodified, under MPL-2.0.
"""

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Literal

from playwright.async_api import Page

from harness.browser import DESKTOP, PHONE
from harness.journeys.learner import assert_no_overflow
from tests.journeys.support.map_view import take_screenshot

ZOOMED = (DESKTOP[0] // 2, DESKTOP[1] // 2)
"""A desktop at 200 %."""
NARROWEST = (320, PHONE[1])
VENDOR = Path(__file__).parent / "vendor"
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
RUN = """async (scheme) => {
  const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
  const rules = { "target-size": { enabled: true } };
  const { violations } = await axe.run(document, { runOnly: tags, rules, resultTypes: ["violations"] });
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map((node) => `${scheme}: ${id} (${help}): ${node.target.join(" ")}: ${node.failureSummary}`));
}"""


def changed_files() -> list[str]:
    """The vendored files that are not what their record says."""
    record = json.loads((VENDOR / "vendor.json").read_text())
    return [
        entry["file"]
        for entry in record
        if hashlib.sha256((VENDOR / entry["file"]).read_bytes()).hexdigest() != entry["sha256"]
    ]


@cache
def axe_source() -> str:
    return (VENDOR / "axe.min.js").read_text()


async def violations(page: Page) -> list[str]:
    """One sentence per element that breaks a rule, in light and in dark, once the screen has its heading."""
    await page.get_by_role("heading", level=1).first.wait_for(state="attached")
    found: list[str] = []
    devtools = await page.context.new_cdp_session(page)
    await devtools.send("Runtime.evaluate", {"expression": axe_source()})  # past the page's own security policy
    for scheme in SCHEMES:
        await page.emulate_media(color_scheme=scheme)
        found += await page.evaluate(RUN, scheme)
    return found


async def assert_accessible(page: Page, name: str) -> None:
    """Assert that nothing bars this state: by axe on a desktop and a phone, sideways at every size. Takes pictures."""
    found: list[str] = []
    for size in (DESKTOP, PHONE):
        await _resize(page, size)
        found += [f"{size[0]} px: {each}" for each in await violations(page)]
        await take_screenshot(page, f"axe-{name}-{size[0]}")
        await page.emulate_media(color_scheme="light")
        await assert_no_overflow(page)
    for size in (ZOOMED, NARROWEST):
        await _resize(page, size)
        await assert_no_overflow(page)
    await _resize(page, DESKTOP)
    assert not found, "\n".join(found)


async def _resize(page: Page, size: tuple[int, int]) -> None:
    await page.set_viewport_size({"width": size[0], "height": size[1]})
