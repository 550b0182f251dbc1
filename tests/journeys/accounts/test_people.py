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


async def test_a_page_that_waits_for_somebody_to_sign_in_asks_for_its_stream_once(
    browser: Browser, server: SignInServer
) -> None:
    async with open_page(browser, server.origin, allow=EXPECTED) as page:
        await page.clock.install()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        await page.reload()
        await expect(page.get_by_role("button", name="Sign in", exact=True)).to_be_visible()
        await page.clock.fast_forward("01:00")
        await page.evaluate("fetch('/api/status')")  # anything asked for before that would have been seen
        assert sum("/api/events" in url for url in asked) == 1


async def test_the_page_of_people_is_for_owners(browser: Browser, server: SignInServer) -> None:
    async with open_page(browser, f"{server.origin}/people", locale="de-DE", allow=EXPECTED) as page:
        await page.get_by_label("Name", exact=True).fill("anna")
        await page.get_by_label("Passwort").fill(PASSWORD)
        await page.get_by_role("button", name="Anmelden", exact=True).click()
        await expect(page.get_by_role("alert")).to_be_visible()
        await expect(page.get_by_role("region")).to_have_count(0)


async def test_an_owner_sees_the_classes_of_all_teachers_on_a_phone_in_the_dark(
    browser: Browser, server: SignInServer
) -> None:
    await server.add_person("tess", AccountRole.TEACHER)
    tess, anna = await server.sign_in("tess"), await server.sign_in("anna")
    for name in ("5b", "A class with a long name that does not fit on one line of a phone"):
        made = (await tess.post("/api/classes", json={"name": name})).json()
    code = (await tess.post(f"/api/classes/{made['id']}/code", json={})).json()["code"]["code"]
    (await anna.post("/api/account/classes", json={"code": code})).raise_for_status()
    (await tess.patch(f"/api/classes/{made['id']}", json={"model": "off"})).raise_for_status()
    phone = {"size": (360, 740), "scheme": "dark", "locale": "de-DE", "allow": EXPECTED}
    async with open_page(browser, f"{server.origin}/people", **phone) as page:  # type: ignore[arg-type]
        await page.get_by_label("Name", exact=True).fill("olga")
        await page.get_by_label("Passwort").fill(PASSWORD)
        await page.get_by_label("Passwort").press("Enter")
        classes = page.get_by_role("region", name="Klassen")
        first, second = [classes.get_by_role("listitem").nth(at) for at in range(2)]
        await expect(first).to_contain_text("nutzt das Modell des Servers")
        for words in ("A class with a long name", "Lehrkraft: tess", "1 Lernende", "nutzt kein Modell", "0 Token"):
            await expect(second).to_contain_text(words)
        assert await page.evaluate("document.documentElement.scrollWidth") <= 360
        await axe.assert_accessible(page, "people with classes")
