"""Signing in with a passkey, alone or after the password, and adding one: by a link or by one who is signed in."""

import asyncio
from dataclasses import dataclass

from sprout.accounts.accounts import AccountRow, Accounts, Passwords
from sprout.accounts.attempts import Attempt, AttemptInvalid, Attempts, Purpose, keep_attempt, take_attempt
from sprout.accounts.passkeys import (
    NewPasskey,
    PasskeyCreation,
    PasskeyProof,
    PasskeyRow,
    Passkeys,
    RelyingParty,
    WrongPasskey,
)
from sprout.accounts.principal import Principal, require_fresh_sign_in
from sprout.accounts.secret_values import digest_of, new_secret
from sprout.accounts.security_log import Origin, SecurityEventKind, SecurityLog
from sprout.accounts.sessions import Sessions
from sprout.accounts.sign_in import Browser, PasskeyRequest, Throttle, begin_session
from sprout.clock import utc_now


@dataclass(frozen=True, slots=True)
class PasskeySignIn:
    """Every method that takes a browser counts as an attempt to sign in, and raises TooManyRequests after too many."""

    party: RelyingParty
    passkeys: Passkeys
    attempts: Attempts
    accounts: Accounts
    passwords: Passwords
    sessions: Sessions
    log: SecurityLog
    throttle: Throttle

    async def request(self, browser: Browser) -> PasskeyRequest:
        """Ask for any passkey of this server."""
        await self.throttle.take("", browser.address)
        challenge, attempt_secret = await self._begin(Attempt(Purpose.PASSKEY))
        return PasskeyRequest(self.party.request_options(challenge), attempt_secret)

    async def request_after_password(self, user_id: str) -> PasskeyRequest:
        """A SecondFactor."""
        challenge, attempt_secret = await self._begin(Attempt(Purpose.PASSKEY_AFTER_PASSWORD, user_id))
        allowed = await self.passkeys.handles(user_id)
        return PasskeyRequest(self.party.request_options(challenge, allowed), attempt_secret)

    async def sign_in(self, proof: PasskeyProof, browser: Browser) -> str:
        """The secret of a new session. Raises WrongPasskey, AttemptInvalid."""
        await self.throttle.take("", browser.address)
        challenge = self._challenge(proof.client_data)
        purposes = (Purpose.PASSKEY, Purpose.PASSKEY_AFTER_PASSWORD)
        attempt = await take_attempt(self.attempts, challenge, browser, *purposes)
        try:
            user_id = await self._verify(proof, challenge, attempt, browser)
        except WrongPasskey:
            origin = Origin(browser.address)
            await self.log.record(SecurityEventKind.SIGN_IN_FAILED, attempt.user_id, origin=origin)
            raise
        return await begin_session(self.sessions, user_id, browser)

    async def request_new(self, caller: Principal, browser: Browser) -> PasskeyRequest:
        """Ask for a new passkey of one who has just signed in. Raises SignInAgain, NotFound: no account."""
        require_fresh_sign_in(caller, utc_now())
        await self.throttle.take(f"passkey:{caller.user_id}", browser.address)
        return await self._request_creation(caller.user_id)

    async def add(self, created: PasskeyCreation, name: str, caller: Principal, browser: Browser) -> PasskeyRow:
        """Raises AttemptInvalid, PasskeyRefused, PasskeyKnown, TooManyPasskeys, NotFound."""
        await self.throttle.take(f"passkey:{caller.user_id}", browser.address)
        new = await self._created(created, name, caller.user_id, browser)
        return await self.passkeys.add(new, user_id=caller.user_id, origin=Origin(browser.address, caller.user_id))

    async def request_by_code(self, code: str, browser: Browser) -> PasskeyRequest:
        """Ask for a new passkey of the person whom a link is for. Raises CodeInvalid."""
        await self.throttle.take("", browser.address)
        return await self._request_creation(await self.passwords.holder_of(digest_of(code)))

    async def add_by_code(self, code: str, created: PasskeyCreation, name: str, browser: Browser) -> str:
        """The secret of a new session of the person whom a link is for; the link is used up, and all earlier sessions
        have ended. Raises CodeInvalid, AttemptInvalid, PasskeyRefused, PasskeyKnown, TooManyPasskeys."""
        await self.throttle.take("", browser.address)
        user_id = await self.passwords.holder_of(digest_of(code))
        new = await self._created(created, name, user_id, browser)
        await self.passkeys.add_by_code(digest_of(code), new, user_id=user_id, origin=Origin(browser.address))
        return await begin_session(self.sessions, user_id, browser)

    async def ask_after_password(self, asked: bool, caller: Principal, browser: Browser) -> AccountRow:
        """Decide whether the caller's password takes a passkey too. Raises SignInAgain, PasskeyNeeded, NotFound."""
        require_fresh_sign_in(caller, utc_now())
        origin = Origin(browser.address, caller.user_id)
        return await self.passkeys.ask_after_password(asked, user_id=caller.user_id, origin=origin)

    async def _verify(self, proof: PasskeyProof, challenge: str, attempt: Attempt, browser: Browser) -> str:
        """The user who has proved to be there. Raises WrongPasskey."""
        credential_id = proof.canonical_id
        known = await self.passkeys.find(credential_id)
        public_key = None if known is None else known.public_key
        count = await asyncio.to_thread(self.party.verify_proof, proof, challenge, public_key)
        if known is None or attempt.user_id not in (None, known.user_id):
            raise WrongPasskey
        if proof.user_id not in (None, known.user_id):
            raise WrongPasskey
        if not await self.passkeys.keep_use(credential_id, count, origin=Origin(browser.address)):
            raise WrongPasskey
        return known.user_id

    async def _request_creation(self, user_id: str) -> PasskeyRequest:
        account = await self.accounts.account(user_id)
        challenge, attempt_secret = await self._begin(Attempt(Purpose.NEW_PASSKEY, user_id))
        known = await self.passkeys.handles(user_id)
        options = self.party.creation_options(
            challenge, user_id=user_id, name=account.name, display_name=account.display_name, known=known
        )
        return PasskeyRequest(options, attempt_secret)

    async def _created(self, created: PasskeyCreation, name: str, user_id: str, browser: Browser) -> NewPasskey:
        challenge = self._challenge(created.client_data)
        attempt = await take_attempt(self.attempts, challenge, browser, Purpose.NEW_PASSKEY)
        if attempt.user_id != user_id:
            raise AttemptInvalid
        return await asyncio.to_thread(self.party.verify_creation, created, challenge, name)

    async def _begin(self, attempt: Attempt) -> tuple[str, str]:
        """A challenge, and the secret of the browser that is to answer it."""
        challenge, attempt_secret = new_secret(), new_secret()
        await keep_attempt(self.attempts, challenge, attempt_secret, attempt)
        return challenge, attempt_secret

    def _challenge(self, client_data: str) -> str:
        """Raises AttemptInvalid for an answer to nothing."""
        challenge = self.party.challenge_of(client_data)
        if challenge is None:
            raise AttemptInvalid
        return challenge
