"""Signing in and the account's settings in a browser: by keyboard, on a phone, in the dark, in both languages."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from harness.browser import PHONE, open_page
from harness.journeys.sprout_server import start_server
from harness.servers.signed_in import PASSWORD, SignInServer, serving_sign_in
from sprout.accounts.accounts import CODE_LIFETIME
from sprout.accounts.secret_values import digest_of
from sprout.accounts.security_log import TERMINAL
from sprout.clock import utc_now
from tests.journeys.support import axe
from tests.journeys.support.map_view import take_screenshot

EXPECTED = ("Failed to load resource",)  # the 401 of one who is not signed in


@pytest.fixture
async def server(tmp_path: Path, sqlite_url: str) -> AsyncIterator[SignInServer]:
    async with serving_sign_in(tmp_path, sqlite_url) as server:
        await server.add_person("anna")
        yield server


async def sign_in(page: Page, name: str = "anna") -> None:
    await page.get_by_label("Name", exact=True).fill(name)
    await page.get_by_label("Password").fill(PASSWORD)
    await page.get_by_role("button", name="Sign in", exact=True).click()


async def test_signing_in_by_keyboard_leads_to_the_page_that_was_asked_for(
    browser: Browser, server: SignInServer
) -> None:
    async with open_page(browser, f"{server.origin}/paths", allow=EXPECTED) as page:
        await expect(page.get_by_role("heading", name="Sign in, or join your class")).to_be_visible()
        await expect(page.get_by_label("Name", exact=True)).to_be_focused()
        await expect(page.get_by_role("navigation")).to_have_count(0)
        await page.keyboard.type("anna")
        await page.keyboard.press("Tab")
        await page.keyboard.type("wrong horse battery")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("alert")).to_have_text("The name or the password isn't right.")
        await expect(page.get_by_label("Password")).to_be_focused()
        await page.keyboard.press("Control+a")
        await page.keyboard.type(PASSWORD)
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("link", name="Progress")).to_be_visible()
        assert page.url == f"{server.origin}/paths"


async def test_nothing_bars_the_sign_in_in_either_theme_at_any_size(browser: Browser, server: SignInServer) -> None:
    async with open_page(browser, server.origin, allow=EXPECTED) as page:
        await expect(page.get_by_role("heading", name="Sign in, or join your class")).to_be_visible()
        await axe.assert_accessible(page, "sign-in")
        await page.get_by_label("Name", exact=True).fill("anna")
        await page.get_by_label("Password").fill("wrong horse battery")
        await page.get_by_role("button", name="Sign in", exact=True).click()
        await expect(page.get_by_role("alert")).to_be_visible()
        await axe.assert_accessible(page, "sign-in-refused")
    async with open_page(browser, server.origin, size=PHONE, scheme="dark", allow=EXPECTED) as page:
        await expect(page.get_by_role("heading", name="Sign in, or join your class")).to_be_visible()
        await take_screenshot(page, "sign-in-dark-360")


async def test_the_sign_in_speaks_german(browser: Browser, server: SignInServer) -> None:
    async with open_page(browser, server.origin, locale="de-DE", allow=EXPECTED) as page:
        await expect(page.get_by_role("heading", name="Anmelden", exact=True)).to_be_visible()
        await page.get_by_label("Name", exact=True).fill("anna")
        await page.get_by_label("Passwort").fill("wrong horse battery")
        await page.get_by_role("button", name="Anmelden").click()
        await expect(page.get_by_role("alert")).to_have_text("Der Name oder das Passwort stimmt nicht.")


async def test_the_first_owner_is_made_on_the_page_of_the_printed_address(
    browser: Browser, server: SignInServer
) -> None:
    expires_at = utc_now() + CODE_LIFETIME
    await server.accounts.passwords.issue_code(
        digest_of("a-code"), user_id=None, expires_at=expires_at, origin=TERMINAL
    )
    async with open_page(browser, f"{server.origin}/set-up#a-code", allow=EXPECTED) as page:
        async with page.expect_response(
            lambda answer: answer.status == 401
        ):  # the stream's, which changes nothing here
            await page.reload()
        await page.get_by_label("Name", exact=True).fill("olga")
        await page.get_by_label("New password").fill("password123")
        await page.get_by_role("button", name="Create the account").click()
        await expect(page.get_by_role("alert")).to_contain_text("easy to guess")
        await page.get_by_label("New password").fill(PASSWORD)
        await page.get_by_role("button", name="Create the account").click()
        await page.get_by_role("link", name="Settings").click()
        await expect(page.get_by_text("Signed in as olga")).to_be_visible()


async def test_sessions_tokens_and_the_password_are_in_the_settings(browser: Browser, server: SignInServer) -> None:
    elsewhere = await server.sign_in("anna")
    async with open_page(browser, f"{server.origin}/settings", allow=EXPECTED) as page:
        await sign_in(page)
        sessions = page.get_by_role("region", name="Where you are signed in")
        await expect(sessions.get_by_role("listitem")).to_have_count(2)
        await sessions.get_by_role("button", name="End the session of Test Browser").click()
        await expect(sessions.get_by_role("listitem")).to_have_count(1)
        assert (await elsewhere.get("/api/account")).status_code == 401

        tokens = page.get_by_role("region", name="Access tokens")
        await tokens.get_by_label("What it is for").fill("scripts")
        await tokens.get_by_role("button", name="Create a token").click()
        secret = await tokens.locator("code").inner_text()
        program = await server.with_token(secret)
        assert (await program.get("/api/account")).json()["scopes"] == ["read"]
        await axe.assert_accessible(page, "account-settings")
        await tokens.get_by_role("button", name="Revoke the token scripts").click()
        await expect(tokens.get_by_text("There are none.")).to_be_visible()
        assert (await program.get("/api/account")).status_code == 401

        account = page.get_by_role("region", name="Account", exact=True)
        await account.get_by_role("button", name="Change the password").click()
        await account.get_by_label("Old password").fill(PASSWORD)
        await account.get_by_label("New password").fill("another horse battery")
        await account.get_by_role("button", name="Save").click()
        await expect(account.get_by_role("status")).to_contain_text("signed out everywhere else")

        await account.get_by_role("button", name="Sign out").click()
        await expect(page.get_by_role("heading", name="Sign in, or join your class")).to_be_visible()
        assert await page.context.cookies() == []


async def test_a_page_whose_session_ends_elsewhere_asks_to_sign_in(browser: Browser, server: SignInServer) -> None:
    async with open_page(browser, server.origin, allow=EXPECTED) as page:
        await sign_in(page)
        await page.get_by_role("link", name="Progress").wait_for()
        elsewhere = await server.sign_in("anna")
        await elsewhere.delete("/api/account/sessions")  # the page's stream ends with it, and it asks by itself
        await expect(page.get_by_role("heading", name="Sign in, or join your class")).to_be_visible()


async def test_a_server_for_one_learner_shows_no_account(browser: Browser, tmp_path: Path, sqlite_url: str) -> None:
    async with start_server(tmp_path, sqlite_url) as sprout, open_page(browser, f"{sprout.url}/settings") as page:
        await expect(page.get_by_role("heading", name="Your data")).to_be_visible()
        await expect(page.get_by_text(re.compile("sign|Access tokens", re.IGNORECASE))).to_have_count(0)
