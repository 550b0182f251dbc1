"""People who sign in over TLS, behind the proxies of the guide: the real nginx and the real Caddy."""

import re
import shutil
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

from harness.free_port import free_port
from harness.servers.caddy import running_caddy
from harness.servers.certificate import Certificate, make_certificate
from harness.servers.nginx import running_nginx
from harness.servers.server_process import ServerSite
from harness.services import require

DEPLOY = Path(__file__).parents[3] / "deploy"
PASSWORD = "correct horse battery"
LEARNER_ADDRESS = "127.0.0.7"
"""Another address than the proxy's, as a learner has."""


@dataclass(frozen=True, slots=True)
class Proxied:
    """A server behind a proxy that speaks TLS."""

    site: ServerSite
    url: str
    trusted: ssl.SSLContext

    def client(self, **headers: str) -> httpx2.AsyncClient:
        """A browser at the address of a learner."""
        transport = httpx2.AsyncHTTPTransport(verify=self.trusted, local_address=LEARNER_ADDRESS)
        return httpx2.AsyncClient(
            base_url=self.url, transport=transport, timeout=30, headers={"Origin": self.url, **headers}
        )


@asynccontextmanager
async def nginx(folder: Path, port: int, upstream: int, certificate: Certificate) -> AsyncIterator[None]:
    shutil.copy(DEPLOY / "nginx" / "nginx.conf", folder)
    (folder / "upstream.conf").write_text(f"upstream sprout {{ server 127.0.0.1:{upstream}; keepalive 8; }}")
    (folder / "listen.conf").write_text(
        f"listen 127.0.0.1:{port} ssl http2;"  # understood by older nginx as well
        f"ssl_certificate {certificate.chain}; ssl_certificate_key {certificate.key};"
    )
    async with running_nginx(folder / "nginx.conf", port, folder):
        yield


@asynccontextmanager
async def caddy(folder: Path, port: int, upstream: int, certificate: Certificate) -> AsyncIterator[None]:
    """Caddy with a certificate of ours: it would get its own only for a name that the world knows."""
    known = (DEPLOY / "caddy" / "Caddyfile").read_text()
    here = "{\n\tadmin off\n\tauto_https disable_redirects\n}\n"
    ours = known.replace("{$SPROUT_SITE} {", f"{{$SPROUT_SITE}} {{\n\ttls {certificate.chain} {certificate.key}", 1)
    (folder / "Caddyfile").write_text(here + ours)
    variables = {"SPROUT_SITE": f"localhost:{port}", "SPROUT_UPSTREAM": f"127.0.0.1:{upstream}"}
    async with running_caddy(folder / "Caddyfile", port, folder, variables):
        yield


@pytest.fixture(params=[nginx, caddy], ids=["nginx", "caddy"])
async def proxied(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Proxied]:
    proxy: Callable[[Path, int, int, Certificate], AbstractAsyncContextManager[None]] = request.param
    require(proxy.__name__)
    port, certificate = free_port(), make_certificate(tmp_path)
    url = f"https://localhost:{port}"
    settings = {"SPROUT_AUTH": "password", "SPROUT_PUBLIC_URL": url, "SPROUT_TRUSTED_PROXIES": "127.0.0.1"}
    site = ServerSite(tmp_path, "http://127.0.0.1:9", None, settings)
    place = tmp_path / "proxy"
    place.mkdir()
    async with AsyncExitStack() as stack:
        stack.push_async_callback(site.kill_all)
        await site.start()
        await stack.enter_async_context(proxy(place, port, site.port, certificate))
        yield Proxied(site, url, ssl.create_default_context(cafile=certificate.chain))


async def test_the_first_owner_signs_in_and_learns_over_tls_and_a_forged_address_counts_for_nothing(
    proxied: Proxied,
) -> None:
    printed = re.search(rf"{proxied.url}/set-up#(\S+)", proxied.site.log.read_text())
    assert printed is not None
    async with proxied.client() as owner:
        given = {"code": printed[1], "name": "olga", "password": PASSWORD}
        made = await owner.post("/api/sign-in/set-up", json=given)
        assert made.status_code == 201
        cookie = made.headers["set-cookie"]
        assert cookie.startswith("__Host-sprout=")
        assert {"secure", "httponly", "path=/", "samesite=lax"} <= {part.strip().lower() for part in cookie.split(";")}
        await _opens_a_stream(owner)
        await _sign_in_from_a_forged_address(proxied)
        seen = (await owner.get("/api/security-log")).json()
        assert {event["address"] for event in seen if event["kind"] == "signed_in"} == {LEARNER_ADDRESS}
        for other in ({"Origin": "https://elsewhere.example"}, {"Origin": proxied.url.replace("https", "http")}):
            # nginx closes a connection whose body Sprout refused unread, without having said so.
            headers = other | {"Connection": "close"}
            assert (await owner.post("/api/branches", json={"title": "Light"}, headers=headers)).status_code == 403
        misled = await owner.get("/api/branches", headers={"Host": "elsewhere.example"})
        assert misled.status_code == 400 or not misled.content  # Caddy answers a name that is not its own with nothing
        assert [(await owner.get(path)).status_code for path in ("/metrics", "/readyz", "/healthz")] == [404, 404, 200]


async def _opens_a_stream(owner: httpx2.AsyncClient) -> None:
    """What is said at the start of a stream comes before the stream ends."""
    async with owner.stream("GET", "/api/events") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        assert await anext(stream.aiter_bytes())


async def _sign_in_from_a_forged_address(proxied: Proxied) -> None:
    async with proxied.client(**{"X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "http"}) as forger:
        answer = await forger.post("/api/sign-in", json={"name": "olga", "password": PASSWORD})
        assert answer.status_code == 200
        assert "Secure" in answer.headers["set-cookie"]
