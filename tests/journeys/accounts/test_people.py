"""People page of owners in a browser: accounts, links shown once, roles, and the security log."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from harness.browser import open_page
from harness.servers.signed_in import PASSWORD, SignInServer, serving_sign_in
from sprout.accounts.principal import AccountRole
from tests.journeys.support import axe

EXPECTED = ("Failed to load resource",)  # the 401 of one who is not signed in, the 403 of one who is no owner


@pytest.fixture
async def server(tmp_path: Path, sqlite_url: str) -> AsyncIterator[SignInServer]:
    async with serving_sign_in(tmp_path, sqlite_url) as server:
        await server.add_person("olga", AccountRole.OWNER)
        await server.add_person("anna")
        yield server


async def test_an_owner_invites_changes_and_disables_people_and_reads_the_log(
    browser: Browser, server: SignInServer
) -> None:
    async with open_page(browser, f"{server.origin}/settings", allow=EXPECTED) as page:
        await page.get_by_label("Name", exact=True).fill("olga")
        await page.get_by_label("Password").fill(PASSWORD)
        await page.get_by_role("button", name="Sign in", exact=True).click()
        await page.get_by_role("link", name="Manage people").click()
        accounts = page.get_by_role("region", name="Accounts")
        await expect(accounts.get_by_text("The only owner keeps their rights")).to_be_visible()
        await expect(accounts.get_by_label("Role of olga")).to_have_count(0)

        new = page.get_by_role("region", name="New account")
        await new.get_by_label("Name to sign in with").fill("ANNA")
        await new.get_by_role("button", name="Create the account").click()
        await expect(new.get_by_role("alert")).to_contain_text("Another account has this name")
        await new.get_by_label("Name to sign in with").fill("carla")
        await new.get_by_label("Name to show").fill("Carla Brandt")
        await new.get_by_label("Role").select_option("teacher")
        await new.get_by_role("button", name="Create the account").click()
        link = await new.get_by_label("Link for Carla Brandt").input_value()
        assert link.startswith(f"{server.origin}/password#")
        await axe.assert_accessible(page, "people")

        await page.get_by_label("Search by name").fill("brandt")
        await expect(accounts.get_by_role("listitem")).to_have_count(1)
        await accounts.get_by_label("Role of Carla Brandt").select_option("owner")
        await accounts.get_by_role("button", name="Save the role of Carla Brandt").click()
        await expect(accounts.get_by_role("status").filter(has_text="Carla Brandt: Owner.")).to_be_visible()
        await page.get_by_label("Search by name").fill("")
        await accounts.get_by_role("button", name="Disable anna").click()
        await expect(accounts.get_by_role("button", name="Enable anna")).to_be_focused()
        refused = await (await server.browser()).post("/api/sign-in", json={"name": "anna", "password": PASSWORD})
        assert refused.status_code == 401

        await page.reload()
        log = page.get_by_role("region", name="Security log")
        await expect(log.get_by_text("anna was disabled")).to_be_visible()
        await expect(log.get_by_role("link", name="Download as a table (CSV)")).to_have_attribute(
            "href", "/api/security-log.csv"
        )
    async with open_page(browser, link, allow=EXPECTED) as page:
        await page.get_by_label("New password").fill(PASSWORD)
        await page.get_by_role("button", name="Set the password and sign in").click()
        await expect(page.get_by_role("link", name="Progress")).to_be_visible()


async def test_the_page_of_people_is_for_owners(browser: Browser, server: SignInServer) -> None:
    async with open_page(browser, f"{server.origin}/people", locale="de-DE", allow=EXPECTED) as page:
        await page.get_by_label("Name", exact=True).fill("anna")
        await page.get_by_label("Passwort").fill(PASSWORD)
        await page.get_by_role("button", name="Anmelden", exact=True).click()
        await expect(page.get_by_role("alert")).to_be_visible()
        await expect(page.get_by_role("region")).to_have_count(0)
