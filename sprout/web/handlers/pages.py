"""The page with its nonce, and its static files under versioned addresses."""

import asyncio
import hashlib
import re
import secrets
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from sprout.web.http.dependencies import PageFiles
from sprout.web.http.endpoint import Call

PAGE_POLICY = (
    "default-src 'none'; script-src 'self' 'nonce-{nonce}'; style-src 'self' 'nonce-{nonce}'; "
    "style-src-attr 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; frame-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
FRAME_POLICY = (
    "sandbox allow-scripts; default-src 'none'; script-src 'nonce-{nonce}' blob:; style-src 'unsafe-inline'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
NAME_MAX_CHARACTERS = 200
IMMUTABLE_CACHE = "public, max-age=31536000, immutable"
NON_PAGE_PATHS = re.compile(r"/(api|static)(/|$)")
MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/vnd.microsoft.icon",
    ".jpg": "image/jpeg",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".md": "text/markdown; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}


def wants_page(request: Request) -> bool:
    """Whether an address without an endpoint is one of the page's own, such as /paths/{id}."""
    is_read = request.method in ("GET", "HEAD")
    return is_read and "text/html" in request.headers.get("accept", "") and not NON_PAGE_PATHS.match(request.url.path)


async def get_page(call: Call[PageFiles]) -> Response:
    """The page."""
    return await render_page(call.dependencies.folder)


async def render_page(folder: Path) -> Response:
    """index.html with a fresh nonce and the version of its files."""
    return await _render_template(folder, "index.html", PAGE_POLICY, {"Vary": "Accept"})


async def get_diagram_frame(call: Call[PageFiles]) -> Response:
    """The frame in which diagrams are drawn: sandboxed, without network, embeddable only by the page."""
    return await _render_template(
        call.dependencies.folder, "diagram.html", FRAME_POLICY, {"X-Frame-Options": "SAMEORIGIN"}
    )


async def _render_template(folder: Path, name: str, policy: str, headers: dict[str, str]) -> Response:
    """An HTML document and its policy, with a fresh nonce in both and the version of the static files."""
    nonce = secrets.token_urlsafe(18)
    template, version = await asyncio.to_thread(_template_and_version, folder, name)
    return Response(
        template.replace("{{nonce}}", nonce).replace("{{version}}", version),
        media_type="text/html",
        headers={"Content-Security-Policy": policy.format(nonce=nonce), "Cache-Control": "no-store", **headers},
    )


def _template_and_version(folder: Path, name: str) -> tuple[str, str]:
    return (folder / name).read_text(encoding="utf-8"), files_version(folder)


def files_version(folder: Path) -> str:
    """A digest that changes whenever a file below the folder does."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        stat = path.stat()
        digest.update(f"{path.relative_to(folder)}\0{stat.st_mtime_ns}\0{stat.st_size}\n".encode())
    return digest.hexdigest()[:12]


async def get_static_file(call: Call[PageFiles]) -> Response:
    """A file below the static folder; the version in its address makes it cacheable for ever."""
    path = find_file(call.dependencies.folder, call.request.path_params["path"])
    if path is None:
        raise HTTPException(404)
    content = await asyncio.to_thread(path.read_bytes)
    return Response(content, headers={"Content-Type": MEDIA_TYPES[path.suffix], "Cache-Control": IMMUTABLE_CACHE})


def find_file(folder: Path, name: str) -> Path | None:
    """The file of that name below the folder; None if it is hidden, of an unserved type, or not a file."""
    parts = name.split("/")
    if len(name) > NAME_MAX_CHARACTERS or not name.isprintable() or "\\" in name:
        return None
    if any(part == "" or part.startswith(".") for part in parts):
        return None
    path = (folder / name).resolve()
    is_below = path.is_relative_to(folder.resolve())
    return path if is_below and path.suffix in MEDIA_TYPES and path.is_file() else None
