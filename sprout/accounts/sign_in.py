"""Signing in with a password, and all that sets one: each ends in a new session."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from pydantic import JsonValue

from sprout.accounts.accounts import AccountRow, Accounts, LinkPurpose, NewAccount, Passwords
from sprout.accounts.names import name_key, sign_in_name
from sprout.accounts.passwords import check_password, hash_password, is_outdated, verify_password
from sprout.accounts.principal import AccountRole, Principal
from sprout.accounts.secret_values import digest_of, new_secret
from sprout.accounts.security_log import Origin, SecurityEventKind, SecurityLog
from sprout.accounts.sessions import Sessions
from sprout.errors import NotSignedIn

HASHES_AT_ONCE = 4  # each takes 19 MiB, and a core


class WrongCredentials(NotSignedIn):
    """No account has this name with this password; which of the two is wrong is not said."""

    code = "wrong_credentials"

    def __init__(self) -> None:
        super().__init__("The name or the password isn't right.")


class Throttle(Protocol):
    async def take(self, account: str, address: str) -> None:
        """Count an attempt. Raises TooManyRequests for an account or an address that has had too many."""
        ...


@dataclass(frozen=True, slots=True)
class Browser:
    """The browser that signs in.

    Args:
        session_secret: of the session that it has already, which the new one replaces.
        attempt_secret: of the attempt that it has begun, where signing in takes more than one request.
    """

    address: str
    user_agent: str
    session_secret: str | None = None
    attempt_secret: str | None = None


@dataclass(frozen=True, slots=True)
class PasskeyRequest:
    """What a browser is asked for, by `navigator.credentials`.

    Args:
        options: as JSON, with bytes as base64url.
        attempt_secret: to be kept in a cookie of the browser until it answers.
    """

    options: Mapping[str, JsonValue]
    attempt_secret: str


class SecondFactor(Protocol):
    async def request_after_password(self, user_id: str) -> PasskeyRequest:
        """Ask for a passkey of this user, whose password was right."""
        ...


class PasswordSignIn:
    """Every method returns the secret of a new session, which the browser is to keep.

    Args:
        second_factor: of those who have chosen one; None where the server has no passkeys.
    """

    def __init__(
        self,
        accounts: Accounts,
        passwords: Passwords,
        sessions: Sessions,
        log: SecurityLog,
        throttle: Throttle,
        second_factor: SecondFactor | None = None,
    ) -> None:
        self._accounts, self._passwords, self._sessions, self._log = accounts, passwords, sessions, log
        self._throttle, self._second_factor = throttle, second_factor
        self._hashing = asyncio.Semaphore(HASHES_AT_ONCE)
        self._nobodys_hash = ""

    async def sign_in(self, name: str, password: str, browser: Browser) -> str | PasskeyRequest:
        """The secret, or what is asked for besides the password. Raises WrongCredentials, TooManyRequests."""
        await self._throttle.take(name_key(name), browser.address)
        # Made before any name is looked up: an unknown one must take as long as a wrong password.
        self._nobodys_hash = self._nobodys_hash or await self._hash(new_secret())
        found = await self._accounts.find(name)
        kept = None if found is None or found.disabled else found.password_hash
        is_right = await self._verify(kept or self._nobodys_hash, password)
        if found is None or kept is None or not is_right:
            user_id = None if found is None else found.user_id
            await self._log.record(SecurityEventKind.SIGN_IN_FAILED, user_id, origin=Origin(browser.address))
            raise WrongCredentials
        if is_outdated(kept):
            await self._accounts.keep_rehashed(found.user_id, kept, await self._hash(password))
        if found.passkey_after_password and self._second_factor is not None:
            return await self._second_factor.request_after_password(found.user_id)
        return await self._begin(found.user_id, browser)

    async def change_password(self, caller: Principal, old: str, new: str, browser: Browser) -> str:
        """Raises WrongCredentials, TooManyRequests, BadInput: the new one is no good; NotFound: no account."""
        account = await self._accounts.account(caller.user_id)
        await self._throttle.take(name_key(account.name), browser.address)
        kept = (await self._accounts.credentials(caller.user_id)).password_hash
        if kept is None or not await self._verify(kept, old):
            await self._log.record(SecurityEventKind.SIGN_IN_FAILED, caller.user_id, origin=Origin(browser.address))
            raise WrongCredentials
        check_password(new, account.name)
        origin = Origin(browser.address, caller.user_id)
        await self._passwords.set_password(caller.user_id, await self._hash(new), origin=origin)
        return await self._begin(caller.user_id, browser)

    async def set_up_owner(self, code: str, name: str, display_name: str, password: str, browser: Browser) -> str:
        """Make the first owner. Raises CodeInvalid, NameTaken, BadInput, TooManyRequests."""
        await self._throttle.take("", browser.address)
        kept_name = sign_in_name(name)
        check_password(password, kept_name)
        new = NewAccount(kept_name, display_name or kept_name, AccountRole.OWNER, await self._hash(password))
        account = await self._passwords.create_owner(digest_of(code), new, origin=Origin(browser.address))
        return await self._begin(account.user_id, browser)

    async def invite_owner(self, code: str, name: str, display_name: str, browser: Browser) -> AccountRow:
        """Make the first owner, who is to choose by a link how to sign in. Raises as `set_up_owner` does."""
        await self._throttle.take("", browser.address)
        kept_name = sign_in_name(name)
        new = NewAccount(kept_name, display_name or kept_name, AccountRole.OWNER)
        return await self._passwords.create_owner(digest_of(code), new, origin=Origin(browser.address))

    async def set_password(self, code: str, password: str, browser: Browser) -> str | PasskeyRequest:
        """Set the password that a link is for; one that came by mail does not go around the second factor.

        Raises CodeInvalid, BadInput, TooManyRequests.
        """
        await self._throttle.take("", browser.address)
        account = await self._accounts.account(await self._passwords.password_holder_of(digest_of(code)))
        check_password(password, account.name)
        origin = Origin(browser.address)
        holder = await self._passwords.set_password_by_code(digest_of(code), await self._hash(password), origin=origin)
        if (
            holder.purpose is LinkPurpose.PASSWORD
            and account.passkey_after_password
            and self._second_factor is not None
        ):
            return await self._second_factor.request_after_password(holder.user_id)
        return await self._begin(holder.user_id, browser)

    async def _begin(self, user_id: str, browser: Browser) -> str:
        return await begin_session(self._sessions, user_id, browser)

    async def _verify(self, kept: str, password: str) -> bool:
        async with self._hashing:
            return await asyncio.to_thread(verify_password, kept, password)

    async def _hash(self, password: str) -> str:
        async with self._hashing:
            return await asyncio.to_thread(hash_password, password)


async def begin_session(sessions: Sessions, user_id: str, browser: Browser) -> str:
    """The secret of a new session, which replaces the one that the browser had. Raises NotFound."""
    secret, had = new_secret(), browser.session_secret
    await sessions.begin(
        digest_of(secret),
        user_id,
        user_agent=browser.user_agent,
        replaces=None if had is None else digest_of(had),
        origin=Origin(browser.address, user_id),
    )
    return secret
