"""A teacher connects a record store on the page of the class: tries it, saves it, sees its state, ends it."""

import re
from pathlib import Path

from playwright.async_api import Browser, expect

from harness.browser import open_page
from harness.servers.record_store import KEY, SECRET, serving_record_store
from harness.servers.signed_in import serving_sign_in
from sprout.accounts.principal import AccountRole
from tests.journeys.classes.test_class_page import EXPECTED, sign_in
from tests.journeys.support import axe


async def test_O2_a_teacher_connects_a_record_store_on_the_page(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    async with (
        serving_record_store() as store,
        serving_sign_in(tmp_path, sqlite_url, lrs_hosts="127.0.0.1") as server,
        open_page(browser, server.origin, allow=EXPECTED) as page,
    ):
        await server.add_person("tess", AccountRole.TEACHER)
        tess = await server.sign_in("tess")
        class_id = (await tess.post("/api/classes", json={"name": "5b"})).json()["id"]
        await sign_in(page, "tess")
        await page.get_by_role("link", name="Classes").click()
        await page.get_by_role("link", name="5b").click()
        box = page.get_by_role("region", name="Record store (xAPI)")
        await expect(box).to_contain_text("stays on this server")
        await box.get_by_text("Connect a record store").click()
        await box.get_by_label("Address").fill("https://10.0.0.7/xapi")
        await box.get_by_label("Key").fill(KEY)
        await box.get_by_label("Secret").fill(SECRET)
        await box.get_by_role("button", name="Try the address").click()
        await expect(box.get_by_role("alert")).to_contain_text("in a network that this server may not call")
        await box.get_by_label("Address").fill(store.endpoint)
        await box.get_by_role("button", name="Try the address").click()
        await expect(box.get_by_role("status")).to_contain_text("A record store answers there (xAPI 1.0.3, 1.0.0)")
        await box.get_by_role("button", name="Save").click()
        await expect(box.get_by_role("status")).to_have_text("Saved. Sending starts within a minute.")
        await expect(box).to_contain_text("0 statements sent, 0 waiting.")
        await expect(box.get_by_label("Secret")).to_have_value("")
        assert (store.asked["about"], store.asked["statements"]) == (1, 0)
        assert (await tess.get(f"/api/classes/{class_id}/lrs")).json()["endpoint"] == store.endpoint
        await axe.assert_accessible(page, "class-record-store")
        await box.get_by_role("button", name="Disconnect").click()
        await page.get_by_role("dialog").get_by_role("button", name="Disconnect").click()
        await expect(box).to_contain_text(re.compile("stays on this server"))
        assert (await tess.get(f"/api/classes/{class_id}/lrs")).json() is None
