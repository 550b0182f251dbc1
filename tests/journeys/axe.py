"""axe-core in a page: what it says against the page, in both themes. For tests only; unmodified, under MPL-2.0."""

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Literal

from playwright.async_api import Page

VENDOR = Path(__file__).parent / "vendor"
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
RUN = """async (scheme) => {
  const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
  const { violations } = await axe.run(document, { runOnly: tags, resultTypes: ["violations"] });
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map((node) => `${scheme}: ${id} (${help}): ${node.target.join(" ")}: ${node.failureSummary}`));
}"""


def differing() -> list[str]:
    """The vendored files that are not what their record says."""
    record = json.loads((VENDOR / "vendor.json").read_text())
    return [
        entry["file"]
        for entry in record
        if hashlib.sha256((VENDOR / entry["file"]).read_bytes()).hexdigest() != entry["sha256"]
    ]


@cache
def source() -> str:
    return (VENDOR / "axe.min.js").read_text()


async def violations(page: Page) -> list[str]:
    """One sentence per element that breaks a rule, in light and in dark."""
    found: list[str] = []
    devtools = await page.context.new_cdp_session(page)
    await devtools.send("Runtime.evaluate", {"expression": source()})  # past the page's own security policy
    for scheme in SCHEMES:
        await page.emulate_media(color_scheme=scheme)
        found += await page.evaluate(RUN, scheme)
    return found
