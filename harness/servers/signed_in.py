"""A server on which people sign in, its people, and clients that send their cookies as a browser does."""

import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import httpx2

from harness.servers.chosen_settings import ChosenSettings
from harness.servers.in_process import RunningServer, serve_app
from sprout.accounts.accounts import NewAccount
from sprout.accounts.passwords import hash_password
from sprout.accounts.principal import AccountRole
from sprout.accounts.security_log import TERMINAL
from sprout.app import Sprout, open_app, web_dependencies
from sprout.web.http.dependencies import AccountRepositories
from sprout.web.http.rate_limits import TakeToken
from sprout.web.routes import web_app

PASSWORD = "correct horse battery"
OFFLINE_TOKENS_PER_S = 100_000


@dataclass(frozen=True, slots=True)
class SignInServer:
    """A running server with accounts."""

    served: RunningServer
    sprout: Sprout
    accounts: AccountRepositories
    stack: AsyncExitStack
    password_hash: str
    origin: str

    async def add_person(self, name: str, role: AccountRole = AccountRole.LEARNER) -> str:
        """The user of a new account with PASSWORD."""
        new = NewAccount(name, name, role, self.password_hash)
        return (await self.accounts.accounts.create(new, origin=TERMINAL)).user_id

    async def browser(self) -> httpx2.AsyncClient:
        """A browser that shows the server's page, and is not signed in."""
        headers = {"Origin": self.origin, "User-Agent": "Test Browser"}
        client = httpx2.AsyncClient(base_url=self.origin, timeout=60, verify=False, headers=headers)
        return await self.stack.enter_async_context(client)

    async def sign_in(self, name: str, password: str = PASSWORD) -> httpx2.AsyncClient:
        """A browser in which the person has signed in."""
        client = await self.browser()
        (await client.post("/api/sign-in", json={"name": name, "password": password})).raise_for_status()
        return client

    async def list_people(self) -> list[dict[str, object]]:
        """All accounts as the owner olga sees them, without when each was last seen, which every request changes."""
        olga = await self.sign_in("olga")
        found = (await olga.get("/api/people")).raise_for_status().json()
        return [{name: value for name, value in one.items() if name != "lastSeenAt"} for one in found]

    async def with_token(self, token: str) -> httpx2.AsyncClient:
        """A program with an access token."""
        headers = {"Authorization": f"Bearer {token}"}
        client = httpx2.AsyncClient(base_url=self.origin, timeout=60, verify=False, headers=headers)
        return await self.stack.enter_async_context(client)


@cache
def hash_of_password() -> str:
    """The hash of PASSWORD, which is as slow to make as it is to guess."""
    return hash_password(PASSWORD)


async def unlimited(name: str, per_s: float, burst: int) -> float:
    """A TakeToken that never refuses."""
    return 0


@asynccontextmanager
async def serving_sign_in(
    data_dir: Path,
    database_url: str | None = None,
    *,
    methods: str = "password",
    take_token: TakeToken | None = None,
    **more: object,
) -> AsyncIterator[SignInServer]:
    """A server on which people sign in, with passwords where nothing else is said.

    Args:
        methods: where there are others than passwords, the server is called by a name, which passkeys need; so it is
            where it sends mails.
        take_token: `unlimited` for tests that share a server, and with it the attempts of one address.
        more: settings.
    """
    async with AsyncExitStack() as stack:
        listening_on = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        has_name = methods != "password" or "smtp" in more
        public_url = f"http://localhost:{listening_on.getsockname()[1]}" if has_name else None
        settings = ChosenSettings.model_validate(
            {
                "data_dir": data_dir,
                "database_url": database_url,
                "offline_tokens_per_s": OFFLINE_TOKENS_PER_S,
                "auth": methods,
                "public_url": public_url,
                **more,
            }
        )
        sprout = await stack.enter_async_context(open_app(settings))
        if take_token is not None:
            sprout = replace(sprout, shared=replace(sprout.shared, take_token=take_token))
        dependencies = web_dependencies(sprout)
        served = await stack.enter_async_context(serve_app(web_app(dependencies), listening_on=listening_on))
        clients = await stack.enter_async_context(AsyncExitStack())
        origin = public_url or served.url
        yield SignInServer(served, sprout, dependencies.account_repositories, clients, hash_of_password(), origin)
