"""Documents of an OpenID provider over HTTP: what it says of itself, its keys, and its answer to a code.

Authlib has the rules of OAuth; its own clients use requests or httpx, so that it is httpx2 here.
"""

import json
import logging
from typing import Any, Literal

import httpx2
from authlib.oauth2.auth import ClientAuth
from authlib.oauth2.rfc6749.parameters import prepare_token_request
from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from sprout.accounts.identities import IdentityRefused, ProviderUnavailable
from sprout.public_address import is_safe_url

TIMEOUT_S = 10
MAX_BYTES = 256 * 1024
DISCOVERY = "/.well-known/openid-configuration"

log = logging.getLogger(__name__)


class ProviderMetadata(BaseModel):
    """What a provider says of itself (OpenID Connect Discovery 1.0), as far as it is needed."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    token_endpoint_auth_methods_supported: tuple[str, ...] = ("client_secret_basic",)

    @field_validator("authorization_endpoint", "token_endpoint", "jwks_uri")
    @classmethod
    def _check_url(cls, value: str) -> str:
        if not is_safe_url(value):
            raise ValueError("not an https address")
        return value

    @property
    def auth_method(self) -> Literal["client_secret_basic", "client_secret_post"]:
        supported = self.token_endpoint_auth_methods_supported
        is_post = "client_secret_basic" not in supported and "client_secret_post" in supported
        return "client_secret_post" if is_post else "client_secret_basic"


class TokenResponse(BaseModel):
    """Answer to a code."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id_token: str
    access_token: str | None = None


async def fetch_metadata(issuer: str) -> ProviderMetadata:
    """What the issuer says of itself. Raises ProviderUnavailable, also where another issuer says it."""
    document = await _fetch("GET", issuer.rstrip("/") + DISCOVERY)
    try:
        found = ProviderMetadata.model_validate(document)
    except ValidationError as error:
        raise _unavailable("metadata") from error
    if found.issuer != issuer:
        raise _unavailable("issuer")
    return found


async def fetch_keys(metadata: ProviderMetadata) -> object:
    """The provider's keys as JSON. Raises ProviderUnavailable."""
    return await _fetch("GET", metadata.jwks_uri)


async def redeem_code(
    metadata: ProviderMetadata, code: str, *, client_id: str, client_secret: str, redirect_uri: str, verifier: str
) -> TokenResponse:
    """The tokens for a code. Raises IdentityRefused, ProviderUnavailable."""
    body = prepare_token_request("authorization_code", redirect_uri=redirect_uri, code=code, code_verifier=verifier)
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}
    client = ClientAuth(client_id, client_secret, metadata.auth_method)
    url, headers, body = client.prepare("POST", metadata.token_endpoint, headers, body)
    document = await _fetch("POST", url, headers=headers, content=body)
    try:
        return TokenResponse.model_validate(document)
    except ValidationError as error:
        raise IdentityRefused from error


async def _fetch(method: str, url: str, **request: Any) -> object:
    """The JSON at an address, which leads nowhere else. Raises ProviderUnavailable, IdentityRefused: a 4xx."""
    try:
        async with (
            httpx2.AsyncClient(timeout=TIMEOUT_S) as client,
            client.stream(method, url, **request) as response,
        ):
            content = b""
            async for piece in response.aiter_bytes():
                content += piece
                if len(content) > MAX_BYTES:
                    raise _unavailable("size")
        if method == "POST" and 400 <= response.status_code < 500:
            raise _refused(response.status_code)
        if response.status_code != 200:
            raise _unavailable(f"status {response.status_code}")
        return json.loads(content)
    except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:
        raise _unavailable(type(error).__name__) from error


def _unavailable(reason: str) -> ProviderUnavailable:
    log.warning("openid.unavailable", extra={"reason": reason})
    return ProviderUnavailable()


def _refused(status: int) -> IdentityRefused:
    log.warning("openid.code_refused", extra={"status": status})
    return IdentityRefused()
