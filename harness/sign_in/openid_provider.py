"""An OpenID provider for tests, over real HTTP and with real keys; whoever comes is signed in at once.

What is wrong with its tokens is set on `faults`.
"""

import base64
import secrets
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qs, urlencode

from joserfc import jwt
from joserfc.jwk import KeySet, RSAKey
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from harness.servers.in_process import serve_app

CLIENT_ID, CLIENT_SECRET = "sprout-client", "provider-secret"


def new_key() -> RSAKey:
    """A key with an id of its own."""
    return RSAKey.generate_key(2048, {"kid": secrets.token_hex(8), "use": "sig", "alg": "RS256"})


@cache
def first_key() -> RSAKey:
    """The key with which every provider of this process begins: a new one may take seconds."""
    return new_key()


@dataclass
class Faults:
    """Faults of the provider.

    Args:
        claims: of the token, instead of the right ones; None leaves one out.
        metadata: of the provider, instead of the right one.
        encode: makes the token of its claims.
        answer: to every code.
    """

    claims: dict[str, Any] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)
    encode: Callable[[dict[str, Any]], str] | None = None
    answer: Response | None = None


@dataclass
class OpenIdProvider:
    """A running provider, the person who is signed in there, and how often each address was asked."""

    issuer: str = ""
    subject: str = "subject-1"
    username: str = "anna@school.example"
    key: RSAKey = field(default_factory=first_key)
    published: list[RSAKey] = field(default_factory=list)
    faults: Faults = field(default_factory=Faults)
    asked: Counter[str] = field(default_factory=Counter)
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    last_tokens: dict[str, Any] = field(default_factory=dict)

    def rotate(self) -> None:
        """Sign with a new key from now on; the ones before are published no more."""
        self.key = new_key()
        self.published = [self.key]

    def app(self) -> Starlette:
        """The provider as an application."""
        return Starlette(
            routes=[
                Route("/.well-known/openid-configuration", self._metadata),
                Route("/authorize", self._authorize),
                Route("/token", self._token, methods=["POST"]),
                Route("/keys", self._keys),
            ]
        )

    async def _metadata(self, request: Request) -> Response:
        self.asked["metadata"] += 1
        said = {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
        }
        return JSONResponse({**said, **self.faults.metadata})

    async def _keys(self, request: Request) -> Response:
        self.asked["keys"] += 1
        return JSONResponse(KeySet(list(self.published)).as_dict(private=False))

    async def _authorize(self, request: Request) -> Response:
        self.asked["authorize"] += 1
        asked = dict(request.query_params)
        code = secrets.token_urlsafe(16)
        self.codes[code] = asked
        answer = urlencode({"code": code, "state": asked["state"], "iss": self.issuer, "session_state": "x"})
        return RedirectResponse(f"{asked['redirect_uri']}?{answer}", 302)

    async def _token(self, request: Request) -> Response:
        self.asked["token"] += 1
        if self.faults.answer is not None:
            return self.faults.answer
        form = {name: values[0] for name, values in parse_qs((await request.body()).decode()).items()}
        asked = self.codes.pop(form.get("code", ""), None)
        if asked is None or not _is_known(request) or not _fits(form, asked):
            return JSONResponse({"error": "invalid_grant"}, 400)
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "aud": CLIENT_ID,
            "sub": self.subject,
            "nonce": asked["nonce"],
            "iat": now,
            "exp": now + 300,
            "preferred_username": self.username,
        } | self.faults.claims
        kept = {name: value for name, value in claims.items() if value is not None}
        encode = self.faults.encode or self.signed
        self.last_tokens = {"access_token": "access", "token_type": "Bearer", "id_token": encode(kept)}
        return JSONResponse(self.last_tokens)

    def signed(self, claims: dict[str, Any]) -> str:
        """The claims, signed as they should be."""
        return jwt.encode({"alg": "RS256", "kid": self.key.kid}, claims, self.key)


@asynccontextmanager
async def serving_provider() -> AsyncIterator[OpenIdProvider]:
    """A provider on a free port."""
    provider = OpenIdProvider()
    provider.published = [provider.key]
    async with serve_app(provider.app()) as served:
        provider.issuer = served.url
        yield provider


def oidc_settings(provider: OpenIdProvider, name: str = "Lindenschule") -> dict[str, str]:
    """The settings of a server that is registered at the provider."""
    return {"issuer": provider.issuer, "client_id": CLIENT_ID, "client_secret": CLIENT_SECRET, "name": name}


def _is_known(request: Request) -> bool:
    expected = base64.b64encode(f"{CLIENT_ID}:{CLIENT_SECRET}".encode()).decode()
    return request.headers.get("authorization") == f"Basic {expected}"


def _fits(form: dict[str, str], asked: dict[str, str]) -> bool:
    digest = base64.urlsafe_b64encode(sha256(form.get("code_verifier", "").encode()).digest()).rstrip(b"=").decode()
    is_s256 = asked.get("code_challenge_method") == "S256"
    return is_s256 and digest == asked.get("code_challenge") and form.get("redirect_uri") == asked["redirect_uri"]
