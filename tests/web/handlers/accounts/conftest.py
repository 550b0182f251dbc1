"""A server on which people sign in, with a learner, another one, and an owner."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from harness.database.empty_sqlite import create_empty_database
from harness.servers.signed_in import SignInServer, serving_sign_in
from sprout.accounts.principal import AccountRole


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[SignInServer]:
    create_empty_database(tmp_path)
    async with serving_sign_in(tmp_path) as server:
        await server.add_person("anna")
        await server.add_person("bert")
        await server.add_person("olga", AccountRole.OWNER)
        yield server
