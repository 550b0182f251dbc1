"""A server on which people sign in, and the access tokens of two learners for their assistants."""

from collections.abc import AsyncIterator

import httpx2
import pytest

from harness.clients.assistant import a_token
from harness.servers.signed_in import SignInServer, serving_sign_in, unlimited


@pytest.fixture(scope="package")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[SignInServer]:
    async with serving_sign_in(tmp_path_factory.mktemp("assistants"), take_token=unlimited) as running:
        for name in ("anna", "ben"):
            await running.add_person(name)
        yield running


@pytest.fixture
async def anna(server: SignInServer) -> httpx2.AsyncClient:
    """Signed in just now, as making a token requires."""
    return await server.sign_in("anna")


@pytest.fixture(scope="package")
async def token(server: SignInServer) -> str:
    return await a_token(await server.sign_in("anna"), "read", "learn")


@pytest.fixture(scope="package")
async def bens_token(server: SignInServer) -> str:
    return await a_token(await server.sign_in("ben"), "read", "learn")
