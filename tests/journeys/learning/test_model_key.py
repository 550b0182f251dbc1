"""Model key in the settings: entered, replaced and removed by keyboard, on a phone too, and never seen again."""

from pathlib import Path
from typing import Literal

import pytest
from playwright.async_api import Browser, Page, expect

from harness.browser import DESKTOP, PHONE, open_page
from harness.journeys.learner import assert_no_overflow
from harness.journeys.sprout_server import start_server
from harness.services import SCALED
from tests.journeys.support import axe
from tests.journeys.support.map_view import take_screenshot

KEY = "sk-ant-zebrafinch"
TARGET_PX = 44


@pytest.mark.skipif(SCALED, reason="processes that share the work keep no key")
async def test_a_key_is_entered_and_removed_in_the_settings_by_keyboard(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    async with (
        start_server(tmp_path, sqlite_url, base_url=None, api_key=None) as grown,
        open_page(browser, f"{grown.url}/settings") as page,
    ):
        model = page.get_by_role("region", name="Model")
        field = model.get_by_label("API key")
        await expect(field).to_have_attribute("type", "password")
        await expect(model).to_contain_text("kept in the data folder of this server")
        await expect(model.get_by_role("button", name="Remove the key")).to_have_count(0)
        await field.focus()
        await page.keyboard.type(f" {KEY} ")
        await page.keyboard.press("Enter")
        await expect(model.get_by_role("status")).to_have_text("Saved. Restart Sprout to use it.")
        await expect(field).to_have_value("")
        assert (tmp_path / "model-key").read_text() == KEY
        await page.reload()
        await expect(model.get_by_role("status")).to_have_text("Saved. Restart Sprout to use it.")
        assert KEY not in await page.content()
        await axe.assert_accessible(page, "settings-model-key")
        await field.focus()
        await page.keyboard.press("Tab")
        await expect(model.get_by_role("button", name="Replace the key")).to_be_focused()
        await page.keyboard.press("Tab")
        await expect(model.get_by_role("button", name="Remove the key")).to_be_focused()
        await page.keyboard.press("Enter")
        await expect(field).to_be_focused()
        await expect(model.get_by_role("status")).to_have_text("")
        assert not (tmp_path / "model-key").exists()


@pytest.mark.skipif(SCALED, reason="processes that share the work keep no key")
async def test_what_can_be_no_key_is_said_and_stays_to_be_mended(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    async with (
        start_server(tmp_path, sqlite_url, base_url=None, api_key=None) as grown,
        open_page(browser, f"{grown.url}/settings", locale="de-DE", allow=("400",)) as page,
    ):
        model = page.get_by_role("region", name="Modell", exact=True)
        await model.get_by_label("API-Schlüssel").fill("zwei Wörter")
        await page.keyboard.press("Enter")
        await expect(model.get_by_role("alert")).to_contain_text("ohne Leerzeichen")
        await expect(model.get_by_label("API-Schlüssel")).to_have_value("zwei Wörter")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.skipif(SCALED, reason="processes that share the work keep no key")
async def test_the_key_fits_on_every_screen(
    size: tuple[int, int], scheme: Literal["light", "dark"], browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    async with (
        start_server(tmp_path, sqlite_url, base_url=None, api_key=None) as grown,
        open_page(browser, f"{grown.url}/settings", size=size, scheme=scheme, locale="de-DE") as page,
    ):
        assert (await grown.client.put("/api/model-key", json={"key": KEY})).status_code == 204
        await page.reload()
        await page.get_by_role("button", name="Schlüssel entfernen").scroll_into_view_if_needed()
        await take_screenshot(page, f"model-key-{size[0]}-{scheme}")
        await assert_no_overflow(page)
        if size == PHONE:
            assert [height for height in await heights(page) if height < TARGET_PX] == []
        await axe.assert_accessible(page, f"model-key-{size[0]}-{scheme}")


async def heights(page: Page) -> list[float]:
    """Of the field and the buttons, in CSS pixels."""
    boxes = [await one.bounding_box() for one in await page.locator(".st-token input, .st-token .btn").all()]
    assert len(boxes) == 3
    return [box["height"] for box in boxes if box is not None]
