"""Sessions and access tokens on both databases."""

from datetime import timedelta
from typing import Any

import pytest
from sqlmodel import col, update

from sprout.accounts.principal import SCOPES_OF, AccountRole, Principal, Scope
from sprout.accounts.sessions import IDLE_END, MAX_SESSIONS, SEEN_EVERY
from sprout.accounts.tokens import MAX_TOKENS, NewToken, TooManyTokens
from sprout.clock import utc_now
from sprout.errors import NotFound
from sprout.events import wire_time
from sprout.store.accounts.accounts import SqlAccounts
from sprout.store.accounts.sessions import SqlSessions
from sprout.store.accounts.tokens import SqlTokens
from sprout.store.engine.database import Database
from sprout.store.schema.account_tables import AccessToken, AccountSession
from tests.store.accounts.conftest import HERE, an_account


async def a_session(sessions: SqlSessions, user_id: str, digest: str, replaces: str | None = None) -> Principal:
    await sessions.begin(digest, user_id, user_agent="Browser", replaces=replaces, origin=HERE)
    found = await sessions.find(digest)
    assert found is not None
    return found


def a_token(*scopes: Scope, days: float = 1) -> NewToken:
    return NewToken("curl", frozenset(scopes), utc_now() + timedelta(days=days))


async def age(database: Database, **values: Any) -> None:
    await database.write_tx(lambda tx: tx.connection.execute(update(AccountSession).values(**values)).close())


async def test_a_session_stands_for_its_account_with_all_its_scopes(
    accounts: SqlAccounts, sessions: SqlSessions
) -> None:
    user_id = await an_account(accounts, role=AccountRole.TEACHER)
    found = await a_session(sessions, user_id, "digest")
    assert (found.user_id, found.role, found.by_token) == (user_id, AccountRole.TEACHER, False)
    assert found.scopes == SCOPES_OF[AccountRole.TEACHER]
    assert await sessions.find("another") is None


@pytest.mark.parametrize("what", ["last_seen_at", "ends_at"])
async def test_a_session_that_was_idle_or_lasted_too_long_is_over(
    accounts: SqlAccounts, sessions: SqlSessions, database: Database, what: str
) -> None:
    caller = await a_session(sessions, await an_account(accounts), "digest")
    await age(database, **{what: utc_now() - (IDLE_END if what == "last_seen_at" else timedelta())})
    assert await sessions.find("digest") is None
    assert await sessions.sessions(caller) == []


async def test_use_prolongs_a_session_and_is_kept_every_few_minutes(
    accounts: SqlAccounts, sessions: SqlSessions, database: Database
) -> None:
    caller = await a_session(sessions, await an_account(accounts), "digest")
    (fresh,) = await sessions.sessions(caller)
    await sessions.find("digest")
    assert await sessions.sessions(caller) == [fresh]
    await age(database, last_seen_at=utc_now() - SEEN_EVERY - timedelta(seconds=1))
    (before,) = await sessions.sessions(caller)
    await sessions.find("digest")
    (after,) = await sessions.sessions(caller)
    assert after.last_seen_at > before.last_seen_at


async def test_a_new_sign_in_of_a_browser_ends_the_one_before(accounts: SqlAccounts, sessions: SqlSessions) -> None:
    user_id = await an_account(accounts)
    await a_session(sessions, user_id, "old")
    caller = await a_session(sessions, user_id, "new", replaces="old")
    assert await sessions.find("old") is None
    assert [one.current for one in await sessions.sessions(caller)] == [True]


async def test_sessions_are_listed_and_ended_by_their_owner_alone(accounts: SqlAccounts, sessions: SqlSessions) -> None:
    anna, bert = await an_account(accounts, "Anna"), await an_account(accounts, "Bert")
    first, second = await a_session(sessions, anna, "a1"), await a_session(sessions, anna, "a2")
    theirs = await a_session(sessions, bert, "b")
    assert [(one.id, one.current) for one in await sessions.sessions(second)] == [
        (second.session_id, True),
        (first.session_id, False),
    ]
    for foreign in (theirs.session_id, "unknown"):
        with pytest.raises(NotFound):
            await sessions.end(str(foreign), user_id=anna, origin=HERE)
    await sessions.end(str(first.session_id), user_id=anna, origin=HERE)
    assert (await sessions.find("a1"), await sessions.find("a2")) == (None, second)
    await sessions.end_all(anna, origin=HERE)
    assert (await sessions.find("a2"), await sessions.find("b")) == (None, theirs)


async def test_the_session_that_was_not_used_for_longest_makes_room(
    accounts: SqlAccounts, sessions: SqlSessions
) -> None:
    user_id = await an_account(accounts)
    for number in range(MAX_SESSIONS + 1):
        caller = await a_session(sessions, user_id, f"{number}")
    assert len(await sessions.sessions(caller)) == MAX_SESSIONS
    assert (await sessions.find("0"), await sessions.find("1") is None) == (None, False)


async def test_a_token_has_its_scopes_as_far_as_the_role_reaches(accounts: SqlAccounts, tokens: SqlTokens) -> None:
    user_id = await an_account(accounts, "Olga", AccountRole.OWNER)
    await an_account(accounts, "Otto", AccountRole.OWNER)
    await tokens.create("digest", a_token(Scope.READ, Scope.ADMIN), user_id=user_id, origin=HERE)
    found = await tokens.find("digest")
    assert found == Principal(user_id, AccountRole.OWNER, frozenset({Scope.READ, Scope.ADMIN}), by_token=True)
    await accounts.change(user_id, role=AccountRole.LEARNER, origin=HERE)
    found = await tokens.find("digest")
    assert found is not None
    assert (found.role, found.scopes) == (AccountRole.LEARNER, frozenset({Scope.READ}))
    await accounts.change(user_id, disabled=True, origin=HERE)
    assert await tokens.find("digest") is None


async def test_an_expired_or_revoked_token_is_gone(
    accounts: SqlAccounts, tokens: SqlTokens, database: Database
) -> None:
    user_id = await an_account(accounts)
    expiring = await tokens.create("expired", a_token(Scope.READ), user_id=user_id, origin=HERE)
    revoked = await tokens.create("revoked", a_token(Scope.READ), user_id=user_id, origin=HERE)
    assert await tokens.find("expired") is not None
    expire = update(AccessToken).where(col(AccessToken.id) == expiring.id).values(expires_at=utc_now())
    await database.write_tx(lambda tx: tx.connection.execute(expire).close())
    for foreign in ("unknown", expiring.id):
        with pytest.raises(NotFound):
            await tokens.revoke(foreign, user_id=await an_account(accounts, foreign), origin=HERE)
    await tokens.revoke(revoked.id, user_id=user_id, origin=HERE)
    assert [await tokens.find(digest) for digest in ("expired", "revoked")] == [None, None]
    assert await tokens.tokens(user_id) == []


async def test_an_account_has_a_limited_number_of_tokens(accounts: SqlAccounts, tokens: SqlTokens) -> None:
    user_id = await an_account(accounts)
    for number in range(MAX_TOKENS):
        await tokens.create(f"{number}", a_token(Scope.READ), user_id=user_id, origin=HERE)
    with pytest.raises(TooManyTokens):
        await tokens.create("one more", a_token(Scope.READ), user_id=user_id, origin=HERE)
    assert len({one.id for one in await tokens.tokens(user_id)}) == MAX_TOKENS


async def test_the_list_of_accounts_says_when_each_was_last_here(
    accounts: SqlAccounts, sessions: SqlSessions, database: Database
) -> None:
    user_id, away = await an_account(accounts), await an_account(accounts, "Bert")
    assert [one.last_seen_at for one in await accounts.accounts()] == [None, None]
    await a_session(sessions, user_id, "digest")
    await sessions.end_all(user_id, origin=HERE)
    signed_in = {one.user_id: one.last_seen_at for one in await accounts.accounts()}
    assert signed_in[user_id] is not None
    assert signed_in[away] is None
    await a_session(sessions, user_id, "another")
    used = utc_now() + timedelta(minutes=1)
    await age(database, last_seen_at=used)
    assert [one.last_seen_at for one in await accounts.accounts()] == [wire_time(used), None]
