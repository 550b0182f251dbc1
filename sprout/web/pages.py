"""What a browser gets: the page with its nonce, and the files beside it under addresses that never change content."""

import asyncio
import hashlib
import re
import secrets
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from sprout.web.endpoint import Call
from sprout.web.parts import WebParts

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
FOREVER = "public, max-age=31536000, immutable"
NOT_PAGES = re.compile(r"/(api|static)(/|$)")
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
    """Whether an address that no endpoint has is one of the page's own: a browser's look at, say, /paths/{id}."""
    is_read = request.method in ("GET", "HEAD")
    return is_read and "text/html" in request.headers.get("accept", "") and not NOT_PAGES.match(request.url.path)


async def home(call: Call) -> Response:
    """The page."""
    return await page(call.parts)


async def page(parts: WebParts) -> Response:
    """index.html, with a fresh nonce and the version of the files beside it."""
    return await _filled(parts.static_dir, "index.html", PAGE_POLICY, {"Vary": "Accept"})


async def diagram_frame(call: Call) -> Response:
    """The frame in which diagrams are drawn: an origin of its own, no network, only the page around it may show it."""
    return await _filled(call.parts.static_dir, "diagram.html", FRAME_POLICY, {"X-Frame-Options": "SAMEORIGIN"})


async def _filled(folder: Path, name: str, policy: str, headers: dict[str, str]) -> Response:
    """A document under its policy, with a fresh nonce in both and the version of the files beside it."""
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
    """A short text that changes whenever a file below the folder does."""
    facts = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        stat = path.stat()
        facts.update(f"{path.relative_to(folder)}\0{stat.st_mtime_ns}\0{stat.st_size}\n".encode())
    return facts.hexdigest()[:12]


async def static_file(call: Call) -> Response:
    """A file below the static folder; the version in the address is there to be different after a change."""
    path = file_below(call.parts.static_dir, call.request.path_params["path"])
    if path is None:
        raise HTTPException(404)
    content = await asyncio.to_thread(path.read_bytes)
    return Response(content, headers={"Content-Type": MEDIA_TYPES[path.suffix], "Cache-Control": FOREVER})


def file_below(folder: Path, name: str) -> Path | None:
    """The file of that name, if it is a plain file of a type that is served, below the folder, and not hidden."""
    parts = name.split("/")
    if len(name) > NAME_MAX_CHARACTERS or not name.isprintable() or "\\" in name:
        return None
    if any(part == "" or part.startswith(".") for part in parts):
        return None
    path = (folder / name).resolve()
    is_below = path.is_relative_to(folder.resolve())
    return path if is_below and path.suffix in MEDIA_TYPES and path.is_file() else None
