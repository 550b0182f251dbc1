"""A forgotten password in a browser: an address is confirmed, a link asked for and opened; by keyboard, on a phone."""

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from harness.browser import PHONE, open_page
from harness.servers.signed_in import PASSWORD, SignInServer, serving_sign_in
from harness.servers.smtp import SmtpServer, serving_smtp, smtp_settings
from tests.journeys.support import axe
from tests.journeys.support.map_view import take_screenshot

EXPECTED = ("Failed to load resource",)  # the 401 of one who is not signed in, the 410 of a link that was used
ADDRESS = "anna@school.example"
NEW_PASSWORD = "another horse battery"


@pytest.fixture
async def smtp() -> AsyncIterator[SmtpServer]:
    async with serving_smtp() as smtp:
        yield smtp


@pytest.fixture
async def server(tmp_path: Path, sqlite_url: str, smtp: SmtpServer) -> AsyncIterator[SignInServer]:
    async with serving_sign_in(tmp_path, sqlite_url, smtp=smtp_settings(smtp)) as server:
        await server.add_person("anna")
        yield server


async def link_in_mail(smtp: SmtpServer) -> str:
    mail = await asyncio.wait_for(smtp.mails.get(), 60)
    found = re.search(r"http://\S+#\S+", str(mail.get_content()))
    assert found is not None
    return found[0]


async def fits_the_screen(page: Page) -> bool:
    fits: bool = await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    return fits


async def test_a_person_confirms_an_address_forgets_the_password_and_gets_in_by_the_link(
    browser: Browser, server: SignInServer, smtp: SmtpServer
) -> None:
    async with open_page(browser, f"{server.origin}/settings", allow=EXPECTED) as page:
        await page.get_by_label("Name", exact=True).fill("anna")
        await page.get_by_label("Password").fill(PASSWORD)
        await page.keyboard.press("Enter")
        section = page.get_by_role("region", name="E-mail address")
        await expect(section.get_by_text("You have none yet.")).to_be_visible()
        await section.get_by_label("Address").fill(ADDRESS)
        await page.keyboard.press("Enter")
        await expect(section.get_by_role("status")).to_contain_text(f"A link is on its way to {ADDRESS}")
        await expect(section).to_contain_text("not confirmed yet")
        await axe.assert_accessible(page, "account-email")
        await take_screenshot(page, "account-email-1440")

        await page.goto(await link_in_mail(smtp))
        await expect(page.get_by_role("heading", name="Confirm your address")).to_be_visible()
        await axe.assert_accessible(page, "email-confirm")
        await page.get_by_role("button", name="Confirm the address").press("Enter")
        await expect(page.get_by_text("Your e-mail address is confirmed.")).to_be_focused()
        await page.goto(f"{server.origin}/settings")
        await expect(section.get_by_text(f"{ADDRESS} confirmed")).to_be_visible()
        await page.get_by_role("button", name="Sign out", exact=True).click()

        await page.get_by_role("link", name="Forgot your password?").press("Enter")
        await expect(page.get_by_role("heading", name="Forgot your password?")).to_be_visible()
        await expect(page.get_by_label("Your name to sign in, or the e-mail address")).to_be_focused()
        await axe.assert_accessible(page, "forgotten")
        await take_screenshot(page, "forgotten-1440")
        await page.keyboard.type(ADDRESS)
        await page.keyboard.press("Enter")
        await expect(page.get_by_text("a link is on its way")).to_be_focused()
        link = await link_in_mail(smtp)
        await page.goto(link)
        await expect(page.get_by_role("heading", name="Choose your password")).to_be_visible()
        await expect(page.get_by_label("New password")).to_be_focused()
        await axe.assert_accessible(page, "recover")
        await page.keyboard.type(NEW_PASSWORD)
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("link", name="Progress")).to_be_visible()
    async with open_page(browser, link, allow=EXPECTED) as page:
        await page.get_by_label("New password").fill("yet another battery")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("alert")).to_have_text(
            "This link has been used or has expired. Ask for a new one."
        )


async def test_on_a_phone_in_the_dark_and_in_german_nothing_is_cut_or_barred(
    browser: Browser, server: SignInServer, smtp: SmtpServer
) -> None:
    anna = await server.sign_in("anna")
    await anna.put("/api/account/email", json={"email": f"{'a' * 60}@school.example", "language": "de"})
    confirm = await link_in_mail(smtp)
    phone = {"size": PHONE, "scheme": "dark", "locale": "de-DE", "allow": EXPECTED}
    async with open_page(browser, f"{server.origin}/sign-in", **phone) as page:  # type: ignore[arg-type]
        await page.get_by_role("link", name="Passwort vergessen?").click()
        await expect(page.get_by_role("heading", name="Passwort vergessen?")).to_be_visible()
        await take_screenshot(page, "forgotten-dark-360")
        await page.get_by_label("Dein Anmeldename oder die E-Mail-Adresse").fill("nobody")
        await page.get_by_role("button", name="Link schicken").click()
        await expect(page.get_by_text("ist ein Link unterwegs")).to_be_visible()
        assert await fits_the_screen(page)
        await take_screenshot(page, "forgotten-sent-dark-360")
        await page.get_by_role("link", name="Zurück zur Anmeldung").click()
        await page.get_by_label("Name", exact=True).fill("anna")
        await page.get_by_label("Passwort").fill(PASSWORD)
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("link", name="Fortschritt")).to_be_visible()
        await page.goto(f"{server.origin}/settings")
        section = page.get_by_role("region", name="E-Mail-Adresse")
        await expect(section.get_by_text("noch nicht bestätigt")).to_be_visible()
        assert await fits_the_screen(page)
        await section.scroll_into_view_if_needed()
        await take_screenshot(page, "account-email-dark-360")
        await section.get_by_role("button", name="Adresse entfernen").click()
        await expect(section.get_by_text("Du hast noch keine.")).to_be_visible()
        await expect(section.get_by_role("heading")).to_be_focused()
        await page.goto(confirm)
        await page.get_by_role("button", name="Adresse bestätigen").click()
        await expect(page.get_by_role("alert")).to_have_text(
            "Dieser Link wurde schon benutzt oder ist abgelaufen. Bitte um einen neuen."
        )
        assert await fits_the_screen(page)
        await take_screenshot(page, "email-confirm-dark-360")
        await axe.assert_accessible(page, "email-confirm-refused")
