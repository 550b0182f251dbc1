"""Questions of a file on a concept's page: chosen, added, and what was left out with its reason (O2)."""

from pathlib import Path

from playwright.async_api import Browser, FilePayload, expect

from harness.browser import PHONE, open_page
from harness.journeys.sprout_server import QUICK_PACE, start_server
from sprout.yaml_loader import load_yaml
from tests.journeys.support.axe import violations
from tests.journeys.support.map_view import take_screenshot

USER = "00000000-0000-0000-0000-000000000000"
FRACTIONS = Path(__file__).parents[3] / "examples" / "fractions.yaml"
GIFT = b"""::Slices:: How many eighths make a half? {#4}

::Cake:: Which is more of the same cake? {=a third ~a quarter ~a fifth}

::Several:: Which are halves? {~%50%two quarters ~%50%three sixths ~one third}
"""


async def test_O2_questions_of_a_file_are_added_on_a_concepts_page(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    async with start_server(tmp_path, sqlite_url, pace=QUICK_PACE) as served:
        branch = (await served.post("/graphs", load_yaml(FRACTIONS.read_text(encoding="utf-8"))))["branch"]["id"]
        nodes = (await served.client.get(f"/api/branches/{branch}/graph")).json()["nodes"]
        concept = next(node for node in nodes if node["type"] == "concept")
        address = f"{served.url}/paths/{branch}/concepts/{concept['id']}"
        async with open_page(browser, address, size=PHONE, allow=("415",)) as page:
            await page.get_by_role("button", name="Add questions from a file").click()
            dialog = page.get_by_role("dialog", name=f"Add questions to “{concept['title']}”")
            await expect(dialog.get_by_role("button", name="Choose files")).to_be_visible()
            file = FilePayload(name="quiz.gift", mimeType="text/plain", buffer=GIFT)
            await dialog.locator("input[type=file]").set_input_files(file)
            said = dialog.get_by_role("status")
            await expect(said).to_contain_text("2 questions added. 1 was left out:")
            await expect(said.get_by_role("listitem")).to_contain_text("Several More than one of its options is right")
            assert await violations(page) == []
            await take_screenshot(page, "question-files")
            await dialog.locator("input[type=file]").set_input_files(file)
            await expect(said).to_contain_text("No question added. 2 were there already.")
            picture = FilePayload(name="a.png", mimeType="image/png", buffer=b"\x89PNG\r\n")
            await dialog.locator("input[type=file]").set_input_files(picture)
            await expect(dialog.get_by_role("alert")).to_contain_text("'a.png' holds no questions that can be read")
            await page.keyboard.press("Escape")
            await expect(page.get_by_role("button", name="Add questions from a file")).to_be_focused()
        found = (await served.client.get(f"/api/agents/concepts/{concept['id']}/diagnostic?userId={USER}")).json()
        answer = {"userId": USER, "questionId": found["questions"][0]["id"], "answerText": "3"}
        await served.post(f"/assessments/{found['assessment']['id']}/answers", answer)
        async with open_page(browser, f"{served.url}/progress") as page:
            async with page.expect_download() as download:
                await page.get_by_role("link", name="Questions as QTI").click()
            assert (await download.value).suggested_filename == "Fractions.qti.zip"
