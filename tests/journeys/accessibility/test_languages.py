"""The page in German, and in a language that runs from right to left: nothing is left in English, nothing overflows."""

import json
import re
from functools import cache
from pathlib import Path

from playwright.async_api import Browser, FilePayload, Page, expect

from harness.browser import DESKTOP, PHONE, open_page
from harness.journeys.learner import assert_no_overflow, open_course
from tests.journeys.support import axe
from tests.journeys.support.map_view import show_run, take_screenshot
from tests.journeys.support.mirrored_locale import use_mirrored_locale

COUNTS, TREE = "Turning percentages into counts of people", "Drawing the splits as a tree"
MEBIBYTE = 1024**2
CATALOGUES = Path(__file__).parents[3] / "static" / "i18n"
ENTRY = re.compile(r'^ +"([\w.]+)": ("(?:[^"\\]|\\.)*"),$', re.MULTILINE)
SHOWN = """() => {
  const names = [...document.querySelectorAll('[aria-label], [title], [placeholder]')]
    .flatMap((each) => ['aria-label', 'title', 'placeholder'].map((name) => each.getAttribute(name) ?? ''));
  return [document.title, document.body.innerText, ...names].join('\\n');
}"""


@cache
def only_english() -> list[str]:
    """The parts of sentences, between placeholders, that German never has."""
    english, german = (
        "\n".join(
            json.loads(text)
            for path in sorted(CATALOGUES.glob(f"{tag}*.js"))
            for _, text in ENTRY.findall(path.read_text())
        )
        for tag in ("en", "de")
    )
    parts = {part.strip(" .,:") for part in re.split(r"\{\w+\}|[|\n]", english)}
    return sorted(part for part in parts if len(part) > 6 and " " in part and part not in german)


async def _looked_at(page: Page, name: str) -> None:
    """A picture, wide and narrow; nothing scrolls sideways in either."""
    for width, height in (PHONE, DESKTOP):
        await page.set_viewport_size({"width": width, "height": height})
        await page.evaluate("() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
        await take_screenshot(page, f"{name}-{width}")
        await assert_no_overflow(page)


async def _german(page: Page, name: str) -> None:
    await _looked_at(page, f"de-{name}")
    texts = await page.evaluate(SHOWN)
    assert [part for part in only_english() if part in texts] == []


async def test_a_german_browser_gets_german_and_the_choice_of_english_is_kept(
    browser: Browser, tmp_path: Path, bayes_url: str
) -> None:
    async with (
        open_course(tmp_path, bayes_url) as taught,
        open_page(browser, taught.server.url, locale="de-AT") as page,
    ):
        fetched: list[str] = []
        page.on("request", lambda request: fetched.append(request.url))
        await page.reload()
        await page.get_by_role("heading", name="Deine Lernpfade").wait_for()
        assert await page.evaluate("[document.documentElement.lang, document.documentElement.dir]") == ["de", "ltr"]
        catalogues = [url.rpartition("/")[2] for url in fetched if "/i18n/" in url]
        assert "de.js" in catalogues
        shown = {f"{language}{name}.js" for language in ("", "de.") for name in ("home", "next", "today")} | {"de.js"}
        assert {*catalogues} <= shown, "no other language, and only what is shown"
        await _german(page, "home")
        await page.goto(taught.path)
        await page.locator(".next-panel .btn.go").wait_for()
        await _german(page, "next")
        await show_run(page)
        await page.get_by_text("Warum dieser Lernpfad").wait_for()
        await _german(page, "path")
        await page.get_by_role("button", name="Als Liste zeigen").click()
        await page.locator(".stem").wait_for()
        await _german(page, "list")
        await page.goto(taught.diagnostic(COUNTS))
        await page.get_by_role("radio").first.wait_for()
        await _german(page, "diagnostic")
        await page.get_by_role("button", name="Problem melden").click()
        await page.get_by_role("dialog").wait_for()
        await _german(page, "contest")
        await page.goto(taught.lesson(TREE))
        await expect(
            page.get_by_role("region", name="Prüffrage").get_by_role("button", name="Antworten")
        ).to_be_enabled()
        await _german(page, "lesson")
        await page.get_by_role("button", name="Weiß ich nicht").click()
        await expect(page.locator(".me")).to_have_count(1)
        await expect(page.locator(".tu [aria-busy]")).to_have_count(0)
        await _german(page, "lesson-helped")
        assert await axe.violations(page) == []
        await page.goto(f"{taught.server.url}/paths")
        await page.get_by_label("Thema, Frage oder Prüfung").fill("Optik")
        await page.evaluate("dispatchEvent(new CustomEvent('sprout:language', { detail: 'en' }))")
        await expect(page.get_by_label("Topic, question or exam")).to_have_value("Optik")
        await page.reload()
        await page.get_by_role("heading", name="Your paths").wait_for()
        assert await page.evaluate("document.documentElement.lang") == "en"


async def test_ui_8_what_the_server_refuses_and_why_work_failed_is_said_in_german(
    browser: Browser, tmp_path: Path, bayes_url: str
) -> None:
    expected = ("status of 404", "status of 413", "status of 415")
    async with (
        open_course(tmp_path, bayes_url, upload_max_bytes=MEBIBYTE) as taught,
        open_page(browser, f"{taught.server.url}/paths/nowhere", locale="de", allow=expected) as page,
    ):
        await page.get_by_role("heading", name="Diesen Lernpfad gibt es nicht mehr.").wait_for()
        await _german(page, "missing")
        damaged = {"files": ("broken.pdf", b"%PDF-1.7 and no more", "application/pdf")}
        root = next(node for node in taught.graph["nodes"] if node["type"] == "root")
        (await taught.server.client.post(f"/api/nodes/{root['id']}/documents", files=damaged)).raise_for_status()
        await page.goto(taught.path)
        notes = page.locator(".path-notes")
        await expect(notes.locator(".note-why")).to_contain_text("Die Datei ist beschädigt oder unvollständig.")
        for name, size, words in (
            ("long.txt", MEBIBYTE + 1, "Eine Datei darf höchstens 1 MiB groß sein."),
            ("sketch.png", 4, "„sketch.png“ kann Sprout nicht lesen. Möglich sind PDF,"),
        ):
            content = b"\x89PNG" if size == 4 else b"x" * size
            file = FilePayload(name=name, mimeType="application/octet-stream", buffer=content)
            await notes.locator("input[type=file]").set_input_files(files=[file])
            await expect(notes.get_by_role("alert")).to_contain_text(words)
        await _german(page, "refused")
        taught.server.faults.set_fault("bad_key")
        run_id = await taught.server.start_path("Brot backen")
        await taught.server.events_of(run_id)
        await page.goto(f"{taught.server.url}/runs/{run_id}")
        refused = "Der Server des Modells lehnt den Schlüssel ab."
        await expect(page.get_by_role("alert")).to_contain_text(refused)
        await expect(page.locator(".line-plain").filter(has_text=refused).first).to_be_visible()
        for words in ("Die Konzepte dieses Lernpfads", "Noch nichts.", "Starte noch einmal von vorn"):
            await expect(page.locator(".reached .facts")).to_contain_text(words)
        await _german(page, "failed-run")
        (grown,) = [one for one in await taught.server.paths() if one["branch"]["title"] == "Brot backen"]
        await page.goto(f"{taught.server.url}/paths/{grown['branch']['id']}")
        await expect(page.get_by_role("alert")).to_contain_text(refused)
        await _german(page, "failed-path")
        assert "ANTHROPIC_API_KEY" in await page.evaluate(SHOWN)


async def test_from_right_to_left_every_screen_is_mirrored_and_nothing_overflows(
    browser: Browser, tmp_path: Path, bayes_url: str
) -> None:
    async with open_course(tmp_path, bayes_url) as taught, open_page(browser, taught.server.url) as page:
        await use_mirrored_locale(page)
        await page.locator(".pt").wait_for()
        assert await page.evaluate("[document.documentElement.lang, document.documentElement.dir]") == ["ar-XB", "rtl"]
        await _looked_at(page, "rtl-home")
        await page.locator(".pt-end button").first.click()
        await page.get_by_role("dialog").wait_for()
        await _looked_at(page, "rtl-dialog")
        await page.goto(taught.path)
        await page.locator(".map .hit").first.wait_for()
        await page.locator(".next-panel .btn.go").wait_for()
        await page.locator(".map .hit").nth(1).hover()
        await page.locator(".node-card").wait_for()
        await _looked_at(page, "rtl-path")
        await page.keyboard.press("/")
        await page.keyboard.type("tree")
        await page.get_by_role("option").first.wait_for()
        await _looked_at(page, "rtl-search")
        await page.goto(f"{taught.path}/concepts/{taught.node(TREE)['parentId']}")
        await page.locator(".mini a").wait_for()
        await _looked_at(page, "rtl-concept")
        await page.goto(taught.diagnostic(COUNTS))
        await page.get_by_role("radio").first.wait_for()
        await page.keyboard.press("2")
        await _looked_at(page, "rtl-diagnostic")
        await page.goto(taught.lesson(TREE))
        await expect(page.locator(".cp-foot .go")).to_be_enabled()
        await _looked_at(page, "rtl-lesson")
        assert await axe.violations(page) == []
