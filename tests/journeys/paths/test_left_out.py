"""What a path left out of its notes: folded by default, read where it stands, and brought in by a click."""

from pathlib import Path

from playwright.async_api import Browser, expect

from harness.browser import PHONE, open_page
from harness.journeys.sprout_server import QUICK_PACE, start_server
from tests.journeys.support.axe import violations
from tests.journeys.support.map_view import take_screenshot

USER = "00000000-0000-0000-0000-000000000000"
NOTES = """# Light

Light is a wave and a particle. A ray is the path that light takes from one place to another. Light goes slower in water
than in air, and slower in glass than in water. The speed of light in empty space is the same for everybody who measures
it, whatever they do. A shadow is the place that light from a lamp does not reach.

# Mirrors

A mirror is a surface that throws light back. The normal is a line at right angles to the mirror. The angle of incidence
is the angle between the ray and the normal. The image in a flat mirror stands as far behind it as the object in front.

# Exercises

1. What is a mirror?
2. What is a shadow?
"""


async def test_S1_a_section_that_was_left_out_is_read_in_its_document_and_brought_in_by_a_click(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    async with start_server(tmp_path, sqlite_url, pace=QUICK_PACE) as grown:
        branch = (await grown.post("/branches", {"title": "Light", "userId": USER}))["id"]
        root = (await grown.post("/nodes", {"userId": USER, "type": "root", "title": "Light", "branchId": branch}))[
            "id"
        ]
        files = [("files", ("notes.md", NOTES.encode(), "text/markdown"))]
        (await grown.client.post(f"/api/nodes/{root}/documents", files=files)).raise_for_status()
        run = await grown.post(f"/agents/topics/{root}/run?wait=false", {"userId": USER})
        await grown.events_of(run["id"])
        async with open_page(browser, f"{grown.url}/paths/{branch}", size=PHONE) as page:
            left_out = page.locator(".left-out")
            await expect(left_out.get_by_role("listitem")).to_be_hidden()
            await left_out.get_by_text("Left out of this path: 1 section").click()
            row = left_out.get_by_role("listitem")
            await expect(row).to_contain_text("Exercises")
            assert await violations(page) == []
            await row.get_by_role("button", name="Read Exercises in the document").click()
            reader = page.get_by_role("dialog", name="notes.md")
            await expect(reader.locator("[aria-current]")).to_contain_text("What is a mirror?")
            await page.keyboard.press("Escape")
            await take_screenshot(page, "left-out")

            await row.get_by_role("button", name="Bring it in: Exercises").click()
            await expect(left_out.get_by_role("status")).to_contain_text("Exercises is on your path now.")
            await expect(left_out.get_by_role("listitem")).to_have_count(0)
            concept = next(one for one in (await grown.graph())["nodes"] if one["title"] == "Exercises")
            assert concept["desc"] == "In your notes: Exercises"
            await grown.events_of((await grown.last_run())["id"])
            assert await grown.get(f"/nodes/{concept['id']}/children")
            await left_out.get_by_role("link", name="Open it").click()
            await expect(page.get_by_role("heading", name="Exercises", level=1)).to_be_visible()
