"""Files in over HTTP."""

import re
from pathlib import Path
from urllib.parse import unquote

import pytest

from harness.servers.web import Web, until_processed

BOUNDARY = "xyz"


def form(*parts: str, end: str = f"--{BOUNDARY}--\r\n") -> bytes:
    return "".join(f"--{BOUNDARY}\r\n{part}\r\n" for part in parts).encode() + end.encode()


def file_part(name: str = "a.md", content: str = "text", field: str = "files") -> str:
    disposition = f'Content-Disposition: form-data; name="{field}"; filename="{name}"'
    return f"{disposition}\r\nContent-Type: text/markdown\r\n\r\n{content}"


async def upload(web: Web, body: bytes, content_type: str) -> tuple[int, str, int]:
    """The status, the error if there is one, and how many documents the topic then has."""
    _, root = await web.a_topic()
    address, headers = f"/api/nodes/{root.id}/documents", {"Content-Type": content_type}
    answer = await web.client.post(address, content=body, headers=headers)
    return answer.status_code, answer.json().get("error", ""), len((await web.client.get(address)).json())


async def test_documents_are_uploaded_listed_and_deleted(web: Web) -> None:
    _, root = await web.a_topic()
    address = f"/api/nodes/{root.id}/documents"
    files = [("files", ("ä notes.md", "# Märchen", "text/markdown")), ("files", ("b.txt", "b", ""))]
    answer = await web.client.post(address, files=files)
    assert answer.status_code == 201
    first, second = answer.json()["uploaded"]
    assert (first["originalFilename"], first["fileSizeBytes"], first["extractedTextLength"]) == ("ä notes.md", 10, 0)
    assert (second["nodeId"], second["extractionStatus"]) == (root.id, "pending")
    listed = await until_processed(web.client, root.id)
    assert [(row["id"], row["extractionStatus"], row["passages"]) for row in listed] == [
        (first["id"], "completed", 1),
        (second["id"], "completed", 1),
    ]
    assert (await web.client.delete(f"{address}/{first['id']}")).status_code == 204
    assert (await web.client.delete(f"{address}/{first['id']}")).status_code == 404


@pytest.mark.parametrize(
    ("body", "content_type", "status"),
    [
        (b"", "multipart/form-data; boundary=xyz", 400),
        (b"{}", "application/json", 400),
        (form(file_part()), "multipart/form-data", 400),
        (form(file_part()), "multipart/form-data; boundary=" + "x" * 500, 400),
        (form("Content-Disposition: form-data\r\n\r\na"), "multipart/form-data; boundary=xyz", 400),
        (form('Content-Disposition: form-data; name="files"\r\n\r\nno file'), "multipart/form-data; boundary=xyz", 400),
        (form(file_part(field="other")), "multipart/form-data; boundary=xyz", 400),
        (form(*[file_part()] * 3), "multipart/form-data; boundary=xyz", 413),
        (form(*[file_part()] * 1001), "multipart/form-data; boundary=xyz", 413),
        (form(*[file_part(content="")] * 120), "multipart/form-data; boundary=xyz", 400),
        (form(file_part(content="a" * 20_001)), "multipart/form-data; boundary=xyz", 413),
        (form(file_part(content="a" * 2_000_000)), "multipart/form-data; boundary=xyz", 413),
        (
            form('Content-Disposition: form-data; name="a"\r\n\r\n' + "a" * 70_000),
            "multipart/form-data; boundary=xyz",
            400,
        ),
        (
            form('Content-Disposition: form-data; name="a"\r\n\r\n' + "a" * 2_000_000),
            "multipart/form-data; boundary=xyz",
            413,
        ),
        (form(file_part(content="a\0b")), "multipart/form-data; boundary=xyz", 415),
        (form(file_part(), file_part(content="\0")), "multipart/form-data; boundary=xyz", 415),
    ],
)
async def test_B6_bad_forms_get_their_exact_status_and_nothing_is_kept(
    web: Web, body: bytes, content_type: str, status: int
) -> None:
    got, error, documents = await upload(web, body, content_type)
    assert (got, documents) == (status, 0), error
    assert error


@pytest.mark.parametrize("charset", ["rot13", "hex", "nothing", "unicode_escape", "utf-7", "undefined", "idna"])
async def test_B6_a_form_in_a_strange_charset_is_refused(web: Web, charset: str) -> None:
    content_type = f"multipart/form-data; boundary={BOUNDARY}; charset={charset}"
    status, error, documents = await upload(web, form(file_part(r"a\ud800.md")), content_type)
    assert (status, documents) == (400, 0), error


FILE_NAMES = (
    "../../etc/passwd.md", "/etc/cron.d/x.md", "%2e%2e%2fx.md", "a\0b.md", "a" * 300 + ".md", "invoice\u202efdp.md",
    "CON", "C:\\Users\\me\\NUL.txt", "..", "a/b/../c.md", "<img src=x onerror=alert(1)>.md", 'a".md', "naïve.md",
)  # fmt: skip


async def test_B7_a_file_name_is_only_a_name(own_web: Web, tmp_path: Path) -> None:
    headers = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
    for sent in FILE_NAMES:
        _, root = await own_web.a_topic()
        before = files_in(tmp_path)
        quoted = sent.replace("\\", "\\\\").replace('"', "%22")
        address = f"/api/nodes/{root.id}/documents"
        answer = await own_web.client.post(address, content=form(file_part(quoted)), headers=headers)
        assert answer.status_code == 201, (sent, answer.text)
        (document,) = (await own_web.client.get(address)).json()
        name = document["originalFilename"]
        assert 0 < len(name) <= 200, sent
        assert not set("/\\\0\u202e") & set(name), sent
        (made,) = files_in(tmp_path) - before
        assert made.parent == tmp_path / "documents", sent
        assert re.fullmatch(r"[0-9a-f]{32}", made.name), sent
        saved = await own_web.client.get(f"/api/documents/{document['id']}/file")
        disposition = saved.headers["content-disposition"]
        assert disposition.isascii(), sent
        assert unquote(disposition.partition("filename*=UTF-8''")[2]) == name, sent


def files_in(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if path.is_file() and "sqlite3" not in path.name}
