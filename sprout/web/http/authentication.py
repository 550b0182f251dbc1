"""Authentication: from a request to the principal that sends it."""

from collections.abc import Awaitable, Callable

from starlette.requests import Request

from sprout.accounts.principal import Principal

Authenticate = Callable[[Request], Awaitable[Principal | None]]
"""The sender of a request; None for one that names none. Raises NotSignedIn: what it names is not valid (any more)."""


def always(principal: Principal) -> Authenticate:
    """Every request is sent by the same principal: a server for one person, on their own machine."""

    async def authenticate(_: Request) -> Principal:
        return principal

    return authenticate
