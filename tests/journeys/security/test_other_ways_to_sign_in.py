"""Passkeys and an OpenID provider in a real browser, with Chromium's virtual authenticator, in both languages."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, CDPSession, Page, Route, expect

from harness.browser import PHONE, open_page
from harness.servers.signed_in import PASSWORD, SignInServer, serving_sign_in
from harness.sign_in.openid_provider import OpenIdProvider, oidc_settings, serving_provider
from sprout.accounts.accounts import CODE_LIFETIME, NewAccount
from sprout.accounts.principal import AccountRole
from sprout.accounts.secret_values import digest_of
from sprout.accounts.security_log import TERMINAL
from sprout.clock import utc_now
from tests.journeys.support import axe
from tests.journeys.support.map_view import take_screenshot

EXPECTED = ("Failed to load resource",)  # the 401 of one who is not signed in


@pytest.fixture
async def provider() -> AsyncIterator[OpenIdProvider]:
    async with serving_provider() as provider:
        yield provider


@pytest.fixture
async def server(tmp_path: Path, sqlite_url: str, provider: OpenIdProvider) -> AsyncIterator[SignInServer]:
    methods = "password,passkey,oidc"
    async with serving_sign_in(tmp_path, sqlite_url, methods=methods, oidc=oidc_settings(provider)) as server:
        await server.add_person("anna")
        yield server


async def with_authenticator(page: Page) -> CDPSession:
    """Give the page a device with a finger that fits."""
    session = await page.context.new_cdp_session(page)
    await session.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    await session.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    return session


async def sign_in(page: Page) -> None:
    await page.get_by_label("Name", exact=True).fill("anna")
    await page.get_by_label("Password").fill(PASSWORD)
    await page.get_by_role("button", name="Sign in", exact=True).click()


async def sign_out(page: Page) -> None:
    await page.get_by_role("button", name="Sign out", exact=True).click()
    await expect(page.get_by_role("heading", name="Sign in", exact=True)).to_be_visible()


async def to_settings(page: Page) -> None:
    await page.get_by_role("link", name="Settings").click()
    await expect(page.get_by_text("Signed in as anna")).to_be_visible()


async def test_a_passkey_is_added_signs_in_alone_and_after_the_password_and_is_removed(
    browser: Browser, server: SignInServer
) -> None:
    async with open_page(browser, f"{server.origin}/settings", allow=EXPECTED) as page:
        await with_authenticator(page)
        await sign_in(page)
        passkeys = page.get_by_role("region", name="Passkeys")
        await expect(passkeys.get_by_text("You have none yet.")).to_be_visible()
        await expect(passkeys.get_by_role("checkbox")).to_have_count(0)
        await passkeys.get_by_label("Name, such as").fill("My laptop")
        await passkeys.get_by_role("button", name="Add a passkey").click()
        await expect(passkeys.get_by_role("listitem")).to_contain_text("My laptop Never used")
        await axe.assert_accessible(page, "passkeys")

        await sign_out(page)
        await axe.assert_accessible(page, "sign-in-other-ways")
        await page.get_by_role("button", name="Use a passkey").click()
        await to_settings(page)
        await expect(passkeys.get_by_role("listitem")).to_contain_text("Last used")

        await passkeys.get_by_role("checkbox").click()
        await expect(passkeys.get_by_role("checkbox")).to_be_checked()
        await passkeys.get_by_role("button", name="Remove the passkey My laptop").click()
        await expect(passkeys.get_by_role("alert")).to_contain_text("needs a passkey")
        await sign_out(page)
        await sign_in(page)  # the authenticator answers by itself
        await to_settings(page)
        await expect(passkeys.get_by_role("checkbox")).to_be_checked()
        await passkeys.get_by_role("checkbox").click()
        await expect(passkeys.get_by_role("checkbox")).not_to_be_checked()
        await passkeys.get_by_role("button", name="Remove the passkey My laptop").click()
        await expect(passkeys.get_by_text("You have none yet.")).to_be_visible()


async def test_no_passkey_is_removed_while_the_password_begins_to_need_it(
    browser: Browser, server: SignInServer
) -> None:
    async with open_page(browser, f"{server.origin}/settings", allow=EXPECTED) as page:
        await with_authenticator(page)
        await sign_in(page)
        passkeys = page.get_by_role("region", name="Passkeys")
        await passkeys.get_by_label("Name, such as").fill("My laptop")
        await passkeys.get_by_role("button", name="Add a passkey").click()
        remove = passkeys.get_by_role("button", name="Remove the passkey My laptop")

        async def hold(route: Route) -> None:
            await expect(remove).to_be_disabled()
            await remove.dispatch_event("click")
            await route.continue_()

        await page.route("**/api/account/second-factor", hold)
        await passkeys.get_by_role("checkbox").click()
        await expect(remove).to_be_enabled()
        await expect(passkeys.get_by_role("checkbox")).to_be_checked()
        await remove.click()
        await expect(passkeys.get_by_role("alert")).to_contain_text("needs a passkey")


async def test_the_password_alone_is_not_enough_for_one_who_has_chosen_so(
    browser: Browser, server: SignInServer
) -> None:
    async with open_page(browser, f"{server.origin}/settings", allow=EXPECTED) as page:
        session = await with_authenticator(page)
        await sign_in(page)
        passkeys = page.get_by_role("region", name="Passkeys")
        await passkeys.get_by_label("Name, such as").fill("My laptop")
        await passkeys.get_by_role("button", name="Add a passkey").click()
        async with page.expect_response("**/api/account/second-factor"):
            await passkeys.get_by_role("checkbox").click()
        await sign_out(page)
        await session.send("WebAuthn.disable")
        await session.send("WebAuthn.enable")  # another device, without the passkey
        await with_authenticator(page)
        await sign_in(page)
        await expect(page.get_by_role("alert")).to_contain_text("Your password is right")
        assert (await page.request.get(f"{server.origin}/api/account")).status == 401


async def test_a_link_lets_its_person_choose_a_passkey_in_german(browser: Browser, server: SignInServer) -> None:
    new = NewAccount("carl", "carl", AccountRole.LEARNER)
    carl = (await server.accounts.accounts.create(new, origin=TERMINAL)).user_id
    await server.accounts.passwords.issue_code(
        digest_of("a-code"), user_id=carl, expires_at=utc_now() + CODE_LIFETIME, origin=TERMINAL
    )
    async with open_page(browser, f"{server.origin}/password#a-code", locale="de-DE", allow=EXPECTED) as page:
        await with_authenticator(page)
        await expect(page.get_by_role("heading", name="Wähle, wie du dich anmeldest")).to_be_visible()
        await axe.assert_accessible(page, "link-other-ways")
        await page.get_by_role("button", name="Passkey anlegen").click()
        await page.get_by_role("link", name="Einstellungen").click()
        await expect(page.get_by_role("region", name="Passkeys").get_by_role("listitem")).to_contain_text(
            "Erster Passkey"
        )


async def test_the_first_owner_without_passwords_has_a_passkey(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    async with serving_sign_in(tmp_path, sqlite_url, methods="passkey") as server:
        await server.accounts.passwords.issue_code(
            digest_of("a-code"), user_id=None, expires_at=utc_now() + CODE_LIFETIME, origin=TERMINAL
        )
        async with open_page(browser, f"{server.origin}/set-up#a-code", allow=EXPECTED) as page:
            await with_authenticator(page)
            await page.get_by_label("Name", exact=True).fill("anna")
            await page.get_by_role("button", name="Create the account").click()
            await page.get_by_role("button", name="Create a passkey").click()
            await to_settings(page)
            await expect(page.get_by_role("button", name="Change the password")).to_have_count(0)
            await page.get_by_role("button", name="Remove the passkey First passkey").click()
            await expect(page.get_by_role("alert")).to_contain_text("the only way in which you can sign in")
            await sign_out(page)
            await expect(page.get_by_label("Password")).to_have_count(0)
            await page.get_by_role("button", name="Use a passkey").click()
            await to_settings(page)


async def test_an_identity_elsewhere_is_linked_signs_in_and_is_unlinked(browser: Browser, server: SignInServer) -> None:
    async with open_page(browser, f"{server.origin}/settings", allow=(*EXPECTED, "asked a foreign origin")) as page:
        await page.get_by_role("button", name="Continue with Lindenschule").click()
        await expect(page.get_by_role("alert")).to_contain_text("isn’t linked to an account yet")
        await axe.assert_accessible(page, "sign-in-not-linked")
        await sign_in(page)
        await to_settings(page)
        linked = page.get_by_role("region", name="Lindenschule")
        await linked.get_by_role("button", name="Link it").click()
        await expect(linked.get_by_role("listitem")).to_contain_text("anna@school.example Never used")
        await axe.assert_accessible(page, "identities")
        await sign_out(page)
        await page.get_by_role("button", name="Continue with Lindenschule").click()
        await to_settings(page)
        await linked.get_by_role("button", name="Unlink anna@school.example").click()
        await expect(linked.get_by_role("button", name="Link it")).to_be_visible()


async def test_other_ways_fit_a_phone_in_the_dark_in_german(browser: Browser, server: SignInServer) -> None:
    async with open_page(
        browser, f"{server.origin}/sign-in#oidc_refused", size=PHONE, scheme="dark", locale="de-DE", allow=EXPECTED
    ) as page:
        await expect(page.get_by_role("alert")).to_contain_text("Die Antwort der anderen Seite war ungültig")
        await expect(page.get_by_role("button", name="Weiter mit Lindenschule")).to_be_visible()
        await axe.assert_accessible(page, "sign-in-other-ways-german")
        await take_screenshot(page, "sign-in-other-ways-dark-360")
