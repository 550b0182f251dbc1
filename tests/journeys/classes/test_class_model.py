"""A teacher chooses the model of a class on its page, and a learner reads where their words go."""

from pathlib import Path
from typing import Any

from playwright.async_api import Browser, expect

from harness.browser import open_page
from harness.servers.signed_in import serving_sign_in
from sprout.accounts.principal import AccountRole
from tests.journeys.classes.test_class_page import EXPECTED, sign_in
from tests.journeys.support import axe

LOCAL: dict[str, Any] = {"local_model": "qwen3-14b", "local_base_url": "http://10.0.0.7:11434"}


async def test_a_teacher_chooses_the_local_model_and_a_learner_reads_that_nothing_goes_elsewhere(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    async with (
        serving_sign_in(tmp_path, sqlite_url, **LOCAL) as server,
        open_page(browser, server.origin, allow=EXPECTED) as page,
    ):
        await server.add_person("tess", AccountRole.TEACHER)
        await server.add_person("anna")
        tess, anna = await server.sign_in("tess"), await server.sign_in("anna")
        class_id = (await tess.post("/api/classes", json={"name": "5b"})).json()["id"]
        code = (await tess.post(f"/api/classes/{class_id}/code", json={})).json()["code"]["code"]
        (await anna.post("/api/account/classes", json={"code": code})).raise_for_status()

        await sign_in(page, "tess")
        await page.get_by_role("link", name="Classes").click()
        await page.get_by_role("link", name="5b").click()
        box = page.get_by_role("region", name="Model and budget")
        await expect(box).to_contain_text("use the model of this server")
        await box.get_by_role("button", name="Use the local model alone").click()
        await expect(box).to_contain_text("only the local model qwen3-14b on 10.0.0.7 is asked")
        await expect(box.get_by_role("button", name="Use the local model alone")).to_have_count(0)
        await axe.assert_accessible(page, "class-model")
        assert (await tess.get(f"/api/classes/{class_id}")).json()["model"] == "local"

    async with (
        serving_sign_in(tmp_path, sqlite_url, **LOCAL) as server,
        open_page(browser, server.origin, allow=EXPECTED) as page,
    ):
        await sign_in(page, "anna")
        await page.get_by_role("link", name="Today").first.wait_for()
        await page.goto(f"{server.origin}/settings")
        await page.get_by_role("link", name="What your teacher sees in 5b").click()
        await expect(page.get_by_text("is read by the local model on 10.0.0.7, and by no other")).to_be_visible()
        await axe.assert_accessible(page, "what-the-model-reads")
