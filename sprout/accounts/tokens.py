"""Access tokens: with which programs call the API for a person, with some of their rights."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from sprout.accounts.principal import Principal, Scope
from sprout.accounts.security_log import Origin
from sprout.errors import Conflict
from sprout.events import Wire

MAX_TOKENS = 50
MAX_DAYS = 366


class TokenRow(Wire):
    """A token, without its secret, which is shown once."""

    id: str
    name: str
    scopes: Sequence[Scope]
    created_at: str
    expires_at: str
    last_used_at: str | None


class NewTokenRow(TokenRow):
    """A token that was just made, with its secret."""

    token: str


class TooManyTokens(Conflict):
    """The account has as many tokens as it may."""

    code = "too_many_tokens"

    def __init__(self) -> None:
        super().__init__("You have {most} tokens. Revoke one first.", most=MAX_TOKENS)


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token to be made; `scopes` are among those of its account's role."""

    name: str
    scopes: frozenset[Scope]
    expires_at: datetime


class Tokens(Protocol):
    async def create(self, secret_digest: str, new: NewToken, *, user_id: str, origin: Origin) -> TokenRow:
        """Raises TooManyTokens, NotFound: the user has no account."""
        ...

    async def find(self, secret_digest: str) -> Principal | None:
        """The caller whom this secret stands for; None for one that is unknown, expired, or of a disabled account."""
        ...

    async def tokens(self, user_id: str) -> list[TokenRow]:
        """Those of the user, newest first."""
        ...

    async def revoke(self, token_id: str, *, user_id: str, origin: Origin) -> None:
        """Raises NotFound."""
        ...
