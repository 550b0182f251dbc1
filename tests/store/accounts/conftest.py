"""The repositories of accounts on one database."""

import pytest

from sprout.accounts.accounts import Accounts, NewAccount, Passwords
from sprout.accounts.principal import AccountRole
from sprout.accounts.security_log import Origin, SecurityLog
from sprout.accounts.sessions import Sessions
from sprout.accounts.tokens import Tokens
from sprout.store.accounts.accounts import SqlAccounts
from sprout.store.accounts.passwords import SqlPasswords
from sprout.store.accounts.security_log import SqlSecurityLog
from sprout.store.accounts.sessions import SqlSessions
from sprout.store.accounts.tokens import SqlTokens
from sprout.store.engine.database import Database

FITS: tuple[type[Accounts], type[Passwords], type[Sessions], type[Tokens], type[SecurityLog]] = (
    SqlAccounts,
    SqlPasswords,
    SqlSessions,
    SqlTokens,
    SqlSecurityLog,
)  # mypy checks it
HERE = Origin("192.0.2.7")


@pytest.fixture
def accounts(database: Database) -> SqlAccounts:
    return SqlAccounts(database)


@pytest.fixture
def passwords(database: Database) -> SqlPasswords:
    return SqlPasswords(database)


@pytest.fixture
def sessions(database: Database) -> SqlSessions:
    return SqlSessions(database)


@pytest.fixture
def tokens(database: Database) -> SqlTokens:
    return SqlTokens(database)


@pytest.fixture
def security_log(database: Database) -> SqlSecurityLog:
    return SqlSecurityLog(database)


async def an_account(accounts: SqlAccounts, name: str = "Anna", role: AccountRole = AccountRole.LEARNER) -> str:
    """The user of a new account with a password."""
    return (await accounts.create(NewAccount(name, name, role, "hash"), origin=HERE)).user_id
