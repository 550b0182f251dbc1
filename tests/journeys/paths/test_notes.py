"""Notes become a path: dropped or picked, and refused with the reason beside them."""

import asyncio
import re
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, FilePayload, JSHandle, Page, Route, expect

from harness.browser import open_page
from harness.journeys.sprout_server import QUICK_PACE, start_server, titles
from tests.journeys.support.map_view import take_screenshot, wait_for_end, wait_for_path

NOTES = Path(__file__).resolve().parents[2] / "offline" / "notes"
MOST_BYTES = 16_000
DROPPED = """(files) => {
  const transfer = new DataTransfer();
  for (const { name, text } of files) transfer.items.add(new File([text], name));
  return transfer;
}"""


async def test_dropped_and_picked_notes_grow_a_path_and_refused_files_say_why(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    water, bread = (NOTES / name for name in ("water-cycle.md", "bread.txt"))
    async with (
        start_server(tmp_path, sqlite_url, pace=QUICK_PACE, upload_max_bytes=MOST_BYTES) as grown,
        open_page(browser, grown.url) as page,
    ):
        await _drop(page, {water.name: water.read_text(), "sketch.png": "not text"})
        await expect(page.get_by_role("alert")).to_have_text(
            re.compile(r"sketch\.png isn’t supported; use \.pdf, \.docx, .+ \.txt")
        )
        await _pick(
            page,
            [_file("empty.txt", ""), _file("long.txt", "x" * (MOST_BYTES + 1)), _file(bread.name, bread.read_text())],
        )
        await expect(page.get_by_role("alert")).to_have_text(
            [re.compile(r"empty\.txt is empty"), re.compile(r"long\.txt is .+ Files can be up to")]
        )
        notes = page.get_by_role("list", name="Your notes").get_by_role("listitem")
        await expect(notes).to_have_text([re.compile(water.name), re.compile(re.escape(bread.name))])
        await take_screenshot(page, "notes-refused")

        await page.get_by_role("button", name=f"Remove {bread.name}").click()
        await expect(notes).to_have_text([re.compile(water.name)])
        await page.get_by_role("button", name="Grow a path").click()
        await wait_for_path(page)
        await wait_for_end(page)
        await take_screenshot(page, "notes-path")

        graph = await grown.graph()
        assert graph["branch"]["title"] == "Water cycle"
        assert [document["originalFilename"] for document in graph["documents"]] == [water.name]
        note_words = " ".join(re.findall(r"\w+", water.read_text().casefold()))
        assert len(titles(graph, "concept")) >= 4
        for title in titles(graph, "concept"):
            assert all(word in note_words for word in re.findall(r"\w+", title.casefold())), title


async def test_two_files_make_one_path(browser: Browser, tmp_path: Path, sqlite_url: str) -> None:
    async with start_server(tmp_path, sqlite_url, pace=QUICK_PACE) as grown, open_page(browser, grown.url) as page:
        await _drop(page, {name: (NOTES / name).read_text() for name in ("revolution.md", "bread.txt")})
        await expect(page.get_by_text("6 to 10 concepts, 6 to 16 h of lessons")).to_be_visible()
        await page.get_by_role("button", name="Short").click()
        await expect(page.get_by_text("1 to 2 concepts, 15 to 50 min of lessons")).to_be_visible()
        await page.get_by_role("button", name="Grow a path").click()
        await wait_for_path(page)
        await wait_for_end(page)
        assert len((await grown.graph())["documents"]) == 2


async def test_without_a_model_a_path_is_as_large_as_its_notes(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    built_in: dict[str, Any] = {"base_url": None, "api_key": None}
    async with start_server(tmp_path, sqlite_url, **built_in) as grown, open_page(browser, grown.url) as page:
        await expect(page.get_by_text("6 to 10 concepts, 6 to 16 h of lessons")).to_be_visible()
        await _drop(page, {"bread.txt": (NOTES / "bread.txt").read_text()})
        await expect(page.get_by_text("As much as your notes hold, free")).to_be_visible()
        await expect(page.get_by_text("h of lessons")).to_have_count(0)
        await page.get_by_role("button", name="Short").click()
        await expect(page.get_by_text("1 to 2 concepts, 15 to 50 min of lessons, free")).to_be_visible()


async def test_what_was_picked_before_the_limits_were_known_is_looked_at_again_once_they_are(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    known = asyncio.Event()

    async def late(route: Route) -> None:
        await known.wait()
        await route.continue_()

    async with (
        start_server(tmp_path, sqlite_url, pace=QUICK_PACE, upload_max_bytes=MOST_BYTES) as grown,
        open_page(browser, grown.url) as page,
    ):
        await page.route("**/api/status", late)
        await page.reload()
        await _pick(page, [_file("long.txt", "x" * (MOST_BYTES + 1)), _file("short.txt", "Light.")])
        notes = page.get_by_role("list", name="Your notes").get_by_role("listitem")
        await expect(notes).to_have_count(2)
        known.set()
        await expect(page.get_by_role("alert")).to_have_text(re.compile(r"long\.txt is .+ Files can be up to"))
        await expect(notes).to_have_text([re.compile(r"short\.txt")])


async def _drop(page: Page, texts: dict[str, str]) -> None:
    files = [{"name": name, "text": text} for name, text in texts.items()]
    transfer: JSHandle = await page.evaluate_handle(DROPPED, files)
    form = page.get_by_role("form", name="New path")
    for kind in ("dragenter", "dragover"):
        await form.dispatch_event(kind, {"dataTransfer": transfer})
    await expect(page.get_by_role("button", name="Drop your notes here")).to_be_visible()
    await form.dispatch_event("drop", {"dataTransfer": transfer})


async def _pick(page: Page, files: list[FilePayload]) -> None:
    async with page.expect_file_chooser() as opened:
        await page.get_by_role("button", name="Add notes, or drop them here").click()
    await (await opened.value).set_files(files)


def _file(name: str, text: str) -> FilePayload:
    return {"name": name, "mimeType": "text/plain", "buffer": text.encode()}
