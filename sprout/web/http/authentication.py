"""Authentication: from a request to the principal that sends it."""

from collections.abc import Awaitable, Callable

from starlette.requests import Request

from sprout.accounts.principal import Principal, Scope
from sprout.accounts.secret_values import digest_of
from sprout.accounts.sessions import Sessions
from sprout.accounts.tokens import Tokens
from sprout.errors import MissingRight, NotSignedIn
from sprout.web.http.middleware import SAFE_METHODS
from sprout.web.http.secret_cookie import SecretCookie

Authenticate = Callable[[Request], Awaitable[Principal | None]]
"""The sender of a request; None for one that names none. Raises NotSignedIn: what it names is not valid (any more)."""


class InvalidToken(NotSignedIn):
    """An access token that is unknown, expired or revoked, or does not count where it stands."""

    code = "token_invalid"

    def __init__(self) -> None:
        super().__init__("This access token is not valid, or no longer.")


class ForeignPage(MissingRight):
    """A request with a session that changes something, and does not prove to come from this server's page."""

    code = "other_site"

    def __init__(self) -> None:
        super().__init__("Pages of other sites can't change anything here.")


def always(principal: Principal) -> Authenticate:
    """Every request is sent by the same principal: a server for one person, on their own machine."""

    async def authenticate(_: Request) -> Principal:
        return principal

    return authenticate


class AccountAuthentication:
    """Authenticate by access token or session; a token wins.

    An address may hold a token too, for a program that can send no header, if all that the token may is read the
    calendar: addresses are kept in too many places for any other.

    Args:
        origin: of this server's page, such as `https://sprout.example`; by default that of the request's Host header.
    """

    def __init__(self, sessions: Sessions, tokens: Tokens, cookie: SecretCookie, origin: str | None) -> None:
        self._sessions, self._tokens, self._cookie, self._origin = sessions, tokens, cookie, origin

    async def __call__(self, request: Request) -> Principal | None:
        """An Authenticate. Raises ForeignPage."""
        authorization = request.headers.get("authorization")
        if authorization is not None:
            return await self._bearer(authorization)
        in_address = request.query_params.get("accessToken")
        if in_address is not None:
            return await self._calendar_token(in_address)
        secret = self._cookie.read(request)
        principal = None if secret is None else await self._sessions.find(digest_of(secret))
        if principal is not None and request.method not in SAFE_METHODS and not self._is_own_page(request):
            raise ForeignPage
        return principal

    async def _bearer(self, authorization: str) -> Principal:
        scheme, _, secret = authorization.partition(" ")
        return await self._token(secret.strip() if scheme.lower() == "bearer" else "")

    async def _calendar_token(self, secret: str) -> Principal:
        found = await self._token(secret)
        if found.scopes != {Scope.CALENDAR}:
            raise InvalidToken
        return found

    async def _token(self, secret: str) -> Principal:
        found = await self._tokens.find(digest_of(secret))
        if found is None:
            raise InvalidToken
        return found

    def _is_own_page(self, request: Request) -> bool:
        """Whether the browser says that this server's own page sends it; SameSite lets other ports' pages through."""
        origin = request.headers.get("origin")
        if origin is None:
            return request.headers.get("sec-fetch-site", "").lower() == "same-origin"
        return origin.lower() == (self._origin or f"http://{request.headers.get('host', '')}").lower()
