"""E-mail addresses of accounts on both databases."""

import asyncio
from datetime import timedelta

import pytest

from sprout.accounts.accounts import CodeInvalid, LinkPurpose
from sprout.accounts.secret_values import digest_of, new_secret
from sprout.clock import utc_now
from sprout.errors import NotFound
from sprout.store.accounts.accounts import SqlAccounts
from sprout.store.accounts.email_addresses import MAX_OF_ADDRESS, SqlEmailAddresses
from sprout.store.accounts.passwords import SqlPasswords
from sprout.store.engine.database import Database
from tests.store.accounts.conftest import HERE, an_account

ADDRESS = "home@family.example"
LATER = timedelta(hours=1)


@pytest.fixture
def addresses(database: Database) -> SqlEmailAddresses:
    return SqlEmailAddresses(database)


async def wait_for(addresses: SqlEmailAddresses, user_id: str, email: str = ADDRESS) -> str:
    """The code of a link that was sent to an address."""
    code = digest_of(new_secret())
    await addresses.keep_waiting(code, email, user_id=user_id, expires_at=utc_now() + LATER, origin=HERE)
    return code


async def test_of_several_who_open_a_link_at_once_one_confirms_the_address(
    accounts: SqlAccounts, addresses: SqlEmailAddresses
) -> None:
    user_id = await an_account(accounts)
    replaced, code = [await wait_for(addresses, user_id) for _ in range(2)]
    tried = await asyncio.gather(
        *(addresses.confirm(one, origin=HERE) for one in (code, replaced, code, code)), return_exceptions=True
    )
    assert [type(one) for one in tried if one is not None] == [CodeInvalid] * 3
    row = await addresses.of(user_id)
    assert (row.email, row.waiting) == (ADDRESS, None)


async def test_who_sets_confirms_and_removes_at_once_ends_with_one_of_the_outcomes(
    accounts: SqlAccounts, addresses: SqlEmailAddresses, passwords: SqlPasswords
) -> None:
    user_id = await an_account(accounts)
    code = await wait_for(addresses, user_id)
    await asyncio.gather(
        addresses.confirm(code, origin=HERE),
        wait_for(addresses, user_id, "other@family.example"),
        addresses.remove(user_id, origin=HERE),
        passwords.set_password(user_id, "new-hash", origin=HERE),
        return_exceptions=True,
    )
    row = await addresses.of(user_id)
    assert row.email in {None, ADDRESS}
    assert row.waiting in {None, "other@family.example"}


async def test_a_new_password_voids_the_link_of_an_address_that_waits(
    accounts: SqlAccounts, addresses: SqlEmailAddresses, passwords: SqlPasswords
) -> None:
    user_id = await an_account(accounts)
    code = await wait_for(addresses, user_id, "thief@evil.example")
    await passwords.set_password(user_id, "new-hash", origin=HERE)
    with pytest.raises(CodeInvalid):
        await addresses.confirm(code, origin=HERE)
    with pytest.raises(NotFound):
        await addresses.remove(user_id, origin=HERE)


async def test_a_disabled_account_confirms_nothing_and_is_not_found(
    accounts: SqlAccounts, addresses: SqlEmailAddresses
) -> None:
    user_id = await an_account(accounts, "Anna")
    await addresses.confirm(await wait_for(addresses, user_id), origin=HERE)
    code = await wait_for(addresses, user_id, "other@family.example")
    assert [one.name for one in await addresses.recoverable("ANNA")] == ["Anna"]
    await accounts.change(user_id, disabled=True, origin=HERE)
    assert await addresses.recoverable("anna") == await addresses.recoverable(ADDRESS) == []
    with pytest.raises(CodeInvalid):
        await addresses.confirm(code, origin=HERE)


async def test_the_accounts_of_one_address_are_found_a_few_at_most_and_by_name_one(
    accounts: SqlAccounts, addresses: SqlEmailAddresses
) -> None:
    users = [await an_account(accounts, f"child{number}") for number in range(MAX_OF_ADDRESS + 1)]
    for user_id in users:
        await addresses.confirm(await wait_for(addresses, user_id), origin=HERE)
    found = await addresses.recoverable(f" {ADDRESS.upper()} ")
    assert [one.user_id for one in found] == users[:MAX_OF_ADDRESS]
    assert [one.user_id for one in await addresses.recoverable("Child3")] == [users[3]]
    assert await addresses.recoverable("") == []


async def test_a_code_does_only_what_it_is_for(
    accounts: SqlAccounts, addresses: SqlEmailAddresses, passwords: SqlPasswords
) -> None:
    user_id = await an_account(accounts)
    codes = {purpose: digest_of(new_secret()) for purpose in LinkPurpose}
    end = utc_now() + LATER
    await passwords.issue_code(codes[LinkPurpose.SIGN_IN], user_id=user_id, expires_at=end, origin=HERE)
    await passwords.issue_recovery_code(codes[LinkPurpose.PASSWORD], user_id=user_id, expires_at=end, origin=HERE)
    await addresses.keep_waiting(codes[LinkPurpose.EMAIL], ADDRESS, user_id=user_id, expires_at=end, origin=HERE)
    allowed = {
        passwords.holder_of: {LinkPurpose.SIGN_IN},
        passwords.password_holder_of: {LinkPurpose.SIGN_IN, LinkPurpose.PASSWORD},
    }
    for ask, purposes in allowed.items():
        for purpose, code in codes.items():
            if purpose in purposes:
                assert await ask(code) == user_id
            else:
                with pytest.raises(CodeInvalid):
                    await ask(code)
    for purpose in (LinkPurpose.SIGN_IN, LinkPurpose.PASSWORD):
        with pytest.raises(CodeInvalid):
            await addresses.confirm(codes[purpose], origin=HERE)
