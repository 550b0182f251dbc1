"""Access watch: ends what goes on for long once its caller may no longer have it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
from starlette.requests import Request

from sprout.accounts.principal import Principal
from sprout.errors import MissingRight, NotSignedIn, SproutError
from sprout.web.http.authentication import Authenticate

CHECK_EVERY_S = 10.0


@asynccontextmanager
async def while_admitted(
    request: Request, caller: Principal, authenticate: Authenticate, *, every_s: float = CHECK_EVERY_S
) -> AsyncIterator[None]:
    """Leave the block early once the request would no longer be the caller's: signed out, expired, disabled, or with
    other rights."""
    with anyio.CancelScope() as scope:
        watching = asyncio.create_task(_watch(request, caller, authenticate, every_s, scope))
        try:
            yield
        finally:
            watching.cancel()
            await asyncio.wait([watching])


async def _watch(
    request: Request, caller: Principal, authenticate: Authenticate, every_s: float, scope: anyio.CancelScope
) -> None:
    while True:
        await asyncio.sleep(every_s)
        try:
            still = await authenticate(request) == caller
        except (NotSignedIn, MissingRight):
            still = False
        except SproutError:  # the database is away: who the caller is shows once it is back
            still = True
        if not still:
            scope.cancel()
            return
