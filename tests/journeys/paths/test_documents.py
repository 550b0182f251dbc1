"""A path's documents on the page: what is read, what could not be and why, and the way into a long one."""

import re
from pathlib import Path

from playwright.async_api import Browser, FilePayload, Page, expect

from harness.browser import open_page
from harness.journeys.learner import wait_for_effects
from harness.journeys.sprout_server import QUICK_PACE, SproutServer, start_server
from tests.journeys.support.map_view import take_screenshot, wait_for_end, wait_for_path

USER = "00000000-0000-0000-0000-000000000000"
NOTES = Path(__file__).resolve().parents[2] / "offline" / "notes"
CHAPTERS = 1_200
DRAWN_AT_MOST = 120


def _file(name: str, text: str) -> FilePayload:
    return {"name": name, "mimeType": "text/plain", "buffer": text.encode()}


async def _sent(page: Page, *files: FilePayload) -> None:
    async with page.expect_file_chooser() as opened:
        await page.get_by_role("button", name="Add notes, or drop them here").click()
    await (await opened.value).set_files([*files])
    await page.get_by_role("button", name="Short").click()
    await page.get_by_role("button", name="Grow a path").click()
    await wait_for_path(page)


async def _topic(grown: SproutServer, *files: FilePayload) -> tuple[str, str]:
    """The ids of a branch and of its topic, whose files have been read as far as they can be."""
    branch = (await grown.post("/branches", {"title": "Book", "userId": USER}))["id"]
    root = (await grown.post("/nodes", {"userId": USER, "type": "root", "title": "Book", "branchId": branch}))["id"]
    parts = [("files", (one["name"], one["buffer"], one["mimeType"])) for one in files]
    (await grown.client.post(f"/api/nodes/{root}/documents", files=parts)).raise_for_status()
    while any(one["extractionStatus"] == "pending" for one in await grown.get(f"/nodes/{root}/documents")):
        pass
    return branch, root


async def test_of_two_files_one_is_unreadable_the_path_grows_and_what_it_cites_opens_where_it_stands(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    water = NOTES / "water-cycle.md"
    async with start_server(tmp_path, sqlite_url, pace=QUICK_PACE) as grown, open_page(browser, grown.url) as page:
        await _sent(page, _file(water.name, water.read_text()), _file("broken.pdf", "%PDF-1.7\nand nothing of one\n"))
        await wait_for_end(page)
        notes = page.locator(".path-notes")
        await expect(notes).to_contain_text("1 couldn’t be read")
        rows = notes.get_by_role("listitem")
        await expect(rows.filter(has_text=water.name)).to_contain_text(re.compile(r"Read.+passages"))
        await expect(rows.filter(has_text="broken.pdf")).to_contain_text("damaged")
        await take_screenshot(page, "documents-path")
        text = " ".join(one.data.get("text", "") for one in await grown.events_of((await grown.last_run())["id"]))
        assert "“broken.pdf” could not be read" in text

        await page.get_by_role("button", name="Read broken.pdf again").click()
        await expect(rows.filter(has_text="broken.pdf")).to_contain_text("damaged")
        await page.get_by_role("button", name="Remove broken.pdf").click()
        await expect(rows).to_have_count(1)
        assert [one["originalFilename"] for one in (await grown.graph())["documents"]] == [water.name]

        graph = await grown.graph()
        part = next(one for one in graph["nodes"] if one["type"] == "subconcept")
        branch, concept = part["branchId"], part["parentId"]
        await page.goto(f"{grown.url}/paths/{branch}/concepts/{concept}")
        await page.locator(f".map .hit[data-id='{part['id']}']").click()
        source = page.locator(".source").first
        await source.locator("summary").click()
        await source.get_by_role("button", name="Open the document here").click()
        reader = page.get_by_role("dialog", name=water.name)
        here = reader.locator("[aria-current]")
        await expect(here).to_be_in_viewport()
        cited = (await grown.get(f"/nodes/{part['id']}/sources"))["passages"][0]["id"]
        await expect(here).to_have_attribute("data-passage", cited)
        await take_screenshot(page, "documents-cited")


async def test_nothing_is_made_of_notes_that_cannot_be_read_and_the_page_says_what_to_do(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    async with start_server(tmp_path, sqlite_url, pace=QUICK_PACE) as grown, open_page(browser, grown.url) as page:
        await _sent(page, _file("broken.pdf", "%PDF-1.7\nand nothing of one\n"))
        alert = page.locator(".barren").get_by_role("alert")
        await expect(alert).to_contain_text("None of your notes could be read")
        await take_screenshot(page, "documents-none")
        graph = await grown.graph()
        assert [one["type"] for one in graph["nodes"]] == ["root"]
        await wait_for_effects(page)
        async with page.expect_file_chooser() as opened:
            await page.get_by_role("button", name="Add documents").click()
        await (await opened.value).set_files([_file("light.md", "# Light\n\nLight is fast.")])
        rows = page.locator(".path-notes").get_by_role("listitem")
        await expect(rows.filter(has_text="light.md")).to_contain_text("1 passage")
        await page.get_by_role("button", name="Remove broken.pdf").click()
        await expect(rows).to_have_count(1)


async def test_a_book_opens_at_its_start_and_is_drawn_as_far_as_one_reads(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    book = "\n\n".join(f"# Chapter {n}\n\n{'Words of it go on and on. ' * 30}" for n in range(1, CHAPTERS + 1))
    async with start_server(tmp_path, sqlite_url, pace=QUICK_PACE) as grown, open_page(browser, grown.url) as page:
        branch, root = await _topic(grown, _file("book.md", book))
        await page.goto(f"{grown.url}/paths/{branch}")
        await page.locator(".path-notes summary").click()
        await page.get_by_role("button", name="book.md", exact=True).click()
        text = page.get_by_role("group", name="book.md")
        await expect(text.get_by_text("Chapter 1", exact=True)).to_be_visible()
        drawn = text.locator("[data-passage]")
        assert await drawn.count() <= DRAWN_AT_MOST < CHAPTERS
        await take_screenshot(page, "documents-book")
        await text.evaluate("(one) => { one.scrollTop = one.scrollHeight; }")
        await expect(text.get_by_text("Chapter 40", exact=True)).to_be_attached()
        async with page.expect_download() as saving:
            await page.get_by_role("link", name="Download the document").click()
        saved = await (await saving.value).path()
        assert saved.read_text() == book
        assert (await grown.get(f"/nodes/{root}/documents"))[0]["passages"] == CHAPTERS


async def test_B10_a_document_that_is_a_page_with_a_script_is_saved_and_never_run(
    browser: Browser, tmp_path: Path, sqlite_url: str
) -> None:
    hostile = (
        "# <img src=x onerror=\"window.ran=1\">\n\n<script>window.ran = 1; document.title = 'ran'</script>\n\nWords.\n"
    )
    async with start_server(tmp_path, sqlite_url, pace=QUICK_PACE) as grown, open_page(browser, grown.url) as page:
        branch, root = await _topic(grown, _file("<img src=x onerror=window.ran=1>.md", hostile))
        (document,) = await grown.get(f"/nodes/{root}/documents")
        async with page.expect_download():
            await page.evaluate("(url) => { location.href = url; }", f"/api/documents/{document['id']}/file")
        await page.goto(f"{grown.url}/paths/{branch}")
        await page.locator(".path-notes summary").click()
        await page.locator(".path-notes .note-name").click()
        await expect(page.locator(".reader-text")).to_contain_text("Words.")
        assert await page.evaluate("window.ran") is None
        assert await page.title() != "ran"
