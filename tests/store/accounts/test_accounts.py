"""Accounts and passwords on both databases."""

import asyncio
from datetime import timedelta

import pytest
from sqlmodel import col, update

from sprout.accounts.accounts import CodeInvalid, LastOwner, LinkHolder, LinkPurpose, NameTaken, NewAccount
from sprout.accounts.principal import AccountRole
from sprout.accounts.secret_values import digest_of, new_secret
from sprout.accounts.security_log import SecurityEventKind
from sprout.clock import utc_now
from sprout.errors import NotFound
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.store.account.account import SqlAccount
from sprout.store.accounts.accounts import SqlAccounts
from sprout.store.accounts.passwords import SqlPasswords
from sprout.store.accounts.security_log import SqlSecurityLog
from sprout.store.accounts.sessions import SqlSessions
from sprout.store.engine.database import Database
from sprout.store.paths.paths import SqlPaths
from sprout.store.schema.account_tables import OneTimeCode
from tests.store.accounts.conftest import HERE, an_account

LATER = timedelta(hours=1)


async def a_code(passwords: SqlPasswords, user_id: str | None = None) -> str:
    digest = digest_of(new_secret())
    await passwords.issue_code(digest, user_id=user_id, expires_at=utc_now() + LATER, origin=HERE)
    return digest


@pytest.mark.parametrize("same", ["anna", "ANNA", "Ａnna"])
async def test_a_name_is_found_and_taken_however_it_is_written(accounts: SqlAccounts, same: str) -> None:
    user_id = await an_account(accounts, "Anna")
    found = await accounts.find(same)
    assert found is not None
    assert found.user_id == user_id
    with pytest.raises(NameTaken):
        await an_account(accounts, same)
    assert await accounts.find("anna ") is not None
    assert await accounts.find("bert") is None


async def test_of_two_who_take_a_name_at_once_one_gets_it(accounts: SqlAccounts) -> None:
    made = await asyncio.gather(*(an_account(accounts, name) for name in ("Kim", "KIM", "kim")), return_exceptions=True)
    assert [type(one) for one in made if isinstance(one, Exception)] == [NameTaken, NameTaken]
    assert len(await accounts.accounts()) == 1


async def test_the_only_owner_stays_one(accounts: SqlAccounts, database: Database, paths: SqlPaths) -> None:
    first = await an_account(accounts, "Olga", AccountRole.OWNER)
    for change in ({"role": AccountRole.TEACHER}, {"disabled": True}):
        with pytest.raises(LastOwner):
            await accounts.change(first, origin=HERE, **change)
    with pytest.raises(LastOwner):
        await SqlAccount(database, storage=paths.storage).erase(first)
    assert await accounts.has_owner()
    await an_account(accounts, "Otto", AccountRole.OWNER)
    assert (await accounts.change(first, role=AccountRole.TEACHER, origin=HERE)).role is AccountRole.TEACHER
    await SqlAccount(database, storage=paths.storage).erase(first)
    assert [one.name for one in await accounts.accounts()] == ["Otto"]


async def test_of_two_owners_who_leave_at_once_one_stays(accounts: SqlAccounts) -> None:
    users = [await an_account(accounts, name, AccountRole.OWNER) for name in ("Olga", "Otto")]
    left = await asyncio.gather(
        *(accounts.change(one, disabled=True, origin=HERE) for one in users), return_exceptions=True
    )
    assert [type(one) for one in left if isinstance(one, Exception)] == [LastOwner]


async def test_changed_rights_end_the_sessions(accounts: SqlAccounts, sessions: SqlSessions) -> None:
    user_id = await an_account(accounts)
    await an_account(accounts, "Olga", AccountRole.OWNER)
    for change in ({"role": AccountRole.TEACHER}, {"disabled": True}):
        await sessions.begin("digest", user_id, user_agent="", replaces=None, origin=HERE)
        await accounts.change(user_id, origin=HERE, **change)
        assert await sessions.find("digest") is None
    with pytest.raises(NotFound):
        await sessions.begin("digest", user_id, user_agent="", replaces=None, origin=HERE)


async def test_a_code_sets_a_password_once_and_ends_what_was_begun_before(
    accounts: SqlAccounts, passwords: SqlPasswords, sessions: SqlSessions
) -> None:
    user_id = await an_account(accounts)
    await sessions.begin("digest", user_id, user_agent="", replaces=None, origin=HERE)
    replaced, code = await a_code(passwords, user_id), await a_code(passwords, user_id)
    with pytest.raises(CodeInvalid):
        await passwords.set_password_by_code(replaced, "new", origin=HERE)
    tried = await asyncio.gather(
        *(passwords.set_password_by_code(code, f"new {n}", origin=HERE) for n in range(3)), return_exceptions=True
    )
    assert [one for one in tried if not isinstance(one, CodeInvalid)] == [LinkHolder(user_id, LinkPurpose.SIGN_IN)]
    assert ((await accounts.credentials(user_id)).password_hash or "").startswith("new")
    assert await sessions.find("digest") is None


async def test_a_code_that_has_expired_or_is_for_a_disabled_account_sets_nothing(
    accounts: SqlAccounts, passwords: SqlPasswords, database: Database
) -> None:
    user_id = await an_account(accounts)
    code = await a_code(passwords, user_id)
    await accounts.change(user_id, disabled=True, origin=HERE)
    with pytest.raises(CodeInvalid):
        await passwords.set_password_by_code(code, "new", origin=HERE)
    await accounts.change(user_id, disabled=False, origin=HERE)
    expired = update(OneTimeCode).values(expires_at=utc_now()).where(col(OneTimeCode.user_id) == user_id)
    await database.write_tx(lambda tx: tx.connection.execute(expired).close())
    with pytest.raises(CodeInvalid):
        await passwords.set_password_by_code(code, "new", origin=HERE)
    assert (await accounts.credentials(user_id)).password_hash == "hash"


async def test_the_code_of_the_set_up_makes_one_owner_and_sets_no_password(
    accounts: SqlAccounts, passwords: SqlPasswords
) -> None:
    of_account = await a_code(passwords, await an_account(accounts))
    codes = [await a_code(passwords), await a_code(passwords)]
    with pytest.raises(CodeInvalid):
        await passwords.set_password_by_code(codes[0], "new", origin=HERE)
    new = [NewAccount(name, name, AccountRole.OWNER, "hash") for name in ("Olga", "Otto")]
    with pytest.raises(CodeInvalid):
        await passwords.create_owner(of_account, new[0], origin=HERE)
    made = await asyncio.gather(
        *(passwords.create_owner(code, one, origin=HERE) for code, one in zip(codes, new, strict=True)),
        return_exceptions=True,
    )
    assert len([one for one in made if isinstance(one, CodeInvalid)]) == 1
    assert [one.role for one in await accounts.accounts()] == [AccountRole.LEARNER, AccountRole.OWNER]


async def test_the_log_says_what_happened_and_goes_with_the_account(
    accounts: SqlAccounts, passwords: SqlPasswords, security_log: SqlSecurityLog, database: Database, paths: SqlPaths
) -> None:
    user_id = await an_account(accounts, "Anna")
    await passwords.set_password(user_id, "secret-hash", origin=HERE)
    await security_log.record(SecurityEventKind.SIGN_IN_FAILED, None, origin=HERE)
    kinds = SecurityEventKind
    newest, before, first = await security_log.events(limit=3)
    assert [newest.kind, before.kind, first.kind] == [kinds.SIGN_IN_FAILED, kinds.PASSWORD_SET, kinds.ACCOUNT_CREATED]
    assert (before.name, before.user_id, before.address) == ("Anna", user_id, HERE.address)
    assert await security_log.events(before=newest.id, limit=1) == [before]
    assert "secret-hash" not in repr([newest, before, first])
    await SqlAccount(database, storage=paths.storage).erase(user_id)
    assert [one.kind for one in await security_log.events(limit=9)] == [kinds.SIGN_IN_FAILED]
    await paths.ensure_user(DEFAULT_USER_ID)


async def test_a_hash_is_replaced_by_a_stronger_one_only_while_it_is_the_old_one(accounts: SqlAccounts) -> None:
    user_id = await an_account(accounts)
    await accounts.keep_rehashed(user_id, "another", "stronger")
    assert (await accounts.credentials(user_id)).password_hash == "hash"
    await accounts.keep_rehashed(user_id, "hash", "stronger")
    assert (await accounts.credentials(user_id)).password_hash == "stronger"
