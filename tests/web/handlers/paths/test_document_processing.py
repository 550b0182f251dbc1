"""Processing of documents over HTTP: read, failed and tried again, downloaded by the owner only, and in ranges."""

import re

import httpx2
import pytest

from harness.builders import a_topic
from harness.servers.web import Web, until_processed
from sprout.errors import UnreadableDocument
from sprout.learning.paths.repository import NewDocument

BROKEN = "%PDF-1.7\nand nothing of one\n"


async def sent(web: Web, name: str, content: str) -> tuple[str, str]:
    """The ids of a topic and of its one document."""
    _, root = await web.a_topic()
    files = {"files": (name, content.encode(), "text/markdown")}
    answer = await web.client.post(f"/api/nodes/{root.id}/documents", files=files)
    assert answer.status_code == 201, answer.text
    return root.id, answer.json()["uploaded"][0]["id"]


async def test_P3_a_document_that_cannot_be_read_says_why_and_is_tried_again_when_asked(web: Web) -> None:
    root, document = await sent(web, "broken.pdf", BROKEN)
    (failed,) = await until_processed(web.client, root)
    assert failed["extractionStatus"] == "failed"
    assert "damaged or incomplete" in failed["extractionError"]
    again = await web.client.post(f"/api/nodes/{root}/documents/{document}/retry")
    assert (again.status_code, again.json()["extractionStatus"]) == (202, "pending")
    (failed,) = await until_processed(web.client, root)
    assert failed["extractionStatus"] == "failed"
    assert (await web.client.get(f"/api/documents/{document}/file")).content == BROKEN.encode()
    assert (await web.client.get("/api/health")).status_code == 200


async def test_one_that_is_read_stays_so_when_it_is_tried_again(web: Web) -> None:
    root, document = await sent(web, "notes.md", "# Light")
    await until_processed(web.client, root)
    again = await web.client.post(f"/api/nodes/{root}/documents/{document}/retry")
    assert (again.status_code, again.json()["extractionStatus"]) == (200, "completed")


async def test_Z1_another_learners_document_is_not_there(web: Web) -> None:
    theirs = await a_topic(web.paths, user_id="mallory")
    new = NewDocument("secret.md", "text/markdown", b"# Secret")
    (document,) = await web.paths.add_documents(theirs.id, [new], user_id="mallory")
    root, _ = await sent(web, "mine.md", "# Mine")
    answers = [
        await web.client.get(f"/api/documents/{document.id}/file"),
        await web.client.get(f"/api/documents/{document.id}/passages?limit=5"),
        await web.client.post(f"/api/nodes/{theirs.id}/documents/{document.id}/retry"),
        await web.client.post(f"/api/nodes/{root}/documents/{document.id}/retry"),
        await web.client.delete(f"/api/nodes/{root}/documents/{document.id}"),
        await web.client.post(f"/api/nodes/{theirs.id}/documents", files={"files": ("a.md", b"a", "")}),
    ]
    assert [answer.status_code for answer in answers] == [404] * len(answers)


async def test_B10_the_original_is_given_back_as_a_file_that_no_browser_shows(web: Web) -> None:
    content = "<b>Größe</b><script>alert(1)</script>"
    _, document = await sent(web, 'Größe "1".md', content)
    answer = await web.client.get(f"/api/documents/{document}/file")
    assert (answer.status_code, answer.content) == (200, content.encode())
    assert answer.headers["content-disposition"].startswith("attachment; filename=")
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-security-policy"].startswith("sandbox")


async def test_an_original_that_is_gone_is_told_and_not_a_bug(web: Web) -> None:
    _, document = await sent(web, "notes.md", "# Light")
    await web.paths.storage.remove_all_but([], older_than_s=0.0)
    answer = await web.client.get(f"/api/documents/{document}/file")
    assert answer.status_code == 422
    assert "not there any more" in answer.json()["error"]
    with pytest.raises(UnreadableDocument):
        await web.paths.storage.read("nothing")


async def test_a_long_document_is_read_piece_by_piece_and_links_say_where_it_goes_on(web: Web) -> None:
    root, document = await sent(web, "long.md", "\n\n".join(f"# Part {n}\n\nWords of {n}." for n in range(12)))
    await until_processed(web.client, root)
    address = f"/api/documents/{document}/passages"
    whole = [one["id"] for one in (await web.client.get(address)).json()]
    assert len(whole) == 12
    seen: list[str] = []
    link: str | None = f"{address}?limit=5"
    while link:
        answer = await web.client.get(link)
        seen += [one["id"] for one in answer.json()]
        link = linked(answer, "next")
    assert seen == whole
    middle = await web.client.get(f"{address}?before={whole[6]}&limit=3")
    assert [one["id"] for one in middle.json()] == whole[3:6]
    above = linked(middle, "prev")
    assert above is not None
    top = await web.client.get(above)
    assert [one["id"] for one in top.json()] == whole[:3]
    assert linked(top, "prev") is None
    assert (await web.client.get(f"{address}?limit=x")).status_code == 422


def linked(answer: httpx2.Response, rel: str) -> str | None:
    found = re.search(rf'<([^>]+)>; rel="{rel}"', answer.headers.get("link", ""))
    return found[1] if found else None
