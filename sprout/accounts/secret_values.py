"""Secrets that a server gives out once and keeps as digests: ids of sessions, access tokens, one-time codes.

They have 256 random bits, so that a plain digest is as good as a slow one.
"""

import secrets
from hashlib import sha256

SECRET_BYTES = 32


def new_secret() -> str:
    """A new secret of 256 bits, as text that needs no escaping in a cookie, a header or an address."""
    return secrets.token_urlsafe(SECRET_BYTES)


def digest_of(secret: str) -> str:
    """The stored digest of a secret, 64 hexadecimal digits."""
    return sha256(secret.encode("utf-8", "replace")).hexdigest()
