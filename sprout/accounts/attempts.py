"""Attempts: a challenge or a state that waits for one browser's answer, once, for minutes."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol

from sprout.accounts.secret_values import digest_of
from sprout.accounts.sign_in import Browser
from sprout.clock import utc_now
from sprout.errors import SproutError

ATTEMPT_LIFETIME = timedelta(minutes=10)


class Purpose(StrEnum):
    """The purpose of an answer; one for another purpose is refused."""

    PASSKEY = "passkey"
    PASSKEY_AFTER_PASSWORD = "passkey_after_password"  # noqa: S105 - the name of a purpose
    NEW_PASSKEY = "new_passkey"
    IDENTITY = "identity"
    IDENTITY_LINK = "identity_link"
    IDENTITY_BY_CODE = "identity_by_code"


class AttemptInvalid(SproutError):
    """An answer to what was never asked, was asked of another browser or for something else, too late, or twice."""

    code = "attempt_invalid"

    def __init__(self) -> None:
        super().__init__("This took too long or was answered before. Try again.")


@dataclass(frozen=True, slots=True)
class Attempt:
    """The purpose of an answer.

    Args:
        user_id: whose answer it must be, where that is known.
        code_digest: of the link that allowed the attempt, and is used up by its end.
    """

    purpose: Purpose
    user_id: str | None = None
    code_digest: str | None = None


class Attempts(Protocol):
    async def keep(self, secret_digest: str, browser_digest: str, attempt: Attempt, *, expires_at: datetime) -> None:
        """Keep an attempt; those that are over are deleted."""
        ...

    async def take(self, secret_digest: str, browser_digest: str, purposes: frozenset[Purpose]) -> Attempt:
        """The attempt with this secret, of this browser and with one of the purposes, which is gone then, however it
        ends. Raises AttemptInvalid."""
        ...


async def keep_attempt(attempts: Attempts, secret: str, browser_secret: str, attempt: Attempt) -> None:
    """Keep the digests of an attempt's two secrets: one comes back in the answer, the other one in a cookie."""
    expires_at = utc_now() + ATTEMPT_LIFETIME
    await attempts.keep(digest_of(secret), digest_of(browser_secret), attempt, expires_at=expires_at)


async def take_attempt(attempts: Attempts, secret: str, browser: Browser, *purposes: Purpose) -> Attempt:
    """As `Attempts.take` does. Raises AttemptInvalid."""
    if browser.attempt_secret is None:
        raise AttemptInvalid
    return await attempts.take(digest_of(secret), digest_of(browser.attempt_secret), frozenset(purposes))
