"""OpenID provider: where people sign in elsewhere, and what its tokens prove; its documents are kept for an hour."""

import asyncio
import logging
import time
from dataclasses import dataclass, field

from authlib.oauth2.rfc6749.parameters import prepare_grant_uri
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from joserfc.jwk import KeySet

from sprout.accounts.identities import Identity, IdentityRefused
from sprout.openid.documents import ProviderMetadata, TokenResponse, fetch_keys, fetch_metadata, redeem_code
from sprout.openid.id_tokens import UnknownKey, identity_of, signing_keys

KEPT_S = 3600
NEW_KEYS_EVERY_S = 30
"""How often keys are fetched anew for a token that names an unknown one: anybody may send such tokens."""
SCOPE = "openid profile email"  # the last two for a name to show, no more

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Registration:
    """How this server is known at the provider."""

    issuer: str
    client_id: str
    client_secret: str = field(repr=False)
    redirect_uri: str


class OpenIdProvider:
    """An IdentityProvider.

    Args:
        new_keys_every_s: see `NEW_KEYS_EVERY_S`.
    """

    def __init__(self, registration: Registration, *, new_keys_every_s: float = NEW_KEYS_EVERY_S) -> None:
        self._registration, self._new_keys_every_s = registration, new_keys_every_s
        self._metadata: tuple[float, ProviderMetadata] | None = None
        self._keys: tuple[float, KeySet] | None = None
        self._fetching = asyncio.Lock()

    @property
    def issuer(self) -> str:
        return self._registration.issuer

    async def authorization_url(self, *, state: str, nonce: str, verifier: str) -> str:
        """As IdentityProvider says."""
        metadata = await self._current_metadata()
        url: str = prepare_grant_uri(
            metadata.authorization_endpoint,
            self._registration.client_id,
            "code",
            redirect_uri=self._registration.redirect_uri,
            scope=SCOPE,
            state=state,
            nonce=nonce,
            code_challenge=create_s256_code_challenge(verifier),
            code_challenge_method="S256",
        )
        return url

    async def redeem(self, code: str, *, nonce: str, verifier: str) -> Identity:
        """As IdentityProvider says."""
        metadata, us = await self._current_metadata(), self._registration
        tokens = await redeem_code(
            metadata,
            code,
            client_id=us.client_id,
            client_secret=us.client_secret,
            redirect_uri=us.redirect_uri,
            verifier=verifier,
        )
        fetched_at, keys = await self._current_keys(metadata)
        try:
            return self._identity(tokens, keys, nonce)
        except UnknownKey:
            keys = await self._newer_keys(metadata, fetched_at)
        try:
            return self._identity(tokens, keys, nonce)
        except UnknownKey as error:
            log.warning("openid.unknown_key")
            raise IdentityRefused from error

    def _identity(self, tokens: TokenResponse, keys: KeySet, nonce: str) -> Identity:
        try:
            return identity_of(
                tokens.id_token,
                keys,
                issuer=self.issuer,
                client_id=self._registration.client_id,
                nonce=nonce,
                access_token=tokens.access_token,
            )
        except IdentityRefused as error:
            log.warning("openid.token_refused", extra={"reason": repr(error.__cause__)})
            raise

    async def _current_metadata(self) -> ProviderMetadata:
        async with self._fetching:
            if self._metadata is None or time.monotonic() - self._metadata[0] > KEPT_S:
                self._metadata = time.monotonic(), await fetch_metadata(self.issuer)
            return self._metadata[1]

    async def _current_keys(self, metadata: ProviderMetadata) -> tuple[float, KeySet]:
        async with self._fetching:
            if self._keys is None or time.monotonic() - self._keys[0] > KEPT_S:
                self._keys = time.monotonic(), signing_keys(await fetch_keys(metadata))
            return self._keys

    async def _newer_keys(self, metadata: ProviderMetadata, than: float) -> KeySet:
        """Keys that are newer than those of a time, as far as they may be fetched again already."""
        async with self._fetching:
            assert self._keys is not None
            fetched_at, keys = self._keys
            if fetched_at > than or time.monotonic() - fetched_at < self._new_keys_every_s:
                return keys
            self._keys = time.monotonic(), signing_keys(await fetch_keys(metadata))
            return self._keys[1]
