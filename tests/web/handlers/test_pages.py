"""The page and the files beside it."""

import re
from pathlib import Path

import pytest

from harness.servers.web import Web
from sprout.web.handlers.pages import files_version, find_file


@pytest.mark.parametrize("address", ["/", "/paths/0190-abc", "/paths/a/b?x=1", "/settings"])
async def test_the_page_is_served_at_all_its_addresses(web: Web, address: str) -> None:
    answer = await web.client.get(address, headers={"Accept": "text/html,*/*;q=0.8"})
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert answer.headers["cache-control"] == "no-store"
    assert "{{" not in answer.text


async def test_X8_the_nonce_is_in_the_policy_and_never_repeats(web: Web) -> None:
    nonces = set()
    for _ in range(5):
        answer = await web.client.get("/")
        found = re.search(r'nonce="([^"]{20,})"', answer.text)
        assert found
        assert f"script-src 'self' 'nonce-{found[1]}';" in answer.headers["content-security-policy"]
        nonces.add(found[1])
    assert len(nonces) == 5


async def test_the_policy_is_the_strict_one(web: Web) -> None:
    policy = (await web.client.get("/")).headers["content-security-policy"]
    assert re.sub(r"'nonce-[^']+'", "'nonce-…'", policy) == (
        "default-src 'none'; script-src 'self' 'nonce-…'; style-src 'self' 'nonce-…'; style-src-attr 'unsafe-inline'; "
        "img-src 'self' data:; font-src 'self'; connect-src 'self'; frame-src 'self'; base-uri 'none'; "
        "form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )


async def test_X2_diagrams_are_drawn_in_a_frame_without_origin_and_without_network(web: Web) -> None:
    answer = await web.client.get("/frames/diagram")
    policy = answer.headers["content-security-policy"]
    assert re.sub(r"'nonce-[^']+'", "'nonce-…'", policy) == (
        "sandbox allow-scripts; default-src 'none'; script-src 'nonce-…' blob:; style-src 'unsafe-inline'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
    )
    assert answer.headers["x-frame-options"] == "SAMEORIGIN"
    assert "{{" not in answer.text


@pytest.mark.parametrize(
    ("name", "media_type"),
    [
        ("app.js", "text/javascript; charset=utf-8"),
        ("lib.mjs", "text/javascript; charset=utf-8"),
        ("fonts/a.woff2", "font/woff2"),
    ],
)
async def test_files_have_their_type_and_may_be_kept_for_ever(web: Web, name: str, media_type: str) -> None:
    for version in (files_version(web.static_dir), "any"):
        answer = await web.client.get(f"/static/{version}/{name}")
        assert (answer.status_code, answer.headers["content-type"]) == (200, media_type)
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert answer.content == (web.static_dir / name).read_bytes()


@pytest.mark.parametrize(
    "path",
    ["v/nothing.js", "v/fonts", "v/../outside.js", "v/" + "a/" * 300 + "b.js",
     "v/..%2foutside.js", "v/%2e%2e/outside.js", "v/fonts/..%2f..%2foutside.js",
     "v/.hidden.js", "v/%2fetc%2fpasswd", "v//etc/passwd", "v/..%5coutside.js", "v/app.js%00.css", "v/fonts//a.woff2",
     "v/app.js/", "..%2foutside.js", "v/" + "a" * 5000 + ".js", "v/a%0a.js"],
)  # fmt: skip
async def test_B4_nothing_outside_the_folder_is_served(web: Web, path: str) -> None:
    answer = await web.client.get(f"/static/{path}", headers={"Accept": "text/html"})
    assert (answer.status_code, list(answer.json())) == (404, ["error", "code"])


def test_a_link_that_leads_outside_is_not_followed(tmp_path: Path) -> None:
    folder = tmp_path / "static"
    folder.mkdir()
    (tmp_path / "outside.js").write_text("outside")
    (folder / "link.js").symlink_to(tmp_path / "outside.js")
    assert find_file(folder, "link.js") is None


async def test_the_version_changes_when_a_file_does(own_web: Web) -> None:
    before = (await own_web.client.get("/")).text
    (own_web.static_dir / "app.js").write_text("changed")
    after = (await own_web.client.get("/")).text
    versions = [re.findall(r"/static/(\w+)/", text) for text in (before, after)]
    assert versions[0] != versions[1]


async def test_the_api_can_be_read_as_a_page_without_a_script(web: Web) -> None:
    answer = await web.client.get("/docs")
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "<script" not in answer.text
    assert "script-src" not in answer.headers["content-security-policy"]
    for path in ("/api/branches/{id}/graph", "/api/agents/topics/{id}/run", "/static/{version}/{path}"):
        assert path in answer.text
