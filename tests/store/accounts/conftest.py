"""The repositories of accounts on one database."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest

from sprout.accounts.accounts import Accounts, NewAccount, Passwords
from sprout.accounts.classes import NewClassCode
from sprout.accounts.given_paths import PathGiver
from sprout.accounts.principal import AccountRole
from sprout.accounts.security_log import Origin, SecurityLog
from sprout.accounts.sessions import Sessions
from sprout.accounts.tokens import Tokens
from sprout.clock import utc_now
from sprout.learning.paths.path_file import parse_path
from sprout.store.accounts.accounts import SqlAccounts
from sprout.store.accounts.classes import SqlClasses
from sprout.store.accounts.given_paths import SqlGivenPaths
from sprout.store.accounts.memberships import SqlMemberships
from sprout.store.accounts.passwords import SqlPasswords
from sprout.store.accounts.security_log import SqlSecurityLog
from sprout.store.accounts.sessions import SqlSessions
from sprout.store.accounts.tokens import SqlTokens
from sprout.store.documents.local_storage import LocalStorage
from sprout.store.engine.database import Database, open_database
from sprout.store.engine.quotas import Quotas
from sprout.store.paths.exchange import SqlPathExchange
from sprout.store.paths.paths import SqlPaths

FITS: tuple[type[Accounts], type[Passwords], type[Sessions], type[Tokens], type[SecurityLog]] = (
    SqlAccounts,
    SqlPasswords,
    SqlSessions,
    SqlTokens,
    SqlSecurityLog,
)  # mypy checks it
HERE = Origin("192.0.2.7")
EXAMPLE = Path(__file__).parents[3] / "examples" / "fractions.yaml"
CODES = ("BCDFGHJK", "KJHGFDCB")


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


@dataclass(frozen=True)
class SchoolWithPath:
    """A teacher with a path, two classes, and learners of the first one; a learner may have three paths of 40 nodes."""

    database: Database
    paths: SqlPaths
    exchange: SqlPathExchange
    given: SqlGivenPaths
    giver: PathGiver
    accounts: SqlAccounts
    classes: SqlClasses
    memberships: SqlMemberships
    teacher: str
    branch_id: str
    class_ids: tuple[str, ...]
    learners: tuple[str, ...]

    async def give(self, at: int = 0) -> str:
        """The path, given to a class, of which no copy is made yet."""
        given, _ = await self.given.give(self.class_ids[at], self.branch_id, due_on=None, teacher_id=self.teacher)
        return given.id

    async def numbers(self) -> list[int]:
        """How many paths each learner has."""
        return [len(await self.paths.branches(learner)) for learner in self.learners]


@pytest.fixture
async def school_with_path(database_url: str, data_dir: Path) -> AsyncIterator[SchoolWithPath]:
    async with open_school(database_url, data_dir) as school:
        yield school


@asynccontextmanager
async def open_school(database_url: str, data_dir: Path) -> AsyncIterator[SchoolWithPath]:
    """A school in an empty database."""
    async with open_database(database_url, quotas=Quotas(paths=3, nodes_per_path=40)) as database:
        accounts, classes, memberships = SqlAccounts(database), SqlClasses(database), SqlMemberships(database)
        teacher = await an_account(accounts, "Tess", AccountRole.TEACHER)
        exchange, given = SqlPathExchange(database), SqlGivenPaths(database)
        branch = await exchange.import_path(parse_path(EXAMPLE.read_text()), user_id=teacher)
        class_ids = []
        for code in CODES:
            class_ids.append((await classes.create(code, teacher_id=teacher)).id)
            new = NewClassCode(code, utc_now() + timedelta(1), 9)
            await classes.issue_code(class_ids[-1], new, teacher_id=teacher)
        learners = [await memberships.join_anew(CODES[0], f"L{n}", f"card {n}", origin=HERE) for n in range(3)]
        yield SchoolWithPath(
            database,
            SqlPaths(database, lambda _: None, storage=LocalStorage(data_dir)),
            exchange,
            given,
            PathGiver(given),
            accounts,
            classes,
            memberships,
            teacher,
            branch.id,
            tuple(class_ids),
            tuple(learners),
        )
