"""ID tokens: whether a provider has signed one for this server and this visit, by joserfc and Authlib."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import InvalidKeyIdError, JoseError
from joserfc.jwk import JWKRegistry, Key, KeySet

from sprout.accounts.identities import Identity, IdentityRefused

LEEWAY_S = 60
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Signatures with a private key alone: `none` is none, and the key of HS256 would be one that everybody can read."""
KEY_TYPES = frozenset({"RSA", "EC", "OKP"})
MAX_SUBJECT = 255
NAME_CLAIMS = ("preferred_username", "email", "name")


class UnknownKey(Exception):
    """The token names a key that is not among those of the provider, or not yet."""


def signing_keys(document: object) -> KeySet:
    """The public keys of a provider that sign; those that cannot be read are as if they were not there."""
    listed = document.get("keys") if isinstance(document, Mapping) else None
    found = [_key(one) for one in listed] if isinstance(listed, Sequence) else []
    return KeySet([one for one in found if one is not None])


def identity_of(
    token: str, keys: KeySet, *, issuer: str, client_id: str, nonce: str, access_token: str | None
) -> Identity:
    """The person whom an ID token is about. Raises IdentityRefused, UnknownKey."""
    try:
        decoded = jwt.decode(token, keys, algorithms=ALGORITHMS)
        claims = CodeIDToken(
            decoded.claims,
            decoded.header,
            {"iss": {"essential": True, "value": issuer}, "aud": {"essential": True, "value": client_id}},
            {"nonce": nonce, "client_id": client_id, "access_token": access_token},
        )
        claims.validate(leeway=LEEWAY_S)
    except InvalidKeyIdError as error:
        raise UnknownKey from error
    except (JoseError, ValueError, TypeError) as error:
        raise IdentityRefused from error
    subject = decoded.claims["sub"]
    if not 0 < len(subject) <= MAX_SUBJECT:
        raise IdentityRefused
    return Identity(issuer, subject, _name(decoded.claims))


def _key(document: object) -> Key | None:
    if not isinstance(document, dict) or document.get("kty") not in KEY_TYPES or document.get("use") == "enc":
        return None
    try:
        return JWKRegistry.import_key(cast(Any, document))
    except (JoseError, ValueError, TypeError, KeyError):
        return None


def _name(claims: Mapping[str, Any]) -> str:
    """What the provider calls the person; their subject where it says no name."""
    names = [claims.get(one) for one in (*NAME_CLAIMS, "sub")]
    return next(one.strip() for one in names if isinstance(one, str) and one.strip())
